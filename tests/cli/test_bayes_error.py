from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import pytest

import pbn
from pbn.errors import BudgetError, Fault


def fractions_in(text):
    return {Fraction(found) for found in re.findall(r"\d+/\d+", text)}


def test_every_shipped_level_and_question(pbn_command):
    result = pbn_command("bayes-error", "--json")
    assert result.exit_code == 0
    records = json.loads(result.stdout)
    for name in pbn.shipped_worlds():
        world = pbn.load(name)
        for question in world.questions:
            for level in world.levels:
                found = world.bayes_error(level, question=question)
                (record,) = [
                    r for r in records if (r["world"], r["question"]) == (name, question) and r.get("level") == level
                ]
                assert Fraction(record["exact"]) == found.exact
                assert record["value"] == found.value
                assert record["entropy"] == found.entropy
                assert tuple(record["statistic"]) == found.statistic


def test_table_has_the_exact_fractions(pbn_command, credit):
    result = pbn_command("bayes-error", "credit_risk")
    expected = {credit.bayes_error(level).exact for level in credit.levels}
    expected.add(credit.posterior().exact["yes"])
    assert fractions_in(result.stdout) == expected
    for level in credit.levels:
        found = credit.bayes_error(level)
        assert re.search(rf"ε\* {level} +{found.value:.6f} +{found.entropy:.6f} ", result.stdout)


def test_prior_beside_the_published_one(pbn_command, credit, review):
    records = json.loads(pbn_command("bayes-error", "credit_risk", "peer_review", "--level", "low", "--json").stdout)
    priors = {record["world"]: record for record in records if record["quantity"] == "prior"}
    for world in (credit, review):
        (published,) = world.published
        record = priors[world.name]
        exact = world.posterior().exact[published.state]
        assert Fraction(record["exact"]) == exact
        places = len(published.value.partition(".")[2])
        assert record["published"]["value"] == published.value
        assert record["published"]["agrees"] == (round(exact, places) == Fraction(published.value))
    shown = pbn_command("bayes-error", "credit_risk").stdout
    assert re.search(r"P\(default=yes\) .* 0\.211 ✓", shown)
    assert "— no published value in the world file" in shown
    assert "credit_risk: ProbabilityBench, section 4.3" in shown


def test_published_values_that_disagree_are_marked(pbn_command, odd_world):
    shown = pbn_command("bayes-error", odd_world).stdout
    assert re.search(r"P\(won=yes\) .* 0\.67 ✓", shown)
    assert re.search(r"P\(won=no\) .* 0\.34 ✗", shown)
    assert re.search(r"ε\* fine .* 0 ✓", shown)
    assert re.search(r"ε\* coarse .* —", shown)
    assert "a [bold]book[/bold]" in shown


def test_hiding_more(pbn_command, credit):
    shown = pbn_command("bayes-error", "credit_risk", "--hide", "cash_buffer, sector", "--json").stdout
    (record,) = json.loads(shown)[1:]
    assert Fraction(record["exact"]) == credit.bayes_error(hide=["cash_buffer", "sector"]).exact
    assert record["hide"] == ["cash_buffer", "sector"]
    assert record["level"] is None
    records = json.loads(
        pbn_command(
            "bayes-error", "credit_risk", "--level", "high", "--hide", "sector", "--hide", "cycle", "--json"
        ).stdout
    )
    assert Fraction(records[-1]["exact"]) == credit.bayes_error("high", hide=["sector", "cycle"]).exact


def test_one_question(pbn_command, ticket):
    records = json.loads(pbn_command("bayes-error", "support_ticket", "--question", "queue", "--json").stdout)
    assert [record["level"] for record in records] == list(ticket.levels)
    assert {record["question"] for record in records} == {"queue"}


def test_float_shows_no_fraction_and_says_so(pbn_command, credit):
    result = pbn_command("bayes-error", "credit_risk", "--float")
    assert not fractions_in(result.stdout)
    assert "float64" in result.stdout
    records = json.loads(pbn_command("bayes-error", "credit_risk", "--float", "--json").stdout)
    assert all(record["exact"] is None for record in records)
    assert math.isclose(records[1]["value"], credit.bayes_error("low").value, rel_tol=1e-12)


def test_work_that_is_done_is_kept(pbn_command, credit, broken_world):
    result = pbn_command("bayes-error", "credit_risk", broken_world, "peer_review", "nowhere", "--level", "low")
    assert result.exit_code == 2
    assert credit.bayes_error("low").exact in fractions_in(result.stdout)
    assert "peer_review" in result.stdout
    assert "broken.yaml:" in result.stderr
    assert "query/unknown-world" in result.stderr


def test_over_the_budget_is_exit_code_3(pbn_command, credit):
    needs = {level: credit.statistic(level).statistic.plan.bytes_needed(exact=True) for level in credit.levels}
    dearest, cheapest = (choose(needs, key=lambda level: needs[level]) for choose in (max, min))
    result = pbn_command("bayes-error", "credit_risk", "--budget", str(needs[dearest] - 1))
    assert result.exit_code == 3
    assert credit.bayes_error(cheapest).exact in fractions_in(result.stdout)
    assert f"exact/over-budget: credit_risk, default, level {dearest}: " in result.stderr
    assert credit.bayes_error(dearest).exact not in fractions_in(result.stdout)
    assert pbn_command("--budget", "1kB", "bayes-error", "credit_risk").exit_code == 3
    assert pbn_command("--budget", "1kB", "bayes-error", "credit_risk", "--budget", "2GB").exit_code == 0


def test_one_level_over_the_budget_leaves_the_others(pbn_command, monkeypatch, credit):
    whole = pbn.World.bayes_error

    def fails_once(world, level=None, **options):
        if level == "medium":
            raise BudgetError(Fault(code="exact/over-budget", message="too much"))
        return whole(world, level, **options)

    monkeypatch.setattr(pbn.World, "bayes_error", fails_once)
    result = pbn_command("bayes-error", "credit_risk")
    assert result.exit_code == 3
    assert {credit.bayes_error(level).exact for level in ("low", "high")} < fractions_in(result.stdout)
    assert "credit_risk, default, level medium: too much" in result.stderr


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100, 200])
def test_no_digit_is_cut_at_any_width(pbn_command, ticket, monkeypatch, columns):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", columns)
    shown = pbn_command("bayes-error", "support_ticket", "--question", "priority").stdout
    assert "…" not in shown
    lines = shown.splitlines()
    assert max(map(len, lines)) <= max(columns, 70)
    last = ticket.bayes_error("high", question="priority").exact
    digits = "".join(re.findall(r"[\d/]+$", "\n".join(lines), flags=re.MULTILINE))
    assert f"{last.numerator}/{last.denominator}" in digits
