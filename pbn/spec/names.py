"""Names that a world file may give, and looking them up."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable

from pbn.errors import listing
from pbn.spec.expression import FUNCTIONS
from pbn.spec.nodes import Scalar
from pbn.spec.report import Report, shorten

MAX_NAME = 100

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LABEL = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_RESERVED = frozenset((*FUNCTIONS, *keyword.kwlist, "i"))


def is_variable_name(text: str) -> bool:
    """Whether a variable can have this name."""
    return _IDENTIFIER.fullmatch(text) is not None and text not in _RESERVED and len(text) <= MAX_NAME


def check_variable_name(key: Scalar, what: str, report: Report) -> bool:
    """Whether a variable or parameter can have this name; reports why not."""
    reason = None
    if not _IDENTIFIER.fullmatch(key.text):
        reason = "names are letters, digits and _, and begin with a letter"
    elif key.text in _RESERVED:
        reason = "this word has a meaning in rules"
    elif len(key.text) > MAX_NAME:
        reason = f"names have at most {MAX_NAME} characters"
    if reason:
        report.add("spec/name", f"{shorten(key.text)!r} cannot be the name of a {what}", key.place, allowed=reason)
    return reason is None


def check_label(key: Scalar, what: str, report: Report) -> bool:
    """Whether a question or level can have this name; reports why not."""
    good = len(key.text) <= MAX_NAME and _LABEL.fullmatch(key.text) is not None
    if not good:
        report.add(
            "spec/name",
            f"{shorten(key.text)!r} cannot be the name of a {what}",
            key.place,
            allowed="letters, digits, - and _, beginning with a letter",
        )
    return good


def distinct(scalars: Iterable[Scalar], what: str, report: Report, code: str) -> tuple[Scalar, ...]:
    """The scalars without repetitions; each repetition is reported."""
    first: dict[str, Scalar] = {}
    for scalar in scalars:
        if scalar.text in first:
            report.add(
                code, f"{what} {shorten(scalar.text)!r} stands twice", scalar.place, hint="remove one of the two"
            )
        first.setdefault(scalar.text, scalar)
    return tuple(first.values())


def unknown_state(scalar: Scalar, owner: str, states: Iterable[str], report: Report) -> None:
    """Report a state that a variable does not have."""
    states = tuple(states)
    report.add(
        "spec/unknown-state",
        f"{owner} has no state {shorten(scalar.text)!r}",
        scalar.place,
        allowed=listing(states),
        hint=report.suggest(scalar.text, states),
    )
