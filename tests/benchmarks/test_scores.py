"""Speed of scores against scikit-learn and scipy on a million rows: one run, the ratio asserted and shown."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy.stats import wasserstein_distance
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from pbn import scores
from pbn.scores.higher_order_calibration import bayes_mixtures, fit_snapshots, higher_order
from pbn.scores.smooth_calibration import smooth_ece
from pbn.scores.transport import wasserstein

pytestmark = pytest.mark.benchmark
MILLION = 1_000_000


def fastest(first, second, repeat=4):
    """The least processor time of each of two ways, run in turn, after one run that is not counted."""
    times = {first: [], second: []}
    for k in range(repeat + 1):
        for work in times:
            start = time.process_time()
            work()
            if k:
                times[work].append(time.process_time() - start)
    return min(times[first]), min(times[second])


@pytest.fixture
def show(capsys):
    def say(text):
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return say


def test_all_scores_against_three_of_scikit_learn(show):
    """Every score against p* and on labels, and both binned calibration errors, in the time of three on labels."""
    rng = np.random.default_rng(0)
    p, q = rng.random(MILLION), rng.random(MILLION)
    y = (rng.random(MILLION) < p).astype(int)
    rate, prediction = calibration_curve(y, q, n_bins=10)
    assert scores.log_loss(y, q, clip=0).value == pytest.approx(sklearn_log_loss(y, q), rel=1e-9)
    assert scores.brier(y, q) == pytest.approx(brier_score_loss(y, q), rel=1e-9)
    masses = np.bincount(np.minimum((q * 10).astype(int), 9)) / MILLION
    assert scores.ece(y, q).value == pytest.approx(masses @ np.abs(rate - prediction), abs=1e-9)

    def ours():
        decided = scores.bayes_decisions(q)
        return (
            scores.kl_divergence(p, q), scores.expected_accuracy(p, decided), scores.realized_accuracy(y, decided),
            scores.expected_log_loss(p, q), scores.expected_brier(p, q), scores.l1_distance(p, q),
            scores.squared_distance(p, q), scores.log_loss(y, q), scores.brier(y, q), scores.ece(y, q),
            scores.true_calibration_error(p, q),
        )  # fmt: skip

    def theirs():
        return sklearn_log_loss(y, q), brier_score_loss(y, q), calibration_curve(y, q, n_bins=10)

    own, other = fastest(ours, theirs)
    show(f"11 scores of 10^6: {own * 1e3:.0f} ms; scikit-learn, three {other * 1e3:.0f} ms: {other / own:.1f} times")
    assert other / own >= 1


@pytest.mark.parametrize("case", ["one bin and its snapshot law", "equal weights", "weights", "nearly one law"])
def test_w1_of_a_million_atoms_against_scipy(show, case):
    rng = np.random.default_rng(1)
    u, v, a, b = rng.random(MILLION), rng.beta(2, 3, MILLION), rng.random(MILLION), rng.random(MILLION)
    arguments = {
        "one bin and its snapshot law": (u, np.arange(3) / 2, None, np.array([0.3, 0.4, 0.3])),
        "equal weights": (u, v),
        "weights": (u, v, a, b),
        "nearly one law": (u, rng.random(MILLION), a, b),
    }[case]
    assert wasserstein(*arguments) == pytest.approx(wasserstein_distance(*arguments), abs=1e-11)
    own, other = fastest(lambda: wasserstein(*arguments), lambda: wasserstein_distance(*arguments), repeat=3)
    show(f"W1, {case}: {own * 1e3:.0f} ms, scipy {other * 1e3:.0f} ms: {other / own:.1f} times")
    assert other / own >= (3 if case == "nearly one law" else 5)  # there the CDFs cross often, and most is sorted


def test_every_k_of_a_million_inputs_against_scipy_bin_by_bin(show):
    rng = np.random.default_rng(2)
    p, bins = rng.choice(rng.random(500), MILLION), rng.integers(0, 10, MILLION)
    fitted = {k: fit_snapshots(rng.binomial(k, p[:2000]), k, bins[:2000], 10) for k in (1, 2, 3, 5, 10, 20, 50)}

    def ours():
        mixtures = bayes_mixtures(p, bins, 10)
        return [higher_order(nu, mixtures, k).higher_order_error for k, nu in fitted.items()]

    def theirs():  # one of the three distances
        total = []
        for nu in fitted.values():
            parts = [
                (wasserstein_distance(p[bins == j], law.values, None, law.weights)) for j, law in enumerate(nu.laws)
            ]
            total.append(np.bincount(bins) / MILLION @ parts)
        return total

    assert ours() == pytest.approx(theirs(), abs=1e-11)
    own, other = fastest(ours, theirs, repeat=1)
    show(f"three distances, 7 k: {own * 1e3:.0f} ms; scipy, one of them, {other * 1e3:.0f} ms: {other / own:.0f} times")
    assert other / own >= 5


def test_smooth_error_of_a_million(show):
    rng = np.random.default_rng(3)
    q = rng.random(MILLION)
    y = (rng.random(MILLION) < q**1.1).astype(int)
    start = time.process_time()
    found = smooth_ece(y, q)
    show(f"smooth ECE of 10^6: {(time.process_time() - start) * 1e3:.0f} ms, {found:.4f}")
