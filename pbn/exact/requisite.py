"""Which shown variables say anything about the outcome that the others do not: Bayes-ball."""

from __future__ import annotations

from collections.abc import Collection

from pbn.network.model import Network, Table


def requisite(network: Network, targets: Collection[str], shown: Collection[str]) -> frozenset[str]:
    """The shown variables that a posterior of the targets depends on (Shachter, 1998, *Bayes-Ball*).

    All others are d-separated from the targets given these; the states of deterministic nodes are taken to be
    known where those of their parents are.

    Examples
    --------
    >>> import pbn
    >>> network = pbn.load("credit_risk").network
    >>> sorted(requisite(network, ["default"], ["net_position", "cycle", "employees"]))
    ['net_position']
    """
    children: dict[str, list[str]] = {name: [] for name in network.variables}
    for name, cpd in network.cpds.items():
        for parent in cpd.parents:
            children[parent].append(name)
    given = set(shown)
    visited: set[str] = set()
    upward: set[str] = set()
    downward: set[str] = set()
    balls = [(name, True) for name in targets]
    while balls:
        name, from_child = balls.pop()
        visited.add(name)
        known = name in given
        fixed = not isinstance(network.cpds[name], Table)
        rises = (from_child and not known) or (not from_child and known)
        falls = not known and (not from_child or not fixed)
        if rises and name not in upward:
            upward.add(name)
            balls += [(parent, True) for parent in network.parents(name)]
        if falls and name not in downward:
            downward.add(name)
            balls += [(child, False) for child in children[name]]
    return frozenset(visited & given)
