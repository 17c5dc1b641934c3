"""Worlds to pgmpy and back, and its inference against ours."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

import pbn
from tests.world.cases import WORLDS, cases_of, each_level, fault_of


@each_level
def test_the_pgmpy_network_of_a_level_is_sound(name, level):
    model = WORLDS[name].to_pgmpy(level)
    assert model.check_model()
    assert set(WORLDS[name].network.named) <= set(model.nodes())
    for cpd in model.get_cpds():
        assert cpd.get_values().sum(axis=0) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("count", [3, pytest.param(30, marks=pytest.mark.slow)])
@each_level
def test_pgmpy_agrees_on_drawn_cases(name, level, count):
    """pgmpy's own inference on the network of a level, asked directly and through the world."""
    from pgmpy.inference import VariableElimination

    world = WORLDS[name]
    relevant = [v for v in world.visible(level) if world.network.variables[v].role != "irrelevant"]
    inference = VariableElimination(world.to_pgmpy(level))
    rng = np.random.default_rng(3)
    for case, question in zip(cases_of(name, level, count, seed=3), itertools.cycle(world.questions.values())):
        evidence = {v: case[v] for v in relevant if rng.random() < 0.7}
        ours = world.posterior(evidence, level, question=question.name)
        factor = inference.query([question.asks], evidence=evidence, show_progress=False)
        assert {s: factor.get_value(**{question.asks: s}) for s in ours.probs} == pytest.approx(ours.probs, abs=1e-12)
        theirs = world.posterior(evidence, level, question=question.name, engine="pgmpy")
        assert theirs.exact is None
        assert theirs.probs == pytest.approx(ours.probs, abs=1e-12)
        assert theirs.evidence_probability == ours.evidence_probability


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in ("credit_risk", "peer_review"))) for name in WORLDS]
)
def test_a_world_comes_back_from_pgmpy(name):
    world = WORLDS[name]
    model = world.to_pgmpy()
    for question in world.questions.values():
        levels = {level: world.visible(level) for level in world.levels}
        back = pbn.from_pgmpy(model, question=question.asks, levels=levels)
        for level in levels:
            assert back.bayes_error(level).value == pytest.approx(
                world.bayes_error(level, question=question.name).value, abs=1e-12
            )


def sprinkler(rain=(0.8, 0.2), wet=((0.9, 0.2), (0.1, 0.8))):
    """A small pgmpy model, rain → wet → slippery."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork([("rain", "wet"), ("wet", "slippery")])
    states = {"rain": ["no", "yes"], "wet": ["dry", "wet"], "slippery": ["a", "b", "c"]}
    thirds = [[1 / 3, 0], [1 / 3, 1], [1 / 3, 0]]
    model.add_cpds(
        TabularCPD("rain", 2, [[p] for p in rain], state_names=states),
        TabularCPD("wet", 2, [list(row) for row in wet], ["rain"], [2], state_names=states),
        TabularCPD("slippery", 3, thirds, ["wet"], [2], state_names=states),
    )
    return model


def test_a_pgmpy_model_becomes_a_world():
    world = pbn.from_pgmpy(
        sprinkler(), question="rain", levels={"fine": ["wet", "slippery"], "coarse": ["slippery"]}, name="garden"
    )
    assert (world.name, world.attributes, list(world.levels)) == ("garden", ("wet", "slippery"), ["fine", "coarse"])
    # P(dry) = .8 * .9 + .2 * .2; thirds are read as thirds although their floats do not sum to 1.
    assert world.posterior(query="wet").exact == {"dry": Fraction(76, 100), "wet": Fraction(24, 100)}
    assert world.posterior({"wet": "dry"}, query="slippery").exact == dict.fromkeys("abc", Fraction(1, 3))
    assert world.bayes_error("fine").exact == Fraction(4, 100) + Fraction(8, 100)
    assert pbn.from_pgmpy(sprinkler(), question="rain").bayes_error("full").exact == Fraction(12, 100)
    assert world.question().kind == "yes/no"
    assert pbn.from_pgmpy(sprinkler(), question="slippery").question().kind == "choice"


def test_a_pgmpy_model_with_a_row_that_is_no_law_is_refused():
    # pgmpy itself takes columns that sum to 1.0099.
    fault = fault_of(pbn.from_pgmpy, sprinkler(rain=(0.8, 0.2099)), question="rain", error=pbn.NetworkError)
    assert fault.code == "network/row-sum"
    assert "rain" in fault.message
    assert "1.0099" in fault.message
    model = sprinkler()
    for values, code in (
        ([1.5, -0.5], "network/probability"),
        ([float("nan"), 1], "network/probability"),
        ([0.0, 0.0], "network/row-sum"),
    ):
        model.get_cpds("rain").values = np.array(values)
        assert fault_of(pbn.from_pgmpy, model, question="rain", error=pbn.NetworkError).code == code


def test_a_pgmpy_model_without_a_cpd_is_refused():
    from pgmpy.models import DiscreteBayesianNetwork

    model = sprinkler()
    model.remove_cpds("wet")
    fault = fault_of(pbn.from_pgmpy, model, question="rain", error=pbn.NetworkError)
    assert (fault.code, fault.found) == ("network/missing-cpd", "wet")
    assert (
        fault_of(pbn.from_pgmpy, DiscreteBayesianNetwork(), question="rain", error=pbn.NetworkError).code
        == "network/missing-cpd"
    )


def test_a_pgmpy_model_needs_a_question_and_nested_levels():
    fault = fault_of(pbn.from_pgmpy, sprinkler(), question="rian")
    assert (fault.code, fault.hint) == ("query/unknown-variable", "did you mean 'rain'?")
    for levels in ({"fine": ["slippery"], "coarse": ["wet"]}, {"fine": ["rain"]}):
        assert (
            fault_of(pbn.from_pgmpy, sprinkler(), question="rain", levels=levels, error=pbn.NetworkError).code
            == "network/level"
        )
    fault = fault_of(pbn.from_pgmpy, sprinkler(), question="rain", levels={"fine": ["wte"]})
    assert (fault.code, fault.hint) == ("query/unknown-variable", "did you mean 'wet'?")


def test_pgmpys_tables_are_refused_over_the_budget():
    world = pbn.load("credit_risk", budget=100_000)
    fault = fault_of(world.to_pgmpy, error=pbn.BudgetError)
    assert fault.code == "network/over-budget"
    assert "the largest is that of" in fault.message


@pytest.mark.parametrize("places", [20, 30, 33, 40, 200])
def test_improbable_evidence_is_answered_rightly_or_refused(places):
    """Nine signs of probability 10^-places: pgmpy's answer is ours, or there is none; never NaN."""
    small = "1e-40 * " * (places // 40) + f"1e-{places % 40}"
    row = f"{{no: [1 - {small}, {small}], yes: [1 - 2 * {small}, 2 * {small}]}}"
    world = pbn.loads(f"""
name: rare
title: Rare signs
variables:
  fraud: {{states: [no, yes], p: [.9, .1]}}
  sign: {{repeat: 9, states: [no, yes], given: fraud, p: {row}}}
questions: {{fraud: {{asks: fraud, kind: yes/no, text: Fraud?}}}}
levels: {{all: {{hide: []}}}}
""")
    for count in range(10):
        evidence = {f"sign_{k + 1}": "yes" for k in range(count)}
        ours = world.posterior(evidence)
        if ours.evidence_probability < Fraction(1, 10**290):
            assert fault_of(world.posterior, evidence, engine="pgmpy").code == "query/improbable-evidence"
        else:
            assert world.posterior(evidence, engine="pgmpy").probs == pytest.approx(ours.probs, rel=1e-9)
