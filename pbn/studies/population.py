"""The population's accuracy and divergence of a regression without sampling, and how far a sampled reference is off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import rel_entr

from pbn.models.additive import population_scores
from pbn.models.baselines import FittedModel, View
from pbn.network.model import Array
from pbn.pictures.plots import BAND, line_style, plain_numbers, plot_files
from pbn.scores.proper import CLIP
from pbn.studies.reference import BLOCKS, REFERENCE, block_error, inputs, reference, trained
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Study, world_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = ("low", "medium", "high")
SEED = 2032
QUANTITIES = ("expected accuracy", "KL divergence (nats)")
WHY = "the terms that say nothing are convolved on a grid, with a proved bound; sampled ± standard error of 20 blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A quantity of the population, proved to lie from ``low`` to ``high``; ``sampled`` from the first ``inputs``."""

    world: str
    level: str
    quantity: str
    low: float
    high: float
    inputs: int
    sampled: float
    error: float

    @property
    def off(self) -> float:
        """How far the sampled value is from the middle of the bracket."""
        return self.sampled - (self.low + self.high) / 2


def _tasks(quick: bool) -> Sequence[tuple[str, str]]:
    return [(world, level) for world in FACTOR_WORLDS for level in (("high",) if quick else LEVELS)]


def _answer(task: tuple[str, str], quick: bool) -> list[Value]:
    name, level = task
    view = View(world_of(name), level)
    model = trained(view, SEED)
    assert isinstance(model, FittedModel)
    scores = population_scores(view, model.model.coef_[0], float(model.model.intercept_[0]))
    sample = reference(view, model, REFERENCE + SEED, inputs(quick))
    found = []
    pairs = ((scores.accuracy, _hits(sample.q, sample.p)), (scores.divergence, _divergences(sample.q, sample.p)))
    for quantity, (bracket, items) in zip(QUANTITIES, pairs, strict=True):
        blocks = [float(block.mean()) for block in np.array_split(items, BLOCKS)]
        for count in (2, 4, 10, BLOCKS):
            found.append(
                Value(
                    world=name,
                    level=level,
                    quantity=quantity,
                    low=bracket.low,
                    high=bracket.high,
                    inputs=len(items) * count // BLOCKS,
                    sampled=float(np.mean(blocks[:count])),
                    error=block_error(blocks) * (BLOCKS / count) ** 0.5,
                )
            )
    return found


def _hits(q: Array, p: Array) -> Array:
    """P(Y = decision | x) of each input; a tie goes to the first class."""
    return np.where(q > 0.5, p, 1 - p)


def _divergences(q: Array, p: Array) -> Array:
    kept = np.clip(q, CLIP, 1 - CLIP)
    found: Array = rel_entr(p, kept) + rel_entr(1 - p, 1 - kept)
    return found


def _show(answers: Sequence[list[Value]], quick: bool) -> Finding:
    values = [one for answer in answers for one in answer]
    names = tuple(one.name for one in fields(Value))
    figure = plot_files(
        "A sampled reference beside the value without sampling, at High",
        "Logistic regression on 1,000 rows (seed 2032). Sampled value less the middle of the bracket that is proved to "
        "hold the population's; bands: ± 2 standard errors. The black line is as thick as the bracket or thicker.",
        1,
        2,
        lambda panels: _draw(panels, values),
        quick=quick,
    )
    return Finding(
        columns=(*names, "off"),
        rows=tuple((*(getattr(one, name) for name in names), one.off) for one in values),
        figure=figure,
        comparisons=tuple(_comparison(one) for one in values if one.inputs == max(other.inputs for other in values)),
    )


def _comparison(one: Value) -> Comparison:
    middle, radius = (one.low + one.high) / 2, (one.high - one.low) / 2
    return Comparison(
        quantity=f"population {one.quantity} of logistic regression",
        where=f"{one.world}, {one.level}",
        published=None,
        ours=f"{middle:.6f} ± {radius:.1e}; sampled {one.sampled:.5f} ± {one.error:.5f}, off by {one.off:+.5f}",
        kind="bounded",
        agrees=None,
        why=WHY,
    )


def _draw(panels: Sequence[Axes], values: Sequence[Value]) -> None:
    for axes, quantity in zip(panels, QUANTITIES, strict=True):
        for k, world in enumerate(FACTOR_WORLDS):
            line = [one for one in values if (one.world, one.level, one.quantity) == (world, "high", quantity)]
            counts = [one.inputs for one in line]
            off, error = np.array([one.off for one in line]), np.array([one.error for one in line])
            style = line_style(2 * k, label=TITLES[world])
            axes.plot(counts, off, **style)
            axes.fill_between(counts, off - 2 * error, off + 2 * error, color=style["color"], alpha=BAND, lw=0)
        axes.axhline(0, color="#1b1f24", linewidth=1.6, label="without sampling", zorder=1)
        plain_numbers(axes, counts)
        axes.set_title(quantity[0].upper() + quantity[1:])
        axes.set_xlabel("reference inputs")
    panels[0].set_ylabel("sampled less proved value")


STUDY = Study(
    name="population",
    title="The population without sampling",
    about="Expected accuracy and divergence of logistic regression by convolution, with a proved bound, and sampled.",
    worlds=FACTOR_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
)
