"""Population values over bins of an additive predictor, without sampling: multicalibration and higher order.

Of a case of pattern z it is known that t' ≤ logit q ≤ t' + u h (see `pbn.models.additive`). It is surely in a bin where
both ends are, and may be in it where the interval meets it; the rest of the mass is elsewhere. So each cell's mass and
moment have a bracket, and what is not sure is the mass within u h of an edge.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import expit, logit

from pbn.models.additive import FLOAT, STEP, AdditivePredictor, Bracket, Spread
from pbn.models.patterns import split_demand
from pbn.network.model import Array
from pbn.scores.bins import equal_width_edges
from pbn.scores.higher_order_calibration import Mixtures, bayes_mixtures, higher_order, target_separation
from pbn.scores.inputs import whole
from pbn.scores.transport import Law

MOST_BINS = 1000
COARSE = 2.0**-9
"""Width of the cells in a first look at all groups; those that may be the worst are looked at with `STEP`."""

Demand = Mapping[str, Array]


def multicalibration_bracket(predictor: AdditivePredictor, demands: Sequence[Demand], bins: int = 10) -> Bracket:
    """Witness multicalibration error (Eq. 3 of ProbabilityBench) over everyone and groups, without sampling.

    Parameters
    ----------
    predictor
        The predictor.
    demands
        What each group demands, as `pbn.cases.groups.Groups.demands`; of categories and irrelevant fields only.
    bins
        Number of equal-width bins of q.

    Raises
    ------
    ScoreError
        ``scores/patterns``: a group demands something of another variable.
    """
    bins = whole(bins, "the number of bins", most=MOST_BINS)
    everyone: Demand = {}
    groups = [everyone, *demands]
    left = np.ones((len(groups), bins), dtype=bool)  # cells that may be the worst
    least = most = np.zeros(left.shape)
    for step in (COARSE, STEP):
        rows, columns = np.flatnonzero(left.any(axis=1)), np.flatnonzero(left.any(axis=0))
        low, high = moment_brackets(predictor, [groups[g] for g in rows], bins, step, columns)
        least, most = np.zeros(left.shape), np.zeros(left.shape)
        least[np.ix_(rows, columns)] = np.maximum(np.maximum(low, -high), 0.0)
        most[np.ix_(rows, columns)] = np.maximum(-low, high)
        left &= most >= least.max() - FLOAT
    return Bracket(low=max(0.0, float(least.max()) - FLOAT), high=float(most.max()) + FLOAT)


def moment_brackets(
    predictor: AdditivePredictor, demands: Sequence[Demand], bins: int, step: float = STEP, columns: Array | None = None
) -> tuple[Array, Array]:
    """Both ends of E[1_G 1_B (p* − q)] of each group and bin, (G, B), or of the bins ``columns`` alone.

    Given the pattern, let C be the mass that is surely in the bin [a, b). It gives p* C less Σ w q, where q is from
    σ(t') to σ(t') + u h / 4, as σ' ≤ 1/4. Each unsure atom gives 0, or p* − q, which is in [p* − b, p* − a].
    """
    columns = np.arange(whole(bins, "the number of bins", most=MOST_BINS)) if columns is None else columns
    lower, upper = equal_width_edges(bins)[columns], equal_width_edges(bins)[columns + 1]
    found = np.zeros((2, len(demands), len(columns)))
    seen = predictor.shown
    patterns, chances = zip(*(split_demand(predictor.view, seen, demand) for demand in demands), strict=True)
    alike = [g for g, demand in enumerate(demands) if len(patterns[g]) == len(demand)]  # demand nothing of the fields
    rest = [[g] for g in range(len(demands)) if g not in alike and chances[g] > 0]
    for batch in [alike, *rest] if alike else rest:
        for spread in predictor.spreads(step, demands[batch[0]]):
            p = spread.patterns.truth[:, None]
            sure, unsure = (part[:, columns] for part in bin_masses(spread, bins))
            least = sure_sums(spread, bins, columns)
            most = least + sure * (spread.up * spread.law.step / 4)
            low = p * sure - most + unsure * np.minimum(0.0, p - upper)
            high = p * sure - least + unsure * np.maximum(0.0, p - lower)
            for g in batch:
                mass = spread.patterns.mass * spread.patterns.which(patterns[g])
                found[0, g] += mass @ low
                found[1, g] += mass @ high
    return found[0], found[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class HigherOrderBrackets:
    """The three distances at one k (`pbn.scores.higher_order_calibration.HigherOrder`), each in a bracket."""

    k: int
    snapshot_error: Bracket
    higher_order_error: Bracket
    target_separation: Bracket


@dataclass(frozen=True, kw_only=True, eq=False)
class PatternBins:
    """True probabilities of all patterns, (Z,), and their joint masses with each bin: sure and unsure, (Z, B)."""

    truth: Array
    sure: Array
    unsure: Array

    @functools.cached_property
    def mixtures(self) -> Mixtures:
        """The Bayes mixtures, half of what is unsure given to each bin."""
        rows, bins = self.sure.shape
        middle = (self.sure + self.unsure / 2).ravel()
        return bayes_mixtures(np.repeat(self.truth, bins), np.tile(np.arange(bins), rows), bins, middle)


def pattern_bins(predictor: AdditivePredictor, bins: int = 10, step: float = STEP) -> PatternBins:
    """Patterns by bins of an additive predictor.

    Examples
    --------
    >>> import pbn
    >>> from pbn.models.baselines import View
    >>> view = View(pbn.load("credit_risk"), "high", names=("cycle",))
    >>> found = pattern_bins(AdditivePredictor(view, np.array([-1.0, 0.5, 2.0]), 0.0))
    >>> found.sure.sum(axis=0).round(3).tolist()
    [0.0, 0.0, 0.3, 0.0, 0.0, 0.0, 0.4, 0.0, 0.3, 0.0]
    """
    parts = [
        (one.patterns.truth, one.patterns.mass[:, None], *bin_masses(one, bins)) for one in predictor.spreads(step)
    ]
    return PatternBins(
        truth=np.concatenate([truth for truth, _, _, _ in parts]),
        sure=np.concatenate([mass * sure for _, mass, sure, _ in parts]),
        unsure=np.concatenate([mass * unsure for _, mass, _, unsure in parts]),
    )


def separation_bracket(masses: PatternBins, k: int) -> Bracket:
    """Target separation δ_k without sampling: see `higher_order_brackets`."""
    return _bracket(masses, target_separation(masses.mixtures, k), _noise(masses, k))


def higher_order_brackets(masses: PatternBins, fitted: Mixtures, k: int) -> HigherOrderBrackets:
    """The distances of fitted laws ν at one k, without sampling.

    E_HO is Σ_C ∫ |Σ_z P(z, C) (F_ν(x) − 1[p*(z) ≤ x])| dx, so if P(z, C) changes by d, it changes by |d| W1(ν, p*(z))
    = |d| E|V − p*(z)|, V ~ ν, at most. So does δ_k by |d| E|S/k − p*(z)| ≤ |d| √(p*(1 − p*)/k), and E_k by the sum of
    the two. Half of what is unsure is the most that a mass of the middle can be off.
    """
    middle = higher_order(fitted, masses.mixtures, k)
    noise = _noise(masses, k)
    apart = np.stack([_mean_gap(law, masses.truth) for law in fitted.laws], axis=1)
    return HigherOrderBrackets(
        k=k,
        snapshot_error=_bracket(masses, middle.snapshot_error, apart + noise),
        higher_order_error=_bracket(masses, middle.higher_order_error, apart),
        target_separation=_bracket(masses, middle.target_separation, noise),
    )


def _noise(masses: PatternBins, k: int) -> Array:
    """√(p*(1 − p*)/k) of each pattern, (Z, 1)."""
    found: Array = np.sqrt(masses.truth * (1 - masses.truth) / k)[:, None]
    return found


def _bracket(masses: PatternBins, value: float, cost: Array) -> Bracket:
    """A value at the middle of what is unsure, of which a unit of mass costs so much, (Z, B) or (Z, 1)."""
    total = float(masses.sure.sum() + masses.unsure.sum() / 2)
    radius = float((masses.unsure * cost).sum()) / 2 + abs(total - 1) + FLOAT
    return Bracket(low=max(0.0, value - radius), high=value + radius)


def _mean_gap(law: Law | None, p: Array) -> Array:
    """E|V − p| for V of the law, (Z,)."""
    if law is None:
        return np.ones(len(p))
    found: Array = np.abs(law.values[:, None] - p[None, :]).T @ law.weights
    return found


# -- masses of bins ----------------------------------------------------------------------------------


def bin_masses(spread: Spread, bins: int) -> tuple[Array, Array]:
    """The mass surely in each bin given each pattern, and the mass that may be in it besides, (Z, B) each."""
    law, starts = spread.law, _starts(spread.law.step, bins)
    heads = np.concatenate([[0.0], np.cumsum(law.weights)])

    def below(cell: Array) -> Array:
        """P(t' < cell) of each pattern and cell."""
        place = cell[None, :] - (law.first + spread.cells[:, None])
        found: Array = heads[np.clip(place, 0, len(law.weights))]
        return found

    sure = np.maximum(below(starts[1:] - spread.up) - below(starts[:-1]), 0.0)
    possible = below(starts[1:]) - below(starts[:-1] - spread.up)
    return sure, np.maximum(possible - sure, 0.0)


def sure_sums(spread: Spread, bins: int, columns: Array) -> Array:
    """Σ w σ(t') over the atoms surely in each of some bins, given each pattern, (Z, len(columns)); by correlation."""
    law, starts = spread.law, _starts(spread.law.step, bins)
    least, most = int(spread.cells.min()), int(spread.cells.max())
    cells = np.arange(least, most + len(law.weights)) + law.first
    q = expit(cells * law.step)
    found = np.zeros((len(spread.cells), len(columns)))
    for k, j in enumerate(columns.tolist()):
        inside = (cells >= starts[j]) & (cells < starts[j + 1] - spread.up)
        if inside.any():
            table = fftconvolve(np.where(inside, q, 0.0), law.weights[::-1], mode="valid")
            found[:, k] = table[spread.cells - least]
    return found


def _starts(step: float, bins: int) -> Array:
    """The first cell of each bin, and one past the last, (B + 1,)."""
    inner = np.ceil(logit(equal_width_edges(bins)[1:-1]) / step).astype(np.int64)
    far = np.int64(2**62)
    return np.concatenate([[-far], inner, [far]])
