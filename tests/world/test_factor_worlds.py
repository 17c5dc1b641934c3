"""Peer review and credit risk through the public API, against published figures and an independent oracle.

The oracle (`tests.oracles.factor_worlds`) writes every category state out and shares nothing with `pbn` or
the world files. Figures of ProbabilityBench name their section; the weights of peer review are our own
reconstruction, so its exact values are checked by two programs and published nowhere.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.network.model import IndexMap, Table
from tests.oracles.factor_worlds import WEIGHTS, credit_risk, peer_review

ORACLES = {"credit_risk": credit_risk, "peer_review": peer_review}
SEEN_AS = {  # factors that a case shows as a number on a grid
    "credit_risk": {"funding_rate_exposure": "debt_repricing_share", "customer_concentration": "top_customer_share"},
    "peer_review": {"evidence": "evidence_rating", "clarity": "clarity_rating"},
}
IRRELEVANT = {
    "credit_risk": ["employees", "sites", "departments", "report_pages", "report_charts", "report_edition", "year_end",
                    "office_floor"],
    "peer_review": ["authors", "manuscript_pages", "figures", "tables", "references", "appendix_pages",
                    "submission_month", "page_layout"],
}  # fmt: skip
HIDDEN = {
    "credit_risk": {"low": [], "medium": ["cash_buffer"], "high": ["cash_buffer", "principal_due"]},
    "peer_review": {"low": [], "medium": ["novelty"], "high": ["novelty", "validity"]},
}
# Exact values on which two programs, written apart from each other, agree.
PRIOR = {
    "credit_risk": Fraction(2108757137735734623, 10**19),
    "peer_review": Fraction(28868247588960601, 12 * 10**16),
}
BAYES_ERROR = {
    ("credit_risk", "low"): Fraction(259265749903241391, 10**19),
    ("credit_risk", "medium"): Fraction(2158783012047216459, 2 * 10**19),
    ("credit_risk", "high"): Fraction(1671103239230940747, 10**19),
    ("peer_review", "low"): Fraction(834640143174973, 24 * 10**15),
    ("peer_review", "medium"): Fraction(12449551743190697, 12 * 10**16),
    ("peer_review", "high"): Fraction(14768864158438103, 12 * 10**16),
}
ENTROPY = {
    ("credit_risk", "low"): 0.091299, ("credit_risk", "medium"): 0.211639, ("credit_risk", "high"): 0.373255,
    ("peer_review", "low"): 0.117449, ("peer_review", "medium"): 0.216333, ("peer_review", "high"): 0.275543,
}  # fmt: skip
WORLDS = {name: pbn.load(name) for name in ORACLES}
both = pytest.mark.parametrize("name", ORACLES)
each_level = pytest.mark.parametrize(("name", "level"), BAYES_ERROR)
few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


def attribute(name, factor):
    """The attribute in which a case shows a factor."""
    return SEEN_AS[name].get(factor, factor)


def outcome(name):
    """The asked variable and its positive state."""
    question = WORLDS[name].question()
    return question.asks, question.positive


def as_states(name, codes):
    """Evidence by names of states for the oracle's numbers of states."""
    variables = WORLDS[name].network.variables
    return {factor: variables[factor].states[code] for factor, code in codes.items()}


# -- published figures -----------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "published"), [
    ("peer_review", 0.241),  # ProbabilityBench, section 4.1
    ("credit_risk", 0.211),  # ProbabilityBench, section 4.3
])  # fmt: skip
def test_the_prior_is_the_published_one(name, published):
    asked, positive = outcome(name)
    prior = WORLDS[name].posterior().exact[positive]
    assert prior == PRIOR[name] == ORACLES[name]().prior
    assert round(float(prior), 3) == published
    (figure,) = WORLDS[name].published
    assert (figure.question, figure.state, float(figure.value)) == (asked, positive, published)


@pytest.mark.parametrize(("name", "category", "with_residual"), [
    ("peer_review", 19_683, 216_513),  # ProbabilityBench, appendix B
    ("credit_risk", 78_732, 393_660),  # ProbabilityBench, appendix B
])  # fmt: skip
def test_states_are_as_many_as_published(name, category, with_residual):
    world = WORLDS[name]
    factors = ORACLES[name]().factors
    assert np.count_nonzero(world.engine.joint(factors, {}, "float").array) == category
    residual = world.engine.joint(("residual",), {}, "exact").array
    assert category * np.count_nonzero(residual) == with_residual


@pytest.mark.parametrize(("name", "published", "ours"), [
    ("peer_review", 0.038, 0.03770),  # ProbabilityBench, appendix B: about 3.8 %
    ("credit_risk", 0.010, 0.01014),  # ProbabilityBench, appendix B: 1.0 %
])  # fmt: skip
def test_fifty_cases_cover_the_published_share_of_what_high_shows(name, published, ours):
    oracle, world = ORACLES[name](), WORLDS[name]
    hidden = HIDDEN[name]["high"]
    shown = tuple(factor for factor in oracle.factors if factor not in hidden)
    assert {attribute(name, factor) for factor in shown} == set(world.level("high").visible) - set(IRRELEVANT[name])
    joint = world.engine.joint(shown, {}, "exact")
    shares = [int(mass) / joint.denominator for mass in joint.array.ravel()]
    covered = math.fsum(p * (1 - (1 - p) ** 50) for p in shares)
    assert math.fsum(shares) == pytest.approx(1, abs=1e-12)
    assert covered == pytest.approx(oracle.coverage(hidden, cases=50), abs=1e-12)
    assert covered == pytest.approx(ours, abs=5e-6)
    assert round(covered, 3) == published


def test_bayes_accuracy_of_credit_risk_at_low_is_near_that_of_the_published_test_inputs():
    # ProbabilityBench, section 5: 97.5 % on 500 test inputs of one seed; the standard error of a mean of
    # 500 values of max(p*, 1 - p*), each between 1/2 and 1, is at most 1/4 / sqrt(500) = 1.1 %.
    accuracy = 1 - WORLDS["credit_risk"].bayes_error("low").value
    assert round(accuracy, 4) == 0.9741
    assert abs(accuracy - 0.975) < 0.25 / math.sqrt(500)


# -- Bayes errors ----------------------------------------------------------------------------------


@each_level
def test_bayes_error_and_entropy_of_each_level(name, level):
    oracle, found = ORACLES[name](), WORLDS[name].bayes_error(level)
    assert found.exact == BAYES_ERROR[name, level] == oracle.bayes_error(HIDDEN[name][level])
    assert found.value == float(found.exact)
    assert found.entropy == pytest.approx(oracle.entropy(HIDDEN[name][level]), abs=1e-12)
    assert found.entropy == pytest.approx(ENTROPY[name, level], abs=5e-7)
    rounded = WORLDS[name].bayes_error(level, arithmetic="float")
    assert rounded.exact is None
    assert rounded.value == pytest.approx(found.value, abs=1e-14)


@each_level
def test_a_level_hides_what_it_says(name, level):
    world = WORLDS[name]
    assert set(world.visible()) - set(world.visible(level)) == set(HIDDEN[name][level])
    assert world.bayes_error(hide=HIDDEN[name][level]).exact == BAYES_ERROR[name, level]


@both
def test_hiding_any_single_factor_raises_the_bayes_error(name):
    # As a statement in ProbabilityBench, appendix B; the smallest rise is the value of two programs.
    oracle, world = ORACLES[name](), WORLDS[name]
    low = world.bayes_error("low").exact
    rises = {}
    for factor in oracle.factors:
        found = world.bayes_error("low", hide=attribute(name, factor)).exact
        assert found == oracle.bayes_error([factor])
        rises[factor] = found - low
    assert min(rises.values()) > 0
    rises = {factor: rise for factor, rise in rises.items() if factor not in oracle.always_visible}
    smallest = {"credit_risk": ("operating_flexibility", 0.0087), "peer_review": ("reproducibility", 0.0376)}[name]
    assert (min(rises, key=rises.get), round(float(min(rises.values())), 4)) == smallest


@both
@given(data=st.data())
@few
def test_any_hiding_set_has_the_bayes_error_of_the_enumeration(name, data):
    oracle, world = ORACLES[name](), WORLDS[name]
    hidden = data.draw(st.lists(st.sampled_from(oracle.factors), unique=True))
    irrelevant = data.draw(st.lists(st.sampled_from(IRRELEVANT[name]), unique=True))
    order = data.draw(st.permutations([*(attribute(name, factor) for factor in hidden), *irrelevant]))
    found = world.bayes_error(hide=order)
    assert found.exact == oracle.bayes_error(hidden)
    assert found.entropy == pytest.approx(oracle.entropy(hidden), abs=1e-12)


@both
def test_hiding_everything_leaves_the_rarer_outcome(name):
    world = WORLDS[name]
    assert world.bayes_error(hide=world.attributes).exact == min(PRIOR[name], 1 - PRIOR[name])


@both
def test_irrelevant_fields_change_nothing_at_any_level(name):
    world = WORLDS[name]
    for level in world.levels:
        assert set(IRRELEVANT[name]) <= set(world.visible(level))
        assert world.bayes_error(level, hide=IRRELEVANT[name]).exact == BAYES_ERROR[name, level]
        assert not set(world.statistic(level).needed) & set(IRRELEVANT[name])


# -- posteriors ------------------------------------------------------------------------------------


@st.composite
def partial_cases(draw, name):
    """Codes of some factors."""
    world, oracle = WORLDS[name], ORACLES[name]()
    factors = draw(st.lists(st.sampled_from(oracle.factors), unique=True))
    return {factor: draw(st.integers(0, world.network.size(factor) - 1)) for factor in factors}


def drawn_number(draw, name, factor, code):
    """A number that lies in the interval of a level: any of its grid."""
    cpd = WORLDS[name].network.cpds[SEEN_AS[name][factor]]
    assert isinstance(cpd, Table)
    numbers = np.flatnonzero(cpd.numerators[code])
    return WORLDS[name].network.variables[SEEN_AS[name][factor]].states[draw(st.sampled_from(numbers.tolist()))]


@both
@given(data=st.data())
@few
def test_posteriors_of_partial_evidence_are_the_oracles(name, data):
    codes = data.draw(partial_cases(name))
    _, positive = outcome(name)
    answer = WORLDS[name].posterior(as_states(name, codes))
    assert answer.exact[positive] == ORACLES[name]().posterior(**codes)
    assert sum(answer.exact.values()) == 1
    assert answer.probs == {state: float(p) for state, p in answer.exact.items()}


@each_level
@given(data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
def test_posteriors_of_whole_cases_are_the_oracles(name, level, data):
    """Numbers stand for their levels, irrelevant fields say nothing, and the look-up equals the elimination."""
    world, oracle = WORLDS[name], ORACLES[name]()
    shown = [factor for factor in oracle.factors if factor not in HIDDEN[name][level]]
    codes = {factor: data.draw(st.integers(0, world.network.size(factor) - 1)) for factor in shown}
    case = {}
    for factor, state in as_states(name, codes).items():
        numeric = factor in SEEN_AS[name]
        case[attribute(name, factor)] = drawn_number(data.draw, name, factor, codes[factor]) if numeric else state
    _, positive = outcome(name)
    for field in data.draw(st.lists(st.sampled_from(IRRELEVANT[name]), unique=True)):
        case[field] = data.draw(st.sampled_from(world.network.variables[field].states))
    answer = world.posterior(case, level)
    assert answer.exact[positive] == oracle.posterior(**codes)
    assert world.posterior(case).exact == answer.exact
    assert "look-up" in answer.route


@both
def test_every_number_of_a_measurement_says_only_its_level(name):
    """The published grids and cuts (ProbabilityBench, section 4): a threshold belongs to the higher interval."""
    sizes = {
        "credit_risk": {"debt_repricing_share": (250, 350, 401), "top_customer_share": (200, 300, 501)},
        "peer_review": {"evidence_rating": (15, 10, 16), "clarity_rating": (15, 10, 16)},
    }[name]
    world = WORLDS[name]
    for factor, measurement in SEEN_AS[name].items():
        cpd = world.network.cpds[measurement]
        assert isinstance(cpd, Table)
        assert tuple(np.count_nonzero(cpd.numerators, axis=1)) == sizes[measurement]
        assert (np.count_nonzero(cpd.numerators, axis=0) == 1).all()
        last = 0
        for state, size in zip(world.network.variables[factor].states, sizes[measurement], strict=True):
            by_level = world.posterior({factor: state}).exact
            for position in (last, last + size // 2, last + size - 1):
                number = world.network.variables[measurement].states[position]
                assert world.posterior({measurement: number}).exact == by_level
                assert world.posterior({measurement: number}, query=factor).exact[state] == 1
            last += size


@both
def test_irrelevant_fields_are_independent_of_everything(name):
    world = WORLDS[name]
    for field in IRRELEVANT[name]:
        state = world.network.variables[field].states[0]
        assert world.posterior({field: state}).exact == world.posterior().exact
        other = IRRELEVANT[name][0] if field != IRRELEVANT[name][0] else IRRELEVANT[name][1]
        assert world.posterior({field: state}, query=other).exact == world.posterior(query=other).exact


# -- what our sources leave out of peer review -------------------------------------------------------


def test_the_weights_of_peer_review_are_our_reconstruction():
    network = WORLDS["peer_review"].network
    qualities = ORACLES["peer_review"]().factors[1:]
    for position, quality in enumerate(qualities):
        weight, cpd = network.variables[f"{quality}_weight"], network.cpds[f"{quality}_weight"]
        assert isinstance(cpd, IndexMap)
        found = [weight.values[code] for code in cpd.index]
        assert found == [Fraction(row[position], 10) for row in WEIGHTS.values()]
    notes = " ".join(WORLDS["peer_review"].spec.notes)
    assert "Reconstructed by us" in notes


def test_the_weights_of_peer_review_meet_the_published_constraints():
    # ProbabilityBench, section 4.1: theoretical work weights validity, evidence and novelty most, empirical
    # work evidence, validity and comparisons, applied work evidence and significance.
    names = [name for name in ORACLES["peer_review"]().factors if name != "contribution_type"]
    top = {
        "theoretical": {"validity", "evidence", "novelty"},
        "empirical": {"evidence", "validity", "comparison"},
        "applied": {"evidence", "significance"},
    }
    for kind, best in top.items():
        weights = dict(zip(names, WEIGHTS[kind], strict=True))
        assert min(weights[name] for name in best) > max(weights[name] for name in weights if name not in best)
