"""A wanted Bayes error, reached in two ways: rich information with noise, or sparse information without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from pbn.errors import BudgetError, Fault, QueryError, listing, nearest
from pbn.loading import load
from pbn.network.residual import neutral_state, only_residual, residual_mass, residuals
from pbn.spec.numerals import Number, exact, not_exact
from pbn.tuning.curve import error_curve
from pbn.tuning.hiding import Hiding, best_hiding
from pbn.tuning.worlds import world_with_residual_mass
from pbn.world import World

Route = Literal["noise", "hiding", "both"]
MOST = 2_000
"""Hidden sets that are computed for one mass of the residual, unless another number is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The mass of a residual at which a level's ε* is the target, its visible set kept.

    ``mass`` is the smallest such mass and ``error`` the ε* of the world with it, computed afresh; None where the target
    is out of reach, which is so outside ``least``, ε* without noise, and ``most``, the greatest ε*, which is reached at
    ``most_at``. ``why_not`` says why there is no such route at all: no residual, or an answer over the budget.
    """

    mass: Fraction | None = None
    error: Fraction | None = None
    least: Fraction | None = None
    most: Fraction | None = None
    most_at: Fraction | None = None
    why_not: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How a level of a world reaches a wanted Bayes error; a route that was not asked for is None or empty.

    ``variable`` is the residual, with its ``own_mass``; None where the question has none.
    """

    world: str
    level: str
    question: str
    target: Fraction
    own_error: Fraction | None
    variable: str | None
    own_mass: Fraction | None
    noise: Noise | None
    hiding: tuple[Hiding, ...]


def design(
    world: World | str | Path,
    level: str,
    target: Number,
    question: str | None = None,
    *,
    variable: str | None = None,
    route: Route = "both",
    most: int = MOST,
    workers: int | None = 1,
    advance: Callable[[], None] = lambda: None,
) -> Design:
    """What gives a level this Bayes error: which mass of its residual, and which attributes hidden besides.

    Parameters
    ----------
    variable
        Which residual, where several lead to the question.
    route
        ``noise`` keeps what the level shows and solves for the residual's mass, exactly. ``hiding`` searches the sets
        of attributes, once without noise and once with the world's own.
    most
        Sets that the search may compute, for each mass.
    workers
        Processes; None for one on each core where that pays. The result is the same.
    advance
        Called after each set.

    Raises
    ------
    QueryError
        Unknown names, or a target that is no number from 0 to 1.

    Examples
    --------
    >>> found = design("credit_risk", "medium", "0.12", route="noise")
    >>> found.noise.mass, found.noise.error
    (Fraction(4935087421613636, 7491351130063113), Fraction(3, 25))
    >>> design("support_ticket", "medium", "0.2", "angry", route="hiding").hiding[0].below.hidden
    ('topic_group', 'hours_waiting')
    """
    wanted = exact(target)
    if wanted is None or not 0 <= wanted <= 1:
        message = not_exact(target) if wanted is None else f"{str(target)[:60]!r} is no Bayes error"
        raise QueryError(Fault(code="design/target", message=message, allowed="a number from 0 to 1"))
    if route not in get_args(Route):
        routes = get_args(Route)
        message, hint = f"there is no route {str(route)[:60]!r}", nearest(str(route), routes)
        raise QueryError(Fault(code="design/route", message=message, allowed=listing(routes), hint=hint))
    if most < 2:
        raise QueryError(Fault(code="design/most", message=f"a search over {most} sets", allowed="2 or more"))
    held = world if isinstance(world, World) else load(world)
    asked, shown = held.question(question), held.level(level)
    residual = _residual(held, (asked.asks, *shown.visible), variable)
    worlds = _worlds(held, residual) if route != "noise" else []
    return Design(
        world=held.name,
        level=level,
        question=asked.name,
        target=wanted,
        own_error=_own_error(held, level, asked.name),
        variable=residual,
        own_mass=None if residual is None else residual_mass(held.network, residual),
        noise=_noise(held, level, asked.name, wanted, residual) if route != "hiding" else None,
        hiding=tuple(
            best_hiding(one, level, asked.name, wanted, mass=mass, most=most, workers=workers, advance=advance)
            for mass, one in worlds
        ),
    )


def _residual(world: World, near: tuple[str, ...], variable: str | None) -> str | None:
    """The residual that can be turned up and down; None where none leads to what is asked or shown."""
    if variable is None and not residuals(world.network, near):
        return None
    name = only_residual(world.network, variable, near)
    neutral_state(world.network, name)
    return name


def _worlds(world: World, residual: str | None) -> list[tuple[Fraction | None, World]]:
    """The world without noise, and as it is."""
    if residual is None:
        return [(None, world)]
    own = residual_mass(world.network, residual)
    without = [(Fraction(0), world_with_residual_mass(world, 0, residual))] if own else []
    return [*without, (own, world)]


def _own_error(world: World, level: str, question: str) -> Fraction | None:
    try:
        return world.bayes_error(level, question=question).exact
    except BudgetError:
        return None


def _noise(world: World, level: str, question: str, target: Fraction, residual: str | None) -> Noise:
    if residual is None:
        message = f"no residual of {world.name} leads to what {question} asks"
        return Noise(why_not=Fault(code="residual/none", message=message))
    try:
        still, noisy = (world_with_residual_mass(world, mass, residual) for mass in (0, 1))
        curve = error_curve(still.statistic(level, question=question), noisy.statistic(level, question=question))
    except (BudgetError, QueryError) as error:
        return Noise(why_not=error.faults[0])
    least = curve.error(Fraction(0))
    most_at, most = curve.highest()
    mass, found = curve.first(target), None
    if mass is not None:
        found = world_with_residual_mass(world, mass, residual).bayes_error(level, question=question).exact
        assert found == target, "the curve and the elimination differ"
    return Noise(mass=mass, error=found, least=least, most=most, most_at=most_at)
