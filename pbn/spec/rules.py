"""Deterministic variables whose states follow from expressions: rules and decision lists."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from fractions import Fraction

from pbn.errors import listing
from pbn.spec.check_types import ANYTHING, check_types
from pbn.spec.constants import Constants
from pbn.spec.drafts import Draft
from pbn.spec.expression import Scope, Type
from pbn.spec.limits import Limits
from pbn.spec.model import DecisionList, Rule, Source
from pbn.spec.names import unknown_state
from pbn.spec.nodes import Scalar, Sequence
from pbn.spec.report import Report, shorten
from pbn.spec.rule_text import Problem
from pbn.spec.states import numbers_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What became of a variable: its type, its states and numbers, and its source (None if that is faulty)."""

    type: Type
    states: tuple[str, ...] | None = None
    values: tuple[Fraction, ...] | None = None
    source: Source | None = None


UNKNOWN = Meaning(type=ANYTHING)


@dataclass(frozen=True, slots=True)
class RuleReader:
    """Type-checks rules in the order of their variables; ``types`` grows while they are resolved."""

    types: AbstractMapping[str, Type]
    families: AbstractMapping[str, tuple[str, ...]]
    constants: Constants
    report: Report
    limits: Limits

    def rule(self, draft: Draft, index: int | None, declared: tuple[str, ...] | None) -> Meaning:
        """The meaning of one member's ``rule``."""
        before = len(self.report)
        (kind,) = self._types(draft, index)
        if kind is ANYTHING:
            return UNKNOWN
        source = Rule(expression=draft.conditions[0][0])
        if kind.kind == "label" and not declared and self._guesses(draft):
            return UNKNOWN
        meaning = {"number": self._number, "truth": self._truth, "label": self._label}[kind.kind](draft, kind, declared)
        if kind.kind != "label" and "values" in draft.declaration.body:
            self.report.add(
                "spec/values",
                f"a rule that yields a {kind.kind} takes no values",
                draft.declaration.body.key("values").place,
            )
        if len(self.report) > before:
            draft.failed = True
            return meaning
        return Meaning(type=meaning.type, states=meaning.states, values=meaning.values, source=source)

    def decisions(self, draft: Draft, index: int | None, states: tuple[str, ...]) -> Source | None:
        """The decision list of one member."""
        before = len(self.report)
        for kind, (expression, scalar, _) in zip(self._types(draft, index), draft.conditions, strict=True):
            if not kind.truth:
                self.report.problem(
                    Problem(
                        code="rule/not-a-condition",
                        message="this is not true or false",
                        allowed="a condition",
                        offset=expression.lead,
                        hint="compare it with something",
                    ),
                    scalar,
                )
        body = draft.declaration.body
        first, otherwise = body.get("first"), body.scalar("else")
        assert isinstance(first, Sequence)
        assert otherwise is not None
        results = [case.items[1] for case in first.items if isinstance(case, Sequence)]
        chosen = [result for result in [*results, otherwise] if isinstance(result, Scalar)]
        allowed = frozenset(states)
        for scalar in chosen:
            if scalar.text not in allowed:
                unknown_state(scalar, draft.declaration.name, states, self.report)
        if len(self.report) > before:
            draft.failed = True
            return None
        cases = zip((expression for expression, _, _ in draft.conditions), chosen, strict=False)
        return DecisionList(cases=tuple((test, state.text) for test, state in cases), otherwise=otherwise.text)

    def _types(self, draft: Draft, index: int | None) -> list[Type]:
        """The type of each of a draft's expressions; problems are reported."""
        scope = Scope(constants=self.constants.with_index(index).values, variables=self.types, families=self.families)
        parents = (
            next(iter(draft.parents.values())) if index is None else draft.parents[draft.declaration.members[index - 1]]
        )
        labels = {id(kind.labels): len(kind.labels) for name in parents if (kind := self.types[name]).labels}
        kinds = []
        for expression, scalar, size in draft.conditions:
            self.limits.spend("states times parts of rules", size * (1 + sum(labels.values())), scalar.place)
            kind, problems = check_types(expression, scope)
            for problem in problems:
                self.report.problem(problem, scalar)
            kinds.append(ANYTHING if problems else kind)
        return kinds

    def _guesses(self, draft: Draft) -> bool:
        """Whether a rule reads something whose states are not known because it is faulty itself."""
        return any(self.types[name] is ANYTHING for parents in draft.parents.values() for name in parents)

    def _number(self, draft: Draft, kind: Type, declared: tuple[str, ...] | None) -> Meaning:
        numbers = numbers_of(declared) if declared else None
        if declared and (numbers is None or len(set(numbers)) < len(numbers)):
            self.report.add(
                "spec/states",
                "the rule yields numbers; these are not distinct numbers",
                draft.declaration.body.key("states").place,
                found=listing(declared),
                hint="leave 'states' out"
                if kind.labels is None
                else "what the rule reads has 'values', and counts as its number; leave 'states' out",
            )
        return Meaning(type=Type(labels=declared, number=True), states=declared, values=numbers)

    def _truth(self, draft: Draft, _kind: Type, declared: tuple[str, ...] | None) -> Meaning:
        if declared and len(declared) != 2:
            self.report.add(
                "spec/states",
                f"the rule is true or false; it has {len(declared)} states",
                draft.declaration.body.key("states").place,
                allowed="two states: false first, then true",
                hint="[no, yes] is what it has without 'states'",
            )
        states = declared or ("no", "yes")
        return Meaning(type=Type(labels=states, truth=True), states=states)

    def _label(self, draft: Draft, kind: Type, declared: tuple[str, ...] | None) -> Meaning:
        states = declared or kind.labels or ()
        extra = [label for label in kind.labels or () if declared and label not in frozenset(declared)]
        if extra:
            self.report.add(
                "spec/unknown-state",
                f"the rule can yield {shorten(extra[0])!r}, which is no state",
                draft.declaration.body.key("states").place,
                allowed=listing(states),
                hint=self.report.suggest(extra[0], states),
            )
        return Meaning(type=Type(labels=states), states=states)
