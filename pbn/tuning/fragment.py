"""What a design comes to in a world file: parameters or probabilities, and what a level hides."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from fractions import Fraction

from pbn.errors import PbnError
from pbn.network.model import Table
from pbn.network.residual import with_residual_mass
from pbn.spec.constants import names_in
from pbn.spec.digest import law_digest
from pbn.spec.load import respecified
from pbn.spec.model import DecisionList, Rule, WorldSpec
from pbn.spec.names import is_variable_name
from pbn.spec.numerals import numeral_text
from pbn.tuning.worlds import world_with_residual_mass
from pbn.world import World


def mass_lines(world: World, variable: str, mass: Fraction) -> list[str]:
    """The part of a world file that gives a residual this mass: its parameter, where it has one, or its row."""
    parameter = mass_parameter(world, variable)
    if parameter is not None:
        return ["parameters:", f"  {parameter}: {numeral_text(mass)}"]
    cpd = with_residual_mass(world.network, mass, variable).cpds[variable]
    assert isinstance(cpd, Table)
    row = [numeral_text(Fraction(int(cell), cpd.denominator)) for cell in cpd.numerators]
    return ["variables:", f"  {_name(variable)}:", f"    p: [{', '.join(row)}]"]


def mass_parameter(world: World, variable: str) -> str | None:
    """The parameter of the world's file that is the non-zero mass of a residual, and nothing else.

    Examples
    --------
    >>> import pbn
    >>> mass_parameter(pbn.load("support_ticket"), "clerical_slip")
    'slip'
    """
    if world.spec is None or world.spec.tree is None:
        return None
    for name, own in world.spec.parameters.items():
        other = (own + 1) / 3 if 0 <= own <= 1 and own != Fraction(1, 2) else Fraction(1, 3)
        try:
            wanted = world_with_residual_mass(world, other, variable).spec
            found = respecified(world.spec, {name: other})
        except PbnError:
            continue
        assert wanted is not None
        if _same_but(name, found, wanted):
            return name
    return None


def _same_but(parameter: str, one: WorldSpec, other: WorldSpec) -> bool:
    """Whether two specifications have one law, in which the parameter itself is used nowhere but in probabilities."""
    rest = [{k: v for k, v in spec.parameters.items() if k != parameter} for spec in (one, other)]
    laws = [law_digest({}, spec.variables, spec.levels.values(), spec.questions.values()) for spec in (one, other)]
    return rest[0] == rest[1] and laws[0] == laws[1] and not _in_rules(one, parameter)


def _in_rules(spec: WorldSpec, parameter: str) -> bool:
    for variable in spec.variables.values():
        source = variable.source
        expressions = (
            [source.expression]
            if isinstance(source, Rule)
            else [test for test, _ in source.cases]
            if isinstance(source, DecisionList)
            else []
        )
        if any(parameter in names_in(expression.tree) for expression in expressions):
            return True
    return False


def level_lines(world: World, level: str, hidden: Collection[str]) -> list[str]:
    """The part of a world file that hides these attributes besides what a level hides."""
    members = {member for name in hidden for member in world.families.get(name, (name,))}
    visible = [name for name in world.level(level).visible if name not in members]
    if world.spec is None:
        return ["levels:", f"  {_name(level)}: [{', '.join(map(_name, visible))}]"]
    parts = [f"hide: [{', '.join(_grouped(world, [n for n in world.attributes if n not in visible]))}]"]
    shown = [name for name in visible if name not in world.attributes]
    if shown:
        parts.append(f"show: [{', '.join(_grouped(world, shown))}]")
    return ["levels:", f"  {level}: {{{', '.join(parts)}}}"]


def _grouped(world: World, names: Sequence[str]) -> list[str]:
    """The names, a repeated variable under its common name where all members are there."""
    family = {
        member: name for name, members in world.families.items() if set(members) <= set(names) for member in members
    }
    return list(dict.fromkeys(family.get(name, name) for name in names))


def _name(name: str) -> str:
    return name if is_variable_name(name) else json.dumps(name, ensure_ascii=False)
