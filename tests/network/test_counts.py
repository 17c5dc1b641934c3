"""Count laws against scipy's floats, against solved locations, and against their own promises."""

import subprocess
import sys
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from scipy import stats

from pbn.errors import NetworkError
from pbn.network.counts import DENOMINATOR, MAX_VALUES, _round, count_law, count_location
from pbn.spec.model import Count

NEGATIVE_BINOMIAL, LOGNORMAL = "negative_binomial", "lognormal"


def make(family, median, shape, start, stop, zero=Fraction(0)):
    return Count(family=family, median=median, shape=Fraction(shape), start=start, stop=stop, zero=Fraction(zero))


# Medians, dispersions and the mass at zero: ProbabilityBench, appendix B. Ranges: our own.
# Locations: solved by an independent program in floating point.
COUNTS = {
    "authors": (make(NEGATIVE_BINOMIAL, 4, 6, 1, 20), 4.257538),
    "manuscript pages": (make(NEGATIVE_BINOMIAL, 10, 20, 4, 40), 10.215966),
    "figures": (make(NEGATIVE_BINOMIAL, 5, 4, 0, 25), 5.618926),
    "tables": (make(NEGATIVE_BINOMIAL, 3, 3, 0, 20), 3.536707),
    "references": (make(NEGATIVE_BINOMIAL, 40, 5, 5, 150), 42.970465),
    "appendix pages": (make(NEGATIVE_BINOMIAL, 10, 3, 0, 60, Fraction(1, 5)), 14.142722),
    "attachments": (make(NEGATIVE_BINOMIAL, 3, 2, 0, 20), 3.757242),
    "team size": (make(NEGATIVE_BINOMIAL, 4, 6, 1, 20), 4.257538),
    "employees": (make(LOGNORMAL, 200, 1, 10, 5000), 5.297667),
    "sites": (make(NEGATIVE_BINOMIAL, 3, 2, 1, 40), 3.132528),
    "departments": (make(NEGATIVE_BINOMIAL, 5, 6, 1, 25), 5.369045),
    "report pages": (make(NEGATIVE_BINOMIAL, 20, 8, 5, 80), 20.972219),
    "charts": (make(NEGATIVE_BINOMIAL, 5, 3, 0, 30), 5.785097),
}
PINNED = {
    NEGATIVE_BINOMIAL: (
        199430802848378, 205998866706301, 189140660890642, 162808190589860, 134536098829278, 108085380135541,
    ),
    LOGNORMAL: (
        142470958330, 78866818522482, 280047154043361, 281887112951655, 188954952810194, 109652559534554,
        60448931179424,
    ),
}  # fmt: skip
named = pytest.mark.parametrize(("count", "location"), COUNTS.values(), ids=COUNTS)


def imbalance(count):
    """P(N < median) + P(N = median) / 2 - 1/2, exactly."""
    law = count_law(count)
    at = count.median - count.start
    return Fraction(2 * sum(law[:at]) + law[at], 2 * DENOMINATOR) - Fraction(1, 2)


def float_law(count, location):
    """The same law from scipy, in floating point."""
    k = np.arange(max(count.start, 1) if count.zero else count.start, count.stop + 1)
    if count.family == NEGATIVE_BINOMIAL:
        r = float(count.shape)
        base = stats.nbinom.pmf(k, r, r / (r + location))
    else:
        with np.errstate(divide="ignore"):
            edges = np.log(np.maximum(np.append(k - 0.5, k[-1] + 0.5), 0))
        z = (edges - location) / float(count.shape)
        base = np.where(z[:-1] < 0, np.diff(stats.norm.cdf(z)), -np.diff(stats.norm.sf(z)))
    law = base / base.sum()
    return np.append(float(count.zero), (1 - float(count.zero)) * law) if count.zero else law


@named
def test_solved_locations(count, location):
    assert count_location(count) == pytest.approx(location, abs=5e-7)


@named
def test_law_is_that_of_scipy(count, location):
    law = np.array(count_law(count)) / DENOMINATOR
    np.testing.assert_allclose(law, float_law(count, count_location(count)), atol=2e-13)


@named
def test_law_sums_to_one_and_halves_at_the_median(count, location):
    law = count_law(count)
    assert len(law) == count.stop - count.start + 1
    assert sum(law) == DENOMINATOR
    assert min(law) > 0
    assert abs(imbalance(count)) <= Fraction(count.median - count.start + 1, DENOMINATOR)


def test_appendix_has_its_zero_mass_and_quartiles():
    law = count_law(COUNTS["appendix pages"][0])
    assert law[0] == DENOMINATOR // 5
    quartiles = [next(k for k in range(61) if 4 * sum(law[: k + 1]) >= q * DENOMINATOR) for q in (1, 2, 3)]
    assert quartiles == [3, 10, 17]


def test_numerators_are_pinned():
    # Every platform must give these very integers: a change here redraws all data sets.
    assert count_law(make(NEGATIVE_BINOMIAL, 3, 2, 1, 6)) == PINNED[NEGATIVE_BINOMIAL]
    assert count_law(make(LOGNORMAL, 3, Fraction(1, 2), 0, 6)) == PINNED[LOGNORMAL]


def test_thirteen_counts_are_quick():
    from pbn.network.counts import _solve

    _solve.cache_clear()
    start = time.perf_counter()
    for count, _ in COUNTS.values():
        count_law(count)
    assert time.perf_counter() - start < 2  # 0.2 s on an idle machine


@pytest.mark.slow
@pytest.mark.parametrize(
    "count",
    [make(NEGATIVE_BINOMIAL, 40_000, 3, 0, MAX_VALUES - 1), make(LOGNORMAL, 5_000, 1, 1, MAX_VALUES)],
    ids=["negative binomial", "lognormal"],
)
def test_longest_ranges(count):
    assert sum(count_law(count)) == DENOMINATOR
    assert abs(imbalance(count)) <= Fraction(count.median, DENOMINATOR)


def test_importing_the_module_loads_no_scipy():
    code = "import sys, pbn.network.counts; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("count", "code"),
    [
        (make(NEGATIVE_BINOMIAL, 1, 2, 1, 40), "network/count-median"),
        (make(NEGATIVE_BINOMIAL, 40, 2, 1, 40), "network/count-median"),
        (make(NEGATIVE_BINOMIAL, 50, 2, 1, 40), "network/count-median"),
        (make(NEGATIVE_BINOMIAL, 25, Fraction(1, 100), 0, 50), "network/count-median"),
        (make(LOGNORMAL, 4999, 1, 10, 5000), "network/count-median"),
        (make(LOGNORMAL, 9, 10**30, 1, 50), "network/count-median"),
        (make(NEGATIVE_BINOMIAL, 5, 2, 0, 40, Fraction(1, 2)), "network/count-median"),
        (make(NEGATIVE_BINOMIAL, 5, 2, 1, 40, Fraction(1, 5)), "network/count-law"),
        (make(NEGATIVE_BINOMIAL, 5, 2, 0, 40, Fraction(-1, 5)), "network/count-law"),
        (make(NEGATIVE_BINOMIAL, 5, 0, 1, 40), "network/count-law"),
        (make(LOGNORMAL, 5, -1, 1, 40), "network/count-law"),
        (make(NEGATIVE_BINOMIAL, 5, 2, -1, 40), "network/count-law"),
        (make(NEGATIVE_BINOMIAL, 5, 2, 40, 1), "network/count-law"),
        (make(LOGNORMAL, 5, 2, 0, MAX_VALUES), "network/count-law"),
    ],
)
def test_laws_that_are_none_are_refused(count, code):
    with pytest.raises(NetworkError) as caught:
        count_law(count)
    assert caught.value.code == code


def test_lowest_positive_value_can_be_the_median_beside_extra_zeros():
    count = make(NEGATIVE_BINOMIAL, 1, 2, 0, 10, Fraction(1, 4))
    assert count_law(count)[:2] == (DENOMINATOR // 4, DENOMINATOR // 2)


def test_equal_remainders_go_to_the_smaller_count():
    assert _round([1, 1, 1]) == (333_333_333_333_334, 333_333_333_333_333, 333_333_333_333_333)
    assert _round([2, 2, 2, 1, 0])[3:] == (142_857_142_857_143, 0)


shapes = st.fractions(min_value=Fraction(1, 20), max_value=50, max_denominator=20)


@st.composite
def counts(draw):
    zero = draw(st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 3)]))
    start = 0 if zero else draw(st.integers(0, 30))
    stop = start + draw(st.integers(2, 60))
    median = draw(st.integers(start + 1, stop - 1))
    return make(draw(st.sampled_from([NEGATIVE_BINOMIAL, LOGNORMAL])), median, draw(shapes), start, stop, zero)


@settings(max_examples=60, deadline=None)
@given(count=counts())
def test_any_law_halves_at_its_median(count):
    try:
        law = count_law(count)
    except NetworkError as error:
        if error.code != "network/count-median":
            raise
        reject()
    assert sum(law) == DENOMINATOR
    assert min(law) >= 0
    assert abs(imbalance(count)) <= Fraction(count.median - count.start + 1, DENOMINATOR)
    np.testing.assert_allclose(np.array(law) / DENOMINATOR, float_law(count, count_location(count)), atol=1e-9)


@pytest.mark.parametrize("family", [NEGATIVE_BINOMIAL, LOGNORMAL])
@given(start=st.integers(0, 40), shape=shapes)
@settings(deadline=None, max_examples=60)
def test_equal_probabilities_are_rounded_up_at_the_smaller_count(family, start, shape):
    """With one count on either side of the median, both are equally probable, whatever the law."""
    try:
        law = count_law(make(family, start + 1, shape, start, start + 2))
    except NetworkError as error:
        if error.code != "network/count-median":
            raise
        reject()
    assert law[0] - law[2] in (0, 1)
