"""The worlds compared: how many states they have, how little of them 50 cases show, and their groups; all counted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pbn.cases.groups import groups_of
from pbn.cases.protocol import TRAINING
from pbn.exact.arithmetic import integers
from pbn.network.graph import ancestors
from pbn.network.model import Array
from pbn.pictures.plots import line_style, plain_numbers, plot_files
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Study, claim, world_of
from pbn.world import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED = {
    "peer_review": {"states": 19_683, "with residual": 216_513, "covered": "3.8%", "groups": 53},
    "credit_risk": {"states": 78_732, "with residual": 393_660, "covered": "1.0%", "groups": 45},
}
CASES = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
"""Numbers of training cases of the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """States of the factors without and with the residual, patterns at High and their exact coverage, groups."""

    world: str
    states: int
    residual: int
    patterns: int
    covered: tuple[float, ...]
    groups: int


def factors(world: World) -> tuple[str, ...]:
    """The random variables that the outcome depends on, but for the residual.

    Examples
    --------
    >>> len(factors(world_of("credit_risk"))), len(factors(world_of("peer_review")))
    (10, 9)
    """
    network = world.network
    behind = ancestors(network, [world.question().asks])
    named = [network.variables[name] for name in network.named if name in behind]
    return tuple(one.name for one in named if one.origin == "random" and one.role != "residual")


def pattern_law(world: World, level: str) -> Array:
    """The exact law of the categories that a level shows, measurements as the levels they stand for, as floats.

    Irrelevant fields and the numbers within a measurement's level are left out. One entry for each pattern.
    """
    network = world.network
    relevant = set(factors(world))
    shown = []
    for name in world.level(level).visible:
        if network.variables[name].origin == "measured":
            name = network.parents(name)[0]
        if name in relevant:
            shown.append(name)
    numbers = world.engine.joint(shown, {}, "exact")
    return np.array([float(Fraction(int(count), numbers.denominator)) for count in integers(numbers).ravel()])


def coverage(law: Array, cases: int) -> float:
    """The mass of patterns that independent cases are expected to contain, Σ p (1 − (1 − p)^n).

    Examples
    --------
    >>> coverage(np.array([0.5, 0.5]), 1), coverage(np.array([0.5, 0.5]), 2)
    (0.5, 0.75)
    """
    return float(law @ -np.expm1(cases * np.log1p(-law))) if law.max() < 1 else 1.0


def _answer(name: str, quick: bool) -> Counts:
    world = world_of(name)
    network = world.network
    sizes = [network.size(factor) for factor in factors(world)]
    residual = next(v.size for v in network.variables.values() if v.role == "residual")
    law = pattern_law(world, "high")
    return Counts(
        world=name,
        states=math.prod(sizes),
        residual=residual,
        patterns=int((law > 0).sum()),
        covered=tuple(coverage(law, cases) for cases in CASES),
        groups=len(groups_of(world).names),
    )


def _show(answers: Sequence[Counts], quick: bool) -> Finding:
    columns = ("world", "quantity", "cases", "value")
    rows: list[tuple[object, ...]] = []
    for one in answers:
        rows += [
            (one.world, "states of the factors", None, one.states),
            (one.world, "states with the residual", None, one.states * one.residual),
            (one.world, "category patterns at High", None, one.patterns),
            (one.world, "groups", None, one.groups),
        ]
        rows += [
            (one.world, "expected mass of High patterns covered", cases, mass)
            for cases, mass in zip(CASES, one.covered, strict=True)
        ]
    figure = plot_files(
        "How much of a world do training cases show?",
        "Mass of the High level's category patterns that n independent cases contain, in expectation; exact. "
        "Irrelevant fields and the numbers within a measurement's level are left out.",
        1,
        1,
        lambda panels: _draw(panels[0], answers),
        size=(4.9, 2.9),
    )
    return Finding(columns=columns, rows=tuple(rows), figure=figure, comparisons=tuple(_comparisons(answers)))


def _comparisons(answers: Sequence[Counts]) -> list[Comparison]:
    found = []
    for one in answers:
        said = PUBLISHED[one.world]
        counted = (
            ("states of the factors", said["states"], one.states),
            ("states with the residual", said["with residual"], one.states * one.residual),
            ("groups besides everyone", said["groups"], one.groups),
        )
        for quantity, published, ours in counted:
            same = published == ours
            found.append(claim(quantity, one.world, f"{published:,}", f"{ours:,}", same, "", "counted"))
        share = one.covered[CASES.index(TRAINING)]
        quantity = f"mass of High patterns that {TRAINING} cases cover"
        same = f"{100 * share:.1f}%" == said["covered"]
        found.append(claim(quantity, one.world, f"about {said['covered']}", f"{100 * share:.3f}%", same, "", "exact"))
    return found


def _draw(axes: Axes, answers: Sequence[Counts]) -> None:
    for k, one in enumerate(answers):
        shares = [100 * mass for mass in one.covered]
        axes.plot(CASES, shares, **line_style(2 * k, label=TITLES[one.world]))
    axes.axvline(TRAINING, color="#57606a", linewidth=0.9, linestyle=(0, (1, 1.6)), label=f"{TRAINING} cases")
    plain_numbers(axes, CASES)
    axes.set_ylim(0, 100)
    axes.set_xlabel("training cases n")
    axes.set_ylabel("expected mass covered (%)")


STUDY = Study(
    name="worlds",
    title="The worlds compared",
    about="States, groups, and how little of a world a few training cases show.",
    worlds=FACTOR_WORLDS,
    tasks=lambda quick: FACTOR_WORLDS,
    answer=_answer,
    show=_show,
    shrinks=False,
)
