"""Networks to and from pgmpy's `DiscreteBayesianNetwork`."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from pbn.errors import BudgetError, Fault, NetworkError, listing
from pbn.figures import count_text, size_text
from pbn.network.formats.numbers import decimal_places, grid_places, rescaled
from pbn.network.graph import ancestors
from pbn.network.model import CPD, Array, IndexMap, Network, Table, Variable, table

FLOAT_NOISE = 1e-12
"""A row whose sum is this close to 1 is taken as rounding of a true law and rescaled."""
SMALL_TOTAL = 64
"""Rescaled proportions of small numbers stay what they are: thirds are thirds, not multiples of 10^-18."""


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """While pgmpy is imported: its notes to programmers on what it will deprecate are none of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def to_pgmpy(network: Network, budget: int, names: Iterable[str] | None = None) -> Any:
    """The network as a pgmpy ``DiscreteBayesianNetwork``; deterministic nodes become 0/1 tables.

    Only ``names`` and their ancestors, where names are given. Raises `BudgetError` before anything is
    allocated where the tables would take more than ``budget`` bytes.
    """
    kept = set(network.variables) if names is None else ancestors(network, names)
    order = [name for name in network.variables if name in kept]
    _check_budget(network, order, budget)
    with quiet():
        from pgmpy.factors.discrete import TabularCPD
        from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_nodes_from(order)
    model.add_edges_from((parent, name) for name in order for parent in network.parents(name))
    for name in order:
        parents = network.parents(name)
        values = _dense(network, name).reshape(-1, network.size(name)).T
        states = {node: list(network.variables[node].states) for node in (name, *parents)}
        model.add_cpds(
            TabularCPD(
                name,
                network.size(name),
                values,
                state_names=states,
                evidence=list(parents) or None,
                evidence_card=[network.size(parent) for parent in parents] or None,
            )
        )
    return model


def _check_budget(network: Network, order: Iterable[str], budget: int) -> None:
    cells = {name: math.prod(network.size(node) for node in (name, *network.parents(name))) for name in order}
    needed = 8 * sum(cells.values())
    if needed > budget:
        worst = max(cells, key=lambda name: cells[name])
        raise BudgetError(
            Fault(
                code="network/over-budget",
                message=f"pgmpy's tables would take {size_text(needed)}; "
                f"the largest is that of {worst}, {count_text(cells[worst])} cells",
                allowed=f"{size_text(budget)} (the budget)",
                hint="ask pbn's own engine, which keeps deterministic nodes as index maps",
            )
        )


def _dense(network: Network, name: str) -> Array:
    cpd = network.cpds[name]
    if isinstance(cpd, Table):
        return cpd.probabilities
    assert isinstance(cpd, IndexMap)
    certain: Array = (cpd.index[..., None] == np.arange(network.size(name))).astype(np.float64)
    return certain


def network_from_pgmpy(model: Any) -> Network:
    """The network of a pgmpy ``DiscreteBayesianNetwork``, each float read as the decimal it prints.

    A row whose sum differs from 1 by less than `FLOAT_NOISE` is rescaled, to multiples of 10^-18 or a finer
    power of ten unless it is a proportion of small numbers; any other such row is an error. Rows of zeros and
    ones make a deterministic node.
    """
    import networkx as nx

    if not model.nodes() or len(model.get_cpds()) < len(model.nodes()):
        missing = [str(node) for node in model.nodes() if model.get_cpds(node) is None]
        raise NetworkError(
            Fault(
                code="network/missing-cpd",
                message="the model has nodes without a CPD",
                found=listing(missing) or "no nodes at all",
                hint="add them with model.add_cpds",
            )
        )
    named = {node: str(node) for node in model.nodes()}
    if len(set(named.values())) < len(named):
        raise NetworkError(Fault(code="network/names", message="two nodes have the same name as text"))
    variables: dict[str, Variable] = {}
    cpds: dict[str, CPD] = {}
    graph: Any = nx.DiGraph()
    graph.add_nodes_from(model.nodes())
    graph.add_edges_from(model.edges())
    position = {node: k for k, node in enumerate(model.nodes())}
    for node in nx.lexicographical_topological_sort(graph, key=position.__getitem__):
        name, cpd = named[node], model.get_cpds(node)
        parents = cpd.variables[1:]
        values = np.moveaxis(np.asarray(cpd.values, dtype=float), 0, -1)
        states = tuple(str(state) for state in cpd.state_names[node])
        exact = [p for row in values.reshape(-1, len(states)) for p in _exact_row(name, row.tolist())]
        for parent in parents:
            if list(map(str, cpd.state_names[parent])) != list(variables[named[parent]].states):
                raise NetworkError(
                    Fault(
                        code="network/states",
                        message=f"the CPD of {name} names other states of {named[parent]} than its own CPD does",
                    )
                )
        cpds[name] = table([named[parent] for parent in parents], exact, values.shape)
        variables[name] = Variable(
            name=name, states=states, origin="random" if isinstance(cpds[name], Table) else "deterministic"
        )
    return Network(variables=variables, cpds=cpds)


def _exact_row(name: str, row: list[float]) -> list[Fraction]:
    if not all(math.isfinite(p) and 0 <= p <= 1 + FLOAT_NOISE for p in row):
        raise NetworkError(
            Fault(
                code="network/probability",
                message=f"the CPD of {name} has a row with a number outside 0 to 1",
                found=listing(map(str, row)),
            )
        )
    exact = [Fraction(repr(p)) for p in row]
    total = sum(exact, Fraction(0))
    if total != 1 and abs(total - 1) > FLOAT_NOISE:
        raise NetworkError(
            Fault(
                code="network/row-sum",
                message=f"the CPD of {name} has a row that sums to {float(total)!r}, not 1",
                found=listing(map(str, row)),
                hint="a row that is off by rounding must be mended before it is a law",
            )
        )
    if total == 1:
        return exact
    unit = math.lcm(*{p.denominator for p in exact})
    weights = [p.numerator * (unit // p.denominator) for p in exact]
    divisor = math.gcd(*weights)
    if sum(weights) // divisor <= SMALL_TOTAL:
        return [p / total for p in exact]
    grid = 10 ** max(grid_places(min(weight for weight in weights if weight), unit), decimal_places(unit) or 0)
    return [Fraction(share, grid) for share in rescaled(np.array([weights], dtype=object), grid)[0]]
