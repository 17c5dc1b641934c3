from __future__ import annotations

import json
import re

import pytest

import pbn

ALL = sorted(pbn.shipped_worlds())


@pytest.fixture
def failing_world(tmp_path):
    path = tmp_path / "failing.yaml"
    text = pbn.shipped_worlds()["support_ticket"].read_text(encoding="utf-8")
    path.write_text(text.replace("slip: .06 ", "slip: 0 "), encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_all_shipped_worlds(pbn_command):
    result = pbn_command("check", "--samples", "3")
    assert result.exit_code == 0, result.stderr
    assert re.findall(r"^(\w+): all \d+ promises are kept$", result.stdout, re.MULTILINE) == ALL
    assert "✗" not in result.stdout
    assert "skipped" not in result.stdout


def test_a_report_reads_at_a_glance(pbn_command, monkeypatch):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", 80)
    shown = pbn_command("check", "credit_risk", "--samples", "2").stdout
    assert max(map(len, shown.splitlines())) <= 80
    rows = [re.split(r" {2,}", line.strip()) for line in shown.splitlines() if line.startswith("✓")]
    assert ["✓", "cpds_exact", "29 rows sum to 1"] in rows
    assert ["✓", "strictly_nested", "medium", "ε* +0.082013"] in rows
    assert ["✓", "high", "ε* +0.059171"] in rows
    assert ["✓", "irrelevant_error", "all 3", "ε* unchanged"] in rows
    assert ["✓", "published_values", "0.210876, published 0.211"] in rows
    parts = [line.strip() for line in shown.splitlines() if line.startswith("    ")]
    assert parts[1:] == ["soundness", "condition 1: no leak", "condition 2: no loss", "claims of the file"]


def test_details_where_there_is_room(pbn_command, monkeypatch):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", 120)
    shown = pbn_command("check", "covert_transfer", "--samples", "2").stdout
    assert max(map(len, shown.splitlines())) <= 120
    assert "1,370,928 values of the separator" in shown
    assert "ε* 0.019231 at low, 0.073964 at medium" in shown


def test_several_questions_are_named(pbn_command):
    shown = pbn_command("check", "support_ticket", "--samples", "2").stdout
    assert re.search(r"positive_bayes_error +queue, low +ε\* 0\.057888", shown)
    assert re.search(r"irrelevant_error +all 9 +ε\* unchanged", shown)


def test_a_failure_is_named_and_the_exit_code_says_so(pbn_command, failing_world):
    result = pbn_command("check", failing_world, "--samples", "2")
    assert result.exit_code == 1
    assert "✗ positive_bayes_error (queue, low): low tells the outcome with certainty" in result.stdout
    assert re.search(r"support_ticket: 60 of 61 promises are kept, 1 failed$", result.stdout, re.MULTILINE)


def test_what_is_skipped_is_named_and_no_pass(pbn_command):
    result = pbn_command("check", "credit_risk", "--samples", "2", "--budget", "3MB")
    assert result.exit_code == 0
    assert re.search(r"– engines_agree \(default, low\): pgmpy's tables would take [\d.]+ MB", result.stdout)
    assert re.search(
        r"credit_risk: \d+ of 37 promises are kept, \d+ skipped, which is no pass$", result.stdout, re.MULTILINE
    )
    (told,) = json.loads(pbn_command("check", "credit_risk", "--samples", "2", "--budget", "3MB", "--json").stdout)
    assert told["passed"] is False
    assert told["failed"] == 0
    assert told["skipped"] > 0


def test_a_world_that_does_not_load_leaves_the_others(pbn_command, broken_world, failing_world):
    result = pbn_command("check", broken_world, "support_ticket", failing_world, "--samples", "2")
    assert result.exit_code == 2
    assert "broken.yaml:" in result.stderr
    assert "support_ticket: all 61 promises are kept" in result.stdout
    assert "1 failed" in result.stdout


def test_json(pbn_command, failing_world):
    result = pbn_command("check", "covert_transfer", failing_world, "--samples", "4", "--seed", "11", "--json")
    assert result.exit_code == 1
    covert, failing = json.loads(result.stdout)
    assert (covert["world"], covert["samples"], covert["seed"], covert["passed"]) == ("covert_transfer", 4, 11, True)
    exact = {row["level"]: row["exact"] for row in covert["results"] if row["name"] == "closed_form_complete"}
    assert exact == {"low": "1/52", "medium": "25/338", "high": "49/338"}
    assert (failing["passed"], failing["failed"], failing["skipped"]) == (False, 1, 0)
    (wrong,) = [row for row in failing["results"] if row["outcome"] == "fail"]
    assert (wrong["name"], wrong["question"], wrong["exact"]) == ("positive_bayes_error", "queue", "0")


@pytest.mark.parametrize("option", [["--samples", "0"], ["--samples", "many"], ["--seed", "-1"]])
def test_senseless_options(pbn_command, option):
    assert pbn_command("check", "support_ticket", *option).exit_code == 2


def test_an_odd_world(pbn_command, odd_world):
    result = pbn_command("check", odd_world, "--samples", "5")
    assert result.exit_code == 0, result.stdout
    assert "A [bold]strange[/bold] wörld" in result.stdout


def test_a_process_of_its_own(pbn_process, failing_world):
    done = pbn_process("check", failing_world, "--samples", "1")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_one_question(pbn_command):
    result = pbn_command("check", "support_ticket", "--question", "queue", "--samples", "2", "--json")
    (told,) = json.loads(result.stdout)
    assert {row["question"] for row in told["results"]} == {None, "queue"}
    assert pbn_command("check", "support_ticket", "--question", "quue").exit_code == 2


def test_a_network_file(pbn_command, tmp_path):
    from pbn.loading import write_world

    path = tmp_path / "ticket.bif"
    write_world(pbn.load("support_ticket"), path)
    result = pbn_command("check", str(path), "--samples", "2")
    assert result.exit_code == 0
    assert "engines_agree: nothing is asked" in result.stdout
    result = pbn_command("check", str(path), "--question", "queue", "--samples", "2")
    assert "ticket: all 4 promises are kept" in result.stdout
