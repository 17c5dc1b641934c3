"""Laws of sums of independent terms on a grid, each a lower neighbour of the true law with a proved distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve

from pbn.network.model import Array

ATOMS = 2**19
"""Terms are joined atom by atom, without rounding, while there are no more atoms than these."""

Term = tuple[Array, Array]
"""The values of a term, distinct or not, and their weights."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GridLaw:
    """A law on the points h · (``first`` + i), h the ``step``, with atoms moved down to them by ``up`` cells at most.

    The variable N behind it satisfies lower ≤ N ≤ lower + up · h, where lower has this law. Weights may sum to less
    than 1: the law together with an event.
    """

    step: float
    first: int
    weights: Array
    up: int


def rounded_down(values: Array, weights: Array, step: float) -> GridLaw:
    """A law moved down to the grid: each value by less than one cell.

    Examples
    --------
    >>> found = rounded_down(np.array([-1.0, 0.3]), np.array([0.5, 0.5]), 0.25)
    >>> found.first, found.weights.tolist()
    (-4, [0.5, 0.0, 0.0, 0.0, 0.0, 0.5])
    """
    cells = np.floor(values / step).astype(np.int64)
    least = int(cells.min())
    return GridLaw(step=step, first=least, weights=np.bincount(cells - least, weights), up=1)


def added(one: GridLaw, other: GridLaw) -> GridLaw:
    """The law of the sum of independent terms on one grid."""
    weights = np.maximum(fftconvolve(one.weights, other.weights), 0.0)
    return GridLaw(step=one.step, first=one.first + other.first, weights=weights, up=one.up + other.up)


def law_of_sum(terms: Sequence[Term], step: float) -> GridLaw:
    """The law of the sum of independent terms.

    Terms are packed, the longest first, into packs of at most `ATOMS` atoms whose sums are formed one by one; so a
    sum of many terms is rounded only once for each pack. The packs are convolved.
    """
    packs: list[Term] = [(np.zeros(1), np.ones(1))]
    for values, weights in sorted(terms, key=lambda term: -len(term[0])):
        for k, (sums, masses) in enumerate(packs):
            if len(sums) * len(values) <= ATOMS:
                packs[k] = np.add.outer(sums, values).ravel(), np.multiply.outer(masses, weights).ravel()
                break
        else:
            packs.append((values, weights))
    laws = [rounded_down(*pack, step) for pack in packs]
    found = laws[0]
    for one in laws[1:]:
        found = added(found, one)
    return found
