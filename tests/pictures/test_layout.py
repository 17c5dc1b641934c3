"""Layouts: nothing lies on anything, edges go right and pass no foreign box, few of them cross."""

from __future__ import annotations

from itertools import combinations, pairwise

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.pictures.diagram import Diagram, Edge, Node
from pbn.pictures.layers import layered
from pbn.pictures.layout import laid_out
from pbn.pictures.stacks import MEMO
from tests.pictures.cases import LEVELS, network_world, placed, shipped
from tests.pictures.cases import diagram as shipped_diagram

NETWORKS = {"asia.bif": 0, "cancer.bif": 0, "sachs.bif": 6, "child.bif": 6, "alarm.bif": 12, "insurance.bif": 28,
            "hailfinder.bif": 8, "win95pts.net": 180, "hepar2.net": 460}  # fmt: skip
"""Files, and how many edges of their drawing may cross."""


def overlap(one, other):
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def passed(route):
    """Points close to one another on the way of an edge."""
    for k, ((a, b), (c, d)) in enumerate(pairwise(route.points)):
        steps = 24 if route.curved and k % 2 else max(2, int((abs(c - a) + abs(d - b)) / 6))
        for step in range(steps + 1):
            t = step / steps
            if route.curved and k % 2:  # a cubic curve that begins and ends level, its handles half way
                s, m = 1 - t, (a + c) / 2
                yield s**3 * a + 3 * s * s * t * m + 3 * s * t * t * m + t**3 * c, b + (d - b) * t * t * (3 - 2 * t)
            else:
                yield a + (c - a) * t, b + (d - b) * t


def check(layout):
    for (one, a), (other, b) in combinations(layout.boxes.items(), 2):
        assert not overlap(a, b), (one, other)
    for box in layout.boxes.values():
        assert box.left >= -1e-6
        assert box.top >= -1e-6
        assert box.right <= layout.width + 1e-6
        assert box.bottom <= layout.height + 1e-6
    for route in layout.routes:
        parent, child = layout.boxes[route.edge.parent], layout.boxes[route.edge.child]
        if route.edge.kind == "depends":
            assert parent.right < child.left
            assert route.points[0] == (parent.right, parent.y)
        assert route.points[-1] == (child.left, child.y)
        assert all(a <= c + 1e-6 for (a, _), (c, _) in pairwise(route.points)) or route.edge.kind == "memo"
        foreign = [box for name, box in layout.boxes.items() if name not in (route.edge.parent, route.edge.child)]
        for x, y in passed(route):
            assert not any(
                box.left < x - 1e-6 < box.right - 2e-6 and box.top < y - 1e-6 < box.bottom - 2e-6 for box in foreign
            ), route.edge


@pytest.mark.parametrize("case", shipped())
def test_shipped_worlds(case):
    drawn = shipped_diagram(*case)
    layout = placed(drawn)
    check(layout)
    assert set(layout.boxes) == {node.name for node in drawn.nodes}
    assert sorted(map(str, drawn.edges)) == sorted(str(route.edge) for route in layout.routes)
    assert layout.layers.crossings() <= 12 if any(edge.mark for edge in drawn.edges) else 5


@pytest.mark.parametrize("name", NETWORKS)
def test_network_files(shared, name):
    from pbn.pictures.diagram import world_diagram

    layout = placed(world_diagram(network_world(shared / "networks" / name)))
    check(layout)
    assert layout.layers.crossings() <= NETWORKS[name]


def test_levels_of_a_world_look_alike():
    """The same nodes in the same places, so that levels can be compared."""
    for name in ("credit_risk", "covert_transfer", "support_ticket"):
        orders = {tuple(placed(shipped_diagram(name, level, False)).layers.slots) for level in LEVELS}
        assert len(orders) == 1


@st.composite
def graphs(draw, most=14):
    names = [f"v{k}" for k in range(draw(st.integers(1, most)))]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=24)) if pairs else []
    return names, edges


@settings(max_examples=40, deadline=None)
@given(graphs(), st.data())
def test_random_graphs(case, data):
    names, edges = case
    irrelevant = set(data.draw(st.lists(st.sampled_from(names), unique=True)))
    told = data.draw(st.lists(st.sampled_from(names), unique=True))
    nodes = [
        Node(name=name, label=name, role="irrelevant" if name in irrelevant else "hidden", members=(name,))
        for name in names
    ]
    links = [Edge(parent=a, child=b) for a, b in edges]
    if told:
        nodes.append(Node(name=MEMO, label="memo", role="memo", members=()))
        links += [Edge(parent=name, child=MEMO, kind="memo") for name in told]
    sizes = {node.name: (data.draw(st.integers(20, 160)), data.draw(st.integers(18, 60))) for node in nodes}
    check(laid_out(Diagram(title="t", subtitle="", nodes=tuple(nodes), edges=tuple(links), shown="shown"), sizes))


@settings(max_examples=40, deadline=None)
@given(graphs())
def test_layers(case):
    names, edges = case
    found = layered(names, edges)
    assert sorted(slot[0] for layer in found.slots for slot in layer if found.is_node(slot)) == sorted(names)
    assert all(found.layer_of[a] < found.layer_of[b] for a, b in edges)
    for k, layer in enumerate(found.slots):
        assert all(slot[1] == k for slot in layer)
    total = sum(found.layer_of[b] - found.layer_of[a] for a, b in edges)
    graph = nx.DiGraph(edges)
    graph.add_nodes_from(names)
    longest = {name: k for k, layer in enumerate(nx.topological_generations(graph)) for name in layer}
    assert total <= sum(longest[b] - longest[a] for a, b in edges)
    place = {slot: k for layer in found.slots for k, slot in enumerate(layer)}
    crossings = 0
    for layer in found.slots:
        ends = [(place[a], place[b]) for a in layer for b in found.leads[a]]
        crossings += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in combinations(ends, 2))
    assert found.crossings() == crossings
    for a, b in edges:
        way = found.way((a, b))
        assert all(then in found.leads[now] for now, then in pairwise(way))
