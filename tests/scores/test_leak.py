"""The leak test: its p-values against the exact law, its validity, and runs put together."""

from __future__ import annotations

import math
import time
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.scores.inputs import UNKNOWN, ScoreError
from pbn.scores.leak import Run, Tails, combine, leak_test
from pbn.scores.poisson_binomial import PoissonBinomial
from tests.scores.sums import exact_pmf


def cases(n, classes=3, seed=0, concentration=0.7):
    """Truth, labels drawn from it, and decisions that look at the truth alone."""
    rng = np.random.default_rng(seed)
    probs = rng.dirichlet(np.full(classes, concentration), n)
    labels = (rng.random((n, 1)) > probs.cumsum(axis=1)[:, :-1]).sum(axis=1)
    decisions = np.where(rng.random(n) < 0.8, probs.argmax(axis=1), rng.integers(0, classes, n))
    return decisions, probs, labels


def log_of(share):
    return math.log(share.numerator) - math.log(share.denominator)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 5), st.integers(2, 4), st.integers(0, 10**6))
def test_tails_are_sums_over_all_labels(n, classes, seed):
    """P(as many correct or more), and or fewer, added up over all K^n labels in fractions."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 4, (n, classes)) + np.eye(classes, dtype=int)[rng.integers(0, classes, n)]
    probs = whole / whole.sum(axis=1, keepdims=True)
    decisions, outcomes = rng.integers(UNKNOWN, classes, n), rng.integers(0, classes, n)
    found = leak_test(probs, outcomes, decisions)
    for chosen, chance in ((decisions, found.decisions), (probs.argmax(axis=1), found.bayes)):
        correct, upper, lower = int((chosen == outcomes).sum()), Fraction(0), Fraction(0)
        for labels in product(range(classes), repeat=n):
            shares = [Fraction(int(row[y]), int(row.sum())) for row, y in zip(whole, labels, strict=True)]
            mass, right = math.prod(shares), int((chosen == np.array(labels)).sum())
            upper, lower = upper + mass * (right >= correct), lower + mass * (right <= correct)
        assert (chance.cases, chance.correct) == (n, correct)
        assert chance.upper == pytest.approx(float(upper), rel=1e-13)
        assert chance.lower == pytest.approx(float(lower), rel=1e-13)
        assert (chance.log_upper == -math.inf) == (upper == 0)


def test_unknown_decisions_are_never_correct():
    decisions, probs, labels = cases(200)
    declined = decisions.copy()
    declined[:50] = UNKNOWN
    found, answered = leak_test(probs, labels, declined), leak_test(probs[50:], labels[50:], decisions[50:])
    assert (found.unknown, found.decisions.cases) == (50, 200)
    assert found.decisions.correct == answered.decisions.correct
    assert found.decisions.log_upper == pytest.approx(answered.decisions.log_upper, rel=1e-12)
    assert found.decisions.expected == pytest.approx(answered.decisions.expected)
    nothing = leak_test(probs[:3], labels[:3], [UNKNOWN] * 3).decisions
    assert (nothing.correct, nothing.log_upper, nothing.log_lower, nothing.interval) == (0, 0, 0, (0, 0))


def test_what_cannot_be_has_a_logarithm_of_minus_infinity():
    """Two decisions of probability 0 came true: of two cases at most one can be right."""
    chance = leak_test([[0, 1], [0, 1]], [0, 0], [0, 0]).decisions
    assert (chance.log_upper, chance.upper, chance.log_two_sided, chance.two_sided) == (-math.inf, 0, -math.inf, 0)
    chance = leak_test([[0, 1], [0, 1]], [0, 1], [1, 1]).decisions
    assert (chance.log_lower, chance.log_upper) == (-math.inf, 0)


def test_a_class_of_probability_one_leaves_room_for_the_others_that_are_listed():
    """1 − 1e-30 is 1.0 in float64, yet the class beside it has its probability: an error there is not impossible."""
    chance = leak_test([[1e-30, 1.0]], [0], [1]).decisions
    assert chance.log_lower == pytest.approx(math.log(1e-30), rel=1e-14)
    assert leak_test([[0.0, 1.0]], [0], [1]).decisions.log_lower == -math.inf


def test_the_bayes_decisions_are_the_likeliest_classes_and_the_first_of_equal_ones():
    probs = np.array([[0.4, 0.4, 0.2], [0.1, 0.2, 0.7]])
    bayes = leak_test(probs, [0, 0], [2, 2]).bayes
    assert (bayes.correct, bayes.expected_accuracy) == (1, pytest.approx(0.55))
    decisions, probs, labels = cases(300)
    found = leak_test(probs, labels, probs.argmax(axis=1))
    assert found.decisions == found.bayes
    assert found.bayes.expected >= leak_test(probs, labels, decisions).decisions.expected


def test_the_two_sided_p_value_belongs_to_the_central_interval():
    odds = [(0.1, 0.9), (0.5, 0.5), (0.8, 0.2), (0.97, 0.03)] * 4
    law = PoissonBinomial.of([p for p, _ in odds])
    for confidence in (0.5, 0.9, 0.95, 0.999):
        low, high = law.central(confidence)
        for k in range(len(odds) + 1):
            tails = Tails(log_upper=law.log_upper(k), log_lower=law.log_lower(k))
            assert (tails.two_sided > 1 - confidence) == (low <= k <= high)


def test_each_p_value_is_at_most_alpha_with_a_probability_of_at_most_alpha():
    """Exactly, over the law of the count: what makes them p-values."""
    law = PoissonBinomial.of([0.1, 0.35, 0.5, 0.8, 0.97] * 5)
    pmf = [float(share) for share in exact_pmf([(p, 1 - p) for p in law.success.tolist()])]
    tails = [Tails(log_upper=law.log_upper(k), log_lower=law.log_lower(k)) for k in range(26)]
    for alpha in (0.5, 0.2, 0.05, 0.01, 1e-6):
        for name in ("upper", "lower", "two_sided"):
            assert sum(mass for mass, tail in zip(pmf, tails, strict=True) if getattr(tail, name) <= alpha) <= alpha


def test_decisions_made_from_the_case_alone_pass_and_a_leak_does_not():
    decisions, probs, labels = cases(5000, seed=1)
    honest = leak_test(probs, labels, decisions)
    assert min(honest.decisions.two_sided, honest.bayes.two_sided) > 0.01
    assert honest.decisions.interval[0] < honest.decisions.accuracy < honest.decisions.interval[1]
    leaky = np.where(np.arange(5000) % 10 == 0, labels, probs.argmax(axis=1))
    found = leak_test(probs, labels, leaky)
    assert found.decisions.log_upper < -10
    assert found.bayes == honest.bayes
    shifted = leak_test(probs, np.roll(labels, 1), probs.argmax(axis=1))
    assert shifted.decisions.log_lower < -100


def test_order_of_cases_and_names_of_classes_do_not_matter():
    decisions, probs, labels = cases(400, seed=2)
    found = leak_test(probs, labels, decisions)
    order = np.random.default_rng(0).permutation(400)
    moved = leak_test(probs[order], labels[order], decisions[order])
    renamed = leak_test(probs[:, ::-1], 2 - labels, 2 - decisions)
    for other in (moved, renamed):
        assert other.decisions.correct == found.decisions.correct
        assert other.decisions.log_upper == pytest.approx(found.decisions.log_upper, rel=1e-12)
        assert (other.bayes.low, other.bayes.high) == (found.bayes.low, found.bayes.high)


def test_two_classes_may_be_given_by_the_probability_of_the_second():
    decisions, probs, labels = cases(100, classes=2)
    assert leak_test(probs[:, 1], labels, decisions).decisions.upper == pytest.approx(
        leak_test(probs, labels, decisions).decisions.upper, rel=1e-12
    )


@pytest.mark.benchmark
def test_a_hundred_thousand_cases_take_about_a_second():
    decisions, probs, labels = cases(100_000, seed=3)
    start = time.perf_counter()
    leak_test(probs, labels, decisions)
    assert time.perf_counter() - start < 3


# -- several runs -----------------------------------------------------------------------------------------


def run(n, seed, draws, classes=3):
    decisions, probs, labels = cases(n, classes, seed)
    return Run(decisions=decisions, probs=probs, outcomes=labels, draws=draws)


def named(world, seed, n):
    return [(world, seed, row) for row in range(n)]


def test_runs_on_different_cases_are_one_run():
    """Also where their worlds have different numbers of classes."""
    runs = [run(200, 1, named("a", 1, 200)), run(150, 2, named("a", 2, 150)), run(100, 3, named("b", 1, 100), 2)]
    found = combine(runs)
    success = np.concatenate([one.probs[np.arange(len(one.decisions)), one.decisions] for one in runs])
    correct = sum(int((one.decisions == one.outcomes).sum()) for one in runs)
    assert (found.how, found.pooled.decisions.cases, found.pooled.decisions.correct) == ("pooled", 450, correct)
    law = PoissonBinomial.of(success)
    assert found.decisions.log_upper == pytest.approx(law.log_upper(correct), rel=1e-10)
    assert found.runs[1].decisions.cases == 150
    same_world = combine(runs[:2])
    joined = leak_test(*(np.concatenate([getattr(one, name) for one in runs[:2]]) for name in
                         ("probs", "outcomes", "decisions")))  # fmt: skip
    assert same_world.pooled == joined


def test_runs_that_share_draws_are_not_pooled():
    first, second = run(200, 1, named("a", 1, 200)), run(200, 2, named("a", 2, 200))
    shared = run(200, 3, [*named("a", 3, 199), ("a", 2, 7)])
    found = combine([first, second, shared])
    assert (found.how, found.pooled) == ("bonferroni", None)
    least = min(test.decisions.log_upper for test in found.runs)
    assert found.decisions.log_upper == min(0, math.log(3) + least)
    assert found.bayes.log_lower == min(0, math.log(3) + min(test.bayes.log_lower for test in found.runs))


def test_runs_that_do_not_name_their_draws_are_not_pooled():
    assert combine([run(50, 1, None), run(50, 2, named("a", 2, 50))]).how == "bonferroni"
    assert combine([run(50, 1, None)]).how == "pooled"


def test_pooling_the_same_luck_twice_would_be_wrong():
    """The same run twice: its p-value must not fall, and is twice itself; taken as different cases it falls far."""
    probs, labels = np.full((100, 2), 0.5), np.r_[np.ones(65, int), np.zeros(35, int)]
    decisions = np.ones(100, int)
    twice = [Run(decisions=decisions, probs=probs, outcomes=labels, draws=range(100))] * 2
    one = leak_test(probs, labels, decisions).decisions.upper
    assert combine(twice).decisions.upper == pytest.approx(2 * one, rel=1e-12)
    apart = [twice[0], Run(decisions=decisions, probs=probs, outcomes=labels, draws=range(100, 200))]
    assert combine(apart).decisions.upper < one / 10


def test_the_combined_p_value_is_valid_where_runs_share_their_labels():
    """Two predictors that decide oppositely on shared coins, exactly: P(p ≤ α) ≤ α."""
    law = PoissonBinomial.of([0.5] * 12)
    pmf = [float(share) for share in exact_pmf([(0.5, 0.5)] * 12)]
    for alpha in (0.3, 0.1, 0.05, 0.001):
        mass = 0.0
        for heads in range(13):
            labels = np.r_[np.ones(heads, int), np.zeros(12 - heads, int)]
            ways = [Run(decisions=np.full(12, side), probs=np.full(12, 0.5), outcomes=labels, draws=range(12))
                    for side in (0, 1)]  # fmt: skip
            mass += pmf[heads] * (combine(ways).decisions.upper <= alpha)
        assert mass <= alpha
    assert law.trials == 12


# -- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("decisions", "probs", "outcomes", "code"), [
    ([], np.zeros((0, 2)), [], "scores/empty"),
    ([0, 1], [0.5, 0.5], [0], "scores/shape"),
    ([0, 2], [0.5, 0.5], [0, 1], "scores/outcome"),
    ([0, -2], [0.5, 0.5], [0, 1], "scores/outcome"),
    ([0, 1], [0.5, 0.5], [0, -1], "scores/outcome"),
    ([0, 1], [0.5, 1.5], [0, 1], "scores/probability"),
    ([0, 1], [[0.5, 0.4], [0.5, 0.5]], [0, 1], "scores/sum"),
])  # fmt: skip
def test_what_is_no_run_is_refused(decisions, probs, outcomes, code):
    with pytest.raises(ScoreError) as caught:
        leak_test(probs, outcomes, decisions)
    assert caught.value.code == code


def test_draws_that_are_named_twice_or_not_at_all_are_refused():
    for draws, code in ((["a", "b", "a"], "duplicate-case"), (["a", "b"], "shape")):
        with pytest.raises(ScoreError, match=code):
            Run(decisions=[0, 0, 0], probs=[0.5] * 3, outcomes=[0, 0, 0], draws=draws)
    with pytest.raises(ScoreError, match="scores/empty"):
        combine([])
