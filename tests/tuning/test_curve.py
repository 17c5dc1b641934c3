"""ε* as a function of a residual's mass: against enumeration, concave, and solved exactly."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import pbn
from pbn.exact.engine import Engine
from pbn.network.model import Network, Table
from pbn.network.residual import with_residual_mass
from pbn.tuning.curve import ErrorCurve, Masses, error_curve
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


def kinks(curve):
    """Where two states of some row cross, and the ends: between two of these ε* is straight."""
    found = {Fraction(0), Fraction(1)}
    for still, noisy in zip(curve.still.tolist(), curve.noisy.tolist(), strict=True):
        for (a, b), (c, d) in itertools.combinations(zip(still, noisy, strict=True), 2):
            if a - c + d - b:
                found.add(Fraction(a - c, a - c + d - b))
    return sorted(mass for mass in found if 0 <= mass <= 1)


def reached_by_hand(curve, target):
    """The masses that reach a target, piece by piece: neighbouring pieces that lie at the target are one interval."""
    spans = []
    for low, high in itertools.pairwise(kinks(curve)):
        start, end = curve.error(low), curve.error(high)
        if start == end == target:
            spans.append((low, high))
        elif min(start, end) <= target <= max(start, end) and start != end:
            mass = low + (high - low) * (target - start) / (end - start)
            spans.append((mass, mass))
    joined = []
    for first, last in spans:
        if joined and joined[-1][1] == first:
            joined[-1] = (joined[-1][0], last)
        else:
            joined.append((first, last))
    return joined


def reached(curve, target):
    return [(masses.first, masses.last) for masses in curve.reached(target)]


def targets(curve, share):
    """A value of the curve and the values that matter most: at the ends, at all kinks, just beyond the reach."""
    errors = [curve.error(mass) for mass in kinks(curve)]
    least, most = min(errors), max(errors)
    tiny = Fraction(1, 10**30)
    return {*errors, least + share * (most - least), least - tiny, most + tiny, most - tiny}


@settings(deadline=None, max_examples=25)
@given(noisy_questions(), st.fractions(0, 1, max_denominator=40))
def test_every_mass_of_a_target(question, share):
    network, target, visible = question
    curve = curve_of(network, target, visible)
    for wanted in targets(curve, share):
        spans = reached(curve, wanted)
        assert spans == reached_by_hand(curve, wanted)
        for mass in {end for span in spans for end in span}:
            scaled = with_residual_mass(network, mass)
            assert Engine(scaled).statistic(target, visible).bayes_error().exact == wanted


@st.composite
def curves(draw):
    """Two laws of one statistic with few rows and small numbers, so that pieces are flat and kinks meet."""
    rows, states = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    cells = st.lists(st.integers(0, 4), min_size=rows * states, max_size=rows * states)
    laws = [np.array(draw(cells.filter(sum)), dtype=object).reshape(rows, states) for _ in range(2)]
    total = math.prod(int(law.sum()) for law in laws)
    still, noisy = (law * (total // int(law.sum())) for law in laws)
    return ErrorCurve(nodes=("f",), still=still, noisy=noisy, denominator=total)


@settings(deadline=None, max_examples=200)
@given(curves(), st.fractions(0, 1, max_denominator=40))
def test_rising_falling_and_flat_curves(curve, share):
    for wanted in targets(curve, share):
        assert reached(curve, wanted) == reached_by_hand(curve, wanted)
    where, most = curve.highest()
    assert most == max(curve.error(mass) for mass in kinks(curve))
    assert [(where.first, where.last)] == reached_by_hand(curve, most)


def curve_from(still, noisy):
    still, noisy = np.array(still, dtype=object), np.array(noisy, dtype=object)
    return ErrorCurve(nodes=("f",), still=still, noisy=noisy, denominator=int(still.sum()))


def test_a_peak_that_is_a_kink_below_the_tangents():
    curve = curve_from([[0, 3], [0, 3], [6, 0]], [[2, 0], [4, 0], [0, 6]])
    most = Fraction(11, 24)
    assert curve.highest() == (Masses(Fraction(1, 2), Fraction(1, 2)), most)
    assert reached(curve, most) == [(Fraction(1, 2), Fraction(1, 2))]
    assert reached(curve, most + Fraction(1, 10**30)) == []


def test_a_flat_top_is_an_interval_of_masses():
    curve = curve_from([[4, 0], [5, 0]], [[0, 4], [1, 4]])  # one row turns at 1/2, the other at 5/8
    half, five = Fraction(1, 2), Fraction(5, 8)
    assert curve.highest() == (Masses(half, five), Fraction(4, 9))
    assert reached(curve, Fraction(4, 9)) == [(half, five)]
    assert reached(curve, Fraction(2, 9)) == [(Fraction(1, 4), Fraction(1, 4)), (Fraction(7, 8), Fraction(7, 8))]
    flat = curve_from([[3, 1]], [[3, 1]])
    assert reached(flat, Fraction(1, 4)) == [(0, 1)]


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
        assert reached(curve, error) == [(Fraction(24, 100), Fraction(24, 100))]
