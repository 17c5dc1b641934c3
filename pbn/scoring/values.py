"""What a cell of a prediction file says: a probability or a decision, or why it is neither."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from pbn.scores.inputs import SUM_TOLERANCE, Array
from pbn.scoring.files import Column, Numbers

REASONS = ("", "empty", "no number", "NaN", "infinite", "negative", "above 1", "percent sign", "decimal comma",
           "sum is not 1", "no such state", "conflicting rows")  # fmt: skip
"""Why a prediction is invalid, by code; 0 stands for valid."""
(VALID, EMPTY, NO_NUMBER, NAN, INFINITE, NEGATIVE, ABOVE, PERCENT, COMMA, SUM, NO_STATE, CONFLICT) = range(12)

ROUNDING, MOST_OFF = 0.005, 0.05
"""How far a sum may be from 1 for each state, which is what two decimals make of it, and at most."""
NOISE = SUM_TOLERANCE / 2
"""Sums no further from 1, such as those of 32-bit floats, are left as they are."""

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


def summed(probs: Array, reasons: Array) -> tuple[Array, Array, Array]:
    """Rows of probabilities that sum to 1, why a row is none, and how far the sum was off where it was rescaled.

    A sum that rounding explains, off by no more than `tolerance`, is divided by; another row is invalid.

    Examples
    --------
    >>> probs, why, off = summed(np.array([[0.33, 0.33, 0.33], [0.5, 0.5, 0.1]]), np.zeros((2, 3), np.uint8))
    >>> probs[0].round(6).tolist(), [REASONS[code] for code in why], off.round(6).tolist()
    ([0.333333, 0.333333, 0.333333], ['', 'sum is not 1'], [-0.01, 0.0])
    """
    why: Array = reasons[np.arange(len(reasons)), np.argmax(reasons != VALID, axis=1)]
    total = probs.sum(axis=1)
    off = np.where(why == VALID, total - 1, 0.0)
    off[np.abs(off) <= NOISE] = 0.0
    wrong = np.abs(off) > tolerance(probs.shape[1]) + 1e-9
    why[wrong], off[wrong] = SUM, 0.0
    rounded = off != 0
    probs = probs.copy()
    probs[rounded] /= total[rounded, None]
    return probs, why, off


def tolerance(states: int) -> float:
    """How far the sum of so many probabilities may be from 1.

    Examples
    --------
    >>> tolerance(2), tolerance(8), tolerance(26)
    (0.01, 0.04, 0.05)
    """
    return min(states * ROUNDING, MOST_OFF)


def remedy(code: int, states: int) -> tuple[str, str | None]:
    """What is allowed in place of invalid probabilities, and what to do.

    Examples
    --------
    >>> remedy(PERCENT, 2)
    ('numbers from 0 to 1', 'write 0.7 in place of 70%')
    """
    if code == SUM:
        return f"sums from {1 - tolerance(states):g} to {1 + tolerance(states):g}", "divide each row by its sum"
    if code == CONFLICT:
        return "one row for each case, or rows that say the same", None
    return "numbers from 0 to 1", _HINTS.get(code)


_HINTS = {
    ABOVE: "percentages are divided by 100",
    PERCENT: "write 0.7 in place of 70%",
    COMMA: "write 0.7 in place of 0,7",
}

BLANK, OTHER = -2, -3
"""Codes of a decision: nothing, and a text that is no state of any question, which is one of many such."""
MOST_OTHERS = 1000


def decisions_of(column: Column, known: Mapping[str, int], others: dict[str, int]) -> Array:
    """Codes of the texts in a column by ``known``, `BLANK` or `OTHER`; numbers are read as the texts of them.

    The first texts that are not known are put into ``others``, with codes of their own below `OTHER`.

    Examples
    --------
    >>> others = {}
    >>> decisions_of(["yes", " no ", "", None, "maybe", True], {"no": 0, "yes": 1}, others)
    array([ 1,  0, -2, -2, -4, -5], dtype=int32)
    >>> others
    {'maybe': -4, 'True': -5}
    """
    if isinstance(column, Numbers):
        cells: list[Any] = [None if no else cell for cell, no in zip(column.values.tolist(), column.empty, strict=True)]
    else:
        cells = column
    return np.array([_decision(cell, known, others) for cell in cells], dtype=np.int32)


def _decision(cell: Any, known: Mapping[str, int], others: dict[str, int]) -> int:
    if cell is None or cell != cell:
        return BLANK
    if isinstance(cell, int | float) and not isinstance(cell, bool) and abs(cell) < 10**15:
        cell = str(int(cell)) if cell == int(cell) else repr(float(cell))
    if isinstance(cell, str):
        text = cell.strip()
        if not text:
            return BLANK
        if text in known:
            return known[text]
    else:
        text = shown_cell(cell)
    if text[:64] not in others:
        if len(others) >= MOST_OTHERS:
            return OTHER
        others[text[:64]] = OTHER - 1 - len(others)
    return others[text[:64]]


def shown_text(name: str) -> str:
    r"""A name by anybody for a report: cut, and nothing in it that a terminal obeys.

    Examples
    --------
    >>> shown_text("a\x1b[31mb\ud800"), len(shown_text("a" * 1000))
    ('a?[31mb?', 64)
    """
    return "".join(character if character.isprintable() else "?" for character in name[:64])


def shown_cell(cell: Any) -> str:
    """A cell as an example of what was found.

    Examples
    --------
    >>> shown_cell("70%"), shown_cell(1.2), shown_cell(True), shown_cell([0.5])
    ('70%', '1.2', 'True', 'a list')
    """
    return str(cell) if isinstance(cell, str | bool | int | float) else f"a {type(cell).__name__}"
