"""ε* of every level while one number of a world changes: the mass of a residual, or a named parameter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from pbn.errors import Fault, QueryError
from pbn.loading import load
from pbn.network.residual import only_residual
from pbn.spec.numerals import Number
from pbn.tuning.crew import Crew
from pbn.tuning.rows import ParameterWork, ResidualWork, SweepRow
from pbn.tuning.values import checked_values
from pbn.world import World


def _unwatched(done: int, total: int) -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """What a sweep found: a row for each question, level and value, in that order of nesting.

    ``parameter`` is the file's parameter that was changed, or None where the non-zero mass of the residual ``variable``
    was. ``own`` is the world's own value.
    """

    world: str
    title: str
    parameter: str | None
    variable: str | None
    own: Fraction
    values: tuple[Fraction, ...]
    questions: tuple[str, ...]
    levels: tuple[str, ...]
    rows: tuple[SweepRow, ...]

    @property
    def subject(self) -> str:
        """What was changed, in words."""
        return self.parameter if self.parameter is not None else f"the non-zero mass of {self.variable}"

    def line(self, question: str, level: str) -> tuple[SweepRow, ...]:
        """The rows of one question at one level, in the order of the values."""
        return tuple(row for row in self.rows if row.question == question and row.level == level)


def sweep(
    world: World | str | Path,
    values: Iterable[Number],
    *,
    parameter: str | None = None,
    variable: str | None = None,
    levels: Sequence[str] | None = None,
    question: str | None = None,
    workers: int | None = 1,
    advance: Callable[[int, int], None] = _unwatched,
) -> Sweep:
    """ε*, H and the prior at every level while one number of a world changes, each exactly.

    Parameters
    ----------
    values
        Exact numbers; a float stands for its shortest decimal text. `swept_values` reads ``0:0.6:0.05``.
    parameter
        One of the file's named ``parameters``. Without it the non-zero mass of a residual is changed.
    variable
        Which residual, where there are several.
    levels, question
        Some of the world's, by default all.
    workers
        Processes; None for one on each core where that pays. The result is the same. More than one needs a script
        that does its work under ``if __name__ == "__main__"``.
    advance
        Called after each piece of work with the number of those done and of all.

    Raises
    ------
    QueryError
        Unknown names, a value that is no number or no probability.
    SpecError, NetworkError
        With one of the values the file does not say a world; the value is named.

    Examples
    --------
    >>> for row in sweep("credit_risk", [0, "0.24", "1/2"], levels=["medium"]).rows:
    ...     print(row.value, f"{float(row.error):.6f} {row.entropy:.6f} {float(row.prior):.6f}")
    0 0.098992 0.162079 0.206026
    6/25 0.107939 0.211639 0.210876
    1/2 0.115540 0.245011 0.216130
    """
    held = world if isinstance(world, World) else load(world)
    numbers = checked_values(values)
    questions = tuple([held.question(question).name] if question else held.questions)
    named = tuple(dict.fromkeys(held.level(level).name for level in levels) if levels else held.levels)
    if not questions or not named:
        raise QueryError(Fault(code="sweep/nothing", message=f"{held.name} has no question or no level to sweep"))
    if parameter is not None and variable is not None:
        raise QueryError(Fault(code="sweep/both", message="a parameter and a residual cannot be swept at once"))
    work: Any
    if parameter is not None:
        work = ParameterWork(world=held, parameter=parameter, questions=questions, levels=named)
    else:
        variable = only_residual(held.network, variable)
        work = ResidualWork(world=held, variable=variable, questions=questions, levels=named)
    own = work.own(numbers)
    tasks = work.tasks(numbers)
    done = iter(range(1, len(tasks) + 1))
    with Crew(work, workers, lambda: advance(next(done), len(tasks))) as crew:
        answers = crew.map(tasks)
    found = {(row.question, row.level, row.value): row for answer in answers for row in answer}
    return Sweep(
        world=held.name,
        title=held.title,
        parameter=parameter,
        variable=variable,
        own=own,
        values=numbers,
        questions=questions,
        levels=named,
        rows=tuple(found[q, level, value] for q in questions for level in named for value in numbers),
    )
