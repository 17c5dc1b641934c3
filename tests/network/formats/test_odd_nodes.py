"""Nodes that are hard to hold: declared twice, without states, with more parents of one state than numpy has axes."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pbn
from pbn.errors import NetworkError
from pbn.network.formats.bif import parse_bif
from pbn.network.formats.json import parse_json
from pbn.network.formats.net import parse_net
from pbn.network.formats.text import decoded
from pbn.network.formats.uai import parse_uai
from pbn.network.formats.xdsl import parse_xdsl
from pbn.network.formats.xmlbif import parse_xmlbif
from pbn.network.model import MAX_PARENTS

XML = '<?xml version="1.0"?>\n'
Node = tuple[str, list[str], list[str], str]  # name, states, parents, numbers


def bif(nodes: list[Node]) -> str:
    text = "network n { }\n"
    for name, states, _, _ in nodes:
        text += f"variable {name} {{ type discrete [ {len(states)} ] {{ {', '.join(states)} }}; }}\n"
    for name, states, parents, numbers in nodes:
        given, size, words = " | " + ", ".join(parents) if parents else "", len(states), numbers.split()
        columns = [word for k in range(size) for word in words[k::size]]  # a BIF table has the child slowest
        text += f"probability ( {name}{given} ) {{ table {' '.join(columns)}; }}\n"
    return text


def net(nodes: list[Node]) -> str:
    text = "net { }\n"
    for name, states, _, _ in nodes:
        text += f"node {name} {{ states = ({' '.join(states)}); }}\n" if states else f"node {name} {{ }}\n"
    for name, _, parents, numbers in nodes:
        text += f"potential ({' '.join([name, '|', *parents] if parents else [name])}) {{ data = ({numbers}); }}\n"
    return text


def uai(nodes: list[Node]) -> str:
    place = {name: str(k) for k, (name, *_) in enumerate(nodes)}
    lines = ["BAYES", str(len(nodes)), " ".join(str(len(states)) for _, states, _, _ in nodes), str(len(nodes))]
    lines += [" ".join([str(len(ps) + 1), *(place[p] for p in ps), place[name]]) for name, _, ps, _ in nodes]
    return "\n".join([*lines, *(f"{len(numbers.split())} {numbers}" for _, _, _, numbers in nodes)]) + "\n"


def xmlbif(nodes: list[Node]) -> str:
    text = XML + '<BIF VERSION="0.3"><NETWORK>'
    for name, states, _, _ in nodes:
        outcomes = "".join(f"<OUTCOME>{state}</OUTCOME>" for state in states)
        text += f'<VARIABLE TYPE="nature"><NAME>{name}</NAME>{outcomes}</VARIABLE>'
    for name, _, parents, numbers in nodes:
        given = "".join(f"<GIVEN>{parent}</GIVEN>" for parent in parents)
        text += f"<DEFINITION><FOR>{name}</FOR>{given}<TABLE>{numbers}</TABLE></DEFINITION>"
    return text + "</NETWORK></BIF>"


def xdsl(nodes: list[Node]) -> str:
    text = XML + '<smile version="1.0" id="n"><nodes>'
    for name, states, parents, numbers in nodes:
        own = "".join(f'<state id="{state}" />' for state in states)
        given = f"<parents>{' '.join(parents)}</parents>" if parents else ""
        text += f'<cpt id="{name}">{own}{given}<probabilities>{numbers}</probabilities></cpt>'
    return text + "</nodes></smile>"


def own(nodes: list[Node]) -> str:
    variables = []
    for name, states, parents, numbers in nodes:
        numerators = [int(Fraction(word) * 100) for word in numbers.split()]
        cpd = {"kind": "table", "parents": parents, "denominator": 100, "numerators": numerators}
        variables.append({"name": name, "states": states, "origin": "random", "cpd": cpd})
    return json.dumps({"format": "pbn-network", "version": 1, "variables": variables})


FORMATS = {
    "bif": (bif, parse_bif), "net": (net, parse_net), "uai": (uai, parse_uai), "xml": (xmlbif, parse_xmlbif),
    "xdsl": (xdsl, parse_xdsl), "json": (own, parse_json),
}  # fmt: skip
each_format = pytest.mark.parametrize("ending", FORMATS)


def text_of(ending: str, nodes: list[Node]) -> str:
    return FORMATS[ending][0](nodes)


def read(ending: str, nodes: list[Node]) -> pbn.network.model.Network:
    return FORMATS[ending][1](decoded(text_of(ending, nodes).encode(), f"n.{ending}")).network


@each_format
@pytest.mark.parametrize("twice", [([], ["x", "y"]), (["x", "y"], []), ([], []), (["x"], ["x", "y"])])
def test_a_node_that_is_declared_twice(ending, twice):
    nodes: list[Node] = [("a", states, [], "0.5 0.5" if states else "") for states in twice]
    with pytest.raises(NetworkError) as caught:
        read(ending, nodes)
    assert caught.value.code.startswith("network/")


@each_format
def test_a_node_without_states(ending):
    for nodes in ([("a", [], [], "")], [("b", [], [], ""), ("a", ["x", "y"], ["b"], "0.5 0.5")]):
        with pytest.raises(NetworkError) as caught:
            read(ending, nodes)
        assert any(fault.code in ("network/states", "network/shape", "network/json") for fault in caught.value.faults)


@each_format
@pytest.mark.parametrize("count", [MAX_PARENTS - 1, MAX_PARENTS, 51, 63, 64, 200])
def test_parents_of_one_state(ending, count, tmp_path):
    ones: list[Node] = [(f"c{k}", ["only"], [], "1") for k in range(count)]
    parents = [name for name, *_ in ones]
    nodes: list[Node] = [
        *ones,
        ("a", ["x", "y"], [], "0.3 0.7"),
        ("b", ["no", "yes"], [*parents[: count // 2], "a", *parents[count // 2 :]], "0.2 0.8 0.9 0.1"),
    ]
    path = tmp_path / f"n.{ending}"
    path.write_text(text_of(ending, nodes))
    world = pbn.load(path)
    a, b = list(world.network.variables)[-2:]
    yes = world.network.variables[b].states[1]
    expected = {0: Fraction(24, 31), 1: Fraction(7, 31)}
    for engine in ("pbn", "pgmpy"):
        answer = world.posterior({b: yes}, query=a, engine=engine)
        assert list(answer.probs.values()) == pytest.approx([float(p) for p in expected.values()])
    assert pbn.load(path, question=b).bayes_error("full").exact == Fraction(13, 100)


@given(st.lists(st.integers(0, 10**600 - 1), min_size=2, max_size=4), st.integers(0, 2**64))
def test_rows_of_whole_numbers_of_any_length(numerators, denominator):
    cpd = {"kind": "table", "parents": [], "denominator": str(denominator), "numerators": list(map(str, numerators))}
    states = [f"s{k}" for k in range(len(numerators))]
    text = json.dumps(
        {
            "format": "pbn-network",
            "version": 1,
            "variables": [{"name": "a", "states": states, "origin": "random", "cpd": cpd}],
        }
    )
    with pytest.raises(NetworkError) as caught:
        parse_json(decoded(text.encode(), "n.json"))
    assert caught.value.code == ("network/row-sum" if denominator else "network/denominator")


def test_a_row_whose_sum_wraps_in_64_bits():
    numerators = [2**61 - 1] * 8 + [8 + 2**60]  # 2^64 + 2^60 in all
    cpd = {
        "kind": "table",
        "parents": [],
        "denominator": str(2**60),
        "numerators": list(map(str, numerators)),
    }
    variable = {"name": "a", "states": list("abcdefghi"), "origin": "random", "cpd": cpd}
    text = json.dumps({"format": "pbn-network", "version": 1, "variables": [variable]})
    with pytest.raises(NetworkError, match="row-sum"):
        parse_json(decoded(text.encode(), "n.json"))
