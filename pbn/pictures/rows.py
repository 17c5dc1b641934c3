"""Heights of the slots of layers: edges as straight as they can be, nothing on top of anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from pbn.pictures.layers import Layers, Slot

STRAIGHT = {0: 1.0, 1: 2.0, 2: 8.0}
"""Weight of an edge by how many of its ends are ways through layers (Gansner et al., section 4)."""


def heights(layers: Layers, distance: Callable[[Slot, Slot], float]) -> Mapping[Slot, float]:
    """The height of the middle of each slot, from 0 downwards.

    Minimises Σ w |y_a − y_b| over the edges from slot to slot such that neighbours a, b of a layer,
    in order, are at least ``distance(a, b)`` apart: a linear program.
    """
    slots = [slot for layer in layers.slots for slot in layer]
    number = {slot: k for k, slot in enumerate(slots)}
    links = [(a, b) for a, ends in layers.leads.items() for b in ends]
    system = _System(len(slots) + len(links))
    for k, slot in enumerate(slots):
        system.cost[k] = 1e-4  # of equally straight drawings, the one furthest up
        assert number[slot] == k
    for k, (a, b) in enumerate(links, len(slots)):
        system.cost[k] = STRAIGHT[2 - layers.is_node(a) - layers.is_node(b)]
        system.at_least({number[a]: -1, number[b]: 1, k: 1}, 0)
        system.at_least({number[a]: 1, number[b]: -1, k: 1}, 0)
    for layer in layers.slots:
        for a, b in pairwise(layer):
            system.at_least({number[a]: -1, number[b]: 1}, distance(a, b))
    found = system.solved()
    return {slot: round(float(found[k]), 3) for slot, k in number.items()}


class _System:
    """A linear program over variables from 0 upwards."""

    def __init__(self, size: int) -> None:
        self.cost = [0.0] * size
        self.rows: list[Mapping[int, int]] = []
        self.bounds: list[float] = []

    def at_least(self, row: Mapping[int, int], bound: float) -> None:
        self.rows.append(row)
        self.bounds.append(bound)

    def solved(self) -> Any:
        """The variables of least cost."""
        import numpy as np
        from scipy.optimize import linprog
        from scipy.sparse import coo_array

        if not self.rows:
            return np.zeros(len(self.cost))
        cells = [(k, column, value) for k, row in enumerate(self.rows) for column, value in row.items()]
        line, column, value = zip(*cells, strict=True)
        matrix = coo_array((-np.array(value, dtype=float), (line, column)), shape=(len(self.rows), len(self.cost)))
        return linprog(self.cost, A_ub=matrix.tocsr(), b_ub=-np.array(self.bounds), method="highs-ds").x
