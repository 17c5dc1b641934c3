"""The one exception tree of pbn: every error carries its code, its place and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position in a file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong: where it is, what was found, what was allowed, and what to do.

    Examples
    --------
    >>> print(Fault(code="query/unknown-state", message="sector has no state 'tech'",
    ...             hint="did you mean 'technology'?"))
    query/unknown-state: sector has no state 'tech'
      hint: did you mean 'technology'?
    """

    code: str
    message: str
    place: Place | None = None
    found: str | None = None
    allowed: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        head = f"{self.place}: " if self.place else ""
        lines = [f"{head}{self.code}: {self.message}"]
        details = (("found", self.found), ("allowed", self.allowed), ("hint", self.hint))
        lines += [f"  {label}: {text}" for label, text in details if text]
        return "\n".join(lines)


class PbnError(Exception):
    """Root of all errors that pbn raises on purpose; ``faults`` holds one `Fault` or several."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults: tuple[Fault, ...] = faults

    @property
    def code(self) -> str:
        """Code of the first fault, e.g. ``spec/row-sum``."""
        return self.faults[0].code

    def __str__(self) -> str:
        text = "\n".join(str(fault) for fault in self.faults)
        if len(self.faults) > 1:
            text += f"\n{len(self.faults)} faults"
        return text


class SpecError(PbnError):
    """A world file that does not say a world; all its faults at once."""


class NetworkError(PbnError):
    """A network that is not one: a cycle, a CPD of the wrong shape, a rule that fails."""


class QueryError(PbnError):
    """A question that cannot be answered: unknown names, hidden or impossible evidence."""


class BudgetError(PbnError):
    """An answer that would cost more than the budget allows; raised before anything is allocated."""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """A hint that names the candidate spelt most like ``name``, or None.

    Examples
    --------
    >>> nearest("contracton", ["expansion", "steady", "contraction"])
    "did you mean 'contraction'?"
    >>> nearest("tech", ["technology", "healthcare"])
    "did you mean 'technology'?"
    """
    close = closest(name, candidates)
    return f"did you mean {close!r}?" if close else None


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate spelt most like ``name``, or None; only short names and the first 500 candidates are compared."""
    if len(name) > 40:
        return None
    near = [candidate for candidate in islice(candidates, 500) if len(candidate) <= 60]
    begun = [candidate for candidate in near if len(name) >= 3 and candidate.lower().startswith(name.lower())]
    close = difflib.get_close_matches(name, near, n=1) or begun
    return close[0] if close else None


def listing(names: Iterable[str], most: int = 12) -> str:
    """The names in a row, cut after ``most`` of them."""
    names = list(names)
    shown = ", ".join(names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


MOST_SHOWN = 50
"""Faults of one file that its error lists."""
MOST_FOUND = 1_000
"""Faults after which a file is read no further."""


class Faults:
    """The faults of a file as they are found; reading goes on after a fault as far as it makes sense.

    ``family`` is where those that hold only the rest of a code belong.

    Examples
    --------
    >>> faults = Faults(SpecError, "spec")
    >>> faults.add("row-sum", "the row sums to 0.9, not 1", Place(file="demo.yaml", line=3, column=5))
    >>> faults.raise_any()
    Traceback (most recent call last):
    pbn.errors.SpecError: demo.yaml:3:5: spec/row-sum: the row sums to 0.9, not 1
    """

    def __init__(self, error: type[PbnError], family: str) -> None:
        self.error, self.family = error, family
        self._found: list[Fault] = []

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
        code = code if "/" in code else f"{self.family}/{code}"
        self.keep(Fault(code=code, message=message, place=place, found=found, allowed=allowed, hint=hint))

    def keep(self, fault: Fault) -> None:
        """Keep one more fault; ends the reading once there are far too many."""
        self._found.append(fault)
        if len(self._found) >= MOST_FOUND:
            self.raise_any()

    def suggest(self, name: str, candidates: Iterable[str]) -> str | None:
        """The hint that names what ``name`` may have been meant for; costly, so for the first faults only."""
        return nearest(name, candidates) if len(self._found) < MOST_SHOWN else None

    def __len__(self) -> int:
        return len(self._found)

    def raise_any(self) -> None:
        """Raise everything that was found, in the order of the file; nothing found, nothing raised."""
        if not self._found:
            return
        faults = sorted(self._found, key=_position)
        if len(faults) > MOST_SHOWN:
            least = "at least " if len(faults) >= MOST_FOUND else ""
            message = f"{least}{len(faults) - MOST_SHOWN:,} more faults are not shown"
            faults[MOST_SHOWN:] = [Fault(code=f"{self.family}/more", message=message)]
        raise self.error(*faults)


def _position(fault: Fault) -> tuple[int, int]:
    return (fault.place.line, fault.place.column) if fault.place else (0, 0)
