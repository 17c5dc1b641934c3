"""Exact answers about one network: posteriors, Bayes errors and entropies, with what they cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.exact.answers import ArithmeticName, BoundStatistic, weights_of
from pbn.exact.arithmetic import BOOLEAN, EXACT, FLOAT, Numbers
from pbn.exact.choice import by_diagram
from pbn.exact.eliminate import bind, joint, known_codes, run
from pbn.exact.law import DiagramLaw
from pbn.exact.order import Order
from pbn.exact.plan import DEFAULT_BUDGET, Plan, make_plan
from pbn.exact.statistic import find_statistic
from pbn.network.chain import chained
from pbn.network.model import Array, Network

SMALLEST = 1e-290
"""Evidence less probable than this is answered exactly: float64 would lose its digits."""
KEPT = 64
"""Plans, views and statistics that an engine keeps, each; the oldest goes first."""


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Posterior:
    """P(query | evidence): ``probs`` in state order, ``exact`` where exact arithmetic was used.

    ``tie`` is true where several states are most probable; the Bayes decision goes to the first.
    ``route`` says how the answer was found.
    """

    query: str
    probs: Mapping[str, float]
    exact: Mapping[str, Fraction] | None
    evidence_probability: Fraction | float
    route: str

    @property
    def decision(self) -> str:
        """The most probable state, the first of them where there is a tie."""
        best = self._best
        return max(best, key=best.__getitem__)

    @property
    def tie(self) -> bool:
        """Whether another state is exactly as probable as the decision."""
        values = list(self._best.values())
        return values.count(max(values)) > 1

    @property
    def _best(self) -> Mapping[str, Any]:
        return self.exact if self.exact is not None else self.probs


class Engine:
    """Answers about one immutable network; keeps plans and views, so a second question is cheap."""

    def __init__(self, network: Network, budget: int = DEFAULT_BUDGET) -> None:
        self.network = network
        self.budget = budget
        self._statistics: dict[tuple[str, tuple[str, ...], str | None], BoundStatistic] = {}
        self._views: dict[frozenset[str], Network] = {}
        self._plans: dict[tuple[tuple[str, ...], frozenset[str], bool], Plan] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"network": self.network, "budget": self.budget}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def statistic(self, target: str, visible: Sequence[str], closed_form: str | None = None) -> BoundStatistic:
        """The sufficient statistic of a visible set, with its joint law once asked for."""
        key = (target, tuple(visible), closed_form)
        return _kept(
            self._statistics,
            key,
            lambda: BoundStatistic(
                find_statistic(self.network, target, visible, closed_form), self.budget, self.network
            ),
        )

    def view(self, first: Collection[str]) -> Network:
        """The network with its folds as chains, the given variables first."""
        key = frozenset(first)
        return _kept(self._views, key, lambda: chained(self.network, sorted(key)))

    def plan(self, targets: Sequence[str], evidence: Collection[str], *, combine: bool = True) -> Plan:
        """The plan of a query: the joint of the targets given evidence on some variables."""
        key = (tuple(targets), frozenset(evidence), combine)
        return _kept(self._plans, key, lambda: make_plan(self.view(evidence), targets, evidence, combine=combine))

    def joint(self, targets: Sequence[str], evidence: Mapping[str, int], arithmetic: ArithmeticName) -> Numbers:
        """P(targets, evidence) over the targets that the evidence does not determine."""
        plan, exact = self.plan(targets, evidence), arithmetic == "exact"
        law = by_diagram(plan, self._diagram(targets, evidence), self.budget, exact=exact)
        if law is None:
            return joint(bind(plan, evidence), EXACT if exact else FLOAT)
        numbers = law.numbers(exact=exact)
        cells = numbers.array.sum(axis=0).reshape([self.network.size(name) for name in targets])
        codes = known_codes(plan.network, plan, evidence)
        free = tuple(codes[name] if name in plan.known else slice(None) for name in targets)
        return numbers.with_array(cells[free])

    def _diagram(self, targets: Sequence[str], evidence: Mapping[str, int]) -> Callable[[Order], DiagramLaw]:
        return lambda order: DiagramLaw(self.network, targets, (), evidence, budget=self.budget, order=order)

    def is_possible(self, evidence: Mapping[str, int]) -> bool:
        """Whether the evidence has positive probability, by Boolean elimination."""
        plan = self.plan((), evidence)
        law = by_diagram(plan, self._diagram((), evidence), self.budget, exact=False)
        return law.is_possible if law is not None else bool(joint(bind(plan, evidence), BOOLEAN).array)

    def conflict(self, evidence: Mapping[str, int]) -> tuple[str, ...]:
        """An irreducible part of impossible evidence: without any one of them it is possible."""
        kept = dict(evidence)
        for name in list(kept):
            rest = {other: code for other, code in kept.items() if other != name}
            if not self.is_possible(rest):
                kept = rest
        return tuple(kept)

    def posterior(
        self,
        query: str,
        evidence: Mapping[str, int],
        arithmetic: ArithmeticName = "exact",
        statistic: BoundStatistic | None = None,
    ) -> Posterior:
        """P(query | evidence), by a look-up in ``statistic`` where the evidence determines it.

        Raises
        ------
        QueryError
            The evidence is impossible; the error names an irreducible set of conflicting values.
        """
        states = self.network.variables[query].states
        if statistic is not None and set(statistic.needed) <= set(evidence) and statistic.is_worth_it(arithmetic):
            certain = self.joint((), evidence, arithmetic)
            self._check_possible(certain, evidence)
            row = statistic.row({name: evidence[name] for name in statistic.needed}, arithmetic)
            return _posterior(
                query, states, row, _probability(certain, arithmetic), arithmetic, statistic.route(arithmetic)
            )
        numbers = self.joint((query,), evidence, arithmetic)
        self._check_possible(numbers, evidence)
        plan = self.plan((query,), evidence)
        weights = weights_of(numbers, arithmetic)
        if query in plan.known:
            position = known_codes(plan.network, plan, evidence)[query]
            weights = [weights[0] if k == position else type(weights[0])(0) for k in range(len(states))]
        total = sum(weights)
        if arithmetic == "float" and total < SMALLEST:
            return self.posterior(query, evidence, "exact")
        probability = Fraction(total, numbers.denominator) if arithmetic == "exact" else float(total)  # type: ignore[arg-type]
        return _posterior(query, states, weights, probability, arithmetic, "variable elimination")

    def evidence_probability(self, evidence: Mapping[str, int]) -> Fraction:
        """The exact probability of the evidence; impossible evidence is an error as in `posterior`."""
        numbers = self.joint((), evidence, "exact")
        self._check_possible(numbers, evidence)
        probability = _probability(numbers, "exact")
        assert isinstance(probability, Fraction)
        return probability

    def _check_possible(self, numbers: Numbers, evidence: Mapping[str, int]) -> None:
        if numbers.array.any() or (numbers.array.dtype == np.float64 and self.is_possible(evidence)):
            return
        parts = [f"{name}={self.network.variables[name].states[evidence[name]]}" for name in self.conflict(evidence)]
        raise QueryError(
            Fault(
                code="query/impossible-evidence",
                message="this evidence has probability zero",
                found=", ".join(parts),
                hint="these values cannot occur together: change or leave out one of them",
            )
        )

    def evidence_factors(self, names: Sequence[str]) -> list[tuple[tuple[str, ...], Array]]:
        """P(names) as a product of factors over some of them each: P(x) = ∏ φ_j(x_j)."""
        plan = self.plan(tuple(names), (), combine=False)
        plan.check_budget(self.budget, exact=False)
        bound = bind(plan, {})
        held = run(bound, FLOAT)
        factors = [(factor.scope, held[factor.key].array) for factor in plan.rest if factor.child is None]
        for factor in plan.rest:
            if factor.child is not None:
                index = bound.maps[factor.key]
                indicator = index[..., None] == np.arange(plan.network.size(factor.child))
                factors.append((factor.names, indicator.astype(np.float64)))
        constants = known_codes(plan.network, plan, {})
        factors += [
            ((name,), (np.arange(plan.network.size(name)) == constants[name]).astype(np.float64))
            for name in names
            if name in plan.known
        ]
        return factors


def _kept(cache: dict[_Key, _Value], key: _Key, make: Callable[[], _Value]) -> _Value:
    """The value of a key, made if need be; the cache forgets its oldest entry beyond `KEPT`."""
    if key in cache:
        value = cache.pop(key)
    else:
        value = make()
        while len(cache) >= KEPT:
            del cache[next(iter(cache))]
    cache[key] = value
    return value


def _probability(numbers: Numbers, arithmetic: ArithmeticName) -> Fraction | float:
    weight = weights_of(numbers, arithmetic)[0]
    return Fraction(int(weight), numbers.denominator) if arithmetic == "exact" else float(weight)


def _posterior(
    query: str,
    states: Sequence[str],
    weights: Sequence[int] | Sequence[float],
    probability: Fraction | float,
    arithmetic: ArithmeticName,
    route: str,
) -> Posterior:
    total = sum(weights)
    exact = None
    if arithmetic == "exact":
        exact = {state: Fraction(int(weight), int(total)) for state, weight in zip(states, weights, strict=True)}
    probs = {state: weight / total for state, weight in zip(states, weights, strict=True)}
    return Posterior(query=query, probs=probs, exact=exact, evidence_probability=probability, route=route)
