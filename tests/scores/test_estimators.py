"""The estimators of the Bayes error behind one signature."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from pbn.scores import ESTIMATORS, ScoreError, bayes_error, soft_label_mean


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_mapping_has_every_estimator_of_the_module():
    made = {name for name, found in vars(bayes_error).items() if not name.startswith("_")
            and inspect.isfunction(found) and found.__annotations__.get("return") == "BayesErrorBounds"}  # fmt: skip
    assert set(ESTIMATORS) == made
    for estimate in ESTIMATORS.values():
        found = inspect.signature(estimate).parameters
        assert list(found)[:4] == ["features", "labels", "rng", "classes"]
        assert all(found[name].default is not inspect.Parameter.empty for name in list(found)[3:])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_works_through_the_mapping(name):
    rows, soft = rng().random((400, 2)), rng(2).random(400)
    labels = (rng(3).random(400) < soft).astype(int)
    given = soft if name == "soft_label_mean" else labels
    found = ESTIMATORS[name](rows, given, rng=rng(1), classes=2)
    assert found.n == 400
    assert any(0 < value < 0.6 for value in (found.lower, found.upper, found.point) if value is not None)
    alone = {"soft_label_mean": lambda: soft_label_mean(soft)}
    named = getattr(bayes_error, name)
    assert found == alone.get(name, lambda: named(rows, labels, rng=rng(1)))()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_each_estimator_with_three_classes_answers_or_says_why_not(name):
    rows, labels = np.eye(3)[np.arange(30) % 3], np.arange(30) % 3
    given = np.eye(3)[labels] if name == "soft_label_mean" else labels
    if name in ("k_nearest", "henze_penrose"):
        with pytest.raises(ScoreError, match="two classes only") as caught:
            ESTIMATORS[name](rows, given, rng=rng(), classes=3)
        assert caught.value.code == "scores/classes"
    else:
        assert ESTIMATORS[name](rows, given, rng=rng(), classes=3).upper < 0.67
    with pytest.raises(ScoreError):
        ESTIMATORS[name](rows, given, rng=rng(), classes=2)
    for classes in (1, "3", 2.0):
        with pytest.raises(ScoreError, match="scores/count"):
            ESTIMATORS[name](rows, given, rng=rng(), classes=classes)


def test_shares_of_hard_labels_are_multiples():
    for probs, draws in (([0.3], 2), ([0.5, 0.25], 2), (np.full((2, 4), 0.25), 6)):
        with pytest.raises(ScoreError, match="scores/share"):
            soft_label_mean(probs, draws=draws)
    thirds = np.array([[1, 1, 1], [0, 2, 1]], dtype=np.float32) / 3
    assert soft_label_mean(thirds, draws=3).point == pytest.approx(0.5)
    assert soft_label_mean([0.1 + 0.2], draws=10).n == 1
