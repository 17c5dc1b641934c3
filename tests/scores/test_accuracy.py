"""Accuracy: Bayes decisions are best, unknown decisions count, intervals are others' and cover what they say."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

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


def test_rows_of_weight_0_count_for_nothing():
    found = expected_accuracy([0.25, 0.75, 0.5], [1, 1, -1], [1, 2, 0])
    assert found == expected_accuracy([0.25, 0.75], [1, 1], [1, 2])


@pytest.mark.parametrize("scale", [1e308, 1.7e308, 5e-324, 1.0])
def test_the_unit_of_the_weights_does_not_matter(scale):
    assert bayes_accuracy([0.5, 0.75], [scale, scale]) == 0.625
    assert bayes_accuracy([0.5, 0.75, 1.0], [scale, scale, 0.0]) == 0.625


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


def test_resamples_of_many_values_take_little_memory():
    items = np.repeat(np.arange(10_000) / 7, 8)
    tracemalloc.start()
    resampled_means(items, np.random.default_rng(0), 500)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 30e6  # all at once they are 5 million counts, 40 MB, and as many floats


@pytest.mark.parametrize("scale", [2.0**-500, 2.0**-60, 2.0**40, 2.0**500])
@pytest.mark.parametrize("items", [np.random.default_rng(6).exponential(size=50), np.repeat([0.0, 1, 4], [30, 8, 2])])
def test_the_unit_of_the_items_does_not_matter(items, scale):
    plain = mean_interval(items, np.random.default_rng(0), resamples=2000)
    scaled = mean_interval(items * scale, np.random.default_rng(0), resamples=2000)
    assert (scaled.low / scale, scaled.high / scale) == pytest.approx((plain.low, plain.high), rel=1e-12)
    assert plain.method == "bca"


def test_intervals_cover():
    rng = np.random.default_rng(4)
    counts = dict.fromkeys(("bca", "percentile", "normal"), 0)
    for _ in range(300):
        items = (rng.random(150) < 0.9).astype(float)
        for method in counts:
            found = mean_interval(items, rng, method=method, resamples=800)
            counts[method] += found.low <= 0.9 <= found.high
    assert all(counts[method] >= 270 for method in counts), counts


def hits_of(n):
    return [np.repeat([1.0, 0.0], [k, n - k]) for k in range(n + 1)]


@pytest.mark.parametrize("n", [2, 10, 20, 37, 100, 400])
def test_hits_have_wilson_s_interval_which_covers(n):
    """Its exact coverage, summed over the binomial law; the other two numbers are the least and the mean over p."""
    found = [mean_interval(items, confidence=0.95) for items in hits_of(n)]
    assert {one.method for one in found} == {"wilson"}
    low, high = np.array([[one.low, one.high] for one in found]).T[:, :, None]
    assert np.c_[low, high] == pytest.approx(np.c_[proportion_confint(np.arange(n + 1), n, method="wilson")], abs=1e-12)
    near = np.geomspace(1e-3, n / 2, 500) / n
    p = np.concatenate([near, 1 - near])
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, p) * ((low <= p) & (p <= high))).sum(axis=0)
    assert covered.min() > (0.83 if n >= 10 else 0.82)
    if n >= 10:
        assert covered[n * np.minimum(p, 1 - p) >= 1].min() > 0.90
    even = np.linspace(0.0005, 0.9995, 1000)
    covered = (stats.binom.pmf(np.arange(n + 1)[:, None], n, even) * ((low <= even) & (even <= high))).sum(axis=0)
    assert 0.95 < covered.mean() < 0.96


def test_twenty_hits_of_twenty_do_not_say_that_all_are():
    assert mean_interval(np.ones(20)).low == pytest.approx(1 / (1 + stats.norm.ppf(0.975) ** 2 / 20))
    assert mean_interval(np.ones(20), np.random.default_rng(0), method="bca").low == 1
    assert mean_interval(np.zeros(20)).high == pytest.approx(1 - mean_interval(np.ones(20)).low)
    assert mean_interval(np.ones(20, bool), confidence=0.99).low < mean_interval(np.ones(20)).low


def pairs(first, second, n):
    """Items of which the first alone hits some, and the second alone others."""
    return np.repeat([1.0, 0.0, 1.0], [first, second, n - first - second]), np.repeat([0.0, 1.0], [first, n - first])


def test_differences_of_hits_have_bonett_and_price_s_interval():
    """The numbers are those in the comments of the authors' own functions."""
    found = paired_difference(*pairs(26, 4, 40))
    assert (found.value, found.method, found.items) == (0.55, "bonett-price", 40)
    assert (found.low, found.high) == pytest.approx((0.3126438, 0.7349752), abs=5e-8)
    few = paired_difference(*pairs(3, 0, 100))
    assert few.low < 0 < few.value < few.high
    assert paired_difference(*pairs(3, 0, 100), np.random.default_rng(0), method="bca").low > 0
    whole = paired_difference(*pairs(0, 5, 5))
    assert (whole.low, whole.value) == (-1, -1)
    other = paired_difference(*pairs(4, 26, 40))
    assert (other.low, other.high) == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize("n", [20, 60, 200])
def test_the_interval_of_few_discordant_pairs_covers(n):
    """Its exact coverage, summed over the trinomial law of the discordant pairs."""
    most = min(n, 40)
    counts = np.array([(a, b) for a in range(most + 1) for b in range(most + 1 - a)])
    found = [paired_difference(*pairs(a, b, n)) for a, b in counts]
    low, high = np.array([[one.low, one.high] for one in found]).T
    for discordant in (0.1, 0.3, 1, 3, 8, 12):
        for share in (0.5, 0.6, 0.75, 0.9, 1):
            a, b = discordant * share / n, discordant * (1 - share) / n
            law = stats.multinomial.pmf(np.c_[counts, n - counts.sum(axis=1)], n, [a, b, 1 - a - b])
            assert law.sum() > 0.9999
            assert law[(low <= a - b) & (a - b <= high)].sum() > 0.93


def test_paired_differences():
    rng = np.random.default_rng(5)
    first, second = rng.random(300), rng.random(300)
    found = paired_difference(first, second, rng)
    assert found.value == pytest.approx((first - second).mean())
    assert found.low < found.value < found.high
    same = paired_difference(first, first, rng)
    assert (same.low, same.value, same.high) == (0, 0, 0)
    assert paired_difference(np.array([0.5, 1]), np.array([0.5, 0]), rng).method == "bca"  # differences are 0 and 1
    assert paired_difference(first, second, np.random.default_rng(1)) == paired_difference(
        first, second, np.random.default_rng(1)
    )


@pytest.mark.parametrize(("call", "code"), [
    (lambda: mean_interval([1.0], method="normal"), "scores/shape"),
    (lambda: mean_interval([], method="normal"), "scores/empty"),
    (lambda: mean_interval([1.0, np.nan], method="normal"), "scores/number"),
    (lambda: mean_interval([1.0, 0.5]), "scores/option"),
    (lambda: mean_interval([1.0, 0.5], method="wilson"), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], method="bonett-price"), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], confidence=1.0), "scores/confidence"),
    (lambda: paired_difference([1.0, 0.0], [0.5, 0.0], method="bonett-price"), "scores/option"),
    (lambda: paired_difference([0.0, 0.0], [1.0, 0.0], method="wilson"), "scores/option"),
    (lambda: paired_difference([1.0, 0.0], [1.0, 1.0], confidence=0.0), "scores/confidence"),
    (lambda: paired_difference([1.0], [0.0]), "scores/shape"),
    (lambda: mean_interval([1.0, 0.0], method="t"), "scores/option"),
    (lambda: mean_interval([1.0, 0.0], method="normal", confidence=1.0), "scores/confidence"),
    (lambda: mean_interval([1.0, 0.5], np.random.default_rng(0), resamples=3), "scores/count"),
    (lambda: paired_difference([1.0, 0.0], [1.0], method="normal"), "scores/shape"),
])  # fmt: skip
def test_intervals_that_are_refused(call, code):
    with pytest.raises(ScoreError) as caught:
        call()
    assert caught.value.code == code
