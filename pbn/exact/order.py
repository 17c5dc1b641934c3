"""The order in which a decision diagram asks the random variables: few are open at any time.

A variable is open from when it is asked until every part of a rule, and every CPD, that reads it together with
others has all of its random variables. The fewer combinations of open variables there are, the smaller the layers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from pbn.network.graph import ancestors
from pbn.network.model import Fold, Network, Table

Order = Callable[[Network, Sequence[str]], tuple[str, ...]]
"""What orders all random ancestors of some variables, parents before children."""

LARGEST_SCOPE = 12
"""A part of a rule over more random variables than this does not count as keeping them open."""


def random_sources(network: Network, nodes: Collection[str]) -> dict[str, frozenset[str]]:
    """For each node, the random variables that it is a function of; a random variable is one of itself."""
    found: dict[str, frozenset[str]] = {}
    for name, cpd in network.cpds.items():
        if name in nodes:
            random = isinstance(cpd, Table) and network.size(name) > 1
            parents = () if isinstance(cpd, Table) else cpd.parents
            found[name] = frozenset((name,)) if random else frozenset().union(*(found[p] for p in parents))
    return found


def variable_order(network: Network, targets: Sequence[str]) -> tuple[str, ...]:
    """All random ancestors of the targets, parents before children, in an order that leaves few of them open.

    Greedy: the variable after which the open variables have the fewest combinations goes next. Several beginnings
    are tried where there are few variables, and the order with the least combinations in all is taken.
    """
    needed = ancestors(network, targets)
    sources = random_sources(network, needed)
    variables = [name for name in network.variables if name in needed and sources[name] == {name}]
    scopes = _scopes(network, needed, sources)
    waits = {name: frozenset().union(*(sources[p] for p in network.parents(name))) for name in variables}
    bits = {name: math.log2(network.size(name)) for name in variables}
    search = _Search(variables, scopes, waits, bits, _lasting(network, needed, sources), frozenset(targets))
    best = search.greedy(None)
    least = search.cost(best)
    starts = [name for name in variables if not waits[name]]
    for start in _spread(starts, min(12, 4000 // max(len(variables), 1))):
        order = search.greedy(start)
        cost = search.cost(order)
        if cost < least - 1e-9:
            best, least = order, cost
    return tuple(best)


def reading_order(network: Network, targets: Sequence[str]) -> tuple[str, ...]:
    """All random ancestors of the targets, parents before children, as the rules read them from the first line on.

    What the first lines of a decision list read is asked first, so that few later lines are still open.
    """
    sources = random_sources(network, ancestors(network, targets))
    order: dict[str, None] = {}
    seen: set[str] = set()
    stack = [(name, False) for name in reversed(targets)]
    while stack:
        name, done = stack.pop()
        if done:
            order[name] = None
        elif name not in seen:
            seen.add(name)
            stack += [(name, True)] * (sources[name] == {name})
            stack += [(parent, False) for parent in reversed(network.parents(name))]
    return tuple(order)


def _spread(names: Sequence[str], most: int) -> list[str]:
    """At most so many of the names, evenly taken."""
    step = max(1, math.ceil(len(names) / most)) if most else len(names) + 1
    return list(names[::step])


def _scopes(network: Network, needed: Collection[str], sources: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """Sets of random variables that some part of a rule or some CPD reads together."""
    found: dict[frozenset[str], None] = {}
    for name, cpd in network.cpds.items():
        if name not in needed or isinstance(cpd, Fold):
            continue
        scope = frozenset((name,)) & sources[name]
        for parent in sorted(cpd.parents, key=lambda p: len(sources[p])):
            if len(scope | sources[parent]) <= LARGEST_SCOPE:
                scope |= sources[parent]
        if len(scope) > 1:
            found[scope] = None
    return list(found)


def _lasting(network: Network, needed: Collection[str], sources: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """How many random variables a variable waits for where a part reads it beside something large."""
    found: dict[str, int] = {}
    for name, cpd in network.cpds.items():
        if name not in needed or isinstance(cpd, (Fold, Table)):
            continue
        large = max((len(sources[p]) for p in cpd.parents), default=0)
        for parent in cpd.parents:
            if large > LARGEST_SCOPE >= len(sources[parent]):
                for source in sources[parent]:
                    found[source] = max(found.get(source, 0), large)
    return found


class _Search:
    def __init__(
        self,
        variables: Sequence[str],
        scopes: Sequence[frozenset[str]],
        waits: Mapping[str, frozenset[str]],
        bits: Mapping[str, float],
        lasting: Mapping[str, int],
        shown: Collection[str],
    ) -> None:
        self.shown = shown
        self.lasting = {name: 2 * bits[name] * lasting.get(name, 0) / len(variables) for name in variables}
        self.variables, self.scopes, self.waits, self.bits = variables, scopes, waits, bits
        self.inside: dict[str, list[int]] = {name: [] for name in variables}
        for k, scope in enumerate(scopes):
            for name in scope:
                self.inside[name].append(k)
        self.near = {name: frozenset().union(*(scopes[k] for k in self.inside[name])) for name in variables}
        self.children: dict[str, list[str]] = {name: [] for name in variables}
        for name, parents in waits.items():
            for parent in parents:
                self.children[parent].append(name)
        self.position = {name: k for k, name in enumerate(variables)}

    def greedy(self, start: str | None) -> list[str]:
        """An order that begins with ``start``, or with whatever is best."""
        left = {k: len(scope) for k, scope in enumerate(self.scopes)}
        held = {name: len(self.inside[name]) for name in self.variables}  # scopes of a variable not yet closed
        waiting = {name: len(parents) for name, parents in self.waits.items()}
        done: dict[str, int] = {}
        growth: dict[str, tuple[float, float]] = {}

        def price(name: str) -> tuple[float, float]:
            """Bits of open variables more than before; how recently its neighbours were asked."""
            closing: dict[str, int] = {}
            opens = 0
            for k in self.inside[name]:
                if left[k] > 1:
                    opens = 1
                    continue
                for other in self.scopes[k]:
                    closing[other] = closing.get(other, 0) + 1
            freed = sum(self.bits[n] for n, count in closing.items() if n != name and held[n] == count)
            recent = max((done[n] for n in self.near[name] if n in done), default=-1)
            return self.bits[name] * opens + self.lasting[name] - freed, -recent

        ready = dict.fromkeys(name for name in self.variables if not waiting[name])
        for name in ready:
            growth[name] = price(name)
        order: list[str] = []
        while ready:
            if start is not None and not order:
                best = start
            else:
                best = min(ready, key=lambda n: (*growth[n], self.position[n]))
            del ready[best]
            done[best] = len(order)
            order.append(best)
            for k in self.inside[best]:
                left[k] -= 1
                if left[k] == 0:
                    for other in self.scopes[k]:
                        held[other] -= 1
            changed = set(self.near[best])
            for other in self.near[best]:
                changed |= self.near[other]
            for child in self.children[best]:
                waiting[child] -= 1
                if not waiting[child]:
                    ready[child] = None
                    changed.add(child)
            for name in changed:
                if name in ready:
                    growth[name] = price(name)
        return order

    def cost(self, order: Sequence[str]) -> float:
        """log2 of the combinations of open variables, added up over all positions.

        What is read together with a hidden variable is open to the end: the belief about that keeps depending on it.
        """
        place = {name: k for k, name in enumerate(order)}
        ends = [self._closed(scope, place) for scope in self.scopes]
        closes = {name: max((ends[k] for k in self.inside[name]), default=-1) for name in order}
        change = [0.0] * (len(order) + 1)
        for name in order:
            if closes[name] > place[name]:
                change[place[name]] += self.bits[name]
                change[closes[name]] -= self.bits[name]
        total, open_bits = 0.0, 0.0
        for k in range(len(order)):
            open_bits += change[k]
            total += 2.0 ** min(open_bits, 1000.0)
        return math.log2(total) if total else 0.0

    def _closed(self, scope: Collection[str], place: Mapping[str, int]) -> int:
        return len(place) if any(name not in self.shown for name in scope) else max(place[name] for name in scope)
