"""Smooth calibration error: the residual smoothed by a kernel whose width is the error itself."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.fft import dct
from scipy.optimize import brentq

from pbn.scores.inputs import Array, number, outcomes, positive, positive_pair, weights, wrong

INTERVALS = 2**16
"""Predictions are spread over this many intervals of [0, 1], each between the two nearest points."""
LEAST_WIDTH = 2.0**-12
"""The least bandwidth; errors below it are told apart no further."""


def smooth_ece(y: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Smooth calibration error smECE(q, Y) of P(class 1), on labels or against true probabilities.

    smECE_σ = ∫_0^1 |E[(Y − q) K_σ(q, t)]| dt, where K_σ(x, t) = Σ_{t' ~ t} φ_σ(x − t') is the Gaussian kernel
    reflected at 0 and 1, the sum over the mirror images t' = 2k ± t of t. smECE_σ never rises with σ, and the error
    is the fixed point smECE_σ = σ: no number of bins or bandwidth is chosen. It is a consistent calibration measure:
    small just where the distance to the nearest calibrated predictor is. It may be larger than that by any factor: of
    the order of its square root.

    Parameters
    ----------
    y
        Outcomes, (n,), 0 or 1.
    q
        Predictions, (n,) or (n, 2).
    weight
        Weight of each row, (n,); equal if None.

    Returns
    -------
    float
        The error; one below `LEAST_WIDTH` is the error at that width, which is too small by less than the width.

    Raises
    ------
    ScoreError
        See `pbn.scores.inputs.probabilities` and `outcomes`.

    References
    ----------
    Błasiok and Nakkiran (2023), Smooth ECE: principled reliability diagrams via kernel smoothing, arXiv:2309.12236
    (ICLR 2024), section 3: the reflected Gaussian kernel and smECE at its fixed point.

    Examples
    --------
    >>> round(smooth_ece([1, 1, 1, 1], [0.75] * 4), 4), round(smooth_ece([0, 0, 1, 1], [0.5] * 4), 4)
    (0.25, 0.0)
    """
    waves = _waves(*_residuals(y, q, weight))
    return _fixed_point(waves)


def true_smooth_ece(p: ArrayLike, q: ArrayLike, weight: ArrayLike | None = None) -> float:
    """`smooth_ece` with the true probability in place of the outcome: its limit for ever more labels.

    Examples
    --------
    >>> round(true_smooth_ece([0.25, 0.75], [0.75, 0.75]), 4)
    0.25
    """
    truth, predicted = positive_pair(p, q)
    return _fixed_point(_waves(predicted, _weighted(truth - predicted, weight)))


def smooth_ece_at(y: ArrayLike, q: ArrayLike, bandwidth: float, weight: ArrayLike | None = None) -> float:
    """SmECE_σ at a bandwidth σ ≥ `LEAST_WIDTH`.

    Examples
    --------
    >>> round(smooth_ece_at([1, 1, 1, 1], [0.75] * 4, 0.1), 4)
    0.25
    """
    if not LEAST_WIDTH <= number(bandwidth) < math.inf:
        raise wrong("option", "no such bandwidth", found=repr(bandwidth)[:40], allowed=f"{LEAST_WIDTH} or more")
    return _at(_waves(*_residuals(y, q, weight)), bandwidth)


def _residuals(y: ArrayLike, q: ArrayLike, weight: ArrayLike | None) -> tuple[Array, Array]:
    predicted = positive(q)
    return predicted, _weighted(outcomes(y, len(predicted), 2) - predicted, weight)


def _weighted(residuals: Array, weight: ArrayLike | None) -> Array:
    shares = weights(weight, len(residuals))
    return residuals / len(residuals) if shares is None else residuals * shares


def _waves(q: Array, residuals: Array) -> Array:
    """Coefficients c_m = Σ_i r_i cos(π m q_i), m = 0 … N, of the residual measure on [0, 1].

    The reflected Gaussian kernel is the heat kernel of [0, 1] with insulated ends, whose waves are these cosines.
    """
    place = q * INTERVALS
    left = np.minimum(place.astype(np.intp), INTERVALS - 1)
    right_share = place - left
    grid = np.bincount(left, residuals * (1 - right_share), INTERVALS + 1)
    grid[1:] += np.bincount(left, residuals * right_share, INTERVALS)
    ends = grid[[0, -1]]  # the transform counts inner points twice
    waves: Array = dct(np.concatenate([ends[:1], grid[1:-1] / 2, ends[1:]]), type=1)
    return waves


def _at(waves: Array, bandwidth: float) -> float:
    """∫ |Σ_m c_m exp(−(π m σ)²/2) cos(π m t)| dt, by the trapezium rule; waves damped below 1e-16 are left out."""
    last = min(INTERVALS, math.ceil(2.8 / bandwidth))
    points = min(INTERVALS, max(2**12, 2 ** (64 * last).bit_length()))
    damped = np.zeros(points + 1)
    damped[: last + 1] = waves[: last + 1] * np.exp(-0.5 * (math.pi * bandwidth * np.arange(last + 1)) ** 2)
    smooth = np.abs(dct(damped, type=1))
    return float((smooth[:-1] + smooth[1:]).sum() / (2 * points))


def _fixed_point(waves: Array) -> float:
    least = _at(waves, LEAST_WIDTH)
    if least <= LEAST_WIDTH:
        return least
    most = _at(waves, 1.0)
    if most >= 1:  # up to rounding: every residual is 1, or every one −1
        return 1.0
    return float(brentq(lambda width: _at(waves, width) - width, LEAST_WIDTH, 1.0, xtol=1e-10))
