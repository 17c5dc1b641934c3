"""Accuracy: Bayes decisions are best, unknown decisions count, intervals are scipy's and cover what they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pbn
from pbn.scores.accuracy import (
    bayes_accuracy,
    bayes_decisions,
    expected_accuracy,
    mean_interval,
    paired_difference,
    realized_accuracy,
    resampled_means,
)
from pbn.scores.inputs import ScoreError


@pytest.mark.parametrize("name", ["credit_risk", "support_ticket"])
def test_bayes_accuracy_of_worlds(name):
    world = pbn.load(name)
    for level in world.levels:
        for question in world.questions.values():
            table = world.table(level, question=question.name)
            size = world.network.size(question.asks)
            p, weight = table.iloc[:, -size:].to_numpy(), table["probability"].to_numpy()
            best = 1 - world.bayes_error(level, question=question.name).value
            assert bayes_accuracy(p, weight) == pytest.approx(best, abs=1e-12)
            found = expected_accuracy(p, bayes_decisions(p), weight)
            assert found.value == pytest.approx(best, abs=1e-12)
            assert found.gap == 0


@given(st.integers(0, 2**32), st.integers(2, 5))
def test_no_decision_beats_the_bayes_decision(seed, classes):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(classes), 30)
    decisions, weight = rng.integers(-1, classes, 30), rng.random(30)
    found = expected_accuracy(p, decisions, weight)
    assert found.gap >= 0
    assert found.bayes - found.value == pytest.approx(found.gap, abs=1e-12)
    assert found.unknown == np.count_nonzero(decisions == -1)
    order = rng.permutation(30)
    again = expected_accuracy(p[order], decisions[order], weight[order])
    assert again.value == pytest.approx(found.value, abs=1e-12)
    names = rng.permutation(classes)
    renamed = np.where(decisions < 0, -1, np.argsort(names)[np.maximum(decisions, 0)])
    assert expected_accuracy(p[:, names], renamed, weight).value == pytest.approx(found.value, abs=1e-12)


def test_ties_go_to_the_first_state():
    assert bayes_decisions([[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]).tolist() == [0, 1]
    assert bayes_decisions([0.5]).tolist() == [0]


def test_unknown_decisions_score_nothing():
    assert expected_accuracy([0.0, 1.0], [-1, -1]).value == 0
    assert realized_accuracy([0, 1], [-1, -1]).value == 0
    assert realized_accuracy([2], [2], classes=3).value == 1
    with pytest.raises(ScoreError, match=r"row 0 of the decisions"):
        expected_accuracy([0.5], [-2])
    with pytest.raises(ScoreError, match=r"scores/empty"):
        expected_accuracy([], [])
    with pytest.raises(ScoreError, match=r"scores/empty"):
        realized_accuracy([], [])


@pytest.mark.parametrize("method", ["bca", "percentile"])
@pytest.mark.parametrize("items", [
    np.random.default_rng(1).exponential(size=60),
    (np.random.default_rng(2).random(200) < 0.93).astype(float),
])  # fmt: skip
def test_intervals_against_scipy(method, items):
    found = mean_interval(items, np.random.default_rng(0), method=method, resamples=40_000)
    expected = stats.bootstrap(
        (items,), np.mean, method=method, n_resamples=40_000, vectorized=True, batch=500, rng=np.random.default_rng(5)
    ).confidence_interval
    spread = items.std() / np.sqrt(len(items))
    assert found.low == pytest.approx(expected.low, abs=0.1 * spread)
    assert found.high == pytest.approx(expected.high, abs=0.1 * spread)


def test_normal_interval_against_scipy():
    items = np.random.default_rng(3).random(50)
    found = mean_interval(items, method="normal", confidence=0.9)
    expected = stats.norm.interval(0.9, items.mean(), stats.sem(items))
    assert (found.low, found.high) == pytest.approx(expected)


def test_both_ways_to_resample_have_one_law():
    hits = np.repeat([0.0, 1.0], [10, 30])
    by_counts = resampled_means(hits, np.random.default_rng(0), 20_000)
    noise = np.arange(40) * 1e-9  # distinct values: items are drawn one by one
    by_items = resampled_means(hits + noise, np.random.default_rng(1), 20_000)
    assert stats.wasserstein_distance(by_counts, by_items) < 0.002


def test_intervals_cover():
    rng = np.random.default_rng(4)
    counts = dict.fromkeys(("bca", "percentile", "normal"), 0)
    for _ in range(300):
        items = (rng.random(150) < 0.9).astype(float)
        for method in counts:
            found = mean_interval(items, rng, method=method, resamples=800)
            counts[method] += found.low <= 0.9 <= found.high
    assert all(counts[method] >= 270 for method in counts), counts


def test_paired_differences():
    rng = np.random.default_rng(5)
    first, second = rng.random(300), rng.random(300)
    found = paired_difference(first, second, rng)
    assert found.value == pytest.approx((first - second).mean())
    assert found.low < found.value < found.high
    same = paired_difference(first, first, rng)
    assert (same.low, same.value, same.high) == (0, 0, 0)
    assert paired_difference(first, second, np.random.default_rng(1)) == paired_difference(
        first, second, np.random.default_rng(1)
    )


@pytest.mark.parametrize(("call", "code"), [
    (lambda: mean_interval([1.0], method="normal"), "scores/shape"),
    (lambda: mean_interval([], method="normal"), "scores/empty"),
    (lambda: mean_interval([1.0, np.nan], method="normal"), "scores/number"),
    (lambda: mean_interval([1.0, 0.0]), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], method="t"), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], method="normal", confidence=1.0), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], np.random.default_rng(0), resamples=3), "scores/count"),
    (lambda: paired_difference([1.0, 0.0], [1.0], method="normal"), "scores/shape"),
])  # fmt: skip
def test_intervals_that_are_refused(call, code):
    with pytest.raises(ScoreError) as caught:
        call()
    assert caught.value.code == code
