"""Exact arithmetic at every size of denominator: float64 below 2^53, Python's integers above."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.exact.arithmetic import EXACT, Numbers, integers
from pbn.exact.engine import Engine
from pbn.network.model import Network, Table
from tests.networks import questions
from tests.oracles.enumeration import Enumeration

thorough = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def over_a_larger_denominator(network, factor):
    """The same law, every table written over a denominator that is larger by a factor."""
    cpds = {
        name: cpd
        if not isinstance(cpd, Table)
        else Table(
            parents=cpd.parents, numerators=cpd.numerators.astype(object) * factor, denominator=cpd.denominator * factor
        )
        for name, cpd in network.cpds.items()
    }
    return Network(variables=network.variables, cpds=cpds)


@given(questions(), st.sampled_from([2**20, 2**40, 2**53, 2**62, 2**63, 10**19, 2**64, 10**40]), st.data())
@thorough
def test_the_size_of_denominators_changes_no_answer(question, factor, data):
    network, target, visible = question
    oracle, engine = Enumeration(network), Engine(over_a_larger_denominator(network, factor))
    statistic = engine.statistic(target, visible)
    assert statistic.bayes_error().exact == oracle.bayes_error(target, visible)
    case, row = data.draw(st.sampled_from(sorted(oracle.given(visible, target).items())))
    evidence = dict(zip(visible, case, strict=True))
    assert engine.evidence_probability(evidence) == sum(row)
    for route in (None, statistic):
        answer = engine.posterior(target, evidence, statistic=route)
        assert list(answer.exact.values()) == [p / sum(row) for p in row]
        assert answer.evidence_probability == sum(row)
        rounded = engine.posterior(target, evidence, "float", statistic=route)
        assert list(rounded.probs.values()) == pytest.approx(list(answer.probs.values()), abs=1e-12)


@pytest.mark.parametrize("whole", [1, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30])
def test_a_single_number_stays_exact_through_every_operation(whole):
    numbers = Numbers(array=np.array([whole - 1, 1], dtype=object), denominator=whole)
    total = EXACT.total(numbers, (0,))
    assert total.array.shape == ()
    assert integers(total).item() == whole
    assert integers(EXACT.multiply(total, total)).item() == whole**2
