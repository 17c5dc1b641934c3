"""Worlds whose residual departs from neutral more or less often than their file says."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from pbn.network.model import Network, Table
from pbn.network.residual import only_residual, with_residual_mass
from pbn.spec import model as spec
from pbn.spec.digest import law_digest
from pbn.spec.model import Level
from pbn.world import World


def world_with_residual_mass(world: World, mass: Fraction | int, variable: str | None = None) -> World:
    """The world in which a residual departs from neutral with probability ``mass``; see `with_residual_mass`.

    Its digests are those of the changed law. Closed forms are left out: they were written for the file's own mass.

    Examples
    --------
    >>> import pbn
    >>> world = world_with_residual_mass(pbn.load("credit_risk"), Fraction(3, 10))
    >>> world.bayes_error("medium").exact == pbn.load("credit_risk", parameters={"residual_mass": "0.3"}).bayes_error(
    ...     "medium").exact
    True
    """
    name = only_residual(world.network, variable)
    network = with_residual_mass(world.network, mass, name)
    levels = {level.name: replace(level, closed_forms={}) for level in world.levels.values()}
    changed = None if world.spec is None else _respecified(world.spec, network, name, levels)
    return replace(world, network=network, levels=levels, spec=changed)


def _respecified(world: spec.WorldSpec, network: Network, name: str, levels: Mapping[str, Level]) -> spec.WorldSpec:
    """What the file would say; it is no file any more."""
    cpd = network.cpds[name]
    assert isinstance(cpd, Table)
    row = tuple(Fraction(int(cell), cpd.denominator) for cell in cpd.numerators)
    entry = network.variables[name]
    variable = replace(
        world.variables[name],
        states=entry.states,
        values=entry.values,
        source=spec.Table(parents=(), rows={(): row}),
    )
    variables = {**world.variables, name: variable}
    law = law_digest(world.parameters, variables, levels.values(), world.questions.values())
    digest = hashlib.sha256(f"{world.digest} {law}".encode()).hexdigest()
    return replace(world, variables=variables, levels=levels, law_digest=law, digest=digest, tree=None)
