"""Why two variables are dependent or separated: the trails between them, open or blocked at each inner node."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import networkx as nx

Kind = Literal["chain", "fork", "collider"]

MOST_TRAILS = 5
"""Trails that are listed unless more are asked for."""
EFFORT = 50_000
"""Beginnings of trails that are looked at before a search is given up; the shortest trail is always found."""

_State = tuple[str, bool]
"""A node, and whether the edge by which it was reached points into it."""
_Passes = Callable[[str, bool, bool], bool]
"""Whether a node may be passed: its name, and whether the edges before and after it point into it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Junction:
    """An inner node of a trail: how its two edges meet there, and whether that lets the trail pass.

    ``given`` is the given node that decides: the node itself, or a descendant that opens a collider.
    """

    node: str
    kind: Kind
    open: bool
    given: str | None

    @property
    def reason(self) -> str:
        """Why the trail passes here, or why it does not.

        Examples
        --------
        >>> Junction(node="cough", kind="collider", open=True, given="report").reason
        'collider, its descendant report is given'
        """
        if self.kind != "collider":
            return f"{self.kind}, {'not given' if self.open else 'given'}"
        if self.given is None:
            return "collider, neither it nor a descendant is given"
        return "collider, given" if self.given == self.node else f"collider, its descendant {self.given} is given"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """A path that meets no node twice, along or against its edges: ``forward[k]`` says that edge k goes along."""

    nodes: tuple[str, ...]
    forward: tuple[bool, ...]
    junctions: tuple[Junction, ...]

    @property
    def active(self) -> bool:
        """Whether every inner node is open."""
        return all(junction.open for junction in self.junctions)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The edges, each as parent and child."""
        steps = zip(pairwise(self.nodes), self.forward, strict=True)
        return tuple((a, b) if along else (b, a) for (a, b), along in steps)

    def __str__(self) -> str:
        arrows = ("→" if along else "←" for along in self.forward)
        return " ".join(
            [self.nodes[0], *(f"{arrow} {node}" for arrow, node in zip(arrows, self.nodes[1:], strict=True))]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """Whether ``given`` d-separates two nodes, and the shortest trails that say why.

    Where the two are separated every trail is blocked; where they are not, the trails listed are
    the active ones. ``more`` says that there are, or may be, others.
    """

    one: str
    other: str
    given: tuple[str, ...]
    separated: bool
    trails: tuple[Trail, ...]
    more: bool


def connection(
    graph: nx.DiGraph[str], one: str, other: str, given: Collection[str], most: int = MOST_TRAILS
) -> Connection:
    """Whether two different nodes are d-separated by the other given ones, and at most ``most`` trails that say why.

    The verdict is that of ``networkx.is_d_separator``; the trails come shortest first. A node that is
    itself given is taken out of what is given, as nothing is left to learn about it otherwise.

    Parameters
    ----------
    graph
        A directed acyclic graph with all the nodes named.

    Examples
    --------
    >>> import networkx as nx
    >>> graph = nx.DiGraph([("rain", "wet"), ("sprinkler", "wet"), ("wet", "slippery")])
    >>> connection(graph, "rain", "sprinkler", []).separated
    True
    >>> (trail,) = connection(graph, "rain", "sprinkler", ["slippery"]).trails
    >>> print(trail, "|", trail.junctions[0].reason)
    rain → wet ← sprinkler | collider, its descendant slippery is given
    """
    import networkx as nx

    kept = tuple(node for node in dict.fromkeys(given) if node not in (one, other))
    separated = nx.is_d_separator(graph, {one}, {other}, set(kept))
    opened, fixed = _ancestors(graph, kept), frozenset(kept)

    def passes(node: str, into: bool, out_of: bool) -> bool:
        return node in opened if into and out_of else node not in fixed

    search = _Search(graph, one, other, (lambda *_: True) if separated else passes)
    found = [nodes for nodes, _ in zip(search.paths(), range(most + 1), strict=False)]
    trails = tuple(_trail(graph, nodes, fixed) for nodes in found[:most])
    more = len(found) > most or search.given_up
    return Connection(one=one, other=other, given=kept, separated=separated, trails=trails, more=more)


class _Search:
    """Simple paths between two nodes, shortest first: A* whose lower bound is the distance when nodes may recur.

    A shortest walk that is let through everywhere meets no node twice, so the first path is found
    without a detour. Later ones may cost more than they are worth, which `EFFORT` bounds.
    """

    def __init__(self, graph: nx.DiGraph[str], one: str, other: str, passes: _Passes) -> None:
        self.graph, self.one, self.other, self.passes = graph, one, other, passes
        self.distance = self._distances()
        self.given_up = False

    def _steps(self, node: str) -> Iterator[_State]:
        """Neighbours, and whether the edge points into them."""
        yield from ((child, True) for child in self.graph.successors(node))
        yield from ((parent, False) for parent in self.graph.predecessors(node))

    def _distances(self) -> dict[_State, int]:
        """Edges from each state to the other end, by breadth-first search backwards."""
        found: dict[_State, int] = {(self.other, True): 0, (self.other, False): 0}
        queue = deque(found)
        while queue:
            node, into = queue.popleft()
            before = self.graph.predecessors(node) if into else self.graph.successors(node)
            for earlier in before:
                for state in ((earlier, True), (earlier, False)):
                    if state not in found and earlier != self.one and self.passes(earlier, state[1], not into):
                        found[state] = found[node, into] + 1
                        queue.append(state)
        return found

    def paths(self) -> Iterator[tuple[str, ...]]:
        """The paths, until all are found or the search is given up."""
        number, looked = count(), 0
        heap: list[tuple[int, int, int, tuple[str, ...], bool]] = [(0, 0, next(number), (self.one,), False)]
        while heap:
            _, _, _, path, into = heapq.heappop(heap)
            last = path[-1]
            if last == self.other:
                yield path
                continue
            for node, arrives in self._steps(last):
                bound = self.distance.get((node, arrives))
                if bound is None or node in path or (len(path) > 1 and not self.passes(last, into, not arrives)):
                    continue
                looked += 1
                if looked > EFFORT:
                    self.given_up = True
                    return
                heapq.heappush(heap, (len(path) + bound, bound, next(number), (*path, node), arrives))


def _trail(graph: nx.DiGraph[str], nodes: tuple[str, ...], given: Collection[str]) -> Trail:
    forward = tuple(graph.has_edge(a, b) for a, b in pairwise(nodes))
    junctions = tuple(
        _junction(graph, node, into, out_of, given)
        for node, into, out_of in zip(nodes[1:-1], forward, (not along for along in forward[1:]), strict=False)
    )
    return Trail(nodes=nodes, forward=forward, junctions=junctions)


def _junction(graph: nx.DiGraph[str], node: str, into: bool, out_of: bool, given: Collection[str]) -> Junction:
    if into and out_of:
        opens = _given_below(graph, node, given)
        return Junction(node=node, kind="collider", open=opens is not None, given=opens)
    kind: Kind = "chain" if into or out_of else "fork"
    return Junction(node=node, kind=kind, open=node not in given, given=node if node in given else None)


def _given_below(graph: nx.DiGraph[str], node: str, given: Collection[str]) -> str | None:
    """The nearest given node among a node and its descendants."""
    seen, queue = {node}, deque([node])
    while queue:
        found = queue.popleft()
        if found in given:
            return found
        for child in graph.successors(found):
            if child not in seen:
                seen.add(child)
                queue.append(child)
    return None


def _ancestors(graph: nx.DiGraph[str], nodes: Collection[str]) -> set[str]:
    """The nodes with all their ancestors."""
    found, stack = set(nodes), list(nodes)
    while stack:
        for parent in graph.predecessors(stack.pop()):
            if parent not in found:
                found.add(parent)
                stack.append(parent)
    return found
