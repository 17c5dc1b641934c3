"""The law of what a predictor can believe: visible histories that lead to proportional beliefs are one.

What is shown is asked in the diagram's order. A *history* is the states of what was shown so far; its belief is
the unnormalized law over the diagram's states that it leaves, P(history, state). Histories with proportional
beliefs have the same posterior, whatever is shown later, so they are merged as they are met: thirty equal
symptoms leave 31 beliefs, not 2^30. After the last layer each class of histories is one value of P(Y | x_vis).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pbn.exact.diagram import Layer, distinct
from pbn.exact.residues import inverses, remainders
from pbn.network.model import Array


@dataclass(slots=True, eq=False)
class Entries:
    """P(history class, diagram state): class, state, and the number as float64 and as remainders (primes, n)."""

    belief: Array
    state: Array
    weight: Array
    residues: Array

    def __len__(self) -> int:
        return len(self.state)

    def taken(self, chosen: Array) -> Entries:
        """Some of the entries."""
        return Entries(self.belief[chosen], self.state[chosen], self.weight[chosen], self.residues[:, chosen])


@dataclass(slots=True, eq=False)
class Move:
    """What one layer does to classes of histories: ``target[class * width + code]``, −1 where that is impossible.

    ``name`` is the variable whose code is read, None where nothing is.
    """

    name: str | None
    width: int
    target: Array


@dataclass(slots=True, eq=False)
class Pass:
    """Carries entries through layers, modulo ``primes``; ``moves`` records the classes where that is asked for.

    ``steps`` counts the steps from an entry to a following one.
    """

    primes: Array
    record: bool = False
    moves: list[Move] = field(default_factory=list)
    steps: int = 0
    _cells: dict[str, tuple[Array, Array]] = field(default_factory=dict)

    def start(self) -> Entries:
        """The one history before anything is shown."""
        zero = np.zeros(1, dtype=np.int64)
        return Entries(zero, zero.astype(np.int32), np.ones(1), np.ones((len(self.primes), 1), dtype=np.uint64))

    def advance(self, entries: Entries, layer: Layer) -> Entries:
        """Ask one layer's variable, and merge what is the same after it."""
        following = layer.next[entries.state]
        source, code = np.nonzero(following >= 0)
        state = following[source, code]
        self.steps += len(source)
        weight, residues = entries.weight[source], entries.residues[:, source]
        if layer.numerators.size > 1:
            cell = layer.rows[entries.state[source]].astype(np.int64) * layer.numerators.shape[1] + code
            probabilities, factors = self._factors(layer)
            weight = weight * probabilities[cell]
            residues = residues * factors[:, cell] % self.primes
        width = 1
        history = entries.belief[source]
        if layer.kind == "shown":
            width = layer.next.shape[1]
            history = history * width + code
        elif layer.label is not None:
            width = int(layer.label.max(initial=0)) + 1
            history = history * width + layer.label[entries.state[source]]
        classes = int(entries.belief.max(initial=-1)) + 1
        return self._settled(layer, Entries(history, state, weight, residues), classes, width)

    def _factors(self, layer: Layer) -> tuple[Array, Array]:
        """The cells of the variable's CPD as float64 and as remainders, worked out once."""
        if layer.name not in self._cells:
            probabilities = (layer.numerators / layer.denominator).astype(np.float64).ravel()
            self._cells[layer.name] = probabilities, remainders(layer.numerators.ravel(), self.primes)
        return self._cells[layer.name]

    def _settled(self, layer: Layer, raw: Entries, classes: int, width: int) -> Entries:
        """Equal (history, state) pairs added up; histories with proportional beliefs made one."""
        states = int(raw.state.max(initial=-1)) + 1
        pair, firsts = distinct([raw.belief, raw.state], [classes * width, states], len(raw))
        entries = self._added(raw, pair, firsts)
        name = layer.name if width > 1 or layer.label is not None or layer.kind == "shown" else None
        histories, inverse, counts = np.unique(entries.belief, return_inverse=True, return_counts=True)
        merged = self._merged(entries, inverse.ravel(), counts, states)
        if self.record and (name is not None or len(histories) < classes or not _is_identity(merged)):
            target = np.full(classes * width, -1, dtype=np.int32)
            target[histories] = merged
            self.moves.append(Move(name, width, target))
        entries.belief = merged[inverse.ravel()].astype(np.int64)
        if int(merged.max(initial=-1)) + 1 < len(histories):
            pair, firsts = distinct([entries.belief, entries.state], [len(histories), states], len(entries))
            entries = self._added(entries, pair, firsts)
        return entries

    def _added(self, entries: Entries, group: Array, firsts: Array) -> Entries:
        """The entries of each group added up."""
        count = len(firsts)
        if count == len(entries):
            order = np.empty(count, dtype=np.int64)
            order[group] = np.arange(count)
            return entries.taken(order)
        weight = np.bincount(group, weights=entries.weight, minlength=count)
        residues = _sums(entries.residues, group, count, self.primes)
        return Entries(entries.belief[firsts], entries.state[firsts], weight, residues)

    def _merged(self, entries: Entries, history: Array, counts: Array, states: int) -> Array:
        """The class of each history: equal where beliefs are proportional, in order of first occurrence."""
        if (counts == 1).all():
            return distinct([entries.state], [states], len(entries))[0] if len(entries) else history
        salt = np.random.default_rng(20261201)
        codes = salt.integers(1, 2**30, size=(2, states), dtype=np.uint64)
        primes = self.primes[:2]
        totals = _sums(entries.residues, history, len(counts), self.primes)
        hashed = entries.residues[:2] * codes[:, entries.state] % primes
        fingerprint = _sums(hashed, history, len(counts), primes) * inverses(totals[:2], primes) % primes
        key = fingerprint[0] << np.uint64(31) | fingerprint[1]
        _, first, merged = np.unique(key, return_index=True, return_inverse=True)
        merged = merged.ravel()
        wrong = self._unlike(entries, history, counts, totals, first[merged])
        if wrong.any():  # a fingerprint in common without being proportional
            merged[wrong] = len(first) + np.arange(np.count_nonzero(wrong))
        return distinct([merged], [int(merged.max()) + 1], len(merged))[0]

    def _unlike(self, entries: Entries, history: Array, counts: Array, totals: Array, like: Array) -> Array:
        """Histories whose belief is not proportional to that of the history ``like``: states, and w(r) W' = w'(r) W."""
        wrong: Array = counts != counts[like]
        starts = np.cumsum(counts) - counts
        order = np.argsort(history, kind="stable")
        pick = np.flatnonzero(~wrong & (like != np.arange(len(counts))))
        if not len(pick):
            return wrong
        owner = np.repeat(pick, counts[pick])
        offset = np.arange(len(owner)) - np.repeat(np.cumsum(counts[pick]) - counts[pick], counts[pick])
        mine, theirs = order[starts[owner] + offset], order[starts[like[owner]] + offset]
        same = entries.state[mine] == entries.state[theirs]
        left = entries.residues[:, mine] * totals[:, like[owner]] % self.primes
        same &= (left == entries.residues[:, theirs] * totals[:, owner] % self.primes).all(axis=0)
        wrong[owner[~same]] = True
        return wrong


def _sums(residues: Array, group: Array, count: int, primes: Array) -> Array:
    """Sums of each group's remainders modulo the primes, from float64 sums that are exact."""
    if residues.shape[1] > 2**22:  # so many remainders below 2^31 may add up to more than 2^53
        cut = residues.shape[1] // 2
        first, second = (
            _sums(residues[:, half], group[half], count, primes) for half in (slice(cut), slice(cut, None))
        )
        return (first + second) % primes
    sums = [np.bincount(group, weights=row, minlength=count) for row in residues.astype(np.float64)]
    found: Array = np.array(sums).reshape(len(primes), count).astype(np.uint64) % primes
    return found


def _is_identity(merged: Array) -> bool:
    return bool((merged == np.arange(len(merged))).all())


def follow(moves: Sequence[Move], codes: Mapping[str, Array]) -> Array:
    """The class of each case after all moves, −1 where the case is impossible; codes of shape (n,)."""
    shape = np.broadcast_shapes(*(np.shape(code) for code in codes.values())) if codes else ()
    found = np.zeros(shape, dtype=np.int64)
    for move in moves:
        where = found * move.width + (codes[move.name] if move.name is not None else 0)
        found = np.where(found >= 0, move.target[np.maximum(where, 0)], -1)
    return found
