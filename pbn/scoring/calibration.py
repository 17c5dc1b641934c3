"""Calibration scores of predictions: against true probabilities, on labels, and over groups of cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pbn.scores.accuracy import Interval
from pbn.scores.calibration import Binning, ece, noise_floor, true_calibration_error
from pbn.scores.inputs import Array
from pbn.scores.smooth_calibration import smooth_ece, true_smooth_ece
from pbn.scores.witness_multicalibration import Witness, empirical_multicalibration, multicalibration
from pbn.scoring.items import CONFIDENCE, Score

FLOOR_RESAMPLES = 1000
QUANTILE = 0.95
SMOOTH = "[reflected Gaussian]"
"""What smooth errors are called after their names."""


def binning_of(classes: int) -> Binning:
    """The calibration error that is reported: of the positive state, or of the most probable one of more than two."""
    return Binning(of="positive" if classes == 2 else "top-label")


def confidences(place: int, p: Array, q: Array, labels: Array | None) -> tuple[Array, Array, Array | None]:
    """A probability of each case, that of the same event in truth, and whether it came out, (n,) each.

    The event is the positive state of two, the most probable state (the first of several) of more.
    """
    if q.shape[1] == 2:
        return q[:, place], p[:, place], None if labels is None else (labels == place).astype(np.intp)
    top = np.argmax(q, axis=1)
    rows = np.arange(len(q))
    return q[rows, top], p[rows, top], None if labels is None else (labels == top).astype(np.intp)


def errors(place: int, p: Array, q: Array, labels: Array | None) -> Iterator[tuple[str, float, str]]:
    """Name, value and definition of each calibration error over all cases, those on labels where there are labels."""
    one, true, hits = confidences(place, p, q, labels)
    named, binning = binning_of(q.shape[1]), Binning()
    yield "true_ce", true_calibration_error(true, one, binning).value, named.id("true-ce")
    yield "true_smooth_ce", true_smooth_ece(true, one), f"true-smooth-ce{SMOOTH}"
    if hits is not None:
        yield "ece", ece(hits, one, binning).value, named.id()
        yield "smooth_ece", smooth_ece(hits, one), f"smooth-ece{SMOOTH}"


def calibration(
    place: int, p: Array, q: Array, labels: Array | None, seed: int, grouped: tuple[Sequence[str], Array] | None
) -> Iterator[Score]:
    """The calibration scores of one question at one level, those on labels where there are labels.

    ``grouped`` are the names of groups, (G,), and who is in which, (n, G); None where they are not known.
    """
    one, true, hits = confidences(place, p, q, labels)
    named = binning_of(q.shape[1])
    for name, value, definition in errors(place, p, q, labels):
        yield Score(name=name, value=value, interval=None, cases=len(one), id=definition)
    if grouped is not None:
        yield _witness("multicalibration", multicalibration(true, one, grouped[1], grouped[0]), named, len(one))
    if hits is None:
        return
    floor = noise_floor(
        one, np.random.default_rng([seed, len(one)]), Binning(), resamples=_floor_resamples(len(one)),
        quantiles=(QUANTILE,),
    )  # fmt: skip
    above = f"95% of calibrated draws below {floor.quantiles[0][1]:.6f}; {floor.resamples:,} draws"
    definition = named.id("noise-floor")
    yield Score(name="noise_floor", value=floor.mean, interval=None, cases=len(one), id=definition, note=above)
    if grouped is not None:
        found = empirical_multicalibration(hits, one, grouped[1], grouped[0])
        yield _witness("empirical_multicalibration", found, named, len(one))


def _witness(name: str, found: Witness, named: Binning, cases: int) -> Score:
    """The worst cell with Hoeffding's band for the population's value."""
    assert found.band is not None
    low, high = found.band
    band = Interval(value=found.value, low=low, high=high, confidence=CONFIDENCE, method="hoeffding", items=cases)
    side = "low" if found.moment > 0 else "high"
    bias = abs(found.moment) / found.mass if found.mass else 0.0
    note = f"{found.group}, predictions from {found.low:g} to {found.high:g}: too {side} by {bias:.4f}"
    definition = found.id.replace("positive", named.of)
    interval = band if low > 0 or high < 1 else None  # so few cases that every value is in it
    return Score(name=name, value=found.value, interval=interval, cases=cases, id=definition, note=note)


def _floor_resamples(cases: int) -> int:
    """Fewer draws of many cases: the floor itself is then known the better."""
    return max(100, min(FLOOR_RESAMPLES, 10**8 // max(1, cases)))
