from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from pbn.cli.numerals import count_text
from pbn.spec.schema import json_schema


@pytest.mark.parametrize("level", ["low", "medium", "high"])
def test_plan_is_the_statistics_plan(pbn_command, credit, level):
    shown = pbn_command("plan", "credit_risk", "--level", level).stdout
    statistic = credit.statistic(level).statistic
    plan = statistic.plan
    for node in statistic.nodes:
        assert re.search(rf"^{re.escape(node)} +{plan.network.size(node)} ", shown, flags=re.MULTILINE)
    for route, _, candidate in statistic.considered:
        taken = " +✓ taken" if candidate is plan else ""
        numbers = f"{count_text(candidate.cells)} +{count_text(candidate.operations)}"
        assert re.search(rf"^{route} .* {numbers}{taken}$", shown, flags=re.MULTILINE)
    assert re.search(
        rf"^largest table +{plan.largest:,} cells over {re.escape(plan.largest_scope[0])}", shown, flags=re.MULTILINE
    )
    assert re.search(rf"^operations +{plan.operations:,}$", shown, flags=re.MULTILINE)
    steps = re.findall(r"^ +(\d+)   \S.* ([\d,]+)$", shown, flags=re.MULTILINE)
    assert len(steps) == len(plan.steps)
    assert max(int(cells.replace(",", "")) for _, cells in steps) == plan.largest
    assert "refused" not in shown


def test_over_the_budget_is_shown_and_called_refused(pbn_command, credit):
    plan = credit.statistic("high").statistic.plan
    exact, floats = plan.bytes_needed(exact=True), plan.bytes_needed(exact=False)
    refused = pbn_command("plan", "credit_risk", "--level", "high", "--budget", "1kB")
    assert refused.exit_code == 0
    assert f"{plan.operations:,}" in refused.stdout
    assert refused.stdout.count("refused") == 2
    assert refused.stdout.count("exact/over-budget") == 1
    half = pbn_command("--budget", str((exact + floats) // 2), "plan", "credit_risk", "--level", "high").stdout
    assert re.search(r"memory, exact .*refused", half)
    assert re.search(r"memory, float64 .*within the budget", half)
    assert "ask for float arithmetic" in half


def test_plan_of_questions_and_bad_names(pbn_command):
    assert "query/which-question" in pbn_command("plan", "support_ticket").stderr
    assert pbn_command("plan", "support_ticket", "--question", "angry", "--level", "high").exit_code == 0
    assert pbn_command("plan", "credit_risk", "--level", "extreme").exit_code == 2


@pytest.mark.parametrize(("options", "visible", "where"), [
    (["--hide", "sector", "--hide", "cycle,refinancing"], {"hide": ["sector", "cycle", "refinancing"]},
     "all attributes without sector, cycle, refinancing"),
    (["--level", "medium", "--hide", "sector"], {"level": "medium", "hide": ["sector"]}, "level medium without sector"),
    (["--show", "sector, cycle", "--show", "cash_buffer"], {"show": ["sector", "cycle", "cash_buffer"]},
     "given sector, cycle, cash_buffer"),
    (["--show", "sector,cycle", "--hide", "cycle"], {"show": ["sector", "cycle"], "hide": ["cycle"]},
     "given sector, cycle without cycle"),
    ([], {}, "all attributes"),
])  # fmt: skip
def test_plan_of_what_is_hidden_and_shown(pbn_command, credit, options, visible, where):
    shown = pbn_command("plan", "credit_risk", *options).stdout
    statistic = credit.statistic(**visible).statistic
    assert shown.splitlines()[0] == f"credit_risk  question default, {where}"
    count = len(statistic.visible)
    assert f"Y = default, {count} variable{'' if count == 1 else 's'} {'is' if count == 1 else 'are'} shown" in shown
    assert re.search(rf"^operations +{statistic.plan.operations:,}$", shown, flags=re.MULTILINE)


@pytest.mark.parametrize("command", ["plan", "bayes-error"])
@pytest.mark.parametrize(("options", "code"), [
    (["--show", "sector", "--level", "low"], "cli/show-and-level"), (["--hide", "sectr"], "query/not-an-attribute"),
    (["--show", "sectr"], "query/unknown-variable"), (["--level", "high", "--hide", "cash_buffer"],
    "query/not-an-attribute"),
])  # fmt: skip
def test_hide_and_show_are_refused_alike(pbn_command, command, options, code):
    result = pbn_command(command, "credit_risk", *options)
    assert result.exit_code == 2
    assert code in result.stderr


def test_nothing_that_is_shown_matters(pbn_command, tmp_path):
    path = tmp_path / "idle.yaml"
    path.write_text(
        "name: idle\ntitle: Idle\nvariables:\n  x: {states: [a, b]}\n  y: {states: [a, b], role: latent}\n"
        "  z: {rule: y == 'a'}\nquestions:\n  z: {asks: z, kind: yes/no, text: what}\nlevels:\n"
        "  only: {hide: []}\n"
    )
    shown = pbn_command("plan", str(path), "--level", "only").stdout
    assert "F is empty" in shown


def test_schema(pbn_command):
    result = pbn_command("schema")
    schema = json.loads(result.stdout)
    assert schema == json_schema()
    Draft202012Validator.check_schema(schema)
