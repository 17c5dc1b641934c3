"""How much work one file may ask for in all."""

from __future__ import annotations

from pbn.errors import Place
from pbn.spec.report import Report

MAX_VARIABLES = 10_000
MAX_CELLS = 1_000_000

_WORK = {"variables": MAX_VARIABLES, "states": 1_000_000, "probabilities": MAX_CELLS,
         "probabilities of grids and counts": 10_000_000, "dependencies": 1_000_000,
         "states times parts of rules": 100_000_000}  # fmt: skip


class Limits:
    """Counts down what a file has used up, and ends the reading when it asks for too much."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._left = dict(_WORK)

    def spend(self, what: str, amount: int, place: Place) -> None:
        """Use up some of what is left."""
        self._left[what] -= amount
        if self._left[what] < 0:
            self.report.add(
                "spec/too-large", f"the file has too many {what}", place, allowed=f"at most {_WORK[what]:,} in all"
            )
            self.report.raise_any()
