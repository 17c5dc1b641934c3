"""Tails of a Poisson binomial against exact arithmetic, against a second method, and against its own symmetries."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from pbn.scores.inputs import ScoreError
from pbn.scores.poisson_binomial import PoissonBinomial
from tests.scores.sums import binomial_pmf, decimal_pmf, exact_pmf, log_tails

TOLERANCE = 1e-11  # asked for: 1e-9


def law_of(odds):
    success, failure = np.array(odds).T
    return PoissonBinomial(success=success, failure=failure)


def error(found, wanted):
    """The relative error of a log; logs that are 0 but for what a normal float cannot hold count as 0."""
    if found == wanted or (abs(wanted) < 1e-300 and abs(found) < 1e-300):
        return 0.0
    return abs(found - wanted) / abs(wanted)


def worst(law, upper, lower, counts):
    found = [error(law.log_upper(k), upper(k)) for k in counts]
    return max(found + [error(law.log_lower(k), lower(k)) for k in counts])


# -- against exact arithmetic ---------------------------------------------------------------------------

probability = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 1.0, 0.5, 5e-324, 1e-300, 1e-17, 1e-9, 1 - 2**-53, 1 - 1e-9, 0.3, 0.7]),
    st.floats(-700, 0).map(math.exp),
)
odds = st.tuples(probability, probability).filter(lambda pair: sum(pair) > 0)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(odds, probability.map(lambda p: (p, 1 - p))), min_size=1, max_size=9))
def test_all_tails_of_few_trials_equal_the_fractions(trials):
    law = law_of(trials)
    upper, lower = log_tails(exact_pmf(trials))
    assert worst(law, upper, lower, range(len(trials) + 1)) < 1e-12


def families(n):
    rng = np.random.default_rng(n)
    certain = rng.random(n)
    certain[: n // 5], certain[n // 5 : n // 3] = 0, 1
    wide = np.exp(-rng.uniform(0, 690, n))
    return {
        "uniform": rng.random(n),
        "confident": rng.beta(0.2, 0.05, n),
        "certain": certain,
        "tiny": np.exp(rng.uniform(-40, -10, n)),
        "wide": wide,
        "narrow and wide": np.where(rng.random(n) < 0.5, wide, 0.5),
        "few values": rng.choice([0.03, 0.12, 0.88, 0.97], n),
    }


@pytest.mark.parametrize("name", families(1))
def test_tails_of_500_trials_in_60_digits(name):
    p = families(500)[name]
    trials = [(x, 1 - x) for x in p.tolist()]
    upper, lower = log_tails(decimal_pmf(trials))
    centre = round(law_of(trials).mean)
    near = range(max(0, centre - 15), min(500, centre + 15))
    assert worst(law_of(trials), upper, lower, [*range(0, 501, 20), 1, 2, 498, 499, *near]) < TOLERANCE


@pytest.mark.parametrize("n", [600, pytest.param(2000, marks=pytest.mark.slow)])
def test_tails_in_60_digits_from_one_end_to_the_other(n):
    """Both odds of each trial are given, one of them down to e^-600: the log of a tail goes down to −69,000."""
    rng = np.random.default_rng(3)
    small = np.exp(-rng.choice([0.1, 1, 5, 600], n) * rng.random(n))
    turned = rng.random(n) < 0.5
    trials = list(zip(np.where(turned, 1.0, small).tolist(), np.where(turned, small, 1.0).tolist(), strict=True))
    upper, lower = log_tails(decimal_pmf(trials))
    assert upper(n) < -30 * n
    assert worst(law_of(trials), upper, lower, [*range(0, n + 1, 67), 1, n - 1]) < TOLERANCE


@pytest.mark.parametrize("p", [0.3, *(pytest.param(p, marks=pytest.mark.slow) for p in (1e-3, 1 - 1e-6))])
def test_equal_trials_100000_of_them(p):
    n = 100_000
    upper, lower = log_tails(binomial_pmf(n, p))
    law = PoissonBinomial.of(np.full(n, p))
    counts = [0, 1, round(n * p), min(n, round(n * p) + 60), 60_000, 99_990, n]
    assert upper(n) < -0.09
    assert worst(law, upper, lower, counts) < 10 * TOLERANCE
    for k in counts[1:]:
        theirs = stats.binom.logsf(k - 1, n, p)
        if -600 < theirs < -1e-9:  # beyond that scipy gives −inf
            assert law.log_upper(k) == pytest.approx(theirs, rel=1e-9)


def test_two_kinds_of_trials_100000_of_them():
    """The law of a sum of two binomials, added up in 60 digits, 100 standard deviations from the mean and at it."""
    n, p, r = 50_000, 0.07, 0.61
    one, two = binomial_pmf(n, p), binomial_pmf(n, r)
    law = PoissonBinomial.of(np.repeat([p, r], n))
    at_least = {n: two[n]}
    for j in range(n - 1, -1, -1):
        at_least[j] = at_least[j + 1] + two[j]
    for k in (34_300, 90_000):
        tail = sum(one[j] * at_least[max(0, k - j)] for j in range(max(0, k - n), n + 1))
        assert law.log_upper(k) == pytest.approx(float(tail.ln()), rel=TOLERANCE)
    assert law.log_upper(90_000) < -50_000


def test_what_chance_cannot_give_is_impossible():
    law = PoissonBinomial.of([0.0, 0.0, 1.0, 0.5])
    assert [law.log_upper(k) for k in (-1, 0, 1, 3, 4, 99)] == [0, 0, 0, -math.inf, -math.inf, -math.inf]
    assert [law.log_lower(k) for k in (-1, 0, 2, 4, 99)] == [-math.inf, -math.inf, 0, 0, 0]
    assert law.log_upper(2) == law.log_lower(1) == pytest.approx(math.log(0.5), rel=1e-15)
    assert PoissonBinomial.of([1.0, 0.0]).central(0.95) == (1, 1)
    assert str(law.log_lower(4)) == "0.0"


# -- against a second method ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", families(1))
def test_the_recursion_in_logs_gives_the_same_tails(name):
    law = PoissonBinomial.of(families(1200)[name])
    logs = law.log_pmf()
    for k in (5, 200, round(law.mean), round(law.mean) + 20, 700, 1150):
        upper, lower = logsumexp(logs[k:]), logsumexp(logs[: k + 1])
        # logsumexp of the larger tail has an absolute error of 1e-13, its log is near 0
        assert law.log_upper(k) == pytest.approx(upper, rel=1e-11, abs=1e-11)
        assert law.log_lower(k) == pytest.approx(lower, rel=1e-11, abs=1e-11)


def test_scipy_gives_the_same_law():
    poisson_binom = getattr(stats, "poisson_binom", None)
    if poisson_binom is None:
        pytest.skip("scipy.stats.poisson_binom came with scipy 1.15")
    p = families(400)["uniform"]
    law, theirs = PoissonBinomial.of(p), poisson_binom(p)
    assert law.pmf() == pytest.approx(theirs.pmf(np.arange(401)), abs=1e-13)
    for k in (180, 200, 220):
        assert math.exp(law.log_upper(k)) == pytest.approx(theirs.sf(k - 1), rel=1e-9)


# -- against its own symmetries -----------------------------------------------------------------------

many = st.lists(st.floats(1e-6, 1 - 1e-6), min_size=2, max_size=150)


@settings(max_examples=60, deadline=None)
@given(many, st.randoms(use_true_random=False))
def test_order_certain_trials_and_exchange(trials, random):
    law, k = PoissonBinomial.of(trials), random.randint(1, len(trials))
    shuffled = random.sample(trials, len(trials))
    assert PoissonBinomial.of(shuffled).log_upper(k) == pytest.approx(law.log_upper(k), rel=1e-12)
    assert PoissonBinomial.of([1.0, 0.0, *trials]).log_upper(k + 1) == law.log_upper(k)
    swapped = PoissonBinomial(success=law.failure, failure=law.success)
    assert swapped.log_lower(len(trials) - k) == pytest.approx(law.log_upper(k), rel=1e-12)
    assert math.exp(law.log_upper(k)) + math.exp(law.log_lower(k - 1)) == pytest.approx(1, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(many, st.integers(0, 149), st.floats(0.1, 0.9))
def test_tails_fall_with_the_count_and_rise_with_a_probability(trials, i, share):
    law = PoissonBinomial.of(trials)
    upper = [law.log_upper(k) for k in range(len(trials) + 2)]
    assert all(b <= a for a, b in pairwise(upper))
    raised = list(trials)
    raised[i % len(trials)] += (1 - raised[i % len(trials)]) * share
    larger = PoissonBinomial.of(raised)
    assert all(larger.log_upper(k) >= upper[k] * (1 + 1e-12) for k in range(len(trials) + 1))


def test_two_sums_together_are_the_convolution():
    p = families(300)["uniform"]
    whole, parts = PoissonBinomial.of(p), (PoissonBinomial.of(p[:90]), PoissonBinomial.of(p[90:]))
    assert whole.pmf() == pytest.approx(np.convolve(parts[0].pmf(), parts[1].pmf()), abs=1e-15)
    assert whole.pmf().sum() == pytest.approx(1, abs=1e-14)
    assert whole.mean == pytest.approx(p.sum(), rel=1e-14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=60), st.floats(0.01, 0.999))
def test_the_central_interval_is_what_it_says(trials, confidence):
    law = PoissonBinomial.of(trials)
    low, high = law.central(confidence)
    half = math.log((1 - confidence) / 2)
    inside = [law.log_lower(k) > half and law.log_upper(k) > half for k in range(len(trials) + 1)]
    assert [low <= k <= high for k in range(len(trials) + 1)] == inside


def test_quantiles_at_the_very_edge_are_exact():
    """P(S ≤ 1) of five coins is 6/32 exactly: a half just above that puts 1 outside, one just below it inside."""
    coins = PoissonBinomial.of([0.5] * 5)
    assert coins.central(1 - 2 * 6 / 32 - 1e-12) == (2, 3)
    assert coins.central(1 - 2 * 6 / 32 + 1e-12) == (1, 4)


# -- what is refused ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trials", "code"), [
    ([], "scores/empty"), ([0.5, 1.5], "scores/probability"), ([0.5, -0.1], "scores/probability"),
    ([math.nan], "scores/probability"), ([[0.5]], "scores/shape"), (["a"], "scores/number"),
])  # fmt: skip
def test_what_is_no_row_of_probabilities_is_refused(trials, code):
    with pytest.raises(ScoreError) as caught:
        PoissonBinomial.of(trials)
    assert caught.value.code == code


def test_odds_of_nothing_to_nothing_and_confidences_of_one_are_refused():
    with pytest.raises(ScoreError, match="trial 1 can neither"):
        PoissonBinomial(success=np.array([0.5, 0.0]), failure=np.array([0.5, 0.0]))
    with pytest.raises(ScoreError, match="shape"):
        PoissonBinomial(success=np.array([0.5, 0.0]), failure=np.array([0.5]))
    for confidence in (0, 1, math.nan):
        with pytest.raises(ScoreError, match="scores/confidence"):
            PoissonBinomial.of([0.5]).central(confidence)
