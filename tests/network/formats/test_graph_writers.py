"""GraphML and DOT: the structure, with names that need escapes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import networkx as nx
import pytest

import pbn
from pbn.network.formats.dot import write_dot
from pbn.network.formats.graphml import write_graphml
from tests.network.formats.cases import NAMES, odd_network


def test_graphml_is_read_back_by_networkx(tmp_path: Path) -> None:
    network = odd_network()
    path = tmp_path / "odd.graphml"
    path.write_text(write_graphml(network).text, encoding="utf-8")
    graph = nx.read_graphml(path)
    assert set(graph.edges) == set(network.graph.edges)
    assert {node: json.loads(data["states"]) for node, data in graph.nodes(data=True)} == {
        name: list(variable.states) for name, variable in network.variables.items()
    }
    assert graph.nodes[NAMES[5]]["origin"] == "deterministic"


def test_a_world_keeps_roles_and_the_order_of_parents(tmp_path: Path) -> None:
    network = pbn.load("credit_risk").network
    path = tmp_path / "credit.graphml"
    path.write_text(write_graphml(network).text, encoding="utf-8")
    graph = nx.read_graphml(path)
    assert {node: data["role"] for node, data in graph.nodes(data=True) if "role" in data} == {
        name: variable.role for name, variable in network.variables.items() if variable.role
    }
    for name in network.variables:
        axes = {parent: data["axis"] for parent, _, data in graph.in_edges(name, data=True)}
        assert tuple(sorted(axes, key=axes.__getitem__)) == network.parents(name)


def test_dot_quotes_its_names() -> None:
    written = write_dot(odd_network())
    assert written.names == {"a\\b": "a_b"}
    lines = written.text.splitlines()
    assert (lines[0], lines[-1]) == ("digraph network {", "}")
    quoted = r'"(?:[^"\\]|\\.)*"'
    attribute = rf"\w+=(?:\w+|{quoted})"
    statement = rf"  {quoted}(?: -> {quoted}| \[{attribute}(?:, {attribute})*\]);"
    assert all(re.fullmatch(statement, line) for line in lines[1:-1])
    assert len(lines) == 2 + len(NAMES) + len(NAMES) - 1
    assert '"[x]{y}" [label="[x]{y}", shape=box' in written.text


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_accepts_it() -> None:
    subprocess.run(["dot", "-Tplain"], input=write_dot(odd_network()).text.encode(), check=True, capture_output=True)
