from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import pytest

import pbn
from pbn.comparison import compare_levels


def fractions_in(text):
    return {Fraction(re.sub(r"\s", "", found)) for found in re.findall(r"\d+/\s*\d+", text)}


def test_figures_and_fractions(pbn_command, credit):
    shown = pbn_command("compare-levels", "credit_risk").stdout
    found = compare_levels(credit)
    assert fractions_in(shown) == {entry.error for entry in found.levels} | {
        number for cost in found.hidden for number in (cost.alone, cost.in_order)
    }
    assert re.search(r"medium +0\.107939 +\+0\.082013 +0\.211639 +0\.303475 ", shown)
    assert re.search(r"principal_due +high +\+0\.126428 +\+0\.059171 +\+0\.141184 ", shown)


@pytest.mark.parametrize("columns", [50, 80, 120, 300])
def test_no_fraction_is_cut(pbn_command, monkeypatch, columns):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", columns)
    shown = pbn_command("compare-levels", "support_ticket", "--question", "angry").stdout
    found = compare_levels(pbn.load("support_ticket"), "angry")
    digits = re.sub(r"\s", "", shown)
    for entry in found.levels:
        for part in (entry.error.numerator, entry.error.denominator):
            assert str(part) in digits or columns < 80
    assert max(map(len, shown.splitlines())) <= columns or columns < 80


def test_every_question_without_an_option(pbn_command):
    records = json.loads(pbn_command("compare-levels", "support_ticket", "--json").stdout)
    assert [record["question"] for record in records] == ["queue", "priority", "angry"]
    shown = pbn_command("compare-levels", "support_ticket").stdout
    assert shown.count("medium shows topic_group instead, before it hides topic, impact") == 3
    assert re.search(r"topic +medium +\+0\.475909 ", shown)
    assert re.search(r"hours_waiting +high +0 +0 ", shown)


@pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))
def test_json_agrees_with_the_bayes_errors(pbn_command, name):
    world = pbn.load(name)
    for record in json.loads(pbn_command("compare-levels", name, "--json").stdout):
        question = record["question"]
        prior = world.posterior(question=question).probs.values()
        assert math.isclose(record["prior_entropy"], -sum(p * math.log(p) for p in prior), rel_tol=1e-12)
        before = None
        for entry, level in zip(record["levels"], world.levels, strict=True):
            found = world.bayes_error(level, question=question)
            assert Fraction(entry["bayes_error"]["exact"]) == found.exact
            assert entry["entropy"] == found.entropy
            assert math.isclose(entry["information"], record["prior_entropy"] - found.entropy, abs_tol=1e-12)
            assert (entry["rise"] is None) == (before is None)
            if before is not None:
                assert Fraction(entry["rise"]["exact"]) == found.exact - before
            before = found.exact
        first, last = record["levels"][0], record["levels"][-1]
        steps = [Fraction(cost["in_order"]["exact"]) for cost in record["hidden"]]
        assert sum(steps) == Fraction(last["bayes_error"]["exact"]) - Fraction(first["bayes_error"]["exact"])
        assert min(steps) >= 0
        assert Fraction(record["hidden"][-1]["total"]["exact"]) == sum(steps)
        for cost in record["hidden"]:
            if cost["alone"] is not None:
                alone = world.bayes_error(first["level"], question=question, hide=[cost["variable"]]).exact
                assert Fraction(cost["alone"]["exact"]) == alone - Fraction(first["bayes_error"]["exact"])


def test_a_variable_that_the_finest_level_does_not_show_costs_nothing_alone(pbn_command):
    shown = pbn_command("compare-levels", "covert_transfer").stdout
    assert re.search(r"tag +medium +\+0\.480769 +\+0\.054734 +\+0\.054734 +25/52 +37/676", shown)
    assert re.search(r"tag_range +high +— +\+0\.071006 ", shown)


def test_one_level(pbn_command, tmp_path):
    path = tmp_path / "one.yaml"
    path.write_text(
        "name: one\ntitle: One\nvariables:\n  a: {states: [x, y]}\n  b: {states: [x, y]}\n"
        "questions: {b: {asks: b, kind: choice, text: Which?}}\nlevels: {all: {hide: []}}\n"
    )
    shown = pbn_command("compare-levels", str(path)).stdout
    assert "no level hides what a finer one shows" in shown


def test_errors(pbn_command):
    assert pbn_command("compare-levels", "credit_risk", "--question", "defualt").exit_code == 2
    assert pbn_command("compare-levels", "nothing").exit_code == 2
    result = pbn_command("compare-levels", "covert_transfer", "--budget", "10kB")
    assert result.exit_code == 3
    assert "exact/over-budget" in result.stderr
