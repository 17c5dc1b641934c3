"""DOT and Mermaid: valid, and the same graph with the same roles."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from pbn.from_network import world_of_network
from pbn.pictures.diagram import world_diagram
from pbn.pictures.dot import dot_text
from pbn.pictures.look import DARK, LIGHT
from pbn.pictures.mermaid import mermaid_text
from tests.network.formats.cases import odd_network
from tests.pictures.cases import diagram, shipped

ODD = pytest.param(None, id="odd")
QUOTED = r'"(?:[^"\\]|\\.)*"'
ATTRIBUTES = rf"\[\w+=(?:[\w.]+|{QUOTED})(?:, \w+=(?:[\w.]+|{QUOTED}))*\]"
NODE = r'n(\d+)(?:\("{t}"\)|\[/"{t}"/\]|\(\["{t}"\]\)|\["{t}"\]|\[\["{t}"\]\]|\{{\{{"{t}"\}}\}}|>"{t}"\])'
MERMAID = {
    "node": re.compile("  " + NODE.format(t=r"(?:[^\"<>`|{}\[\]\\]|<br/>)*")),
    "edge": re.compile(r"  n(\d+) (-->|-\.->) n(\d+)"),
    "class": re.compile(
        r"  classDef \w+ fill:#\w{6},stroke:#\w{6},color:#\w{6},stroke-width:[\d.]+px(?:,stroke-dasharray:\d \d)?"
    ),
    "members": re.compile(r"  class n\d+(?:,n\d+)* (\w+)"),
    "mark": re.compile(r"  style n\d+ stroke:#\w{6},stroke-width:3px"),
    "link": re.compile(r"  linkStyle \d+(?:,\d+)* stroke:#\w{6}(?:,stroke-width:3px)?"),
}


def made(case):
    return world_diagram(world_of_network(odd_network())) if case is None else diagram(*case)


def parts(text):
    """The lines of a flowchart by kind; every line is of one."""
    lines = text.splitlines()
    assert (lines[0], lines[2], lines[3]) == ("---", "---", "flowchart LR")
    assert isinstance(json.loads(lines[1].removeprefix("title: ")), str)
    found = {kind: [] for kind in MERMAID}
    for line in lines[4:]:
        (kind,) = [kind for kind, pattern in MERMAID.items() if pattern.fullmatch(line)]
        found[kind].append(MERMAID[kind].fullmatch(line))
    return found


@pytest.mark.parametrize("case", [*shipped(), ODD])
def test_mermaid(case):
    shown = made(case)
    found = parts(mermaid_text(shown, LIGHT))
    assert [int(match[1]) for match in found["node"]] == list(range(len(shown.nodes)))
    number = {node.name: k for k, node in enumerate(shown.nodes)}
    assert [(int(m[1]), int(m[3])) for m in found["edge"]] == [(number[e.parent], number[e.child]) for e in shown.edges]
    assert {match[1] for match in found["members"]} == {node.role for node in shown.nodes}
    assert len(found["mark"]) == sum(node.mark is not None for node in shown.nodes)


@pytest.mark.parametrize("case", [*shipped(), ODD])
def test_dot_statements(case):
    shown = made(case)
    lines = dot_text(shown, DARK).splitlines()
    assert (lines[0], lines[-1]) == ("digraph world {", "}")
    assert re.fullmatch(rf"  graph {ATTRIBUTES};", lines[1])
    nodes = [line for line in lines if re.fullmatch(rf"  {QUOTED} {ATTRIBUTES};", line)]
    edges = [line for line in lines if re.fullmatch(rf"  {QUOTED} -> {QUOTED}(?: {ATTRIBUTES})?;", line)]
    assert (len(nodes), len(edges)) == (len(shown.nodes), len(shown.edges))
    assert len(lines) == 5 + len(nodes) + len(edges)


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
@pytest.mark.parametrize("case", [ODD, *shipped()[::7]])
def test_graphviz_reads_the_same_graph(case):
    shown = made(case)
    done = subprocess.run(["dot", "-Tplain"], input=dot_text(shown, LIGHT).encode(), check=True, capture_output=True)
    assert not done.stderr
    kinds = [line.split(" ")[0] for line in done.stdout.decode().splitlines()]
    assert kinds.count("node") == len(shown.nodes)
    assert kinds.count("edge") == len(shown.edges)
