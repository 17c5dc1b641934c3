"""A wanted Bayes error, reached in two ways: rich information with noise, or sparse information without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, get_args

from pbn.errors import BudgetError, Fault, NetworkError, QueryError, listing, nearest
from pbn.loading import load
from pbn.network.residual import only_residual, residual_mass
from pbn.spec.numerals import Number, exact, not_exact
from pbn.tuning.curve import Masses, error_curve
from pbn.tuning.hiding import Hiding, best_hiding
from pbn.tuning.worlds import world_with_residual_mass
from pbn.world import World

Route = Literal["noise", "hiding", "both"]
MOST = 2_000
"""Hidden sets that are computed for one mass of the residual, unless another number is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """The masses of a residual at which a level's ε* is the target, its visible set kept.

    ``masses`` are all of them, in ascending order, and ``error`` is the ε* of the worlds with them, computed afresh;
    empty and None where the target is out of reach. ``still`` and ``noisy`` are ε* at the masses 0 and 1, ``most`` is
    the greatest ε*, which is reached at ``most_at``. ``why_not`` says why there is no such route at all: no residual
    that could be scaled, or an answer over the budget.
    """

    masses: tuple[Masses, ...] = ()
    error: Fraction | None = None
    still: Fraction | None = None
    noisy: Fraction | None = None
    most: Fraction | None = None
    most_at: Masses | None = None
    why_not: Fault | None = None

    @property
    def mass(self) -> Fraction | None:
        """The smallest mass that reaches the target; None where there is none."""
        return self.masses[0].first if self.masses else None

    @property
    def least(self) -> Fraction | None:
        """The least ε* of any mass: that of the mass 0 or 1, as ε* is concave."""
        return None if self.still is None or self.noisy is None else min(self.still, self.noisy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How a level of a world reaches a wanted Bayes error; a route that was not asked for is None or empty.

    ``variable`` is the residual, with its ``own_mass``; None where the question has none that could be scaled.
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
    """What gives a level this Bayes error: which masses of its residual, and which attributes hidden besides.

    Parameters
    ----------
    variable
        Which residual, where several lead to the question.
    route
        ``noise`` keeps what the level shows and solves for the residual's mass, exactly. ``hiding`` searches the sets
        of attributes, once without noise and once with the world's own; where no residual can be scaled, once.
    most
        Sets that the search may compute, for each mass.
    workers
        Processes; None for one on each core where that pays. The result is the same.
    advance
        Called after each set.

    Raises
    ------
    QueryError
        Unknown names, several residuals of which none is named for the noise, or a target that is not a number from 0
        to 1.

    Examples
    --------
    >>> found = design("credit_risk", "medium", "0.12", route="noise")
    >>> found.noise.masses
    (Masses(first=Fraction(4935087421613636, 7491351130063113), last=Fraction(4935087421613636, 7491351130063113)),)
    >>> design("support_ticket", "medium", "0.2", "angry", route="hiding").hiding[0].below.hidden
    ('topic_group', 'hours_waiting')
    """
    wanted = exact(target)
    if wanted is None or not 0 <= wanted <= 1:
        message = not_exact(target) if wanted is None else f"{str(target)[:60]!r} is not a Bayes error"
        raise QueryError(Fault(code="design/target", message=message, allowed="a number from 0 to 1"))
    if route not in get_args(Route):
        routes = get_args(Route)
        message, hint = f"there is no route {str(route)[:60]!r}", nearest(str(route), routes)
        raise QueryError(Fault(code="design/route", message=message, allowed=listing(routes), hint=hint))
    if most < 2:
        raise QueryError(Fault(code="design/most", message=f"a search over {most} sets", allowed="2 or more"))
    held = world if isinstance(world, World) else load(world)
    asked, shown = held.question(question), held.level(level)
    residual, own_mass, unscaled = _residual(held, (asked.asks, *shown.visible), variable, route)
    worlds = _worlds(held, residual, own_mass) if route != "noise" else []
    return Design(
        world=held.name,
        level=level,
        question=asked.name,
        target=wanted,
        own_error=_own_error(held, level, asked.name),
        variable=residual,
        own_mass=own_mass,
        noise=(Noise(why_not=unscaled) if residual is None else _noise(held, level, asked.name, wanted, residual))
        if route != "hiding"
        else None,
        hiding=tuple(
            best_hiding(one, level, asked.name, wanted, mass=mass, most=most, workers=workers, advance=advance)
            for mass, one in worlds
        ),
    )


def _residual(
    world: World, near: tuple[str, ...], variable: str | None, route: Route
) -> tuple[str | None, Fraction | None, Fault | None]:
    """The residual that can be turned up and down, with its mass; or why there is none."""
    try:
        name = only_residual(world.network, variable, near)
        return name, residual_mass(world.network, name), None
    except QueryError as error:
        unnamed = error.code == "residual/which" and route != "hiding"
        if unnamed or error.code == "residual/unknown":
            raise
        return None, None, error.faults[0]


def _worlds(world: World, residual: str | None, own_mass: Fraction | None) -> list[tuple[Fraction | None, World]]:
    """The world without noise where there can be one, and as it is."""
    if not own_mass:
        return [(own_mass, world)]
    try:
        return [(Fraction(0), world_with_residual_mass(world, 0, residual)), (own_mass, world)]
    except NetworkError:  # some rule has no value where the residual is neutral, which it never is in this world
        return [(own_mass, world)]


def _own_error(world: World, level: str, question: str) -> Fraction | None:
    try:
        return world.bayes_error(level, question=question).exact
    except BudgetError:
        return None


def _noise(world: World, level: str, question: str, target: Fraction, residual: str) -> Noise:
    try:
        still, noisy = (world_with_residual_mass(world, mass, residual) for mass in (0, 1))
        curve = error_curve(still.statistic(level, question=question), noisy.statistic(level, question=question))
        masses = curve.reached(target)
        for mass in (end for span in masses for end in (span.first, span.last)):
            found = world_with_residual_mass(world, mass, residual).bayes_error(level, question=question).exact
            assert found == target, "the curve and the elimination differ"
    except (BudgetError, NetworkError, QueryError) as error:
        return Noise(why_not=error.faults[0])
    most_at, most = curve.highest()
    return Noise(
        masses=masses,
        error=target if masses else None,
        still=curve.error(Fraction(0)),
        noisy=curve.error(Fraction(1)),
        most=most,
        most_at=most_at,
    )
