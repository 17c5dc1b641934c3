"""What a drawing shows: roles, what is folded, what is drawn as one."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.from_network import world_of_network
from pbn.network.graph import named_graph
from pbn.pictures.diagram import memo_parents, world_diagram
from pbn.pictures.draw import explain
from pbn.pictures.stacks import MEMO, broken, stacks
from tests.network.formats.cases import odd_network
from tests.pictures.cases import LEVELS, PATHS, diagram, shipped, world

CASES = [(name, level) for name in PATHS for level in LEVELS]


def roles(drawn):
    return {member: node.role for node in drawn.nodes for member in node.members}


@pytest.mark.parametrize(("name", "level"), CASES)
def test_roles_are_those_of_the_world(name, level):
    held, drawn = world(name), diagram(name, level, True)
    found, visible = roles(drawn), set(held.visible(level))
    assert set(found) == set(held.network.named)
    for variable, role in found.items():
        declared = held.network.variables[variable]
        asked = any(variable == question.asks for question in held.questions.values())
        assert (role == "outcome") is asked
        assert (role == "irrelevant") is (declared.role == "irrelevant")
        assert (role == "visible") is (variable in visible and declared.role != "irrelevant")
        assert declared.role != "latent" or role == "latent"
        assert declared.role != "residual" or role == "residual"
        if role == "hidden":
            assert variable not in visible
            assert declared.role is None
        if role == "rule":
            assert declared.origin == "deterministic"


def test_what_a_level_hides():
    found = {level: roles(diagram("credit_risk", level, False)) for level in ("low", "medium", "high")}
    assert [found[level]["cash_buffer"] for level in found] == ["visible", "hidden", "hidden"]
    assert [found[level]["principal_due"] for level in found] == ["visible", "visible", "hidden"]
    assert found["low"]["funding_rate_exposure"] == "implied"
    ticket = {level: roles(diagram("support_ticket", level, False)) for level in ("low", "medium", "high")}
    assert [ticket[level]["wait"] for level in ticket] == ["implied", "implied", "hidden"]
    assert [ticket[level]["topic_group"] for level in ticket] == ["rule", "visible", "visible"]


@pytest.mark.parametrize(("name", "level"), CASES)
def test_edges_are_those_of_the_named_variables(name, level):
    held, drawn = world(name), diagram(name, level, True)
    home = {member: node.name for node in drawn.nodes for member in node.members}
    graph = named_graph(held.network)
    edges = [(edge.parent, edge.child) for edge in drawn.edges if edge.kind == "depends"]
    assert sorted(edges) == sorted({(home[a], home[b]) for a, b in graph.edges})
    assert not any(":" in name for name in home)


@pytest.mark.parametrize(("name", "level"), CASES)
def test_folding_keeps_what_reaches_what(name, level):
    held = world(name)
    folded, shown = diagram(name, level, False), diagram(name, level, True)
    assert {node.name for node in folded.nodes} <= {node.name for node in shown.nodes}
    left_out = {m for node in shown.nodes for m in node.members} - {m for node in folded.nodes for m in node.members}
    assert all(held.network.variables[member].origin == "deterministic" for member in left_out)
    assert not left_out & {variable for entry in held.levels.values() for variable in entry.visible}
    whole = nx.DiGraph((e.parent, e.child) for e in shown.edges if e.kind == "depends")
    small = nx.DiGraph((e.parent, e.child) for e in folded.edges if e.kind == "depends")
    whole.add_nodes_from(node.name for node in shown.nodes)
    small.add_nodes_from(node.name for node in folded.nodes)
    for node in small:
        assert set(nx.descendants(small, node)) == set(nx.descendants(whole, node)) & set(small)


def test_all_levels_of_all_worlds_are_tried():
    assert set(PATHS) == set(pbn.shipped_worlds())
    assert all((None, *world(name).levels) == LEVELS for name in PATHS)


@pytest.mark.parametrize("case", shipped())
def test_nodes_come_in_topological_order(case):
    drawn = diagram(*case)
    place = {node.name: k for k, node in enumerate(drawn.nodes)}
    assert len(place) == len(drawn.nodes)
    assert all(place[edge.parent] < place[edge.child] for edge in drawn.edges)
    assert len({(edge.parent, edge.child) for edge in drawn.edges}) == len(drawn.edges)


@pytest.mark.parametrize(("name", "level"), CASES)
def test_the_memo_is_the_child_of_what_is_visible(name, level):
    drawn = diagram(name, level, False)
    told = {edge.parent for edge in drawn.edges if edge.child == MEMO}
    members = {member for node in drawn.nodes if node.name in told for member in node.members}
    assert members == set(memo_parents(world(name), level)) == set(world(name).visible(level))
    assert not any(edge.parent == MEMO for edge in drawn.edges)


def test_a_memo_that_tells_what_is_hidden_is_drawn_so():
    text = pbn.shipped_worlds()["credit_risk"].read_text(encoding="utf-8")
    leaking = text.replace("{sector}", "{sector} with {net_position}", 1)
    assert leaking != text
    drawn = world_diagram(pbn.loads(leaking), "high", rules=True)
    assert ("net_position", MEMO) in {(edge.parent, edge.child) for edge in drawn.edges}


def test_repeated_variables_are_one_node():
    labels = {node.label: node for node in diagram("covert_transfer", "high", False).nodes}
    assert len(labels["identifier × 16"].members) == len(labels["drawn × 16"].members) == 16
    labels = {node.label: node for node in diagram("covert_transfer", "high", False, True).nodes}
    assert len(labels["identifier × 15 of 16"].members) == 15
    assert not labels["identifier_3"].stacked


def test_members_of_different_roles_stand_apart():
    text = """
name: letters
title: Letters
variables:
  letter: {states: [a, b], repeat: 4}
  won: {rule: "letter[1] == 'a' or letter[2] == 'b'"}
questions: {won: {asks: won, kind: yes/no, text: Won?}}
levels: {fine: {hide: []}, coarse: {hide: [letter_4]}}
"""
    assert [n.label for n in world_diagram(pbn.loads(text), "fine").nodes] == ["letter × 4", "won"]
    coarse = {n.label: n.role for n in world_diagram(pbn.loads(text), "coarse").nodes}
    assert coarse == {"letter × 3 of 4": "visible", "letter_4": "hidden", "won": "outcome"}


@st.composite
def families(draw):
    size = draw(st.integers(2, 10))
    names = [f"v{k}" for k in range(size)]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    graph = nx.DiGraph()
    graph.add_nodes_from(names)
    graph.add_edges_from(draw(st.lists(st.sampled_from(pairs), unique=True, max_size=12)))
    of = draw(st.lists(st.sampled_from("abc"), min_size=size, max_size=size))
    return graph, {f: [n for n, g in zip(names, of, strict=True) if f == g] for f in set(of)}


@settings(max_examples=60, deadline=None)
@given(families())
def test_stacks_never_lead_back_to_themselves(case):
    graph, members = case
    found = stacks(graph, members, dict.fromkeys(graph, ("hidden", True)))
    assert sorted(name for stack in found for name in stack.members) == sorted(graph)
    home = {name: k for k, stack in enumerate(found) for name in stack.members}
    assert all(home[a] < home[b] for a, b in graph.edges)


def test_trails_are_marked():
    drawn = diagram("credit_risk", "medium", False, True)
    assert [(e.parent, e.child) for e in drawn.edges if e.mark == "active"] == [
        ("cash_buffer", "net_position"),
        ("net_position", "default"),
    ]
    marks = {node.name: node.mark for node in drawn.nodes if node.mark}
    assert marks == {"cash_buffer": "end", "net_position": "active", "default": "end"}
    held = world("credit_risk")
    blocked = world_diagram(held, "high", connection=explain(held, "principal_due", "cash_buffer", "high"))
    assert {node.name for node in blocked.nodes if node.mark == "blocks"} == {"net_position", "cash_generation"}
    assert blocked.subtitle.endswith("principal_due and cash_buffer are separated")


def test_a_network_without_questions_and_memo():
    held = world_of_network(odd_network())
    drawn = world_diagram(held)
    assert {node.role for node in drawn.nodes} == {"visible"}
    assert drawn.subtitle == ""
    assert {(e.parent, e.child) for e in drawn.edges} == set(held.network.graph.edges)
    assert memo_parents(held) == ()


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=120))
def test_labels_are_broken_without_loss(label):
    lines = broken(label)
    assert all(len(line) <= 24 for line in lines)
    assert "".join(lines).replace(" ", "") == label.replace(" ", "")
