"""Which groups of a world the cases of a truth are in, from the draw behind each case."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pbn.cases.groups import Groups, groups_of
from pbn.cases.identity import law_digest
from pbn.cases.sample import RowSampler
from pbn.errors import PbnError
from pbn.loading import load
from pbn.scores.inputs import Array
from pbn.scoring.truth import Draw
from pbn.world import World

GAP = 4096
"""Rows further apart are drawn in runs of their own."""
RUN_BITS = 16
"""A run lies within one block of so many bits of rows, so that it takes little memory."""
MOST_SEEDS = 1000
"""Each seed's draws take some milliseconds to set up."""


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

    def members(self, level: str, draws: Sequence[Draw]) -> tuple[Sequence[str], Array] | None:
        """The names of a level's groups, (G,), and who is in which, boolean, (n, G); None where it has no groups."""
        groups = self.at(level)
        if not groups.names:
            return None
        by_seed: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for k, (_, seed, row) in enumerate(draws):
            by_seed[seed].append((row, k))
        found = np.zeros((len(draws), len(groups.names)), dtype=bool, order="F")
        for seed, pairs in by_seed.items():
            sampler = RowSampler(self.world, seed)
            rows, places = np.array(sorted(pairs)).T
            apart = (np.diff(rows) > GAP) | (np.diff(rows >> RUN_BITS) > 0)
            for run in np.split(np.arange(len(rows)), np.flatnonzero(apart) + 1):
                first, last = int(rows[run[0]]), int(rows[run[-1]]) + 1
                drawn = sampler.codes(first, last, groups.needed)
                codes = {name: column[rows[run] - first] for name, column in drawn.items()}
                found[places[run]] = groups.members(codes)
        return groups.names, found


def grouped(world_file: Path | None, draws: Sequence[Draw] | None) -> Grouped | str:
    """The groups of the world whose draws these are, or why there are none.

    Parameters
    ----------
    world_file
        The world file beside the truth.
    draws
        Law, seed and row of each case, as of `pbn.scoring.truth.Truth`.
    """
    if draws is None:
        return "the truth does not say the law and the seed of its cases"
    if world_file is None or not world_file.is_file():
        return "there is no world file beside the truth"
    if len({seed for _, seed, _ in draws}) > MOST_SEEDS:
        return f"the truth is of more than {MOST_SEEDS:,} seeds"
    try:
        world = load(world_file)
        if {law for law, _, _ in draws} != {law_digest(world)}:
            return "the world file beside the truth is of another law than the cases"
    except (OSError, PbnError) as error:
        reason = error.faults[0].message if isinstance(error, PbnError) else error.strerror
        return f"the world file beside the truth is not read ({str(reason)[:150]})"
    try:
        return Grouped(world=world, groups=groups_of(world))
    except PbnError as error:
        return error.faults[0].message[:150]
