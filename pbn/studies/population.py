"""The population's values of fitted predictors without sampling, and how far a sampled reference is off."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from pbn.cases.groups import Groups, groups_of
from pbn.cases.protocol import POOL
from pbn.cases.sample import rows
from pbn.models.additive import AdditivePredictor, Bracket, population_scores
from pbn.models.baselines import Fitted, FittedModel, View, gradient_boosting
from pbn.models.binned import multicalibration_bracket, pattern_bins, separation_bracket
from pbn.models.patterns import enumerate_patterns, shown
from pbn.network.model import Array
from pbn.pictures.plots import line_style, plain_numbers, plot_files
from pbn.scores.accuracy import bayes_decisions, expected_accuracy
from pbn.scores.bins import equal_width_bins
from pbn.scores.higher_order_calibration import bayes_mixtures, target_separation
from pbn.scores.proper import kl_divergence
from pbn.studies.reference import BINS, BLOCKS, REFERENCE, Reference, block_error, inputs, reference, trained
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Kind, Study, world_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = ("low", "medium", "high")
SEED = 2032
LOGISTIC, BOOSTED = "logistic regression", "gradient boosting of categories"
ACCURACY, DIVERGENCE, WORST, SEPARATION = (
    "expected accuracy", "KL divergence (nats)", "multicalibration error", "target separation δ_2",
)  # fmt: skip
QUANTITIES = (ACCURACY, DIVERGENCE, WORST, SEPARATION)
ROUNDING = 1e-12
"""What float64 may do to a sum over all patterns."""
WHY: Mapping[str, tuple[Kind, str]] = {
    LOGISTIC: ("bounded", "independent terms are convolved on a grid, with a proved bound"),
    BOOSTED: ("exact", "all patterns of categories are enumerated"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A quantity of the population, proved to lie from ``low`` to ``high``; ``sampled`` from the first ``inputs``."""

    world: str
    level: str
    predictor: str
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


def _tasks(quick: bool) -> Sequence[tuple[str, str, str]]:
    pairs = [("high", BOOSTED), *((level, LOGISTIC) for level in (("high",) if quick else LEVELS))]
    return [(world, *pair) for world in FACTOR_WORLDS for pair in pairs]


def _answer(task: tuple[str, str, str], quick: bool) -> list[Value]:
    name, level, predictor = task
    view = View(world_of(name), level)
    groups = groups_of(view.world)
    if predictor == LOGISTIC:
        model: Fitted = trained(view, SEED)
        known = additive_values(view, model, groups)
    else:
        view = View(view.world, level, names=shown(view).categories)
        drawn = rows(view.world, SEED, POOL[0], POOL[1] - POOL[0], view.needed)
        model = gradient_boosting(seed=SEED).fit(view.features(drawn), view.labels(drawn))
        known = enumerated_values(view, model, groups)
    sample = reference(view, model, REFERENCE + SEED, inputs(quick), groups)
    return [
        Value(
            world=name,
            level=level,
            predictor=predictor,
            quantity=quantity,
            low=known[quantity].low,
            high=known[quantity].high,
            inputs=count,
            sampled=sampled,
            error=error,
        )
        for quantity in QUANTITIES
        for count, sampled, error in _sampled(sample, quantity)
    ]


# -- without sampling --------------------------------------------------------------------------------


def additive_of(view: View, model: Fitted) -> AdditivePredictor:
    """A fitted logistic regression as an additive predictor."""
    assert isinstance(model, FittedModel)
    return AdditivePredictor(view, model.model.coef_[0], float(model.model.intercept_[0]))


def additive_values(view: View, model: Fitted, groups: Groups) -> dict[str, Bracket]:
    """The quantities of a logistic regression."""
    predictor = additive_of(view, model)
    scores = population_scores(predictor)
    return {
        ACCURACY: scores.accuracy,
        DIVERGENCE: scores.divergence,
        WORST: multicalibration_bracket(predictor, groups.demands, BINS),
        SEPARATION: separation_bracket(pattern_bins(predictor, BINS), 2),
    }


def enumerated_values(view: View, model: Fitted, groups: Groups) -> dict[str, Bracket]:
    """The quantities of any model that reads categories alone."""
    every = enumerate_patterns(view, model)
    mixtures = bayes_mixtures(every.p, equal_width_bins(every.q, BINS), BINS, every.mass)
    values = {
        ACCURACY: expected_accuracy(every.p, bayes_decisions(every.q), every.mass).value,
        DIVERGENCE: kl_divergence(every.p, every.q, every.mass).value,
        WORST: float(np.abs(every.moments(view, groups.demands, BINS)).max()),
        SEPARATION: target_separation(mixtures, 2),
    }
    return {name: Bracket(low=value - ROUNDING, high=value + ROUNDING) for name, value in values.items()}


# -- sampled -----------------------------------------------------------------------------------------


def _sampled(sample: Reference, quantity: str) -> list[tuple[int, float, float]]:
    """Inputs, estimate and standard error from the first blocks of a reference."""
    if quantity == WORST:
        error = sample.multicalibration()[1]
    else:
        error = block_error([ESTIMATES[quantity](q, p) for q, p in sample.blocks()])
    found = []
    for count in (2, 4, 10, BLOCKS):
        part = sample.first(count)
        value = part.multicalibration()[0] if quantity == WORST else ESTIMATES[quantity](part.q, part.p)
        found.append((len(part.q), value, error * (BLOCKS / count) ** 0.5))
    return found


def _separation(q: Array, p: Array) -> float:
    return target_separation(bayes_mixtures(p, equal_width_bins(q, BINS), BINS), 2)


ESTIMATES: Mapping[str, Callable[[Array, Array], float]] = {
    ACCURACY: lambda q, p: expected_accuracy(p, bayes_decisions(q)).value,
    DIVERGENCE: lambda q, p: kl_divergence(p, q).value,
    SEPARATION: _separation,
}


# -- shown -------------------------------------------------------------------------------------------


def _show(answers: Sequence[list[Value]], quick: bool) -> Finding:
    values = [one for answer in answers for one in answer]
    names = tuple(one.name for one in fields(Value))
    figure = plot_files(
        "A sampled reference beside the value without sampling, at High",
        "Sampled value less the middle of the bracket that is proved to hold the population's; bars: ± 2 standard "
        "errors from replicated blocks. The black line is as thick as the bracket or thicker. Logistic regression on "
        "all fields and gradient boosting on the categories that say something, from 1,000 rows (seed 2032).",
        2,
        2,
        lambda panels: _draw(panels, values),
        quick=quick,
        size=(3.3, 2.2),
    )
    return Finding(
        columns=(*names, "off"),
        rows=tuple((*(getattr(one, name) for name in names), one.off) for one in values),
        figure=figure,
        comparisons=tuple(_comparison(one) for one in values if one.inputs == max(other.inputs for other in values)),
    )


def _comparison(one: Value) -> Comparison:
    middle, radius = (one.low + one.high) / 2, (one.high - one.low) / 2
    kind, why = WHY[one.predictor]
    value = f"{middle:.6f}" if kind == "exact" else f"{middle:.6f} ± {radius:.1e}"
    return Comparison(
        quantity=f"{one.quantity} of {one.predictor}",
        where=f"{one.world}, {one.level}",
        published=None,
        ours=f"{value}; sampled {one.sampled:.5f} ± {one.error:.5f}, off by {one.off:+.5f}",
        kind=kind,
        agrees=None,
        why=f"{why}; sampled ± standard error of {BLOCKS} blocks",
    )


def _draw(panels: Sequence[Axes], values: Sequence[Value]) -> None:
    pairs = [(world, predictor) for predictor in (LOGISTIC, BOOSTED) for world in FACTOR_WORLDS]
    for axes, quantity in zip(panels, QUANTITIES, strict=True):
        for k, (world, predictor) in enumerate(pairs):
            line = [one for one in values if (one.world, one.predictor, one.level) == (world, predictor, "high")]
            line = [one for one in line if one.quantity == quantity]
            counts = [one.inputs for one in line]
            off, error = np.array([one.off for one in line]), np.array([one.error for one in line])
            beside = np.array(counts) * 1.045 ** (k - 1.5)
            style = line_style(k, label=f"{TITLES[world]}, {'regression' if predictor == LOGISTIC else 'boosting'}")
            axes.errorbar(beside, off, 2 * error, elinewidth=0.9, capsize=2, **style)
        axes.axhline(0, color="#1b1f24", linewidth=1.6, label="without sampling", zorder=1)
        plain_numbers(axes, counts)
        axes.set_title((quantity[0].upper() + quantity[1:]).replace("_2", "₂").removesuffix(" (nats)"))
    for axes in panels[2:]:
        axes.set_xlabel("reference inputs")
    for axes, quantity in zip(panels, QUANTITIES, strict=True):
        axes.set_ylabel("sampled less proved (nats)" if quantity == DIVERGENCE else "sampled less proved (prob.)")


STUDY = Study(
    name="population",
    title="The population without sampling",
    about="Logistic regression by convolution, with a proved bound; a model of categories by enumeration; and sampled.",
    worlds=FACTOR_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
    version=2,
)
