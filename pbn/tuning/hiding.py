"""Which attributes to hide besides, so that ε* comes nearest to a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import networkx as nx

from pbn.errors import BudgetError
from pbn.network.graph import ancestors
from pbn.tuning.crew import Crew
from pbn.tuning.search import nearest_sets
from pbn.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Attributes hidden besides those of the level, and the exact ε* that is then left."""

    hidden: tuple[str, ...]
    error: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiding:
    """The sets of attributes whose ε* comes nearest to the target, with one mass of the residual.

    ``below`` has the greatest ε* that is not above the target, ``above`` the least that is not below it; each is the
    smallest such set, and both are the same set where it meets the target. ``least`` and ``most`` are ε* with nothing
    and with everything hidden. ``attributes`` may be hidden; ``evaluated`` sets were computed, ``refused`` of them
    would have taken more than the budget. Without ``exhaustive`` some set may be nearer. ``mass`` is None in a world
    without a residual.
    """

    mass: Fraction | None
    attributes: tuple[str, ...]
    below: Proposal | None
    above: Proposal | None
    least: Fraction | None
    most: Fraction | None
    evaluated: int
    refused: int
    exhaustive: bool

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """``below`` and ``above``, each once."""
        return tuple(dict.fromkeys(found for found in (self.below, self.above) if found is not None))


@dataclass(frozen=True, kw_only=True, eq=False)
class HidingWork:
    """Answers which ε* is left when some of the attributes are hidden; None over the budget."""

    world: World
    level: str
    question: str
    attributes: tuple[str, ...]
    _found: dict[int, Fraction | None] = field(init=False, repr=False, default_factory=dict)

    def __call__(self, mask: int) -> Fraction | None:
        """ε* without the attributes whose bits are set."""
        hidden = tuple(name for k, name in enumerate(self.attributes) if mask >> k & 1)
        try:
            return self.world.bayes_error(self.level, question=self.question, hide=hidden).exact
        except BudgetError:
            return None


def best_hiding(
    world: World,
    level: str,
    question: str,
    target: Fraction,
    *,
    mass: Fraction | None,
    most: int,
    workers: int | None,
    advance: Callable[[], None],
) -> Hiding:
    """The sets of a level's attributes that bring ε* nearest to the target when they are hidden besides.

    ε* never falls when more is hidden, which prunes the search. A repeated variable is hidden as a whole. Left out
    are irrelevant fields and whatever has no connection with the question at all.
    """
    attributes = hideable(world, level, question)
    work = HidingWork(world=world, level=level, question=question, attributes=attributes)
    with Crew(work, workers, advance) as crew:
        found = nearest_sets(crew.map, len(attributes), target, most)

    def proposal(entry: tuple[int, Fraction] | None) -> Proposal | None:
        if entry is None:
            return None
        hidden = tuple(name for k, name in enumerate(attributes) if entry[0] >> k & 1)
        return Proposal(hidden=hidden, error=entry[1])

    return Hiding(
        mass=mass,
        attributes=attributes,
        below=proposal(found.below),
        above=proposal(found.above),
        least=found.least,
        most=found.most,
        evaluated=found.evaluated,
        refused=found.refused,
        exhaustive=found.exhaustive and not found.refused,
    )


def hideable(world: World, level: str, question: str) -> tuple[str, ...]:
    """The level's attributes that could be hidden for a question, repeated ones under their common name."""
    asked = world.question(question).asks
    visible = [name for name in world.level(level).visible if name != asked]
    near = _connected(world, asked, visible)
    names = [name for name in visible if world.network.variables[name].role != "irrelevant" and name in near]
    family = {member: name for name, members in world.families.items() for member in members}
    groups = {family.get(name, name): None for name in names}
    return tuple(
        kept
        for name in groups
        for kept in ([name] if set(world.families.get(name, (name,))) <= set(visible) else _members(world, name, names))
    )


def _members(world: World, family: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if name in world.families[family]]


def _connected(world: World, asked: str, visible: Sequence[str]) -> set[str]:
    """What any path joins with the asked variable: all else is independent of it, whatever is known."""
    graph = world.network.graph.subgraph(ancestors(world.network, [asked, *visible]))
    found: set[str] = nx.node_connected_component(graph.to_undirected(as_view=True), asked)
    return found
