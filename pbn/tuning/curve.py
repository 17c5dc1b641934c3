"""ε* as a function of a residual's mass: concave, made of straight pieces, and known exactly at every point.

The residual has no parents, so the law of everything is linear in its mass r:

    P_r(f, y) = (1 − r) P_0(f, y) + r P_1(f, y),    ε*(r) = 1 − Σ_f max_y P_r(f, y).

A maximum of linear functions is convex and piecewise linear, so ε* is concave and piecewise linear. Two eliminations,
at r = 0 and r = 1, give it everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from pbn.exact.answers import BayesError, BoundStatistic, error_of
from pbn.exact.arithmetic import Numbers, integers
from pbn.network.model import Array


@dataclass(frozen=True, slots=True)
class Masses:
    """The masses from ``first`` to ``last``, both included; a single one where they are equal."""

    first: Fraction
    last: Fraction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ErrorCurve:
    """ε*(r) for r in [0, 1]: ``still / denominator`` is P_0(F, Y), ``noisy / denominator`` is P_1(F, Y)."""

    nodes: tuple[str, ...]
    still: Array
    noisy: Array
    denominator: int

    def law(self, mass: Fraction) -> Numbers:
        """P_r(F, Y), a row for each value of F."""
        top, bottom = mass.numerator, mass.denominator
        return Numbers(array=(bottom - top) * self.still + top * self.noisy, denominator=self.denominator * bottom)

    def at(self, mass: Fraction) -> BayesError:
        """ε* and H(Y | X_vis) at a mass."""
        return error_of(self.law(mass), self.nodes, "exact")

    def prior(self, mass: Fraction) -> tuple[Fraction, ...]:
        """P_r(Y = y), for each y."""
        law = self.law(mass)
        return tuple(Fraction(int(total), law.denominator) for total in law.array.sum(axis=0))

    def error(self, mass: Fraction) -> Fraction:
        """ε*(r)."""
        law = self.law(mass)
        return 1 - Fraction(int(law.array.max(axis=1).sum()), law.denominator)

    def slope(self, mass: Fraction, *, right: bool) -> Fraction:
        """The slope of the straight piece that begins at a mass; with ``right`` false, of the one that ends there."""
        law = self.law(mass).array
        change = self.noisy - self.still
        best = law == law.max(axis=1, keepdims=True)
        steepest = [
            (max if right else min)(rate for rate, taken in zip(rates, row, strict=True) if taken)
            for rates, row in zip(change.tolist(), best.tolist(), strict=True)
        ]
        return -Fraction(sum(steepest), self.denominator)

    def reached(self, target: Fraction) -> tuple[Masses, ...]:
        """Every r in [0, 1] with ε*(r) = target, in ascending order.

        A concave function takes a value below its greatest at most once on either side of where it is greatest; its
        greatest value it takes at one mass or at all masses of an interval.
        """
        first = self._first(target)
        from_the_end = self._mirrored()._first(target)
        ends = [mass for mass in (first, None if from_the_end is None else 1 - from_the_end) if mass is not None]
        if len(ends) == 2 and self.error(sum(ends, Fraction(0)) / 2) == target:
            return (Masses(*ends),)
        return tuple(Masses(mass, mass) for mass in ends)

    def highest(self) -> tuple[Masses, Fraction]:
        """Where ε* is greatest, and ε* there."""
        peak = self._peak()
        most = self.error(peak)
        (masses,) = self.reached(most)
        return masses, most

    def _mirrored(self) -> ErrorCurve:
        """The curve read from the other end: ε*(1 − r)."""
        return replace(self, still=self.noisy, noisy=self.still)

    def _first(self, target: Fraction) -> Fraction | None:
        """The smallest r with ε*(r) = target; None where there is none, or ε*(0) is above the target.

        Newton's steps from r = 0. A concave function lies below its tangents, so no step passes the first crossing;
        each either meets it or reaches a flatter piece, of which there are finitely many.
        """
        mass, error = Fraction(0), self.error(Fraction(0))
        if error > target:
            return None
        while error < target:
            slope = self.slope(mass, right=True)
            if slope <= 0:
                return None
            mass += (target - error) / slope
            if mass > 1:
                return None
            error = self.error(mass)
        return mass

    def _peak(self) -> Fraction:
        """An r where ε* is greatest.

        Two tangents that enclose the peak meet above it; where the curve reaches their meeting point, that is the peak.
        """
        low, high = Fraction(0), Fraction(1)
        if self.slope(low, right=True) <= 0:
            return low
        if self.slope(high, right=False) > 0:
            return high
        while True:
            rise, fall = self.slope(low, right=True), self.slope(high, right=False)
            start = self.error(low)
            meeting = (self.error(high) - start - fall * high + rise * low) / (rise - fall)
            if self.error(meeting) == start + rise * (meeting - low):
                return meeting
            if self.slope(meeting, right=False) <= 0:
                high = meeting
            elif self.slope(meeting, right=True) <= 0:
                return meeting
            else:
                low = meeting


def error_curve(still: BoundStatistic, noisy: BoundStatistic) -> ErrorCurve:
    """The curve between the same statistic of a world without the residual's noise and of one with nothing else.

    Raises
    ------
    BudgetError
        The law of the statistic would take more memory than the budget.
    """
    assert still.nodes == noisy.nodes, "the statistic follows from the graph, which the mass does not change"
    # Classes of a diagram are not the same in both worlds; the nodes' values are.
    one, other = (BoundStatistic(bound.statistic, bound.budget).joint("exact") for bound in (still, noisy))
    denominator = math.lcm(one.denominator, other.denominator)
    arrays = [integers(numbers) * (denominator // numbers.denominator) for numbers in (one, other)]
    kept = np.flatnonzero((arrays[0].sum(axis=1) != 0) | (arrays[1].sum(axis=1) != 0))
    return ErrorCurve(nodes=still.nodes, still=arrays[0][kept], noisy=arrays[1][kept], denominator=denominator)
