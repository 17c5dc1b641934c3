"""The oracle of the factor worlds against published figures and against a second program's exact values."""

from fractions import Fraction

import numpy as np
import pytest

from tests.oracles.factor_worlds import WEIGHTS, credit_risk, peer_review

# Exact values on which two programs, written apart from each other, agree. Those of peer review belong
# to our reconstruction of its weights; they are not published.
PRIOR = {
    "credit_risk": Fraction(2108757137735734623, 10**19),
    "peer_review": Fraction(28868247588960601, 12 * 10**16),
}
LEVELS = {
    "credit_risk": [(), ("cash_buffer",), ("cash_buffer", "principal_due")],
    "peer_review": [(), ("novelty",), ("novelty", "validity")],
}
BAYES_ERROR = {
    "credit_risk": [
        Fraction(259265749903241391, 10**19),
        Fraction(2158783012047216459, 2 * 10**19),
        Fraction(1671103239230940747, 10**19),
    ],
    "peer_review": [
        Fraction(834640143174973, 24 * 10**15),
        Fraction(12449551743190697, 12 * 10**16),
        Fraction(14768864158438103, 12 * 10**16),
    ],
}
ENTROPY = {"credit_risk": [0.091299, 0.211639, 0.373255], "peer_review": [0.117449, 0.216333, 0.275543]}

WORLDS = {"credit_risk": credit_risk, "peer_review": peer_review}
both = pytest.mark.parametrize("name", WORLDS)


@both
def test_mass_sums_to_one(name):
    world = WORLDS[name]()
    assert int(world.mass.sum()) == world.total
    assert np.all(world.positive >= 0)
    assert np.all(world.positive <= world.mass)


@both
def test_prior_is_the_exact_value_of_two_programs(name):
    assert WORLDS[name]().prior == PRIOR[name]


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("peer_review", 0.241),  # ProbabilityBench, section 4.1
        ("credit_risk", 0.211),  # ProbabilityBench, section 4.3
    ],
)
def test_prior_is_the_published_one(name, published):
    assert round(float(WORLDS[name]().prior), 3) == published


@pytest.mark.parametrize(
    ("name", "category", "with_residual"),
    [
        ("peer_review", 19_683, 216_513),  # ProbabilityBench, appendix B
        ("credit_risk", 78_732, 393_660),  # ProbabilityBench, appendix B
    ],
)
def test_states_are_as_many_as_published(name, category, with_residual):
    world = WORLDS[name]()
    assert (world.states, world.states_with_residual) == (category, with_residual)


@both
def test_bayes_errors_are_the_exact_values_of_two_programs(name):
    assert [WORLDS[name]().bayes_error(hidden) for hidden in LEVELS[name]] == BAYES_ERROR[name]


@both
def test_entropies_are_those_of_two_programs(name):
    found = [WORLDS[name]().entropy(hidden) for hidden in LEVELS[name]]
    assert found == pytest.approx(ENTROPY[name], abs=5e-7)


@pytest.mark.parametrize(
    ("name", "published", "ours"),
    [
        ("peer_review", 0.038, 0.03770),  # ProbabilityBench, appendix B: about 3.8 %
        ("credit_risk", 0.010, 0.01014),  # ProbabilityBench, appendix B: 1.0 %
    ],
)
def test_fifty_cases_cover_what_is_published(name, published, ours):
    covered = WORLDS[name]().coverage(LEVELS[name][-1], cases=50)
    assert round(covered, 3) == published
    assert covered == pytest.approx(ours, abs=5e-6)


@both
def test_hiding_any_single_factor_raises_the_bayes_error(name):
    # Published as a statement (ProbabilityBench, appendix B); the smallest rise is the value of two programs.
    world = WORLDS[name]()
    low = world.bayes_error()
    rises = {factor: float(world.bayes_error([factor]) - low) for factor in world.factors}
    assert min(rises.values()) > 0
    smallest = {"credit_risk": ("operating_flexibility", 0.0087), "peer_review": ("reproducibility", 0.0376)}[name]
    eight = {factor: rise for factor, rise in rises.items() if factor not in world.always_visible}
    assert (min(eight, key=eight.__getitem__), round(min(eight.values()), 4)) == smallest


@both
def test_hiding_everything_leaves_the_rarer_outcome(name):
    world = WORLDS[name]()
    assert world.bayes_error(world.factors) == min(world.prior, 1 - world.prior)


def test_posterior_is_a_ratio_of_masses():
    world = credit_risk()
    sectors = [world.posterior(sector=state) for state in range(4)]
    assert sum(sectors) / 4 == world.prior
    assert world.posterior() == world.prior


def test_each_row_of_weights_sums_to_ten():
    assert [sum(row) for row in WEIGHTS.values()] == [100, 100, 100]  # tenths; our reconstruction
