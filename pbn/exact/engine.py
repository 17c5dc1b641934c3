"""Exact answers about one network: posteriors, Bayes errors and entropies, with what they cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeVar

import numpy as np

from pbn.errors import BudgetError, Fault, QueryError, listing
from pbn.exact.arithmetic import BOOLEAN, EXACT, FLOAT, Numbers, integers
from pbn.exact.eliminate import BoundPlan, bind, joint, known_codes, run
from pbn.exact.plan import DEFAULT_BUDGET, Plan, make_plan
from pbn.exact.statistic import Statistic, find_statistic
from pbn.network.chain import chained
from pbn.network.model import Array, Network, read_only

ArithmeticName = Literal["exact", "float"]

SMALLEST = 1e-290
"""Evidence less probable than this is answered exactly: float64 would lose its digits."""
SMALL_TABLE = 10**5
"""Cells up to which a table of all cases is computed to answer one of them."""
KEPT = 64
"""Plans, views and statistics that an engine keeps, each; the oldest goes first."""


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesError:
    """The least error that any predictor can have: ε* = 1 − Σ_f max_y P(F = f, Y = y).

    ``value`` is the float nearest to ``exact``; ``exact`` is None where float arithmetic was asked for.
    ``entropy`` is H(Y | visible) in nats (float64, relative error below 1e-12). ``statistic`` names
    the nodes F whose values are all that the visible set says about the outcome.
    """

    value: float
    exact: Fraction | None
    entropy: float
    statistic: tuple[str, ...]


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
            lambda: BoundStatistic(find_statistic(self.network, target, visible, closed_form), self.budget),
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
        plan = self.plan(targets, evidence)
        plan.check_budget(self.budget, exact=arithmetic == "exact")
        return joint(bind(plan, evidence), EXACT if arithmetic == "exact" else FLOAT)

    def is_possible(self, evidence: Mapping[str, int]) -> bool:
        """Whether the evidence has positive probability, by Boolean elimination."""
        plan = self.plan((), evidence)
        plan.check_budget(self.budget, exact=False)
        return bool(joint(bind(plan, evidence), BOOLEAN).array)

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
            return _posterior(query, states, row, _probability(certain, arithmetic), arithmetic, statistic.route)
        numbers = self.joint((query,), evidence, arithmetic)
        self._check_possible(numbers, evidence)
        plan = self.plan((query,), evidence)
        weights = _weights(numbers, arithmetic)
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


class BoundStatistic:
    """A statistic together with the joint law P(F, Y), computed when first asked for."""

    def __init__(self, statistic: Statistic, budget: int) -> None:
        self.statistic = statistic
        self.budget = budget
        self._joints: dict[str, Numbers] = {}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the statistic."""
        return self.statistic.nodes

    @property
    def route(self) -> str:
        """How a look-up finds an answer, in words; a partial result is said to be one."""
        if not self.nodes:
            return "the prior: what is shown says nothing about it"
        variables = [self.statistic.network.variables[node] for node in self.nodes]
        shown = [f"{v.name} ({v.text})" if v.origin == "auxiliary" else v.name for v in variables]
        return f"look-up in the table over {', '.join(shown)}"

    def is_worth_it(self, arithmetic: ArithmeticName) -> bool:
        """Whether one case should be looked up: the table is there already, or it is small."""
        return arithmetic in self._joints or (
            self.statistic.plan.largest <= SMALL_TABLE and self.is_affordable(arithmetic)
        )

    def is_affordable(self, arithmetic: ArithmeticName) -> bool:
        """Whether the joint law can be computed within the budget."""
        try:
            self.statistic.plan.check_budget(self.budget, exact=arithmetic == "exact")
        except BudgetError:
            return False
        return True

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The visible variables that determine the statistic."""
        return self.statistic.needed()

    @cached_property
    def bound(self) -> BoundPlan:
        """The plan of P(F, Y) with its index maps evaluated, ready for any arithmetic."""
        return bind(self.statistic.plan, {})

    def joint(self, arithmetic: ArithmeticName) -> Numbers:
        """P(F, Y) as a matrix: a row for each combination of the statistic's states, a column for each state of Y."""
        if arithmetic not in self._joints:
            self.statistic.plan.check_budget(self.budget, exact=arithmetic == "exact")
            self._check_matrix()
            numbers = joint(self.bound, EXACT if arithmetic == "exact" else FLOAT)
            shaped = self.shaped(numbers)
            self._joints[arithmetic] = shaped.with_array(read_only(shaped.array))
        return self._joints[arithmetic]

    def _check_matrix(self) -> None:
        """The matrix may be larger than the plan's result: constants and a visible outcome get their axes back."""
        size, target = self.statistic.network.size, self.statistic.target
        cells = math.prod(size(node) for node in (*self.nodes, target))
        if 8 * cells > self.budget:
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    message=f"the law of {target} and {listing(self.nodes)} has {cells:,} cells",
                    allowed=f"{self.budget // 8:,} cells (the budget)",
                    hint=f"give {target} fewer states, or raise the budget",
                )
            )

    def shaped(self, numbers: Numbers) -> Numbers:
        """The plan's result as a matrix, as `joint` gives it."""
        plan = self.statistic.plan
        size = self.statistic.network.size
        target = self.statistic.target
        array = numbers.array
        if plan.known.intersection(plan.targets):
            array = self._with_known(array)
        if target in self.nodes:
            return numbers.with_array(np.diag(array.ravel()))
        return numbers.with_array(array.reshape(-1, size(target)))

    def _with_known(self, array: Array) -> Array:
        """Targets that are constant get their axis back, all mass at their one possible state."""
        plan, network = self.statistic.plan, self.statistic.network
        codes = known_codes(network, plan, {})
        full = np.zeros([network.size(name) for name in plan.targets], dtype=array.dtype)
        full[tuple(codes[name] if name in plan.known else slice(None) for name in plan.targets)] = array
        return full

    def rows(self, codes: Mapping[str, Array]) -> Array:
        """Row of `joint` for each case, from the codes of the visible variables that it needs."""
        found = np.zeros(next(iter(codes.values())).shape if codes else (), dtype=np.intp)
        for node, code in zip(self.nodes, self.statistic.codes(codes), strict=True):
            found = found * self.statistic.network.size(node) + code
        return found

    def row(self, codes: Mapping[str, int], arithmetic: ArithmeticName) -> list[int] | list[float]:
        """P(F = f, Y = y) of one case, for each y."""
        arrays = {name: np.asarray(code) for name, code in codes.items()}
        numbers = self.joint(arithmetic)
        return _weights(numbers.with_array(numbers.array[int(self.rows(arrays))]), arithmetic)

    def posteriors(self) -> Array:
        """P(Y | F = f) for each f, shape (rows, states); NaN where F = f is impossible."""
        array = integers(self.joint("exact"))
        totals = array.sum(axis=1, keepdims=True)
        possible = (totals != 0).ravel()
        found = np.full(array.shape, np.nan)
        found[possible] = (array[possible] / totals[possible]).astype(np.float64)
        return found

    def bayes_error(self, arithmetic: ArithmeticName = "exact") -> BayesError:
        """ε* and H(Y | visible) from the joint law."""
        numbers = self.joint(arithmetic)
        return error_of(numbers, self.nodes, arithmetic)


def error_of(numbers: Numbers, nodes: tuple[str, ...], arithmetic: ArithmeticName) -> BayesError:
    """The Bayes error and conditional entropy of a joint law P(F, Y), rows F."""
    exact = None
    if arithmetic == "exact":
        array = integers(numbers)
        wrong = int(array.sum() - array.max(axis=1).sum())
        exact = Fraction(wrong, numbers.denominator)
        probabilities = (array / numbers.denominator).astype(np.float64)
        value = float(exact)
    else:
        probabilities = numbers.array
        value = float((probabilities.sum(axis=1) - probabilities.max(axis=1)).sum())
    rows = np.broadcast_to(probabilities.sum(axis=1, keepdims=True), probabilities.shape)
    positive = probabilities > 0
    p, row = probabilities[positive], rows[positive]
    entropy = abs(math.fsum((p * np.log(p / row)).tolist()))
    return BayesError(value=value, exact=exact, entropy=entropy, statistic=nodes)


def _weights(numbers: Numbers, arithmetic: ArithmeticName) -> list[int] | list[float]:
    flat = np.atleast_1d(integers(numbers) if arithmetic == "exact" else numbers.array).ravel()
    return [int(v) for v in flat] if arithmetic == "exact" else [float(v) for v in flat]


def _probability(numbers: Numbers, arithmetic: ArithmeticName) -> Fraction | float:
    weight = _weights(numbers, arithmetic)[0]
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
