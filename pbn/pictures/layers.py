"""Layers of a directed acyclic graph, and an order within each that crosses few edges.

The method is that of Sugiyama, Tagawa & Toda, Methods for visual understanding of hierarchical system structures
(IEEE Trans. SMC 11, 1981), in the form of Gansner, Koutsofios, North & Vo, A technique for drawing directed graphs
(IEEE Trans. Software Eng. 19, 1993): layers of least total edge length, sweeps by barycentres, exchanges of neighbours.
Edges of one parent share their way through the layers until they part.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Pair = tuple[str, str]
Slot = tuple[str, int]
"""A place in a layer: a node, or the way of a node's edges through a layer behind it."""

SWEEPS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Layers:
    """The slots of each layer in order, and the slots that a slot leads to in the next layer.

    ``layer_of`` gives the layer of each node; the slot of a node is the node with that number.
    """

    slots: tuple[tuple[Slot, ...], ...]
    leads: Mapping[Slot, tuple[Slot, ...]]
    layer_of: Mapping[str, int]

    def is_node(self, slot: Slot) -> bool:
        """Whether a slot is a node, and not a way through a layer."""
        return self.layer_of[slot[0]] == slot[1]

    def way(self, edge: Pair) -> tuple[Slot, ...]:
        """The slots of an edge from parent to child."""
        parent, child = edge
        last = self.layer_of[child]
        return (*((parent, k) for k in range(self.layer_of[parent], last)), (child, last))

    def crossings(self) -> int:
        """How many pairs of edges cross between the layers."""
        return _crossings(self.slots, self.leads)


def layered(nodes: Sequence[str], edges: Sequence[Pair]) -> Layers:
    """Layers from left to right with an order in each.

    Examples
    --------
    >>> found = layered(["a", "b", "c", "d"], [("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> [[name for name, _ in layer] for layer in found.slots], found.crossings()
    ([['a', 'b'], ['a', 'c'], ['d']], 0)
    """
    layer_of = _ranks(nodes, edges)
    leads = _ways(nodes, edges, layer_of)
    start = _first_order(nodes, leads, layer_of)
    best = _least_crossings(start, leads)
    return Layers(slots=tuple(map(tuple, best)), leads=leads, layer_of=layer_of)


def _ranks(nodes: Sequence[str], edges: Sequence[Pair]) -> dict[str, int]:
    """The layer of each node: every edge goes right, all edges together are as short as can be."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    if not edges:
        return dict.fromkeys(nodes, 0)
    number = {name: k for k, name in enumerate(nodes)}
    ends = np.array([(number[a], number[b]) for a, b in edges])
    count = len(edges)
    cost = np.full(len(nodes), 1 / (2 * len(nodes) ** 2))  # of equal lengths, the one furthest left
    np.add.at(cost, ends[:, 1], 1.0)
    np.add.at(cost, ends[:, 0], -1.0)
    rows = np.tile(np.arange(count), 2)
    signs = np.repeat([1.0, -1.0], count)
    matrix = coo_array((signs, (rows, ends.T.ravel())), shape=(count, len(nodes))).tocsr()
    solution = linprog(cost, A_ub=matrix, b_ub=-np.ones(count), bounds=(0, len(nodes)), method="highs-ds")
    found = np.rint(solution.x).astype(int)  # the matrix is totally unimodular: a vertex is whole
    assert (found[ends[:, 0]] < found[ends[:, 1]]).all()
    return {name: int(found[k]) for name, k in number.items()}


def _ways(nodes: Sequence[str], edges: Sequence[Pair], layer_of: Mapping[str, int]) -> dict[Slot, tuple[Slot, ...]]:
    """Where each slot leads: the edges of a node run together until they reach a child's layer."""
    children: dict[str, list[str]] = {name: [] for name in nodes}
    for parent, child in edges:
        children[parent].append(child)
    leads: dict[Slot, tuple[Slot, ...]] = {}
    for name in nodes:
        last = max((layer_of[child] for child in children[name]), default=layer_of[name])
        for k in range(layer_of[name], last + 1):
            on = [(name, k + 1)] if k + 1 < last else []
            ends = [(child, k + 1) for child in children[name] if layer_of[child] == k + 1]
            if k < last or k == layer_of[name]:
                leads[name, k] = (*on, *ends)
    return leads


def _first_order(
    nodes: Sequence[str], leads: Mapping[Slot, tuple[Slot, ...]], layer_of: Mapping[str, int]
) -> list[list[Slot]]:
    """Slots in the order of a search through the graph that takes what hangs together at once."""
    near: dict[Slot, list[Slot]] = {slot: list(after) for slot, after in leads.items()}
    for slot, after in leads.items():
        for other in after:
            near[other].append(slot)
    layers: list[list[Slot]] = [[] for _ in range(1 + max(layer_of.values(), default=0))]
    seen: set[Slot] = set()
    for name in sorted(nodes, key=lambda name: layer_of[name]):
        stack: list[Slot] = [(name, layer_of[name])]
        while stack:
            slot = stack.pop()
            if slot not in seen:
                seen.add(slot)
                layers[slot[1]].append(slot)
                stack.extend(reversed(near[slot]))
    return layers


def _least_crossings(layers: list[list[Slot]], leads: Mapping[Slot, tuple[Slot, ...]]) -> list[list[Slot]]:
    """The best order that sweeps to and fro find."""
    before: dict[Slot, list[Slot]] = {slot: [] for slot in leads}
    for slot, after in leads.items():
        for other in after:
            before[other].append(slot)
    best, least = [list(layer) for layer in layers], _crossings(layers, leads)
    for sweep in range(SWEEPS):
        if not least:
            break
        forward = sweep % 2 == 0
        towards: Mapping[Slot, Sequence[Slot]] = before if forward else leads
        span = range(1, len(layers)) if forward else range(len(layers) - 2, -1, -1)
        for k in span:
            _by_barycentre(layers[k], layers[k - 1 if forward else k + 1], towards)
        _exchange(layers, before, leads)
        crossings = _crossings(layers, leads)
        if crossings < least:
            best, least = [list(layer) for layer in layers], crossings
    return best


def _by_barycentre(layer: list[Slot], fixed: Sequence[Slot], towards: Mapping[Slot, Sequence[Slot]]) -> None:
    """Sort a layer by the mean place of its neighbours; slots without any keep their place."""
    place = {slot: k for k, slot in enumerate(fixed)}
    means = {slot: sum(place[other] for other in towards[slot]) / len(towards[slot]) for slot in layer if towards[slot]}
    ordered = iter(sorted(means, key=means.__getitem__))
    layer[:] = [next(ordered) if slot in means else slot for slot in layer]


def _exchange(
    layers: list[list[Slot]], before: Mapping[Slot, Sequence[Slot]], leads: Mapping[Slot, Sequence[Slot]]
) -> None:
    """Exchange neighbours in a layer as long as that takes away crossings."""
    improved, rounds = True, 0
    while improved and rounds < 20:
        improved, rounds = False, rounds + 1
        for k, layer in enumerate(layers):
            sides = [(layers[k - 1], before)] if k else []
            if k + 1 < len(layers):
                sides.append((layers[k + 1], leads))
            places: list[Mapping[Slot, list[int]]] = []
            for fixed, towards in sides:
                place = {slot: number for number, slot in enumerate(fixed)}
                places.append({slot: sorted(place[other] for other in towards[slot]) for slot in layer})
            for i in range(len(layer) - 1):
                upper, lower = layer[i], layer[i + 1]
                gain = sum(_pair(found[upper], found[lower]) - _pair(found[lower], found[upper]) for found in places)
                if gain > 0:
                    layer[i], layer[i + 1], improved = lower, upper, True


def _pair(upper: Sequence[int], lower: Sequence[int]) -> int:
    """Crossings of the edges of two slots in this order, their ends sorted."""
    return sum(len(upper) - bisect_right(upper, place) for place in lower)


def _crossings(layers: Iterable[Sequence[Slot]], leads: Mapping[Slot, Sequence[Slot]]) -> int:
    total = 0
    for layer, following in pairwise(layers):
        place = {slot: k for k, slot in enumerate(following)}
        seen: list[int] = []
        for slot in layer:
            ends = sorted(place[other] for other in leads[slot])
            total += sum(len(seen) - bisect_right(seen, end) for end in ends)
            for end in ends:
                insort(seen, end, lo=bisect_left(seen, end))
    return total
