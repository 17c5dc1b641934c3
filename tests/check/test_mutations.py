"""One thing wrong in a shipped world: the check that is meant for it fails, and no other does."""

from __future__ import annotations

from dataclasses import replace

import pytest

import pbn
from pbn.check import check_world
from tests.check.mutations import CLAIMS, FORMULA, LOADED, REFUSED, Mutation, source_of

SAMPLES = 20


def failing(world: pbn.World) -> set[str]:
    report = check_world(world, samples=SAMPLES)
    assert {result.name for result in report.skipped} <= {"every_factor_matters"}
    assert all(result.detail for result in report.failures)
    return {result.name for result in report.failures}


SLOW = ("covert_transfer", "credit_risk")
"""Worlds whose complete check takes seconds: their mutations are left to the slow tier."""
EACH_WORLD = [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in sorted(pbn.shipped_worlds())]


def tiered(mutations: list[Mutation]) -> list[object]:
    """All mutations, those of large worlds marked slow."""
    return [pytest.param(one, marks=[pytest.mark.slow] * (one.world in SLOW)) for one in mutations]


def ids(mutation: Mutation) -> str:
    return f"{mutation.world}: {mutation.what}"


@pytest.mark.parametrize("mutation", tiered(LOADED), ids=ids)
def test_a_mutation_is_caught_by_its_own_check(mutation: Mutation) -> None:
    assert failing(pbn.loads(mutation.text())) == mutation.caught


def test_a_formula_that_is_wrong_for_one_range_of_seven() -> None:
    text = source_of("covert_transfer").replace(FORMULA, FORMULA.replace("2 if", "3 if"))
    caught = failing(pbn.loads(text))
    assert "closed_form_complete" in caught
    assert caught <= {"closed_form_complete", "closed_form_sampled"}


@pytest.mark.parametrize("name", EACH_WORLD)
def test_one_factor_more_that_does_nothing(name: str) -> None:
    text = source_of(name).replace("\nvariables:\n", "\nvariables:\n  mood: {states: [calm, tense]}\n")
    if "every_factor_matters" not in text:
        text = text.replace(CLAIMS, CLAIMS + "every_factor_matters, ")
    report = check_world(pbn.loads(text), samples=1)
    assert {result.name for result in report.failures} == {"every_factor_matters", "text_complete"}
    assert all("mood" in result.detail for result in report.failures)


@pytest.mark.parametrize("mutation", REFUSED, ids=ids)
def test_a_mutation_that_does_not_load(mutation: Mutation) -> None:
    with pytest.raises(pbn.PbnError) as caught:
        pbn.loads(mutation.text())
    assert {fault.code for fault in caught.value.faults} == mutation.caught


@pytest.mark.parametrize(("name", "hidden"), [
    ("covert_transfer", "drawn_5"), ("credit_risk", "residual"), ("peer_review", "residual"),
    ("support_ticket", "duty_judgement")])  # fmt: skip
def test_a_residual_that_a_level_shows(name: str, hidden: str) -> None:
    world = pbn.load(name)
    levels = {
        key: replace(level, visible=(*level.visible, hidden), closed_forms={}) for key, level in world.levels.items()
    }
    report = check_world(replace(world, levels=levels, spec=None), samples=5)
    wrong = [result for result in report.failures if result.name == "never_visible"]
    assert {result.level for result in wrong} == set(world.levels)
    assert all(hidden in result.detail for result in wrong)


@pytest.mark.parametrize("name", EACH_WORLD)
def test_levels_in_the_wrong_order(name: str) -> None:
    world = pbn.load(name)
    levels = dict(reversed(world.levels.items()))
    report = check_world(replace(world, levels=levels), samples=5)
    assert {"levels_nested", "strictly_nested"} <= {result.name for result in report.failures}
    assert "does not tell" in next(r.detail for r in report.failures if r.name == "levels_nested")
