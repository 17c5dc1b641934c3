"""Proper scores against exact probabilities, with what is avoidable in them, and against sampled labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.inputs import Array, count, mean, number, outcomes, positive, probabilities, real, weights, wrong

CLIP = 0.001
"""ε of ProbabilityBench: predictions are clipped to [0.001, 0.999] (its appendix A.2)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    """A score in nats of predictions that were clipped, with how much clipping there was.

    ``clipped`` counts the predictions (rows, but those of weight 0) that clipping changed; ``unclipped`` is the score
    of the predictions as they came, None where that is infinite; ``clip`` is ε.
    """

    value: float
    unclipped: float | None
    clipped: int
    clip: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An expected score and its two parts: ``value`` = ``avoidable`` + ``irreducible``, up to rounding.

    ``irreducible`` is the score of p* itself. ``clipped`` counts the predictions that were clipped.
    """

    value: float
    avoidable: float
    irreducible: float
    clipped: int = 0


# -- clipping ----------------------------------------------------------------------------------------


def clipped_rows(q: Array, clip: float) -> tuple[Array, Array]:
    """Laws no class of which is (nearly) impossible, shape (n, K), and which rows were changed, shape (n,).

    Each entry is clipped to [ε, 1 − (K − 1)ε]. For K = 2 that is q clipped to [ε, 1 − ε], exactly as in Eq. 2 of
    ProbabilityBench: nothing is left to renormalise. For more classes the rows that were changed, and no others, are
    divided by their sum, so that each stays a law and no divergence becomes negative; an entry may end below ε
    by the factor 1 / (1 + (K − 1)ε) at most.

    Examples
    --------
    >>> rows, changed = clipped_rows(np.array([[0.0, 1.0], [0.5, 0.5]]), 0.001)
    >>> rows.tolist(), changed.tolist()
    ([[0.001, 0.999], [0.5, 0.5]], [True, False])
    """
    classes = q.shape[1]
    _check_clip(clip, classes)
    kept = np.clip(q, clip, 1 - (classes - 1) * clip)
    changed = (kept != q).any(axis=1)
    if classes > 2 and changed.any():
        kept[changed] /= kept[changed].sum(axis=1, keepdims=True)
    return kept, changed


def _check_clip(clip: float, classes: int) -> None:
    if not 0 <= number(clip) < 1 / classes:
        raise wrong("clip", "ε is no bound for clipping", found=repr(clip)[:40], allowed=f"0 to below 1/{classes}")


def _clipped(rows: Array, bare: Array, changed: Array, weight: Array | None, clip: float) -> Clipped:
    value, clipped = mean(rows, weight), count(changed, weight)
    unclipped = value if clipped == 0 else mean(bare, weight)
    return Clipped(value=value, unclipped=unclipped if math.isfinite(unclipped) else None, clipped=clipped, clip=clip)


# -- against exact probabilities ---------------------------------------------------------------------


def kl_divergence(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None, *, clip: float = CLIP) -> Clipped:
    """Mean divergence of predictions from the true probabilities (Eq. 2 of ProbabilityBench), in nats.

    KL(p*‖q) = E_U[Σ_y p*(y) log(p*(y) / q(y))]; only q is clipped (`clipped_rows`); 0 · log 0 = 0. It is the excess
    expected log loss of the clipped q, so that p* itself scores a little above 0 where p* is beyond the clip.

    Parameters
    ----------
    p, q
        True probabilities and predictions, (n, K), or (n,): P(class 1) of two classes.
    weight
        Weight of each row, (n,), e.g. the probability of a row of ``world.table(level)``; equal if None.
    clip
        ε; 0 leaves the predictions as they are, and then the value may be infinite.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs.probabilities`; ``scores/clip``.

    Examples
    --------
    >>> kl_divergence([0.5, 0.0], [0.5, 0.0])
    Clipped(value=0.0005002501667917..., unclipped=0.0, clipped=1, clip=0.001)
    >>> kl_divergence([0.5, 1.0], [0.5, 0.0]).unclipped is None
    True
    """
    truth, predicted, shares = _both(p, q, weight)
    kept, changed = clipped_rows(predicted, clip)
    bare = divergences(truth, predicted)
    rows = bare.copy()
    rows[changed] = divergences(truth[changed], kept[changed])
    return _nonnegative(_clipped(rows, bare, changed, shares, clip))


def _nonnegative(score: Clipped) -> Clipped:
    """A divergence is never negative; the sum of its terms may be, by rounding."""
    bare = None if score.unclipped is None else max(score.unclipped, 0.0)
    return Clipped(value=max(score.value, 0.0), unclipped=bare, clipped=score.clipped, clip=score.clip)


def expected_log_loss(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None, *, clip: float = CLIP) -> Expected:
    """Expected log loss E_U[−Σ_y p*(y) log q(y)] in nats: the entropy H(Y|U), and KL(p*‖q), which is avoidable.

    q is clipped as in `kl_divergence`; arguments and errors are the same.

    Examples
    --------
    >>> score = expected_log_loss([0.5, 1.0], [0.5, 0.9])
    >>> round(score.value, 6), round(score.avoidable, 6), round(score.irreducible, 6)
    (0.399254, 0.05268, 0.346574)
    """
    truth, predicted, shares = _both(p, q, weight)
    kept, changed = clipped_rows(predicted, clip)
    own, other = times_log(truth, truth).sum(axis=1), times_log(truth, kept).sum(axis=1)
    return Expected(
        value=mean(-other, shares),
        avoidable=max(mean(own - other, shares), 0.0),
        irreducible=mean(-own, shares),
        clipped=count(changed, shares),
    )


def expected_brier(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> Expected:
    """Expected Brier score: E[(q − Y)²] for two classes, E[Σ_y (q(y) − 1[Y = y])²] for more (Brier 1950).

    Avoidable is the squared distance of q to p*, irreducible Σ_y p*(y)(1 − p*(y)), for two classes half of it.

    Examples
    --------
    >>> expected_brier([0.5, 1.0], [0.5, 0.5])
    Expected(value=0.25, avoidable=0.125, irreducible=0.125, clipped=0)
    """
    truth, predicted, shares = _both(p, q, weight)
    half = _half(truth)
    avoidable = half * mean(((predicted - truth) ** 2).sum(axis=1), shares)
    irreducible = half * mean((truth * (1 - truth)).sum(axis=1), shares)
    return Expected(value=avoidable + irreducible, avoidable=avoidable, irreducible=irreducible)


def squared_distance(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Mean squared distance E[(q − p*)²] for two classes, E[Σ_y (q(y) − p*(y))²] for more.

    Examples
    --------
    >>> squared_distance([0.5, 1.0], [0.5, 0.5])
    0.125
    """
    truth, predicted, shares = _both(p, q, weight)
    return _half(truth) * mean(((predicted - truth) ** 2).sum(axis=1), shares)


def l1_distance(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Mean total variation E[½ Σ_y |q(y) − p*(y)|]; for two classes that is E|q − p*|.

    Examples
    --------
    >>> l1_distance([0.5, 1.0], [0.5, 0.5])
    0.25
    """
    truth, predicted, shares = _both(p, q, weight)
    return 0.5 * mean(np.abs(predicted - truth).sum(axis=1), shares)


def conditional_entropy(p: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Conditional entropy of the outcome, H(Y|U) = E_U[−Σ_y p*(y) log p*(y)], in nats.

    Examples
    --------
    >>> round(conditional_entropy([0.5, 1.0]), 6)
    0.346574
    """
    truth = probabilities(p, "true probabilities")
    return mean(entropies(truth), weights(weight, len(truth)))


# -- against labels ----------------------------------------------------------------------------------


def log_loss(y: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None, *, clip: float = CLIP) -> Clipped:
    """Realized log loss, the mean of −log q(Y), in nats; q is clipped as in `kl_divergence`.

    Parameters
    ----------
    y
        Outcomes, (n,), whole numbers from 0.
    q
        Predictions, (n, K) or (n,).

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs.probabilities` and `outcomes`; ``scores/clip``.

    Examples
    --------
    >>> round(log_loss([1, 0], [0.9, 0.2]).value, 6)
    0.164252
    >>> log_loss([1, 0], [0.9, 1.0])
    Clipped(value=3.506557..., unclipped=None, clipped=1, clip=0.001)
    """
    predicted, classes, labels = _with_labels(q, y)
    shares = weights(weight, len(labels))
    if classes > 2:
        kept, changed = clipped_rows(predicted, clip)
        bare, chosen = _of_outcome(predicted, labels), _of_outcome(kept, labels)
    else:
        _check_clip(clip, 2)
        bare = _of_outcome(predicted, labels)
        chosen = np.clip(bare, clip, 1 - clip)
        changed = chosen != bare
    with np.errstate(divide="ignore"):
        losses = -np.log(chosen)
        return _clipped(losses, -np.log(bare) if changed.any() else losses, changed, shares, clip)


def brier(y: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Realized Brier score: the mean of (q − y)² for two classes, of Σ_k (q(k) − 1[y = k])² for more (Brier 1950).

    Examples
    --------
    >>> round(brier([1, 0], [0.9, 0.2]), 6), round(brier([0], [[0.5, 0.25, 0.25]]), 6)
    (0.025, 0.375)
    """
    predicted, classes, labels = _with_labels(q, y)
    shares = weights(weight, len(labels))
    if classes == 2:
        probs = predicted if predicted.ndim == 1 else predicted[:, 1]
        return mean((probs - labels) ** 2, shares)
    return mean((predicted**2).sum(axis=1) - 2 * _of_outcome(predicted, labels) + 1, shares)


# -- items -------------------------------------------------------------------------------------------


def times_log(p: Array, q: Array) -> Array:
    """P · log q, in which 0 · log 0 is 0, of the shape of both.

    Examples
    --------
    >>> times_log(np.array([0.0, 1.0, 0.5]), np.array([0.0, 1.0, 0.0])).tolist()
    [0.0, 0.0, -inf]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(q)
        found *= p
    nothing = p == 0
    if nothing.any():
        found[nothing] = 0.0
    return found


def divergences(p: Array, q: Array) -> Array:
    """KL(p‖q) of each row in nats, (n,), of laws (n, K): 0 where they are equal."""
    found: Array = (times_log(p, p) - times_log(p, q)).sum(axis=1)
    return found


def entropies(p: Array) -> Array:
    """The entropy of each row in nats, (n,), of laws (n, K)."""
    found: Array = -times_log(p, p).sum(axis=1) + 0.0
    return found


# -- parts -------------------------------------------------------------------------------------------


def _both(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None) -> tuple[Array, Array, Array | None]:
    truth = probabilities(p, "true probabilities")
    return truth, probabilities(q, "predictions", like=truth), weights(weight, len(truth))


def _with_labels(q: ArrayLike, y: ArrayLike) -> tuple[Array, int, Array]:
    """The predictions, (n,) or (n, K), as they came; K; and the labels."""
    given = real(q, "predictions")
    predicted, classes = (positive(given), 2) if given.ndim == 1 else (probabilities(given), given.shape[-1])
    return predicted, classes, outcomes(y, len(predicted), classes)


def _of_outcome(q: Array, labels: Array) -> Array:
    if q.ndim == 1:
        return np.where(labels == 1, q, 1 - q)
    found: Array = np.take_along_axis(q, labels[:, None], axis=1)[:, 0]
    return found


def _half(rows: Array) -> float:
    """Two classes are scored by one of them, as is usual; more of them by all."""
    return 0.5 if rows.shape[1] == 2 else 1.0
