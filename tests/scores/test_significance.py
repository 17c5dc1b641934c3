"""McNemar's test and Holm's correction, against statsmodels and by what they must be."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.multitest import multipletests

from pbn.scores.inputs import ScoreError
from pbn.scores.significance import holm, log_holm, log_mcnemar, mcnemar

PROBABILITY = st.floats(0, 1)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 400), st.integers(0, 400))
def test_mcnemar_is_that_of_statsmodels(first, second):
    table = [[17, first], [second, 23]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = 1.0 if first == second else float(their_mcnemar(table, exact=True).pvalue)
    assert mcnemar(first, second) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert mcnemar(first, second) == mcnemar(second, first)


@settings(deadline=None, max_examples=40)
@given(st.lists(PROBABILITY, min_size=1, max_size=30))
def test_holm_is_that_of_statsmodels(p_values):
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), rel=1e-12)


@given(st.lists(PROBABILITY, min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_holm_only_raises_and_knows_no_order(p_values, random):
    corrected = holm(p_values)
    assert all(p <= q <= 1 for p, q in zip(p_values, corrected, strict=True))
    order = random.sample(range(len(p_values)), len(p_values))
    assert holm([p_values[k] for k in order]) == pytest.approx([corrected[k] for k in order])


@pytest.mark.parametrize(("first", "second"), [(1235, 0), (3000, 5), (40_000, 30_000), (7, 7), (8, 7)])
def test_the_logarithm_of_mcnemar_beyond_the_least_float(first, second):
    n, least = first + second, min(first, second)
    exact = Fraction(min(2**n, 2 * sum(math.comb(n, j) for j in range(least + 1))), 2**n) if n < 5000 else None
    if exact is None:
        from scipy.stats import binomtest

        assert log_mcnemar(first, second) == pytest.approx(math.log(binomtest(first, n).pvalue), rel=1e-9)
        return
    log_exact = math.log(exact.numerator) - math.log(exact.denominator)
    assert log_mcnemar(first, second) == pytest.approx(log_exact, rel=1e-10, abs=1e-12)


@given(st.lists(st.floats(1e-300, 1), min_size=1, max_size=30))
def test_holm_of_logarithms(p_values):
    logs = log_holm([math.log(p) for p in p_values])
    assert [math.exp(one) for one in logs] == pytest.approx(holm(p_values), rel=1e-9)


def test_what_cannot_be():
    assert holm([]) == []
    for call in (lambda: holm([0.5, 1.2]), lambda: holm([float("nan")]), lambda: mcnemar(-1, 3)):
        with pytest.raises(ScoreError):
            call()
