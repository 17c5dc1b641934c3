"""The variables that a file declares: names, repetitions, sources."""

from __future__ import annotations

from dataclasses import dataclass

from pbn.errors import listing
from pbn.spec.constants import Constants
from pbn.spec.limits import Limits
from pbn.spec.names import check_variable_name
from pbn.spec.nodes import Mapping, Scalar
from pbn.spec.report import Report, shorten
from pbn.spec.schema import sources_of
from pbn.spec.structure import Path

MAX_REPEAT = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """One entry of ``variables``; several ``members`` where it is repeated.

    ``source`` is the key that says where states come from (``p`` for a uniform variable). What is not
    ``readable`` has been reported already: its name counts, its content does not.
    """

    name: str
    key: Scalar
    body: Mapping
    source: str
    members: tuple[str, ...]
    repeated: bool
    readable: bool

    def index(self, position: int) -> int | None:
        """The value of ``i`` for the member at a position from 0."""
        return position + 1 if self.repeated else None


@dataclass(frozen=True, slots=True)
class Declarations:
    """All variables of a file, and who is who."""

    by_name: dict[str, Declaration]
    by_member: dict[str, Declaration]

    @property
    def families(self) -> dict[str, tuple[str, ...]]:
        """The members of each repeated variable."""
        return {name: declared.members for name, declared in self.by_name.items() if declared.repeated}

    def find(self, scalar: Scalar, report: Report, *, code: str = "spec/unknown-variable") -> str | None:
        """The variable that a scalar names; reports where there is none."""
        name = scalar.text
        if name in self.by_member:
            return name
        declared = self.by_name.get(name)
        if declared:
            report.add(
                code,
                f"{name!r} is a repeated variable",
                scalar.place,
                allowed=listing(declared.members),
                hint=f"name one of its members, as in {declared.members[0]}",
            )
        else:
            report.add(
                code,
                f"there is no variable {shorten(name)!r}",
                scalar.place,
                allowed=listing(self.by_member),
                hint=report.suggest(name, [*self.by_name, *self.by_member]),
            )
        return None


def read_declarations(
    root: Mapping, broken: frozenset[Path], constants: Constants, report: Report, limits: Limits
) -> Declarations:
    """Every entry of ``variables`` with its members."""
    section = root.mapping("variables")
    assert section is not None
    by_name: dict[str, Declaration] = {}
    by_member: dict[str, Declaration] = {}
    for key, node in section.pairs:
        body = node if isinstance(node, Mapping) else Mapping(pairs=(), repeated=(), place=key.place)
        readable = ("variables", key.text) not in broken and check_variable_name(key, "variable", report)
        if key.text in constants.values or key.text in constants.faulty:
            report.add(
                "spec/name", f"{key.text!r} is the name of a parameter already", key.place, hint="rename one of the two"
            )
            readable = False
        count = _repeat(body, report) if readable else None
        members = tuple(f"{key.text}_{k}" for k in range(1, count + 1)) if count else (key.text,)
        limits.spend("variables", len(members), key.place)
        sources = sources_of([inner.text for inner, _ in body.pairs]) or ["p"]
        by_name[key.text] = Declaration(
            name=key.text,
            key=key,
            body=body,
            source=sources[0],
            members=members,
            repeated=bool(count),
            readable=readable and not (count is None and "repeat" in body),
        )
    for declared in by_name.values():
        for member in declared.members:
            if declared.repeated and member in by_name:
                report.add(
                    "spec/name",
                    f"{member!r} is both a variable and a member of a repeated one",
                    declared.key.place,
                    hint="rename one of the two",
                )
            by_member.setdefault(member, declared)
    return Declarations(by_name, by_member)


def _repeat(body: Mapping, report: Report) -> int | None:
    scalar = body.scalar("repeat")
    if scalar is None:
        return None
    text = scalar.text
    if len(text) <= 6 and text.isascii() and text.isdigit() and 2 <= int(text) <= MAX_REPEAT:
        return int(text)
    report.add(
        "spec/repeat",
        f"a variable cannot be repeated {shorten(text)} times",
        scalar.place,
        allowed=f"a whole number from 2 to {MAX_REPEAT:,}",
    )
    return None
