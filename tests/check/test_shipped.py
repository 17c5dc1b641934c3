"""The worlds that ship keep every promise; what cannot be afforded is skipped and named."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest

import pbn
from pbn.check import Report, check_world
from pbn.check.agreement import PgmpyPosteriors

TEXT = ("text_separated", "text_invariant", "text_complete", "phrases_distinct", "text_decodes")
EACH = pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))


def outcomes(report: Report, name: str) -> set[str]:
    return {result.outcome for result in report.results if result.name == name}


@EACH
def test_every_promise_is_kept(name: str) -> None:
    world = pbn.load(name)
    report = check_world(world, samples=20)
    assert report.passed, [*report.failures, *report.skipped]
    levels, questions = len(world.levels), len(world.questions)
    counts = {
        kind: sum(result.name == kind for result in report.results)
        for kind in (
            "cpds_exact",
            "rules_total",
            "levels_nested",
            "never_visible",
            "engines_agree",
            "strictly_nested",
            "positive_bayes_error",
            "published_values",
            *TEXT,
        )
    }
    assert counts == {
        "cpds_exact": 1,
        "rules_total": 1,
        "levels_nested": levels - 1,
        "never_visible": levels,
        "engines_agree": levels * questions,
        "strictly_nested": (levels - 1) * questions,
        "positive_bayes_error": questions,
        "published_values": len(world.published),
        **dict.fromkeys(TEXT, levels),
    }
    assert all(
        result.part in ("soundness", "condition 1", "condition 2")
        or result.name.startswith((*world.spec.claims, "irrelevant_"))
        for result in report.results
    )


@pytest.mark.slow
@EACH
def test_two_hundred_cases_a_level(name: str) -> None:
    assert check_world(pbn.load(name)).passed


def test_figures_are_exact() -> None:
    world = pbn.load("credit_risk")
    report = check_world(world, samples=1)
    rises = [result.exact for result in report.results if result.name == "strictly_nested"]
    errors = [world.bayes_error(level).exact for level in world.levels]
    assert rises == [errors[1] - errors[0], errors[2] - errors[1]]
    assert rises[1] == Fraction(236684693282933007, 4 * 10**18)
    (least,) = [result for result in report.results if result.name == "every_factor_matters"]
    alone = {
        name: world.bayes_error("low", hide=[name]).exact - errors[0]
        for name in world.visible("low")
        if world.network.variables[name].role is None
    }
    assert least.exact == min(alone.values())
    assert least.detail.endswith(min(alone, key=alone.__getitem__))


def test_the_same_seed_draws_the_same_cases() -> None:
    one, other = (check_world(pbn.load("support_ticket"), samples=9, seed=7) for _ in range(2))
    assert one == other


def test_what_costs_too_much_is_skipped_and_no_pass() -> None:
    report = check_world(pbn.load("covert_transfer"), samples=2, budget=30 * 10**6)
    assert not report.failures
    assert not report.passed
    assert report.verdict == "not proved"
    assert outcomes(report, "closed_form_complete") == {"skipped"}
    assert all(result.figure == "not measured" and "cells" in result.detail for result in report.skipped)
    small = check_world(pbn.load("credit_risk"), samples=2, budget=3 * 10**6)
    assert outcomes(small, "engines_agree") == {"skipped"}
    assert outcomes(small, "cpds_exact") == {"pass"}


def test_pgmpy_is_not_run_where_its_contraction_is_too_large() -> None:
    lines = []
    for row, column in product(range(12), repeat=2):
        parents = [f"g_{r}_{c}" for r, c in ((row - 1, column), (row, column - 1)) if r >= 0 and c >= 0]
        rows = ["{a: [.3, .7], b: [.6, .4]}", "{a: {a: [.3, .7], b: [.6, .4]}, b: {a: [.5, .5], b: [.9, .1]}}"]
        given = f", given: [{', '.join(parents)}], p: {rows[len(parents) - 1]}" if parents else ""
        lines.append(f"  g_{row}_{column}: {{states: [a, b]{given}}}\n")
    world = pbn.loads(
        "name: grid\ntitle: Grid\nvariables:\n"
        + "".join(lines)
        + "questions: {last: {asks: g_11_11, kind: choice, text: Which?}}\n"
        "levels: {none: {show: [g_0_0]}}\n"
    )
    pgmpy = PgmpyPosteriors(world.network, "g_11_11", ["g_0_0"], budget=20_000)
    with pytest.raises(pbn.BudgetError, match="pgmpy's contraction would hold an array of"):
        pgmpy.posterior({"g_0_0": 0})
    assert PgmpyPosteriors(world.network, "g_11_11", ["g_0_0"], budget=10**7).posterior({"g_0_0": 0}).shape == (2,)


def test_the_report_as_json() -> None:
    report = check_world(pbn.load("covert_transfer"), samples=2)
    told = json.loads(json.dumps(report.to_dict()))
    assert (told["verdict"], told["passed"]) == ("kept", True)
    assert told["failed"] == told["skipped"] == 0
    assert len(told["results"]) == len(report.results)
    (row,) = [row for row in told["results"] if (row["name"], row["level"]) == ("closed_form_complete", "high")]
    assert row == {
        "name": "closed_form_complete",
        "part": "soundness",
        "question": "encoding",
        "level": "high",
        "variable": "probability_by_block",
        "outcome": "pass",
        "figure": "ε* 49/338 both ways",
        "value": 49 / 338,
        "exact": "49/338",
        "detail": "210,912 values of the separator",
        "skipped_for": None,
    }


@pytest.mark.parametrize(("samples", "seed"), [(0, 1), (-5, 1), (3, -1)])
def test_no_cases_are_an_error(samples: int, seed: int) -> None:
    with pytest.raises(pbn.QueryError) as caught:
        check_world(pbn.load("support_ticket"), samples=samples, seed=seed)
    assert caught.value.code == "check/samples"
