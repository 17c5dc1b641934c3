"""A network as a layered decision diagram: one random variable after the other, states that are as good as one merged.

After the first variables of the order are asked, all that the rest depends on is a state of the diagram's next
layer: partial sums, parts of rules that are partly known, rows of CPDs. A part of a rule that is decided already,
or that nothing will read any more, is left out of the state (a line of a decision list after one that fired, say).
Built once forward, the diagram is minimized backward, as a reduced ordered decision diagram is (Bryant, 1986), so
that two states of a layer are one exactly where everything that may follow is the same.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pbn.exact.quotient import Quotient
from pbn.network.model import Array

Kind = Literal["hidden", "shown", "seen"]
_WIDE = 2**62


class TooLargeError(Exception):
    """The diagram has more states than it may have; whoever asked for it takes another way."""


@dataclass(slots=True, kw_only=True, eq=False)
class Layer:
    """One variable of a diagram.

    A random variable, ``hidden`` or ``shown``, leads from state r of the layer by its state k to ``next[r, k]``
    (−1 where that is impossible) with probability ``numerators[rows[r], k] / denominator``. A deterministic
    variable that is ``seen`` has the state ``label[r]`` and leads to ``next[r, 0]``.
    """

    name: str
    kind: Kind
    next: Array
    rows: Array
    numerators: Array
    denominator: int = 1
    label: Array | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Diagram:
    """Layers in order, and the outcome's state at each state after the last."""

    layers: tuple[Layer, ...]
    outcome: Array
    states: int


@dataclass(slots=True, eq=False)
class Frontier:
    """The states of a layer: for each open node its state in each of them."""

    columns: dict[int, Array]
    count: int

    def taken(self, chosen: Array) -> Frontier:
        """Some of the states."""
        return Frontier({node: codes[chosen] for node, codes in self.columns.items()}, len(chosen))


class DiagramBuilder:
    """Builds the layers of a binary network, all of them or one at a time."""

    def __init__(
        self,
        quotient: Quotient,
        targets: Sequence[str],
        shown: Collection[str] = (),
        evidence: Mapping[str, int] | None = None,
    ) -> None:
        self.nodes, self.order = quotient.nodes, quotient.order
        place = quotient.position
        self.targets = tuple(place[name] for name in targets)
        self.shown = {place[name] for name in shown}
        self.evidence = {place[name]: code for name, code in (evidence or {}).items()}
        self.ranks = self._ranks()
        self.watched = {k for k in (*self.shown, *self.evidence) if not self.nodes[k].is_random}
        self.decided: list[list[int]] = [[] for _ in range(len(self.order) + 1)]
        for k in range(len(self.nodes)):
            self.decided[self.ranks[k]].append(k)
        self.last = [self._last(k) for k in range(len(self.nodes))]
        self.constants: dict[int, tuple[Array, Array]] = {}

    def _ranks(self) -> list[int]:
        """For each node, after how many asked variables it is decided."""
        rank = {k: position + 1 for position, k in enumerate(self.order)}
        ranks: list[int] = []
        for k, node in enumerate(self.nodes):
            ranks.append(rank[k] if k in rank else max((ranks[p] for p in node.parents), default=0))
        return ranks

    def _last(self, k: int) -> int:
        """After how many asked variables the node's state is no longer needed."""
        if k in self.targets:
            return len(self.order) + 1
        return max((self.ranks[user] for user in self.nodes[k].users), default=0)

    # -- sizes that are known beforehand -----------------------------------------------------------------

    def bounds(self) -> list[int]:
        """For each layer, a bound on its states: combinations asked so far, or combinations of what is open."""
        found, asked = [], 1
        for position in range(len(self.order) + 1):
            open_nodes = (k for k in range(len(self.nodes)) if self.ranks[k] <= position < self.last[k])
            bound = math.prod(self.nodes[k].size for k in open_nodes)
            found.append(min(asked, bound))
            if position < len(self.order) and self.order[position] not in self.evidence:
                asked *= self.nodes[self.order[position]].size
        return found

    # -- forward ---------------------------------------------------------------------------------------

    def build(self, most: int) -> Diagram:
        """All layers, minimized.

        Raises
        ------
        TooLargeError
            The layers have more than ``most`` states in all before they are minimized.
        """
        layers: list[Layer] = []
        frontier = self.begin(layers)
        total = frontier.count
        for position in range(len(self.order)):
            new, frontier = self.step(frontier, position)
            layers += new
            total += frontier.count
            if total > most:
                raise TooLargeError
        return _minimized(layers, self.outcome(frontier))

    def outcome(self, frontier: Frontier) -> Array:
        """The combined state of the targets at each state after the last layer, the last target varying fastest."""
        code = np.zeros(frontier.count, dtype=np.int64)
        for k in self.targets:
            code = code * self.nodes[k].size + frontier.columns[k]
        return code

    def begin(self, layers: list[Layer]) -> Frontier:
        """The state before anything is asked; what is constant is seen at once."""
        return self._watch(self._decide({}, 1, 0), 1, 0, layers)

    def step(self, frontier: Frontier, position: int) -> tuple[list[Layer], Frontier]:
        """Ask one variable: its layer (and those of what is seen now), and the states after it."""
        k = self.order[position]
        node = self.nodes[k]
        assert node.numerators is not None
        rows = frontier.columns[node.parents[0]] if node.parents else np.zeros(frontier.count, dtype=np.int32)
        possible = node.numerators > 0
        if k in self.evidence:
            possible = possible & (np.arange(node.size) == self.evidence[k])
        allowed = possible[rows]
        states, codes = np.nonzero(allowed)
        columns = {n: c[states] for n, c in frontier.columns.items()}
        columns[k] = codes.astype(np.int32)
        values = self._decide(columns, len(states), position + 1)
        layers: list[Layer] = []
        target, after = self._merged(self._open(values, position + 1), len(states), position + 1)
        following = np.full(allowed.shape, -1, dtype=np.int32)
        following[states, codes] = target
        kind: Kind = "shown" if k in self.shown else "hidden"
        layers.append(Layer(name=node.name, kind=kind, next=following, rows=rows, numerators=node.numerators,
                            denominator=node.denominator))  # fmt: skip
        return layers, self._watch(after.columns, after.count, position + 1, layers)

    def _decide(self, columns: dict[int, Array], count: int, rank: int) -> dict[int, Array]:
        """The columns with those of all maps that are decided now."""
        for k in self.decided[rank]:
            node = self.nodes[k]
            if node.index is not None:
                inputs = tuple(columns[parent] for parent in node.parents)
                columns[k] = node.index[inputs] if inputs else np.full(count, int(node.index), dtype=np.int32)
        return columns

    def _open(self, columns: Mapping[int, Array], rank: int) -> dict[int, Array]:
        """The columns that are needed after this rank, and those that are seen now."""
        return {
            k: column
            for k, column in columns.items()
            if self.last[k] > rank or (k in self.watched and self.ranks[k] == rank)
        }

    def _watch(self, columns: Mapping[int, Array], count: int, rank: int, layers: list[Layer]) -> Frontier:
        """A layer for each deterministic variable that is seen once its state is decided."""
        frontier = Frontier(dict(columns), count)
        for k in self.decided[rank]:
            if k not in self.watched:
                continue
            label = frontier.columns[k]
            kept = np.arange(frontier.count)
            if k in self.evidence:
                kept = np.flatnonzero(label == self.evidence[k])
            rest = {n: c[kept] for n, c in frontier.columns.items() if n != k or self.last[k] > rank}
            target, after = self._merged(rest, len(kept), rank)
            following = np.full((frontier.count, 1), -1, dtype=np.int32)
            following[kept, 0] = target
            seen = k in self.shown
            layers.append(Layer(name=self.nodes[k].name, kind="seen" if seen else "hidden", next=following,
                                rows=np.zeros(frontier.count, dtype=np.int32),
                                numerators=np.ones((1, 1), dtype=np.int64), label=label if seen else None))  # fmt: skip
            frontier = after
        return frontier

    def _merged(self, columns: dict[int, Array], count: int, rank: int) -> tuple[Array, Frontier]:
        """The state of each row, and the states: equal rows are one, where parts that nothing reads are equal."""
        columns = self._masked(columns, count, rank)
        ids, firsts = distinct([columns[k] for k in columns], [self.nodes[k].size for k in columns], count)
        return ids, Frontier({k: column[firsts] for k, column in columns.items()}, len(firsts))

    # -- what nothing reads any more -----------------------------------------------------------------------

    def _masked(self, columns: dict[int, Array], count: int, rank: int) -> dict[int, Array]:
        """The columns, 0 in the rows where nothing that is still open depends on them."""
        early = self._early(columns, rank)
        found = [values >= 0 for values, _ in early.values()]
        if not found:
            return columns
        some = np.flatnonzero(np.logical_or.reduce(found))
        if not len(some):
            return columns
        needed = self._needed({k: c[some] for k, c in columns.items()},
                              {k: (v[some], w[some]) for k, (v, w) in early.items()}, len(some), rank)  # fmt: skip
        masked = dict(columns)
        for k, column in columns.items():
            if k in self.watched and self.ranks[k] == rank:
                continue
            idle = some[~needed[k]] if k in needed else some
            if len(idle):
                masked[k] = column.copy()
                masked[k][idle] = 0
        return masked

    def _early(self, columns: Mapping[int, Array], rank: int) -> dict[int, tuple[Array, Array]]:
        """Maps that are not decided in general but are in some rows, from one side alone.

        For each its state (−1 where it is not decided), and by which parents: 1 the first alone, 2 the second alone,
        3 both.
        """
        known: dict[int, Array] = dict(columns)
        found: dict[int, tuple[Array, Array]] = {}
        waiting = sorted({user for k in columns for user in self.nodes[k].users if self.ranks[user] > rank})
        queued = set(waiting)
        while waiting:
            k = waiting.pop(0)
            node = self.nodes[k]
            if node.index is None or len(node.parents) != 2 or node.link:
                continue
            first, second = (known.get(parent) for parent in node.parents)
            value, by = self._early_value(k, first, second)
            if value is None or by is None or not (value >= 0).any():
                continue
            found[k], known[k] = (value, by), value
            for user in node.users:
                if user not in queued:
                    queued.add(user)
                    waiting.append(user)
            waiting.sort()
        return found

    def _early_value(self, k: int, first: Array | None, second: Array | None) -> tuple[Array | None, Array | None]:
        node = self.nodes[k]
        assert node.index is not None
        alone_first, alone_second = self._certain(k)
        value = by = None
        if first is not None:
            value = np.where(first >= 0, alone_first[first], -1)
            by = np.where(value >= 0, 1, 0).astype(np.int8)
        if second is not None:
            other = np.where(second >= 0, alone_second[second], -1)
            if value is None or by is None:
                value, by = other, np.where(other >= 0, 2, 0).astype(np.int8)
            else:
                by = np.where((value < 0) & (other >= 0), 2, by)
                value = np.where(value < 0, other, value)
        if first is not None and second is not None and value is not None and by is not None:
            both = (value < 0) & (first >= 0) & (second >= 0)
            if both.any():
                value[both] = node.index[first[both], second[both]]
                by[both] = 3
        return value, by

    def _certain(self, k: int) -> tuple[Array, Array]:
        """For each state of either parent the map's state where the other parent does not matter, else −1."""
        if k not in self.constants:
            index = self.nodes[k].index
            assert index is not None
            rows = np.where((index == index[:, :1]).all(axis=1), index[:, 0], -1)
            columns = np.where((index == index[:1]).all(axis=0), index[0], -1)
            self.constants[k] = (rows, columns)
        return self.constants[k]

    def _needed(
        self, columns: Mapping[int, Array], early: Mapping[int, tuple[Array, Array]], count: int, rank: int
    ) -> dict[int, Array]:
        """For each column, in which rows something that matters still reads it."""
        needed: dict[int, Array] = {}

        def need(k: int, rows: Array) -> None:
            needed[k] = rows if k not in needed else needed[k] | rows

        every = np.ones(count, dtype=bool)
        for k in (*self.targets, *self.watched, *self.shown, *self.evidence):
            if self.ranks[k] > rank or k in columns:
                need(k, every)
        for k in reversed(range(len(self.nodes))):
            if k not in needed or self.ranks[k] <= rank:
                continue
            node, rows = self.nodes[k], needed[k]
            by = early[k][1] if k in early else None
            for axis, parent in enumerate(node.parents):
                need(parent, rows if by is None else rows & (by != 2 - axis))
        return needed


def distinct(columns: Sequence[Array], sizes: Sequence[int], count: int) -> tuple[Array, Array]:
    """An id for each row of some columns, equal where the rows are; and one row of each id."""
    key = np.zeros(count, dtype=np.int64)
    radix = 1
    for column, size in zip(columns, sizes, strict=True):
        if radix * size >= _WIDE:
            firsts, key = np.unique(key, return_index=True, return_inverse=True)[1:]
            radix = len(firsts)
        key = key * size + column
        radix *= size
    if radix <= 4 * count + 1024:
        first = np.full(radix, count, dtype=np.int64)
        first[key[::-1]] = np.arange(count)[::-1]
        present = np.flatnonzero(first < count)
        place = np.zeros(radix, dtype=np.int32)
        place[present] = np.arange(len(present))
        return place[key], first[present]
    _, firsts, ids = np.unique(key, return_index=True, return_inverse=True)
    return ids.astype(np.int32), firsts


def _minimized(layers: Sequence[Layer], outcome: Array) -> Diagram:
    """The diagram in which states with the same future are one."""
    classes, firsts = distinct([outcome], [int(outcome.max(initial=-1)) + 1], len(outcome))
    final = outcome[firsts]
    found: list[Layer] = []
    total = len(final)
    for layer in reversed(layers):
        following = np.where(layer.next >= 0, classes[layer.next], -1) if len(classes) else layer.next
        told = [following, layer.rows[:, None], *([layer.label[:, None]] if layer.label is not None else [])]
        classes, firsts = _row_classes(np.concatenate(told, axis=1))
        found.append(Layer(name=layer.name, kind=layer.kind, next=following[firsts].astype(np.int32),
                           rows=layer.rows[firsts], numerators=layer.numerators, denominator=layer.denominator,
                           label=None if layer.label is None else layer.label[firsts]))  # fmt: skip
        total += len(firsts)
    return Diagram(layers=tuple(reversed(found)), outcome=final, states=total)


def _row_classes(matrix: Array) -> tuple[Array, Array]:
    """Ids of equal rows of a matrix of integers from −1 on, and one row of each."""
    columns = [matrix[:, k].astype(np.int64) + 1 for k in range(matrix.shape[1])]
    return distinct(columns, [int(column.max(initial=0)) + 1 for column in columns], len(matrix))
