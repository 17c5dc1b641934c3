"""The cells of a truth and its labels: numbers and texts, or the error that they are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.scores.inputs import Array
from pbn.scoring.files import Column, Numbers

EXACT = 2**53
"""Every whole number below it is a float of its own."""


def whole_numbers(column: Column, name: str, path: Path) -> Array:
    """A column of whole numbers, int64. Floats are taken below 2^53: beyond it they are not the number."""
    if isinstance(column, Numbers):
        values = column.values
        if values.dtype.kind == "f":
            fit = (np.abs(values) < EXACT) & (values == np.floor(values))
        else:
            fit = values <= np.iinfo(np.int64).max
        if (fit & ~column.empty).all():
            return values.astype(np.int64)
    else:
        cells = [_whole(cell) for cell in column]
        if None not in cells:
            return np.array(cells, dtype=np.int64)
    message, allowed = f"column {name} of {str(path)[:200]} holds what is no whole number", "64 bits; floats below 2^53"
    refuse("value", message, allowed=allowed)


def _whole(cell: Any) -> int | None:
    """The whole number of 64 bits in a cell, if it is one."""
    if isinstance(cell, bool) or not isinstance(cell, int | float | str):
        return None
    try:
        number = int(cell) if isinstance(cell, int | str) else None
    except ValueError:
        number = None
    if number is not None:
        return number if -(2**63) <= number < 2**63 else None
    try:
        decimal = float(cell)
    except ValueError:
        return None
    return int(decimal) if abs(decimal) < EXACT and decimal.is_integer() else None


def texts(column: Column, name: str, path: Path) -> list[str]:
    """A column of texts, none of them empty."""
    if isinstance(column, list) and all(isinstance(cell, str) and 0 < len(cell) <= 1000 for cell in column):
        return column
    refuse("value", f"column {name} of {str(path)[:200]} holds what is no text")


def numbers(column: Column, name: str, path: Path) -> Array:
    """A column of finite numbers, float64."""
    try:
        if isinstance(column, Numbers):
            values = np.where(column.empty, np.nan, column.values)
        else:
            values = np.array([np.nan if cell is None else float(cell) for cell in column], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        refuse("value", f"column {name[:100]} of {str(path)[:200]} holds what is no number")
    return values


def refuse(
    code: str, message: str, found: str | None = None, allowed: str | None = None, hint: str | None = None
) -> NoReturn:
    """Raise the error of a truth."""
    raise QueryError(Fault(code=f"truth/{code}", message=message, found=found, allowed=allowed, hint=hint))
