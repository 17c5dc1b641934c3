"""Decision diagrams against enumeration in Fraction, on networks that hypothesis makes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.exact import law as law_module
from pbn.exact.answers import error_of
from pbn.exact.arithmetic import integers
from pbn.exact.law import DiagramLaw
from pbn.exact.requisite import requisite
from tests.networks import questions
from tests.oracles.enumeration import Enumeration

thorough = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
BUDGET = 10**8


@pytest.fixture(params=["kept whole", "one layer at a time", "cut into parts"])
def way(request, monkeypatch):
    """Each of the ways in which a diagram is gone through."""
    if request.param != "kept whole":
        monkeypatch.setattr(law_module, "KEPT_STATES", 0)
    if request.param == "cut into parts":
        monkeypatch.setattr(law_module, "LEAST_ROWS", 0)
        return 1
    return BUDGET


@given(question=questions())
@thorough
def test_bayes_error_and_entropy_equal_enumeration(way, question):
    network, target, visible = question
    oracle = Enumeration(network)
    try:
        law = DiagramLaw(network, (target,), visible, budget=way).solve(exact=True)
    except law_module.TooLargeError:
        assert way == 1  # one belief alone is larger than a part may be
        return
    error = error_of(law.numbers(exact=True), (), "exact")
    assert error.exact == oracle.bayes_error(target, visible)
    assert error.entropy == pytest.approx(oracle.entropy(target, visible), abs=1e-12)
    approximate = error_of(law.numbers(exact=False), (), "float")
    assert approximate.value == pytest.approx(float(error.exact), abs=1e-13)


@given(question=questions())
@thorough
def test_each_case_is_looked_up_in_its_class(question):
    network, target, visible = question
    of = DiagramLaw(network, (target,), visible, budget=BUDGET)
    law = of.solve(exact=True)
    rows = integers(law.numbers(exact=True))
    cases = list(Enumeration(network).given(visible, target).items())
    codes = {name: np.array([case[k] for case, _ in cases]) for k, name in enumerate(visible)}
    classes = np.broadcast_to(of.classes_of(law, codes), len(cases))
    for (_, row), where in zip(cases, classes.tolist(), strict=True):
        found = rows[where].tolist()
        assert [Fraction(n, sum(found)) for n in found] == [p / sum(row) for p in row]
    assert len({tuple(Fraction(n, sum(row)) for n in row) for row in rows.tolist()}) == len(rows)


@given(question=questions(), data=st.data())
@thorough
def test_posteriors_given_any_evidence_equal_enumeration(way, question, data):
    network, target, visible = question
    some = data.draw(st.lists(st.sampled_from(visible), unique=True)) if visible else []
    evidence = {name: data.draw(st.integers(0, network.size(name) - 1)) for name in some}
    row = Enumeration(network).given(some, target).get(tuple(evidence.values()), [Fraction(0)] * network.size(target))
    law = DiagramLaw(network, (target,), (), evidence, budget=way).solve(exact=True)
    numbers = law.numbers(exact=True)
    found = numbers.array.sum(axis=0)
    assert [Fraction(int(n), numbers.denominator) for n in found] == row
    assert law.is_possible == any(row)


@given(question=questions())
@thorough
def test_the_bound_holds(question):
    network, target, visible = question
    of = DiagramLaw(network, (target,), visible, budget=BUDGET)
    assert of.solve(exact=False).states <= of.bound * (1 + len(of.shown))  # what is seen has layers of its own


@given(question=questions())
@thorough
def test_what_is_not_requisite_says_nothing(question):
    network, target, visible = question
    told = requisite(network, [target], visible)
    oracle = Enumeration(network)
    assert oracle.bayes_error(target, visible) == oracle.bayes_error(target, [n for n in visible if n in told])
