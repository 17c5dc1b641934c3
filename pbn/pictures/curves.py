"""A sweep as a picture: ε* against the value that was swept, a line for each level."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from pbn.errors import BudgetError, Fault
from pbn.pictures.figure import _METADATA, RESOLUTION, SUBTITLE, TITLE, Format, _settings
from pbn.pictures.look import Theme
from pbn.pictures.stacks import printable
from pbn.tuning.sweeps import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH, PANEL, HEAD, FOOT, RIGHT = 640.0, 280.0, 54.0, 6.0, 156.0
"""Lengths in points, 1/72 inch."""
STYLES = ("-", (0, (6, 2)), (0, (2, 1.6)), (0, (7, 2, 1.5, 2)), (0, (1, 2.2)), (0, (5, 1.5, 1, 1.5, 1, 1.5)))
MARKERS = ("o", "s", "^", "D", "v", "P")
LIGHT = ("#0072b2", "#a83f00", "#00785a", "#9b4a7c", "#5a5a5a", "#8a6d00")
DARK = ("#6dbdf0", "#f08a4b", "#3fc79f", "#dd93bf", "#c0c0c0", "#e6d04a")
MOST_PANELS = 12
MOST_MARKERS = 26
"""Points up to which each is marked by itself."""


def sweep_picture(sweep: Sweep, theme: Theme, kind: Format, *, dark: bool = False) -> bytes:
    """The bytes of a picture of a sweep, a panel for each question.

    Levels differ in dash and marker, so that they are told apart without colour. A dotted grey line is the error of
    who sees nothing, where the question is yes/no; a vertical line stands at the world's own value. A line is broken
    where an answer was refused.
    """
    from matplotlib.figure import Figure

    panels = len(sweep.questions)
    if panels > MOST_PANELS:
        message = f"a picture of {panels} questions could not be read"
        allowed = f"at most {MOST_PANELS} questions"
        raise BudgetError(Fault(code="picture/too-many", message=message, allowed=allowed, hint="name one question"))
    height = HEAD + panels * PANEL + FOOT
    title = f"{sweep.world} · {sweep.title}"
    about_axes = f"Bayes error ε* at each level against the {axis_title(sweep).partition(' (')[0]}"
    with _settings():
        figure = Figure(figsize=(WIDTH / 72, height / 72))
        figure.text(20 / WIDTH, 1 - 22 / height, _short(title), color=theme.text, fontsize=TITLE, weight="bold",
                    va="center", parse_math=False)  # fmt: skip
        figure.text(20 / WIDTH, 1 - 42 / height, _short(about_axes), color=theme.faint, fontsize=SUBTITLE, va="center",
                    parse_math=False)  # fmt: skip
        for k, question in enumerate(sweep.questions):
            top = HEAD + k * PANEL
            place = (64 / WIDTH, 1 - (top + PANEL - 44) / height, (WIDTH - 64 - RIGHT) / WIDTH, (PANEL - 56) / height)
            _panel(figure.add_axes(place), sweep, question, theme, DARK if dark else LIGHT)
        target = io.BytesIO()
        about = _METADATA[kind] | {"Title": printable(title)}
        figure.savefig(target, format=kind, dpi=RESOLUTION, facecolor=theme.ground, metadata=about)
    return target.getvalue()


def axis_title(sweep: Sweep) -> str:
    """What the horizontal axis shows, with its unit."""
    if sweep.parameter is not None:
        return f"parameter {sweep.parameter}"
    return f"non-zero mass of {sweep.variable} (probability)"


def _short(text: str, most: int = 84) -> str:
    return textwrap.shorten(printable(text), most, placeholder=" …") or printable(text)[:most]


def _panel(axes: Axes, sweep: Sweep, question: str, theme: Theme, colours: Sequence[str]) -> None:
    xs = [float(value) for value in sweep.values]
    highest = 0.0
    marked = MARKERS if len(xs) <= MOST_MARKERS else ("",)
    for k, level in enumerate(sweep.levels):
        ys = [float("nan") if row.error is None else float(row.error) for row in sweep.line(question, level)]
        highest = max([highest, *(y for y in ys if y == y)])
        axes.plot(
            xs,
            ys,
            color=colours[k % len(colours)],
            linestyle=STYLES[k % len(STYLES)],
            marker=marked[k % len(marked)],
            markersize=4.2,
            linewidth=1.7,
            label=_short(level, 18),
            zorder=3,
        )
    blind = _blind(sweep, question)
    if blind is not None:
        axes.plot(xs, blind, color=theme.faint, linestyle=(0, (1, 1.6)), linewidth=1.3, label="nothing shown", zorder=2)
        highest = max([highest, *(y for y in blind if y == y)])
    if min(sweep.values) <= sweep.own <= max(sweep.values):
        axes.axvline(float(sweep.own), color=theme.faint, linewidth=0.9, label="own value", zorder=1)
    _dress(axes, sweep, question, theme, highest)


def _blind(sweep: Sweep, question: str) -> list[float] | None:
    """min(p, 1 − p) of the prior p at each value; None where the question is not yes/no."""
    known: dict[Fraction, Fraction] = {
        row.value: row.prior for row in sweep.rows if row.question == question and row.prior is not None
    }
    if not known:
        return None
    return [float(min(known[v], 1 - known[v])) if v in known else float("nan") for v in sweep.values]


def _dress(axes: Axes, sweep: Sweep, question: str, theme: Theme, highest: float) -> None:
    """Axes, grid and legend."""
    axes.set_facecolor(theme.ground)
    axes.set_ylim(0, max(highest * 1.08, 1e-9))
    axes.margins(x=0.02)
    axes.set_xlabel(_short(axis_title(sweep)), color=theme.text, fontsize=10, parse_math=False)
    axes.set_ylabel(f"Bayes error ε* of {_short(question, 24)} (probability)", color=theme.text, fontsize=10,
                    parse_math=False)  # fmt: skip
    axes.tick_params(colors=theme.text, labelsize=9)
    axes.grid(color=theme.faint, alpha=0.25, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(theme.edge)
    lines, labels = axes.get_legend_handles_labels()
    order = [
        *range(len(sweep.levels))[::-1],
        *range(len(sweep.levels), len(lines)),
    ]  # as the lines lie, coarsest on top
    shown = axes.legend(
        [lines[k] for k in order],
        [labels[k] for k in order],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
        fontsize=9,
        handlelength=3.4,
        borderaxespad=0.0,
    )
    for text in shown.get_texts():
        text.set_color(theme.text)
        text.set_parse_math(False)
