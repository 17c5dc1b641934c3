"""Two files on the same cases: differences of all scores, and McNemar's test."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import pbn
from pbn.scores.accuracy import paired_difference
from pbn.scoring.pairs import compare_predictions
from pbn.scoring.predictions import read_predictions
from pbn.scoring.scores import score_predictions
from pbn.scoring.truth import read_truth


@pytest.fixture
def files(credit_high, tmp_path):
    """Write probabilities of some cases as a file and read it."""

    def write(name, noise, rows=slice(None), truth=credit_high):
        p = truth.probs["default"][rows, 1]
        q = np.clip(p + np.random.default_rng(noise).normal(0, noise / 20, len(p)), 0, 1)
        pd.DataFrame({"id": truth.ids[rows], "p": q}).to_csv(tmp_path / name, index=False)
        return read_predictions(tmp_path / name, truth)

    return write


def test_differences_are_of_the_scores(credit_high, files):
    a, b = files("a.csv", 1), files("b.csv", 6)
    [group] = compare_predictions(a, b, credit_high).groups
    one, other = (score_predictions(file, credit_high).groups[0] for file in (a, b))
    assert group.shared == group.scored == 400
    for found in group.differences:
        assert found.first == pytest.approx(one[found.name].value, abs=1e-12)
        assert found.second == pytest.approx(other[found.name].value, abs=1e-12)
        assert found.difference == pytest.approx(found.first - found.second, abs=1e-12)
        if found.interval is not None:
            assert found.interval.low <= found.difference <= found.interval.high
        assert (found.interval is None) == (found.name in ("ece", "smooth_ece", "true_ce", "true_smooth_ce"))
    assert group["kl"].interval.high < 0
    assert {one.interval.method for one in group.differences if one.interval and one.name != "accuracy"} == {"bca"}
    assert group["expected_accuracy"].interval.low > 0


def test_a_file_and_itself(credit_high, files):
    [group] = compare_predictions(files("a.csv", 2), files("b.csv", 2), credit_high).groups
    assert all(one.difference == 0 for one in group.differences)
    for one in group.differences:
        if one.interval is not None and one.name != "accuracy":
            assert one.interval.low == one.interval.high == 0
    found = group["accuracy"].interval  # other cases might yet tell the files apart
    assert -0.01 < found.low == -found.high < 0
    assert group.mcnemar.p == 1


def test_mcnemar_is_exact(credit_high, tmp_path):
    states, labels = credit_high.questions["default"].states, credit_high.labels["default"]
    right = [states[code] for code in labels]
    wrong = [states[1 - code] for code in labels]
    first, second = list(right), list(right)
    first[:3], second[3:15] = wrong[:3], wrong[3:15]
    found = []
    for name, decided in (("a.csv", first), ("b.csv", second)):
        pd.DataFrame({"id": credit_high.ids, "decision": decided}).to_csv(tmp_path / name, index=False)
        found.append(read_predictions(tmp_path / name, credit_high))
    [group] = compare_predictions(*found, credit_high).groups
    assert (group.mcnemar.first_only, group.mcnemar.second_only) == (12, 3)
    assert group.mcnemar.p == pytest.approx(2 * binom.cdf(3, 15, 0.5))
    assert {one.name for one in group.differences} == {"expected_accuracy", "accuracy_gap", "accuracy"}
    hits = [(np.array(decided) == right) * 1.0 for decided in (first, second)]
    assert group["accuracy"].interval == paired_difference(*hits)
    assert group["accuracy"].interval.method == "bonett-price"


def test_holm_over_levels(credit_data, tmp_path):
    truth = read_truth(credit_data)
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    states = truth.questions["default"].states
    rng = np.random.default_rng(2)
    best = truth.probs["default"].argmax(axis=1)
    for path, flips in ((a, 0.02), (b, 0.1)):
        codes = np.where(rng.random(len(best)) < flips, 1 - best, best)
        pd.DataFrame({"id": truth.ids, "decision": [states[k] for k in codes]}).to_csv(path, index=False)
    groups = compare_predictions(*(read_predictions(path, truth) for path in (a, b)), truth).groups
    raw, holm = zip(*sorted((one.mcnemar.p, one.mcnemar.holm) for one in groups), strict=True)
    assert holm[0] == pytest.approx(min(1, 3 * raw[0]))
    assert list(holm) == sorted(holm)
    assert all(h >= p for p, h in zip(raw, holm, strict=True))


def test_shared_cases_alone_are_compared(credit_high, files):
    [group] = compare_predictions(
        files("a.csv", 1, slice(0, 300)), files("b.csv", 1, slice(100, 400)), credit_high
    ).groups
    assert (group.shared, group.first_only, group.second_only) == (200, 100, 100)
    assert all(one.cases == 200 for one in group.differences)


def test_nothing_shared_is_refused(credit_data, credit_high, files):
    with pytest.raises(pbn.QueryError, match="predictions/nothing-shared"):
        compare_predictions(files("a.csv", 1, slice(0, 100)), files("b.csv", 1, slice(100, 400)), credit_high)
    truth = read_truth(credit_data)
    low, high = (slice(400 * k, 400 * (k + 1)) for k in (0, 2))
    with pytest.raises(pbn.QueryError, match="default at level low"):
        compare_predictions(files("a.csv", 1, low, truth), files("b.csv", 1, high, truth), truth)
