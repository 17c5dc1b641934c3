"""Studies whose numbers are exact or counted, by value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pbn.cases.groups import groups_of
from pbn.studies.catalogue import study
from pbn.studies.multicalibration import exact_constant
from pbn.studies.study import claim, compared, near, world_of
from pbn.studies.worlds import coverage, factors, pattern_law


def run(name, quick=True):
    one = study(name)
    return one.show([one.answer(task, quick) for task in one.tasks(quick)], quick)


@pytest.fixture(scope="module")
def settings():
    return run("settings")


def test_settings_are_the_published_ones(settings):
    found = {(one.quantity, one.where): one for one in settings.comparisons}
    for world, prior in (("credit_risk", "0.211"), ("peer_review", "0.241")):
        assert found["prior of the outcome", world].published == prior
    assert [found["Bayes error ε*", f"covert_transfer, {level}"].published for level in ("low", "medium", "high")] == [
        "0.019", "0.074", "0.145",
    ]  # fmt: skip
    assert all(one.agrees is not False for one in settings.comparisons)
    assert sum(bool(one.agrees) for one in settings.comparisons) == 8


def test_settings_hold_the_exact_fractions(settings):
    exact = {(row[0], row[1]): Fraction(row[5]) for row in settings.rows}
    assert exact["covert_transfer", "high"] == Fraction(49, 338)
    assert exact["credit_risk", "low"] == Fraction(259265749903241391, 10**19)
    assert exact["peer_review", "high"] == Fraction(14768864158438103, 12 * 10**16)
    entropy = {(row[0], row[1]): row[7] for row in settings.rows}
    assert entropy["credit_risk", "medium"] == pytest.approx(0.211639, abs=1e-6)


def test_figures_are_files_and_the_same_again(settings):
    assert settings.figure["pdf"].startswith(b"%PDF")
    assert settings.figure["png"].startswith(b"\x89PNG")
    assert run("settings").figure == settings.figure


def test_the_table_is_csv(settings):
    lines = settings.csv().splitlines()
    assert lines[0].startswith("world,level,shown")
    assert len(lines) == 10


def test_worlds_are_counted_as_published():
    found = run("worlds")
    assert [one.agrees for one in found.comparisons] == [True] * 8
    ours = {(one.quantity, one.where): one.ours for one in found.comparisons}
    assert ours["mass of High patterns that 50 cases cover", "peer_review"] == "3.770%"
    assert ours["mass of High patterns that 50 cases cover", "credit_risk"] == "1.014%"


def test_coverage_by_drawing():
    law = np.array([0.5, 0.3, 0.15, 0.05])
    rng = np.random.default_rng(1)
    drawn = np.mean([law[np.unique(rng.choice(4, size=5, p=law))].sum() for _ in range(4000)])
    assert coverage(law, 5) == pytest.approx(drawn, abs=0.01)
    assert coverage(np.array([1.0]), 3) == 1


def test_patterns_are_a_law_over_all_categories():
    for name, patterns in (("peer_review", 2187), ("credit_risk", 8748)):
        law = pattern_law(world_of(name), "high")
        assert len(law) == patterns
        assert law.sum() == pytest.approx(1)
        assert "residual" not in factors(world_of(name))


def test_noise_raises_every_error():
    found = run("residual")
    assert all(one.agrees is not False for one in found.comparisons)
    own = {one.where: one.ours for one in found.comparisons if one.quantity.startswith("ε* at the world's own")}
    assert own["credit_risk, low"] == "0.025927"


def test_a_constant_prediction_is_scored_without_sampling():
    world = world_of("peer_review")
    groups = groups_of(world)
    prior = float(world.posterior().exact["yes"])
    assert exact_constant(world, groups, 0.0) == pytest.approx(prior)
    worst = max(
        abs(float(answer.evidence_probability) * (float(answer.exact["yes"]) - prior))
        for state in world.network.variables["significance"].states
        for answer in [world.posterior({"significance": state})]
    )
    assert exact_constant(world, groups, prior) >= worst - 1e-12


def test_comparisons_say_what_agrees():
    assert compared("x", "y", "0.211", Fraction(211, 1000)).agrees
    assert compared("x", "y", "0.211", Fraction(212, 1000)).agrees is False
    assert compared("x", "y", None, Fraction(1, 2)).agrees is None
    assert near("x", "y", "0.1", 0.12, 0.01, "a draw").agrees is False
    assert near("x", "y", None, 0.12, 0.01, "a draw").agrees is None
    assert claim("x", "y", "rises", "rises", None, "", "drawn").agrees is None
