"""The population's values of an additive predictor without sampling: its independent terms convolved on a grid."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.signal import fftconvolve
from scipy.special import entr, expit

from pbn.exact.arithmetic import integers
from pbn.models.baselines import View
from pbn.network.model import Array, Table
from pbn.scores.proper import CLIP

STEP = 2.0**-16
"""Width of the grid's cells, in logits, while that takes no more than `CELLS`."""
CELLS = 2**21
"""Cells of a grid at most: where logits spread very far its cells are wider, and so are the brackets."""
FLOAT = 1e-6
"""Added to both ends of a bracket for the rounding of float64, above all in the FFTs, where it is far smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """A number that is proved to lie from ``low`` to ``high``."""

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GridLaw:
    """A law on the points h · (``first`` + i), each atom moved down to the grid; ``up`` cells bound how far.

    The variable N behind it satisfies lower ≤ N ≤ lower + up · h, where lower has this law.
    """

    step: float
    first: int
    weights: Array
    up: int


def rounded_down(values: Array, weights: Array, step: float) -> GridLaw:
    """A law moved down to the grid: each value by less than one cell."""
    cells = np.floor(values / step).astype(np.int64)
    least = int(cells.min())
    return GridLaw(step=step, first=least, weights=np.bincount(cells - least, weights), up=1)


def added(one: GridLaw, other: GridLaw) -> GridLaw:
    """The law of the sum of independent terms on one grid."""
    weights = np.maximum(fftconvolve(one.weights, other.weights), 0.0)
    return GridLaw(step=one.step, first=one.first + other.first, weights=weights, up=one.up + other.up)


def population_scores(view: View, weights: Array, intercept: float) -> PopulationScores:
    r"""Population scores of q = σ(b + w·x), x the view's features, as brackets with a proof.

    Given the categories that say something (z: the pattern), p* is fixed and logit q = a(z) + N, where N sums
    independent terms: one for each irrelevant field, and one for each measurement, uniform within the level that z
    names. Each term is moved down to a grid of step h, so that with m terms a variable N' on the grid satisfies
    N' ≤ N ≤ N' + m h, whatever the terms. N' is the convolution of the terms' laws.

    - The decision is 1 where N > −a, so P(N' > −a) ≤ P(decide 1 | z) ≤ P(N' > −a − m h), and given z the accuracy is
      p* P + (1 − p*)(1 − P), linear in P: its extremes are at the ends, and A_exp is the sum over z.
    - E[−p* log q − (1 − p*) log(1 − q) | z] = −p* E[log σ_c(a + N)] − (1 − p*) E[log σ_c(−a − N)], with σ_c the
      clipped logistic function. Both log σ_c(t) and −log σ_c(−t) rise with t, so each expectation is between its
      values for N' and N' + m h. Less the entropy of p*, and summed, that is KL.

    N' + m h is N' with a + m h for a. To read all patterns off one table, a is moved down to the grid as well, which
    counts as one more term. `FLOAT` is added on both sides for its other rounding.

    Parameters
    ----------
    view
        Of a yes/no question, with all fields that the level shows.
    weights, intercept
        w, (d,), and b.

    Raises
    ------
    ValueError
        An irrelevant field is not independent of the rest.
    """
    columns = _columns(view)
    shares = {name: view.encoded(name) @ weights[where] for name, where in columns.items()}
    step = max(STEP, 2.0 ** np.ceil(np.log2(max(sum(np.ptp(share) for share in shares.values()), STEP) / CELLS)))
    parts = _parts(view)
    idle = _sum([_term(view, name, shares[name], step) for name in _split(view)[2]])
    scored = [_given_levels(view, shares, intercept, part, idle, step) for part in parts]
    low, high, nats_low, nats_high, bayes = (float(sum(column)) for column in zip(*scored, strict=True))
    return PopulationScores(
        accuracy=Bracket(low=low - FLOAT, high=high + FLOAT),
        divergence=Bracket(low=max(0.0, nats_low - FLOAT), high=nats_high + FLOAT),
        bayes=bayes,
    )


# -- the pattern -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """Patterns that agree in the levels of the measurements: their codes by variable, mass, and p*, (Z,) each."""

    levels: dict[str, int]
    codes: dict[str, Array]
    mass: Array
    truth: Array


def _split(view: View) -> tuple[list[str], list[str], list[str]]:
    """The view's variables: categories that say something, measurements, irrelevant fields."""
    variables = view.world.network.variables
    names = view.names or ()
    measured = [name for name in names if variables[name].origin == "measured"]
    idle = [name for name in names if variables[name].role == "irrelevant"]
    return [name for name in names if name not in measured and name not in idle], measured, idle


def _parts(view: View) -> list[Part]:
    """All patterns of positive mass, from the exact joint law of pattern and outcome, by the measurements' levels."""
    network = view.world.network
    categories, measured, idle = _split(view)
    parents = [network.parents(name)[0] for name in measured]
    for name in idle:
        if network.parents(name):
            raise ValueError(f"{name} is not independent of the rest")
    targets = (*parents, *categories, view.asks)
    numbers = view.world.engine.joint(targets, {}, "exact")
    counts = integers(numbers).reshape([network.size(name) for name in targets])
    positive = network.variables[view.asks].states.index(view.world.question(view.question).positive or "")
    sizes = [network.size(name) for name in categories]
    parts = []
    for levels in itertools.product(*(range(network.size(name)) for name in parents)):
        table = counts[levels].reshape(-1, view.classes)
        mass = table.sum(axis=-1)
        where = np.flatnonzero(mass)
        total = [int(count) for count in mass[where]]
        yes = [int(count) for count in table[where, positive]]
        parts.append(
            Part(
                levels=dict(zip(measured, levels, strict=True)),
                codes=dict(zip(categories, np.unravel_index(where, sizes), strict=True)) if sizes else {},
                mass=np.array([float(Fraction(count, numbers.denominator)) for count in total]),
                truth=np.array([float(Fraction(k, n)) for k, n in zip(yes, total, strict=True)]),
            )
        )
    return parts


# -- the terms ---------------------------------------------------------------------------------------


def _columns(view: View) -> dict[str, slice]:
    """The columns of each variable among the features."""
    found, start = {}, 0
    for name in view.names or ():
        width = view.encoded(name).shape[1]
        found[name] = slice(start, start + width)
        start += width
    return found


def _term(view: View, name: str, shares: Array, step: float, level: int | None = None) -> GridLaw:
    """The law of what a variable adds to the logit, of a measurement given its level."""
    cpd = view.world.network.cpds[name]
    assert isinstance(cpd, Table)
    row = cpd.numerators if level is None else cpd.numerators[level]
    law = np.array([float(Fraction(int(count), cpd.denominator)) for count in row])
    held = law > 0
    return rounded_down(shares[held], law[held], step)


def _given_levels(
    view: View, shares: Mapping[str, Array], intercept: float, part: Part, idle: GridLaw | None, step: float
) -> tuple[float, float, float, float, float]:
    """The part's contributions to both ends of A_exp, to both ends of KL, and to A*."""
    terms = [_term(view, name, shares[name], step, level) for name, level in part.levels.items()]
    law = _sum([*terms, *([] if idle is None else [idle])])
    logits = np.full(len(part.mass), intercept)
    for name, codes in part.codes.items():
        logits += shares[name][codes]
    return _scores(law or rounded_down(np.zeros(1), np.ones(1), step), logits, part.mass, part.truth)


def _sum(terms: Sequence[GridLaw]) -> GridLaw | None:
    """The law of the sum, the shortest terms first; None of none."""
    if not terms:
        return None
    ordered = sorted(terms, key=lambda term: len(term.weights))
    found = ordered[0]
    for term in ordered[1:]:
        found = added(found, term)
    return found


def _scores(law: GridLaw, logits: Array, mass: Array, truth: Array) -> tuple[float, float, float, float, float]:
    cells = np.floor(logits / law.step).astype(np.int64) - 1
    up = law.up + 2
    tails = np.concatenate([np.cumsum(law.weights[::-1])[::-1], [0.0]])

    def above(shift: int) -> Array:
        """P(N' + a' + shift · h > 0) for each pattern."""
        found: Array = tails[np.clip(1 - law.first - cells - shift, 0, len(law.weights))]
        return found

    ends = [truth * chance + (1 - truth) * (1 - chance) for chance in (above(0), above(up))]
    lower, upper = np.minimum(*ends), np.maximum(*ends)
    losses = _expected_logs(law, [cells, cells + up])  # of log σ_c(t) and of log σ_c(−t), at both ends
    nats_low = -truth * losses[1][0] - (1 - truth) * losses[0][1]
    nats_high = -truth * losses[0][0] - (1 - truth) * losses[1][1]
    entropy = entr(truth) + entr(1 - truth)
    best = np.maximum(truth, 1 - truth)
    return tuple(float(mass @ one) for one in (lower, upper, nats_low - entropy, nats_high - entropy, best))  # type: ignore[return-value]


def _expected_logs(law: GridLaw, ends: Sequence[Array]) -> list[tuple[Array, Array]]:
    """E[log σ_c(N' + a')] and E[log σ_c(−N' − a')] for each pattern's a', for each set of these; by correlation."""
    least, most = min(int(cells.min()) for cells in ends), max(int(cells.max()) for cells in ends)
    points = (np.arange(least, most + len(law.weights)) + law.first) * law.step
    q = np.clip(expit(points), CLIP, 1 - CLIP)
    tables = [fftconvolve(values, law.weights[::-1], mode="valid") for values in (np.log(q), np.log1p(-q))]
    return [(tables[0][cells - least], tables[1][cells - least]) for cells in ends]
