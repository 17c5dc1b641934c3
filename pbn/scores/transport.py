"""The W1 distance of two laws on the line with finitely many atoms: exact, without sampling or grids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.inputs import Array, real, weights, wrong

_FEW = 2**14
"""Up to so many atoms are sorted at once."""
_MOST_CELLS = 2**16
_RUN = 2**15
_MOST_EXPONENT = 900


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Law:
    """A law with finitely many atoms: ascending distinct ``values`` and their probabilities ``weights``, (m,) each."""

    values: Array
    weights: Array

    @property
    def mean(self) -> float:
        """The mean of the law."""
        return float(self.values @ self.weights)


def law(values: ArrayLike, weight: ArrayLike | None = None) -> Law:
    """The law of values with weights (equal if None), equal values merged.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/weight``.

    Examples
    --------
    >>> found = law([0.5, 0.0, 0.5, 1.0])
    >>> found.values.tolist(), found.weights.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    atoms = _line(values)
    shares = weights(weight, len(atoms))
    if shares is None:
        distinct, counts = np.unique(atoms, return_counts=True)
        return Law(values=distinct, weights=counts / len(atoms))
    distinct, place = np.unique(atoms, return_inverse=True)
    return Law(values=distinct, weights=np.bincount(place, shares))


def wasserstein(
    u: ArrayLike, v: ArrayLike, u_weight: ArrayLike | None = None, v_weight: ArrayLike | None = None
) -> float:
    """W1 distance of two laws, ∫ |F_u − F_v|, from atoms in any order.

    Parameters
    ----------
    u, v
        The atoms, (n,) and (m,), any finite numbers.
    u_weight, v_weight
        Their weights, scaled to sum to 1; equal if None.

    Returns
    -------
    float
        The distance, in the unit of the atoms; exact up to rounding, infinite where it is beyond the largest float.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``, ``scores/weight``.

    References
    ----------
    Vallender (1974), Theory of Probability and its Applications 18, 784–786: W1 is the area between the CDFs.

    Examples
    --------
    >>> wasserstein([0, 0.5, 1], [0.5], [0.25, 0.5, 0.25])
    0.25
    """
    first, second = _line(u), _line(v)
    first_weight, second_weight = weights(u_weight, len(first)), weights(v_weight, len(second))
    first, second, power = _shrunk(first, second)
    if len(first) == len(second) and first_weight is None and second_weight is None:
        found = float(np.abs(np.sort(first) - np.sort(second)).mean())  # both quantile functions step together
    elif len(first) + len(second) > _FEW:
        found = _by_cells(first, second, first_weight, second_weight)
    else:
        found = _merged(first, second, _weights_of(first, first_weight), _weights_of(second, second_weight))
    return found * power


def distance(u: Law, v: Law) -> float:
    """W1 distance of two laws (`wasserstein`)."""
    first, second, power = _shrunk(u.values, v.values)
    return _merged(first, second, u.weights, v.weights) * power


def _line(values: ArrayLike) -> Array:
    found = real(values, "atoms")
    if found.ndim != 1:
        raise wrong("shape", "atoms have the wrong shape", found=str(found.shape), allowed="(n,)")
    if not np.isfinite(found).all():
        raise wrong("number", f"atom {int(np.argmax(~np.isfinite(found)))} is not finite")
    return found


def _shrunk(u: Array, v: Array) -> tuple[Array, Array, float]:
    """The atoms divided by a power of two, so that sums and differences of them are finite, and that power."""
    exponent = math.frexp(max(-u.min(), u.max(), -v.min(), v.max()))[1]
    if exponent <= _MOST_EXPONENT:
        return u, v, 1.0
    power = 2.0 ** (exponent - _MOST_EXPONENT)
    return u / power, v / power, power


def _weights_of(atoms: Array, weight: Array | None) -> Array:
    return np.full(len(atoms), 1 / len(atoms)) if weight is None else weight


def _merged(u: Array, v: Array, a: Array, b: Array) -> float:
    """∫ |F_u − F_v| by one sorted walk over the atoms of both."""
    atoms = np.concatenate([u, v])
    order = np.argsort(atoms, kind="stable")
    atoms = atoms[order]
    gap = np.cumsum(np.concatenate([a, -b])[order])
    return float(np.abs(gap[:-1]) @ np.diff(atoms))


def _by_cells(u: Array, v: Array, a: Array | None, b: Array | None) -> float:
    """∫ |F_u − F_v|, sorting only where the difference of the CDFs may change its sign.

    The line is cut into cells. The difference D moves within a cell by no more than the mass of u and of v there, so
    in most cells it keeps its sign, and ∫|D| = |∫D| = |D(left)·width + Σ_i ±w_i·(right − x_i)| needs no order.
    """
    low, high = min(u.min(), v.min()), max(u.max(), v.max())
    if not high > low:
        return 0.0
    if not high - low > 1e-290:  # the number of a cell would not be finite
        return _merged(u, v, _weights_of(u, a), _weights_of(v, b))
    most = _MOST_CELLS if min(len(u), len(v)) > _FEW else _MOST_CELLS // 8  # few atoms: few crossings
    cells = max(1, min(most, (len(u) + len(v)) // 16))
    grid = _Grid(low=low, width=high - low, cells=cells)
    gained, first = grid.sums(u, a)
    lost, second = grid.sums(v, b)
    edges, start = np.linspace(0.0, high - low, cells + 1), np.cumsum(gained - lost)
    start -= gained - lost
    areas = start * np.diff(edges) + edges[1:] * (gained - lost) - (first - second)
    settled = (start >= lost) | (start <= -gained)
    total = float(np.abs(areas[settled]).sum())
    if settled.all():
        return total
    up, down = grid.inside(u, a, ~settled), grid.inside(v, b, ~settled)
    where, atoms, moves = (np.concatenate(pair) for pair in zip(up, (*down[:2], -down[2]), strict=True))
    return total + _open_cells(where, atoms, moves, start, edges)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Grid:
    """Cells of equal width from ``low`` on; atoms are gone through in runs, whose arrays stay in the cache."""

    low: float
    width: float
    cells: int

    def _runs(self, x: Array, weight: Array | None) -> Iterator[tuple[Array, Array, Array | float]]:
        """Cells, places from ``low`` on and weights of runs of atoms."""
        for start in range(0, len(x), _RUN):
            place = x[start : start + _RUN] - self.low
            at = (place * (self.cells / self.width)).astype(np.intp)
            np.minimum(at, self.cells - 1, out=at)
            yield at, place, 1 / len(x) if weight is None else weight[start : start + _RUN]

    def sums(self, x: Array, weight: Array | None) -> tuple[Array, Array]:
        """Σ w and Σ w·x of each cell, (cells,)."""
        masses, means = np.zeros(self.cells), np.zeros(self.cells)
        for at, place, share in self._runs(x, weight):
            if isinstance(share, float):
                masses += share * np.bincount(at, minlength=self.cells)
                means += share * np.bincount(at, place, self.cells)
            else:
                masses += np.bincount(at, share, self.cells)
                means += np.bincount(at, share * place, self.cells)
        return masses, means

    def inside(self, x: Array, weight: Array | None, wanted: Array) -> tuple[Array, Array, Array]:
        """Cells, places and weights of the atoms in the cells that are wanted."""
        found: list[tuple[Array, Array, Array]] = []
        for at, place, share in self._runs(x, weight):
            rows = np.flatnonzero(wanted[at])
            found.append((at[rows], place[rows], np.broadcast_to(share, at.shape)[rows]))
        cells, places, shares = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return cells, places, shares


def _open_cells(where: Array, atoms: Array, moves: Array, start: Array, edges: Array) -> float:
    """∫ |D| over the cells ``where`` that some atoms lie in, at each of which D moves by ``moves``."""
    order = np.argsort(atoms)
    where, atoms, running = where[order], atoms[order], np.cumsum(moves[order])
    heads = np.flatnonzero(np.diff(where, prepend=-1))
    cells = where[heads]
    counts = np.diff(heads, append=len(where))
    before = np.concatenate([[0.0], running[heads[1:] - 1]])
    gap = running + np.repeat(start[cells] - before, counts)
    ends = np.append(atoms[1:], 0.0)
    ends[heads + counts - 1] = edges[cells + 1]
    return float(np.abs(gap) @ (ends - atoms) + np.abs(start[cells]) @ (atoms[heads] - edges[cells]))
