"""The second engine: the same queries by pgmpy's variable elimination."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from pbn.errors import Fault, QueryError
from pbn.figures import scientific
from pbn.network.formats.pgmpy import to_pgmpy
from pbn.network.model import Network

LEAST_EVIDENCE = Fraction(1, 10**290)
"""Evidence less probable than this comes near to float64's least number, where its digits are lost."""


def pgmpy_posterior(
    network: Network, query: str, evidence: Mapping[str, str], budget: int, probability: Fraction
) -> dict[str, float]:
    """P(query | evidence) by pgmpy, in float64; ``probability`` is the evidence's own, above zero.

    pgmpy's own answer to impossible evidence looks like any other, so it must never be asked that.

    Raises
    ------
    QueryError
        The evidence is too improbable for float64.
    """
    if probability < LEAST_EVIDENCE:
        raise QueryError(
            Fault(
                code="query/improbable-evidence",
                message="this evidence is too improbable for pgmpy, which computes in float64",
                found=f"a probability of {scientific(probability)}",
                allowed=f"at least {scientific(LEAST_EVIDENCE)}",
                hint="ask pbn's own engine, which is exact, or give less evidence",
            )
        )
    model = to_pgmpy(network, budget, [query, *evidence])
    from pgmpy.inference import VariableElimination

    states = network.variables[query].states
    if query in evidence:
        return {state: float(state == evidence[query]) for state in states}
    factor = VariableElimination(model).query([query], evidence=dict(evidence), show_progress=False)
    return {state: float(factor.get_value(**{query: state})) for state in states}
