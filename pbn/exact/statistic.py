"""The sufficient statistic: a few functions of the visible set that say all it says about the outcome.

Let D be the nodes that are functions of the visible set V. If F ⊆ D d-separates V from Y, then
P(Y | V) = P(Y | F, V) because F is a function of V, and P(Y | F, V) = P(Y | F) by the separation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbn.exact.plan import Plan, make_plan
from pbn.network.chain import chained
from pbn.network.graph import functions_of, identified_parents, nearest_separator
from pbn.network.model import Array, Network, Table


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistic:
    """A sufficient statistic ``nodes`` for ``target`` given the visible set, in the network's view for it.

    ``functions`` says from which nodes each function of the visible set is computed; ``route`` names
    the candidate that won: ``separator``, ``attributes``, ``closed form`` or ``outcome`` (it is itself
    visible).
    ``considered`` lists every candidate with its plan.
    """

    target: str
    visible: tuple[str, ...]
    network: Network
    nodes: tuple[str, ...]
    route: str
    plan: Plan
    functions: Mapping[str, tuple[str, ...]]
    considered: tuple[tuple[str, tuple[str, ...], Plan], ...]

    @property
    def attributes(self) -> Mapping[str, tuple[str, ...]]:
        """For each node of the statistic, the visible variables that it is computed from."""
        roots = {node: self._roots(node) for node in self.nodes}
        return {node: tuple(v for v in self.visible if v in roots[node]) for node in self.nodes}

    def needed(self) -> tuple[str, ...]:
        """The visible variables that determine the statistic."""
        roots = set().union(*(self._roots(node) for node in self.nodes))
        return tuple(name for name in self.visible if name in roots)

    def _roots(self, node: str) -> set[str]:
        seen, stack = set(), [node]
        while stack:
            name = stack.pop()
            if name not in seen:
                seen.add(name)
                stack += self.functions[name]
        return {name for name in seen if not self.functions[name]}

    def codes(self, visible: Mapping[str, Array]) -> list[Array]:
        """Positions of the statistic's states for arrays of codes of the visible variables."""
        done: dict[str, Array] = dict(visible)
        for name in self._order():
            if name in done:
                continue
            cpd, sources = self.network.cpds[name], self.functions[name]
            if isinstance(cpd, Table) or sources != cpd.parents:
                done[name] = identified_parents(self.network, sources[0])[name][done[sources[0]]]
            else:
                assert not isinstance(cpd, Table)
                done[name] = cpd.index[tuple(done[source] for source in sources)]  # type: ignore[union-attr]
        return [done[name] for name in self.nodes]

    def _order(self) -> list[str]:
        """The nodes to compute, sources first."""
        order: dict[str, None] = {}
        stack = list(reversed(self.nodes))
        while stack:
            name = stack.pop()
            waiting = [source for source in self.functions[name] if source not in order]
            if waiting:
                stack += [name, *waiting]
            else:
                order[name] = None
        return list(order)


def find_statistic(network: Network, target: str, visible: Sequence[str], closed_form: str | None = None) -> Statistic:
    """The cheapest sufficient statistic for the target, by the plans of all candidates.

    ``closed_form`` is a node that claims to be a probability of the target given the visible set, and
    so to be sufficient by itself.
    """
    view = chained(network, visible)
    functions = functions_of(view, visible)
    considered = []
    candidates = _candidates(view, target, visible, functions)
    if closed_form is not None:
        candidates.append(("closed form", (closed_form,)))
    for route, nodes in candidates:
        plan = make_plan(view, (*nodes, *(() if target in nodes else (target,))))
        considered.append((route, nodes, plan))
    route, nodes, plan = min(considered, key=lambda candidate: (candidate[2].cells, candidate[2].operations))
    return Statistic(
        target=target,
        visible=tuple(visible),
        network=view,
        nodes=nodes,
        route=route,
        plan=plan,
        functions=functions,
        considered=tuple(considered),
    )


def _candidates(
    view: Network, target: str, visible: Sequence[str], functions: Mapping[str, tuple[str, ...]]
) -> list[tuple[str, tuple[str, ...]]]:
    if target in functions:
        return [("outcome", (target,))]
    separator = nearest_separator(view, target, visible, list(functions))
    assert separator is not None, "the visible set separates itself from the target"
    found = [("separator", separator)]
    if not set(separator) <= set(visible):
        attributes = nearest_separator(view, target, visible, visible)
        assert attributes is not None
        if math.prod(view.size(name) for name in attributes) < 10**12:
            found.append(("attributes", attributes))
    return found
