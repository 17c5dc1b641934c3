"""Several measurements behind one promise, each on its own: one that is refused hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from pbn.check.report import Finding, skipped
from pbn.errors import BudgetError

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def each(measure: Callable[[Key], Value], keys: Iterable[Key]) -> tuple[dict[Key, Value], dict[Key, str]]:
    """What was measured of each key, and why the others were refused for what they cost."""
    found: dict[Key, Value] = {}
    refused: dict[Key, str] = {}
    for key in keys:
        try:
            found[key] = measure(key)
        except BudgetError as error:
            refused[key] = error.faults[0].message
    return found, refused


def judged(finding: Finding, refused: Mapping[str, str], showed: str) -> Finding:
    """What was measured, judged where some of it was refused: it can break a promise, and cannot keep it.

    Parameters
    ----------
    finding
        Of what was measured alone.
    refused
        What was not measured, and why.
    showed
        What the rest showed; empty where nothing was measured.
    """
    if not refused:
        return finding
    missing = f"not measured: {', '.join(refused)}"
    if finding.outcome == "fail":
        return replace(finding, detail=f"{finding.detail}; {missing}")
    why = next(iter(refused.values()))
    if not showed:
        return skipped(f"{missing} ({why})")
    return replace(skipped(f"{missing} ({why}); {showed}"), figure="partly measured")


def of_cases(refused: Mapping[int, str], count: int) -> dict[str, str]:
    """Refused cases of ``count`` as one entry: they are too many to be named."""
    return {f"{len(refused)} of {count} cases": why for why in list(refused.values())[:1]}
