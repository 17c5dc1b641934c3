"""The residual: ε* and the entropy of every level while the noise that no level shows grows, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from pbn.pictures.plots import line_style, plot_files
from pbn.studies.study import FACTOR_WORLDS, TITLES, Comparison, Finding, Study, claim, compared, world_of
from pbn.tuning.sweeps import Sweep, sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STEPS = 30
"""Masses 0, 0.02, … up to 0.6."""
WHY = "our source names the table of this sweep and not its numbers"


def _answer(name: str, quick: bool) -> Sweep:
    step = Fraction(3, 5) / (STEPS // 5 if quick else STEPS)
    values = {step * k for k in range(round(Fraction(3, 5) / step) + 1)}
    world = world_of(name)
    own = Fraction(24, 100) if name == "credit_risk" else Fraction(28, 100)
    return sweep(world, sorted(values | {own}))


def _show(answers: Sequence[Sweep], quick: bool) -> Finding:
    columns = ("world", "level", "mass", "bayes_error", "exact_bayes_error", "entropy_nats", "prior")
    rows = tuple(
        (one.world, row.level, float(row.value), float(row.error), str(row.error), row.entropy, float(row.prior))
        for one in answers
        for row in one.rows
        if row.error is not None and row.prior is not None
    )
    figure = plot_files(
        "Noise that no level shows",
        "Exact values against the probability that the residual is not 0; its other states keep their proportions. "
        "The vertical line is the world's own value.",
        2,
        2,
        lambda panels: _draw(panels, answers),
        quick=quick,
    )
    return Finding(columns=columns, rows=rows, figure=figure, comparisons=tuple(_comparisons(answers)))


def _comparisons(answers: Sequence[Sweep]) -> list[Comparison]:
    found = []
    for one in answers:
        (question,) = one.questions
        for level in one.levels:
            line = one.line(question, level)
            errors = [row.error for row in line if row.error is not None]
            rises = all(a < b for a, b in pairwise(errors))
            where = f"{one.world}, {level}"
            text = f"rises from {float(errors[0]):.6f} to {float(errors[-1]):.6f}"
            found.append(
                claim("ε* from mass 0 to 0.6", where, "rises", text if rises else "does not rise", rises, WHY, "exact")
            )
            own = next(row.error for row in line if row.value == one.own)
            assert own is not None
            found.append(compared(f"ε* at the world's own mass, {float(one.own):g}", where, None, own))
    return found


def _draw(panels: Sequence[Axes], answers: Sequence[Sweep]) -> None:
    for column, one in enumerate(answers):
        (question,) = one.questions
        top, bottom = panels[column], panels[column + len(answers)]
        for k, level in enumerate(one.levels):
            line = one.line(question, level)
            xs = [float(row.value) for row in line]
            style = line_style(k, label=level.capitalize(), markevery=max(1, len(xs) // 6))
            top.plot(xs, [float(row.error or 0) for row in line], **style)
            bottom.plot(xs, [float(row.entropy or 0) for row in line], **style)
        for axes in (top, bottom):
            axes.axvline(float(one.own), color="#57606a", linewidth=0.9, linestyle=(0, (1, 1.6)), zorder=1)
            axes.set_ylim(bottom=0)
        top.set_title(TITLES[one.world])
        bottom.set_xlabel("non-zero mass of the residual (probability)")
    panels[0].set_ylabel("Bayes error ε* (probability)")
    panels[len(answers)].set_ylabel("entropy H(Y | X) (nats)")


STUDY = Study(
    name="residual",
    title="Noise that no level shows",
    about="ε* and the entropy of every level while the residual's non-zero mass grows.",
    worlds=FACTOR_WORLDS,
    tasks=lambda quick: FACTOR_WORLDS,
    answer=_answer,
    show=_show,
)
