"""Cases as rows of numbers in which a distance means something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from pbn.scores.inputs import Array, number, outcomes, real, whole, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A field with ``states`` states, given by their positions: one column for each state, 1 in its own, else 0."""

    states: int

    def __post_init__(self) -> None:
        whole(self.states, "a number of states")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A field of numbers with its declared support: one column, 0 at ``lower`` and 1 at ``upper``.

    The support is the field's and not the sample's: a sample whose numbers happen to lie close together stays so.
    """

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not -np.inf < number(self.lower) <= number(self.upper) < np.inf:
            found = f"{self.lower!r} to {self.upper!r}"
            raise wrong("support", "the support of a number is no interval", found=found, allowed="lower ≤ upper")


Field = Category | Number


def encode(columns: Sequence[ArrayLike], fields: Sequence[Field]) -> Array:
    """One row for each case, shape (n, d): categories one-hot, numbers scaled to [0, 1] by their declared support.

    Two cases that differ in one category are √2 apart, two at the ends of one number 1. A number with a single
    possible value is 0.

    Raises
    ------
    ScoreError
        ``scores/shape``: as many columns as fields, of one length, are needed; ``scores/empty``;
        ``scores/outcome``: a position that is no state's; ``scores/number``; ``scores/support``: a number outside
        its support.

    Examples
    --------
    >>> encode([[0, 2], [10, 4000]], [Category(states=3), Number(lower=0, upper=5000)])
    array([[1.   , 0.   , 0.   , 0.002],
           [0.   , 0.   , 1.   , 0.8  ]])
    """
    if len(columns) != len(fields) or not fields:
        found = f"{len(columns)} columns, {len(fields)} fields"
        raise wrong("shape", "each column needs its field, and at least one", found=found)
    rows = len(real(columns[0], "column 0"))
    parts = [
        _encoded(column, field, rows, f"column {j}")
        for j, (column, field) in enumerate(zip(columns, fields, strict=True))
    ]
    return np.concatenate(parts, axis=1)


def _encoded(column: ArrayLike, field: Field, rows: int, name: str) -> Array:
    if isinstance(field, Category):
        codes = outcomes(column, rows, field.states, name=name)
        found: Array = np.eye(field.states)[codes]
        return found
    numbers = real(column, name)
    if numbers.shape != (rows,):
        raise wrong("shape", f"{name} has the wrong shape", found=str(numbers.shape), allowed=str((rows,)))
    outside = ~((numbers >= field.lower) & (numbers <= field.upper))
    if outside.any():
        row = int(np.argmax(outside))
        allowed = f"{field.lower:g} to {field.upper:g}"
        raise wrong("support", f"row {row} of {name} is outside", found=repr(float(numbers[row])), allowed=allowed)
    width = field.upper - field.lower
    return ((numbers - field.lower) / (width or 1.0))[:, None]
