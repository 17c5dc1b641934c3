"""Population quantities of a fitted predictor: sums over many independent inputs, in blocks that give error bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pbn.cases.groups import Groups
from pbn.cases.protocol import POOL
from pbn.cases.sample import RowSampler, rows
from pbn.models.baselines import ClassPrior, Fitted, View, logistic_regression
from pbn.network.model import Array
from pbn.scores.witness_multicalibration import moments

INPUTS, QUICK_INPUTS = 1_000_000, 50_000
BLOCKS = 20
"""Replicated blocks of a reference, whose spread gives its standard error."""
REFERENCE = 910_000
"""Reference inputs of training seed s have seed ``REFERENCE`` + s, far from those of training and calibration."""
CALIBRATION = 920_000
"""Calibration inputs of training seed s have seed ``CALIBRATION`` + s."""
BINS = 10


def inputs(quick: bool) -> int:
    """How many reference inputs."""
    return QUICK_INPUTS if quick else INPUTS


def trained(view: View, seed: int) -> Fitted:
    """Logistic regression on the 1,000 rows of the training pool, with all fields that the level shows."""
    drawn = rows(view.world, seed, POOL[0], POOL[1] - POOL[0], view.needed)
    return logistic_regression().fit(view.features(drawn), view.labels(drawn))


def prior(view: View, seed: int) -> Fitted:
    """The class prior of the training pool."""
    drawn = rows(view.world, seed, POOL[0], POOL[1] - POOL[0], view.needed)
    return ClassPrior().fit(view.features(drawn), view.labels(drawn))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reference:
    """Predictions and truth of class 1 of independent inputs, (n,) each, and the moments of groups in each block.

    ``moments`` is (R, G + 1, B): E[1_G 1_B (p* − q)] of R blocks of equal size; empty without groups.
    """

    q: Array
    p: Array
    moments: Array

    def first(self, blocks: int) -> Reference:
        """The first of its blocks; the moments must have been taken."""
        rows = len(self.q) * blocks // len(self.moments)
        return Reference(q=self.q[:rows], p=self.p[:rows], moments=self.moments[:blocks])

    def blocks(self) -> list[tuple[Array, Array]]:
        """Predictions and truth of each block."""
        return list(zip(np.array_split(self.q, BLOCKS), np.array_split(self.p, BLOCKS), strict=True))

    @property
    def pooled(self) -> Array:
        """The moments over all inputs."""
        found: Array = self.moments.mean(axis=0)
        return found

    def multicalibration(self) -> tuple[float, float]:
        """The largest moment's size, and the standard error of the moment that attains it, from the blocks."""
        pooled = self.pooled
        at = np.unravel_index(np.argmax(np.abs(pooled)), pooled.shape)
        return float(np.abs(pooled[at])), block_error(self.moments[:, at[0], at[1]])


def reference(view: View, model: Fitted, seed: int, count: int, groups: Groups | None = None) -> Reference:
    """A predictor on rows 0 to ``count`` − 1 of a seed, block by block."""
    sampler = RowSampler(view.world, seed)
    needed = tuple(dict.fromkeys([*(view.names or ()), *view.world.level(view.level).visible]))
    size = -(-count // BLOCKS)
    q, p, found = [], [], []
    for start in range(0, count, size):
        drawn = sampler.codes(start, min(start + size, count), needed)
        q.append(model.probabilities(view.features(drawn))[:, 1])
        p.append(view.truth(drawn)[:, 1])
        if groups is not None:
            found.append(moments(q[-1], p[-1], groups.members(drawn), BINS)[0])
    return Reference(q=np.concatenate(q), p=np.concatenate(p), moments=np.array(found))


def block_error(values: Sequence[float] | Array) -> float:
    """Standard error of the mean of independent values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))
