"""Worlds that promise little are sound; claims are tested only where they are made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import pbn
from pbn.check import Check, Finding, check_world
from pbn.network.model import Table

COIN = """
name: coin
title: A coin
variables:
  bent: {states: [no, yes], p: [.9, .1]}
  side: {states: [heads, tails], given: bent, p: {no: [1/2, 1/2], yes: [2/3, 1/3]}}
questions:
  side: {asks: side, kind: choice, text: Which side is up?}
levels:
  seen: {hide: []}
"""
CERTAIN = """
name: certain
title: No doubt at all
variables:
  a: {states: [no, yes], p: [.3, .7]}
  b: {states: [no, yes]}
  both: {rule: a == 'yes' and b == 'yes'}
questions:
  both: {asks: both, kind: yes/no, text: Both?}
levels:
  all: {hide: []}
  one: {hide: [b]}
"""
HALF = """
name: half
title: A formula for one question
variables:
  a: {states: [no, yes], p: [.3, .7]}
  drawn: {states: [no, yes], given: a, p: {no: [1, 0], yes: [1/3, 2/3]}}
  chance: {rule: 2/3 if a == 'yes' else 0}
questions:
  drawn: {asks: drawn, kind: yes/no, positive: yes, text: Drawn?}
levels:
  all: {hide: [], closed_form: {drawn: chance}}
"""


def asia():  # Lauritzen and Spiegelhalter (1988)
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    yes_no = ["yes", "no"]
    rows = {
        "asia": ([], [[.01]]), "smoke": ([], [[.5]]), "tub": (["asia"], [[.05, .01]]), "lung": (["smoke"], [[.1, .01]]),
        "bronc": (["smoke"], [[.6, .3]]), "either": (["lung", "tub"], [[1, 1, 1, 0]]),
        "xray": (["either"], [[.98, .05]]), "dysp": (["bronc", "either"], [[.9, .8, .7, .1]])}  # fmt: skip
    model = DiscreteBayesianNetwork([(parent, name) for name, (parents, _) in rows.items() for parent in parents])
    for name, (parents, yes) in rows.items():
        values = np.vstack([yes, 1 - np.array(yes)])
        model.add_cpds(
            TabularCPD(
                name,
                2,
                values,
                evidence=parents or None,
                evidence_card=[2] * len(parents) or None,
                state_names=dict.fromkeys([name, *parents], yes_no),
            )
        )
    return model


@pytest.mark.parametrize("levels", [None, {"doctor": ["asia", "smoke", "xray", "dysp"], "nurse": ["asia", "dysp"]}])
def test_asia(levels) -> None:
    report = check_world(pbn.from_pgmpy(asia(), question="lung", levels=levels), samples=50)
    assert report.passed, report
    assert {result.part for result in report.results} == {"soundness"}
    assert sum(result.name == "engines_agree" for result in report.results) == (2 if levels else 1)


@pytest.mark.parametrize("text", [COIN, CERTAIN, HALF])
def test_worlds_that_claim_nothing(text: str) -> None:
    report = check_world(pbn.loads(text), samples=50)
    assert report.passed, report
    assert {result.part for result in report.results} == {"soundness"}


def test_a_bayes_error_of_zero_is_sound_but_not_positive() -> None:
    world = pbn.loads(CERTAIN + "claims: [positive_bayes_error, strictly_nested]\n")
    assert world.bayes_error("all").exact == 0
    (failure,) = check_world(world, samples=20).failures
    assert (failure.name, failure.level, failure.exact) == ("positive_bayes_error", "all", 0)


def test_a_claim_about_one_level_speaks_of_nothing() -> None:
    for claim in ("strictly_nested", "irrelevant_fields", "published_values"):
        (failure,) = check_world(pbn.loads(f"{COIN}claims: [{claim}]\n"), samples=5).failures
        assert failure.name == claim
        assert "speaks of nothing" in failure.detail
    assert check_world(pbn.loads(f"{COIN}claims: [positive_bayes_error, every_factor_matters]\n"), samples=5).failures


def test_a_factor_that_never_changes_the_decision_does_not_matter() -> None:
    (failure,) = check_world(pbn.loads(f"{COIN}claims: [every_factor_matters]\n"), samples=5).failures
    assert "bent" in failure.detail  # heads is the better guess, bent or not


def test_small_formulas() -> None:
    world = pbn.loads(HALF)
    told = {result.name: result for result in check_world(world, samples=100).results}
    assert told["closed_form_range"].figure == "2 values from 0 to 2/3"
    assert told["closed_form_complete"].exact == world.bayes_error("all").exact
    wrong = pbn.loads(HALF.replace("2/3 if", "3/5 if"))
    assert {result.name for result in check_world(wrong, samples=100).failures} == {
        "closed_form_sampled",
        "closed_form_complete",
    }
    constant = check_world(pbn.loads(HALF.replace("2/3 if a == 'yes' else 0", "1 / 2")), samples=100)
    assert {"closed_form_sampled", "closed_form_complete"} <= {result.name for result in constant.failures}


def test_a_network_made_wrong_behind_its_back() -> None:
    world = pbn.loads(COIN)
    table = world.network.cpds["side"]
    numerators = table.numerators.copy()
    numerators[0] = [table.denominator, 1]
    object.__setattr__(
        world.network,
        "cpds",
        {
            **world.network.cpds,
            "side": Table(parents=table.parents, numerators=numerators, denominator=table.denominator),
        },
    )
    failures = {result.name: result for result in check_world(world, samples=5).failures}
    assert "side: a row sums to 7/6, not 1" in failures["cpds_exact"].detail
    assert "network/row-sum" in failures["engines_agree"].detail


def test_a_check_that_costs_too_much_is_skipped() -> None:
    def measure() -> Finding:
        raise pbn.BudgetError(pbn.Fault(code="exact/over-budget", message="far too much"))

    result = Check(name="costly", part="claim", measure=measure, level="low").run()
    assert (result.outcome, result.detail, result.subject) == ("skipped", "far too much", "low")


def test_a_world_without_levels_or_questions() -> None:
    world = replace(pbn.loads(COIN), levels={}, questions={}, spec=None)
    report = check_world(world)
    assert [(result.name, result.outcome) for result in report.results] == [
        ("cpds_exact", "pass"),
        ("rules_total", "pass"),
        ("engines_agree", "skipped"),
    ]
    assert report.verdict == "kept"
    assert report.results[-1].skipped_for == "nothing asked"


@pytest.mark.parametrize(("file", "node"), [("asia", "lung"), ("sachs", "Akt"), ("alarm", "HYPOVOLEMIA")])
def test_real_network_files(shared: Path, file: str, node: str) -> None:
    world = pbn.load(shared / "networks" / f"{file}.bif", question=node, renormalise=True)
    report = check_world(world, samples=50)
    assert report.passed, [*report.failures, *report.skipped]
    assert [result.name for result in report.results] == ["cpds_exact", "rules_total", "never_visible", "engines_agree"]
