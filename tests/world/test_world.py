"""The Python interface of a world: loading, names, Bayes errors, tables, budgets."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import pbn
from tests.world.cases import CREDIT, FARM, SMALL, WORLDS, each_question, fault_of

# -- loading ---------------------------------------------------------------------------------------


def test_the_shipped_worlds_are_found_by_name():
    assert set(WORLDS) <= set(pbn.shipped_worlds())
    for name, world in WORLDS.items():
        assert world.name == name
        assert pbn.shipped_worlds()[name].is_file()


def test_a_world_is_loaded_by_path_and_from_text(tmp_path):
    path = tmp_path / "farm.yaml"
    path.write_text(SMALL, encoding="utf-8")
    for world in (pbn.load(path), pbn.load(str(path)), pbn.loads(SMALL)):
        assert (world.name, world.title, list(world.levels)) == ("small", "Small", ["fine", "coarse"])
        assert world.bayes_error("fine", question="sold").exact == FARM.bayes_error("fine", question="sold").exact


def test_a_name_that_is_no_world_offers_the_nearest():
    fault = fault_of(pbn.load, "credit_rsik")
    assert fault.code == "query/unknown-world"
    assert "credit_risk" in fault.hint
    assert "peer_review" in fault.allowed


def test_paths_that_are_no_file(tmp_path):
    assert fault_of(pbn.load, tmp_path / "none.yaml", error=pbn.SpecError).code == "spec/no-file"
    assert fault_of(pbn.load, tmp_path, error=pbn.SpecError).code == "spec/not-a-file"
    assert fault_of(pbn.load, Path(tmp_path, "gone", "none.yml"), error=pbn.SpecError).code == "spec/no-file"


# -- names -----------------------------------------------------------------------------------------


def test_a_world_with_several_questions_wants_one_named():
    fault = fault_of(FARM.bayes_error, "fine")
    assert (fault.code, fault.allowed) == ("query/which-question", "crop, sold")
    assert fault_of(FARM.posterior, {}).code == "query/which-question"


@pytest.mark.parametrize(("named", "code", "hint"), [
    ({"level": "fien"}, "query/unknown-level", "fine"),
    ({"level": "fine", "question": "corp"}, "query/unknown-question", "crop"),
])  # fmt: skip
def test_unknown_levels_and_questions_offer_the_nearest(named, code, hint):
    named = {"question": "crop", **named}
    for ask in (FARM.bayes_error, FARM.posterior, FARM.table):
        fault = fault_of(ask, **named)
        assert fault.code == code
        assert hint in fault.hint


def test_hiding_takes_names_and_whole_families():
    assert FARM.visible(hide="height") == ("plot_1", "plot_2", "plot_3")
    assert FARM.visible("fine", ["plot"]) == ("height",)
    assert FARM.visible("fine", ["height", "plot_2"]) == ("plot_1", "plot_3")
    nothing, idle, family, members = (
        FARM.bayes_error("fine", question="sold", hide=hide).exact
        for hide in ([], ["plot_2"], "plot", FARM.families["plot"])
    )
    assert nothing == idle < family == members


@pytest.mark.parametrize(("hide", "hint"), [("heigth", "height"), ("season", "height"), ("grown", ""), ("sold", "")])
def test_only_what_is_visible_can_be_hidden(hide, hint):
    fault = fault_of(FARM.bayes_error, "fine", question="sold", hide=[hide])
    assert fault.code == "query/not-an-attribute"
    assert hint in (fault.hint or "")


def test_what_a_level_hides_cannot_be_hidden_again():
    assert fault_of(FARM.bayes_error, "coarse", question="sold", hide="height").code == "query/not-an-attribute"


# -- Bayes errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "question"), [(name, q) for name, world in WORLDS.items() for q in world.questions])
def test_the_bayes_error_rises_strictly_from_level_to_level(name, question):
    found = [WORLDS[name].bayes_error(level, question=question) for level in WORLDS[name].levels]
    assert all(finer.exact < coarser.exact for finer, coarser in itertools.pairwise(found))
    assert all(finer.entropy < coarser.entropy for finer, coarser in itertools.pairwise(found))
    assert found[0].exact > 0
    prior = WORLDS[name].posterior(question=question).exact
    assert found[-1].exact < 1 - max(prior.values())


def test_without_a_level_all_attributes_are_visible():
    assert CREDIT.bayes_error() == CREDIT.bayes_error("low")
    assert CREDIT.visible() == CREDIT.attributes == CREDIT.visible("low")


def ticket_by_hand(question, level):
    """ε* of a support ticket: the whole joint law as integers over one axis a variable, the policy written out."""
    network = WORLDS["support_ticket"].network
    axes = ["topic", "product", "customer_tier", "scope", "impact", "wait", "earlier_contacts", "angry", "tone"]
    shape = tuple(network.size(name) for name in axes)
    at = dict(zip(axes, np.indices(shape), strict=True))
    state = {name: np.array(network.variables[name].states, dtype=object)[at[name]] for name in axes}
    money = np.isin(state["topic"], ["invoice", "refund", "cancellation"])
    access = np.isin(state["topic"], ["login", "permissions"])
    operation = np.isin(state["topic"], ["outage", "slowness"])
    privacy = np.isin(state["topic"], ["data access", "data deletion"])
    group = np.select([money, access, operation, privacy], [0, 1, 2, 3], 4)
    frustration = at["impact"] + at["wait"] + (at["earlier_contacts"] >= 3)
    law, total = np.ones(shape, dtype=object), 1
    for name in axes:
        cpd = network.cpds[name]
        parents = [{"topic_group": group, "frustration": frustration}.get(p, at.get(p)) for p in cpd.parents]
        law, total = law * cpd.numerators.astype(object)[(*parents, at[name])], total * cpd.denominator
    if question == "queue":
        large = (state["customer_tier"] == "enterprise") & np.isin(state["topic"], ["refund", "cancellation"])
        wish = state["topic"] == "feature wish"
        routed = np.select(
            [
                state["topic"] == "outage",
                operation & (state["scope"] == "whole company"),
                large,
                money,
                privacy,
                state["product"] == "programming interface",
                access,
                wish & (state["customer_tier"] != "free"),
                wish,
            ],
            [
                "incidents",
                "incidents",
                "accounts",
                "billing",
                "privacy",
                "developers",
                "identity",
                "accounts",
                "general desk",
            ],
            "product help",
        )
        by_outcome = [law * (94 * (routed == label) + 6 * (label == "general desk")) for label in set(routed.flat)]
        total *= 100
    elif question == "priority":
        points = 2 * at["impact"] + at["scope"] + at["customer_tier"] + at["wait"]
        by_outcome = [0, 0, 0, 0]
        for leaning, weight in ((-1, 12), (0, 76), (1, 12)):
            grade = np.searchsorted([3, 5, 7], points + leaning, side="right")
            by_outcome = [mass + law * (weight * (grade == k)) for k, mass in enumerate(by_outcome)]
        total *= 100
    else:
        by_outcome = [law * (at["angry"] == k) for k in (0, 1)]
    shown = {
        "low": [at[name] for name in axes if name != "angry"],
        "medium": [group, *(at[name] for name in axes if name not in ("topic", "impact", "angry"))],
        "high": [group, at["scope"], at["earlier_contacts"], at["tone"]],
    }[level]
    cell = np.zeros(shape, dtype=np.int64)
    for codes in shown:
        cell = cell * 13 + codes
    _, where = np.unique(cell, return_inverse=True)
    masses = []
    for mass in by_outcome:
        seen = np.zeros(where.max() + 1, dtype=object)
        np.add.at(seen, where.ravel(), np.asarray(mass).ravel())
        masses.append(seen)
    return 1 - Fraction(int(np.max(masses, axis=0).sum()), total)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["low", "medium", "high"])
@pytest.mark.parametrize("question", ["queue", "priority", "angry"])
def test_the_bayes_errors_of_a_support_ticket_are_those_of_its_whole_joint_law(question, level):
    assert WORLDS["support_ticket"].bayes_error(level, question=question).exact == ticket_by_hand(question, level)


# -- the table of the sufficient statistic -------------------------------------------------------------


@each_question
def test_the_table_is_the_law_of_the_statistic(name, level, question):
    world = WORLDS[name]
    frame = world.table(level, question=question)
    asked = world.question(question).asks
    states = world.network.variables[asked].states
    posteriors = frame[[f"P({asked}={state})" for state in states]].to_numpy()
    probability = frame["probability"].to_numpy()
    assert (probability > 0).all()
    assert probability.sum() == pytest.approx(1, abs=1e-12)
    assert posteriors.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert probability @ posteriors == pytest.approx(list(world.posterior(question=question).probs.values()), abs=1e-12)
    error = world.bayes_error(level, question=question)
    assert 1 - probability @ posteriors.max(axis=1) == pytest.approx(error.value, abs=1e-12)
    assert tuple(frame.columns[: len(error.statistic)]) == error.statistic
    attributes = frame.attrs["attributes"]
    assert set(attributes) == set(error.statistic)
    for node, roots in attributes.items():
        assert set(roots) <= set(world.visible(level))
        assert roots or world.network.parents(node) == ()
    irrelevant = {variable.name for variable in world.network.variables.values() if variable.role == "irrelevant"}
    assert not irrelevant & set().union(*attributes.values())


def test_each_row_of_the_table_is_a_posterior_given_its_attributes():
    frame = CREDIT.table("low")
    assert frame.attrs["attributes"]["net_position"] == tuple(
        name for name in CREDIT.attributes if CREDIT.network.variables[name].role != "irrelevant"
    )
    for row in frame.iloc[::17].to_dict("records"):
        answer = CREDIT.posterior({"net_position": row["net_position"]}, "low")
        assert row["probability"] == float(answer.evidence_probability)
        assert row["P(default=yes)"] == answer.probs["yes"]


def test_a_table_over_nothing_is_the_prior():
    frame = FARM.table("coarse", question="crop")
    assert frame["probability"].tolist() == [1]
    assert frame.iloc[0].tolist()[-3:] == [0.475, 0.475, 0.05]


# -- budgets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WORLDS)
def test_a_small_budget_refuses_before_anything_is_allocated(name):
    world = pbn.load(name, budget=1000)
    for question in world.questions:
        with pytest.raises(pbn.BudgetError) as caught:
            world.bayes_error(question=question)
        (fault,) = caught.value.faults
        assert fault.code == "exact/over-budget"
        assert fault.allowed.startswith("1 kB")
        assert "cells over" in fault.message
        named = fault.message.partition(" cells over ")[2].partition(" (")[0].split(", ")
        assert set(named) & set(world.statistic(question=question).statistic.network.variables)
        assert fault.hint


def test_a_budget_that_suffices_for_floats_says_so():
    exact = CREDIT.statistic("low").statistic.plan.bytes_needed(exact=True)
    world = pbn.load("credit_risk", budget=exact - 1)
    fault = fault_of(world.bayes_error, "low", error=pbn.BudgetError)
    assert "float arithmetic" in fault.hint
    wanted = CREDIT.bayes_error("low")
    assert world.bayes_error("low", arithmetic="float").value == pytest.approx(wanted.value, abs=1e-14)
    assert pbn.load("credit_risk", budget=exact).bayes_error("low").exact == wanted.exact


def test_a_rule_over_thirty_ternaries_that_cannot_be_factored_is_refused():
    """Each of the 3^30 cases has a score of its own, so no partial sums coincide."""
    variables = "".join(f"  x{k}: {{states: [0, 1, 2]}}\n" for k in range(30))
    score = " + ".join(f"{3**k} * x{k}" for k in range(30))
    text = (
        f"name: w\ntitle: w\nvariables:\n{variables}  score: {{rule: {score}}}\n"
        "questions: {q: {asks: score, kind: score, text: How much?}}\nlevels: {all: {hide: []}}\n"
    )
    fault = fault_of(pbn.loads, text, error=pbn.BudgetError)
    assert fault.code == "network/rule-too-large"
    assert "score" in fault.message
    assert f"{3**30:,}" in fault.message
    assert fault.hint
