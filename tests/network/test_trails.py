"""Trails: active ones exist where the nodes are not d-separated, and each is what it says by the definition."""

from __future__ import annotations

import time
from itertools import pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.network.graph import is_separated, named_graph
from pbn.network.trails import MOST_TRAILS, connection


@st.composite
def cases(draw, most=9):
    """A random DAG, two of its nodes, and a set of given ones."""
    names = [f"v{k}" for k in range(draw(st.integers(2, most)))]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    graph = nx.DiGraph()
    graph.add_nodes_from(draw(st.permutations(names)))
    graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True, max_size=2 * len(names))))
    one, other = draw(st.permutations(names))[:2]
    return graph, one, other, draw(st.lists(st.sampled_from(names), unique=True))


def is_open(graph, before, node, after, fixed):
    """Whether a trail passes a node, by the definition."""
    if graph.has_edge(before, node) and graph.has_edge(after, node):
        return bool(({node} | nx.descendants(graph, node)) & fixed)
    return node not in fixed


def all_trails(graph, one, other):
    return list(nx.all_simple_paths(graph.to_undirected(), one, other))


@settings(max_examples=150, deadline=None)
@given(cases())
def test_active_trails_exist_where_nodes_are_not_separated(case):
    graph, one, other, fixed = case
    found = connection(graph, one, other, fixed)
    fixed = set(fixed) - {one, other}
    assert found.separated == nx.is_d_separator(graph, {one}, {other}, fixed)
    assert set(found.given) == fixed
    paths = all_trails(graph, one, other)
    active = [p for p in paths if all(is_open(graph, *p[k : k + 3], fixed) for k in range(len(p) - 2))]
    assert found.separated == (not active)
    wanted = paths if found.separated else active
    assert len(found.trails) == min(MOST_TRAILS, len(wanted))
    assert found.more == (len(wanted) > MOST_TRAILS)
    assert [len(trail.nodes) for trail in found.trails] == sorted(map(len, wanted))[:MOST_TRAILS]
    assert {trail.nodes for trail in found.trails} <= set(map(tuple, wanted))
    assert len({trail.nodes for trail in found.trails}) == len(found.trails)


@settings(max_examples=100, deadline=None)
@given(cases())
def test_every_inner_node_is_what_it_says(case):
    graph, one, other, fixed = case
    found = connection(graph, one, other, fixed)
    for trail in found.trails:
        assert (trail.nodes[0], trail.nodes[-1]) == (one, other)
        assert all(graph.has_edge(*edge) for edge in trail.edges)
        assert trail.active is not found.separated
        assert [junction.node for junction in trail.junctions] == list(trail.nodes[1:-1])
        for k, junction in enumerate(trail.junctions):
            before, node, after = trail.nodes[k : k + 3]
            into = graph.has_edge(before, node) + graph.has_edge(after, node)
            assert junction.kind == ("fork", "chain", "collider")[into]
            assert junction.open is is_open(graph, before, node, after, set(found.given))
            if junction.given is not None:
                assert junction.given in found.given
                assert junction.given in {node} | nx.descendants(graph, node)
            assert (junction.given is None) is (junction.open is (junction.kind != "collider"))


def test_the_text_has_its_arrows():
    graph = nx.DiGraph([("a", "x"), ("y", "x"), ("y", "b")])
    (trail,) = connection(graph, "a", "b", ["x"]).trails
    assert str(trail) == "a → x ← y → b"
    assert [junction.reason for junction in trail.junctions] == ["collider, given", "fork, not given"]
    (trail,) = connection(graph, "a", "b", []).trails
    assert [junction.reason for junction in trail.junctions] == [
        "collider, neither it nor a descendant is given",
        "fork, not given",
    ]


@pytest.mark.parametrize("seen", [(), ("b59",)])
def test_graphs_with_very_many_trails_are_explained_quickly(seen):
    """A ladder has more than 2^60 trails between its ends."""
    graph = nx.DiGraph()
    for k in range(60):
        graph.add_edges_from(
            [(f"a{k}", f"b{k}"), (f"a{k}", f"a{k + 1}"), (f"b{k}", f"b{k + 1}"), (f"a{k}", f"b{k + 1}")]
        )
    begun = time.perf_counter()
    found = connection(graph, "a0", "b60", seen, most=20)
    assert time.perf_counter() - begun < 5
    assert not found.separated
    assert found.more
    assert len(found.trails) == 20
    assert len(found.trails[0].nodes) == 1 + nx.shortest_path_length(graph.to_undirected(), "a0", "b60")
    assert all(trail.active for trail in found.trails)


def test_no_trail_at_all():
    graph = nx.DiGraph()
    graph.add_nodes_from("ab")
    found = connection(graph, "a", "b", [])
    assert (found.separated, found.trails, found.more) == (True, (), False)


@pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))
def test_the_graph_of_named_variables(name):
    world = pbn.load(name)
    graph = named_graph(world.network)
    assert list(graph) == list(world.network.named)
    assert nx.is_directed_acyclic_graph(graph)
    for variable, declared in world.spec.variables.items():
        assert set(graph.predecessors(variable)) <= set(declared.parents)
    for a, b in pairwise(graph):  # what the whole graph separates, this one separates too
        for level in world.levels:
            seen = set(world.visible(level)) - {a, b}
            assert nx.is_d_separator(graph, {a}, {b}, seen) or not is_separated(world.network, [a], [b], seen)
