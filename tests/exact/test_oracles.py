"""The engine against enumeration in Fraction, pgmpy, and pyAgrum, on networks that hypothesis makes."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pbn.errors import QueryError
from pbn.exact.engine import Engine
from pbn.exact.pgmpy_engine import pgmpy_posterior
from pbn.network.chain import chained
from tests.networks import networks, questions
from tests.oracles.enumeration import Enumeration

thorough = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
brief = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@given(questions())
@thorough
def test_bayes_error_and_entropy_equal_enumeration(question):
    network, target, visible = question
    oracle, statistic = Enumeration(network), Engine(network).statistic(target, visible)
    exact, approximate = statistic.bayes_error(), statistic.bayes_error("float")
    assert exact.exact == oracle.bayes_error(target, visible)
    assert exact.value == float(exact.exact)
    assert approximate.value == pytest.approx(float(exact.exact), abs=1e-13)
    assert exact.entropy == pytest.approx(oracle.entropy(target, visible), abs=1e-12)
    assert approximate.entropy == pytest.approx(exact.entropy, abs=1e-12)


@given(questions())
@thorough
def test_the_statistic_answers_every_possible_case_as_enumeration_does(question):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(network)
    statistic = engine.statistic(target, visible)
    states = network.variables[target].states
    for case, row in oracle.given(visible, target).items():
        evidence = dict(zip(visible, case, strict=True))
        looked_up = engine.posterior(target, evidence, statistic=statistic)
        eliminated = engine.posterior(target, evidence)
        assert [looked_up.exact[s] for s in states] == [p / sum(row) for p in row]
        assert looked_up.exact == eliminated.exact
        assert looked_up.evidence_probability == eliminated.evidence_probability == sum(row)


@given(questions(), st.data())
@thorough
def test_partial_evidence_is_marginalised(question, data):
    network, target, visible = question
    given_names = data.draw(st.lists(st.sampled_from(visible), unique=True)) if visible else []
    oracle, engine = Enumeration(network), Engine(network)
    statistic = engine.statistic(target, visible)
    case, row = data.draw(st.sampled_from(sorted(oracle.given(given_names, target).items())))
    answer = engine.posterior(target, dict(zip(given_names, case, strict=True)), statistic=statistic)
    assert list(answer.exact.values()) == [p / sum(row) for p in row]
    assert sum(answer.exact.values()) == 1


@given(questions())
@thorough
def test_impossible_evidence_names_an_irreducible_conflict(question):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(network)
    possible = oracle.given(visible, target)
    for case in oracle.all_cases(visible):
        evidence = dict(zip(visible, case, strict=True))
        assert engine.is_possible(evidence) == (case in possible)
        if case in possible:
            continue
        with pytest.raises(QueryError) as caught:
            engine.posterior(target, evidence)
        assert caught.value.code == "query/impossible-evidence"
        conflict = engine.conflict(evidence)
        assert not engine.is_possible({name: evidence[name] for name in conflict})
        for name in conflict:
            assert engine.is_possible({other: evidence[other] for other in conflict if other != name})


@given(questions())
@thorough
def test_evidence_factors_multiply_to_the_probability_of_the_case(question):
    network, target, visible = question
    possible = Enumeration(network).given(visible, target)
    factors = Engine(network).evidence_factors(tuple(visible))
    for case in possible.keys() | {tuple(0 for _ in visible)}:
        codes = dict(zip(visible, case, strict=True))
        product = np.prod([array[tuple(codes[name] for name in scope)] for scope, array in factors])
        assert product == pytest.approx(float(sum(possible.get(case, [Fraction(0)]))), abs=1e-13)


@given(questions(), st.data())
@thorough
def test_hiding_more_never_lowers_the_bayes_error(question, data):
    network, target, visible = question
    assume(visible)
    hidden = data.draw(st.sampled_from(visible))
    fewer = [name for name in visible if name != hidden]
    engine = Engine(network)
    finer, coarser = (engine.statistic(target, names).bayes_error() for names in (visible, fewer))
    assert finer.exact <= coarser.exact
    assert finer.entropy <= coarser.entropy + 1e-12


@given(questions(min_states=2))
@brief
def test_pgmpy_gives_the_same_posteriors(question):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(network)
    case = min(oracle.given(visible, target))
    evidence = dict(zip(visible, case, strict=True))
    texts = {name: network.variables[name].states[code] for name, code in evidence.items()}
    ours = engine.posterior(target, evidence)
    theirs = pgmpy_posterior(chained(network, visible), target, texts, 10**8, ours.evidence_probability)
    assert theirs == pytest.approx(ours.probs, abs=1e-12)


def fill(gum, graph, add, network):
    """Put the network's nodes, arcs and CPDs into a pyAgrum graph."""
    for name, variable in network.variables.items():
        add(gum.LabelizedVariable(name, name, [f"s{k}" for k in range(variable.size)]))
    for name in network.variables:
        for parent in network.parents(name):
            graph.addArc(parent, name)
    for name, cpd in network.cpds.items():
        index = getattr(cpd, "index", None)
        values = cpd.probabilities if index is None else np.eye(network.size(name))[index]
        axes = [[*cpd.parents, name].index(axis) for axis in reversed(graph.cpt(name).names)]
        graph.cpt(name)[:] = np.ascontiguousarray(np.transpose(values, axes))


@given(questions(min_states=2, max_nodes=5))
@brief
def test_bayes_accuracy_is_the_expected_utility_of_an_informed_decision(question):
    """1 − ε* is the maximum expected utility of a decision that sees the visible set (pyAgrum's LIMID)."""
    gum = pytest.importorskip("pyagrum")
    network, target, visible = question
    network = chained(network, visible)
    assume(all(network.size(name) > 1 for name in network.variables))
    diagram = gum.InfluenceDiagram()
    fill(gum, diagram, diagram.addChanceNode, network)
    size = network.size(target)
    diagram.addDecisionNode(gum.LabelizedVariable("decision", "decision", [f"s{k}" for k in range(size)]))
    diagram.addUtilityNode(gum.LabelizedVariable("utility", "utility", 1))
    for name in visible:
        diagram.addArc(name, "decision")
    diagram.addArc(target, "utility")
    diagram.addArc("decision", "utility")
    utility = diagram.utility("utility")
    utility[:] = np.ascontiguousarray(np.eye(size).reshape(utility.toarray().shape))
    inference = gum.ShaferShenoyLIMIDInference(diagram)
    inference.makeInference()
    accuracy = inference.MEU()["mean"]
    assert accuracy == pytest.approx(1 - Engine(network).statistic(target, visible).bayes_error().value, abs=1e-9)


@given(networks(min_states=2))
@brief
def test_pyagrum_gives_the_same_marginals(network):
    gum = pytest.importorskip("pyagrum")
    network = chained(network, ())
    assume(all(network.size(name) > 1 for name in network.variables))
    net = gum.BayesNet()
    fill(gum, net, net.add, network)
    inference = gum.LazyPropagation(net)
    inference.makeInference()
    engine = Engine(network)
    for name in network.variables:
        ours = list(engine.posterior(name, {}).probs.values())
        assert inference.posterior(name).tolist() == pytest.approx(ours, abs=1e-9)
