"""Where everything stands: boxes in columns from left to right, edges in the gaps, the memo below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pbn.pictures.diagram import Diagram, Edge
from pbn.pictures.layers import Layers, Slot, layered
from pbn.pictures.rows import heights
from pbn.pictures.stacks import MEMO

Point = tuple[float, float]

NODE_GAP, WAY_GAP, WAY_HEIGHT = 12.0, 7.0, 2.0
LEAST_GAP, MOST_GAP, GAP_SLOPE = 38.0, 170.0, 0.24
TRUNK, STRIP_GAP = 11.0, 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle by its middle, in points; y counts downwards."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> float:
        """The left side."""
        return self.x - self.width / 2

    @property
    def right(self) -> float:
        """The right side."""
        return self.x + self.width / 2

    @property
    def top(self) -> float:
        """The upper side."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The lower side."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way of an edge: straight lines that alternate with curves if ``curved``, beginning with a line.

    It ends in the head of an arrow if ``headed``.
    """

    edge: Edge
    points: tuple[Point, ...]
    curved: bool
    headed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Boxes and routes of a diagram, with its size; all coordinates from 0, y downwards."""

    width: float
    height: float
    boxes: Mapping[str, Box]
    routes: tuple[Route, ...]
    layers: Layers


def laid_out(diagram: Diagram, sizes: Mapping[str, tuple[float, float]]) -> Layout:
    """Boxes and routes of a diagram whose boxes have these widths and heights.

    Irrelevant variables stand below all others, left of the memo.
    """
    edges = [edge for edge in diagram.edges if edge.kind == "depends"]
    linked = {name for edge in edges for name in (edge.parent, edge.child)}
    low = [node.name for node in diagram.nodes if node.role == "irrelevant" and node.name not in linked]
    above = [node.name for node in diagram.nodes if node.name not in low and node.name != MEMO]
    layers = layered(above, [(edge.parent, edge.child) for edge in edges])
    telling = [edge for edge in diagram.edges if edge.kind == "memo"]
    columns = _Columns(layers, sizes, {edge.parent for edge in telling})
    boxes = {name: columns.box(name) for name in above}
    routes = [columns.route(edge, boxes) for edge in edges]
    bottom = max((box.bottom for box in boxes.values()), default=0.0)
    strip = _Strip(columns, boxes, bottom, sizes)
    strip.place(low, telling)
    found = {**boxes, **strip.boxes}
    routes += [strip.route(edge) for edge in telling]
    width = max([columns.width, *(box.right for box in found.values())])
    height = max([bottom, strip.bottom])
    return Layout(width=width, height=height, boxes=found, routes=tuple(routes), layers=layers)


class _Columns:
    """The columns of a layout: their sides, and the heights of their slots."""

    def __init__(self, layers: Layers, sizes: Mapping[str, tuple[float, float]], telling: set[str]) -> None:
        self.layers, self.sizes = layers, sizes
        self.y = self._from_zero(heights(layers, self._distance))
        self.left: list[float] = []
        self.right: list[float] = []
        x = 0.0
        for k, layer in enumerate(layers.slots):
            nodes = [slot[0] for slot in layer if layers.is_node(slot)]
            trunk = TRUNK if telling.intersection(nodes) else 0.0
            x += trunk if k == 0 else trunk + self._gap(k - 1)
            self.left.append(x)
            x += max((sizes[name][0] for name in nodes), default=0.0)
            self.right.append(x)
        self.width = x

    def _height(self, slot: Slot) -> float:
        return self.sizes[slot[0]][1] if self.layers.is_node(slot) else WAY_HEIGHT

    def _distance(self, upper: Slot, lower: Slot) -> float:
        nodes = self.layers.is_node(upper) and self.layers.is_node(lower)
        return (self._height(upper) + self._height(lower)) / 2 + (NODE_GAP if nodes else WAY_GAP)

    def _from_zero(self, y: Mapping[Slot, float]) -> Mapping[Slot, float]:
        top = min((place - self._height(slot) / 2 for slot, place in y.items()), default=0.0)
        return {slot: place - top for slot, place in y.items()}

    def _gap(self, k: int) -> float:
        """Room between a column and the next: more where edges climb."""
        climbs = [abs(self.y[a] - self.y[b]) for a in self.layers.slots[k] for b in self.layers.leads[a]]
        return min(MOST_GAP, LEAST_GAP + GAP_SLOPE * max(climbs, default=0.0))

    def box(self, name: str) -> Box:
        """The box of a node, in the middle of its column."""
        k = self.layers.layer_of[name]
        width, height = self.sizes[name]
        return Box(x=(self.left[k] + self.right[k]) / 2, y=self.y[name, k], width=width, height=height)

    def route(self, edge: Edge, boxes: Mapping[str, Box]) -> Route:
        """From the right side of the parent through the gaps to the left side of the child."""
        points: list[Point] = []
        for slot in self.layers.way((edge.parent, edge.child)):
            y, k = self.y[slot], slot[1]
            if slot[0] == edge.parent and self.layers.is_node(slot):
                points += [(boxes[edge.parent].right, y), (self.right[k], y)]
            elif self.layers.is_node(slot):
                points += [(self.left[k], y), (boxes[edge.child].left, y)]
            else:
                points += [(self.left[k], y), (self.right[k], y)]
        return Route(edge=edge, points=tuple(points), curved=True)


class _Strip:
    """What stands below the columns: irrelevant variables on the left, the memo on the right.

    The lines of what the memo tells of leave a column's boxes on the left, go down together, and run
    along a lane below all boxes to the memo.
    """

    def __init__(
        self, columns: _Columns, boxes: Mapping[str, Box], bottom: float, sizes: Mapping[str, tuple[float, float]]
    ) -> None:
        self.columns, self.above, self.sizes = columns, boxes, sizes
        self.lane = bottom + STRIP_GAP
        self.bottom = bottom
        self.boxes: dict[str, Box] = {}

    def place(self, low: Sequence[str], telling: Sequence[Edge]) -> None:
        """Put the irrelevant variables and the memo into their places."""
        trunks = [self._trunk(edge.parent) for edge in telling if edge.parent not in low]
        y, widest = self.lane + (STRIP_GAP / 2 if trunks else 0.0), 0.0
        first = y
        for name in low:
            width, height = self.sizes[name]
            self.boxes[name] = Box(x=width / 2, y=y + height / 2, width=width, height=height)
            y, widest = y + height + NODE_GAP, max(widest, width)
        if telling:
            width, height = self.sizes[MEMO]
            if low:
                middle = max((first + y - NODE_GAP) / 2, first + height / 2)
            else:
                self.lane = middle = self.lane + height / 2 - STRIP_GAP / 2
            least = [widest + LEAST_GAP if low else 0.0, *(trunk + 2 * TRUNK for trunk in trunks)]
            left = max(self.columns.width - width, *least)
            self.boxes[MEMO] = Box(x=left + width / 2, y=middle, width=width, height=height)
        self.bottom = max([self.bottom, *(box.bottom for box in self.boxes.values())])

    def _trunk(self, name: str) -> float:
        return self.columns.left[self.columns.layers.layer_of[name]] - TRUNK

    def route(self, edge: Edge) -> Route:
        """The line from what the memo tells of to the memo."""
        memo = self.boxes[MEMO]
        turn = memo.left - 1.6 * TRUNK
        if edge.parent in self.boxes:
            box = self.boxes[edge.parent]
            start: tuple[Point, ...] = ((box.right, box.y), (turn, box.y))
        else:
            box, trunk = self.above[edge.parent], self._trunk(edge.parent)
            y = box.y + box.height / 4
            start = ((box.left, y), (trunk, y), (trunk, self.lane), (turn, self.lane))
        return Route(edge=edge, points=(*start, (turn, memo.y), (memo.left, memo.y)), curved=False)
