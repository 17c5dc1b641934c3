"""What an elimination will do, decided from scopes alone: a greedy choice of its steps."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from pbn.exact.steps import BEYOND, BLOCK, DEFAULT_BUDGET, Factor, Plan, Scope, Step
from pbn.network.graph import ancestors
from pbn.network.model import Fold, Network, Table

__all__ = ["BLOCK", "DEFAULT_BUDGET", "Factor", "Plan", "Scope", "Step", "known_variables", "make_plan"]


def make_plan(
    network: Network, targets: Sequence[str], evidence: Collection[str] = (), *, combine: bool = True
) -> Plan:
    """Plan the joint of the targets given evidence on some variables.

    With ``combine=False`` the factors over the targets are left as they are, never multiplied together.
    Where the first greedy plan is large, the other prices are tried too, and the cheapest plan is taken.
    """
    best: Plan | None = None
    for price in PRICES:
        planner = _Planner(network, tuple(targets), tuple(sorted(evidence)), price, best.cells if best else BEYOND)
        planner.eliminate_all()
        if combine and not planner.is_hopeless:
            planner.finish()
        if best is None or (planner.cells, planner.operations) < (best.cells, best.operations):
            best = planner.plan()
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
    """Plans until only targets are left, or until more than ``most`` cells would be held."""

    def __init__(self, network: Network, targets: Scope, evidence: Scope, price: Price, most: int) -> None:
        self.network = network
        self.price = price
        self.most = most
        self.evidence = evidence
        self.targets = targets
        self.known = known_variables(network, evidence)
        self.sizes: Mapping[str, int] = {name: len(v.states) for name, v in network.variables.items()}
        self.live: dict[int, Factor] = {}
        self.size: dict[int, int] = {}  # the cells of each live factor
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
        self.held = self._total(self.factors)
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
        self.size[factor.key] = self._cells(factor.scope)
        for name in factor.names:
            self.users.setdefault(name, {})[factor.key] = None

    def _remove(self, factor: Factor) -> None:
        del self.live[factor.key], self.size[factor.key]
        for name in factor.names:
            del self.users[name][factor.key]

    def _cells(self, scope: Iterable[str]) -> int:
        return math.prod([self.sizes[name] for name in scope])

    def _total(self, factors: Iterable[Factor]) -> int:
        return sum([self.size[factor.key] for factor in factors])

    @property
    def is_hopeless(self) -> bool:
        """Whether the plan holds too many cells already."""
        return self.cells > self.most

    # -- choosing ------------------------------------------------------------------------------

    def eliminate_all(self) -> None:
        """Take the cheapest move until only targets are left."""
        waiting = dict.fromkeys(set(self.users).difference(self.targets))
        moves: dict[str, _Move] = {}
        queue: list[tuple[tuple[bool, int, int], int, int, str, _Move]] = []
        serial = itertools.count()
        touched: Iterable[str] = waiting
        while not self.is_hopeless:
            for name in sorted(waiting.keys() & touched, key=self.position.__getitem__):
                if self.users[name]:
                    moves[name] = self._move(name)
                    heapq.heappush(queue, (moves[name].price, self.position[name], next(serial), name, moves[name]))
                else:
                    del waiting[name]
            while queue and (queue[0][3] not in waiting or moves[queue[0][3]] is not queue[0][4]):
                heapq.heappop(queue)  # the variable is gone, or its price has changed
            if not queue:
                return
            touched = self._take(heapq.heappop(queue)[4].step)

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
        before = self._total(factors)
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
        before = self._total((*dense, *maps))
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
        used, freed = step.used, self._total(step.used)
        near = {name for factor in (*used, *step.result) for name in factor.names}
        touched = near | {n for name in near for key in self.users[name] for n in self.live[key].names}
        for factor in used:
            self._remove(factor)
        for factor in step.result:
            self._add(factor)
        made = self._total(step.result)
        work = self._cells(step.domain) if step.substitutes is None else 0
        self._account(step, work, made)
        self.held += made - freed
        self.steps.append(step)
        return touched

    def _account(self, step: Step, work: int, made: int) -> None:
        sizes = [(self.size[factor.key], factor.scope) for factor in step.result]
        if step.substitutes is None:
            sizes.append((work, step.domain))
        largest, scope = max(sizes, key=lambda pair: pair[0], default=(1, ()))
        if largest > self.largest:
            self.largest, self.largest_scope = largest, scope
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
