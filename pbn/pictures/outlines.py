"""Outlines of the shapes, and how much larger than its text a box of each shape is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pbn.pictures.diagram import Node
from pbn.pictures.layout import Box, Point
from pbn.pictures.look import FORMS, Shape
from pbn.pictures.stacks import broken

if TYPE_CHECKING:
    from matplotlib.path import Path

FONT = "sans-serif"
SIZE, LINE = 10.0, 1.25
PAD_X, PAD_Y = 9.0, 5.5
INSET = 2.6
"""Between the two lines around what a rule computes."""
STACK = 3.2
"""Between the sheets of a stack."""
LIST_WIDTH = 46

_SIDE: dict[Shape, float] = {"round": 0.0, "cut": 2.0, "pill": 4.0, "box": 0.0, "hexagon": 8.0, "note": 2.0}
"""Room that a shape takes on either side of its text."""


def text_width(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """Width of a line of text in points, in the font that ships with matplotlib."""
    import warnings

    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=size, weight="bold" if bold else "normal")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")
        width, _, _ = text_to_path.get_text_width_height_descent(text, font, False)
    return float(width)


def label_lines(node: Node) -> tuple[str, ...]:
    """The lines of a node's label."""
    return broken(node.label, LIST_WIDTH if node.listed else 24)


def is_bold(node: Node) -> bool:
    """Whether a label is bold: that of the outcome."""
    return node.role == "outcome"


def box_size(node: Node) -> tuple[float, float]:
    """Width and height of the box that a node's label needs, with the sheets of a stack."""
    lines = label_lines(node)
    inset = INSET if node.deterministic else 0.0
    stack = 2 * STACK if node.stacked else 0.0
    width = max(text_width(line, bold=is_bold(node)) for line in lines)
    side = PAD_X + _SIDE[FORMS[node.role].shape] + inset
    return round(width + 2 * side + stack, 2), round(len(lines) * SIZE * LINE + 2 * (PAD_Y + inset) + stack, 2)


def front(node: Node, box: Box) -> Box:
    """The front sheet of a stack, else the box itself."""
    if not node.stacked:
        return box
    return Box(x=box.x - STACK, y=box.y + STACK, width=box.width - 2 * STACK, height=box.height - 2 * STACK)


def sheets(node: Node, box: Box) -> Sequence[Box]:
    """The boxes to be drawn, the hindmost first."""
    sheet = front(node, box)
    behind = (2, 1) if node.stacked else ()
    return [
        *(Box(x=sheet.x + k * STACK, y=sheet.y - k * STACK, width=sheet.width, height=sheet.height) for k in behind),
        sheet,
    ]


def shrunk(box: Box, inset: float) -> Box:
    """A box within a box."""
    return Box(x=box.x, y=box.y, width=box.width - 2 * inset, height=box.height - 2 * inset)


def outline(shape: Shape, box: Box) -> Path:
    """The closed outline of a shape that fills a box."""
    if shape in ("round", "pill"):
        return _rounded(box, box.height / 2 if shape == "pill" else min(6.0, box.height / 4))
    a, b, c, d = box.left, box.top, box.right, box.bottom
    if shape == "hexagon":
        side = min(9.0, box.height / 2)
        return _closed([(a, box.y), (a + side, b), (c - side, b), (c, box.y), (c - side, d), (a + side, d)])
    if shape == "cut":
        k = min(5.5, box.height / 4)
        return _closed([(a, b + k), (a + k, b), (c - k, b), (c, b + k), (c, d - k), (c - k, d), (a + k, d), (a, d - k)])
    if shape == "note":
        return _closed([(a, b), (c - 7.0, b), (c, b + 7.0), (c, d), (a, d)])
    return _closed([(a, b), (c, b), (c, d), (a, d)])


def fold_of_note(box: Box) -> Path:
    """The corner of a note that is turned down."""
    from matplotlib.path import Path

    return Path([(box.right - 7.0, box.top), (box.right - 7.0, box.top + 7.0), (box.right, box.top + 7.0)])


def _closed(points: Sequence[Point]) -> Path:
    from matplotlib.path import Path

    return Path([*points, points[0]], closed=True)


def _rounded(box: Box, radius: float) -> Path:
    """A rectangle with corners of cubic Bézier curves that come close to quarter circles."""
    from matplotlib.path import Path

    a, b, c, d, r = box.left, box.top, box.right, box.bottom, radius
    k = r * 0.4477  # 1 − 4/3 (√2 − 1)
    points = [
        (a + r, b), (c - r, b), (c - k, b), (c, b + k), (c, b + r), (c, d - r), (c, d - k), (c - k, d), (c - r, d),
        (a + r, d), (a + k, d), (a, d - k), (a, d - r), (a, b + r), (a, b + k), (a + k, b), (a + r, b), (a + r, b),
    ]  # fmt: skip
    codes = [Path.MOVETO, *([Path.LINETO, *[Path.CURVE4] * 3] * 4), Path.CLOSEPOLY]
    return Path(points, [int(code) for code in codes])
