"""Cohen's kappa: against scikit-learn's, by its definition in fractions, and what it must be at the edges."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from pbn.scores import ScoreError, cohen_kappa

WEIGHTINGS = (None, "linear", "quadratic")
WEIGHTING = st.sampled_from(WEIGHTINGS)


@st.composite
def pairs(draw, least=0, most=5):
    classes = draw(st.integers(2, most))
    size = draw(st.integers(1, 40))
    decisions = draw(st.lists(st.integers(least, classes - 1), min_size=size, max_size=size))
    return draw(st.lists(st.integers(0, classes - 1), min_size=size, max_size=size)), decisions, classes


def exact(y, decisions, classes, weighting):
    """1 − observed/expected disagreement over all pairs of an outcome and a decision; None where it is 0/0."""

    def apart(i, j):
        if j < 0:
            return Fraction(1)
        return {None: Fraction(i != j), "linear": Fraction(abs(i - j), classes - 1),
                "quadratic": Fraction((i - j) ** 2, (classes - 1) ** 2)}[weighting]  # fmt: skip

    seen = sum(apart(i, j) for i, j in zip(y, decisions, strict=True))
    chance = sum(apart(i, j) for i in y for j in decisions)
    return 1 - seen * len(y) / chance if chance else None


@settings(deadline=None, max_examples=200)
@given(pairs(), WEIGHTING)
def test_it_is_scikit_learn_s(pair, weighting):
    y, decisions, classes = pair
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = cohen_kappa_score(y, decisions, labels=range(classes), weights=weighting)
    assert cohen_kappa(y, decisions, classes, weighting) == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@settings(deadline=None, max_examples=200)
@given(pairs(least=-1), WEIGHTING)
def test_it_is_its_definition_also_with_unknown_decisions(pair, weighting):
    wanted = exact(*pair, weighting)
    found = cohen_kappa(*pair, weighting)
    assert math.isnan(found) if wanted is None else found == pytest.approx(float(wanted), abs=1e-12)


@settings(deadline=None, max_examples=100)
@given(pairs(least=-1), WEIGHTING, st.randoms(use_true_random=False))
def test_order_of_cases_and_of_classes(pair, weighting, random):
    y, decisions, classes = pair
    found = cohen_kappa(*pair, weighting)
    order = random.sample(range(len(y)), len(y))
    again = cohen_kappa([y[k] for k in order], [decisions[k] for k in order], classes, weighting)
    assert again == pytest.approx(found, abs=1e-12, nan_ok=True)
    names = random.sample(range(classes), classes) if weighting is None else list(range(classes))[::-1]
    renamed = [names[k] for k in y], [-1 if k < 0 else names[k] for k in decisions]
    assert cohen_kappa(*renamed, classes, weighting) == pytest.approx(found, abs=1e-12, nan_ok=True)
    assert not found > 1
    if -1 not in decisions:
        assert cohen_kappa(decisions, y, classes, weighting) == pytest.approx(found, abs=1e-12, nan_ok=True)


@given(pairs(most=2))
def test_two_classes_have_one_kappa(pair):
    found = [cohen_kappa(*pair, weighting) for weighting in WEIGHTINGS]
    assert found == pytest.approx([found[0]] * 3, nan_ok=True)


@settings(deadline=None)
@given(pairs(least=-1), WEIGHTING)
def test_declining_is_no_better_than_a_hit(pair, weighting):
    """A right decision taken back raises no kappa from 0 on; as chance agrees less too, one below 0 may rise."""
    y, decisions, classes = pair
    hits = [k for k, (i, j) in enumerate(zip(y, decisions, strict=True)) if i == j]
    before = cohen_kappa(y, decisions, classes, weighting)
    if not hits or not before >= 0:
        return
    after = cohen_kappa(y, [-1 if k == hits[0] else j for k, j in enumerate(decisions)], classes, weighting)
    assert after <= before + 1e-12


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_edges(weighting):
    assert math.isnan(cohen_kappa([1, 1], [1, 1], 3, weighting))  # 0/0
    assert math.isnan(cohen_kappa([0], [0], 2, weighting))
    assert cohen_kappa([1, 1], [0, 0], 2, weighting) == 0  # all wrong, as by chance
    assert cohen_kappa([0, 1], [1, 0], 2, weighting) == -1
    assert cohen_kappa([0, 2, 1], [0, 2, 1], 3, weighting) == 1
    assert cohen_kappa([0, 1, 1], [-1, -1, -1], 2, weighting) == 0
    assert cohen_kappa([0, 10**6], [0, 10**6], 10**9, weighting) == 1


def test_cohen_s_own_weights_tell_near_from_far():
    y = np.arange(30) % 5
    near, far = np.minimum(y + 1, 4), (y + 3) % 5
    for weighting in ("linear", "quadratic"):
        assert cohen_kappa(y, near, 5, weighting) > 0 > cohen_kappa(y, far, 5, weighting)


@pytest.mark.parametrize(("call", "code"), [
    (lambda: cohen_kappa([0, 1], [0, 1], weighting="cubic"), "scores/option"),
    (lambda: cohen_kappa([0, 1], [0, 1], 2, 2), "scores/option"),
    (lambda: cohen_kappa([0, 0], [0, 0], 1), "scores/count"),
    (lambda: cohen_kappa([0, 2], [0, 1]), "scores/outcome"),
    (lambda: cohen_kappa([0, -1], [0, 1]), "scores/outcome"),
    (lambda: cohen_kappa([0, 1], [0, -2]), "scores/outcome"),
    (lambda: cohen_kappa([0, 1], [0]), "scores/shape"),
    (lambda: cohen_kappa([], []), "scores/empty"),
])  # fmt: skip
def test_what_has_no_kappa(call, code):
    with pytest.raises(ScoreError) as caught:
        call()
    assert caught.value.code == code
