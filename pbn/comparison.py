"""Hiding levels side by side: what each leaves uncertain, and what each hidden variable costs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from pbn.spec.model import Level
from pbn.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFigures:
    """One level: its Bayes error ε*, H(Y | X_vis) and I(Y; X_vis) = H(Y) − H(Y | X_vis), both in nats.

    ``rise`` is ε* less that of the next finer level, None at the finest; ``hides`` and ``shows`` are
    what changes from that level to this one.
    """

    level: str
    error: Fraction
    rise: Fraction | None
    entropy: float
    information: float
    hides: tuple[str, ...]
    shows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenCost:
    """What hiding one variable costs: by how much ε* rises.

    ``alone`` is the rise when nothing but it is hidden from the finest level, None where that level
    does not show it itself. ``in_order`` is the rise when it is hidden after all variables before
    it; ``total`` adds those up. ``level`` is the first level that hides it.
    """

    variable: str
    level: str
    alone: Fraction | None
    in_order: Fraction
    total: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The levels of a world for one question, finest first, and the cost of everything that they hide.

    ``prior_entropy`` is H(Y) in nats.
    """

    question: str
    prior_entropy: float
    levels: tuple[LevelFigures, ...]
    hidden: tuple[HiddenCost, ...]


def compare_levels(world: World, question: str | None = None) -> Comparison:
    """ε*, H(Y | X_vis) and I(Y; X_vis) of each level, and what each hidden variable costs.

    Raises
    ------
    QueryError
        There is no such question, or the world asks several and none is named.
    BudgetError
        An answer would take more memory than the budget.

    Examples
    --------
    >>> import pbn
    >>> compared = compare_levels(pbn.load("credit_risk"))
    >>> [(cost.variable, round(float(cost.in_order), 6)) for cost in compared.hidden]
    [('cash_buffer', 0.082013), ('principal_due', 0.059171)]
    >>> compared.hidden[-1].total == compared.levels[-1].error - compared.levels[0].error
    True
    """
    asked = world.question(question).name
    prior = world.posterior(question=asked).exact
    assert prior is not None
    entropy = math.fsum(-float(p) * math.log(p) for p in prior.values() if p)
    levels = tuple(_levels(world, asked, entropy))
    return Comparison(question=asked, prior_entropy=entropy, levels=levels, hidden=tuple(_hidden(world, asked)))


def _levels(world: World, question: str, prior: float) -> Iterator[LevelFigures]:
    finer: Level | None = None
    before: Fraction | None = None
    for level in world.levels.values():
        found = world.bayes_error(level.name, question=question)
        assert found.exact is not None
        yield LevelFigures(
            level=level.name,
            error=found.exact,
            rise=None if before is None else found.exact - before,
            entropy=found.entropy,
            information=max(prior - found.entropy, 0.0),
            hides=_less(finer.visible, level.visible) if finer else (),
            shows=_less(level.visible, finer.visible) if finer else (),
        )
        finer, before = level, found.exact


def _less(names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name not in others)


def _hidden(world: World, question: str) -> Iterator[HiddenCost]:
    """Each hidden variable in order: those of the coarser levels later, those of one level in its order.

    What a level shows in place of what it hides is a function of that, so it is shown first and costs
    nothing; then one variable goes after the other, and the last step arrives at the level itself.
    """
    finest = next(iter(world.levels.values()))
    base = before = _error(world, question, finest.visible)
    for finer, coarser in pairwise(world.levels.values()):
        shown = [*finer.visible, *_less(coarser.visible, finer.visible)]
        for name in _less(finer.visible, coarser.visible):
            shown.remove(name)
            after = _error(world, question, shown)
            alone = None
            if name in finest.visible:
                alone = _error(world, question, _less(finest.visible, [name])) - base
            yield HiddenCost(
                variable=name, level=coarser.name, alone=alone, in_order=after - before, total=after - base
            )
            before = after


def _error(world: World, question: str, visible: Sequence[str]) -> Fraction:
    """ε* of a visible set; a level's own answer where it is that of a level."""
    for level in world.levels.values():
        if set(level.visible) == set(visible):
            exact = world.bayes_error(level.name, question=question).exact
            break
    else:
        order = [name for name in world.network.variables if name in visible]
        exact = world.engine.statistic(world.question(question).asks, order).bayes_error().exact
    assert exact is not None
    return exact
