"""Plans: an elimination that no machine could carry out is refused, whatever its size; the rest is estimated truly."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings

import pbn
from pbn.exact.arithmetic import EXACT, FLOAT
from pbn.exact.eliminate import bind, joint
from pbn.exact.engine import Engine
from pbn.exact.plan import make_plan
from pbn.exact.steps import BEYOND, DEFAULT_BUDGET
from tests.networks import questions


def symptoms(count):
    """A cause with binary symptoms, each with probabilities of its own."""
    lines = ["  sick: {states: [no, yes], p: [.9, .1]}"]
    for k in range(count):
        row = f"no: [{k + 1}/{count + 3}, {count + 2 - k}/{count + 3}], yes: [1/{k + 2}, {k + 1}/{k + 2}]"
        lines.append(f"  s{k}: {{states: [a, b], given: sick, p: {{{row}}}}}")
    text = ["name: n", "title: N", "variables:", *lines, "questions: {sick: {asks: sick, kind: yes/no, text: Sick?}}"]
    return pbn.loads("\n".join([*text, "levels: {all: {hide: []}}"]))


@pytest.mark.parametrize("count", [70, 1100, 3000])
def test_what_no_machine_holds_is_refused_with_its_size(count):
    world = symptoms(count)
    for budget in (DEFAULT_BUDGET, 10**30):
        plan = world.statistic("all").statistic.plan
        assert plan.cells > BEYOND
        for exact in (True, False):
            with pytest.raises(pbn.BudgetError) as caught:
                plan.check_budget(budget, exact=exact)
            (fault,) = caught.value.faults
            assert fault.code == "exact/over-budget"
            assert f"({count + 1} in all)" in fault.message


def test_one_case_of_what_no_machine_holds_is_answered():
    count = 300
    world = symptoms(count)
    case = {f"s{k}": "ab"[k % 3 == 0] for k in range(count)}
    weights = {"no": Fraction(9, 10), "yes": Fraction(1, 10)}
    for k in range(count):
        first = {"no": Fraction(k + 1, count + 3), "yes": Fraction(1, k + 2)}
        weights = {s: weights[s] * (1 - first[s] if k % 3 == 0 else first[s]) for s in weights}
    assert world.posterior(case).exact == {s: weight / sum(weights.values()) for s, weight in weights.items()}


@given(questions())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_planner_that_gives_up_early_gives_no_other_plan(question):
    """However little may be held, what a plan says of itself holds, and the answer is the same."""
    network, target, visible = question
    view = Engine(network).view(visible)
    whole = make_plan(view, (target,), visible)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbn.exact.plan.SMALL", 0)
        tried = make_plan(view, (target,), visible)
    assert (tried.cells, tried.operations) <= (whole.cells, whole.operations)


@pytest.mark.parametrize("name", ["credit_risk", "peer_review"])
def test_the_memory_that_exact_arithmetic_takes_is_within_what_the_plan_says(name):
    world = pbn.load(name)
    for level in world.levels:
        statistic = world.statistic(level)
        bound = statistic.bound
        joint(bound, EXACT)
        tracemalloc.start()
        joint(bound, EXACT)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak <= 2 * statistic.statistic.plan.bytes_needed(exact=True) + 200_000


def test_a_sum_against_a_sum_that_shares_factors_is_answered_exactly(shared):
    world = pbn.load(shared / "faults" / "scale" / "sum_vs_sum_chain.yaml")
    for level in world.levels:
        exact, rough = (world.bayes_error(level, arithmetic=how) for how in ("exact", "float"))
        assert exact.exact is not None
        assert exact.value == pytest.approx(rough.value, abs=1e-12)


def test_float_and_exact_agree_where_products_of_matrices_are_taken(shared):
    world = pbn.load(shared / "networks" / "barley.bif", renormalise=True)
    plan = world.engine.plan(("ntilg",), ())
    bound = bind(plan, {})
    exact, rough = joint(bound, EXACT), joint(bound, FLOAT)
    assert plan.exact.moduli
    assert [float(n / exact.denominator) for n in exact.array] == pytest.approx(rough.array.tolist(), rel=1e-12)
