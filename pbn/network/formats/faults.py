"""Collecting the faults of a network file, so that all of them are reported at once."""

from __future__ import annotations

from pbn.errors import Fault, NetworkError, Place

MAX_FAULTS = 50
"""Faults that one error lists."""


class Faults:
    """Faults as they are found; the first `MAX_FAULTS` are shown."""

    def __init__(self) -> None:
        self.found: list[Fault] = []

    def add(
        self,
        code: str,
        message: str,
        place: Place,
        found: str | None = None,
        allowed: str | None = None,
        hint: str | None = None,
    ) -> None:
        """Keep one more fault."""
        self.found.append(
            Fault(code=f"network/{code}", message=message, place=place, found=found, allowed=allowed, hint=hint)
        )

    def raise_any(self) -> None:
        """Raise what was found, if anything was."""
        if len(self.found) > MAX_FAULTS:
            left = len(self.found) - MAX_FAULTS + 1
            self.found[MAX_FAULTS - 1 :] = [Fault(code="network/more", message=f"{left:,} more faults are not shown")]
        if self.found:
            raise NetworkError(*self.found)
