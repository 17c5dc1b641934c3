"""From drafts to variables: states, types and sources, parents first."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

from pbn.spec.check_types import ANYTHING
from pbn.spec.constants import Constants
from pbn.spec.declarations import Declaration, Declarations
from pbn.spec.drafts import Draft
from pbn.spec.expression import Type
from pbn.spec.limits import MAX_CELLS, Limits
from pbn.spec.lookups import read_lookup, read_merge
from pbn.spec.measures import read_count, read_measurement
from pbn.spec.model import Count, Role, Source, Table, VariableSpec
from pbn.spec.nodes import Node, Scalar, Sequence
from pbn.spec.order import cycles, parents_first
from pbn.spec.report import Report
from pbn.spec.rules import UNKNOWN, Meaning, RuleReader
from pbn.spec.states import declared_states, numbers_of, read_values
from pbn.spec.tables import TableReader, uniform

_INDEX = re.compile(r"\bi\b")


class Resolver:
    """Resolves every variable of a file, parents first; what is faulty gets a type that fits everywhere."""

    def __init__(
        self, declarations: Declarations, drafts: dict[str, Draft], constants: Constants, report: Report, limits: Limits
    ) -> None:
        self.declarations = declarations
        self.drafts = drafts
        self.constants = constants
        self.report = report
        self.limits = limits
        self.types: dict[str, Type] = dict.fromkeys([*constants.faulty, *declarations.by_member], ANYTHING)
        self.meanings: dict[str, Meaning] = {}
        self._declared: dict[str, Meaning] = {}
        self._rules = RuleReader(self.types, declarations.families, constants, report, limits)

    def run(self) -> None:
        """Find the order and resolve; cycles are reported."""
        parents = {member: draft.parents[member] for draft in self.drafts.values() for member in draft.parents}
        order = parents_first(parents)
        told: set[frozenset[str]] = set()
        for cycle in cycles(parents, order):
            declared = [self.declarations.by_member[name] for name in cycle]
            knot = frozenset(one.name for one in declared)
            if knot not in told:
                told.add(knot)
                self.report.add(
                    "spec/cycle",
                    f"{cycle[0]} depends on itself: {' → '.join(_cut(cycle))}",
                    declared[0].key.place,
                    hint="arrows lead from a variable to what it depends on",
                )
        for member in order:
            declaration = self.declarations.by_member[member]
            draft = self.drafts[declaration.name]
            meaning = self._resolve(member, draft, declaration) if declaration.readable else UNKNOWN
            self.types[member] = meaning.type
            self.meanings[member] = meaning

    def variable(self, member: str) -> VariableSpec | None:
        """The resolved variable; None where something about it is faulty."""
        declaration = self.declarations.by_member[member]
        meaning = self.meanings.get(member, UNKNOWN)
        if meaning.source is None:
            return None
        role, text = declaration.body.scalar("role"), declaration.body.scalar("text")
        return VariableSpec(
            name=member,
            states=meaning.states,
            values=meaning.values,
            role=cast(Role, role.text) if role else None,
            source=meaning.source,
            parents=self.drafts[declaration.name].parents[member],
            text=text.text if text else "",
            index=declaration.index(declaration.members.index(member)),
            place=declaration.key.place,
        )

    def _resolve(self, member: str, draft: Draft, declaration: Declaration) -> Meaning:
        index = declaration.index(declaration.members.index(member))
        own = self._own(draft, declaration)
        if own is UNKNOWN:
            return UNKNOWN
        if declaration.source == "rule":
            meaning = UNKNOWN if draft.failed else self._rules.rule(draft, index, own.states)
            if meaning.states and meaning.type.kind == "label":
                meaning = self._with_values(meaning, draft, declaration)
            return meaning
        if draft.failed:
            return own
        if declaration.source == "first":
            assert own.states
            return replace(own, source=self._rules.decisions(draft, index, own.states))
        if own.source is None:
            own = self._with_source(draft, declaration, index, own)
        return own

    def _own(self, draft: Draft, declaration: Declaration) -> Meaning:
        """States and values as the declaration's own keys say them, read once for all its members."""
        known = self._declared.get(declaration.name)
        if known:
            return known
        before = len(self.report)
        states = declared_states(declaration, self.report)
        meaning = Meaning(type=Type(labels=states), states=states)
        if len(self.report) > before:
            draft.failed = True
            meaning = UNKNOWN
        elif declaration.source in ("measured", "count"):
            meaning = Meaning(type=Type(number=True))
        elif states:
            self.limits.spend("states", len(states) * len(declaration.members), declaration.key.place)
            if declaration.source != "rule":
                meaning = self._with_values(meaning, draft, declaration)
        self._declared[declaration.name] = meaning
        return meaning

    def _with_values(self, meaning: Meaning, draft: Draft, declaration: Declaration) -> Meaning:
        assert meaning.states is not None
        values = numbers_of(meaning.states)
        if "values" in declaration.body and declaration.source != "of":
            values = read_values(declaration.body, meaning.states, self.constants, self.report)
            if values is None:
                draft.failed = True
                return replace(meaning, type=ANYTHING, source=None)
        return replace(meaning, values=values, type=Type(labels=meaning.states, number=values is not None))

    def _with_source(self, draft: Draft, declaration: Declaration, index: int | None, own: Meaning) -> Meaning:
        """Tables, look-ups, measurements and counts; shared by all members unless the index stands in it."""
        parents = self._parent_states(draft)
        if parents is None:
            return own
        source = self._source(declaration, parents, index, own)
        draft.failed |= source is None
        meaning = replace(own, source=source)
        if isinstance(source, Count):
            meaning = replace(meaning, states=tuple(map(str, range(source.start, source.stop + 1))))
        if not (declaration.repeated and declaration.source == "p" and _mentions_index(declaration.body.get("p"))):
            self._declared[declaration.name] = meaning
        return meaning

    def _parent_states(self, draft: Draft) -> dict[str, tuple[str, ...]] | None:
        """States of the parents that keys name; None where one of them has none that are known."""
        known: dict[str, tuple[str, ...]] = {}
        for scalar in draft.named:
            name = scalar.text
            states = self.meanings[name].states
            if states is not None:
                known[name] = states
            elif self.types[name] is not ANYTHING:
                draft.failed = True
                source = self.declarations.by_member[name].source
                hint = f"declare 'states' on {name}" if source == "rule" else f"make a rule of {name} that has 'states'"
                self.report.add(
                    "spec/states-unknown",
                    f"{name} is a number whose states the file does not list",
                    scalar.place,
                    hint=hint,
                )
        return known if len(known) == len(draft.named) else None

    def _source(
        self,
        declaration: Declaration,
        parents: dict[str, tuple[str, ...]],
        index: int | None,
        own: Meaning,
    ) -> Source | None:
        body, states = declaration.body, own.states
        of, old = next(iter(parents.items()), ("", ()))
        match declaration.source:
            case "measured":
                measurement = read_measurement(body, of, len(old), self.constants, self.report)
                if measurement:
                    points = int((measurement.stop - measurement.start) / measurement.step) + 1
                    self._spend_grid(declaration, points, len(old))
                return measurement
            case "count":
                count = read_count(body, self.constants, self.report)
                if count:
                    self._spend_grid(declaration, count.stop - count.start + 1, 1)
                return count
        assert states is not None
        match declaration.source:
            case "of":
                return read_lookup(body, of, old, states, self.report)
            case "merge":
                return read_merge(body, of, old, states, self.report)
        return self._table(declaration, parents, index, states)

    def _spend_grid(self, declaration: Declaration, points: int, rows: int) -> None:
        """Count the states and probabilities that a grid or a count law will have."""
        members = len(declaration.members)
        self.limits.spend("states", points * members, declaration.key.place)
        self.limits.spend("probabilities of grids and counts", points * rows * members, declaration.key.place)

    def _table(
        self, declaration: Declaration, parents: dict[str, tuple[str, ...]], index: int | None, states: tuple[str, ...]
    ) -> Table | None:
        node = declaration.body.get("p")
        if node is None:
            return Table(parents=(), rows=uniform(states))
        key = declaration.body.key("p")
        cells = len(states)
        for own in parents.values():
            cells *= len(own)
        if cells > MAX_CELLS:
            self.report.add(
                "spec/too-large",
                f"the table of {declaration.name} has {min(cells, 10**30):,} cells",
                key.place,
                allowed=f"at most {MAX_CELLS:,}",
                hint="give it fewer parents, or merge states",
            )
            return None
        self.limits.spend("probabilities", cells, key.place)
        rows = TableReader(states, parents, self.constants.with_index(index), self.report).read(node, key)
        return Table(parents=tuple(parents), rows=rows) if rows is not None else None


def _mentions_index(node: Node | None) -> bool:
    if isinstance(node, Scalar):
        return _INDEX.search(node.text) is not None
    if node is None:
        return False
    inner = node.items if isinstance(node, Sequence) else [value for _, value in node.pairs]
    return any(_mentions_index(item) for item in inner)


def _cut(cycle: list[str]) -> list[str]:
    return cycle if len(cycle) <= 12 else [*cycle[:10], "…", cycle[-1]]
