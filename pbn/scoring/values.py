"""What a cell of a prediction file says: a probability or a decision, or why it is neither."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pbn.scores.inputs import Array
from pbn.scoring.files import Column, Numbers

REASONS = ("", "empty", "no number", "NaN", "infinite", "negative", "above 1", "percent sign", "decimal comma",
           "sum is not 1", "no such state", "conflicting rows")  # fmt: skip
"""Why a prediction is invalid, by code; 0 stands for valid."""
(VALID, EMPTY, NO_NUMBER, NAN, INFINITE, NEGATIVE, ABOVE, PERCENT, COMMA, SUM, NO_STATE, CONFLICT) = range(12)

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_PERCENT = re.compile(r"[+-]?\d+([.,]\d+)?\s*%", re.ASCII)
_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
_WORDS = {"nan": NAN, "inf": INFINITE, "infinity": INFINITE}
_LONGEST = 60


def probabilities_of(column: Column) -> tuple[Array, Array]:
    """The numbers of a column, float64, NaN where it holds no probability, and why not, codes of `REASONS`.

    Examples
    --------
    >>> numbers, why = probabilities_of([0.25, "0.5", "70%", "0,7", "", None, 1.2, -1, "inf", "no", True])
    >>> [REASONS[code] for code in why]
    ['', '', 'percent sign', 'decimal comma', 'empty', 'empty', 'above 1', 'negative', 'infinite', 'no number',
     'no number']
    """
    if isinstance(column, Numbers):
        values = np.array(column.values, dtype=np.float64)
        why = np.zeros(len(values), dtype=np.uint8)
        with np.errstate(invalid="ignore"):
            why[values < 0], why[values > 1] = NEGATIVE, ABOVE
        why[np.isinf(values)], why[np.isnan(values)], why[column.empty] = INFINITE, NAN, EMPTY
    else:
        read = [_probability(cell) for cell in column]
        values = np.array([number for number, _ in read], dtype=np.float64)
        why = np.array([code for _, code in read], dtype=np.uint8)
    values[why != VALID] = np.nan
    return values + 0.0, why  # never -0.0


def _probability(cell: Any) -> tuple[float, int]:
    number = cell
    if cell is None:
        return math.nan, EMPTY
    if isinstance(cell, str):
        text = cell.strip()
        if not text:
            return math.nan, EMPTY
        if len(text) > _LONGEST:
            return math.nan, NO_NUMBER
        if not _NUMBER.fullmatch(text):
            if _PERCENT.fullmatch(text):
                return math.nan, PERCENT
            if _COMMA.fullmatch(text):
                return math.nan, COMMA
            return math.nan, _WORDS.get(text.lstrip("+-").lower(), NO_NUMBER)
        number = float(text)
    if isinstance(number, bool) or not isinstance(number, int | float):
        return math.nan, NO_NUMBER
    if 0 <= number <= 1:
        return float(number), VALID
    if number != number:
        return math.nan, NAN
    if number in (math.inf, -math.inf):
        return math.nan, INFINITE
    return math.nan, NEGATIVE if number < 0 else ABOVE


BLANK, OTHER = -2, -3
"""Codes of a decision: nothing, and a text that is no state of any question."""


def decisions_of(column: Column, known: Mapping[str, int]) -> Array:
    """Codes of the texts in a column by ``known``, `BLANK` or `OTHER`; numbers are read as the texts of them.

    Examples
    --------
    >>> decisions_of(["yes", " no ", "", None, "maybe", True], {"no": 0, "yes": 1})
    array([ 1,  0, -2, -2, -3, -3], dtype=int32)
    """
    if isinstance(column, Numbers):
        cells: list[Any] = [None if no else number for number, no in zip(column.values, column.empty, strict=True)]
    else:
        cells = column
    return np.array([_decision(cell, known) for cell in cells], dtype=np.int32)


def _decision(cell: Any, known: Mapping[str, int]) -> int:
    if cell is None or cell != cell:
        return BLANK
    if isinstance(cell, int | float) and not isinstance(cell, bool) and abs(cell) < 10**15:
        cell = str(int(cell)) if cell == int(cell) else repr(float(cell))
    if not isinstance(cell, str):
        return OTHER
    text = cell.strip()
    return known.get(text, OTHER) if text else BLANK
