"""The cells of a truth and its labels: numbers and texts, or the error that they are none."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.scores.inputs import Array
from pbn.scoring.files import Column, Numbers


def whole_numbers(column: Column, name: str, path: Path) -> Array:
    """A column of whole numbers, int64."""
    values = numbers(column, name, path)
    if not ((values == np.floor(values)) & (np.abs(values) < 2**63)).all():
        refuse("value", f"column {name} of {str(path)[:200]} holds what is no whole number")
    if isinstance(column, list):  # beyond 2^53 a float is not the number
        return np.array([cell if isinstance(cell, int) else int(float(cell)) for cell in column], dtype=np.int64)
    return values.astype(np.int64)


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
