"""Multicalibration at High: what labels estimate, and what is true, of p* itself, a regression and the class prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from pbn.cases.groups import Groups, groups_of
from pbn.cases.protocol import SEEDS
from pbn.cases.sample import rows
from pbn.models.additive import Bracket
from pbn.models.baselines import BayesClassifier, Fitted, View
from pbn.models.binned import multicalibration_bracket
from pbn.network.model import Array
from pbn.pictures.plots import BAND, line_style, plain_numbers, plot_files
from pbn.scores.witness_multicalibration import hoeffding_radius, moments
from pbn.studies.population import additive_of
from pbn.studies.reference import BINS, CALIBRATION, QUICK_INPUTS, REFERENCE, inputs, prior, reference, trained
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Study, claim, world_of
from pbn.world import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TRUTH, LOGISTIC, PRIOR = "true probabilities p*", "logistic regression", "class prior"
SIZES, QUICK_SIZES = (200, 500, 1000, 2000, 5000), (200, 1000)
RESAMPLES = 10
SEED = SEEDS[0]
DRAW = "our draws of training, calibration and reference inputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Mean and sample standard deviation of empirical MC over the resamples, at n calibration cases.

    ``population`` is the reference, ``error`` its standard error from replicated blocks, ``radius`` the half-width of
    the simultaneous Hoeffding band; the value without sampling is ``proved`` ± ``proved_radius``.
    """

    world: str
    predictor: str
    n: int
    mean: float
    spread: float
    least: float
    population: float
    error: float
    radius: float
    proved: float
    proved_radius: float


def _tasks(quick: bool) -> Sequence[tuple[str, str]]:
    return [(world, predictor) for world in FACTOR_WORLDS for predictor in (LOGISTIC, PRIOR, TRUTH)]


def _answer(task: tuple[str, str], quick: bool) -> list[Estimate]:
    name, predictor = task
    world = world_of(name)
    view, groups = View(world, "high"), groups_of(world)
    model: Fitted = BayesClassifier(view)
    population = error = radius = 0.0
    proved = Bracket(low=0.0, high=0.0)
    if predictor != TRUTH:
        model = trained(view, SEED) if predictor == LOGISTIC else prior(view, SEED)
    found = reference(view, model, REFERENCE + SEED, QUICK_INPUTS if predictor == TRUTH else inputs(quick), groups)
    population, error = found.multicalibration()
    if predictor != TRUTH:  # of p* every moment of every case is 0
        radius = hoeffding_radius(inputs(quick), found.pooled.size, BINS)
        proved = without_sampling(view, model, groups, predictor)
    estimates = []
    for n in QUICK_SIZES if quick else SIZES:
        drawn = [_empirical(view, model, groups, n, resample) for resample in range(RESAMPLES)]
        estimates.append(
            Estimate(
                world=name,
                predictor=predictor,
                n=n,
                mean=fmean(drawn),
                spread=stdev(drawn),
                least=min(drawn),
                population=population,
                error=error,
                radius=radius,
                proved=proved.middle,
                proved_radius=proved.radius,
            )
        )
    return estimates


def _empirical(view: View, model: Fitted, groups: Groups, n: int, resample: int) -> float:
    """MC against the labels of n rows, of a run of rows of their own for each n and resample."""
    start = 1_000_000 * resample + 100_000 * SIZES.index(n)
    drawn = rows(view.world, CALIBRATION + SEED, start, n, tuple(dict.fromkeys([*view.needed, *groups.needed])))
    q = model.probabilities(view.features(drawn))[:, 1]
    found, _ = moments(q, view.labels(drawn).astype(float), groups.members(drawn), BINS)
    return float(np.abs(found).max())


def constant_of(view: View, model: Fitted) -> float:
    """What a predictor says to every case that says the same to all."""
    width = view.features(rows(view.world, SEED, 0, 1, view.needed)).shape[1]
    return float(model.probabilities(np.zeros((1, width)))[0, 1])


def without_sampling(view: View, model: Fitted, groups: Groups, predictor: str) -> Bracket:
    """The population's MC of logistic regression or of the class prior."""
    if predictor == LOGISTIC:
        return multicalibration_bracket(additive_of(view, model), groups.demands, BINS)
    value = exact_constant(view.world, groups, constant_of(view, model))
    return Bracket(low=value, high=value)


def exact_constant(world: World, groups: Groups, q: float) -> float:
    """MC of a predictor that says q to every case, without sampling: max over groups of |P(G, Y = 1) − q P(G)|.

    All cases are in one bin. P(G, Y = 1) comes from the joint law of the outcome and the group's variables.

    Examples
    --------
    >>> world = world_of("credit_risk")
    >>> groups = groups_of(world)
    >>> round(exact_constant(world, groups, 0.5), 6)  # everyone is the worst group: 0.5 − 0.210876
    0.289124
    """
    asks = world.question().asks
    numbers = world.engine.joint((asks,), {}, "exact")
    largest = abs(float(numbers.array[1]) / numbers.denominator - q)
    laws: dict[tuple[str, ...], Array] = {}
    for demand in groups.demands:
        names = tuple(demand)
        if names not in laws:
            numbers = world.engine.joint((*names, asks), {}, "exact")
            laws[names] = numbers.array.astype(float) / numbers.denominator
        law = laws[names]
        for axis, name in enumerate(names):
            law = np.compress(demand[name], law, axis=axis)
        mass, both = float(law.sum()), float(law[..., 1].sum())
        largest = max(largest, abs(both - q * mass))
    return largest


def _show(answers: Sequence[list[Estimate]], quick: bool) -> Finding:
    estimates = [one for answer in answers for one in answer]
    names = tuple(one.name for one in fields(Estimate))
    figure = plot_files(
        "Multicalibration error at High: estimated from labels, and of the population",
        f"Points: mean over {RESAMPLES} calibration resamples, bands one sample standard deviation. Horizontal lines: "
        "the population's value without sampling; that of p* is exactly 0. 10 bins.",
        1,
        2,
        lambda panels: _draw(panels, estimates),
        quick=quick,
    )
    return Finding(
        columns=names,
        rows=tuple(tuple(getattr(one, name) for name in names) for one in estimates),
        figure=figure,
        comparisons=tuple(_comparisons(estimates)),
    )


def _comparisons(estimates: Sequence[Estimate]) -> list[Comparison]:
    found = []
    for world in FACTOR_WORLDS:
        lines = {
            name: [one for one in estimates if (one.world, one.predictor) == (world, name)]
            for name in (TRUTH, LOGISTIC, PRIOR)
        }
        truth, logistic, constant = (lines[name] for name in (TRUTH, LOGISTIC, PRIOR))
        found.append(
            claim(
                "population MC error of p*",
                world,
                "exactly 0",
                f"{truth[0].population:g}",
                truth[0].population == 0,
                "p* read off the features, against p* of the inputs: the same doubles",
                "exact",
            )
        )
        text = ", ".join(f"{one.mean:.4f} (n = {one.n:,})" for one in (truth[0], truth[-1]))
        holds = all(one.least > 0 for one in truth)
        found.append(claim("empirical MC error of p*", world, "positive at every n", text, holds, DRAW, "drawn"))
        text = f"{constant[0].population:.4f} against {logistic[0].population:.4f}"
        holds = constant[0].population > 2 * logistic[0].population
        said = "class prior much worse"
        found.append(claim("class prior against logistic regression", world, said, text, holds, DRAW, "drawn"))
        holds = all(
            abs(line[-1].mean - line[-1].proved) < abs(line[0].mean - line[0].proved) for line in (truth, logistic)
        )
        text = f"logistic: {logistic[0].mean:.4f} → {logistic[-1].mean:.4f}, the population {logistic[0].proved:.4f}"
        found.append(claim("estimates as n grows", world, "approach the reference", text, holds, DRAW, "drawn"))
        found += _populations(world, logistic[0], constant[0])
    return found


def _populations(world: str, logistic: Estimate, constant: Estimate) -> list[Comparison]:
    text = (
        f"{logistic.proved:.6f} ± {logistic.proved_radius:.1e}; sampled {logistic.population:.5f} ± "
        f"{logistic.error:.5f} (Hoeffding ± {logistic.radius:.5f}), off by {logistic.population - logistic.proved:+.6f}"
    )
    why = "without sampling, by convolution with a proved bound; sampled ± standard error of 20 blocks"
    quantity = "population MC error of logistic regression"
    found = [
        Comparison(quantity=quantity, where=world, published=None, ours=text, kind="bounded", agrees=None, why=why)
    ]
    text = f"{constant.proved:.6f}; sampled {constant.population:.6f}, off by "
    text += f"{constant.population - constant.proved:+.6f}"
    quantity, why = "population MC error of the class prior", "without sampling, from the exact law of each group"
    return [
        *found,
        Comparison(quantity=quantity, where=world, published=None, ours=text, kind="exact", agrees=None, why=why),
    ]


def _draw(panels: Sequence[Axes], estimates: Sequence[Estimate]) -> None:
    for axes, world in zip(panels, FACTOR_WORLDS, strict=True):
        for k, predictor in enumerate((TRUTH, LOGISTIC, PRIOR)):
            line = [one for one in estimates if (one.world, one.predictor) == (world, predictor)]
            sizes = [one.n for one in line]
            mean, spread = np.array([one.mean for one in line]), np.array([one.spread for one in line])
            style = line_style(k, label=predictor)
            axes.plot(sizes, mean, **style)
            axes.fill_between(sizes, mean - spread, mean + spread, color=style["color"], alpha=BAND, lw=0)
            reference_style = {"color": style["color"], "linestyle": style["linestyle"], "linewidth": 0.9}
            axes.axhline(line[0].proved, **reference_style)
        plain_numbers(axes, sizes)
        axes.set_ylim(-0.003, None)
        axes.set_title(TITLES[world])
        axes.set_xlabel("calibration cases n")
    panels[0].set_ylabel("MC error (probability)")


STUDY = Study(
    name="multicalibration",
    title="Multicalibration",
    about="Multicalibration error estimated from labels, and the population's, at High.",
    worlds=FACTOR_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
    version=2,
)
