"""What the graph alone tells, against networkx and where rules are nested deeply."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbn.network.chain import chained
from pbn.network.graph import ancestors, functions_of, nearest_separator
from pbn.network.model import CPD, Fold, IndexMap, Network, Variable, table
from tests.networks import questions


def separator_by_networkx(network, target, visible, candidates):
    """The minimal d-separator of the target and copies of what is visible, by networkx."""
    needed = ancestors(network, [target, *visible])
    graph = nx.DiGraph()
    graph.add_nodes_from(needed)
    graph.add_edges_from((parent, name) for name in needed for parent in network.parents(name))
    graph.add_edges_from((name, ("copy", name)) for name in visible)
    copies = {("copy", name) for name in visible}
    if not copies:
        return ()
    found = nx.find_minimal_d_separator(graph, {target}, copies, restricted=(set(candidates) & needed) - {target})
    return None if found is None else tuple(name for name in network.variables if name in found)


@given(questions(), st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_nearest_separator_is_that_of_networkx(question, data):
    network, target, visible = question
    drawn = data.draw(st.sets(st.sampled_from(list(network.variables))))
    for candidates in (visible, list(functions_of(network, visible)), drawn):
        expected = separator_by_networkx(network, target, visible, candidates)
        assert nearest_separator(network, target, visible, candidates) == expected


def test_a_part_of_a_rule_that_is_read_along_many_ways_is_looked_into_once():
    """Sixty parts, each of which reads the one before it twice: 2^60 ways lead to the variable."""
    half, bit = Fraction(1, 2), (Fraction(0), Fraction(1))
    variables = {"x": Variable(name="x", states=("0", "1")), "z": Variable(name="z", states=("0", "1"))}
    cpds: dict[str, CPD] = {name: table((), [half, half], (2,)) for name in variables}
    last = "x"
    for depth in range(60):
        for side in "ab":
            name = f"y.{side}{depth}"
            variables[name] = Variable(name=name, states=("0", "1"), origin="auxiliary")
            cpds[name] = IndexMap(parents=(last,), index=np.array([0, 1]))
        last = f"y.{depth}"
        variables[last] = Variable(name=last, states=("0", "1"), values=bit, origin="auxiliary")
        cpds[last] = IndexMap(parents=(f"y.a{depth}", f"y.b{depth}"), index=np.array([[0, 1], [1, 1]]))
    values = tuple(Fraction(k) for k in range(4))
    variables["y"] = Variable(name="y", states=tuple("0123"), values=values, origin="deterministic")
    cpds["y"] = Fold(parents=(last, "z", "x"), operation="+", terms=(bit, bit, bit))
    view = chained(Network(variables=variables, cpds=cpds), ["x", "z"])
    (link,) = (variable for name, variable in view.variables.items() if name.startswith("y:"))
    assert link.text == "partial sum of y over z, x"
