"""Calibration error: binned on labels, true against exact probabilities, and the noise floor of the binned one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.bins import equal_mass_bins, equal_width_bins
from pbn.scores.inputs import (
    Array,
    choice,
    generator,
    number,
    outcomes,
    positive,
    positive_pair,
    probabilities,
    weights,
    whole,
    wrong,
)

Width = Literal["equal-width", "equal-mass"]
Of = Literal["positive", "top-label", "pooled"]
Norm = Literal["l1", "l2", "max"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binning:
    """Which binned calibration error is meant; its `id` travels with every number.

    ``width``
        ``equal-width``: bins [j/B, (j+1)/B) of [0, 1], 1 in the last (`equal_width_bins`); ``equal-mass``: between
        the quantiles of the predictions, equal predictions in one bin (`equal_mass_bins`).
    ``of``
        Which probability is held against which event. ``positive``: P(class 1) of two classes; ``top-label``: the
        greatest probability, and whether its class (of several, the first) came out (Guo et al. 2017); ``pooled``:
        all K probabilities of all rows in one set of bins, each with its own class.
    ``norm``
        Of the gaps |mean outcome − mean prediction| over the bins: ``l1`` Σ P(bin) gap, ``l2`` √(Σ P(bin) gap²)
        (Kumar et al. 2019), ``max`` over bins that are not empty.

    Examples
    --------
    >>> Binning().id()
    'ece[10 equal-width, positive, l1]'
    """

    count: int = 10
    width: Width = "equal-width"
    of: Of = "positive"
    norm: Norm = "l1"

    def __post_init__(self) -> None:
        whole(self.count, "the number of bins", most=10**6)
        choice("kind of bins", self.width, get_args(Width))
        choice("choice of probability", self.of, get_args(Of))
        choice("norm", self.norm, get_args(Norm))

    def id(self, kind: str = "ece") -> str:
        """The definition in one line, e.g. ``ece[10 equal-width, positive, l1]``."""
        return f"{kind}[{self.count} {self.width}, {self.of}, {self.norm}]"

    def bins(self, q: Array, weight: Array | None = None) -> Array:
        """The bin of each probability, (m,)."""
        if self.width == "equal-width":
            return equal_width_bins(q, self.count)
        return equal_mass_bins(q, self.count, weight)


DEFAULT = Binning()
"""Ten equal-width bins of the positive class's probability, mean absolute gap."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationError:
    """A calibration error with the definition that it follows."""

    value: float
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseFloor:
    """Binned calibration error of a perfectly calibrated predictor with the same predictions: mean and quantiles."""

    mean: float
    quantiles: tuple[tuple[float, float], ...]
    resamples: int
    id: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reliability:
    """A reliability diagram: of each bin that is not empty its position, mass, mean prediction and mean outcome."""

    bin: Array
    mass: Array
    prediction: Array
    outcome: Array
    id: str


def reliability(y: ArrayLike, q: ArrayLike, binning: Binning = DEFAULT, weight: ArrayLike | None = None) -> Reliability:
    """The bins behind `ece`.

    Examples
    --------
    >>> reliability([0, 1, 0], [0.25, 0.75, 0.75]).outcome
    array([0. , 0.5])
    """
    confidence, hits, shares = _on_labels(y, q, binning, weight)
    return _reliability(confidence, hits, shares, binning, "ece")


def ece(y: ArrayLike, q: ArrayLike, binning: Binning = DEFAULT, weight: ArrayLike | None = None) -> CalibrationError:
    """Binned (expected) calibration error on labels: the norm of |mean outcome − mean prediction| over the bins.

    Parameters
    ----------
    y
        Outcomes, (n,), whole numbers from 0.
    q
        Predictions, (n,): P(class 1), or (n, K).
    binning
        The definition (`Binning`); ProbabilityBench's bins are the default.
    weight
        Weight of each row, (n,); equal if None.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs.probabilities` and `outcomes`; ``scores/option``: no `Binning`.

    References
    ----------
    Naeini, Cooper and Hauskrecht (2015), AAAI; Guo, Pleiss, Sun and Weinberger (2017), ICML, eq. 3.

    Examples
    --------
    >>> ece([0, 1, 1, 1], [0.25, 0.75, 0.75, 0.75])
    CalibrationError(value=0.25, id='ece[10 equal-width, positive, l1]')
    """
    confidence, hits, shares = _on_labels(y, q, binning, weight)
    return CalibrationError(value=_binned(confidence, hits, shares, binning), id=binning.id())


def true_calibration_error(
    p: ArrayLike, q: ArrayLike, by: Binning | Norm = DEFAULT, weight: ArrayLike | None = None
) -> CalibrationError:
    """True calibration error: how far predictions are from the mean true probability of the cases that get them.

    With a `Binning` the norm of |E[p* | bin] − E[q | bin]| over the bins: the limit of `ece` for ever more labels.
    With a norm alone, that of |E[p* | q] − q| over the distinct predictions q: the calibration error itself, which no
    binned one of the same norm exceeds. (Predictions that are all different group nothing: it is then the distance of
    q to p*, so do not use it on a sample from a predictor with a continuum of values.)

    Parameters
    ----------
    p, q
        True probabilities and predictions, (n,) or (n, K).
    by
        A definition of bins, or ``"l1"``, ``"l2"``, ``"max"`` over distinct predictions of class 1 of two.
    weight
        Weight of each row, (n,); equal if None.

    Examples
    --------
    >>> true_calibration_error([0.0, 0.25, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5], "l1")
    CalibrationError(value=0.0625, id='true-ce[distinct, positive, l1]')
    >>> true_calibration_error([0.0, 0.25, 0.5, 1.0], [0.5, 0.5, 0.5, 0.5])
    CalibrationError(value=0.0625, id='true-ce[10 equal-width, positive, l1]')
    """
    if isinstance(by, str):
        choice("norm", by, get_args(Norm))
        truth, predicted = positive_pair(p, q)
        shares = weights(weight, len(predicted))
        _, bins = np.unique(predicted, return_inverse=True)
        return CalibrationError(
            value=_norm(*_gaps(bins, predicted, truth, shares), by), id=f"true-ce[distinct, positive, {by}]"
        )
    if _checked(by).of == "positive":
        chance, confidence = positive_pair(p, q)
        shares = weights(weight, len(confidence))
    else:
        predicted = probabilities(q)
        truth = probabilities(p, "true probabilities", like=predicted)
        shares = weights(weight, len(predicted))
        if by.of == "top-label":
            top = np.argmax(predicted, axis=1)[:, None]
            confidence, chance = (np.take_along_axis(rows, top, axis=1)[:, 0] for rows in (predicted, truth))
        else:
            confidence, chance, shares = predicted.ravel(), truth.ravel(), _pooled(shares, predicted)
    return CalibrationError(value=_binned(confidence, chance, shares, by), id=by.id("true-ce"))


def noise_floor(
    q: ArrayLike,
    rng: np.random.Generator,
    binning: Binning = DEFAULT,
    *,
    resamples: int = 1000,
    quantiles: tuple[float, ...] = (0.05, 0.5, 0.95),
) -> NoiseFloor:
    """What `ece` would be on labels drawn from the predictions themselves: above 0 though nothing is miscalibrated.

    Each resample keeps the predictions, and their bins, as they are, draws Y ~ q for every row and scores it. That is
    the consistency resampling of Bröcker and Smith (2007, Weather and Forecasting 22, 651–661) but for one step: they
    draw the predictions anew too, with replacement, and here the floor is that of these very predictions. An `ece`
    below the upper quantile is no evidence of miscalibration.

    Parameters
    ----------
    q
        Predictions, (n,) or (n, K).
    rng
        Draws the labels.
    quantiles
        Which quantiles of the error to report, numbers from 0 to 1.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs`; ``scores/generator``; ``scores/count``; ``scores/option``: no binning, or a number
        that is no quantile.

    Examples
    --------
    >>> floor = noise_floor([0.5] * 100, np.random.default_rng(0))
    >>> round(floor.mean, 2), floor.id  # of |S/100 − 1/2|, S ~ Binomial(100, 1/2): 0.0398
    (0.04, 'noise-floor[10 equal-width, positive, l1]')
    """
    resamples = whole(resamples, "resamples", most=10**7)
    rng, levels = generator(rng), _levels(quantiles)
    if _checked(binning).of == "pooled":
        errors = _pooled_floor(probabilities(q), rng, binning, resamples)
    else:
        confidence = positive(q) if binning.of == "positive" else probabilities(q).max(axis=1)
        errors = _floor(confidence, rng, binning, resamples)
    found = tuple((float(at), float(np.quantile(errors, at))) for at in levels)
    return NoiseFloor(mean=float(errors.mean()), quantiles=found, resamples=resamples, id=binning.id("noise-floor"))


# -- parts -------------------------------------------------------------------------------------------


def _checked(binning: Binning) -> Binning:
    if not isinstance(binning, Binning):
        raise wrong("option", "the bins are no Binning", found=repr(binning)[:40], hint="such as Binning(count=15)")
    return binning


def _levels(quantiles: Iterable[float]) -> tuple[float, ...]:
    found = tuple(quantiles) if isinstance(quantiles, Iterable) else (math.nan,)
    if not all(0 <= number(at) <= 1 for at in found):
        raise wrong("option", "these are no quantiles", found=repr(quantiles)[:40], allowed="numbers from 0 to 1")
    return found


def _on_labels(
    y: ArrayLike, q: ArrayLike, binning: Binning, weight: ArrayLike | None
) -> tuple[Array, Array, Array | None]:
    """Probabilities, whether what they are of came out, and weights, (m,) each."""
    if _checked(binning).of == "positive":
        confidence = positive(q)
        shares = weights(weight, len(confidence))
        return confidence, outcomes(y, len(confidence), 2), shares
    predicted = probabilities(q)
    labels = outcomes(y, *predicted.shape)
    shares = weights(weight, len(predicted))
    if binning.of == "top-label":
        return predicted.max(axis=1), labels == np.argmax(predicted, axis=1), shares
    hits = labels[:, None] == np.arange(predicted.shape[1])
    return predicted.ravel(), hits.ravel(), _pooled(shares, predicted)


def _pooled(shares: Array | None, rows: Array) -> Array | None:
    classes = rows.shape[1]
    return None if shares is None else np.repeat(shares / classes, classes)


def _gaps(bins: Array, q: Array, outcome: Array, shares: Array | None) -> tuple[Array, Array]:
    """Mass, and mass times (mean outcome − mean prediction), of each bin."""
    difference = outcome - q
    if shares is None:
        return np.bincount(bins) / len(q), np.bincount(bins, difference) / len(q)
    return np.bincount(bins, shares), np.bincount(bins, difference * shares)


def _norm(mass: Array, gap: Array, norm: Norm) -> float:
    """The one number that `_norms` makes of one row of gaps."""
    return float(_norms(mass, gap, norm))


def _norms(mass: Array, gap: Array, norm: Norm) -> Array:
    """Σ_b P(b)·g_b, √Σ_b P(b)·g_b² or max_b g_b of gaps that come as P(b)·g_b; the bins are on the last axis."""
    held = mass > 0
    weighted = np.abs(gap[..., held])
    if norm == "l1":
        return np.asarray(weighted.sum(axis=-1))
    if norm == "l2":
        return np.asarray(np.sqrt((weighted**2 / mass[held]).sum(axis=-1)))
    return np.asarray((weighted / mass[held]).max(axis=-1))


def _binned(confidence: Array, outcome: Array, shares: Array | None, binning: Binning) -> float:
    mass, gap = _gaps(binning.bins(confidence, shares), confidence, outcome, shares)
    return _norm(mass, gap, binning.norm)


def _reliability(confidence: Array, outcome: Array, shares: Array | None, binning: Binning, kind: str) -> Reliability:
    bins = binning.bins(confidence, shares)
    share = np.full(len(confidence), 1 / len(confidence)) if shares is None else shares
    mass = np.bincount(bins, share)
    held = np.flatnonzero(mass)
    prediction = np.bincount(bins, share * confidence)[held] / mass[held]
    rate = np.bincount(bins, share * outcome)[held] / mass[held]
    return Reliability(bin=held, mass=mass[held], prediction=prediction, outcome=rate, id=binning.id(kind))


def _floor(confidence: Array, rng: np.random.Generator, binning: Binning, resamples: int) -> Array:
    """Errors of resamples of Bernoulli labels, (resamples,); equal predictions are drawn as one binomial count."""
    values, counts = np.unique(confidence, return_counts=True)
    if len(values) > len(confidence) // 8:
        values, counts = np.sort(confidence), np.ones(len(confidence), dtype=np.intp)
    bins = binning.bins(values, counts / counts.sum())  # ascending
    starts = np.flatnonzero(np.diff(bins, prepend=-1))
    mass = np.add.reduceat(counts, starts) / len(confidence)
    predicted = np.add.reduceat(counts * values, starts)
    errors = np.empty(resamples)
    step = max(1, 2**21 // len(values))
    for start in range(0, resamples, step):
        size = min(step, resamples - start), len(values)
        single = len(values) == len(confidence)
        drawn = rng.random(size) < values if single else rng.binomial(counts, values, size)
        hits = np.add.reduceat(drawn, starts, axis=1, dtype=np.int64)
        errors[start : start + size[0]] = _norms(mass, (hits - predicted) / len(confidence), binning.norm)
    return errors


def _pooled_floor(q: Array, rng: np.random.Generator, binning: Binning, resamples: int) -> Array:
    """Errors of resamples of labels of K classes, (resamples,)."""
    rows, classes = q.shape
    bounds = np.cumsum(q, axis=1)
    bounds /= bounds[:, -1:]
    confidence = q.ravel()
    bins = binning.bins(confidence)
    errors = np.empty(resamples)
    for k in range(resamples):
        labels = (rng.random((rows, 1)) >= bounds).sum(axis=1)
        hits = labels[:, None] == np.arange(classes)
        errors[k] = _norm(*_gaps(bins, confidence, hits.ravel(), None), binning.norm)
    return errors
