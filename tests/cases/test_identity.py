"""Digests of laws, and what cases are called."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import pbn
from pbn.cases.identity import case_id, case_ids, law_digest
from pbn.from_network import world_of_network
from pbn.network.digest import network_digest
from pbn.network.model import IndexMap, Network, Table, Variable, table
from tests.networks import networks
from tests.world.cases import fault_of


def two(share=Fraction(3, 10), states=("clear", "rain"), values=None):
    """A network of two nodes."""
    variables = {
        "sky": Variable(name="sky", states=states, values=values),
        "late": Variable(name="late", states=("no", "yes")),
    }
    rows = [Fraction(9, 10), Fraction(1, 10), Fraction(4, 10), Fraction(6, 10)]
    return Network(
        variables=variables, cpds={"sky": table((), [1 - share, share], (2,)), "late": table(("sky",), rows, (2, 2))}
    )


def scaled(network, factor, dtype):
    cpds = {
        name: Table(
            parents=cpd.parents,
            numerators=cpd.numerators.astype(dtype) * factor,
            denominator=cpd.denominator * factor,
        )
        for name, cpd in network.cpds.items()
    }
    return Network(variables=network.variables, cpds=cpds)


def test_the_law_of_a_world_file_is_its_own():
    world = pbn.load("peer_review")
    assert law_digest(world) == world.spec.law_digest


def test_a_network_has_the_digest_of_what_decides_its_numbers():
    same = {network_digest(network) for network in (two(), scaled(two(), 7, np.int64), scaled(two(), 2**80, object))}
    assert len(same) == 1
    other = [
        network_digest(two(Fraction(1, 3))),
        network_digest(two(states=("clear", "wet"))),
        network_digest(two(values=(Fraction(0), Fraction(1)))),
        network_digest(two(), [["sky"]]),
        network_digest(two(), [["sky"], []]),
        network_digest(two(), [["sky"]], ["late"]),
    ]
    assert len({*same, *other}) == 7


def test_worlds_of_networks_know_what_is_shown_and_asked():
    plain = world_of_network(two())
    asked = world_of_network(two(), question="late")
    level = world_of_network(two(), question="late", levels={"fine": ["sky"]})
    renamed = world_of_network(two(), question="late", levels={"all": ["sky"]}, name="other", title="Other")
    digests = [law_digest(world) for world in (plain, asked, level, renamed)]
    assert digests[1] == digests[2] == digests[3] != digests[0]


@given(network=networks())
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_every_kind_of_node_has_a_digest_and_each_change_another(network):
    digest = network_digest(network)
    for name, cpd in network.cpds.items():
        if isinstance(cpd, IndexMap) and network.size(name) > 1:
            changed = cpd.index.copy()
            changed.flat[0] = (changed.flat[0] + 1) % network.size(name)
            cpds = {**network.cpds, name: IndexMap(parents=cpd.parents, index=changed)}
            assert network_digest(Network(variables=network.variables, cpds=cpds)) != digest
        if isinstance(cpd, Table) and network.size(name) > 1:
            rolled = Table(parents=cpd.parents, numerators=np.roll(cpd.numerators, 1, -1), denominator=cpd.denominator)
            cpds = {**network.cpds, name: rolled}
            same = (rolled.numerators == cpd.numerators).all()
            assert (network_digest(Network(variables=network.variables, cpds=cpds)) == digest) == same


def test_identifiers_tell_cases_apart():
    named = {
        case_id(digest, seed, row, level)
        for digest in ("a", "b")
        for seed in (1, 2)
        for row in range(50)
        for level in ("low", "high", None)
    }
    assert len(named) == 2 * 2 * 50 * 3
    assert all(len(name) == 32 and int(name, 16) >= 0 for name in named)


def test_identifiers_of_many_rows():
    ids = case_ids("a", 1, np.arange(5), "low")
    assert ids == [case_id("a", 1, row, "low") for row in range(5)]
    assert all(one != other for one, other in pairwise(ids))


def test_a_pinned_identifier():
    assert case_id("a", 1, 2**62 - 1, "low") == "9db8ab56c3574da915f29af5f47bbbfa"


@pytest.mark.parametrize(("seed", "row", "code"), [(-1, 0, "seed"), (0, -1, "row"), (0, 2**62, "row"), (0, 1.5, "row")])
def test_no_identifier_without_a_case(seed, row, code):
    assert fault_of(case_id, "a", seed, row, "low").code == f"cases/{code}"
