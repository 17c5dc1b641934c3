"""What an elimination will do and cost, decided from scopes alone before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pbn.errors import BudgetError, Fault, listing
from pbn.figures import count_text, size_text
from pbn.network.graph import ancestors
from pbn.network.model import Fold, Network, Table

DEFAULT_BUDGET = 2 * 10**9
"""Bytes that an elimination may hold at once."""

BLOCK = 2**22
"""Cells of a product that are multiplied out at once, where it is summed and not scattered."""
MAX_FLOAT_OPERATIONS = 10**11
"""Operations of an elimination in float64, some minutes; more are refused."""
MAX_EXACT_OPERATIONS = 2 * 10**9
"""The same for exact integers of up to 500 bits, which take about fifty times as long each."""

Scope = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """An input of an elimination: a dense array over ``scope``, or a map from ``scope`` to ``child``."""

    key: int
    scope: Scope
    child: str | None = None

    @property
    def names(self) -> Scope:
        """All variables that the factor mentions."""
        return self.scope if self.child is None else (*self.scope, self.child)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: multiply ``dense`` over ``domain``, read ``maps``, sum or scatter into ``result``.

    A substitution (``dense`` and ``maps`` are rewritten one by one, nothing is summed) has
    ``substitutes`` set to the map that is put in for the eliminated variable.
    """

    eliminates: Scope
    dense: tuple[Factor, ...]
    maps: tuple[Factor, ...]
    domain: Scope
    result: tuple[Factor, ...]
    substitutes: Factor | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """An elimination of everything but ``targets``, given values of ``evidence``.

    ``largest`` is the number of cells of the largest table, over ``largest_scope``; ``operations``
    counts multiplications and additions; ``cells`` is the most that is held at once; ``bits`` bounds the
    length of the integers of exact arithmetic.
    """

    network: Network
    targets: Scope
    evidence: Scope
    known: frozenset[str]
    factors: tuple[Factor, ...]
    sources: tuple[str, ...]
    steps: tuple[Step, ...]
    rest: tuple[Factor, ...]
    largest: int
    largest_scope: Scope
    operations: int
    cells: int
    bits: int

    def bytes_needed(self, *, exact: bool) -> int:
        """Memory that the elimination holds at once: 8 bytes a cell in float, more as exact integers."""
        return self.cells * (64 + self.bits // 8 if exact else 8)

    def check_budget(self, budget: int, *, exact: bool) -> None:
        """Refuse the plan where it needs more than ``budget`` bytes."""
        needed, most = self.bytes_needed(exact=exact), MAX_EXACT_OPERATIONS if exact else MAX_FLOAT_OPERATIONS
        table = f"a table of {count_text(self.largest)} cells over {listing(self.largest_scope, 8)}"
        if needed > budget:
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    message=f"the elimination needs {table} ({size_text(needed)} in all)",
                    allowed=f"{size_text(budget)} (the budget)",
                    hint=_advice(self, budget, exact),
                )
            )
        if self.operations * (1 + exact * self.bits // 500) > most:
            raise BudgetError(
                Fault(
                    code="exact/too-long",
                    message=f"the elimination needs {count_text(self.operations)} operations, and {table}",
                    allowed=f"{most:,} operations",
                    hint=_advice(self, budget, exact),
                )
            )


def _advice(plan: Plan, budget: int, exact: bool) -> str:
    if exact and plan.bytes_needed(exact=False) <= budget and plan.operations <= MAX_FLOAT_OPERATIONS:
        return "ask for float arithmetic, or raise the budget"
    last = plan.largest_scope[-1] if plan.largest_scope else ""
    return (
        f"show or hide fewer variables, give evidence on {last}, break its rule into smaller parts, or raise the budget"
    )


def make_plan(
    network: Network, targets: Sequence[str], evidence: Collection[str] = (), *, combine: bool = True
) -> Plan:
    """Plan the joint of the targets given evidence on some variables.

    With ``combine=False`` the factors over the targets are left as they are, never multiplied together.
    Where the first greedy plan is large, the other prices are tried too, and the cheapest plan is taken.
    """
    best: Plan | None = None
    for price in PRICES:
        planner = _Planner(network, tuple(targets), tuple(sorted(evidence)), price)
        planner.eliminate_all()
        if combine:
            planner.finish()
        plan = planner.plan()
        if best is None or (plan.cells, plan.operations) < (best.cells, best.operations):
            best = plan
        if best.cells <= SMALL:
            break
    assert best is not None
    return best


def known_variables(network: Network, evidence: Iterable[str]) -> frozenset[str]:
    """Evidence, constants, and what is a function of them."""
    known = set(evidence)
    for name, cpd in network.cpds.items():
        deterministic = not isinstance(cpd, Table)
        if network.size(name) == 1 or (deterministic and all(parent in known for parent in cpd.parents)):
            known.add(name)
    return frozenset(known)


Price = Callable[[int, int, int], tuple[int, int]]

PRICES: tuple[Price, ...] = (
    lambda before, work, after: (after - before, work),
    lambda before, work, after: (max(after, work) - before, after),
    lambda before, work, after: (max(after, work), after - before),
)
"""What a step costs, by the cells it frees, goes through and makes: no one price is best everywhere."""
SMALL = 10**6
"""A plan that holds no more cells than this is not worth another try."""


@dataclass(kw_only=True)
class _Move:
    """A step that could be taken next, with its price: the cheapest goes first.

    A mere composition of index maps that adds cells goes last, whatever it costs: it eliminates
    nothing random, and done early it builds the one table over all inputs that the chain was made to
    avoid.
    """

    step: Step
    price: tuple[bool, int, int]


class _Planner:
    def __init__(self, network: Network, targets: Scope, evidence: Scope, price: Price) -> None:
        self.network = network
        self.price = price
        self.evidence = evidence
        self.targets = targets
        self.known = known_variables(network, evidence)
        self.sizes: Mapping[str, int] = {name: len(v.states) for name, v in network.variables.items()}
        self.live: dict[int, Factor] = {}
        self.users: dict[str, dict[int, None]] = {}
        self.keys = 0
        self.steps: list[Step] = []
        self.largest, self.largest_scope, self.operations, self.cells = 1, (), 0, 1
        self.sources: list[str] = []
        needed = ancestors(network, [*targets, *evidence])
        for name in network.variables:
            if name in needed:
                self._add_source(name)
        self.factors = tuple(self.live.values())
        self.held = sum(self._cells(f.scope) for f in self.factors)
        self.position = {name: k for k, name in enumerate(network.variables)}

    largest_scope: Scope

    def _add_source(self, name: str) -> None:
        cpd = self.network.cpds[name]
        assert not isinstance(cpd, Fold)
        scope = tuple(parent for parent in cpd.parents if parent not in self.known)
        child = None
        if isinstance(cpd, Table):
            scope = scope if name in self.known else (*scope, name)
        elif name not in self.known:
            child = name
        elif name not in self.evidence:
            return  # a function of what is known: nothing is left of it
        self.sources.append(name)
        self._add(self._new(scope, child))

    def _new(self, scope: Iterable[str], child: str | None = None) -> Factor:
        self.keys += 1
        return Factor(key=self.keys, scope=tuple(scope), child=child)

    def _add(self, factor: Factor) -> None:
        self.live[factor.key] = factor
        for name in factor.names:
            self.users.setdefault(name, {})[factor.key] = None

    def _remove(self, factor: Factor) -> None:
        del self.live[factor.key]
        for name in factor.names:
            del self.users[name][factor.key]

    def _cells(self, scope: Iterable[str]) -> int:
        return math.prod(self.sizes[name] for name in scope)

    # -- choosing ------------------------------------------------------------------------------

    def eliminate_all(self) -> None:
        """Take the cheapest move until only targets are left."""
        kept = set(self.targets)
        waiting = {name: None for name in self.users if name not in kept}
        moves: dict[str, _Move] = {}
        while waiting:
            for name in list(waiting):
                if not self.users[name]:
                    del waiting[name]
                elif name not in moves:
                    moves[name] = self._move(name)
            if not waiting:
                break
            best = min(waiting, key=lambda name: (moves[name].price, self.position[name]))
            touched = self._take(moves[best].step)
            for name in touched:
                moves.pop(name, None)

    def _move(self, name: str) -> _Move:
        factors = [self.live[key] for key in self.users[name]]
        own = next((factor for factor in factors if factor.child == name), None)
        return self._contraction(name, factors) if own is None else self._substitution(name, own, factors)

    def _substitution(self, name: str, own: Factor, factors: Sequence[Factor]) -> _Move:
        others = [factor for factor in factors if factor is not own]
        results = []
        for factor in others:
            scope = dict.fromkeys(n for n in factor.scope if n != name)
            scope.update(dict.fromkeys(n for n in own.scope))
            results.append(self._new(scope, factor.child))
        after = sum(self._cells(factor.scope) for factor in results)
        before = sum(self._cells(factor.scope) for factor in factors)
        step = Step(
            eliminates=(name,),
            dense=tuple(f for f in others if f.child is None),
            maps=tuple(f for f in others if f.child is not None),
            domain=(),
            result=tuple(results),
            substitutes=own,
        )
        grows = all(factor.child is not None for factor in others) and after > before
        return _Move(step=step, price=(grows, *self.price(before, after, after)))

    def _contraction(self, name: str, factors: Sequence[Factor]) -> _Move:
        dense = [factor for factor in factors if factor.child is None]
        maps = [factor for factor in factors if factor.child is not None]
        moves = [self._contract({name}, dense, maps)]
        for other in dict.fromkeys(n for factor in maps for n in factor.scope if n != name):
            users = [self.live[key] for key in self.users[other]]
            if other not in self.targets and all(factor.child is None or factor in maps for factor in users):
                more = [factor for factor in users if factor.child is None and factor not in dense]
                moves.append(self._contract({name, other}, [*dense, *more], maps))
        return min(moves, key=lambda move: move.price)

    def _contract(self, wanted: set[str], dense: list[Factor], maps: list[Factor]) -> _Move:
        """Multiply, eliminate ``wanted`` and whatever else is used nowhere outside; maps scatter."""
        scope = dict.fromkeys(n for factor in (*dense, *maps) for n in factor.scope)
        children = [factor.child for factor in maps if factor.child is not None]
        inside = set(scope).union(children)
        taken = {factor.key for factor in (*dense, *maps)}
        eliminated = set(wanted)
        for name in (*scope, *children):
            if name in self.targets or name in eliminated:
                continue
            outside = [self.live[key] for key in self.users[name] if key not in taken]
            if all(factor.child is None and inside.issuperset(factor.scope) for factor in outside):
                dense = [*dense, *outside]
                taken.update(factor.key for factor in outside)
                eliminated.add(name)
        domain = tuple(name for name in scope if name not in children)
        result = self._new(n for n in dict.fromkeys((*scope, *children)) if n not in eliminated)
        size, out = self._cells(domain), self._cells(result.scope)
        before = sum(self._cells(factor.scope) for factor in (*dense, *maps))
        step = Step(
            eliminates=tuple(n for n in dict.fromkeys((*scope, *children)) if n in eliminated),
            dense=tuple(dense),
            maps=tuple(self._in_order(maps)),
            domain=domain,
            result=(result,),
        )
        return _Move(step=step, price=(False, *self.price(before, size, out)))

    # -- taking --------------------------------------------------------------------------------

    def _take(self, step: Step) -> set[str]:
        """Apply a step; returns the variables whose prices may have changed."""
        used = [*step.dense, *step.maps, *([step.substitutes] if step.substitutes else [])]
        near = {name for factor in (*used, *step.result) for name in factor.names}
        touched = near | {n for name in near for key in self.users[name] for n in self.live[key].names}
        for factor in used:
            self._remove(factor)
        for factor in step.result:
            self._add(factor)
        freed = sum(self._cells(factor.scope) for factor in used)
        made = sum(self._cells(factor.scope) for factor in step.result)
        work = self._cells(step.domain) if step.substitutes is None else 0
        self._account(step, work, made)
        self.held += made - freed
        self.steps.append(step)
        return touched

    def _account(self, step: Step, work: int, made: int) -> None:
        scopes = [factor.scope for factor in step.result] + [step.domain]
        scope = max(scopes, key=self._cells)
        if self._cells(scope) > self.largest:
            self.largest, self.largest_scope = self._cells(scope), scope
        temporaries = 3 * work if step.maps or step.substitutes else 2 * min(work, BLOCK)
        self.cells = max(self.cells, self.held + made + temporaries)
        self.operations += work * (len(step.dense) + 1) + (made if step.substitutes else 0)

    def finish(self) -> None:
        """Multiply what is left into one table over the targets."""
        free = [name for name in self.targets if name not in self.known]
        factors = list(self.live.values())
        maps = self._in_order([factor for factor in factors if factor.child is not None])
        dense = [factor for factor in factors if factor.child is None]
        children = {factor.child for factor in maps}
        step = Step(
            eliminates=(),
            dense=tuple(dense),
            maps=tuple(maps),
            domain=tuple(name for name in free if name not in children),
            result=(self._new(free),),
        )
        self._take(step)

    def _in_order(self, maps: list[Factor]) -> list[Factor]:
        return sorted(maps, key=lambda factor: self.position[factor.child or ""])

    def plan(self) -> Plan:
        """The finished plan."""
        return Plan(
            network=self.network,
            targets=self.targets,
            evidence=self.evidence,
            known=self.known,
            factors=self.factors,
            sources=tuple(self.sources),
            steps=tuple(self.steps),
            rest=tuple(self.live.values()),
            largest=self.largest,
            largest_scope=self.largest_scope,
            operations=self.operations,
            cells=self.cells,
            bits=self._bits(),
        )

    def _bits(self) -> int:
        cpds = [self.network.cpds[name] for name in self.sources]
        return sum(cpd.denominator.bit_length() - 1 for cpd in cpds if isinstance(cpd, Table))
