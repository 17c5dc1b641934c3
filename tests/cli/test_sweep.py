"""``pbn sweep``: figures, files, pictures, what is refused, and an interruption."""

from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction

import pytest

import pbn
from pbn.tuning.sweeps import sweep


def test_the_table_is_aligned_and_has_the_figures(pbn_command):
    shown = pbn_command("sweep", "credit_risk", "--residual", "0:0.48:0.24").stdout
    assert "the world's own value is 0.24" in shown
    assert re.search(
        r"^0\.24 +0\.210876 +0\.025927 +0\.107939 +0\.167110 +0\.091299 +0\.211639 +0\.373255$", shown, re.M
    )
    lines = [line for line in shown.splitlines() if line.startswith(("mass", "0"))]
    assert len(lines) == 4
    assert {len(line) for line in lines[1:]} == {len(lines[1])}


def test_narrow_terminals_get_a_row_for_each_level(pbn_command, monkeypatch):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", 60)
    shown = pbn_command("sweep", "credit_risk", "--residual", "0.24").stdout
    assert re.search(r"^medium +0\.24 +0\.210876 +0\.107939 +0\.211639$", shown, re.M)


def test_json_and_csv_hold_every_fraction(pbn_command, tmp_path):
    found = sweep(pbn.load("support_ticket"), ["0.1"], parameter="anger_at_ease")
    options = ["sweep", "support_ticket", "--parameter", "anger_at_ease=0.1"]
    record = json.loads(pbn_command(*options, "--json").stdout)
    assert (record["parameter"], record["variable"], record["exact_own_value"]) == ("anger_at_ease", None, "1/25")
    target = tmp_path / "anger.csv"
    assert pbn_command(*options, "-o", str(target)).stdout.endswith(f"wrote {target}\n")
    text = pbn_command(*options, "--csv").stdout
    assert target.read_text() == text
    for rows in (record["rows"], list(csv.DictReader(io.StringIO(text)))):
        assert len(rows) == len(found.rows) == 9
        for row, wanted in zip(rows, found.rows, strict=True):
            assert (row["question"], row["level"]) == (wanted.question, wanted.level)
            assert Fraction(row["exact_value"]) == wanted.value
            assert Fraction(row["exact_bayes_error"]) == wanted.error
            assert float(row["bayes_error"]) == float(wanted.error)
            assert float(row["entropy"]) == wanted.entropy
            assert (Fraction(row["exact_prior"]) if row["exact_prior"] else None) == wanted.prior


def test_files(pbn_command, tmp_path):
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
    targets = {kind: tmp_path / f"noise.{kind}" for kind in starts}
    outputs = [word for path in targets.values() for word in ("-o", str(path))]
    options = ["sweep", "credit_risk", "--residual", "0,1", "--level", "low"]
    assert pbn_command(*options, *outputs).exit_code == 0
    assert all(targets[kind].read_bytes().startswith(start) for kind, start in starts.items())
    assert len(list(tmp_path.iterdir())) == 3
    targets["svg"].write_text("mine")
    result = pbn_command(*options, *outputs)
    assert (result.exit_code, targets["svg"].read_text()) == (2, "mine")
    assert result.stderr.startswith("cli/file-exists")
    assert pbn_command(*options, "-o", str(targets["svg"]), "--force", "--dark").exit_code == 0
    assert targets["svg"].read_text().startswith("<?xml")


def test_over_the_budget(pbn_command):
    result = pbn_command("sweep", "credit_risk", "--residual", "0.24,0.3", "--budget", "200kB")
    assert result.exit_code == 3
    assert re.search(r"^0\.24 +0\.210876 +over budget +over budget +0\.167110 +— +— +0\.373255$", result.stdout, re.M)
    assert result.stderr.count("exact/over-budget") == 2
    assert "default, level low: the elimination needs" in result.stderr


@pytest.mark.parametrize(("arguments", "code", "words"), [
    ([], "sweep/what", "--residual 0:0.6:0.05"), (["--residual", "0", "--parameter", "x=0"], "sweep/what", "both"),
    (["--parameter", "residual_mass"], "sweep/what", "NAME=first:last:step"),
    (["--residual", "1:0:0.1"], "sweep/range", "begins with 1"), (["--residual", "0:1:0"], "sweep/range", "step 0"),
    (["--residual", "0:1:1e-6"], "sweep/too-many", "1,000,001"), (["--residual", "many"], "sweep/number", "'many'"),
    (["--residual", "nan"], "sweep/number", "'nan'"), (["--residual", ""], "sweep/range", "no value"),
    (["--residual", "0,1.5"], "residual/mass", "1.5 is no probability"),
    (["--parameter", "residul_mass=0"], "query/unknown-parameter", "did you mean 'residual_mass'?"),
    (["--residual", "0", "--variable", "sector"], "residual/unknown", "residual"),
    (["--residual", "0", "--level", "lo"], "query/unknown-level", "did you mean 'low'?"),
    (["--residual", "0", "-o", "a.gif"], "sweep/format", ".csv, .svg"),
    (["--residual", "0", "-o", "no/such/folder.csv"], "network/unwritable", "no/such"),
    (["--residual", "0", "--json", "--csv"], "sweep/format", "exclude"),
])  # fmt: skip
def test_what_is_refused(pbn_command, arguments, code, words):
    result = pbn_command("sweep", "credit_risk", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(code)
    assert words in result.stderr


def test_an_impossible_value_is_named_with_its_place(pbn_command):
    result = pbn_command("sweep", "credit_risk", "--parameter", "residual_mass=0.1,1.2")
    assert result.exit_code == 2
    assert (
        "spec/probability: residual_mass = 1.2: the probability 1 - residual_mass = -0.2 is negative" in result.stderr
    )


def test_an_interruption_ends_it_without_a_word(environment, tmp_path):
    target = tmp_path / "out.csv"
    arguments = ["sweep", "credit_risk", "--parameter", "residual_mass=0:1:0.0005", "--workers", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "pbn", *arguments, "-o", str(target)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )
    time.sleep(3)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=20)
    assert (running.returncode, output, errors.strip()) == (130, "", "")
    assert not list(tmp_path.iterdir())
