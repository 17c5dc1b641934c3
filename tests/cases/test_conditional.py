"""Rows given evidence: the exact posterior law, nothing thrown away, and rows that depend on their number alone."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.cases import sample
from pbn.cases.conditional import ConditionalSampler, conditional_codes
from pbn.cases.sample import RowSampler
from pbn.exact.arithmetic import integers
from pbn.from_network import world_of_network
from pbn.network.model import IndexMap
from tests.cases.reference import Given, choose, p_value
from tests.networks import questions
from tests.oracles.enumeration import Enumeration
from tests.world.cases import FARM, fault_of

WORLDS = {name: pbn.load(name) for name in pbn.shipped_worlds()}
CREDIT = WORLDS["credit_risk"]
RARE = """
name: rare
title: Rare
variables:
  one: {states: [no, yes], p: [.999999, .000001]}
  other: {states: [no, yes], p: [.999999, .000001]}
  kind: {states: [a, b, c], p: [.5, .3, .2]}
  free: {states: [x, y], given: kind, p: {a: [.9, .1], b: [.5, .5], c: [0, 1]}}
  both: {rule: "one == 'yes' and other == 'yes' and kind != 'a'"}
questions:
  kind: {asks: kind, kind: choice, text: Which?}
levels:
  all: {hide: []}
"""


def equal(one, other):
    assert one.keys() == other.keys()
    return all(np.array_equal(one[name], other[name]) and one[name].dtype == other[name].dtype for name in one)


def evidence_of(name):
    """Some evidence on the outcome of a shipped world, and on a variable above it."""
    world = WORLDS[name]
    asked = [question.asks for question in world.questions.values()]
    states = {node: world.network.variables[node].states for node in world.network.named}
    shown = [node for node in world.network.named if node not in asked]
    return {asked[0]: states[asked[0]][-1], shown[0]: states[shown[0]][0]}


each_world = pytest.mark.parametrize("name", WORLDS)


# -- exactly the posterior law -------------------------------------------------------------------------


@each_world
def test_frequencies_follow_the_posterior_law(name):
    """Chi-square on 100,000 rows; for another seed the chance that this test fails is one in 10,000."""
    world, evidence = WORLDS[name], evidence_of(name)
    network, count = world.network, 100_000
    drawn = conditional_codes(world, evidence, 31, 0, count)
    codes = {node: network.variables[node].states.index(state) for node, state in evidence.items()}
    free = [node for node in network.named if node not in codes]
    pairs = list(itertools.pairwise(free)) + [(free[0], node) for node in free[2:]]
    p_values = []
    for pair in pairs:
        numbers = world.engine.joint(pair, codes, "exact")
        law = integers(numbers).ravel()
        kept = [node for node in pair if network.size(node) > 1 and node not in world.engine.plan(pair, codes).known]
        cell = np.zeros(count, dtype=int)
        for node in kept:
            cell = cell * network.size(node) + drawn[node]
        p_values.append(p_value(np.bincount(cell, minlength=len(law)), (law / law.sum()).astype(float)))
    assert min(p_values) > 1e-4 / len(p_values)
    for node, code in codes.items():
        assert (drawn[node] == code).all()


@given(questions(max_nodes=5), st.data(), st.integers(0, 2**63 - 1))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_are_possible_and_fit_the_evidence(question, data, seed):
    network, target, visible = question
    oracle = Enumeration(network)
    case = data.draw(st.sampled_from(sorted(oracle.given(visible, target))))
    evidence = dict(zip(visible, case, strict=True))
    world = world_of_network(network)
    states = {name: network.variables[name].states[code] for name, code in evidence.items()}
    drawn = conditional_codes(world, states, seed, 0, 50)
    for row in zip(*(drawn[name].tolist() for name in network.variables), strict=True):
        assert oracle.law.get(row, 0) > 0
    assert all((drawn[name] == code).all() for name, code in evidence.items())


@each_world
def test_deterministic_variables_follow_their_parents(name):
    world = WORLDS[name]
    view = world.engine.view(())
    drawn = conditional_codes(world, evidence_of(name), 8, 0, 2000)
    for node in world.network.named:
        cpd = view.cpds[node]
        if isinstance(cpd, IndexMap) and all(parent in drawn for parent in cpd.parents):
            assert (drawn[node] == cpd.index[tuple(drawn[parent] for parent in cpd.parents)]).all()


def test_evidence_on_a_number_inside_a_rule():
    drawn = conditional_codes(CREDIT, {"net_position": "0.5"}, 1, 0, 5000)
    assert len(set(drawn["cash_generation"].tolist())) == 3
    law = CREDIT.posterior({"net_position": "0.5"}, query="cash_generation").probs
    assert p_value(np.bincount(drawn["cash_generation"], minlength=3), list(law.values())) > 1e-4


def test_evidence_of_a_vanishing_probability():
    world = pbn.loads(RARE)
    evidence = {"both": "yes"}
    assert world.posterior(evidence).evidence_probability == Fraction(1, 2 * 10**12)
    drawn = conditional_codes(world, evidence, 3, 0, 20_000)
    assert drawn["one"].all()
    assert drawn["other"].all()
    joint = np.bincount(drawn["kind"].astype(int) * 2 + drawn["free"], minlength=6)
    assert p_value(joint, [0, 0, 0.6 / 2, 0.6 / 2, 0, 0.4]) > 1e-4


def test_words_on_a_bound_are_decided_by_further_words_of_the_row():
    sampler = ConditionalSampler(FARM, {"sold": "yes"}, 0)
    joints = {step.drawing.names: step for step in sampler._steps if hasattr(step, "drawing")}
    bounds = {names: sorted(set(step.choices.bounds.tolist())) for names, step in joints.items()}
    later = np.random.default_rng(1).integers(0, 2**63, (60, 3)).tolist()

    def digit(name, row, depth):
        return later[row][depth] if depth or name not in bounds else bounds[name][row % len(bounds[name])]

    object.__setattr__(sampler, "_streams", Given(digit))
    parts = [sampler.codes(start, start + 20) for start in (0, 20, 40)]
    whole = sampler.codes(0, 60)
    assert equal(whole, {name: np.concatenate([part[name] for part in parts]) for name in whole})
    decided, given = 0, sampler._block(0, 60, [])
    for names, step in joints.items():  # each drawing once more, in Fraction
        drawing, choices = step.drawing, step.choices
        for row in range(60):
            cell = 0
            for name, size in zip(drawing.given, drawing.sizes, strict=True):
                cell = cell * size + int(given[name][row])
            first, last = (int(choices.starts[drawing.rows[cell] + k]) for k in (0, 1))
            weights = [int(weight) for weight in drawing.weights[first:last]]
            shares = [Fraction(weight, sum(weights)) for weight in weights]
            k = choose(shares, lambda depth, names=names, row=row: digit(names, row, depth))
            assert all(given[name][row] == drawing.codes[name][first + k] for name in names)
            decided += digit(names, row, 0) in choices.bounds[first : last - 1]
    assert decided > 10


# -- a row is a function of its number -----------------------------------------------------------------


@given(cuts=st.lists(st.integers(0, 300), max_size=4), step=st.integers(1, 100))
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_slices_and_blocks_give_the_same_rows(cuts, step):
    sampler = ConditionalSampler(FARM, {"sold": "yes", "height": 1.5}, 5)
    whole = sampler.codes(0, 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "MOST_ROWS", step)
        for start, stop in itertools.pairwise(sorted({0, 300, *cuts})):
            part = sampler.codes(start, stop)
            assert equal(part, {name: codes[start:stop] for name, codes in whole.items()})


@given(names=st.sets(st.sampled_from(CREDIT.network.named), min_size=1))
@settings(max_examples=15, deadline=None)
def test_asking_for_fewer_variables_changes_none(names):
    sampler = ConditionalSampler(CREDIT, {"default": "yes"}, 1)
    whole = sampler.codes(10, 60)
    assert equal(sampler.codes(10, 60, names), {name: whole[name] for name in names})


def test_without_evidence_the_rows_are_the_plain_ones():
    assert equal(conditional_codes(FARM, {}, 4, 0, 100), RowSampler(FARM, 4).codes(0, 100))


def test_the_order_and_spelling_of_evidence_make_no_difference_and_its_values_do():
    one = conditional_codes(FARM, {"sold": "yes", "height": 1.5}, 5, 0, 200)
    assert equal(conditional_codes(FARM, {"height": "1.50", "sold": "yes"}, 5, 0, 200), one)
    other = conditional_codes(FARM, {"sold": "yes", "height": 2}, 5, 0, 200)
    assert not np.array_equal(one["plot_2"], other["plot_2"])


def test_pinned_rows():
    """These rows hang on the order of elimination too: where a better one changes them, the changelog says so."""
    drawn = conditional_codes(FARM, {"sold": "yes", "crop": "oats"}, 7, 0, 8)
    pinned = {
        "season": [0, 0, 1, 0, 0, 0, 0, 0],
        "plot_1": [0, 1, 0, 2, 2, 2, 1, 1],
        "plot_2": [0, 0, 2, 0, 0, 1, 1, 1],
        "plot_3": [2, 2, 2, 2, 2, 1, 1, 2],
        "height": [1, 1, 4, 1, 0, 1, 0, 1],
    }
    assert {name: drawn[name].tolist() for name in pinned} == pinned


# -- refusals ------------------------------------------------------------------------------------------


def test_impossible_evidence_is_refused_at_once():
    fault = fault_of(ConditionalSampler, FARM, {"season": "dry", "crop": "flax", "plot_2": "a"}, 0)
    assert fault.code == "query/impossible-evidence"
    assert fault.found == "season=dry, crop=flax"


def test_too_small_a_budget_is_refused():
    world = pbn.load("credit_risk")
    object.__setattr__(world.engine, "budget", 10_000)
    assert fault_of(ConditionalSampler, world, {"default": "yes"}, 0, error=pbn.BudgetError).code == "exact/over-budget"


@pytest.mark.parametrize(
    ("evidence", "seed", "code"),
    [
        ({"sold": "perhaps"}, 0, "query/unknown-state"),
        ({"solt": "yes"}, 0, "query/unknown-variable"),
        (["sold"], 0, "query/not-a-mapping"),
        ({"sold": "yes"}, -1, "cases/seed"),
    ],
)
def test_what_else_is_refused(evidence, seed, code):
    assert fault_of(ConditionalSampler, FARM, evidence, seed).code == code
