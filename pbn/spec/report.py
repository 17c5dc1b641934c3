"""Collecting the faults of a file, so that all of them are reported at once."""

from __future__ import annotations

from collections.abc import Iterable

from pbn.errors import Fault, Place, SpecError, nearest
from pbn.spec.nodes import Scalar
from pbn.spec.rule_text import Problem

MAX_SHOWN = 50
MAX_FOUND = 1_000


class Report:
    """The faults found so far; reading goes on after a fault as far as it makes sense.

    Examples
    --------
    >>> report = Report("demo.yaml")
    >>> report.add("spec/row-sum", "the row sums to 0.9, not 1", Place(file="demo.yaml", line=3, column=5))
    >>> report.close()
    Traceback (most recent call last):
    pbn.errors.SpecError: demo.yaml:3:5: spec/row-sum: the row sums to 0.9, not 1
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self._faults: list[Fault] = []

    def add(
        self,
        code: str,
        message: str,
        place: Place,
        *,
        found: str | None = None,
        allowed: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Record one fault; stops the reading once there are far too many."""
        self._faults.append(Fault(code=code, message=message, place=place, found=found, allowed=allowed, hint=hint))
        if len(self._faults) >= MAX_FOUND:
            self.close()

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

    def suggest(self, name: str, candidates: Iterable[str]) -> str | None:
        """The hint that names what ``name`` may have been meant for; costly, so for the first faults only."""
        return nearest(name, candidates) if len(self._faults) < MAX_SHOWN else None

    def __len__(self) -> int:
        return len(self._faults)

    def close(self) -> None:
        """Raise everything that was found, in the order of the file; nothing found, nothing raised."""
        if not self._faults:
            return
        faults = sorted(self._faults, key=_position)
        if len(faults) > MAX_SHOWN:
            rest = len(faults) - MAX_SHOWN
            least = "at least " if len(faults) >= MAX_FOUND else ""
            faults[MAX_SHOWN:] = [Fault(code="spec/more", message=f"and {least}{rest} more faults in {self.file}")]
        raise SpecError(*faults)


def _position(fault: Fault) -> tuple[int, int]:
    return (fault.place.line, fault.place.column) if fault.place else (0, 0)


def shorten(text: str, most: int = 60) -> str:
    """A value of the file as a message can show it: on one line, not too long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
