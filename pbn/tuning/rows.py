"""The rows of a sweep: a world at one value, or the curve of a residual's mass at many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pbn.errors import BudgetError, Fault, NetworkError, SpecError
from pbn.exact.answers import error_of
from pbn.exact.arithmetic import integers
from pbn.loading import with_parameters
from pbn.network.residual import checked_mass, residual_mass
from pbn.spec.numerals import decimal
from pbn.spec.parameters import unknown_parameter
from pbn.tuning.curve import ErrorCurve, error_curve
from pbn.tuning.worlds import world_with_residual_mass
from pbn.world import World

CHUNK = 100
"""Values of a residual's mass that are answered as one task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRow:
    """One level at one value: ε* exactly, H(Y | X_vis) in nats, and the prior of a yes/no question's positive state.

    ``error`` and ``entropy`` are None where the answer would take more than the budget, which ``refused`` then says;
    ``prior`` is None there, too, and where the question is not yes/no.
    """

    value: Fraction
    question: str
    level: str
    error: Fraction | None = None
    entropy: float | None = None
    prior: Fraction | None = None
    refused: Fault | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class ParameterWork:
    """Answers a value of a parameter: the file is read again, and every question asked at every level."""

    world: World
    parameter: str
    questions: tuple[str, ...]
    levels: tuple[str, ...]

    def own(self, values: Sequence[Fraction]) -> Fraction:
        """The file's own value; the extremes of the others are tried, as what is impossible shows there first."""
        declared = {} if self.world.spec is None else self.world.spec.parameters
        if self.parameter not in declared:
            raise unknown_parameter(self.parameter, list(declared))
        for value in dict.fromkeys((min(values), max(values))):
            self._world(value)
        return declared[self.parameter]

    def tasks(self, values: Sequence[Fraction]) -> list[Fraction]:
        """One for each value."""
        return list(values)

    def __call__(self, value: Fraction) -> list[SweepRow]:
        """The rows of one value."""
        world = self._world(value)
        if isinstance(world, Fault):
            return [
                SweepRow(value=value, question=question, level=level, refused=world)
                for question in self.questions
                for level in self.levels
            ]
        return [self._row(world, value, question, level) for question in self.questions for level in self.levels]

    def _world(self, value: Fraction) -> World | Fault:
        """The world at a value; the fault where it takes more than the budget."""
        try:
            return with_parameters(self.world, {self.parameter: value})
        except BudgetError as error:
            return error.faults[0]
        except (SpecError, NetworkError) as error:
            where = f"{self.parameter} = {decimal(value)}"
            raise type(error)(
                *(replace(fault, message=f"{where}: {fault.message}") for fault in error.faults)
            ) from None

    def _row(self, world: World, value: Fraction, question: str, level: str) -> SweepRow:
        row = SweepRow(value=value, question=question, level=level)
        try:
            bound = world.statistic(level, question=question)
            law = bound.joint("exact")
        except BudgetError as error:
            return replace(row, refused=error.faults[0])
        found = error_of(law, bound.nodes, "exact")
        totals = [Fraction(int(total), law.denominator) for total in integers(law).sum(axis=0)]
        return replace(row, error=found.exact, entropy=found.entropy, prior=_positive(world, question, totals))


@dataclass(frozen=True, kw_only=True, eq=False)
class ResidualWork:
    """Answers some masses of a residual at one level: two eliminations, then a sum for each mass."""

    world: World
    variable: str
    questions: tuple[str, ...]
    levels: tuple[str, ...]
    _ends: list[World] = field(init=False, repr=False, default_factory=list)
    _curves: dict[tuple[str, str], ErrorCurve | Fault] = field(init=False, repr=False, default_factory=dict)

    def own(self, values: Sequence[Fraction]) -> Fraction:
        """The world's own mass; the other values must be probabilities."""
        for value in values:
            checked_mass(value, self.variable)
        return residual_mass(self.world.network, self.variable)

    def tasks(self, values: Sequence[Fraction]) -> list[tuple[str, str, tuple[Fraction, ...]]]:
        """One for each question and level, and for each hundred values."""
        chunks = [tuple(values[start : start + CHUNK]) for start in range(0, len(values), CHUNK)]
        return [(question, level, chunk) for question in self.questions for level in self.levels for chunk in chunks]

    def __call__(self, task: tuple[str, str, tuple[Fraction, ...]]) -> list[SweepRow]:
        """The rows of some values at one level."""
        question, level, values = task
        curve = self.curve(question, level)
        return [self._row(curve, question, level, value) for value in values]

    def curve(self, question: str, level: str) -> ErrorCurve | Fault:
        """ε* as a function of the mass; the fault where it takes more than the budget."""
        if not self._ends:
            self._ends.extend(world_with_residual_mass(self.world, mass, self.variable) for mass in (0, 1))
        if (question, level) not in self._curves:
            try:
                still, noisy = (end.statistic(level, question=question) for end in self._ends)
                found: ErrorCurve | Fault = error_curve(still, noisy)
            except BudgetError as error:
                found = error.faults[0]
            self._curves[question, level] = found
        return self._curves[question, level]

    def _row(self, curve: ErrorCurve | Fault, question: str, level: str, value: Fraction) -> SweepRow:
        row = SweepRow(value=value, question=question, level=level)
        if isinstance(curve, Fault):
            return replace(row, refused=curve)
        found = curve.at(value)
        prior = _positive(self.world, question, curve.prior(value))
        return replace(row, error=found.exact, entropy=found.entropy, prior=prior)


def _positive(world: World, question: str, totals: Sequence[Fraction]) -> Fraction | None:
    """The prior of a yes/no question's positive state, from those of all states."""
    asked = world.question(question)
    if asked.kind != "yes/no" or asked.positive is None:
        return None
    return totals[world.network.variables[asked.asks].states.index(asked.positive)]
