"""ε* as a function of a residual's mass: against enumeration, concave, and solved exactly."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pbn
from pbn.exact.engine import Engine
from pbn.network.model import Network, Table
from pbn.network.residual import with_residual_mass
from pbn.tuning.curve import ErrorCurve, error_curve
from tests.networks import questions
from tests.oracles.enumeration import Enumeration

masses = st.fractions(0, 1, max_denominator=50)


@st.composite
def noisy_questions(draw):
    """A small network with a question, a visible set, and a root that is its residual."""
    network, target, visible = draw(questions(max_nodes=6))
    roots = [
        name
        for name, cpd in network.cpds.items()
        if isinstance(cpd, Table) and not cpd.parents and network.size(name) > 1 and name != target
        and 0 < int(cpd.numerators[0]) < cpd.denominator
    ]  # fmt: skip
    assume(roots)
    name = draw(st.sampled_from(roots))
    variable = network.variables[name]
    values = tuple(Fraction(k) for k in range(variable.size))
    marked = {**network.variables, name: replace(variable, role="residual", values=values)}
    seen = [other for other in visible if other != name]
    return Network(variables=marked, cpds=network.cpds), target, seen


def curve_of(network, target, visible):
    ends = [Engine(with_residual_mass(network, mass)).statistic(target, visible) for mass in (0, 1)]
    return error_curve(*ends)


@settings(deadline=None, max_examples=25)
@given(noisy_questions(), st.lists(masses, min_size=1, max_size=3))
def test_it_is_the_bayes_error_of_the_scaled_network(question, points):
    network, target, visible = question
    curve = curve_of(network, target, visible)
    for mass in points:
        scaled = with_residual_mass(network, mass)
        assert curve.error(mass) == curve.at(mass).exact == Enumeration(scaled).bayes_error(target, visible)
        direct = Engine(scaled).statistic(target, visible).bayes_error()
        assert (curve.at(mass).exact, curve.at(mass).entropy) == (direct.exact, direct.entropy)


@settings(deadline=None, max_examples=25)
@given(noisy_questions(), masses, masses, masses)
def test_it_is_concave(question, one, other, weight):
    curve = curve_of(*question)
    between = weight * one + (1 - weight) * other
    assert curve.error(between) >= weight * curve.error(one) + (1 - weight) * curve.error(other)


@settings(deadline=None, max_examples=25)
@given(noisy_questions(), st.lists(masses, min_size=2, max_size=6), st.fractions(0, 1, max_denominator=40))
def test_the_highest_and_the_first_mass_of_a_target(question, points, share):
    network, target, visible = question
    curve = curve_of(network, target, visible)
    where, highest = curve.highest()
    assert curve.error(where) == highest == max([highest, *(curve.error(mass) for mass in points)])
    assert all(curve.error(mass) < highest for mass in points if mass < where)
    least = curve.error(Fraction(0))
    wanted = least + share * (highest - least)
    mass = curve.first(wanted)
    assert curve.error(mass) == wanted
    assert Engine(with_residual_mass(network, mass)).statistic(target, visible).bayes_error().exact == wanted
    assert all(curve.error(point) < wanted for point in points if point < mass)
    assert curve.first(highest + Fraction(1, 10**30)) is None
    assert curve.first(least - Fraction(1, 10**30)) is None
    assert curve.first(least) == 0


def test_a_peak_that_is_a_kink_below_the_tangents():
    still, noisy = np.array([[0, 3], [0, 3], [6, 0]], dtype=object), np.array([[2, 0], [4, 0], [0, 6]], dtype=object)
    curve = ErrorCurve(nodes=("f",), still=still, noisy=noisy, denominator=12)
    assert curve.highest() == (Fraction(1, 2), Fraction(11, 24))
    assert curve.first(Fraction(11, 24)) == Fraction(1, 2)
    assert curve.first(Fraction(11, 24) + Fraction(1, 10**30)) is None


@settings(deadline=None, max_examples=20)
@given(noisy_questions(), masses)
def test_slopes_are_those_of_the_pieces(question, mass):
    curve = curve_of(*question)
    step = Fraction(1, 10**12)  # no kink of so small a network lies so near to another number
    if mass < 1:
        assert curve.slope(mass, right=True) == (curve.error(mass + step) - curve.error(mass)) / step
    if mass > 0:
        assert curve.slope(mass, right=False) == (curve.error(mass) - curve.error(mass - step)) / step


def test_the_files_own_figures_lie_on_the_curves():
    """The figures of credit risk, of which two independent programs agree."""
    known = {
        "low": Fraction(259265749903241391, 10**19),
        "medium": Fraction(2158783012047216459, 2 * 10**19),
        "high": Fraction(1671103239230940747, 10**19),
    }
    world = pbn.load("credit_risk")
    for level, error in known.items():
        curve = curve_of(world.network, "default", world.visible(level))
        assert curve.error(Fraction(24, 100)) == error
        assert curve.prior(Fraction(24, 100))[1] == Fraction(2108757137735734623, 10**19)
        mass = curve.first(error)
        assert mass == Fraction(24, 100)
