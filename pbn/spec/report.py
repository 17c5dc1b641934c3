"""Collecting the faults of a world file, so that all of them are reported at once."""

from __future__ import annotations

from pbn.errors import Faults, SpecError
from pbn.spec.nodes import Scalar
from pbn.spec.rule_text import Problem


class Report(Faults):
    """The faults of a world file found so far."""

    def __init__(self) -> None:
        super().__init__(SpecError, "spec")

    def problem(self, problem: Problem, scalar: Scalar) -> None:
        """Record what is wrong with the expression that a scalar holds."""
        self.add(
            problem.code,
            problem.message,
            scalar.place_of(problem.offset),
            found=shorten(scalar.text),
            allowed=problem.allowed,
            hint=problem.hint,
        )


def shorten(text: str, most: int = 60) -> str:
    """A value of the file as a message can show it: on one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
