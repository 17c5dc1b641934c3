"""A network as small maps of two nodes each, in which states that nothing tells apart are one.

A rule reads a number only through what it does with it: thresholds, memberships, sums that are compared. Two
states of a node are *equivalent* where every node that reads it goes on in the same way, whatever its other
parents are. Classes of equivalent states take the place of states; what is asked, given or shown keeps all of its
states, and two states of a shown random variable are one only where they also say the same about its parents.
This is the minimization of a deterministic automaton (Hopcroft, 1971) on an acyclic network: one pass from the
last node to the first finds the coarsest such classes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from pbn.network.chain import add_chain
from pbn.network.graph import ancestors
from pbn.network.model import CPD, Array, Fold, IndexMap, Network, Table, Variable


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """A node of the binary network; ``parents`` are positions of earlier nodes, two at most.

    A random node has at most one parent, whose state is the row of ``numerators``, shape (rows, states); a map has
    ``index``, one axis for each parent. ``time`` is the position of the last random variable that it depends on,
    −1 for a constant; a ``link`` is the partial or whole result of a fold. ``classes`` maps the states of the network's
    variable of the same name to this node's states.
    """

    name: str
    parents: tuple[int, ...]
    size: int
    time: int
    index: Array | None = None
    numerators: Array | None = None
    denominator: int = 1
    link: bool = False
    classes: Array | None = None
    users: list[int] = field(default_factory=list)

    @property
    def is_random(self) -> bool:
        """Whether the node has a law of its own."""
        return self.numerators is not None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quotient:
    """The binary network of ``targets``, its random nodes in the order in which they are asked."""

    nodes: tuple[Node, ...]
    order: tuple[int, ...]
    position: Mapping[str, int]


def quotient(network: Network, order: Sequence[str], kept: Collection[str], shown: Collection[str] = ()) -> Quotient:
    """The binary network of all that ``kept`` and ``shown`` depend on, with classes of states.

    ``kept`` keep their states. ``shown`` do too where they are deterministic; shown random variables keep those
    that differ in what they say.
    """
    return _Builder(network, order, kept, shown).run()


class _Builder:
    def __init__(self, network: Network, order: Sequence[str], kept: Collection[str], shown: Collection[str]) -> None:
        self.network, self.kept, self.shown = network, kept, shown
        self.times = {name: k for k, name in enumerate(order)}
        self.order = order
        self.nodes: list[Node] = []
        self.position: dict[str, int] = {}
        self.links: set[str] = set()

    def run(self) -> Quotient:
        chained = self._chained(flattened(self.network, {*self.kept, *self.shown}))
        for name in chained.variables:
            self._add(chained, name)
        self._merge()
        live = self._live()
        return Quotient(
            nodes=tuple(self.nodes[k] for k in live),
            order=tuple(sorted((k for k, old in enumerate(live) if self.nodes[old].is_random),
                               key=lambda k: self.nodes[live[k]].time)),
            position={name: k for k, old in enumerate(live) if (name := self.nodes[old].name)},
        )  # fmt: skip

    # -- maps of two parents -------------------------------------------------------------------------

    def _chained(self, network: Network) -> Network:
        """The network's needed part with each fold as a chain, its terms in the order in which they are known."""
        needed = ancestors(network, [*self.kept, *self.shown])
        times: dict[str, int] = {}
        variables: dict[str, Variable] = {}
        cpds: dict[str, CPD] = {}
        for name, variable in network.variables.items():
            if name not in needed:
                continue
            cpd = network.cpds[name]
            times[name] = self.times.get(name, max((times[p] for p in cpd.parents), default=-1))
            if isinstance(cpd, Fold):
                terms = sorted(range(len(cpd.parents)), key=lambda k: times[cpd.parents[k]])
                before = set(cpds)
                add_chain(variable, cpd, terms, {parent: {} for parent in cpd.parents}, variables, cpds)
                self.links |= cpds.keys() - before
            else:
                variables[name], cpds[name] = variable, cpd
        return Network(variables=variables, cpds=cpds)

    def _add(self, network: Network, name: str) -> None:
        cpd, size = network.cpds[name], network.size(name)
        parents = [self.position[parent] for parent in cpd.parents]
        if isinstance(cpd, Table) and size > 1:
            row, rows = self._rows(name, parents, cpd)
            time = self.times[name]
            self._append(Node(name=name, parents=row, size=size, time=time, numerators=rows,
                              denominator=cpd.denominator))  # fmt: skip
        elif isinstance(cpd, Table):
            self._append(Node(name=name, parents=(), size=1, time=-1, index=np.zeros((), dtype=np.int32)))
        else:
            assert isinstance(cpd, IndexMap)
            self._map(name, parents, cpd.index.astype(np.int32), size, link=name in self.links)

    def _append(self, node: Node) -> int:
        """Add a node; one without a name is a part of another."""
        self.nodes.append(node)
        if node.name:
            self.position[node.name] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def _rows(self, name: str, parents: Sequence[int], table: Table) -> tuple[tuple[int, ...], Array]:
        """The distinct rows of a table CPD, and a node for which of them its parents choose."""
        rows = table.numerators.reshape(-1, table.numerators.shape[-1])
        if not parents:
            return (), rows
        ids, firsts = row_ids(_small_ids(rows))
        if len(firsts) == 1:
            return (), rows[firsts]
        index = ids.reshape(table.numerators.shape[:-1])
        return (self._map("", parents, index, len(firsts)),), rows[firsts]

    def _map(self, name: str, parents: Sequence[int], index: Array, size: int, *, link: bool = False) -> int:
        """A map as a chain of maps of two parents each, those known first coming first."""
        order = sorted(range(len(parents)), key=lambda k: self.nodes[parents[k]].time)
        index = np.ascontiguousarray(index.transpose(order))
        chosen = [parents[k] for k in order]
        while len(chosen) > 2:
            shape = index.shape
            ids, firsts = row_ids(index.reshape(shape[0] * shape[1], -1))
            node = Node(name="", parents=(chosen[0], chosen[1]), size=len(firsts),
                        time=self._time(chosen[:2]), index=ids.reshape(shape[:2]))  # fmt: skip
            index = index.reshape(shape[0] * shape[1], *shape[2:])[firsts]
            chosen = [self._append(node), *chosen[2:]]
        return self._append(
            Node(name=name, parents=tuple(chosen), size=size, time=self._time(chosen), index=index, link=link)
        )

    def _time(self, parents: Sequence[int]) -> int:
        return max((self.nodes[parent].time for parent in parents), default=-1)

    # -- classes of states ---------------------------------------------------------------------------

    def _merge(self) -> None:
        """From the last node to the first, put the states that nothing tells apart into classes."""
        for k, node in enumerate(self.nodes):
            for parent in node.parents:
                self.nodes[parent].users.append(k)
        for k in reversed(range(len(self.nodes))):
            self._classify(k)
        for node in self.nodes:
            if node.index is not None:
                node.index = node.index[np.ix_(*(self._firsts(parent) for parent in node.parents))]
            elif node.parents:
                assert node.numerators is not None
                node.numerators = node.numerators[self._firsts(node.parents[0])]

    def _firsts(self, position: int) -> Array:
        """One state of each class, in the order of the classes."""
        classes = self.nodes[position].classes
        assert classes is not None
        return np.unique(classes, return_index=True)[1]

    def _classify(self, k: int) -> None:
        node = self.nodes[k]
        if node.name in self.kept or (node.name in self.shown and not node.is_random):
            node.classes = np.arange(node.size, dtype=np.int32)
            return
        told = [self._told(user, k) for user in dict.fromkeys(node.users)]
        if node.name in self.shown:
            told.append(_likelihoods(node))
        node.classes, firsts = row_ids(np.concatenate(told, axis=1)) if told else (_zeros(node.size), _zeros(1))
        node.size = len(firsts)
        if node.index is not None:
            node.index = node.classes[node.index]
        else:
            assert node.numerators is not None
            node.numerators = _summed(node.numerators, node.classes, node.size)

    def _told(self, user: int, k: int) -> Array:
        """What a reader makes of each state of node k, one row for each: ids of its rows, or its states."""
        reader = self.nodes[user]
        if reader.numerators is not None:
            return row_ids(_small_ids(reader.numerators))[0][:, None]
        assert reader.index is not None
        parts = []
        for axis, parent in enumerate(reader.parents):
            if parent == k:
                rows = np.moveaxis(reader.index, axis, 0).reshape(reader.index.shape[axis], -1)
                parts.append(row_ids(rows)[0][:, None])
        return np.concatenate(parts, axis=1)

    def _live(self) -> list[int]:
        """Positions of the nodes with more than one state that something reads, or that are kept or shown."""
        wanted: set[int] = set()
        for k in reversed(range(len(self.nodes))):
            node = self.nodes[k]
            if node.name in self.kept or node.name in self.shown or k in wanted:
                wanted.add(k)
                wanted.update(parent for parent in node.parents if self.nodes[parent].size > 1)
        live = sorted(wanted)
        place = {old: new for new, old in enumerate(live)}
        for old in live:
            node = self.nodes[old]
            gone = tuple(a for a, parent in enumerate(node.parents) if parent not in place)
            if gone and node.index is not None:
                node.index = node.index.take(0, axis=gone[0]) if len(gone) == 1 else node.index.ravel()[0]
                node.index = np.asarray(node.index)
            node.parents = tuple(place[parent] for parent in node.parents if parent in place)
            node.users = []
            if node.is_random and node.size == 1:
                node.numerators, node.parents, node.index = None, (), np.zeros((), dtype=np.int32)
        for new, old in enumerate(live):
            for parent in dict.fromkeys(self.nodes[old].parents):
                self.nodes[live[parent]].users.append(new)
        return live


def _zeros(count: int) -> Array:
    return np.zeros(count, dtype=np.int32)


def _small_ids(cells: Array) -> Array:
    """The cells as small integers, equal where the cells are."""
    ids: Array = np.unique(cells, return_inverse=True)[1].reshape(cells.shape).astype(np.int32)
    return ids


def row_ids(matrix: Array) -> tuple[Array, Array]:
    """An id for each row, equal where the rows are, in order of first occurrence; and the first row of each id."""
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        return _zeros(len(matrix)), _zeros(min(1, len(matrix)))
    if matrix.shape[1] == 1:
        _, first, inverse = np.unique(matrix[:, 0], return_index=True, return_inverse=True)
    else:
        whole = np.ascontiguousarray(matrix).view(f"V{matrix.dtype.itemsize * matrix.shape[1]}").ravel()
        seen: dict[bytes, int] = {}
        inverse = np.array([seen.setdefault(row, len(seen)) for row in map(bytes, whole)], dtype=np.int32)
        return inverse, np.unique(inverse, return_index=True)[1]
    rank = np.argsort(np.argsort(first))
    return rank[inverse.ravel()].astype(np.int32), np.sort(first)


def _likelihoods(node: Node) -> Array:
    """Ids of the states' likelihoods: the columns of the CPD in lowest terms, equal where they are proportional."""
    assert node.numerators is not None
    seen: dict[tuple[int, ...], int] = {}
    ids = []
    for column in node.numerators.T.tolist():
        divisor = math.gcd(*map(int, column)) or 1
        ids.append(seen.setdefault(tuple(int(cell) // divisor for cell in column), len(seen)))
    return np.array(ids, dtype=np.int32)[:, None]


def _summed(numerators: Array, classes: Array, size: int) -> Array:
    """The rows of a CPD with the states of each class added up."""
    found = np.zeros((len(numerators), size), dtype=numerators.dtype)
    for state, kind in enumerate(classes.tolist()):
        found[:, kind] = found[:, kind] + numerators[:, state]
    return found


# -- sums of sums ----------------------------------------------------------------------------------------


def flattened(network: Network, kept: Collection[str]) -> Network:
    """The network with sums that are only terms of other sums put into those, term by term.

    The largest of several sums reads their differences: each becomes one sum over what the two have in common.
    """
    cpds = dict(network.cpds)
    for name, cpd in network.cpds.items():
        if isinstance(cpd, Fold) and cpd.operation == "+":
            cpds[name] = _flat(network, cpds, cpd)
    return Network(variables=network.variables, cpds=cpds, undefined=network.undefined)


def _flat(network: Network, cpds: Mapping[str, CPD], fold: Fold) -> Fold:
    terms: dict[str, list[Fraction]] = {}
    for parent, numbers in zip(fold.parents, fold.terms, strict=True):
        inner = cpds[parent]
        scale = _scale(network.variables[parent].values, numbers) if isinstance(inner, Fold) else None
        if scale is None or not isinstance(inner, Fold) or inner.operation != "+":
            _add_term(terms, parent, numbers)
            continue
        factor, shift = scale
        for k, (source, row) in enumerate(zip(inner.parents, inner.terms, strict=True)):
            _add_term(terms, source, [factor * number + (shift if k == 0 else 0) for number in row])
    return Fold(parents=tuple(terms), operation="+", terms=tuple(tuple(row) for row in terms.values()))


def _add_term(terms: dict[str, list[Fraction]], parent: str, numbers: Sequence[Fraction]) -> None:
    before = terms.get(parent)
    terms[parent] = list(numbers) if before is None else [a + b for a, b in zip(before, numbers, strict=True)]


def _scale(values: Sequence[Fraction] | None, numbers: Sequence[Fraction]) -> tuple[Fraction, Fraction] | None:
    """The factor and the shift by which the numbers of a term follow from the values of its variable, or None."""
    if values is None or len(values) < 2:
        return None
    factor = (numbers[1] - numbers[0]) / (values[1] - values[0])
    shift = numbers[0] - factor * values[0]
    return (factor, shift) if all(n == factor * v + shift for v, n in zip(values, numbers, strict=True)) else None
