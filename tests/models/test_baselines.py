"""Baselines behind one interface: laws out, classes that were never met, the same again for a seed."""

from __future__ import annotations

import numpy as np
import pytest

import pbn
from pbn.cases.encoding import features
from pbn.cases.sample import rows
from pbn.models.baselines import BASELINES, BayesClassifier, View, baseline, logistic_regression, states_of
from pbn.scores.inputs import ScoreError


@pytest.fixture(scope="module")
def view() -> View:
    return View(pbn.load("peer_review"), "high")


@pytest.fixture(scope="module")
def drawn(view):
    return rows(view.world, 2032, 0, 400, view.needed)


@pytest.mark.parametrize("name", BASELINES)
def test_every_baseline_predicts_laws_and_does_so_again(name, view, drawn):
    x, y = view.features(drawn), view.labels(drawn)
    first, second = (baseline(name, view, seed=3).fit(x[:200], y[:200]).probabilities(x) for _ in range(2))
    assert first.shape == (400, 2)
    assert (first >= 0).all()
    assert np.allclose(first.sum(axis=1), 1)
    assert (first == second).all()


@pytest.mark.parametrize("world", ["peer_review", "credit_risk", "covert_transfer", "support_ticket"])
def test_features_can_be_read_back(world):
    loaded = pbn.load(world)
    for level in loaded.levels:
        seen = View(loaded, level, question=next(iter(loaded.questions)))
        codes = rows(loaded, 5, 0, 300, seen.needed)
        encoded = seen.features(codes)
        assert (encoded == features(loaded, codes, seen.names)).all()
        again = states_of(seen, encoded)
        assert all((again[name] == codes[name]).all() for name in seen.names)
        bayes = BayesClassifier(seen).fit(encoded, seen.labels(codes))
        assert (bayes.probabilities(encoded) == seen.truth(codes)).all()


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "Bayes classifier"])
def test_classes_without_a_label_have_probability_0(name, view):
    x = np.random.default_rng(1).random((60, 4))
    y = np.where(x[:, 0] > 0.5, 2, 0)
    found = baseline(name, view).fit(x, y, classes=4).probabilities(x)
    assert found.shape == (60, 4)
    assert (found[:, [1, 3]] == 0).all()
    one = baseline(name, view).fit(x, np.full(60, 1), classes=3).probabilities(x[:2])
    assert one.tolist() == [[0, 1, 0]] * 2


def test_logistic_regression_is_at_its_optimum(view, drawn):
    """The gradient of the penalised loss vanishes: Σ (q − y) x + w = 0, and Σ (q − y) = 0 for the intercept."""
    x, y = view.features(drawn), view.labels(drawn)
    fitted = logistic_regression().fit(x, y)
    off = fitted.probabilities(x)[:, 1] - y
    assert abs(off.sum()) < 1e-4
    assert np.abs(off @ x + fitted.model.coef_[0]).max() < 1e-4


def test_what_is_wrong_is_told(view):
    with pytest.raises(pbn.PbnError, match="did you mean 'gradient boosting'"):
        baseline("gradient bosting", view)
    with pytest.raises(ScoreError, match="labels"):
        baseline("class prior", view).fit([[0.0]], [2])
    with pytest.raises(ScoreError, match="no features of this view"):
        states_of(view, [[0.0, 1.0]])
    with pytest.raises(pbn.QueryError):
        View(view.world, "high", names=("novelty",))
