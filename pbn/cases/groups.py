"""Groups of a world's cases, for multicalibration: by context, by irrelevant categories, by intervals of counts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, product

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.evidence import unknown_variable
from pbn.network.model import Array
from pbn.world import World

CONTEXT: Mapping[str, tuple[str, ...]] = {
    "peer_review": ("contribution_type", "significance"),
    "credit_risk": ("sector", "cycle"),
}
"""The context of the worlds that ProbabilityBench groups (its section on multicalibration)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Groups of cases: ``names`` of them, (G,), each by what it demands of some variables.

    A group demands of each of its variables one of some codes; ``demands[g]`` maps variable → which codes, boolean.
    """

    names: tuple[str, ...]
    demands: tuple[Mapping[str, Array], ...]

    @property
    def needed(self) -> tuple[str, ...]:
        """The variables that groups are made of."""
        return tuple(dict.fromkeys(name for demand in self.demands for name in demand))

    def members(self, codes: Mapping[str, Array]) -> Array:
        """Who is in which group, boolean, (n, G), from the codes of the variables, (n,) each."""
        rows = len(codes[self.needed[0]]) if self.demands else 0
        found = np.ones((rows, len(self.names)), dtype=bool, order="F")
        for g, demand in enumerate(self.demands):
            for name, accepted in demand.items():
                found[:, g] &= accepted[codes[name]]
        return found


def groups_of(world: World, context: Collection[str] | None = None) -> Groups:
    """The groups of a world's cases in which multicalibration is measured; the whole population is not among them.

    In this order: each state of each context variable; each pair of states of two of these; each state of each
    irrelevant category; four disjoint intervals (a, b] of each irrelevant number, cut at the quartiles of its exact
    law, Q_j = min{v: P(N ≤ v) ≥ j/4}, the first with its least value. Peer review has 53, credit risk 45.

    Parameters
    ----------
    world
        The world.
    context
        Variables whose states are groups; by default those in `CONTEXT`, none for other worlds.

    Raises
    ------
    QueryError
        There is no such variable; ``cases/groups``: no groups at all.

    Examples
    --------
    >>> import pbn
    >>> groups = groups_of(pbn.load("credit_risk"))
    >>> len(groups.names), groups.names[0], groups.names[7], groups.names[-1]
    (45, 'sector = technology', 'sector = technology, cycle = expansion', 'report_charts in (8, 30]')
    """
    names = tuple(CONTEXT.get(world.name, ()) if context is None else context)
    variables = world.network.variables
    for name in names:
        if name not in world.network.named:
            raise unknown_variable(name, world.network.named)
    made: dict[str, Mapping[str, Array]] = {}
    for name in names:
        made.update(_states(world, (name,)))
    for pair in combinations(names, 2):
        made.update(_states(world, pair))
    fields = [name for name in world.network.named if variables[name].role == "irrelevant"]
    numeric = [name for name in fields if variables[name].values is not None]
    for name in fields:
        if name not in numeric:
            made.update(_states(world, (name,)))
    for name in numeric:
        made.update(_intervals(world, name))
    if not made:
        message = f"{world.name} has no context and no irrelevant fields to make groups of"
        raise QueryError(Fault(code="cases/groups", message=message, allowed=listing(world.network.named)))
    return Groups(names=tuple(made), demands=tuple(made.values()))


def _states(world: World, names: tuple[str, ...]) -> dict[str, Mapping[str, Array]]:
    """A group for each state of a variable, or for each conjunction of states of several."""
    variables = [world.network.variables[name] for name in names]
    found: dict[str, Mapping[str, Array]] = {}
    for codes in product(*(range(variable.size) for variable in variables)):
        parts = list(zip(variables, codes, strict=True))
        text = ", ".join(f"{variable.name} = {variable.states[code]}" for variable, code in parts)
        found[text] = {variable.name: np.arange(variable.size) == code for variable, code in parts}
    return found


def _intervals(world: World, name: str) -> dict[str, Mapping[str, Array]]:
    """The intervals of a number between its quartiles that are not empty."""
    variable = world.network.variables[name]
    assert variable.values is not None
    order = sorted(range(variable.size), key=lambda code: variable.values[code])  # type: ignore[index]
    values = [variable.values[code] for code in order]
    cuts = quartiles(world, name)
    bounds = [values[0], *cuts, values[-1]]
    found: dict[str, Mapping[str, Array]] = {}
    for k, (low, high) in enumerate(pairwise(bounds)):
        inside = np.array([(low < value or (k == 0 and low == value)) and value <= high for value in variable.values])
        if inside.any():
            found[f"{name} in {'[' if k == 0 else '('}{low}, {high}]"] = {name: inside}
    return found


def quartiles(world: World, name: str) -> tuple[Fraction, Fraction, Fraction]:
    """The quartiles of a number's exact law, min{v: P(N ≤ v) ≥ j/4} for j = 1, 2, 3.

    Examples
    --------
    >>> import pbn
    >>> [int(cut) for cut in quartiles(pbn.load("peer_review"), "appendix_pages")]
    [3, 10, 17]
    """
    variable = world.network.variables[name]
    if variable.values is None:
        raise QueryError(Fault(code="cases/groups", message=f"{name} is no number, so it has no quartiles"))
    exact = world.posterior(query=name).exact
    assert exact is not None
    atoms = sorted((value, exact[state]) for value, state in zip(variable.values, variable.states, strict=True))
    found, below, wanted = [], Fraction(0), 1
    for value, mass in atoms:
        below += mass
        while wanted < 4 and below >= Fraction(wanted, 4):
            found.append(value)
            wanted += 1
    return found[0], found[1], found[2]
