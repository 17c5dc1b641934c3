"""An independent oracle: both factor worlds of ProbabilityBench, every category state written out.

Nothing here comes from `pbn` or from a world file. The laws and the outcome rules are written down
straight from the paper (sections 4, 4.1, 4.3 and appendix B), the weights of peer review from our
reconstruction, and each quantity is a sum of integers over the full grid of category states.

The residual is summed out by hand: a category state of weight w whose residual makes the outcome
positive with probability k / d adds w * k to the positive mass and w * d to the mass.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[Any]  # object arrays of Python integers: exact, of any size

THREE = (48, 27, 25)  # per cent; "most factors have prior probabilities (.48, .27, .25)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorWorld:
    """Integer masses over the grid of category states, one axis a factor, in the order of ``factors``.

    ``mass`` is the mass of a state and ``positive`` the part of it whose outcome is positive; the
    mass of the whole grid is ``total``. ``always_visible`` names the context (type, sector, cycle).
    """

    factors: tuple[str, ...]
    always_visible: tuple[str, ...]
    mass: Integers
    positive: Integers
    total: int
    residual_values: int

    @property
    def states(self) -> int:
        """Number of category states that have positive probability."""
        return int(np.count_nonzero(self.mass))

    @property
    def states_with_residual(self) -> int:
        """Number of pairs of a category state and a residual value."""
        return self.states * self.residual_values

    @property
    def prior(self) -> Fraction:
        """Probability of the positive outcome."""
        return Fraction(int(self.positive.sum()), self.total)

    def _seen(self, hidden: Iterable[str]) -> tuple[Integers, Integers]:
        axes = tuple(self.factors.index(name) for name in hidden)
        return np.asarray(self.mass.sum(axis=axes)).ravel(), np.asarray(self.positive.sum(axis=axes)).ravel()

    def bayes_error(self, hidden: Iterable[str] = ()) -> Fraction:
        """Sum over visible patterns of the smaller of the two outcomes' masses."""
        mass, positive = self._seen(hidden)
        return Fraction(int(np.minimum(positive, mass - positive).sum()), self.total)

    def entropy(self, hidden: Iterable[str] = ()) -> float:
        """Conditional entropy of the outcome given the visible factors, in nats."""
        mass, positive = self._seen(hidden)
        terms = []
        for whole, yes in zip(mass.tolist(), positive.tolist(), strict=True):
            terms += [-part / self.total * math.log(part / whole) for part in (yes, whole - yes) if part]
        return math.fsum(terms)

    def posterior(self, **visible: int) -> Fraction:
        """Probability of the positive outcome given the states (as numbers from 0) of some factors."""
        at = tuple(visible.get(name, slice(None)) for name in self.factors)
        return Fraction(int(np.sum(self.positive[at])), int(np.sum(self.mass[at])))

    def coverage(self, hidden: Iterable[str] = (), cases: int = 50) -> float:
        """Expected share of the visible patterns' mass that a sample of ``cases`` contains.

        A pattern of probability p is among the cases with probability 1 - (1 - p)^cases.
        """
        mass, _ = self._seen(hidden)
        shares = [whole / self.total for whole in mass.tolist()]
        return math.fsum(share * (1 - (1 - share) ** cases) for share in shares)


def _axis(values: Sequence[int], position: int, axes: int) -> Integers:
    """The values laid along one axis of the grid."""
    shape = [1] * axes
    shape[position] = len(values)
    return np.array(list(values), dtype=object).reshape(shape)


def _pair(rows: Sequence[Sequence[int]], parent: int, child: int, axes: int) -> Integers:
    """A conditional table laid along the axes of a parent and of a later child."""
    shape = [1] * axes
    shape[parent], shape[child] = len(rows), len(rows[0])
    return np.array([list(row) for row in rows], dtype=object).reshape(shape)


def _residual(lowest_needed: Integers, law: dict[int, int], *, scale: int, at_least: bool) -> Integers:
    """Weight of the residual values R with scale * R >= lowest_needed (or < lowest_needed)."""
    chances: Integers = np.zeros(lowest_needed.shape, dtype=object)
    for value, weight in law.items():
        hit = lowest_needed <= scale * value
        chances = chances + weight * (hit if at_least else ~hit.astype(bool)).astype(int)
    return chances


@functools.cache
def credit_risk() -> FactorWorld:
    """Credit risk: default iff cash + buffer + refinancing + R < debt service + principal due.

    Amounts are in twentieths, as in the paper's appendix B.
    """
    factors = (
        "sector", "cycle", "cash_generation", "cash_buffer", "refinancing", "debt_service", "principal_due",
        "funding_rate_exposure", "customer_concentration", "operating_flexibility",
    )  # fmt: skip
    axes = len(factors)
    at = {name: position for position, name in enumerate(factors)}

    def along(name: str, values: Sequence[int]) -> Integers:
        return _axis(values, at[name], axes)

    mass = along("sector", (1, 1, 1, 1)) * along("cycle", (30, 40, 30)) * along("cash_generation", THREE)
    mass = mass * _pair([[51, 27, 22], [48, 27, 25], [45, 27, 28]], at["cash_generation"], at["cash_buffer"], axes)
    mass = mass * _pair([[44, 27, 29], [48, 27, 25], [52, 27, 21]], at["cycle"], at["refinancing"], axes)
    for name in factors[5:]:
        mass = mass * along(name, THREE)

    level = (0, 1, 2)
    contraction = along("cycle", (0, 0, 1))
    further = along("sector", (5, 10, 15, 0))  # technology, manufacturing, consumer, healthcare
    concentration, flexibility = along("customer_concentration", level), along("operating_flexibility", level)
    fall = contraction * (20 + (15 + further) * concentration - 10 * flexibility)
    resources = along("cash_generation", (60, 100, 140)) - fall + along("cash_buffer", (20, 60, 100))
    resources = resources + along("refinancing", (0, 40, 80)) * along("cycle", (100, 75, 40)) // 100
    obligations = along("debt_service", (20, 40, 60)) + along("principal_due", (20, 60, 120))
    obligations = obligations + along("cycle", (0, 5, 15)) * along("funding_rate_exposure", level)
    net = resources - obligations  # default iff net + 20 R < 0, that is R < -net / 20

    law = {-3: 3, -1: 9, 0: 76, 1: 9, 3: 3}
    chance = _residual(-net, law, scale=20, at_least=False)
    return FactorWorld(
        factors=factors, always_visible=("sector", "cycle"), mass=mass * 100, positive=mass * chance,
        total=4 * 100**10, residual_values=len(law),
    )  # fmt: skip


WEIGHTS = {  # tenths; our reconstruction, the paper's table 4 is not in its text
    "theoretical": (20, 10, 20, 15, 10, 5, 10, 10),
    "empirical": (10, 10, 15, 20, 20, 5, 10, 10),
    "applied": (10, 20, 10, 20, 10, 15, 5, 10),
}


@functools.cache
def peer_review() -> FactorWorld:
    """Peer review: accepted iff validity is no serious flaw and score + R >= 11.5 (in tenths: 115)."""
    factors = (
        "contribution_type", "novelty", "significance", "validity", "evidence", "comparison", "robustness",
        "reproducibility", "clarity",
    )  # fmt: skip
    axes = len(factors)
    at = {name: position for position, name in enumerate(factors)}

    mass = _axis((1, 1, 1), 0, axes) * _axis((15, 35, 50), at["validity"], axes)
    mass = mass * _pair([[85, 13, 2], [50, 30, 20], [33, 29, 38]], at["validity"], at["evidence"], axes)
    robustness = [[515, 270, 215], [480, 270, 250], [445, 270, 285]]
    mass = mass * _pair(robustness, at["validity"], at["robustness"], axes)
    for name in ("novelty", "significance", "comparison", "reproducibility", "clarity"):
        mass = mass * _axis(THREE, at[name], axes)

    score: Integers = np.zeros(mass.shape, dtype=object)
    for position in range(1, axes):
        weights = [row[position - 1] for row in WEIGHTS.values()]
        score = score + _axis(weights, 0, axes) * _axis((0, 1, 2), position, axes)
    top = (0, 0, 1)
    score = score + 6 * _axis(top, at["evidence"], axes) * _axis(top, at["comparison"], axes)
    score = score + 6 * _axis(top, at["validity"], axes) * _axis(top, at["robustness"], axes)

    law = {0: 720} | {sign * size: weight for size, weight in enumerate((90, 30, 15, 4, 1), 1) for sign in (-1, 1)}
    chance = _residual(115 - score, law, scale=10, at_least=True) * _axis((0, 1, 1), at["validity"], axes)
    return FactorWorld(
        factors=factors, always_visible=("contribution_type",), mass=mass * 1000, positive=mass * chance,
        total=3 * 100**7 * 1000 * 1000, residual_values=len(law),
    )  # fmt: skip
