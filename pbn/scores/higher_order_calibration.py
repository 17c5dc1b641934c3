"""Higher-order calibration: the law of the true probability within a bin, and what k labels an input show of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.inputs import Array, outcomes, positive, weights, whole, wrong
from pbn.scores.transport import Law, distance, law

MOST_LABELS = 1000
"""Most labels an input; the powers in a binomial law stay floats."""
_CHUNK = 2**14


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Mixtures:
    """A law for each bin C: ``masses``, (B,), are P(C), and ``laws`` has None where there is none."""

    masses: Array
    laws: tuple[Law | None, ...]

    def __len__(self) -> int:
        return len(self.laws)


@dataclass(frozen=True, slots=True, kw_only=True)
class HigherOrder:
    """The three distances at one k (Eqs. 5 and 7 of ProbabilityBench), and the mass of bins that a fit covers.

    |``higher_order_error`` − ``target_separation``| ≤ ``snapshot_error``.
    """

    k: int
    snapshot_error: float
    higher_order_error: float
    target_separation: float
    covered: float


# -- laws within bins --------------------------------------------------------------------------------


def bayes_mixtures(p: ArrayLike, bins: ArrayLike, count: int, weight: ArrayLike | None = None) -> Mixtures:
    """The Bayes mixtures π*_C, the law of p*(U) given U ∈ C, and P(C), from reference inputs.

    Parameters
    ----------
    p
        True probability of class 1 of each reference input, (n,) or (n, 2).
    bins
        The bin of each input, (n,), from 0, e.g. `pbn.scores.bins.equal_width_bins` of the predictions.
    count
        Number of bins.
    weight
        Weight of each input, (n,); equal if None.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs`.

    Examples
    --------
    >>> found = bayes_mixtures([0.25, 0.75, 1.0], [0, 0, 2], 3)
    >>> found.masses.round(3).tolist(), found.laws[0].values.tolist(), found.laws[1]
    ([0.667, 0.0, 0.333], [0.25, 0.75], None)
    """
    truth = positive(p, "true probabilities")
    places = _places(bins, len(truth), count)
    shares = weights(weight, len(truth))
    values, place = np.unique(truth, return_inverse=True)
    if len(values) * count <= max(len(truth), 2**20):
        mass = _bincount(places * len(values) + place, shares, count * len(values)).reshape(count, len(values))
        return _mixtures(mass, values)
    masses = _bincount(places, shares, count)
    laws = [
        law(truth[at], None if shares is None else shares[at]) if masses[j] > 0 else None
        for j, at in _rows(places, count)
    ]
    return Mixtures(masses=masses, laws=tuple(laws))


def projected(mixtures: Mixtures, k: int) -> Mixtures:
    """The snapshot targets proj_k π_C of mixtures (`snapshot_law`).

    Examples
    --------
    >>> found = projected(bayes_mixtures([0.5, 0.5], [0, 0], 1), 2).laws[0]
    >>> found.values.tolist(), found.weights.tolist()
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    laws = tuple(None if pi is None else snapshot_law(pi.values, k, pi.weights) for pi in mixtures.laws)
    return Mixtures(masses=mixtures.masses, laws=laws)


def snapshot_law(p: ArrayLike, k: int, weight: ArrayLike | None = None) -> Law:
    """The law proj_k π of S/k, where S | p ~ Binomial(k, p) and p ~ π has these atoms and weights.

    P(S = j) = E_π[C(k, j) p^j (1 − p)^(k − j)]: whole binomial laws are averaged, not one at the mean p.

    Examples
    --------
    >>> snapshot_law([0.0, 1.0], 2).weights.tolist()
    [0.5, 0.0, 0.5]
    """
    k = whole(k, "the number of labels", most=MOST_LABELS)
    atoms = positive(p, "probabilities")
    shares = weights(weight, len(atoms))
    total = np.zeros(k + 1)
    for start in range(0, len(atoms), _CHUNK):
        part = atoms[start : start + _CHUNK]
        share = np.full(len(part), 1 / len(atoms)) if shares is None else shares[start : start + _CHUNK]
        hits, misses = _powers(part, k), _powers(1 - part, k)
        total += np.einsum("jn,jn,n->j", hits, misses[::-1], share)
    total *= [float(math.comb(k, j)) for j in range(k + 1)]
    return Law(values=np.arange(k + 1) / k, weights=total / total.sum())


def binomial_mixtures(q: ArrayLike, bins: ArrayLike, count: int, k: int) -> Mixtures:
    """What predictions imply before any calibration: the mean of the whole laws Binomial(k, q)/k within each bin.

    Parameters
    ----------
    q
        P(class 1) predicted for each input, (n,) or (n, 2).
    bins, count
        As in `bayes_mixtures`.

    Examples
    --------
    >>> binomial_mixtures([0.5, 0.5], [0, 0], 1, 2).laws[0].weights.tolist()
    [0.25, 0.5, 0.25]
    """
    predicted = positive(q)
    places = _places(bins, len(predicted), count)
    laws = [snapshot_law(predicted[at], k) if len(at) else None for _, at in _rows(places, count)]
    return Mixtures(masses=_bincount(places, None, count), laws=tuple(laws))


def fit_snapshots(positives: ArrayLike, k: int, bins: ArrayLike, count: int) -> Mixtures:
    """Fitted laws ν_C: the empirical law of S/k over the calibration inputs of each bin (Ahdritz et al. 2024).

    A bin without calibration inputs (its mass is 0) takes the pooled law of all of them.

    Parameters
    ----------
    positives
        S, the number of positive ones among the k labels of each calibration input, (n,), 0 to k.
    bins, count
        The bin of each calibration input, as in `bayes_mixtures`.

    Examples
    --------
    >>> fitted = fit_snapshots([0, 1, 2, 2], 2, [0, 0, 0, 0], 2)
    >>> fitted.laws[0].weights.tolist() == fitted.laws[1].weights.tolist(), fitted.masses.tolist()
    (True, [1.0, 0.0])
    """
    k = whole(k, "the number of labels", most=MOST_LABELS)
    rows = len(np.atleast_1d(np.asarray(positives)))
    counts = outcomes(positives, rows, k + 1, name="numbers of positive labels")
    places = _places(bins, rows, count)
    cells = np.bincount(places * (k + 1) + counts, minlength=count * (k + 1)).reshape(count, k + 1)
    pooled = np.bincount(counts, minlength=k + 1)
    values = np.arange(k + 1) / k
    laws = tuple(
        Law(values=values, weights=(row if row.any() else pooled) / (row if row.any() else pooled).sum())
        for row in cells
    )
    return Mixtures(masses=cells.sum(axis=1) / rows, laws=laws)


# -- distances ---------------------------------------------------------------------------------------


def mean_distance(fitted: Mixtures, target: Mixtures) -> float:
    """Σ_C P(C) W1(ν_C, π_C), with the masses P(C) of the target; bins of mass 0 count for nothing.

    Raises
    ------
    ScoreError
        ``scores/shape``: other bins; ``scores/empty``: a bin has mass and no fitted law.
    """
    if len(fitted) != len(target):
        raise wrong("shape", "the laws are of different bins", found=f"{len(fitted)} and {len(target)}")
    total = 0.0
    for j, (nu, pi) in enumerate(zip(fitted.laws, target.laws, strict=True)):
        if pi is None or target.masses[j] == 0:
            continue
        if nu is None:
            raise wrong("empty", f"bin {j} has mass and no fitted law", hint="fit the pooled law there")
        total += float(target.masses[j]) * distance(nu, pi)
    return total


def snapshot_error(fitted: Mixtures, mixtures: Mixtures, k: int) -> float:
    """Snapshot error E_k(ν) = Σ_C P(C) W1(ν_C, proj_k π*_C) (Eq. 5 of ProbabilityBench)."""
    return mean_distance(fitted, projected(mixtures, k))


def higher_order_error(fitted: Mixtures, mixtures: Mixtures) -> float:
    """Higher-order error E_HO(ν) = Σ_C P(C) W1(ν_C, π*_C) (Eq. 5 of ProbabilityBench)."""
    return mean_distance(fitted, mixtures)


def target_separation(mixtures: Mixtures, k: int) -> float:
    """Target separation δ_k = Σ_C P(C) W1(proj_k π*_C, π*_C) (Eq. 7 of ProbabilityBench).

    Examples
    --------
    >>> target_separation(bayes_mixtures([0.5, 0.5], [0, 0], 1), 2)
    0.25
    """
    return mean_distance(projected(mixtures, k), mixtures)


def higher_order(fitted: Mixtures, mixtures: Mixtures, k: int) -> HigherOrder:
    """The three distances of fitted laws, e.g. of `fit_snapshots` or `binomial_mixtures`, at one k.

    Examples
    --------
    >>> mixtures = bayes_mixtures([0.5, 0.5], [0, 0], 1)
    >>> higher_order(fit_snapshots([1, 1], 2, [0, 0], 1), mixtures, 2)
    HigherOrder(k=2, snapshot_error=0.25, higher_order_error=0.0, target_separation=0.25, covered=1.0)
    """
    targets = projected(mixtures, k)
    if len(fitted) != len(mixtures):
        raise wrong("shape", "the laws are of different bins", found=f"{len(fitted)} and {len(mixtures)}")
    return HigherOrder(
        k=k,
        snapshot_error=mean_distance(fitted, targets),
        higher_order_error=mean_distance(fitted, mixtures),
        target_separation=mean_distance(targets, mixtures),
        covered=float(mixtures.masses[fitted.masses > 0].sum()),
    )


# -- parts -------------------------------------------------------------------------------------------


def _places(bins: ArrayLike, rows: int, count: int) -> Array:
    return outcomes(bins, rows, whole(count, "the number of bins", most=10**6), name="bins")


def _bincount(places: Array, shares: Array | None, size: int) -> Array:
    found = np.bincount(places, shares, size)
    return found / len(places) if shares is None else found


def _rows(places: Array, count: int) -> Sequence[tuple[int, Array]]:
    """Each bin with the positions of its rows."""
    order = np.argsort(places, kind="stable")
    return list(enumerate(np.split(order, np.cumsum(np.bincount(places, minlength=count))[:-1])))


def _mixtures(mass: Array, values: Array) -> Mixtures:
    """Laws on shared values from their joint mass, (B, m)."""
    masses = mass.sum(axis=1)
    laws: list[Law | None] = []
    for row, total in zip(mass, masses, strict=True):
        held = row > 0
        laws.append(Law(values=values[held], weights=row[held] / total) if total > 0 else None)
    return Mixtures(masses=masses, laws=tuple(laws))


def _powers(base: Array, k: int) -> Array:
    """base^j for j = 0 … k, shape (k + 1, n)."""
    found = np.empty((k + 1, len(base)))
    found[0] = 1
    for j in range(k):
        np.multiply(found[j], base, out=found[j + 1])
    return found
