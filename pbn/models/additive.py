r"""The population's values of an additive predictor without sampling: its independent terms convolved on a grid.

An additive predictor says q = σ(b + w·x), x the features of a view. Given the pattern z of categories and grades,
p* is fixed and logit q = a(z) + N, where N sums independent terms: one for each irrelevant field, and one for each
measurement, uniform within the grade that z names. Moved down to a grid of step h, in m packs, they give a variable N'
on the grid, N' ≤ N ≤ N' + m h, whatever the terms. To read all patterns off one table, a(z) is moved down to the grid
as well, with a cell to spare at each end for the rounding of float64; so t' ≤ logit q ≤ t' + u h with u = m + 3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import fftconvolve
from scipy.special import entr, expit

from pbn.models.baselines import View
from pbn.models.grid import GridLaw, Term, added, law_of_sum
from pbn.models.patterns import Patterns, Shown, columns_of, own_law, patterns_of, shown
from pbn.network.model import Array
from pbn.scores.inputs import real, wrong
from pbn.scores.proper import CLIP

STEP = 2.0**-16
"""Width of the grid's cells, in logits, while that takes no more than `CELLS`."""
CELLS = 2**21
"""Cells of a grid at most: where logits spread very far its cells are wider, and so are the brackets."""
MOST_LOGIT = 1e6
"""The most that the intercept and the terms may add up to."""
FLOAT = 1e-8
"""Added to both ends of a bracket for the rounding of float64, above all in the FFTs, where it is some 1e-11."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """A number that is proved to lie from ``low`` to ``high``.

    Examples
    --------
    >>> Bracket(low=0.25, high=0.75).middle, Bracket(low=0.25, high=0.75).radius
    (0.5, 0.25)
    """

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The middle of the bracket."""
        return (self.low + self.high) / 2

    @property
    def radius(self) -> float:
        """Half of its width."""
        return (self.high - self.low) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PopulationScores:
    """Expected accuracy A_exp, KL(p*‖q) in nats with q clipped as in Eq. 2, and the Bayes accuracy beside them."""

    accuracy: Bracket
    divergence: Bracket
    bayes: float

    @property
    def gap(self) -> Bracket:
        """Δ_acc = A* − A_exp."""
        return Bracket(low=self.bayes - self.accuracy.high, high=self.bayes - self.accuracy.low)


def finite(numbers: ArrayLike, name: str, count: int) -> Array:
    """So many finite numbers, (count,)."""
    found = real(numbers, name)
    if found.shape != (count,):
        raise wrong("shape", f"the {name} have the wrong shape", found=str(found.shape), allowed=str((count,)))
    if not np.isfinite(found).all():
        raise wrong("number", f"{name} are not finite", found=str(found[~np.isfinite(found)][0]))
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Spread:
    """Patterns whose logits are t ≥ h · (``cells`` + S), S with the law's weights, and at most ``up`` · h above it."""

    patterns: Patterns
    cells: Array
    law: GridLaw

    @property
    def up(self) -> int:
        """u: cells from the lower end of a logit to its upper end."""
        return self.law.up + 3


@dataclass(frozen=True, slots=True, eq=False)
class AdditivePredictor:
    """q = σ(b + w·x), P(class 1) of a yes/no question, x the features of a view.

    Parameters
    ----------
    view
        Of a yes/no question; its names may be all that the level shows, or some.
    weights, intercept
        w, (d,), and b.

    Raises
    ------
    ScoreError
        ``scores/shape``, ``scores/number``: not as many weights as features, or one that is no finite number;
        ``scores/patterns``, ``scores/classes``: see `pbn.models.patterns.patterns_of`.
    """

    view: View
    weights: Array
    intercept: float
    patterns: tuple[Patterns, ...] = field(init=False)
    shares: Mapping[str, Array] = field(init=False)
    shown: Shown = field(init=False)

    def __post_init__(self) -> None:
        columns = columns_of(self.view)
        weights = finite(self.weights, "weights", max((at.stop for at in columns.values()), default=0))
        intercept = float(finite([self.intercept], "intercepts", 1)[0])
        for name, value in (("weights", weights), ("intercept", intercept)):
            object.__setattr__(self, name, value)
        shares = {name: self.view.encoded(name) @ weights[at] for name, at in columns.items()}
        if abs(intercept) + sum(float(np.abs(share).max(initial=0)) for share in shares.values()) > MOST_LOGIT:
            raise wrong("number", "logits are too large for a grid", allowed=f"{MOST_LOGIT:g} in all")
        object.__setattr__(self, "shares", shares)
        object.__setattr__(self, "shown", shown(self.view))
        object.__setattr__(self, "patterns", tuple(patterns_of(self.view)))

    def step(self, wanted: float) -> float:
        """The step wanted, or the least wider one, by powers of 2, whose grid has at most `CELLS` cells."""
        spread = sum(float(np.ptp(share)) for share in self.shares.values())
        return max(wanted, 2.0 ** math.ceil(math.log2(max(spread, wanted) / CELLS)))

    def spreads(self, step: float = STEP, demand: Mapping[str, Array] | None = None) -> Iterator[Spread]:
        """The logits of all patterns, by grades, together with the event that irrelevant fields are as demanded."""
        step = self.step(step)
        idle = law_of_sum([self._term(name, None, (demand or {}).get(name)) for name in self.shown.idle], step)
        for one in self.patterns:
            measured = [self._term(name, grade) for name, grade in one.grades.items() if name in self.shares]
            logits = np.full(len(one.mass), self.intercept)
            for name, codes in one.codes.items():
                if name in self.shares:
                    logits += self.shares[name][codes]
            cells = np.floor(logits / step).astype(np.int64) - 1
            yield Spread(patterns=one, cells=cells, law=added(law_of_sum(measured, step), idle))

    def _term(self, name: str, grade: int | None, accepted: Array | None = None) -> Term:
        """What a variable adds to the logit, of a measurement given its grade."""
        law = own_law(self.view, name, grade)
        held = law > 0 if accepted is None else (law > 0) & accepted
        values = self.shares[name][held] if name in self.shares else np.zeros(int(held.sum()))
        return values, law[held]


def population_scores(predictor: AdditivePredictor) -> PopulationScores:
    r"""Population scores of an additive predictor, as brackets with a proof.

    - The decision is 1 where logit q > 0, so P(t' > 0) ≤ P(decide 1 | z) ≤ P(t' + u h > 0), and given z the accuracy
      is p* P + (1 − p*)(1 − P), linear in P: its extremes are at the ends, and A_exp is the sum over z.
    - E[−p* log q − (1 − p*) log(1 − q) | z] = −p* E[log σ_c(t)] − (1 − p*) E[log σ_c(−t)], with σ_c the clipped
      logistic function. Both log σ_c(t) and −log σ_c(−t) rise with t, so each expectation is between its values for
      t' and t' + u h. Less the entropy of p*, and summed, that is KL.
    """
    scored = [_scores(spread) for spread in predictor.spreads()]
    low, high, nats_low, nats_high, bayes = (float(sum(column)) for column in zip(*scored, strict=True))
    return PopulationScores(
        accuracy=Bracket(low=low - FLOAT, high=high + FLOAT),
        divergence=Bracket(low=max(0.0, nats_low - FLOAT), high=nats_high + FLOAT),
        bayes=bayes,
    )


def _scores(spread: Spread) -> tuple[float, float, float, float, float]:
    """The patterns' contributions to both ends of A_exp, to both ends of KL, and to A*."""
    law, truth = spread.law, spread.patterns.truth
    tails = np.concatenate([np.cumsum(law.weights[::-1])[::-1], [0.0]])
    lowest = [tails[np.clip(1 - law.first - spread.cells - shift, 0, len(law.weights))] for shift in (0, spread.up)]
    ends = [truth * chance + (1 - truth) * (1 - chance) for chance in lowest]
    lower, upper = np.minimum(*ends), np.maximum(*ends)
    losses = _expected_logs(law, [spread.cells, spread.cells + spread.up])
    nats_low = -truth * losses[1][0] - (1 - truth) * losses[0][1]
    nats_high = -truth * losses[0][0] - (1 - truth) * losses[1][1]
    entropy = entr(truth) + entr(1 - truth)
    best = np.maximum(truth, 1 - truth)
    parts = (lower, upper, nats_low - entropy, nats_high - entropy, best)
    return tuple(float(spread.patterns.mass @ one) for one in parts)  # type: ignore[return-value]


def _expected_logs(law: GridLaw, ends: list[Array]) -> list[tuple[Array, Array]]:
    """E[log σ_c(t)] and E[log σ_c(−t)] of each pattern, for each set of first cells; by correlation."""
    least, most = min(int(cells.min()) for cells in ends), max(int(cells.max()) for cells in ends)
    points = (np.arange(least, most + len(law.weights)) + law.first) * law.step
    q = np.clip(expit(points), CLIP, 1 - CLIP)
    tables = [fftconvolve(values, law.weights[::-1], mode="valid") for values in (np.log(q), np.log1p(-q))]
    return [(tables[0][cells - least], tables[1][cells - least]) for cells in ends]
