"""Residuals: random variables for what a world leaves out, and how often they depart from neutral."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from pbn.errors import Fault, QueryError, listing, nearest
from pbn.network.graph import ancestors
from pbn.network.model import Network, Table, table
from pbn.spec.numerals import decimal

_NO, _YES = ("no", "false"), ("yes", "true")


def residuals(network: Network, of: Collection[str] | None = None) -> tuple[str, ...]:
    """The variables of role ``residual``; with ``of``, those that lead to one of these."""
    near = set(network.variables) if of is None else ancestors(network, of)
    return tuple(name for name, variable in network.variables.items() if variable.role == "residual" and name in near)


def only_residual(network: Network, variable: str | None = None, of: Collection[str] | None = None) -> str:
    """The residual of this name, or the only one that there is (that leads to one of ``of``).

    Raises
    ------
    QueryError
        There is none (``residual/none``) or no such one (``residual/unknown``), there are several and none is
        named (``residual/which``), or it depends on other variables (``residual/parents``).
    """
    found = residuals(network)
    if variable is not None and variable not in found:
        raise _fault("unknown", f"{variable[:60]!r} is no residual", found, nearest(variable, found))
    chosen = (variable,) if variable is not None else residuals(network, of)
    if not chosen:
        raise _fault("none", "no residual leads to what is asked" if found else "the world has no residual", found)
    if len(chosen) > 1:
        raise _fault("which", f"there are {len(chosen)} residuals", chosen, "name one of them")
    cpd = network.cpds[chosen[0]]
    if cpd.parents or not isinstance(cpd, Table):
        raise _fault("parents", f"{chosen[0]} has no probabilities of its own, so no mass that could be scaled")
    return chosen[0]


def neutral_state(network: Network, variable: str) -> int:
    """The position of the state that adds nothing: the one whose number is 0, else the "no" of a yes/no pair.

    Raises
    ------
    QueryError
        There is no such state, or several (``residual/neutral``).
    """
    entry = network.variables[variable]
    zeros = [k for k, value in enumerate(entry.values or ()) if value == 0]
    if not zeros and entry.size == 2 and any(state.casefold() in _YES for state in entry.states):
        zeros = [k for k, state in enumerate(entry.states) if state.casefold() in _NO]
    if len(zeros) == 1:
        return zeros[0]
    told = "several states whose number is 0" if zeros else "no state whose number is 0, and is no pair of no and yes"
    raise _fault("neutral", f"{variable} has {told}", entry.states, "give the state that adds nothing the number 0")


def residual_mass(network: Network, variable: str) -> Fraction:
    """How often a residual is not in its neutral state."""
    cpd = network.cpds[variable]
    assert isinstance(cpd, Table)
    return 1 - Fraction(int(cpd.numerators[neutral_state(network, variable)]), cpd.denominator)


def with_residual_mass(network: Network, mass: Fraction | int, variable: str | None = None) -> Network:
    """The network in which a residual departs from neutral with probability ``mass``.

    The other states keep their proportions: P(s) = mass · P₀(s) / Σ_{t ≠ neutral} P₀(t).

    Raises
    ------
    QueryError
        No probability (``residual/mass``), nothing that could be scaled (``residual/shape``), or no such residual
        (see `only_residual` and `neutral_state`).

    Examples
    --------
    >>> import pbn
    >>> network = with_residual_mass(pbn.load("support_ticket").network, Fraction(1, 2), "duty_judgement")
    >>> network.cpds["duty_judgement"].probabilities.tolist()
    [0.25, 0.5, 0.25]
    """
    name = only_residual(network, variable)
    mass = checked_mass(mass, name)
    neutral, before = neutral_state(network, name), residual_mass(network, name)
    cpd = network.cpds[name]
    assert isinstance(cpd, Table)
    if before == 0 and mass > 0:
        message = f"{name} is always {network.variables[name].states[neutral]!r}: there is nothing to scale"
        raise _fault("shape", message, hint="give its other states some probability")
    scale = mass / before if before else Fraction(0)
    row = [Fraction(int(cell), cpd.denominator) * scale for cell in cpd.numerators]
    row[neutral] = 1 - mass
    scaled = table((), row, (len(row),))
    return Network(variables=network.variables, cpds={**network.cpds, name: scaled}, undefined=network.undefined)


def checked_mass(mass: Fraction | int, variable: str) -> Fraction:
    """The mass, if it is a probability."""
    if not 0 <= mass <= 1:
        raise _fault("mass", f"{decimal(Fraction(mass))} is no probability that {variable} could have", ["0 to 1"])
    return Fraction(mass)


def _fault(code: str, message: str, allowed: Collection[str] = (), hint: str | None = None) -> QueryError:
    return QueryError(Fault(code=f"residual/{code}", message=message, allowed=listing(allowed) or None, hint=hint))
