"""States as a file declares them, and the numbers behind them."""

from __future__ import annotations

import re
from fractions import Fraction

from pbn.spec.constants import Constants
from pbn.spec.declarations import Declaration
from pbn.spec.names import unknown_state
from pbn.spec.nodes import Mapping, Scalar, Sequence, kind_of
from pbn.spec.numerals import MAX_STATES, BadRange, expand, numeral
from pbn.spec.report import Report, shorten

MAX_CHARACTERS = 200

_CONTROL = re.compile("[\x00-\x1f]")


def declared_states(declaration: Declaration, report: Report) -> tuple[str, ...] | None:
    """The states that a variable's own keys say, in order; None where they don't, or are faulty (then reported).

    They are its ``states``, else the keys of ``into`` or the distinct results of ``of``.
    """
    body = declaration.body
    if "states" in body:
        node = body.get("states")
        if isinstance(node, Scalar):  # a range standing alone means a range, quoted or not
            node = Scalar(text=node.text, quoted=False, place=node.place, raw=node.raw)
            return collect([node], report)
        return collect(body.scalars("states"), report, empty_at=body.key("states"))
    if declaration.source == "merge":
        into = body.mapping("into")
        return collect([_literal(key) for key, _ in into.pairs] if into else (), report, empty_at=body.key("into"))
    if declaration.source == "of":
        values = body.mapping("values")
        results = {value.text: value for _, value in values.pairs if isinstance(value, Scalar)} if values else {}
        states = collect([_literal(value) for value in results.values()], report, empty_at=body.key("values"))
        return states and _ascending(states)
    return None


def _literal(scalar: Scalar) -> Scalar:
    return Scalar(text=scalar.text, quoted=True, place=scalar.place)


def _ascending(states: tuple[str, ...]) -> tuple[str, ...]:
    numbers = {state: numeral(state) for state in states}
    known = {state: number for state, number in numbers.items() if number is not None}
    return tuple(sorted(states, key=lambda state: known[state])) if len(known) == len(states) else states


def collect(
    scalars: list[Scalar] | tuple[Scalar, ...],
    report: Report,
    *,
    empty_at: Scalar | None = None,
) -> tuple[str, ...] | None:
    """The states that scalars stand for, ranges written out; None after a report."""
    before = len(report)
    states: dict[str, None] = {}
    for scalar in scalars:
        try:
            expanded = expand(scalar)
        except BadRange as error:
            report.add(
                "spec/range",
                f"{shorten(scalar.text)}: {error}",
                scalar.place,
                hint="quote the text if it is one state and no range",
            )
            continue
        if _is_valid(scalar, expanded[0], report):
            repeated = next((state for state in expanded if state in states), None)
            if repeated is not None:
                report.add(
                    "spec/duplicate-state",
                    f"the state {shorten(repeated)!r} stands twice",
                    scalar.place,
                    hint="remove one of the two",
                )
            states.update(dict.fromkeys(expanded))
        if len(states) > MAX_STATES:
            report.add("spec/too-many-states", f"there are more than {MAX_STATES:,} states", scalar.place)
            break
    if not scalars and empty_at:
        report.add("spec/no-states", f"{empty_at.text!r} is empty", empty_at.place, allowed="at least one state")
    return tuple(states) if len(report) == before else None


def _is_valid(scalar: Scalar, state: str, report: Report) -> bool:
    reason = None
    if not state.strip() or (state in ("~", "null") and not scalar.quoted):
        reason = "a state cannot be empty"
    elif len(state) > MAX_CHARACTERS:
        reason = f"a state has at most {MAX_CHARACTERS} characters"
    elif _CONTROL.search(state):
        reason = "a state stands on one line, without tabs"
    if reason:
        report.add("spec/state", f"{reason}: {shorten(state)!r}", scalar.place)
    return reason is None


def read_values(
    body: Mapping,
    states: tuple[str, ...],
    constants: Constants,
    report: Report,
) -> tuple[Fraction, ...] | None:
    """The number behind each state: ``values`` as a list in state order or a map; None after a report."""
    node, key = body.get("values"), body.key("values")
    before = len(report)
    cells: list[Scalar] = []
    if isinstance(node, Mapping):
        cells = keyed(node, key, states, "values", report)
    elif isinstance(node, Sequence):
        cells = [item for item in node.items if isinstance(item, Scalar)]
        if len(cells) != len(states):
            report.add(
                "spec/values",
                f"there are {len(cells)} values for {len(states)} states",
                key.place,
                allowed="one value for each state",
            )
    numbers = [constants.number(cell, report) for cell in cells] if len(report) == before else []
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(states) and len(report) == before else None


def keyed(node: Mapping, key: Scalar, states: tuple[str, ...], what: str, report: Report) -> list[Scalar]:
    """The cells of a map keyed by state, in state order; unknown and missing states are reported."""
    allowed = dict.fromkeys(states)
    unknown = [inner for inner, _ in node.pairs if inner.text not in allowed]
    for inner in unknown:
        unknown_state(inner, what, states, report)
    missing = len(states) - (len(node.pairs) - len(unknown))
    if missing > len(unknown):
        absent = next(state for state in states if state not in node)
        report.add(
            "spec/missing-state",
            f"{what} has nothing for the state {shorten(absent)!r}"
            + (f" and {missing - 1} more" if missing > 1 else ""),
            key.place,
            allowed="one entry for each state",
        )
    cells = []
    for inner, cell in node.pairs:
        if not isinstance(cell, Scalar):
            report.add(
                "spec/wrong-shape",
                f"{shorten(inner.text)} is {kind_of(cell)} where a number belongs",
                inner.place,
                allowed="a number",
            )
    if not unknown and not missing:
        cells = [cell for cell in map(node.get, states) if isinstance(cell, Scalar)]
    return cells


def numbers_of(states: tuple[str, ...]) -> tuple[Fraction, ...] | None:
    """The states as numbers where every one is a numeral.

    Examples
    --------
    >>> numbers_of(("-1", "0.5")), numbers_of(("1", "many"))
    ((Fraction(-1, 1), Fraction(1, 2)), None)
    """
    numbers = []
    for state in states:
        number = numeral(state)
        if number is None:
            return None
        numbers.append(number)
    return tuple(numbers)
