"""Convergence: how far the references of a million inputs are from independent ones of other sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from pbn.cases.groups import Groups, groups_of
from pbn.cases.protocol import SEEDS
from pbn.models.additive import Bracket
from pbn.models.baselines import Fitted, View
from pbn.models.binned import higher_order_brackets, multicalibration_bracket, pattern_bins
from pbn.pictures.plots import line_style, plain_numbers, plot_files
from pbn.scores.higher_order_calibration import Mixtures, higher_order, snapshot_error
from pbn.studies.multicalibration import constant_of, exact_constant
from pbn.studies.population import additive_of
from pbn.studies.reference import BINS, BLOCKS, REFERENCE, Reference, inputs, prior, reference, trained
from pbn.studies.snapshots import calibrations, mixtures_of
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Study, claim, world_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHECKS = (81001, 81002, 81003)
SIZES, QUICK_SIZES = (20_000, 100_000, 200_000), (2_000, 10_000, 20_000)
LOGISTIC, PRIOR = "logistic regression", "class prior"
TOLERANCE, PUBLISHED = 0.001, 0.00076
DRAW = "other inputs than those of our source; which quantities were checked there is not in our source in full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A quantity on some inputs, on the pooled ones, and without sampling, ``proved`` ± ``radius``.

    ``check`` is the seed of the inputs, 0 for the reference of the studies.
    """

    world: str
    training: int
    quantity: str
    check: int
    inputs: int
    value: float
    pooled: float
    proved: float
    radius: float

    @property
    def size(self) -> float:
        """How far it is from the pooled value."""
        return abs(self.value - self.pooled)

    @property
    def off(self) -> float:
        """How far it is from the value without sampling."""
        return abs(self.value - self.proved)


def _tasks(quick: bool) -> Sequence[tuple[str, int]]:
    return [(world, seed) for world in FACTOR_WORLDS for seed in SEEDS]


def _answer(task: tuple[str, int], quick: bool) -> list[Difference]:
    name, seed = task
    view = View(world_of(name), "high")
    model = trained(view, seed)
    found = _differences(view, seed, model, LOGISTIC, quick)
    if seed == SEEDS[0]:
        found += _differences(view, seed, prior(view, seed), PRIOR, quick)
    return found


def _differences(view: View, seed: int, model: Fitted, name: str, quick: bool) -> list[Difference]:
    groups, sizes = groups_of(view.world), QUICK_SIZES if quick else SIZES
    fits = calibrations(view, model, seed) if name == LOGISTIC else {}
    runs = {check: reference(view, model, check, sizes[-1], groups) for check in CHECKS}
    million = reference(view, model, REFERENCE + seed, inputs(quick), groups)
    pooled = quantities(joined(list(runs.values())), fits, name)
    proved = brackets(view, model, groups, fits, name)
    parts = [(check, size, run.first(BLOCKS * size // sizes[-1])) for check, run in runs.items() for size in sizes]
    found = []
    for check, size, part in [*parts, (0, inputs(quick), million)]:
        for quantity, value in quantities(part, fits, name).items():
            found.append(
                Difference(
                    world=view.world.name,
                    training=seed,
                    quantity=quantity,
                    check=check,
                    inputs=size,
                    value=value,
                    pooled=pooled[quantity],
                    proved=proved[quantity].middle,
                    radius=proved[quantity].radius,
                )
            )
    return found


def quantities(run: Reference, fits: Mapping[int, tuple[Mixtures, Mixtures]], name: str) -> dict[str, float]:
    """Population quantities on some inputs: MC and, where laws were fitted, the distances at each k."""
    found = {f"MC, {name}": run.multicalibration()[0]}
    mixtures = mixtures_of(run.q, run.p) if fits else None
    for k, (before, fitted) in fits.items():
        assert mixtures is not None
        distances = higher_order(fitted, mixtures, k)
        found[f"E_k before, k = {k}"] = snapshot_error(before, mixtures, k)
        found[f"E_k, k = {k}"] = distances.snapshot_error
        found[f"E_HO, k = {k}"] = distances.higher_order_error
        found[f"δ_k, k = {k}"] = distances.target_separation
    return found


def brackets(
    view: View, model: Fitted, groups: Groups, fits: Mapping[int, tuple[Mixtures, Mixtures]], name: str
) -> dict[str, Bracket]:
    """`quantities` without sampling."""
    if name == PRIOR:
        constant = exact_constant(view.world, groups, constant_of(view, model))
        return {f"MC, {name}": Bracket(low=constant, high=constant)}
    predictor = additive_of(view, model)
    found = {f"MC, {name}": multicalibration_bracket(predictor, groups.demands, BINS)}
    cells = pattern_bins(predictor, BINS)
    for k, (before, fitted) in fits.items():
        distances = higher_order_brackets(cells, fitted, k)
        found[f"E_k before, k = {k}"] = higher_order_brackets(cells, before, k).snapshot_error
        found[f"E_k, k = {k}"] = distances.snapshot_error
        found[f"E_HO, k = {k}"] = distances.higher_order_error
        found[f"δ_k, k = {k}"] = distances.target_separation
    return found


def joined(runs: Sequence[Reference]) -> Reference:
    """Several references as one."""
    return Reference(
        q=np.concatenate([run.q for run in runs]),
        p=np.concatenate([run.p for run in runs]),
        moments=np.concatenate([run.moments for run in runs]),
    )


def _show(answers: Sequence[list[Difference]], quick: bool) -> Finding:
    differences = [one for answer in answers for one in answer]
    names = tuple(one.name for one in fields(Difference))
    pooled = len(CHECKS) * (QUICK_SIZES if quick else SIZES)[-1]
    figure = plot_files(
        "How far are references of different sizes from each other?",
        f"Largest absolute difference to a pooled reference of {pooled:,} inputs, over MC and the distances at all k "
        "and three training seeds. A run of a seed is part of the pooled one; the largest reference is not. The values "
        "without sampling are proved brackets (the study of the population), independent of all references.",
        1,
        2,
        lambda panels: _draw(panels, differences),
        quick=quick,
    )
    return Finding(
        columns=(*names, "difference", "off"),
        rows=tuple((*(getattr(one, name) for name in names), one.size, one.off) for one in differences),
        figure=figure,
        comparisons=tuple(_comparisons(differences, quick)),
    )


def _comparisons(differences: Sequence[Difference], quick: bool) -> list[Comparison]:
    million = [one for one in differences if one.check == 0]
    worst = max(million, key=lambda one: one.size)
    text = f"{worst.size:.5f} ({worst.quantity}, {worst.world}, seed {worst.training})"
    count = f"{million[0].inputs:,}"
    holds = None if quick else worst.size < TOLERANCE
    why = f"under {TOLERANCE}, the tolerance that was chosen; {DRAW}"
    what = "largest difference of a reference to the pooled one"
    found = [claim(what, f"{count} inputs", f"{PUBLISHED} (under {TOLERANCE})", text, holds, why, "drawn")]
    for size in sorted({one.inputs for one in differences if one.check}):
        largest = max(one.size for one in differences if one.check and one.inputs == size)
        found.append(
            Comparison(
                quantity=what,
                where=f"{size:,} inputs, seeds 81001–81003",
                published=None,
                ours=f"{largest:.5f}",
                kind="drawn",
                agrees=None,
                why=DRAW,
            )
        )
    return [*found, *_against_proved(differences)]


def _against_proved(differences: Sequence[Difference]) -> list[Comparison]:
    radius = max(one.radius for one in differences)
    found = []
    for size in sorted({one.inputs for one in differences}):
        worst = max((one for one in differences if one.inputs == size), key=lambda one: one.off)
        found.append(
            Comparison(
                quantity="largest difference to the value without sampling",
                where=f"{size:,} inputs",
                published=None,
                ours=f"{worst.off:.5f} ({worst.quantity}, {worst.world})",
                kind="drawn",
                agrees=None,
                why=f"over all quantities and seeds; the values without sampling are proved to ± {radius:.1g}",
            )
        )
    return found


def _draw(panels: Sequence[Axes], differences: Sequence[Difference]) -> None:
    for axes, world in zip(panels, FACTOR_WORLDS, strict=True):
        own = [one for one in differences if one.world == world]
        sizes = sorted({one.inputs for one in own if one.check})
        for k, check in enumerate(CHECKS):
            line = [max(one.size for one in own if (one.check, one.inputs) == (check, size)) for size in sizes]
            axes.plot(sizes, line, **line_style(k, label=f"seed {check}"))
        (count,) = {one.inputs for one in own if not one.check}
        worst = max(one.size for one in own if not one.check)
        axes.plot([count], [worst], **line_style(3, label="reference of the studies", linestyle="none", markersize=7))
        every = [*sizes, count]
        off = [max(one.off for one in own if one.inputs == size) for size in every]
        axes.plot(every, off, **line_style(4, label="any, to the value without sampling"))
        axes.axhline(TOLERANCE, color="#1b1f24", linewidth=1.0, linestyle=(0, (1, 1.6)), label="tolerance 0.001")
        plain_numbers(axes, every)
        axes.set_ylim(bottom=0)
        axes.set_title(TITLES[world])
        axes.set_xlabel("reference inputs")
    panels[0].set_ylabel("largest difference (probability)")


STUDY = Study(
    name="convergence",
    title="Convergence of the references",
    about="Population quantities on references of different sizes and seeds.",
    worlds=FACTOR_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
    version=2,
)
