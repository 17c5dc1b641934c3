"""The mass of a residual, scaled: what the file's own parameter would say, in the network and in the specification."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.loading import world_of
from pbn.network.digest import network_digest
from pbn.network.residual import neutral_state, residual_mass, residuals, with_residual_mass
from pbn.tuning.worlds import world_with_residual_mass

masses = st.fractions(0, 1, max_denominator=1000)

SMALL = """
name: small
title: Residuals of several kinds
variables:
  a: {states: [0, 1], p: [.3, .7]}
  noise: {role: residual, states: [-1, 0, 2], p: [.1, .7, .2]}
  slip: {role: residual, states: [yes, no], p: [.1, .9]}
  odd: {role: residual, states: [left, right], p: [.5, .5]}
  zeros: {role: residual, states: [x, y], values: [0, 0], p: [.5, .5]}
  still: {role: residual, states: [0, 1], p: [1, 0]}
  bent: {role: residual, states: [0, 1], given: a, p: {0: [.5, .5], 1: [.9, .1]}}
  ruled: {role: residual, rule: a * noise}
  y: {rule: a + noise + bent + ruled + still > 1 and slip == 'no' and odd == 'left' and zeros == 'x'}
questions: {y: {asks: y, kind: yes/no, text: Y?}}
levels: {all: {hide: []}}
"""


@pytest.mark.parametrize("name", ["credit_risk", "peer_review"])
@settings(deadline=None, max_examples=2)
@given(mass=masses)
def test_it_is_what_the_files_own_parameter_says(name, mass):
    world = pbn.load(name)
    wanted = pbn.load(name, parameters={"residual_mass": mass})
    found = world_with_residual_mass(world, mass)
    assert network_digest(found.network) == network_digest(wanted.network)
    assert network_digest(with_residual_mass(world.network, mass)) == network_digest(wanted.network)
    assert network_digest(world_of(found.spec).network) == network_digest(wanted.network)
    for level in world.levels:
        assert found.bayes_error(level) == wanted.bayes_error(level)


def test_each_residual_of_several_by_its_parameter():
    world = pbn.load("support_ticket")
    for variable, parameter, question in (
        ("clerical_slip", "slip", "queue"),
        ("duty_judgement", "judgement", "priority"),
    ):
        found = world_with_residual_mass(world, Fraction(1, 3), variable)
        wanted = pbn.load("support_ticket", parameters={parameter: Fraction(1, 3)})
        assert network_digest(found.network) == network_digest(wanted.network)
        assert found.bayes_error("high", question=question) == wanted.bayes_error("high", question=question)


def test_the_digests_are_those_of_the_changed_law():
    world = pbn.load("credit_risk")
    changed = world_with_residual_mass(world, Fraction(1, 2))
    assert changed.spec.law_digest != world.spec.law_digest
    assert changed.spec.digest != world.spec.digest
    assert world_with_residual_mass(world, Fraction(6, 25)).spec.law_digest == world.spec.law_digest
    assert residual_mass(changed.network, "residual") == Fraction(1, 2)
    with pytest.raises(pbn.QueryError):  # what it says is in no file any more
        pbn.loading.with_parameters(changed, {"residual_mass": 0})


def test_neutral_states():
    network = pbn.loads(SMALL).network
    assert neutral_state(network, "noise") == 1
    assert neutral_state(network, "slip") == 1
    assert neutral_state(network, "still") == 0
    row = with_residual_mass(network, Fraction(6, 10), "noise").cpds["noise"]
    assert [Fraction(int(cell), row.denominator) for cell in row.numerators] == [
        Fraction(2, 10), Fraction(4, 10), Fraction(4, 10),
    ]  # fmt: skip
    assert with_residual_mass(network, 0, "still").cpds["still"].probabilities.tolist() == [1, 0]
    assert len(residuals(network)) == 7


@pytest.mark.parametrize(("variable", "mass", "code"), [
    (None, 0, "residual/which"), ("a", 0, "residual/unknown"), ("nois", 0, "residual/unknown"),
    ("bent", 0, "residual/parents"), ("ruled", 0, "residual/parents"), ("odd", 0, "residual/neutral"),
    ("zeros", 0, "residual/neutral"), ("still", Fraction(1, 2), "residual/shape"),
    ("noise", Fraction(11, 10), "residual/mass"), ("noise", Fraction(-1, 10), "residual/mass"),
])  # fmt: skip
def test_what_is_refused(variable, mass, code):
    with pytest.raises(pbn.QueryError) as caught:
        with_residual_mass(pbn.loads(SMALL).network, mass, variable)
    assert caught.value.code == code
    assert len(caught.value.faults) == 1


def test_a_world_without_residual():
    with pytest.raises(pbn.QueryError, match="the world has no residual"):
        with_residual_mass(pbn.load("covert_transfer").network, 0)
