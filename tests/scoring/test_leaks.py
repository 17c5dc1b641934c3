"""Leaks are found, honest files are not, and runs are combined by the draws of their labels."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.scoring.leaks import leak_report
from pbn.scoring.predictions import read_predictions
from pbn.scoring.truth import read_truth


@pytest.fixture
def told(tmp_path):
    """A file of decisions: the Bayes decision but for a share of cases, where it is the label."""

    def write(truth, peeked, name="mine.csv"):
        rng = np.random.default_rng(8)
        labels, best = truth.labels["default"], truth.probs["default"].argmax(axis=1)
        codes = np.where(rng.random(len(labels)) < peeked, labels, best)
        states = truth.questions["default"].states
        path = tmp_path / name
        pd.DataFrame({"id": truth.ids, "decision": [states[code] for code in codes]}).to_csv(path, index=False)
        return read_predictions(path, truth)

    return write


def test_who_peeks_is_caught(credit_high, told):
    report = leak_report([(told(credit_high, 1.0), credit_high)])
    [run] = report.runs
    assert report.verdict == run.verdict == "leak"
    assert run.test.decisions.upper < 1e-6
    assert run.test.decisions.accuracy == 1
    assert run.test.decisions.expected_accuracy < run.test.bayes.expected_accuracy
    assert run.test.bayes.upper > 1e-3
    assert leak_report([(told(credit_high, 0.6), credit_high)]).verdict == "leak"


def test_the_best_possible_decisions_are_possible(credit_high, told):
    report = leak_report([(told(credit_high, 0.0), credit_high)])
    assert report.verdict == "chance"
    assert report.runs[0].test.decisions == report.runs[0].test.bayes


def test_labels_of_other_cases_are_a_mismatch(credit_high, told, tmp_path):
    found = told(credit_high, 0.0)
    states = credit_high.questions["default"].states
    wrong = [states[1 - code] for code in credit_high.labels["default"]]
    pd.DataFrame({"id": credit_high.ids, "decision": wrong}).to_csv(tmp_path / "wrong.csv", index=False)
    report = leak_report([(read_predictions(tmp_path / "wrong.csv", credit_high), credit_high)])
    assert report.verdict == "mismatch"
    assert found.answers


def test_levels_share_their_draws(credit_data, told):
    truth = read_truth(credit_data)
    report = leak_report([(told(truth, 0.0), truth)])
    assert [run.level for run in report.runs] == ["low", "medium", "high"]
    assert report.combined.how == "bonferroni"
    assert report.verdict == "chance"


def test_seeds_do_not(draw, told):
    truths = [read_truth(draw(seed=seed), level="high") for seed in (2032, 2033)]
    files = [(told(truth, 0.25, f"{k}.csv"), truth) for k, truth in enumerate(truths)]
    report = leak_report(files)
    assert report.combined.how == "pooled"
    assert report.combined.pooled.decisions.cases == 800
    assert report.combined.decisions.log_upper < min(run.test.decisions.log_upper for run in report.runs)
    again = leak_report([files[0], files[0]])
    assert again.combined.how == "bonferroni"


def test_draws_that_are_not_told_are_not_pooled(draw, tmp_path, told):
    files = []
    for seed in (2032, 2033):
        root = draw(seed=seed, form="jsonl")
        (tmp_path / str(seed)).mkdir()
        for name in ("truth.jsonl", "labels.jsonl"):
            (tmp_path / str(seed) / name).write_bytes((root / name).read_bytes())
        truth = read_truth(tmp_path / str(seed) / "truth.jsonl", level="high")
        assert truth.draws is None
        files.append((told(truth, 0.0, f"{seed}.csv"), truth))
    report = leak_report(files)
    assert report.combined.how == "bonferroni"
    assert not report.named


def test_it_needs_labels(credit_data, tmp_path):
    (tmp_path / "mine.parquet").write_bytes((credit_data / "truth.parquet").read_bytes())
    truth = read_truth(tmp_path / "mine.parquet")
    with pytest.raises(pbn.QueryError, match="truth/labels"):
        leak_report([(read_predictions(tmp_path / "mine.parquet", truth), truth)])


def test_missing_cases_are_left_out(credit_high, tmp_path):
    path = tmp_path / "some.csv"
    pd.DataFrame({"id": credit_high.ids[:30], "p": 0.1}).to_csv(path, index=False)
    [run] = leak_report([(read_predictions(path, credit_high), credit_high)]).runs
    assert (run.test.decisions.cases, run.counts.missing.count) == (30, 370)
