"""Pictures by matplotlib: SVG, PNG and PDF, the same bytes for the same diagram."""

from __future__ import annotations

import io
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from pbn.pictures.diagram import Diagram, Edge, Node
from pbn.pictures.layout import Box, Layout, Point, Route, laid_out
from pbn.pictures.legend import Entry, legend
from pbn.pictures.look import FORMS, Outline, Theme
from pbn.pictures.outlines import (
    FONT,
    INSET,
    LINE,
    SIZE,
    box_size,
    fold_of_note,
    front,
    is_bold,
    label_lines,
    outline,
    sheets,
    shrunk,
    text_width,
)
from pbn.pictures.stacks import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path

Format = Literal["svg", "png", "pdf"]

MARGIN = 20.0
TITLE, SUBTITLE, SMALL = 14.0, 10.0, 9.0
HEAD = TITLE * LINE + 14.0
SWATCH, ROW, ENTRY_GAP = 26.0, 18.0, 20.0
LEAST_WIDTH = 460.0
RESOLUTION = 144

_DASHES: dict[Outline, Any] = {"solid": "solid", "dashed": (0, (4.5, 2.4)), "dotted": (0, (1.1, 1.6))}
_METADATA: dict[Format, dict[str, str | None]] = {
    "svg": {"Date": None, "Creator": "pbn"},
    "png": {"Software": "pbn"},
    "pdf": {"CreationDate": None, "Creator": "pbn", "Producer": None},
}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "pbn",
    "pdf.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],
    "path.simplify": False,
}


def picture(diagram: Diagram, theme: Theme, kind: Format) -> bytes:
    """The bytes of a picture of a diagram.

    Text in SVG and PDF stays text. Lengths are points, 1/72 inch; a PNG has two pixels for each.
    """
    layout = laid_out(diagram, {node.name: box_size(node) for node in diagram.nodes})
    with _settings():
        figure = drawn(diagram, layout, theme)
        target = io.BytesIO()
        about = _METADATA[kind] | {"Title": printable(diagram.title)}
        figure.savefig(target, format=kind, dpi=RESOLUTION, facecolor=theme.ground, metadata=about)
    return target.getvalue()


@contextmanager
def _settings() -> Iterator[None]:
    """Matplotlib's settings while a picture is made, whatever those of the user are."""
    import matplotlib as mpl

    with mpl.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        mpl.rcdefaults()
        mpl.rcParams.update(_SETTINGS)
        yield


def drawn(diagram: Diagram, layout: Layout, theme: Theme) -> Figure:
    """The figure of a diagram: title, boxes and edges, legend."""
    from matplotlib.figure import Figure

    title, subtitle = (
        textwrap.shorten(printable(text), 110, placeholder=" …") for text in (diagram.title, diagram.subtitle)
    )
    heads = [text_width(title, TITLE, bold=True), text_width(subtitle, SUBTITLE)]
    width = max([layout.width, LEAST_WIDTH, *heads])
    entries = _legend_places(legend(diagram), width)
    top = MARGIN + HEAD + (SUBTITLE * LINE if subtitle else 0.0)
    below = top + layout.height + 26.0
    height = below + (1 + max((row for _, _, row in entries), default=-1)) * ROW + MARGIN - 6.0
    figure = Figure(figsize=((width + 2 * MARGIN) / 72, height / 72))
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, width + 2 * MARGIN), ylim=(height, 0))
    axes.set_axis_off()
    pen = _Pen(axes, theme)
    pen.write((MARGIN, MARGIN + TITLE / 2), title, theme.text, TITLE, bold=True, left=True)
    pen.write((MARGIN, MARGIN + TITLE * LINE + SUBTITLE / 2), subtitle, theme.faint, SUBTITLE, left=True)
    left = MARGIN + (width - layout.width) / 2
    for route in (*(route for route in layout.routes if route.curved), *_bracket(layout.routes)):
        pen.route(route, (left, top))
    for node in diagram.nodes:
        box = layout.boxes[node.name]
        pen.node(node, Box(x=box.x + left, y=box.y + top, width=box.width, height=box.height))
    for entry, x, row in entries:
        pen.entry(entry, (MARGIN + x, below + row * ROW))
    return figure


def _legend_places(entries: tuple[Entry, ...], width: float) -> list[tuple[Entry, float, int]]:
    """Where each entry of the legend begins, in rows of the width."""
    placed, x, row = [], 0.0, 0
    for entry in entries:
        room = SWATCH + 6.0 + text_width(entry.text, SMALL)
        if x and x + room > width:
            x, row = 0.0, row + 1
        placed.append((entry, x, row))
        x += room + ENTRY_GAP
    return placed


class _Pen:
    """What draws on axes whose units are points, y downwards."""

    def __init__(self, axes: Axes, theme: Theme) -> None:
        self.axes, self.theme = axes, theme

    def write(self, at: Point, text: str, colour: str, size: float, *, bold: bool = False, left: bool = False) -> None:
        """A line of text, its middle at a point, or the middle of its left side."""
        self.axes.text(
            *at,
            text,
            color=colour,
            fontsize=size,
            family=FONT,
            weight="bold" if bold else "normal",
            ha="left" if left else "center",
            va="center_baseline",
            parse_math=False,
            zorder=5,
        )

    def path(
        self, path: Path, *, line: str, weight: float, fill: str = "none", style: Outline = "solid", above: float = 3
    ) -> None:
        """A path with its outline and its inside."""
        from matplotlib.patches import PathPatch

        self.axes.add_patch(
            PathPatch(path, facecolor=fill, edgecolor=line, linewidth=weight, linestyle=_DASHES[style], zorder=above)
        )

    def node(self, node: Node, box: Box) -> None:
        """The box of a node with its label."""
        form, paint = FORMS[node.role], self.theme.roles[node.role]
        line, weight = (self.theme.marks[node.mark], 2.6) if node.mark else (paint.line, form.weight)
        for sheet in sheets(node, box):
            self.path(outline(form.shape, sheet), line=line, weight=weight, fill=paint.fill, style=form.outline)
        face = front(node, box)
        if node.deterministic:
            self.path(outline(form.shape, shrunk(face, INSET)), line=paint.line, weight=0.8)
        if form.shape == "note":
            self.path(fold_of_note(face), line=line, weight=weight)
        lines = label_lines(node)
        for k, text in enumerate(lines):
            y = face.y + (k - (len(lines) - 1) / 2) * SIZE * LINE
            self.write((face.x, y), text, paint.text, SIZE, bold=is_bold(node))

    def route(self, route: Route, origin: Point) -> None:
        """An edge with the head of its arrow."""
        points = [(x + origin[0], y + origin[1]) for x, y in route.points]
        edge = route.edge
        if edge.mark is not None:
            colour, weight, above = self.theme.marks[edge.mark], 2.4, 2.0
        elif edge.kind == "memo":
            colour, weight, above = self.theme.memo_edge, 0.9, 1.0
        else:
            colour, weight, above = self.theme.edge, 1.1, 1.5
        style: Outline = "dotted" if edge.kind == "memo" else "solid"
        size = 5.5 if edge.kind == "memo" else 6.5 if edge.mark is None else 8.5
        x, y = points[-1]
        if route.headed:
            points[-1] = (x - size + 1.0, y)
        path = _smooth(points) if route.curved else _straight(points)
        self.path(path, line=colour, weight=weight, style=style, above=above)
        if not route.headed:
            return
        head = _straight([(x, y), (x - size, y - size * 0.42), (x - size, y + size * 0.42), (x, y)])
        self.path(head, line=colour, weight=0.1, fill=colour, above=above)

    def entry(self, entry: Entry, at: Point) -> None:
        """A sign of the legend and what it means."""
        x, y = at
        box = Box(x=x + SWATCH / 2, y=y, width=SWATCH, height=12.0)
        if entry.role or entry.sign in ("computed", "stack"):
            members = ("a", "b") if entry.sign == "stack" else ("a",)
            computed = entry.sign == "computed" or entry.role == "rule"
            sample = Node(name="a", label="", role=entry.role or "visible", members=members, deterministic=computed)
            if entry.role is None:
                self.plain(sample, box)
            else:
                self.node(sample, box)
        elif entry.mark in ("blocks", "end"):
            self.path(outline("round", box), line=self.theme.marks[entry.mark], weight=2.6)
        else:
            edge = Edge(parent="a", child="b", kind="memo" if entry.sign == "memo edge" else "depends", mark=entry.mark)
            self.route(Route(edge=edge, points=((x, y), (x + SWATCH, y)), curved=False), (0.0, 0.0))
        self.write((x + SWATCH + 6.0, y), entry.text, self.theme.text, SMALL, left=True)

    def plain(self, sample: Node, box: Box) -> None:
        """A box of no role, for signs that any role may bear."""
        for sheet in sheets(sample, box):
            self.path(outline("round", sheet), line=self.theme.edge, weight=1.0, fill=self.theme.ground)
        if sample.deterministic:
            self.path(outline("round", shrunk(box, INSET)), line=self.theme.edge, weight=0.8)


def _bracket(routes: tuple[Route, ...]) -> Iterator[Route]:
    """The lines to the memo, each stretch once: dots upon dots would run together."""
    lines = [route for route in routes if not route.curved]
    stretches: dict[tuple[bool, float], list[tuple[float, float]]] = {}
    for route in lines:
        for (a, b), (c, d) in pairwise(route.points[:-1]):
            level = b == d
            span = (min(a, c), max(a, c)) if level else (min(b, d), max(b, d))
            stretches.setdefault((level, b if level else a), []).append(span)
    for (level, at), spans in stretches.items():
        for low, high in _joined(spans):
            points = ((low, at), (high, at)) if level else ((at, low), (at, high))
            yield Route(edge=lines[0].edge, points=points, curved=False, headed=False)
    for last in dict.fromkeys(route.points[-2:] for route in lines):
        yield Route(edge=lines[0].edge, points=last, curved=False)


def _joined(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intervals without overlaps that cover the same."""
    found: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if found and low <= found[-1][1]:
            found[-1] = (found[-1][0], max(high, found[-1][1]))
        elif high > low:
            found.append((low, high))
    return found


def _straight(points: list[Point]) -> Path:
    from matplotlib.path import Path

    return Path(points)


def _smooth(points: list[Point]) -> Path:
    """Lines that alternate with curves; each curve begins and ends level."""
    from matplotlib.path import Path

    vertices, codes = [points[0]], [int(Path.MOVETO)]
    for k, point in enumerate(points[1:], 1):
        if k % 2:
            vertices.append(point)
            codes.append(int(Path.LINETO))
        else:
            (a, b), (c, d) = points[k - 1], point
            vertices += [((a + c) / 2, b), ((a + c) / 2, d), point]
            codes += [int(Path.CURVE4)] * 3
    return Path(vertices, codes)
