"""The second engine: the same queries by pgmpy's variable elimination."""

from __future__ import annotations

from collections.abc import Mapping

from pbn.network.formats.pgmpy import to_pgmpy
from pbn.network.model import Network


def pgmpy_posterior(network: Network, query: str, evidence: Mapping[str, str], budget: int) -> dict[str, float]:
    """P(query | evidence) by pgmpy, in float64; the caller has checked that the evidence is possible.

    pgmpy's own answer to impossible evidence looks like any other, so it must never be asked that.
    """
    model = to_pgmpy(network, budget, [query, *evidence])
    from pgmpy.inference import VariableElimination

    states = network.variables[query].states
    if query in evidence:
        return {state: float(state == evidence[query]) for state in states}
    factor = VariableElimination(model).query([query], evidence=dict(evidence), show_progress=False)
    return {state: float(factor.get_value(**{query: state})) for state in states}
