"""What the graph alone tells: ancestors, functions of the visible set, separators."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pbn.network.model import Array, IndexMap, Network, Table

if TYPE_CHECKING:
    import networkx as nx


def ancestors(network: Network, names: Iterable[str]) -> set[str]:
    """The names with all their ancestors: a query on the names needs no other node."""
    found: set[str] = set()
    stack = list(names)
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(network.parents(name))
    return found


def named_graph(network: Network) -> nx.DiGraph[str]:
    """The graph of the variables that the world's author named, in topological order.

    Auxiliary parts of rules are contracted: a variable depends on the named variables that its rule
    reads, less those that the rule turned out not to depend on.

    Examples
    --------
    >>> import pbn
    >>> sorted(named_graph(pbn.load("credit_risk").network).predecessors("default"))
    ['net_position', 'residual']
    """
    import networkx as nx

    graph: nx.DiGraph[str] = nx.DiGraph()
    read: dict[str, dict[str, None]] = {}
    for name, variable in network.variables.items():
        parents: dict[str, None] = {}
        for parent in network.parents(name):
            parents.update(read.get(parent, {parent: None}))
        if variable.origin == "auxiliary":
            read[name] = parents
        else:
            graph.add_node(name)
            graph.add_edges_from((parent, name) for parent in parents)
    return graph


def identified_parents(network: Network, child: str) -> Mapping[str, Array]:
    """Parents whose state is a function of the child's: parent → position for each child state.

    A measurement identifies the level it was drawn from. Child states of probability zero map to 0.
    """
    cpd = network.cpds[child]
    if isinstance(cpd, IndexMap):
        codes, positions = cpd.index.ravel(), list(np.indices(cpd.index.shape).reshape(cpd.index.ndim, -1))
    elif isinstance(cpd, Table):
        *positions, codes = np.nonzero(cpd.numerators)
    else:
        return {}
    found = {}
    for parent, position in zip(cpd.parents, positions, strict=True):
        low, high = np.full(network.size(child), network.size(parent)), np.zeros(network.size(child), dtype=np.intp)
        np.minimum.at(low, codes, position)
        np.maximum.at(high, codes, position)
        if (low >= high).all():
            found[parent] = high
    return found


def functions_of(network: Network, visible: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """All nodes that are functions of the visible ones: node → the nodes it is computed from.

    A visible node is computed from nothing; a deterministic node from its parents; a parent that a
    child identifies (the level of a measurement) from that child. In an order of computation.
    """
    found: dict[str, tuple[str, ...]] = dict.fromkeys(visible, ())
    frontier = list(visible)
    children: dict[str, list[str]] = {}
    for name, cpd in network.cpds.items():
        for parent in cpd.parents:
            children.setdefault(parent, []).append(name)
        if not cpd.parents and not isinstance(cpd, Table) and name not in found:
            found[name] = ()
            frontier.append(name)
    while frontier:
        name = frontier.pop()
        if network.cpds[name].parents:
            for parent in identified_parents(network, name):
                if parent not in found:
                    found[parent] = (name,)
                    frontier.append(parent)
        for child in children.get(name, ()):
            cpd = network.cpds[child]
            if child not in found and not isinstance(cpd, Table) and all(p in found for p in cpd.parents):
                found[child] = cpd.parents
                frontier.append(child)
    return found


def is_separated(network: Network, one: Collection[str], other: Collection[str], given: Collection[str]) -> bool:
    """Whether ``given`` d-separates the two sets of nodes."""
    import networkx as nx

    one, other, given = set(one) - set(given), set(other) - set(given), set(given)
    return not one or not other or nx.is_d_separator(network.graph, one, other, given)


def nearest_separator(
    network: Network, target: str, visible: Collection[str], candidates: Collection[str]
) -> tuple[str, ...] | None:
    """The minimal set of candidates nearest to the target that d-separates it from the visible nodes.

    Each visible node gets a copy as its child, so that the node itself may stand in the separator. The separator is
    found by two searches, after van der Zander and Liśkiewicz (2020): of the candidates among the ancestors, those
    that the target reaches, and of these, those that the copies reach.
    """
    if not visible:
        return ()
    needed = ancestors(network, [target, *visible])
    copies = {("copy", name): name for name in visible}
    parents: dict[_Node, Sequence[_Node]] = {name: network.parents(name) for name in needed}
    parents.update({copy: (name,) for copy, name in copies.items()})
    children: dict[_Node, list[_Node]] = {name: [] for name in parents}
    for name, above in parents.items():
        for parent in above:
            children[parent].append(name)
    first = (set(candidates) & needed) - {target}
    reached = _reached([target], parents, children, first)
    if not reached.isdisjoint(copies):
        return None
    near = first & reached
    found = near & _reached(copies, parents, children, near)
    return tuple(name for name in network.variables if name in found)


_Node = str | tuple[str, str]


def _reached(
    start: Iterable[_Node],
    parents: Mapping[_Node, Sequence[_Node]],
    children: Mapping[_Node, Sequence[_Node]],
    given: Collection[str],
) -> set[_Node]:
    """The nodes on the ways from ``start`` that ``given`` does not block, in a graph of ancestors.

    There every collider has a descendant at an end of the way; so only a given node that is no collider blocks.
    """
    stack = [(node, down) for node in start for down in (True, False)]
    seen = set(stack)
    while stack:
        node, down = stack.pop()
        steps = [(parent, False) for parent in parents[node]] if down or node not in given else []
        if node not in given:
            steps += [(child, True) for child in children[node]]
        for step in steps:
            if step not in seen:
                seen.add(step)
                stack.append(step)
    return {node for node, _ in seen}
