"""Multicalibration: the worst bias of predictions over groups of cases and bins of predictions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.bins import equal_width_bins, equal_width_edges
from pbn.scores.inputs import Array, as_array, confident, outcomes, positive, positive_pair, real, weights, whole, wrong

EVERYONE = "everyone"
"""Name of the whole population, which is always one of the groups."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """Witness multicalibration error and the cell that attains it (of several, the first).

    ``moment`` is that cell's E[1_G 1_B (p* − q)] with its sign: positive where predictions are too low. ``mass`` is
    the cell's probability, so ``moment / mass`` is its bias. ``bin`` counts from 0 and spans ``low`` to ``high``.
    ``radius`` is the half-width of the simultaneous band over all ``cells`` (`hoeffding_radius`), None with weights.
    ``id`` is the definition in one line; the groups that it counts have everyone among them.
    """

    value: float
    group: str
    bin: int
    low: float
    high: float
    moment: float
    mass: float
    cells: int
    radius: float | None
    id: str

    @property
    def band(self) -> tuple[float, float] | None:
        """The band for the population's value that `radius` gives, within [0, 1], or [−1, 1] if signed."""
        if self.radius is None:
            return None
        least = 0.0 if "absolute" in self.id else -1.0
        return max(least, self.value - self.radius), min(1.0, self.value + self.radius)


def multicalibration(
    p: ArrayLike,
    q: ArrayLike,
    groups: ArrayLike,
    names: Sequence[str],
    *,
    bins: int = 10,
    signed: bool = False,
    weight: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Witness:
    """Witness multicalibration error of predictions against true probabilities (Eq. 3 of ProbabilityBench).

    MC(q) = max over groups G and bins B of |E[1_G(U) 1_B(q(U)) (p*(U) − q(U))]|: weighted by the mass of the cell, not
    divided by it. It is 0 for q = p*.

    Parameters
    ----------
    p, q
        True probabilities and predictions of class 1, (n,) or (n, 2).
    groups
        Who is in which group, boolean, (n, G); the whole population is added as the group `EVERYONE`.
    names
        The groups' names, (G,).
    bins
        Number of equal-width bins of q on [0, 1].
    signed
        Leave the |·| out, as one printed form of the equation does: the greatest moment then.
    weight
        Weight of each row, (n,); equal if None.
    confidence
        Of the simultaneous band.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs`; ``scores/shape``: groups that are no (n, G) matrix with G names.

    References
    ----------
    Hébert-Johnson, Kim, Reingold and Rothblum (2018), ICML.

    Examples
    --------
    >>> found = multicalibration([0.25, 0.75], [0.5, 0.5], [[True], [False]], ["first"])
    >>> found.value, found.group, found.bin, found.moment
    (0.125, 'first', 5, -0.125)
    >>> found.id
    'mc[10 equal-width, positive, absolute, 2 groups]'
    """
    truth, predicted = positive_pair(p, q)
    return _witness(predicted, truth, groups, names, bins, signed, weight, confidence, "mc")


def empirical_multicalibration(
    y: ArrayLike,
    q: ArrayLike,
    groups: ArrayLike,
    names: Sequence[str],
    *,
    bins: int = 10,
    signed: bool = False,
    weight: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Witness:
    """The estimate of `multicalibration` from outcomes, (n,), 0 or 1: positive in expectation even for p* itself.

    Examples
    --------
    >>> empirical_multicalibration([0, 1], [0.5, 0.5], [[True], [False]], ["first"]).value
    0.25
    """
    predicted = positive(q)
    labels = outcomes(y, len(predicted), 2)
    return _witness(predicted, labels, groups, names, bins, signed, weight, confidence, "empirical-mc")


def hoeffding_radius(rows: int, cells: int, bins: int, confidence: float = 0.95) -> float:
    """Half-width of a simultaneous band for the moments of all cells, from n independent rows.

    One row moves a cell's moment by a number of [−b, 1 − a] for the bin [a, b], of length R = 1 + 1/B; so with
    probability ``confidence`` no moment is off by more than R √(log(2M / (1 − confidence)) / (2n)), M cells
    (Hoeffding 1963, theorem 2, and the union bound), nor is their maximum. It holds for one fixed predictor.

    Examples
    --------
    >>> round(hoeffding_radius(1_000_000, 54 * 10, 10), 5)
    0.00246
    """
    span = 1 + 1 / whole(bins, "the number of bins")
    most = 2 * whole(cells, "the number of cells") / (1 - confident(confidence))
    return span * math.sqrt(math.log(most) / (2 * whole(rows, "the number of rows", most=2**62)))


def moments(q: Array, outcome: Array, groups: Array, bins: int, shares: Array | None = None) -> tuple[Array, Array]:
    """E[1_G 1_B (outcome − q)] and P(G, B) of every cell, (G + 1, B) each; the whole population comes first."""
    places = equal_width_bins(q, bins)
    share = np.full(len(q), 1 / len(q)) if shares is None else shares
    residual = (outcome - q) * share
    found, mass = np.empty((groups.shape[1] + 1, bins)), np.empty((groups.shape[1] + 1, bins))
    found[0], mass[0] = np.bincount(places, residual, bins), np.bincount(places, share, bins)
    for g in range(groups.shape[1]):
        inside = np.flatnonzero(groups[:, g])
        at = places[inside]
        found[g + 1], mass[g + 1] = np.bincount(at, residual[inside], bins), np.bincount(at, share[inside], bins)
    return found, mass


def _witness(
    predicted: Array,
    outcome: Array,
    groups: ArrayLike,
    names: Sequence[str],
    bins: int,
    signed: bool,
    weight: ArrayLike | None,
    confidence: float,
    kind: str,
) -> Witness:
    bins = whole(bins, "the number of bins", most=10**6)
    members = _members(groups, names, len(predicted))
    shares = weights(weight, len(predicted))
    found, mass = moments(predicted, outcome, members, bins, shares)
    sized = found if signed else np.abs(found)
    g, j = (int(k) for k in np.unravel_index(np.argmax(sized), found.shape))
    edges = equal_width_edges(bins)
    radius = hoeffding_radius(len(predicted), found.size, bins, confidence)
    return Witness(
        value=float(sized[g, j]),
        group=(EVERYONE, *names)[g],
        bin=j,
        low=float(edges[j]),
        high=float(edges[j + 1]),
        moment=float(found[g, j]),
        mass=float(mass[g, j]),
        cells=found.size,
        radius=radius if shares is None else None,
        id=f"{kind}[{bins} equal-width, positive, {'signed' if signed else 'absolute'}, {len(found)} groups]",
    )


def _members(groups: ArrayLike, names: Sequence[str], rows: int) -> Array:
    found = as_array(groups, "groups")
    if found.ndim != 2 or found.shape != (rows, len(names)):
        raise wrong("shape", "groups have the wrong shape", found=str(found.shape), allowed=str((rows, len(names))))
    if found.dtype != np.bool_:
        if not np.isin(real(found, "groups"), (0, 1)).all():
            raise wrong("group", "groups hold something else than True and False")
        found = found.astype(bool)
    return found
