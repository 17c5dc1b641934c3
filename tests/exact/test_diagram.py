"""Decision diagrams against enumeration in Fraction, on networks that hypothesis makes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.exact import choice
from pbn.exact import law as law_module
from pbn.exact.answers import error_of
from pbn.exact.arithmetic import integers
from pbn.exact.engine import Engine
from pbn.exact.law import DiagramLaw
from pbn.exact.modular import rebuilt
from pbn.exact.residues import primes_for, remainders
from pbn.network.model import Network, Variable, table
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
        monkeypatch.setattr(law_module, "ENTRY_BYTES", BUDGET)
    return request.param


@given(question=questions())
@thorough
def test_bayes_error_and_entropy_equal_enumeration(way, question):
    network, target, visible = question
    oracle = Enumeration(network)
    try:
        law = DiagramLaw(network, (target,), visible, budget=BUDGET).solve(exact=True)
    except law_module.TooLargeError:
        assert way == "cut into parts"  # one belief alone is larger than a part may be
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
    classes = np.broadcast_to(law.classes_of(codes), len(cases))
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
    law = DiagramLaw(network, (target,), (), evidence, budget=BUDGET).solve(exact=True)
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
def test_what_is_not_needed_says_nothing(question):
    network, target, visible = question
    told = Engine(network).statistic(target, visible).needed
    oracle = Enumeration(network)
    assert oracle.bayes_error(target, visible) == oracle.bayes_error(target, [n for n in visible if n in told])


@pytest.fixture(params=[("float", "exact"), ("exact", "float")], ids=lambda order: f"{order[0]} first")
def arithmetics(request):
    """Both arithmetics, each asked first."""
    return request.param


@pytest.fixture(params=[("exact",), ("float",), ("exact", "float")], ids="diagram: {0[0]}".format)
def by_diagram_in(request, monkeypatch):
    """In which arithmetics the diagram is the better way: the other one is eliminated."""
    monkeypatch.setattr(choice, "QUICK", -1)
    seconds = {True: "exact" in request.param, False: "float" in request.param}
    monkeypatch.setattr(choice, "elimination_seconds", lambda _plan, *, exact: 1e9 * seconds[exact])
    return request.param


@given(question=questions())
@settings(thorough, max_examples=30)
def test_a_statistic_answers_alike_whatever_was_asked_before(by_diagram_in, arithmetics, question):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(network)
    statistic = engine.statistic(target, visible)
    cases = oracle.given(visible, target)
    for arithmetic in (*arithmetics, *arithmetics):
        assert (statistic.law(arithmetic) is not None) == (arithmetic in by_diagram_in)
        error = statistic.bayes_error(arithmetic)
        assert error.value == pytest.approx(float(oracle.bayes_error(target, visible)), abs=1e-13)
        for case, row in cases.items():
            codes = {name: code for name, code in zip(visible, case, strict=True) if name in statistic.needed}
            found = statistic.row(codes, arithmetic)
            assert np.array(found) / sum(found) == pytest.approx([float(p / sum(row)) for p in row], abs=1e-12)


@given(question=questions())
@settings(thorough, max_examples=30)
def test_an_engine_answers_any_evidence_by_diagram(by_diagram_in, question):
    network, target, visible = question
    engine = Engine(network)
    for case, row in Enumeration(network).given(visible, target).items():
        answer = engine.posterior(target, dict(zip(visible, case, strict=True)))
        assert list(answer.exact.values()) == [p / sum(row) for p in row]
        assert answer.evidence_probability == sum(row)


def test_a_law_over_more_outcomes_than_fit_is_given_up():
    coin = table((), [Fraction(1, 2)] * 2, (2,))
    names = [f"c{k}" for k in range(40)]
    coins = Network(
        variables={name: Variable(name=name, states=("heads", "tails")) for name in names},
        cpds=dict.fromkeys(names, coin),
    )
    with pytest.raises(law_module.TooLargeError):
        DiagramLaw(coins, names, budget=BUDGET).solve(exact=True)


@given(numbers=st.lists(st.integers(0, 2**3000), min_size=1, max_size=5))
@settings(max_examples=30, deadline=None)
def test_integers_are_rebuilt_from_remainders_by_primes_of_31_bits(numbers):
    primes = primes_for(3001)
    found = remainders(np.array(numbers, dtype=object), primes)
    assert rebuilt(found, primes.ravel()).tolist() == numbers
    assert primes_for(10**9) is None
