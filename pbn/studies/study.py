"""What a study is: tasks that can be answered apart, and what their answers show."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import pbn
from pbn.figures import agrees
from pbn.world import World

Kind = Literal["exact", "counted", "bounded", "drawn"]
NOT_THERE = "not in our source"
"""What stands for a published figure where our source has none."""

FACTOR_WORLDS = ("peer_review", "credit_risk")
ALL_WORLDS = ("peer_review", "covert_transfer", "credit_risk")
TITLES: Mapping[str, str] = {
    "peer_review": "Peer review",
    "covert_transfer": "Covert transfer",
    "credit_risk": "Credit risk",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A published figure or claim, None where our source has none, beside ours.

    ``kind`` says how sure ours is: a rational number computed exactly, a count, a number with a proved bound, or one
    that depends on a draw. ``agrees`` is whether the two agree, None where that is not claimed; ``why`` says within
    what, and why they may differ.
    """

    quantity: str
    where: str
    published: str | None
    ours: str
    kind: Kind
    agrees: bool | None
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a study shows: its numbers as a table, figures as file ending → bytes, and comparisons."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    figure: Mapping[str, bytes]
    comparisons: tuple[Comparison, ...]

    def csv(self) -> str:
        """The table as CSV; floats with all their digits."""
        target = io.StringIO()
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(["" if cell is None else _cell(cell) for cell in row] for row in self.rows)
        return target.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A study: ``tasks(quick)`` are answered by ``answer(task, quick)``, in any process, and shown by ``show``.

    ``show(answers, quick)`` gets the answers in the order of the tasks. ``version`` changes whenever the numbers of a
    study do. ``worlds`` are those it reads. ``shrinks`` says that a quick run is smaller; others stay as they are.
    """

    name: str
    title: str
    about: str
    worlds: tuple[str, ...]
    tasks: Callable[[bool], Sequence[Any]]
    answer: Callable[[Any, bool], Any]
    show: Callable[[Sequence[Any], bool], Finding]
    shrinks: bool = True
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A finished study in a folder: ``files`` are its files' SHA-256 by ending, ``digest`` what its numbers depend on.

    ``reused`` says that it was found there.
    """

    name: str
    title: str
    about: str
    quick: bool
    digest: str
    seconds: float
    files: dict[str, str]
    comparisons: tuple[Comparison, ...]
    reused: bool = False


@functools.cache
def world_of(name: str) -> World:
    """A world that ships, loaded once in each process."""
    return pbn.load(name)


def compared(quantity: str, where: str, published: str | None, ours: Fraction, why: str = "") -> Comparison:
    """An exact figure beside a published one, which agrees if it is ours rounded to the published digits.

    Examples
    --------
    >>> compared("prior", "credit_risk", "0.211", Fraction(2109, 10000)).agrees
    True
    """
    same = None if published is None else agrees(ours, published)
    return claim(quantity, where, published, f"{float(ours):.6f}", same, why, "exact")


def near(quantity: str, where: str, published: str | None, ours: float, tolerance: float, why: str) -> Comparison:
    """A figure that depends on the draw beside a published one, which agrees if they are within a tolerance.

    Examples
    --------
    >>> near("E_HO", "k = 2", "0.144", 0.1448, 0.01, "three draws").agrees
    True
    """
    same = None if published is None else abs(ours - float(published)) <= tolerance
    why = f"± {tolerance:.3g}: {why}" if published is not None else why
    return claim(quantity, where, published, f"{ours:.4f}", same, why, "drawn")


def claim(
    quantity: str, where: str, published: str | None, ours: str, holds: bool | None, why: str, kind: Kind
) -> Comparison:
    """What is said, None where our source says nothing, beside what we find; ``holds`` is None where it is open."""
    return Comparison(quantity=quantity, where=where, published=published, ours=ours, kind=kind, agrees=holds, why=why)


def _cell(cell: object) -> str:
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return repr(float(cell)) if isinstance(cell, float) else str(cell)
