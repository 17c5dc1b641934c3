"""The one style of figures with axes: panels under a title, lines told apart in grey, two files for each."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pbn.pictures.curves import LIGHT as COLOURS
from pbn.pictures.curves import MARKERS, STYLES
from pbn.pictures.figure import _METADATA, _settings
from pbn.pictures.look import LIGHT
from pbn.pictures.stacks import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANEL_WIDTH, PANEL_HEIGHT = 3.15, 2.55
LEAST_WIDTH, HEAD = 5.2, 0.32
"""Inches."""
TEXT: Mapping[Any, Any] = {
    "axes.titlesize": 9.5,
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "xtick.minor.visible": False,
}
DOTS = 200
"""Dots an inch of a PNG."""
BAND = 0.16
"""Opacity of a band around a line."""
QUICK = "quick: smaller samples than the full study"


def line_style(k: int, **changes: Any) -> dict[str, Any]:
    """Colour, dash and marker of the k-th line: any two differ in dash and marker, so also without colour.

    Examples
    --------
    >>> line_style(0)["marker"], line_style(1)["marker"]
    ('o', 's')
    """
    style = {
        "color": COLOURS[k % len(COLOURS)],
        "linestyle": STYLES[k % len(STYLES)],
        "marker": MARKERS[k % len(MARKERS)],
        "markersize": 4.5,
        "linewidth": 1.6,
    }
    return style | changes


def plot_files(
    title: str,
    note: str,
    rows: int,
    columns: int,
    draw: Callable[[Sequence[Axes]], None],
    *,
    quick: bool = False,
    size: tuple[float, float] = (PANEL_WIDTH, PANEL_HEIGHT),
) -> Mapping[str, bytes]:
    """A figure of rows × columns panels as PDF and PNG: file ending → its bytes, the same for the same figure.

    ``draw`` fills the panels, given row by row. All entries of their legends make one below them; ``note`` says
    beneath the title what is shown.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with _settings(), rc_context(dict(TEXT)):
        width, height = max(columns * size[0] + 0.3, LEAST_WIDTH), rows * size[1] + 1.0
        figure = Figure(figsize=(width, height), layout="constrained")
        panels: list[Axes] = list(figure.subplots(rows, columns, squeeze=False).ravel())
        for axes in panels:
            _dress(axes)
        draw(panels)
        below = _written(figure, title, note, quick)
        below += _legend(figure, panels, below)
        engine: Any = figure.get_layout_engine()
        engine.set(rect=(0.005, below / height, 0.99, 1 - (below + HEAD) / height), w_pad=0.06, h_pad=0.05)
        return {kind: _saved(figure, kind, title) for kind in ("pdf", "png")}


def _written(figure: Figure, title: str, note: str, quick: bool) -> float:
    """Title above and note below; the inches that the note takes."""
    width, height = figure.get_size_inches()
    figure.text(0.09 / width, 1 - 0.17 / height, printable(title), va="center", fontsize=10.5, weight="bold",
                color=LIGHT.text)  # fmt: skip
    if quick:
        figure.text(1 - 0.09 / width, 0.07 / height, QUICK, ha="right", va="bottom", fontsize=7.5, color="#a83f00",
                    weight="bold")  # fmt: skip
    lines = textwrap.wrap(note, int(width * (15 if quick else 20)))
    figure.text(
        0.09 / width, 0.06 / height, "\n".join(map(printable, lines)), va="bottom", fontsize=7, color=LIGHT.faint
    )
    return 0.1 + 0.125 * len(lines)


def _saved(figure: Figure, kind: Any, title: str) -> bytes:
    target = io.BytesIO()
    about = _METADATA[kind] | {"Title": printable(title)}
    figure.savefig(target, format=kind, dpi=DOTS, facecolor=LIGHT.ground, metadata=about)
    return target.getvalue()


def _dress(axes: Axes) -> None:
    axes.tick_params(colors=LIGHT.text)
    axes.grid(color=LIGHT.faint, alpha=0.22, linewidth=0.6)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LIGHT.edge)


def _legend(figure: Figure, panels: Sequence[Axes], below: float) -> float:
    """One legend for all panels, above what is ``below``; the inches that it takes."""
    entries: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    if not entries:
        return 0.0
    width, height = figure.get_size_inches()
    longest = max(map(len, entries)) * 0.062 + 0.75
    across = max(1, min(len(entries), int(width // longest)))
    figure.legend(
        entries.values(), entries.keys(), loc="lower center", bbox_to_anchor=(0.5, below / height), ncols=across,
        frameon=False, fontsize=8, handlelength=3.2, labelcolor=LIGHT.text, borderaxespad=0,
    )  # fmt: skip
    return 0.12 + 0.17 * -(-len(entries) // across)


def plain_numbers(axes: Axes, values: Sequence[int]) -> None:
    """A logarithmic axis with just these values, written out, from 10,000 on as 10k and 1M."""
    axes.set_xscale("log")
    axes.set_xticks(list(values), [_short(value) for value in values], minor=False)
    axes.set_xticks([], minor=True)


def _short(value: int) -> str:
    if value < 10_000:
        return f"{value:,}"
    return f"{value / 10**6:g}M" if value >= 10**6 else f"{value / 10**3:g}k"
