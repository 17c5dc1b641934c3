"""``pbn score``, ``pbn leak`` and ``pbn compare`` on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import pbn
from pbn.cases.dataset import make_dataset
from pbn.cases.plan import DatasetPlan
from pbn.cases.records import Contents
from pbn.cli.main import commands


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    """A data set with files of predictions in it: honest, peeking, and partly broken."""
    root = tmp_path_factory.mktemp("scored")
    source = pbn.shipped_worlds()["credit_risk"].read_text(encoding="utf-8")
    contents = Contents(levels=("low", "high"), memo=False)
    plan = DatasetPlan(source=source, seed=7, start=0, stop=300, contents=contents, form="parquet")
    make_dataset(plan, root / "data")
    truth = pd.read_parquet(root / "data" / "truth.parquet")
    truth = truth.merge(pd.read_parquet(root / "data" / "labels.parquet")[["id", "label_default"]], on="id")
    high = truth[truth.level == "high"]
    noise = np.random.default_rng(4).normal(0, 0.2, len(high))
    honest = pd.DataFrame({"id": high.id, "p": np.clip(high.p_default_yes + noise, 0, 1)})
    honest.to_parquet(root / "honest.parquet")
    pd.DataFrame({"id": high.id, "p": 0.2}).to_csv(root / "prior.csv", index=False)
    pd.DataFrame({"id": high.id, "decision": high.label_default}).to_json(
        root / "peeks.jsonl", orient="records", lines=True
    )
    rows = [f"{name},{value}" for name, value in zip(high.id[:5], ["0.5", "70%", "nan", "1.2", "0.5"], strict=True)]
    (root / "broken.csv").write_text("id,p\n" + "\n".join([*rows, "stranger,0.5"]) + "\n", encoding="utf-8")
    return root


@pytest.fixture
def told(pbn_command, data):
    """Run a command on files of the data set."""

    def run(*arguments: str, rc: int = 0):
        words = [str(data / word) if (data / word).exists() and word else word for word in arguments]
        result = pbn_command(*words)
        assert result.exit_code == rc, result.output
        return result.output

    return run


def test_score_as_a_table_json_and_csv(told, data, tmp_path):
    shown = told("score", "honest.parquet", "--truth", "data")
    assert "default, level high  states no, yes; positive: yes" in shown
    assert "300 cases; 300 with valid probabilities" in shown
    for title in ("KL(p*‖q)", "Δ_acc", "realized accuracy", "noise floor", "true calibration error"):
        assert title in shown
    record = json.loads(told("score", "honest.parquet", "--truth", "data", "--json"))
    [group] = record["groups"]
    rows = list(csv.DictReader(io.StringIO(told("score", "honest.parquet", "--truth", "data", "--csv"))))
    assert {row["score"] for row in rows} == set(group["scores"])
    for row in rows:
        value = group["scores"][row["score"]]["value"]
        assert row["value"] == ("" if value is None else repr(value))
    for ending in ("csv", "json"):
        path = tmp_path / f"scores.{ending}"
        assert f"wrote {path}" in told("score", "honest.parquet", "--truth", "data", "-o", str(path))
        text = path.read_text(encoding="utf-8")
        assert list(csv.DictReader(io.StringIO(text))) == rows if ending == "csv" else json.loads(text) == record


def test_score_names_what_is_wrong(told, data):
    shown = told("score", "broken.csv", "--truth", "data")
    first = pd.read_parquet(data / "honest.parquet").id
    assert f"invalid probabilities, percent sign: 1 ({first.iloc[1]})" in shown
    assert "invalid probabilities, NaN: 1" in shown
    assert "invalid probabilities, above 1: 1" in shown
    assert "missing: 295 (" in shown
    assert "rows whose id is no case of the truth that is asked for: 1 (stranger)" in shown
    assert "--missing skip" in shown
    counts = json.loads(told("score", "broken.csv", "--truth", "data", "--json"))["groups"][0]["counts"]
    assert (counts["n_total"], counts["n_scored"], counts["missing"]["count"]) == (300, 2, 295)
    skipped = json.loads(told("score", "broken.csv", "--truth", "data", "--json", "--missing", "skip"))
    assert skipped["groups"][0]["counts"]["n_total"] == 5


def test_score_of_rows(told):
    record = json.loads(told("score", "honest.parquet", "--truth", "data", "--rows", "100:150", "--json"))
    assert record["groups"][0]["counts"]["n_total"] == 50
    assert record["unknown_ids"]["count"] == 250


def test_leak(told):
    shown = told("leak", "peeks.jsonl", "--truth", "data", rc=1)
    assert "not possible without having seen the labels" in shown
    assert "300 of 300 (1.0000)" in shown
    honest = told("leak", "honest.parquet", "--truth", "data")
    assert "possible without having seen the labels: chance gives" in honest
    both = json.loads(told("leak", "honest.parquet", "peeks.jsonl", "--truth", "data", "--json", rc=1))
    assert both["how"] == "bonferroni"
    assert [run["verdict"] for run in both["runs"]] == ["chance", "leak"]
    assert both["decisions"]["log10_p_upper"] < -6
    assert both["runs"][1]["decisions"]["expected_accuracy"] < both["runs"][1]["bayes"]["expected_accuracy"]
    assert "all 2 runs together" in told("leak", "honest.parquet", "prior.csv", "--truth", "data")


def test_compare(told, tmp_path):
    shown = told("compare", "honest.parquet", "prior.csv", "--truth", "data")
    assert "300 cases in both files" in shown
    assert "McNemar's exact p" in shown
    path = tmp_path / "pairs.csv"
    record = json.loads(told("compare", "honest.parquet", "prior.csv", "--truth", "data", "--json", "-o", str(path)))
    [group] = record["groups"]
    assert group["scores"]["l1"]["difference"] < 0
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    assert {row["score"] for row in rows} == set(group["scores"])


@pytest.mark.parametrize(("arguments", "code"), [
    (["score", "none.csv", "--truth", "data"], "predictions/no-file"),
    (["score", "prior.csv", "--truth", "nowhere"], "truth/no-file"),
    (["score", "data/world.yaml", "--truth", "data"], "predictions/format"),
    (["score", "prior.csv", "--truth", "data/labels.parquet"], "truth/column"),
    (["score", "prior.csv", "--truth", "data/cases-high.parquet"], "truth/column"),
    (["score", "prior.csv", "--truth", "data", "--level", "low"], "predictions/no-case"),
    (["score", "prior.csv", "--truth", "data", "--question", "fraud"], "truth/question"),
    (["score", "prior.csv", "--truth", "data", "--csv", "--json"], "cli/which-form"),
    (["score", "prior.csv", "--truth", "data", "-o", "x.xlsx"], "cli/output"),
    (["score", "prior.csv", "--truth", "data", "-o", "no/where.csv"], "cli/output"),
    (["leak", "prior.csv", "--truth", "data", "--labels", "prior.csv"], "truth/labels"),
    (["leak", "prior.csv", "--truth", "data", "--truth", "data"], "cli/how-many"),
    (["compare", "prior.csv", "data/cases-high.parquet", "--truth", "data"], "predictions/column"),
])  # fmt: skip
def test_what_cannot_be_scored_is_one_message(data, monkeypatch, capsys, arguments, code):
    from pbn.cli.main import main

    monkeypatch.chdir(data)
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert code in shown.err
    assert len(shown.err) < 1200


@pytest.mark.parametrize("rows", ["5", "9:5", "a:b", "-1:4", "1:" + "9" * 50])
def test_runs_of_rows_that_are_none(pbn_command, rows):
    assert pbn_command("score", "x.csv", "--truth", "y", "--rows", rows).exit_code == 2


@pytest.mark.parametrize("columns", ["40", "64", "80", "100"])
@pytest.mark.parametrize("files", [["score", "honest.parquet"], ["compare", "honest.parquet", "prior.csv"]], ids=str)
def test_no_number_is_cut_where_columns_are_few(data, columns, files):
    command, *names = files
    words = [command, *(str(data / name) for name in names), "--truth", str(data / "data"), "--level", "high"]
    few, many = (CliRunner(env={"COLUMNS": width}).invoke(commands, words) for width in (columns, "1000"))
    assert few.exit_code == many.exit_code == 0
    numbers = re.compile(r"\d+\.\d{6}")
    assert set(numbers.findall(many.output)) == set(numbers.findall(few.output))
