"""Which groups of a world the cases of a truth are in, from the draw behind each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from pbn.cases.groups import Groups, groups_of
from pbn.cases.identity import law_digest
from pbn.cases.sample import RowSampler
from pbn.errors import PbnError
from pbn.loading import load
from pbn.scores.inputs import Array
from pbn.world import World

Draw = tuple[str, int, int]
"""Law, seed and row."""
GAP = 4096
"""Rows further apart are drawn in runs of their own."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouped:
    """A world and the groups of its cases."""

    world: World
    groups: Groups

    def at(self, level: str) -> Groups:
        """The groups by variables that a level shows: what is hidden from a predictor makes no group of its inputs."""
        visible = set(self.world.level(level).visible) if level in self.world.levels else set()
        kept = [k for k, demand in enumerate(self.groups.demands) if visible.issuperset(demand)]
        return Groups(
            names=tuple(self.groups.names[k] for k in kept), demands=tuple(self.groups.demands[k] for k in kept)
        )

    def members(self, level: str, draws: Sequence[Hashable]) -> Array:
        """Who is in which group, boolean, (n, G), from the law, seed and row of each case."""
        groups = self.at(level)
        by_seed: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for k, (_, seed, row) in enumerate(cast("Sequence[Draw]", draws)):
            by_seed[seed].append((row, k))
        found = np.zeros((len(draws), len(groups.names)), dtype=bool)
        for seed, pairs in by_seed.items():
            sampler = RowSampler(self.world, seed)
            rows, places = np.array(sorted(pairs)).T
            for run in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(rows) > GAP) + 1):
                first, last = int(rows[run[0]]), int(rows[run[-1]]) + 1
                drawn = sampler.codes(first, last, groups.needed)
                codes = {name: column[rows[run] - first] for name, column in drawn.items()}
                found[places[run]] = groups.members(codes)
        return found


def grouped(world_file: Path | None, draws: Sequence[Hashable] | None) -> Grouped | None:
    """The groups of the world whose draws these are; None where that is not known, or it has no groups.

    Parameters
    ----------
    world_file
        The world file beside the truth.
    draws
        Law, seed and row of each case, as of `pbn.scoring.truth.Truth`.
    """
    if world_file is None or not draws:
        return None
    laws = {law for law, _, _ in cast("Sequence[Draw]", draws)}
    try:
        world = load(world_file)
        return Grouped(world=world, groups=groups_of(world)) if laws == {law_digest(world)} else None
    except (OSError, PbnError):
        return None
