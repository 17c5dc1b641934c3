"""All scores of a file: those of the score functions, right at the oracle, honest about what was not scored."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn import scores
from pbn.scores.calibration import Binning
from pbn.scores.smooth_calibration import smooth_ece
from pbn.scoring.items import RESAMPLES, decision_items, intervals, probability_items, resamples
from pbn.scoring.matching import match
from pbn.scoring.predictions import read_predictions
from pbn.scoring.scores import score_predictions
from pbn.scoring.truth import read_truth

LINEAR = ("kl", "l1", "squared_distance", "expected_log_loss", "entropy", "log_loss", "expected_brier", "brier",
          "expected_accuracy", "bayes_accuracy", "accuracy_gap", "accuracy")  # fmt: skip


def scored(table, truth, tmp_path, **options):
    path = tmp_path / "predictions.parquet"
    table.to_parquet(path)
    return score_predictions(read_predictions(path, truth), truth, **options)


def noisy(table, seed=1):
    probs = np.clip(table.p_default_yes + np.random.default_rng(seed).normal(0, 0.15, len(table)), 0, 1)
    return pd.DataFrame({"id": table.id, "p": probs})


@pytest.mark.parametrize("data", ["credit_data", "ticket_data"])
def test_the_truth_scores_as_the_best_there_is(request, data):
    root = request.getfixturevalue(data)
    truth = read_truth(root)
    found = score_predictions(read_predictions(root / "truth.parquet", truth), truth)
    assert len(found.groups) == len(truth.questions) * 3
    for group in found.groups:
        cases = truth.level == truth.levels.index(group.level)
        p = truth.probs[group.question][cases]
        assert group["kl"].value == pytest.approx(scores.kl_divergence(p, p).value, abs=1e-12)
        for name in ("kl_unclipped", "l1", "squared_distance", "accuracy_gap", "true_ce", "true_smooth_ce"):
            assert group[name].value == 0
        assert group["expected_accuracy"].value == group["bayes_accuracy"].value
        luck = 4.5 * math.sqrt(group["irreducible_brier"].value / 400)  # P(beyond 4.5 standard errors) < 1e-5
        assert abs(group["accuracy"].value - group["bayes_accuracy"].value) < luck
        assert group["log_loss"].value == pytest.approx(group["expected_log_loss"].value, abs=0.15)
        assert group.counts.scored == group.counts.total == 400
        for score in group.scores:
            assert score.interval is None or score.interval.low <= score.value + 1e-9 <= score.interval.high + 2e-9


def test_values_are_those_of_the_score_functions(credit_table, credit_data, tmp_path):
    truth = read_truth(credit_data)
    table = noisy(credit_table)
    found = scored(table, truth, tmp_path)
    for group in found.groups:
        rows = credit_table.level == group.level
        p, q = credit_table.p_default_yes[rows].to_numpy(), table.p[rows].to_numpy()
        y = (credit_table.label_default[rows] == "yes").to_numpy().astype(int)
        decided = (q > 0.5).astype(int)
        expected = {
            "kl": scores.kl_divergence(p, q).value,
            "l1": scores.l1_distance(p, q),
            "squared_distance": scores.squared_distance(p, q),
            "expected_log_loss": scores.expected_log_loss(p, q).value,
            "entropy": scores.conditional_entropy(p),
            "log_loss": scores.log_loss(y, q).value,
            "expected_brier": scores.expected_brier(p, q).value,
            "irreducible_brier": scores.expected_brier(p, q).irreducible,
            "brier": scores.brier(y, q),
            "expected_accuracy": scores.expected_accuracy(p, decided).value,
            "bayes_accuracy": scores.bayes_accuracy(p),
            "accuracy_gap": scores.expected_accuracy(p, decided).gap,
            "accuracy": scores.realized_accuracy(y, decided).value,
            "ece": scores.ece(y, q).value,
            "smooth_ece": smooth_ece(y, q),
            "true_ce": scores.true_calibration_error(p, q).value,
        }
        for name, value in expected.items():
            assert group[name].value == pytest.approx(value, abs=1e-12), name
        assert (group["kl_unclipped"].value is None) == (scores.kl_divergence(p, q).unclipped is None)
        assert str(scores.kl_divergence(p, q).clipped) in group["kl"].note
        assert group["accuracy"].interval == scores.mean_interval((decided == y).astype(float))
        methods = {name: group[name].interval.method for name in LINEAR}
        assert methods == dict.fromkeys(LINEAR, "bca") | {"accuracy": "wilson"}
        assert group["accuracy"].note == "Wilson's interval"


def test_values_of_many_classes(ticket_data, tmp_path):
    truth = read_truth(ticket_data, level="medium")
    rng = np.random.default_rng(5)
    asked = truth.questions["queue"]
    q = 0.7 * truth.probs["queue"] + 0.3 * rng.dirichlet(np.ones(8), 400)
    table = pd.DataFrame({"id": truth.ids} | {f"p_{state}": q[:, k] for k, state in enumerate(asked.states)})
    path = tmp_path / "queue.parquet"
    table.to_parquet(path)
    [group] = score_predictions(read_predictions(path, truth, "queue"), truth).groups
    p, y = truth.probs["queue"], truth.labels["queue"]
    assert group["kl"].value == pytest.approx(scores.kl_divergence(p, q).value, abs=1e-12)
    assert group["log_loss"].value == pytest.approx(scores.log_loss(y, q).value, abs=1e-12)
    assert group["brier"].value == pytest.approx(scores.brier(y, q), abs=1e-12)
    top = Binning(of="top-label")
    assert group["ece"].value == pytest.approx(scores.ece(y, q, top).value, abs=1e-12)
    assert group["ece"].id == "ece[10 equal-width, top-label, l1]"
    assert group["true_ce"].value == pytest.approx(scores.true_calibration_error(p, q, top).value, abs=1e-12)


def test_order_and_subsets(credit_table, credit_high, tmp_path):
    table = noisy(credit_table[credit_table.level == "high"])
    whole = scored(table, credit_high, tmp_path).groups[0]
    assert scored(table.sample(frac=1, random_state=1), credit_high, tmp_path).groups[0] == whole
    half = table.iloc[:200]
    counted = scored(half, credit_high, tmp_path).groups[0]
    assert counted.counts.missing.count == 200
    assert counted.counts.total == 400
    assert counted["bayes_accuracy"] == whole["bayes_accuracy"]
    skipped = scored(half, credit_high, tmp_path, missing="skip").groups[0]
    assert skipped.counts.total == 200
    assert skipped["kl"] == counted["kl"]
    assert counted["accuracy"].value == pytest.approx(skipped["accuracy"].value / 2)
    assert counted["expected_accuracy"].value == pytest.approx(skipped["expected_accuracy"].value / 2)
    with pytest.raises(pbn.QueryError, match="predictions/missing"):
        scored(half, credit_high, tmp_path, missing="forget")


def test_a_run_of_rows_is_a_data_set_of_its_own(credit_table, credit_data, tmp_path):
    table = noisy(credit_table[credit_table.level == "high"]).iloc[100:150]
    truth = read_truth(credit_data, rows=(100, 150), level="high")
    group = scored(table, truth, tmp_path).groups[0]
    assert (group.counts.total, group.counts.missing.count) == (50, 0)


def test_what_is_invalid_counts_as_unknown(credit_table, credit_high, tmp_path):
    table = noisy(credit_table[credit_table.level == "high"])
    clean = scored(table, credit_high, tmp_path).groups[0]
    table.loc[table.index[:10], "p"] = math.nan
    broken = scored(table, credit_high, tmp_path).groups[0]
    assert broken.counts.scored == 390
    assert broken.counts.invalid_probabilities["empty"].count == 10  # pandas writes NaN as nothing
    hits = decision_items(credit_high.probs["default"], (noisy_decisions(table)), credit_high.labels["default"])
    assert broken["expected_accuracy"].value == pytest.approx(hits["expected_accuracy"].mean())
    assert broken["kl"].cases == 390
    assert broken["accuracy"].cases == 400
    assert clean["accuracy"].value > broken["accuracy"].value


def noisy_decisions(table):
    return np.where(table.p.isna(), -1, (table.p > 0.5).astype(int))


def test_nothing_valid_leaves_what_can_be_had(credit_high, tmp_path):
    table = pd.DataFrame({"id": credit_high.ids, "p": "70%", "decision": "unknown"})
    group = scored(table, credit_high, tmp_path).groups[0]
    assert group.counts.scored == 0
    assert group["accuracy"].value == 0
    assert {score.name for score in group.scores} == {"expected_accuracy", "bayes_accuracy", "accuracy_gap", "accuracy"}


def test_decisions_alone(credit_high, tmp_path):
    states = credit_high.questions["default"].states
    decided = [states[code] for code in credit_high.labels["default"]]
    group = scored(pd.DataFrame({"id": credit_high.ids, "decision": decided}), credit_high, tmp_path).groups[0]
    assert not group.implied
    assert group["accuracy"].value == 1
    assert group["expected_accuracy"].value < group["bayes_accuracy"].value


def test_without_labels_realized_scores_are_left_out(credit_data, tmp_path):
    table = pd.read_parquet(credit_data / "truth.parquet")
    table.to_parquet(tmp_path / "alone.parquet")
    truth = read_truth(tmp_path / "alone.parquet")
    found = score_predictions(read_predictions(tmp_path / "alone.parquet", truth), truth)
    names = {score.name for score in found.groups[0].scores}
    assert not names & {"accuracy", "log_loss", "brier", "ece", "smooth_ece", "noise_floor"}
    assert {"kl", "true_ce", "expected_accuracy"} <= names
    assert "no labels" in found.notes[0]


def test_one_case_has_no_interval(credit_high, tmp_path):
    table = pd.DataFrame({"id": credit_high.ids[:1], "p": [0.5]})
    group = scored(table, credit_high, tmp_path, missing="skip").groups[0]
    assert all(score.interval is None and "interval" not in score.note for score in group.scores)


def test_intervals_are_reproducible_and_cover():
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(120):
        found = intervals({"x": rng.exponential(1, 200)}, seed=trial)["x"]
        covered += found.low <= 1 <= found.high
    assert covered >= 104  # four standard deviations below 95%
    items = {"x": rng.random(50), "y": rng.random(50)}
    assert intervals(items, 3) == intervals(items, 3) != intervals(items, 4)
    assert intervals({"y": items["y"]}, 3)["y"].low == pytest.approx(intervals(items, 3)["y"].low, rel=1e-12)
    assert sum(map(len, resamples(50, 0))) == RESAMPLES
    large = intervals({"x": rng.random(20_000)}, 0)["x"]
    assert large.method == "normal"
    assert large.low < 0.5 < large.high


def test_items_are_right_by_hand():
    p, q = np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[0.25, 0.75], [0.0, 1.0]])
    items = probability_items(p, q, np.array([1, 1]))
    assert items["kl"][0] == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))
    assert items["brier"].tolist() == [0.0625, 0]
    assert items["log_loss"][1] == pytest.approx(-math.log(0.999))
    assert items["expected_brier"][0] == pytest.approx(0.5 * 0.5625 + 0.5 * 0.0625)


def test_several_levels_in_one_file(credit_table, credit_data, tmp_path):
    truth = read_truth(credit_data)
    two = credit_table[credit_table.level != "medium"]
    found = scored(noisy(two), truth, tmp_path)
    assert [group.level for group in found.groups] == ["low", "high"]
    assert [one.level for one in match(truth, read_predictions(tmp_path / "predictions.parquet", truth))] == [
        "low", "high",
    ]  # fmt: skip


def test_the_package_of_scores_hands_out_its_functions():
    for name in scores.__all__:
        assert callable(getattr(scores, name)) or name == "ESTIMATORS"
    assert set(scores.__all__) <= set(dir(scores))
    with pytest.raises(AttributeError):
        _ = scores.nothing
