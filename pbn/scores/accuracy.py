"""Accuracy of decisions: expected under the exact probabilities, realized on labels; kappa, intervals, differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from pbn.scores.inputs import (
    UNKNOWN,
    Array,
    choice,
    confident,
    count,
    generator,
    mean,
    outcomes,
    probabilities,
    real,
    weights,
    whole,
    wrong,
)

Method = Literal["bca", "percentile", "normal", "wilson", "bonett-price", "hoeffding"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedAccuracy:
    """A_exp of decisions, the Bayes accuracy A*, and ``gap`` = A* − A_exp ≥ 0; ``unknown`` decisions are counted."""

    value: float
    bayes: float
    gap: float
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RealizedAccuracy:
    """Share of labels that the decisions hit; ``unknown`` decisions are counted, and hit nothing."""

    value: float
    unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A number over items, most often their mean, with a confidence interval, and how that was made."""

    value: float
    low: float
    high: float
    confidence: float
    method: Method
    items: int


def bayes_decisions(q: ArrayLike) -> Array:
    """The most probable class of each row, (n,); of several, the first.

    Of predictions it is the decision that they imply, of true probabilities the Bayes decision.

    Examples
    --------
    >>> bayes_decisions([0.5, 0.75])
    array([0, 1])
    """
    found: Array = np.argmax(probabilities(q), axis=1)
    return found


def bayes_accuracy(p: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Bayes accuracy A* = E_U[max_y p*(y)] = 1 − ε*.

    Examples
    --------
    >>> bayes_accuracy([0.5, 0.75])
    0.625
    """
    truth = probabilities(p, "true probabilities")
    return mean(truth.max(axis=1), weights(weight, len(truth)))


def expected_accuracy(p: ArrayLike, decisions: ArrayLike, weight: ArrayLike | None = None) -> ExpectedAccuracy:
    """Expected accuracy A_exp(f) = E_U[P(Y = f(U) | U)] (Eq. 1 of ProbabilityBench), beside A* and their gap.

    Parameters
    ----------
    p
        True probabilities, (n, K), or (n,): P(class 1) of two classes.
    decisions
        Decided classes, (n,); −1 stands for `unknown`, which scores 0.
    weight
        Weight of each row, (n,); equal if None.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs.probabilities` and `outcomes`.

    Examples
    --------
    >>> expected_accuracy([0.25, 0.75, 0.5], [1, 1, -1])
    ExpectedAccuracy(value=0.333..., bayes=0.666..., gap=0.333..., unknown=1)
    """
    truth = probabilities(p, "true probabilities")
    decided = outcomes(decisions, *truth.shape, name="decisions", least=UNKNOWN)
    shares = weights(weight, len(truth))
    hit, best = expected_hits(truth, decided), truth.max(axis=1)
    return ExpectedAccuracy(
        value=mean(hit, shares),
        bayes=mean(best, shares),
        gap=mean(best - hit, shares),
        unknown=count(decided == UNKNOWN, shares),
    )


def expected_hits(p: Array, decisions: Array) -> Array:
    """P(Y = f(u) | u) of each row, 0 where the decision is unknown: the items behind `expected_accuracy`."""
    chosen: Array = np.take_along_axis(p, np.maximum(decisions, 0)[:, None], axis=1)[:, 0]
    return np.where(decisions == UNKNOWN, 0.0, chosen)


def realized_accuracy(y: ArrayLike, decisions: ArrayLike, classes: int = 2) -> RealizedAccuracy:
    """Share of the outcomes that the decisions hit; it may exceed the Bayes accuracy, by chance or by a leak.

    Examples
    --------
    >>> realized_accuracy([0, 1, 1, 0], [0, 1, 0, -1])
    RealizedAccuracy(value=0.5, unknown=1)
    """
    labels, decided = _labels_and_decisions(y, decisions, whole(classes, "a number of classes"))
    return RealizedAccuracy(
        value=mean((labels == decided).astype(float), None), unknown=count(decided == UNKNOWN, None)
    )


def _labels_and_decisions(y: ArrayLike, decisions: ArrayLike, classes: int) -> tuple[Array, Array]:
    rows = len(real(y, "outcomes"))
    return outcomes(y, rows, classes), outcomes(decisions, rows, classes, name="decisions", least=UNKNOWN)


def cohen_kappa(
    y: ArrayLike,
    decisions: ArrayLike,
    classes: int = 2,
    weighting: Literal["linear", "quadratic"] | None = None,
) -> float:
    """Cohen's κ: how far decisions agree with the outcomes beyond chance, 1 − (mean disagreement)/(that by chance).

    By chance means with the same shares of outcomes and of decisions, drawn independently. Classes i and j disagree by
    1 where they differ, or, for classes in order, by |i − j|/(K − 1) (``linear``) or its square (``quadratic``). An
    `unknown` decision agrees with nothing: it disagrees with every class by 1, the most there is.

    Parameters
    ----------
    y
        Outcomes, (n,), whole numbers from 0.
    decisions
        Decided classes, (n,); −1 stands for `unknown`.
    classes
        K, at least 2.

    Returns
    -------
    float
        At most 1. NaN where all outcomes and decisions are of one class: chance alone agrees then, and 0/0 is neither
        perfect agreement beyond chance nor none.

    References
    ----------
    J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20 (1960) 37–46;
    Weighted kappa: nominal scale agreement with provision for scaled disagreement or partial credit, Psychological
    Bulletin 70 (1968) 213–220.

    Examples
    --------
    >>> cohen_kappa([0, 0, 1, 1], [0, 0, 1, 0]), cohen_kappa([0, 0, 1, 1], [0, 0, 1, -1])
    (0.5, 0.6)
    """
    classes = whole(classes, "a number of classes", 2)
    labels, decided = _labels_and_decisions(y, decisions, classes)
    if weighting is not None:
        choice("weighting", weighting, ("linear", "quadratic"))

    def disagreement(one: Array, other: Array) -> Array:
        apart = np.abs(one - other) / (classes - 1)
        sizes: Array = {None: (apart > 0) * 1.0, "linear": apart, "quadratic": apart**2}[weighting]
        return np.where(other == UNKNOWN, 1.0, sizes)

    kinds, share = np.unique(labels, return_counts=True)
    choices, choice_share = np.unique(decided, return_counts=True)
    chance = float(share @ disagreement(kinds[:, None], choices) @ choice_share) / len(labels) ** 2
    return 1 - float(disagreement(labels, decided).mean()) / chance if chance > 0 else math.nan


# -- intervals ---------------------------------------------------------------------------------------


def mean_interval(
    items: ArrayLike,
    rng: np.random.Generator | None = None,
    *,
    method: Method | None = None,
    confidence: float = 0.95,
    resamples: int = 9999,
) -> Interval:
    """A confidence interval of the mean score of independent items.

    Items that are all 0 or 1, such as hits, get Wilson's interval, all others BCa, unless a method is named:

    - ``wilson``: the score interval of a share (Wilson 1927, JASA 22), without draws. With ten items or more it covers
      95% on average over shares, at least 90% where a hit and a miss each are to be expected, and at least 83%
      anywhere. A bootstrap has no width where all items are alike: it covers ever less as the share nears 0 or 1.
    - ``bca``: the bootstrap over items with its bias and skewness corrected (Efron 1987, JASA 82, sections 2 and 6; the
      acceleration of a mean in closed form).
    - ``percentile``: the plain bootstrap (Efron 1979).
    - ``normal``: mean ± z · s/√n, s² with n − 1, without draws.

    Parameters
    ----------
    items
        One number for each item, (n,), n ≥ 2: hits or losses. Differences of two models' are for `paired_difference`.
    rng
        Draws the resamples; may be None where there are none.
    confidence
        Coverage, in (0, 1).

    Raises
    ------
    ScoreError
        ``scores/empty``; ``scores/shape``; ``scores/number``: not finite; ``scores/option``; ``scores/count``;
        ``scores/confidence``; ``scores/generator``.

    Examples
    --------
    >>> found = mean_interval([1, 1, 0, 1, 1, 1, 0, 1])
    >>> found.value, round(found.low, 4), round(found.high, 4), found.method
    (0.75, 0.4093, 0.9285, 'wilson')
    >>> round(mean_interval([1, 1, 0, 1, 1, 1, 0, 1], method="normal").low, 4)
    0.4292
    """
    values, confidence = _items(items), confident(confidence)
    tail = (1 - confidence) / 2
    rng = None if rng is None else generator(rng)
    if method is None:
        method = "wilson" if _binary(values) else "bca"
    choice("method of a mean", method, ("bca", "percentile", "normal", "wilson"))
    centre = float(values.mean())
    if method == "wilson":
        low, high = _wilson(values, confidence)
    elif method == "normal":
        reach = float(ndtri(1 - tail)) * float(values.std(ddof=1)) / math.sqrt(len(values))
        low, high = centre - reach, centre + reach
    elif rng is None:
        raise wrong("option", f"the {method} interval needs a Generator", hint="pass rng, or method='normal'")
    else:
        means = resampled_means(values, rng, whole(resamples, "resamples", 100))
        tails = (tail, 1 - tail) if method == "percentile" else corrected_tails(values, means, tail)
        low, high = (float(bound) for bound in np.quantile(means, tails))
    return Interval(value=centre, low=low, high=high, confidence=confidence, method=method, items=len(values))


def _items(items: ArrayLike) -> Array:
    values = real(items, "items")
    if values.ndim != 1 or len(values) < 2:
        raise wrong("shape", "an interval needs two items or more", found=str(values.shape), allowed="(n,), n ≥ 2")
    if not np.isfinite(values).all():
        raise wrong("number", f"item {int(np.argmax(~np.isfinite(values)))} is not finite")
    return values


def _binary(values: Array) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _wilson(values: Array, confidence: float) -> tuple[float, float]:
    if not _binary(values):
        raise wrong("option", "Wilson's interval is of a share", allowed="items that are all 0 or 1")
    size, share, z = len(values), float(values.mean()), float(ndtri((1 + confidence) / 2))
    shrink = 1 + z**2 / size
    centre = (share + z**2 / (2 * size)) / shrink
    reach = z / shrink * math.sqrt(share * (1 - share) / size + (z / (2 * size)) ** 2)
    return (0.0 if share == 0 else centre - reach), (1.0 if share == 1 else centre + reach)


def paired_difference(
    first: ArrayLike,
    second: ArrayLike,
    rng: np.random.Generator | None = None,
    *,
    method: Method | None = None,
    confidence: float = 0.95,
    resamples: int = 9999,
) -> Interval:
    """Mean of ``first`` − ``second``, scores of the same items, with an interval over items.

    Where both models' items are all 0 or 1, such as hits, it is ``bonett-price``, unless a method is named: the
    adjusted Wald interval of a difference of paired shares, a − b ± z √((a + b − (a − b)²)/(n + 2)) with
    a = (n₁₂ + 1)/(n + 2) and b = (n₂₁ + 1)/(n + 2), for n₁₂ items that only the first hits and n₂₁ that only the second
    does. It needs no draws. All other methods are those of `mean_interval` for the differences, BCa the default.

    References
    ----------
    D. G. Bonett and R. M. Price, Adjusted Wald confidence interval for a difference of binomial proportions based on
    paired data, Journal of Educational and Behavioral Statistics 37 (2012) 479–488; recommended by M. W. Fagerland,
    S. Lydersen and P. Laake, Statistics in Medicine 33 (2014) 2850–2875.

    Examples
    --------
    >>> found = paired_difference([1, 1, 1, 0], [1, 0, 1, 0])
    >>> found.value, round(found.low, 4), round(found.high, 4), found.method
    (0.25, -0.3832, 0.7165, 'bonett-price')
    """
    a, b = real(first, "first scores"), real(second, "second scores")
    if a.shape != b.shape:
        raise wrong("shape", "the two models have different items", found=f"{a.shape} and {b.shape}")
    apart, binary = _items(a - b), _binary(a) and _binary(b)
    if method is None:
        method = "bonett-price" if binary else "bca"
    if not isinstance(method, str) or method != "bonett-price":
        return mean_interval(apart, rng, method=method, confidence=confidence, resamples=resamples)
    if not binary:
        raise wrong("option", "Bonett and Price's interval is of shares", allowed="items that are all 0 or 1")
    if rng is not None:
        generator(rng)
    confidence = confident(confidence)
    n, z = len(apart), float(ndtri((1 + confidence) / 2))
    one, other = (int((apart > 0).sum()) + 1) / (n + 2), (int((apart < 0).sum()) + 1) / (n + 2)
    centre, reach = one - other, z * math.sqrt((one + other - (one - other) ** 2) / (n + 2))
    return Interval(
        value=float(apart.mean()),
        low=max(centre - reach, -1.0),
        high=min(centre + reach, 1.0),
        confidence=confidence,
        method=method,
        items=n,
    )


def resampled_means(values: Array, rng: np.random.Generator, resamples: int) -> Array:
    """Means of bootstrap resamples, (resamples,).

    A resample is known by how often each distinct value is in it, which is multinomial; so items with few
    distinct values, hits above all, cost no draw for each item.
    """
    distinct, counts = np.unique(values, return_counts=True)
    size = len(values)
    few = len(distinct) <= max(16, size // 8)
    means = np.empty(resamples)
    step = max(1, 2**20 // (len(distinct) if few else size))  # at most so many numbers are held at once
    for start in range(0, resamples, step):
        stop = min(start + step, resamples)
        if few:
            means[start:stop] = rng.multinomial(size, counts / size, size=stop - start) @ distinct / size
        else:
            means[start:stop] = values[rng.integers(0, size, (stop - start, size))].mean(axis=1)
    return means


def corrected_tails(values: Array, means: Array, tail: float) -> tuple[float, float]:
    """The quantiles of resampled ``means`` that BCa reads off (Efron 1987, eq. 2.3): bias z0, acceleration a."""
    centre = values.mean()
    away = values - centre
    widest = float(np.abs(away).max())
    if widest == 0:
        return tail, 1 - tail
    away /= widest
    acceleration = float((away**3).sum()) / (6 * float((away**2).sum()) ** 1.5)
    near = np.abs(means - centre) <= 1e-12 * float(np.abs(values).max())  # as far as rounding may move a mean
    below = np.count_nonzero((means < centre) & ~near) + 0.5 * np.count_nonzero(near)
    bias = float(ndtri(np.clip(below / len(means), 0.5 / len(means), 1 - 0.5 / len(means))))
    found = []
    for z in (float(ndtri(tail)), float(ndtri(1 - tail))):
        found.append(float(ndtr(bias + (bias + z) / (1 - acceleration * (bias + z)))))
    return found[0], found[1]
