"""Exact inversion: from 64-bit words to outcomes whose probabilities are fractions, without rounding."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.network.model import Array

Refine = Callable[[int, int], int]
"""The further word of an element at a depth from 1 on: ``refine(element, depth)``."""

_TOP = 2**64 - 1
_WIDE = 2**62
_GUIDE = 2**18
"""Cells of a guide, at most."""
_FINE = 64
"""Cells of a guide for each outcome, if there is room: then about one word in 64 needs a search."""


def code_type(size: int) -> type[np.unsignedinteger]:
    """The smallest unsigned type that holds the numbers 0 to ``size``.

    Examples
    --------
    >>> [code_type(size).__name__ for size in (2, 255, 256, 65_536)]
    ['uint8', 'uint8', 'uint16', 'uint32']
    """
    types: tuple[type[np.unsignedinteger], ...] = (np.uint8, np.uint16, np.uint32, np.uint64)
    return next(kind for kind in types if size <= np.iinfo(kind).max)


def floors(cumulative: Array, totals: Array) -> Array:
    """⌊2^64 · cumulative / total⌋ as uint64, exactly; 2^64 itself becomes 2^64 − 1.

    ``cumulative`` are integers (int64, or Python's in an object array) from 0 to ``totals``, which has the
    same shape.
    """
    if cumulative.dtype == object or totals.dtype == object or not totals.size or totals.max() >= _WIDE:
        exact = np.asarray((cumulative.astype(object) << 64) // totals.astype(object), dtype=object)
        clipped: Array = np.minimum(exact, _TOP).astype(np.uint64)
        return clipped
    full = cumulative >= totals
    rest, divisor = np.where(full, 0, cumulative).astype(np.uint64), totals.astype(np.uint64)
    step, left = 64 - int(totals.max()).bit_length(), 64
    quotient = np.zeros_like(rest)
    while left:  # long division, as many bits at once as a word leaves room for
        bits = np.uint64(min(step, left))
        digit, rest = np.divmod(rest << bits, divisor)
        quotient = (quotient << bits) | digit
        left -= int(bits)
    quotient[full] = _TOP
    return quotient


def decide(weights: Sequence[int], words: Iterable[int]) -> int:
    """The outcome that a number 0.w₀w₁w₂… with 64-bit digits chooses: the k with C(k) ≤ u < C(k + 1).

    C(k) is the sum of the first k weights over the sum of all. Words are taken until they decide.

    Examples
    --------
    >>> decide([1, 0, 2], [2**62]), decide([1, 0, 2], [2**64 // 3, 0]), decide([1, 0, 2], [2**64 // 3, 2**63])
    (0, 0, 2)
    """
    sums = list(itertools.accumulate(weights))
    total = sums.pop()
    prefix, scale = 0, 1
    for word in words:
        prefix, scale = prefix << 64 | word, scale << 64
        low = bisect_right(sums, prefix * total // scale)  # sums ≤ prefix / scale · total
        high = bisect_left(sums, -(-(prefix + 1) * total // scale))  # sums < (prefix + 1) / scale · total
        if low >= high:
            return low
    raise AssertionError("a stream of words has no end")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choices:
    """One law over outcomes for each row of a table; rows may have different numbers of outcomes.

    Row r holds the outcomes 0, 1, … with the integer weights ``weights[starts[r]:starts[r + 1]]``. A word w
    chooses the outcome k for which ⌊2^64·C(k)⌋ < w < ⌊2^64·C(k + 1)⌋; where w equals such a bound, `decide`
    compares further words. So an outcome's probability is its weight over the row's sum, exactly, and an
    outcome of weight 0 is never drawn. ``guide`` says the outcome of all words with the same leading bits, or
    ``unsure`` where they don't tell.
    """

    starts: Array
    weights: Array
    bounds: Array
    guide: Array
    bits: int
    unsure: int

    @staticmethod
    def of_table(weights: Array) -> Choices:
        """Choices along the last axis of a table of integers, one row for each combination of the others."""
        width = weights.shape[-1]
        rows = weights.size // width
        return Choices.of_rows(weights.reshape(-1), np.arange(rows + 1) * width)

    @staticmethod
    def of_rows(weights: Array, starts: Array) -> Choices:
        """Choices among the weights of each run ``starts[r]`` to ``starts[r + 1]``; no run is empty or all zero."""
        lengths = np.diff(starts)
        # Running sums over many rows may wrap around 64 bits; their differences within a row do not.
        running = np.cumsum(weights, dtype=weights.dtype)
        before = np.concatenate([np.zeros(1, dtype=running.dtype), running[starts[1:-1] - 1]])
        totals = running[starts[1:] - 1] - before
        bounds = floors(running - np.repeat(before, lengths), np.repeat(totals, lengths))
        guide, bits = _guide(bounds, starts, lengths)
        return Choices(starts=starts, weights=weights, bounds=bounds, guide=guide, bits=bits, unsure=int(lengths.max()))

    def draw(self, words: Array, rows: Array | None, refine: Refine) -> Array:
        """The outcome that each word chooses in its row (row 0 where ``rows`` is None), compactly typed."""
        cells = (words >> np.uint64(64 - self.bits)).view(np.int64)
        if rows is not None:
            cells += rows << self.bits
        found = self.guide.take(cells)
        unsure = np.flatnonzero(found == self.unsure)
        if unsure.size:
            where = np.zeros(unsure.size, dtype=np.int64) if rows is None else rows[unsure]
            found[unsure] = self._search(words[unsure], where, unsure, refine)
        return found

    def _search(self, words: Array, rows: Array, elements: Array, refine: Refine) -> Array:
        """The number of bounds in its row that each word has reached; on a bound, more words decide."""
        first, last = self.starts[rows], self.starts[rows + 1] - 1
        low, high = first.copy(), last.copy()
        for _ in range(int(self.unsure).bit_length()):
            middle = (low + high) >> 1
            beyond = (self.bounds[middle] <= words) & (middle < high)
            low = np.where(beyond, middle + 1, low)
            high = np.where(beyond, high, middle)
        found = low - first
        for k in np.flatnonzero((found > 0) & (self.bounds[np.maximum(low - 1, 0)] == words)).tolist():
            further = (refine(int(elements[k]), depth) for depth in itertools.count(1))
            found[k] = decide(
                [int(weight) for weight in self.weights[first[k] : last[k] + 1]],
                itertools.chain([int(words[k])], further),
            )
        return found


def _guide(bounds: Array, starts: Array, lengths: Array) -> tuple[Array, int]:
    """For each row and each value of a word's leading bits the outcome, or the greatest length if it is open.

    It is open where a bound of the row, save its last one, begins with these bits.
    """
    rows, most = len(lengths), int(lengths.max())
    room = max(1, (_GUIDE // rows).bit_length() - 1)
    bits = min(room, (_FINE * most).bit_length())
    inner = np.ones(len(bounds), dtype=bool)
    inner[starts[1:] - 1] = False
    row = np.repeat(np.arange(rows), lengths)[inner]
    place = (row << bits) + (bounds[inner] >> np.uint64(64 - bits)).astype(np.int64)
    counts = np.bincount(place, minlength=rows << bits).reshape(rows, 1 << bits)
    reached = np.cumsum(counts, axis=1)
    guide = np.where(counts > 0, most, reached)
    return guide.astype(code_type(most)).ravel(), bits
