"""Baselines behind one interface: laws out, classes that were never met, the same again for a seed."""

from __future__ import annotations

import numpy as np
import pytest

import pbn
from pbn.cases.encoding import features
from pbn.cases.sample import rows
from pbn.models.baselines import (
    BASELINES,
    BayesClassifier,
    View,
    baseline,
    gradient_boosting,
    logistic_regression,
    nearest_neighbours,
    states_of,
)
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
    with pytest.raises(ScoreError, match="scores/shape"):
        states_of(view, [[0.0, 1.0]])
    with pytest.raises(pbn.QueryError):
        View(view.world, "high", names=("novelty",))


@pytest.mark.parametrize("name", [name for name in BASELINES if name != "Bayes classifier"])
@pytest.mark.parametrize("labels", [[0, 1, 0, 1, 1, 0], [1] * 6])
def test_features_of_another_shape_or_without_numbers(name, labels, view):
    x = np.arange(12.0).reshape(6, 2)
    holes = np.where(x == 7, np.nan, x)
    with pytest.raises(ScoreError, match="row 3 of the features is not finite"):
        baseline(name, view).fit(holes, labels)
    for bad in (x[0], np.zeros((6, 0)), np.zeros((6, 2, 1))):
        with pytest.raises(ScoreError, match="scores/shape"):
            baseline(name, view).fit(bad, labels)
    fitted = baseline(name, view).fit(x, labels)
    for bad in (x[:, :1], np.c_[x, x], x[0]):
        with pytest.raises(ScoreError, match="scores/shape"):
            fitted.probabilities(bad)
    for bad in (holes, np.where(x == 7, np.inf, x), np.ma.masked_array(x, x == 7)):
        with pytest.raises(ScoreError, match="scores/number: row 3 of the features is"):
            fitted.probabilities(bad)


def test_settings_that_do_not_exist():
    for penalty in (0, -1.0, float("nan"), float("inf"), "1", None, True):
        with pytest.raises(ScoreError, match="scores/option"):
            logistic_regression(penalty=penalty)
    for seed in (-1, 1.5, 2**32, "0"):
        with pytest.raises(ScoreError, match="scores/count"):
            gradient_boosting(seed=seed)
    with pytest.raises(ScoreError, match="scores/count"):
        nearest_neighbours(0)


def test_the_bayes_classifier_needs_all_that_the_level_shows():
    world = pbn.load("credit_risk")
    names = world.level("high").visible
    with pytest.raises(ScoreError, match=f"add {names[-1]}") as caught:
        BayesClassifier(View(world, "high", names=names[:-1]))
    assert caught.value.code == "scores/view"
    with pytest.raises(ScoreError, match="scores/view"):
        baseline("Bayes classifier", View(world, "high", names=names[:1]))
    turned = View(world, "high", names=names[::-1])
    drawn = rows(world, 1, 0, 50, turned.needed)
    assert (BayesClassifier(turned).probabilities(turned.features(drawn)) == turned.truth(drawn)).all()


def test_the_bayes_classifier_does_not_guess_what_a_row_says():
    seen = View(pbn.load("credit_risk"), "low")
    x = seen.features(rows(seen.world, 1, 0, 20, seen.needed))
    bayes, numeric = BayesClassifier(seen), next(name for name in seen.names if seen.encoded(name).shape[1] == 1)
    first = next(name for name in seen.names if seen.encoded(name).shape[1] > 1)

    def column(name):
        return sum(seen.encoded(one).shape[1] for one in seen.names[: seen.names.index(name)])

    def changed(name, *values):
        found = x.copy()
        found[3, column(name) : column(name) + len(values)] = values
        return found

    states = seen.encoded(first).shape[1]
    for values in ([0.0] * states, [1.0] * states, [0.5] * 2 + [0.0] * (states - 2), [2.0] + [0.0] * (states - 1)):
        with pytest.raises(ScoreError, match=f"row 3 of the features is no state of {first}"):
            bayes.probabilities(changed(first, *values))
    for value in (-0.5, 1.5, 1e300):
        with pytest.raises(ScoreError, match=f"row 3 of the features is no state of {numeric}"):
            bayes.probabilities(changed(numeric, value))
    with pytest.raises(ScoreError, match="row 3 of the features is not finite"):
        bayes.probabilities(changed(numeric, np.nan))
    with pytest.raises(ScoreError, match="row 0 of the features is not finite"):
        bayes.probabilities(np.full_like(x, np.nan))
    with pytest.raises(ScoreError, match="scores/shape"):
        bayes.probabilities(x[0])
    assert (bayes.probabilities(x.astype(np.float32)) == bayes.probabilities(x)).all()
