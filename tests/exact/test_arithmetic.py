"""Exact arithmetic at every size of denominator: float64 below 2^53, Python's integers or residues above."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.exact.arithmetic import EXACT, FLOAT, Numbers, integers
from pbn.exact.eliminate import bind, joint, run
from pbn.exact.engine import Engine
from pbn.exact.modular import PRIME_BITS, ModularArithmetic, primes, primes_needed, rebuilt
from pbn.exact.plan import make_plan
from pbn.network.chain import chained
from pbn.network.formats.bif import read_bif
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
    total = EXACT.total(numbers, (-1,))
    assert total.array.shape == ()
    assert integers(total).item() == whole
    assert integers(EXACT.multiply(total, total)).item() == whole**2


def residues(integers, moduli):
    return np.array([[number % p for number in integers] for p in moduli.tolist()], dtype=np.float64)


def test_the_primes_are_distinct_primes_of_23_bits():
    known = primes().tolist()
    assert sorted(set(known), reverse=True) == known
    assert known[0] < 2**23
    assert known[-1] > 2 ** (PRIME_BITS + 0.9)
    assert all(all(p % factor for factor in range(2, 2897)) for p in (*known[:20], *known[-20:]))


@given(st.integers(1, 60), st.data())
@thorough
def test_integers_are_rebuilt_from_their_residues(count, data):
    moduli = primes()[:count]
    whole = math.prod(moduli.tolist())
    numbers = data.draw(st.lists(st.one_of(st.integers(0, whole - 1), st.sampled_from([0, 1, whole - 1])), min_size=1))
    found = residues(numbers, moduli)
    balanced = np.where(found > moduli[:, None] // 2, found - moduli[:, None], found)
    assert rebuilt(found, moduli).tolist() == rebuilt(balanced, moduli).tolist() == numbers


@given(st.integers(1, 10**30))
def test_as_many_primes_are_taken_as_tell_all_numerators_apart(denominator):
    assert math.prod(primes()[: primes_needed(denominator)].tolist()) > denominator


def test_a_denominator_beyond_all_primes_is_left_to_whole_integers():
    assert primes_needed(2**100_000_000) is None


@given(st.integers(1, 2000), st.integers(0, 2**32 - 1))
@thorough
def test_products_of_residues_as_large_as_can_be_are_exact(terms, seed):
    """Long sums of products whose residues all lie at the ends of their range."""
    moduli = primes()[:3]
    ends = np.random.default_rng(seed).choice([-1, 1], (2, 3, terms)) * (moduli[:, None] // 2)
    left, right = ends[0].astype(np.float64)[:, None, :], ends[1].astype(np.float64)[:, :, None]
    found = ModularArithmetic(moduli).dot(left, right)[:, 0, 0]
    assert [int(f) % p for f, p in zip(found.tolist(), moduli.tolist(), strict=True)] == [
        sum(a * b for a, b in zip(*ends[:, k].tolist(), strict=True)) % p for k, p in enumerate(moduli.tolist())
    ]
    assert (np.abs(found) < 0.51 * moduli).all()


@given(questions(), st.sampled_from([1, 2**20, 10**19, 10**40]), st.integers(1, 5))
@thorough
def test_residues_give_the_same_integers(question, factor, together):
    network, target, visible = question
    network = chained(over_a_larger_denominator(network, factor), visible)
    for evidence in ({}, dict.fromkeys(visible, 0)):
        plan = make_plan(network, (target,), evidence)
        bound = bind(plan, evidence)
        (rest,) = plan.rest
        wanted = run(bound, EXACT)[rest.key]
        moduli = primes()[: primes_needed(wanted.denominator)]
        parts = [moduli[start : start + together] for start in range(0, len(moduli), together)]
        found = np.concatenate([run(bound, ModularArithmetic(part))[rest.key].array for part in parts])
        assert found.shape == (len(moduli), *wanted.array.shape)
        assert rebuilt(found.reshape(len(moduli), -1), moduli).tolist() == integers(wanted).ravel().tolist()


@st.composite
def products(draw):
    """Arrays over some axes each of one domain, and axes to sum over."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=6)))
    axes = tuple(axis - len(shape) for axis in range(len(shape)) if draw(st.booleans()))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kept = st.lists(st.booleans(), min_size=len(shape), max_size=len(shape))
    sizes = [
        tuple(n if keep else 1 for n, keep in zip(shape, draw(kept), strict=True))
        for _ in range(draw(st.integers(1, 4)))
    ]
    return shape, axes, [rng.integers(0, 1000, size) for size in sizes]


@given(products(), st.booleans())
@settings(thorough, max_examples=500)
def test_a_sum_of_products_is_the_same_as_products_of_matrices(drawn, whole):
    shape, axes, arrays = drawn
    wanted = np.broadcast_to(math.prod(array.astype(object) for array in arrays), shape).sum(axis=axes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbn.exact.arithmetic.FEW", 0 if whole else 2**10)
        found = FLOAT.contract([Numbers(array=array.astype(np.float64)) for array in arrays], shape, axes)
        arithmetic = ModularArithmetic(primes()[:4])
        parts = [Numbers(array=np.stack([array.astype(np.float64)] * 4)) for array in arrays]
        over = arithmetic.contract(parts, shape, axes).array
    assert found.array.shape == np.shape(wanted)
    assert found.array.ravel().tolist() == pytest.approx(np.ravel(wanted).astype(float).tolist(), rel=1e-12)
    assert rebuilt(over.reshape(4, -1), arithmetic.moduli).tolist() == np.ravel(wanted).tolist()


@pytest.mark.parametrize("number", [20, 100])
def test_the_network_that_was_too_long_is_answered_in_residues(number, shared):
    """A chain over half a day, with denominators of thousands of bits: whole integers and residues agree."""
    network = read_bif(shared / "networks" / "diabetes.bif", renormalise=True).network
    plan = make_plan(network, (list(network.variables)[number],))
    bound = bind(plan, {})
    (rest,) = plan.rest
    assert plan.exact.moduli or number == 20
    assert integers(joint(bound, EXACT)).tolist() == integers(run(bound, EXACT)[rest.key]).tolist()
