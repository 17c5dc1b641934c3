"""An elimination walked backwards gives exactly the posterior law of everything, in Fraction."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.errors import BudgetError
from pbn.exact.backward import Drawing, backward
from pbn.exact.eliminate import known_codes
from pbn.exact.engine import Engine
from pbn.network.graph import ancestors
from tests.networks import networks, questions
from tests.oracles.enumeration import Enumeration


def cell_of(step, case):
    cell = 0
    for name, size in zip(step.given, step.sizes, strict=True):
        cell = cell * size + case[name]
    return cell


def law_of(steps, known):
    """Every case that the steps can draw: (position of each variable's state, probability)."""
    cases = [(known, Fraction(1))]
    for step in steps:
        following = []
        for case, p in cases:
            if isinstance(step, Drawing):
                row = step.rows[cell_of(step, case)]
                assert row >= 0, "an impossible row"
                entries = range(step.starts[row], step.starts[row + 1])
                total = sum(int(step.weights[k]) for k in entries)
                for k in entries:
                    drawn = {name: int(codes[k]) for name, codes in step.codes.items()}
                    following.append(({**case, **drawn}, p * Fraction(int(step.weights[k]), total)))
            else:
                following.append(({**case, step.name: int(step.index[cell_of(step, case)])}, p))
        cases = following
    return cases


@given(questions(), st.data())
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_steps_draw_the_exact_posterior_of_all_they_eliminate(question, data):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(network)
    possible = sorted(oracle.given(visible, target))
    evidence = dict(zip(visible, data.draw(st.sampled_from(possible)), strict=True))
    plan = engine.plan((), evidence)
    names = [name for name in network.variables if name in ancestors(network, evidence)]
    found = defaultdict(Fraction)
    for case, p in law_of(backward(plan, evidence, engine.budget), known_codes(plan.network, plan, evidence)):
        found[tuple(case[name] for name in names)] += p
    expected = defaultdict(Fraction)
    order = list(network.variables)
    for case, p in oracle.law.items():
        states = dict(zip(order, case, strict=True))
        if all(states[name] == code for name, code in evidence.items()):
            expected[tuple(states[name] for name in names)] += p
    total = sum(expected.values())
    assert found == {case: p / total for case, p in expected.items()}


@given(networks())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
def test_without_evidence_there_is_nothing_to_draw(network):
    engine = Engine(network)
    assert backward(engine.plan((), {}), {}, engine.budget) == []


def test_what_is_kept_has_a_budget():
    from tests.world.cases import CREDIT

    evidence = {"default": 1}
    plan = CREDIT.engine.plan((), evidence)
    with pytest.raises(BudgetError) as caught:
        backward(plan, evidence, 10_000)
    assert caught.value.code == "exact/over-budget"
    assert "weights" in str(caught.value)
