"""The sets whose value comes nearest to a target, from below and from above, where adding members never lowers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

BATCH = 16
"""Nodes of the search that are expanded at once; what is learnt from one batch prunes the next."""
VISITS = 50
"""Nodes that may be visited for each evaluation that is allowed."""

Evaluate = Callable[[Sequence[int]], Sequence[Fraction | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """Sets as bit masks: ``below`` has the greatest value up to the target, ``above`` the least from there on.

    Of sets with the same value the smallest counts, then the first in order. ``least`` and ``most`` are the values of
    the empty and of the whole set, None where they were refused.
    """

    below: tuple[int, Fraction] | None
    above: tuple[int, Fraction] | None
    least: Fraction | None
    most: Fraction | None
    evaluated: int
    refused: int
    exhaustive: bool


def nearest_sets(evaluate: Evaluate, size: int, target: Fraction, most: int) -> Nearest:
    """Search the subsets of ``size`` members, smallest first, with at most ``most`` evaluations.

    Sets grow by later members only, so each is reached once, and a set S with last member i leads to sets between S
    and S ∪ {i+1, …}. A set at the target or above is not enlarged, and no set is looked at that contains it; a set is
    not enlarged whose largest descendant stays below the best found. Nothing that is left out could be nearer.

    ``evaluate`` gives the value of each mask, None where it is refused.
    """
    search = _Search(evaluate, size, target, most)
    search.run()
    return Nearest(
        below=search.below,
        above=search.above,
        least=search.values.get(0),
        most=search.values.get(search.whole),
        evaluated=len(search.values),
        refused=sum(value is None for value in search.values.values()),
        exhaustive=not search.stopped,
    )


class _Search:
    def __init__(self, evaluate: Evaluate, size: int, target: Fraction, most: int) -> None:
        self.evaluate, self.size, self.target, self.most = evaluate, size, target, most
        self.whole = (1 << size) - 1
        self.values: dict[int, Fraction | None] = {}
        self.below: tuple[int, Fraction] | None = None
        self.above: tuple[int, Fraction] | None = None
        self.high: list[int] = []  # sets at the target or above: nothing that contains them is nearer
        self.low: list[tuple[int, Fraction]] = []  # sets below it: nothing within them has a greater value
        self.visited, self.stopped = 0, False

    def run(self) -> None:
        self._learn([0, self.whole])
        nodes = [(0, -1)]  # a set, and its last member
        while nodes and not self.stopped:
            grown: list[tuple[int, int]] = []
            for start in range(0, len(nodes), BATCH):
                grown += self._expanded(nodes[start : start + BATCH])
                if self.stopped:
                    break
            nodes = grown

    def _expanded(self, nodes: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """The sets with one more member than those of a batch, evaluated where that could tell something."""
        nodes = [(mask, last) for mask, last in nodes if not self._holds_high(mask)]
        self._learn([self._largest(mask, last) for mask, last in nodes])
        grown = [
            (mask | 1 << k, k)
            for mask, last in nodes
            if self._promises(mask, last)
            for k in range(last + 1, self.size)
            if not self._holds_high(mask | 1 << k)
        ]
        self.visited += len(grown)
        self.stopped = self.stopped or self.visited > VISITS * self.most
        self._learn([mask for mask, _ in grown if not self._within_low(mask)])
        return grown

    def _largest(self, mask: int, last: int) -> int:
        return mask | (self.whole >> (last + 1) << (last + 1))

    def _promises(self, mask: int, last: int) -> bool:
        """Whether a set may lead to one that is nearer than the best, or as near and smaller."""
        value = self.values.get(self._largest(mask, last))
        if value is None or value >= self.target or self.below is None:
            return True
        best, nearest = self.below
        return value > nearest or (value == nearest and mask.bit_count() < best.bit_count())

    def _holds_high(self, mask: int) -> bool:
        return any(high & mask == high for high in self.high)

    def _within_low(self, mask: int) -> bool:
        """Whether a set is part of one whose value is below the best from below: then its own need not be known."""
        if self.below is None:
            return False
        best = self.below[1]
        return any(value < best and low & mask == mask for low, value in self.low)

    def _learn(self, masks: Sequence[int]) -> None:
        """Evaluate what is not known yet, as far as allowed."""
        wanted = [mask for mask in dict.fromkeys(masks) if mask not in self.values]
        room = max(self.most - len(self.values), 0)
        if len(wanted) > room:
            self.stopped, wanted = True, wanted[:room]
        if not wanted:
            return
        for mask, value in zip(wanted, self.evaluate(wanted), strict=True):
            self.values[mask] = value
            if value is None:
                continue
            if value <= self.target and (
                self.below is None or self._order(mask, -value) < self._order(self.below[0], -self.below[1])
            ):
                self.below = (mask, value)
            if value >= self.target and (self.above is None or self._order(mask, value) < self._order(*self.above)):
                self.above = (mask, value)
            if value >= self.target:
                self.high = [other for other in self.high if mask & other != mask] + [mask]
            else:
                self.low = [(other, v) for other, v in self.low if other & mask != other or v < value] + [(mask, value)]

    def _order(self, mask: int, value: Fraction) -> tuple[Fraction, int, tuple[int, ...]]:
        return value, mask.bit_count(), tuple(k for k in range(self.size) if mask >> k & 1)
