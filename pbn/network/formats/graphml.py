"""GraphML: the structure of a network, for programs that draw and analyse graphs (write only).

Specification: http://graphml.graphdrawing.org, as networkx writes it. A node has ``label``, ``origin``
(random, deterministic, measured or auxiliary), ``role`` where the network has one, and ``states`` as a JSON
list; an edge has ``axis``, the position of the parent among the child's parents. Probabilities are not written.
"""

from __future__ import annotations

import json

from pbn.network.formats.definitions import distinct, written
from pbn.network.formats.draft import WrittenNetwork
from pbn.network.formats.xml_tree import xml_name
from pbn.network.model import Network


def write_graphml(network: Network) -> WrittenNetwork:
    """The graph of the network as GraphML; rules stay one node each."""
    import networkx as nx

    names = distinct(network.variables, xml_name)
    graph: nx.DiGraph[str] = nx.DiGraph()
    for node, variable in network.variables.items():
        attributes = {
            "label": xml_name(variable.text or node),
            "origin": variable.origin,
            "states": json.dumps(variable.states, ensure_ascii=True),
        }
        if variable.role:
            attributes["role"] = variable.role
        graph.add_node(names[node], **attributes)
    for node, cpd in network.cpds.items():
        for axis, parent in enumerate(cpd.parents):
            graph.add_edge(names[parent], names[node], axis=axis)
    lines = nx.generate_graphml(graph, encoding="utf-8")
    return written("\n".join(['<?xml version="1.0" encoding="UTF-8"?>', *lines]) + "\n", names, {}, ())
