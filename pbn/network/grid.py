"""Values over the states of a few nodes, computed for all combinations at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from pbn.network.model import Array, Variable

Value = Fraction | bool | str | None
"""A number, a truth value or a state; None is undefined (a division by zero, say)."""
MAX_BITS = 4_000
"""A number with more binary digits than this, above and below the line together, is refused."""


class NumberTooLargeError(ArithmeticError):
    """A rule yields a number of more than `MAX_BITS` bits; whoever knows the rule tells its name."""


def bounded(value: Value) -> Value:
    """The value itself, unless it is a number of more than `MAX_BITS` bits."""
    if isinstance(value, Fraction) and value.numerator.bit_length() + value.denominator.bit_length() > MAX_BITS:
        raise NumberTooLargeError
    return value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grid:
    """A value for each combination of states of ``nodes``: ``levels[codes[states]]``."""

    nodes: tuple[str, ...]
    codes: Array
    levels: tuple[Value, ...]

    @property
    def is_partial(self) -> bool:
        """Whether some combination has no value."""
        return None in self.levels


def constant(value: Value) -> Grid:
    """A grid over no node."""
    return Grid(nodes=(), codes=np.zeros((), dtype=np.intp), levels=(value,))


def over_node(node: str, values: Sequence[Value]) -> Grid:
    """A grid over one node, a value for each of its states."""
    levels = tuple(dict.fromkeys(values))
    position = {level: k for k, level in enumerate(levels)}
    return Grid(nodes=(node,), codes=np.array([position[v] for v in values], dtype=np.intp), levels=levels)


def union(grids: Sequence[Grid]) -> tuple[str, ...]:
    """Nodes of all grids, in order of first use."""
    return tuple(dict.fromkeys(node for grid in grids for node in grid.nodes))


def cells(nodes: Sequence[str], variables: Mapping[str, Variable]) -> int:
    """Number of combinations of states of the nodes."""
    return math.prod(variables[node].size for node in nodes)


def _spread(grid: Grid, nodes: tuple[str, ...]) -> Array:
    """The grid's codes with one axis for each of ``nodes``, of length 1 where it does not depend."""
    order = sorted(range(len(grid.nodes)), key=lambda axis: nodes.index(grid.nodes[axis]))
    codes = grid.codes.transpose(order)
    shape = iter(codes.shape)
    return codes.reshape([next(shape) if node in grid.nodes else 1 for node in nodes])


def lift(function: Callable[..., Value], grids: Sequence[Grid]) -> Grid:
    """Apply a function of values to grids: once for each distinct combination of their levels."""
    nodes = union(grids)
    code: Array = np.zeros((1,) * len(nodes), dtype=np.int64)
    for grid in grids:
        code = code * len(grid.levels) + _spread(grid, nodes)
    distinct, inverse = np.unique(code, return_inverse=True)
    results: list[Value] = []
    for combined in distinct.tolist():
        arguments: list[Any] = []
        for grid in reversed(grids):
            combined, position = divmod(combined, len(grid.levels))
            arguments.append(grid.levels[position])
        results.append(bounded(function(*reversed(arguments))))
    levels = tuple(dict.fromkeys(results))
    position_of = {level: k for k, level in enumerate(levels)}
    recoded = np.array([position_of[r] for r in results], dtype=np.intp)[inverse].reshape(code.shape)
    return _without_idle_axes(Grid(nodes=nodes, codes=recoded, levels=levels))


def _without_idle_axes(grid: Grid) -> Grid:
    """Drop the nodes that the values do not depend on."""
    nodes, codes = list(grid.nodes), grid.codes
    for axis in reversed(range(len(nodes))):
        first = codes.take([0], axis=axis)
        if (codes == first).all():
            codes = first.squeeze(axis)
            del nodes[axis]
    return Grid(nodes=tuple(nodes), codes=codes, levels=grid.levels)


def ordered(grid: Grid) -> Grid:
    """The same grid with its levels in order: numbers ascending, False before True, None last."""

    def key(level: Value) -> tuple[bool, Any]:
        return (level is None, 0 if level is None or isinstance(level, str) else level)

    order = sorted(range(len(grid.levels)), key=lambda k: key(grid.levels[k]))
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    return Grid(nodes=grid.nodes, codes=position[grid.codes], levels=tuple(grid.levels[k] for k in order))
