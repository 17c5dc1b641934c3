"""What ``pbn score``, ``leak`` and ``compare`` read is never lost, and what is wrong with it is said."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest

import pbn
from pbn.cases.dataset import make_dataset
from pbn.cases.plan import DatasetPlan
from pbn.cases.records import Contents
from pbn.cli.main import main


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """Two small data sets, and files of predictions."""
    root = tmp_path_factory.mktemp("inputs")
    for world, name in (("credit_risk", "data"), ("support_ticket", "tickets")):
        source = pbn.shipped_worlds()[world].read_text(encoding="utf-8")
        contents = Contents(levels=("high",), memo=False)
        make_dataset(DatasetPlan(source=source, seed=7, start=0, stop=60, contents=contents, form="jsonl"), root / name)
    truth = pd.read_json(root / "data" / "truth.jsonl", lines=True)
    truth[["id"]].assign(p=0.25).to_csv(root / "mine.csv", index=False)
    truth[["id"]].assign(decision="Yes").to_csv(root / "capital.csv", index=False)
    law = pd.read_json(root / "tickets" / "truth.jsonl", lines=True).filter(regex="^id$|^p_queue_")
    law.round(3).assign(decision="unknown").to_csv(root / "rounded.csv", index=False)
    return root


@pytest.fixture
def here(drawn, tmp_path, monkeypatch) -> Path:
    """A copy of all that, as the working folder."""
    root = tmp_path / "here"
    shutil.copytree(drawn, root)
    monkeypatch.chdir(root)
    return root


OUTPUTS = [
    "mine.csv", "./mine.csv", "link.csv", "hard.csv", "alone/labels.csv", "alone/truth.csv", "data/manifest.json",
    "data/new.csv", "data/sub/new.json", "parts/new.csv", "../here/mine.csv",
]  # fmt: skip


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_report_replaces_nothing_that_is_read(here, capsys, command, output):
    Path("link.csv").symlink_to("mine.csv")
    os.link("mine.csv", "hard.csv")
    Path("data/sub").mkdir()
    for name in ("alone", "parts"):
        Path(name).mkdir()
    for name in ("truth", "labels"):
        table = pd.read_json(f"data/{name}.jsonl", lines=True)
        table.to_csv(f"alone/{name}.csv", index=False)
    shutil.copy("alone/truth.csv", "parts/part-0.csv")
    truth = next((name for name in ("alone", "parts") if output.startswith(name)), "data")
    truth = "alone/truth.csv" if truth == "alone" else truth
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    files = ["mine.csv"] if command == "score" else ["capital.csv", "mine.csv"]
    assert main([command, *files, "--truth", truth, "-o", output]) == 2
    shown = capsys.readouterr()
    assert "cli/output" in shown.err
    assert shown.out == ""
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


def test_a_report_anywhere_else_is_written(here, capsys):
    for output in ("report.csv", "other.json"):
        assert main(["score", "mine.csv", "--truth", "data", "-o", output]) == 0
        assert main(["score", "mine.csv", "--truth", "data", "-o", output]) == 0  # and written again
        assert Path(output).is_file()


def test_an_empty_text_is_no_path(here, capsys):
    assert main(["score", "mine.csv", "--truth", ""]) == 2
    assert "names no file" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "leak"])
def test_a_file_of_which_nothing_can_be_scored_is_an_error(here, capsys, command):
    assert main([command, "capital.csv", "--truth", "data"]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "predictions/none-valid" in shown.err
    assert "write 'yes'" in shown.err


def test_rescaled_rows_are_counted(here, capsys):
    assert main(["score", "rounded.csv", "--truth", "tickets", "--question", "queue"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "60 cases; 60 with valid probabilities; 0 invalid; 60 with a decision (60 of them unknown)" in shown
    assert "probabilities divided by their sum, which was off by 0.00" in shown
    assert main(["score", "rounded.csv", "--truth", "tickets", "--question", "queue", "--json"]) == 0
    [group] = json.loads(capsys.readouterr().out)["groups"]
    counts = group["counts"]
    assert (counts["n_total"], counts["n_scored"], counts["n_invalid"]) == (60, 60, 0)
    assert counts["rescaled"]["count"] > 0
    assert 0 < counts["rescaled"]["largest_off"] <= 0.004


def test_one_case_is_one_case(here, capsys):
    assert main(["score", "mine.csv", "--truth", "data", "--rows", "0:1"]) == 0
    assert "  1 case; 1 with" in capsys.readouterr().out
