"""Randomness by name and row: word i of a variable's stream belongs to row i, whatever else is drawn."""

from __future__ import annotations

import hashlib
import json
import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Philox

from pbn.errors import Fault, QueryError
from pbn.network.model import Array

MAX_SEED, MAX_ROW = 2**63, 2**62
"""Seeds and row numbers are whole numbers from 0 that stay below these."""

_BUFFER = 4  # words that one step of Philox's counter gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Streams:
    """One stream of 64-bit words for each name and depth, a function of ``source`` and the name alone.

    Word i is output i of ``numpy.random.Philox`` (4×64 bits) from counter 0, whose 128-bit key is the first 16
    bytes, little end first, of SHA-256 over the JSON text of ``[*source, name, depth]``. Depth 0 holds each row's
    first word; where that does not decide, the words of depths 1, 2, … at the same place follow it.

    Examples
    --------
    >>> streams = Streams(source=("example", 7))
    >>> whole = streams.words("coin", 0, 10)
    >>> (streams.words("coin", 3, 5) == whole[3:8]).all(), streams.word("coin", 9) == whole[9]
    (np.True_, np.True_)
    """

    source: tuple[object, ...]

    def key(self, name: str | Sequence[str], depth: int = 0) -> Array:
        """The key of a stream, as the two words that `numpy.random.Philox` takes."""
        text = json.dumps([*self.source, name, depth], ensure_ascii=True, separators=(",", ":"))
        return np.frombuffer(hashlib.sha256(text.encode()).digest()[:16], dtype="<u8").astype(np.uint64)

    def words(self, name: str | Sequence[str], start: int, count: int) -> Array:
        """The words of ``count`` rows from ``start`` on, shape (count,), uint64."""
        return _words(self.key(name), start, count)

    def word(self, name: str | Sequence[str], row: int, depth: int = 0) -> int:
        """One row's word at a depth."""
        return int(_words(self.key(name, depth), row, 1)[0])


def _words(key: Array, start: int, count: int) -> Array:
    skipped = start % _BUFFER
    words: Array = Philox(key=key, counter=start // _BUFFER).random_raw(skipped + count)
    return words[skipped:]


def checked_seed(seed: object) -> int:
    """The seed as a whole number.

    Raises
    ------
    QueryError
        ``cases/seed``: it is no whole number from 0 to 2^63 − 1.
    """
    return _whole("cases/seed", "a seed", seed, MAX_SEED)


def checked_row(row: object) -> int:
    """A row number as a whole number.

    Raises
    ------
    QueryError
        ``cases/row``: it is no whole number from 0 to 2^62 − 1.
    """
    return _whole("cases/row", "a row number", row, MAX_ROW)


def checked_rows(start: object, stop: object) -> tuple[int, int]:
    """The first row and the end of a run of rows, as whole numbers.

    Raises
    ------
    QueryError
        ``cases/row``: one is no whole number, the run ends before it starts or goes beyond row 2^62 − 1.
    """
    first = _whole("cases/row", "a row number", start, MAX_ROW + 1)
    end = _whole("cases/row", "a row number", stop, MAX_ROW + 1)
    if first > end:
        raise QueryError(
            Fault(
                code="cases/row", message="rows end before they start", found=f"from {first} to {end}",
                hint="the end is the number of the last row plus one",
            )
        )  # fmt: skip
    return first, end


def _whole(code: str, what: str, value: object, end: int) -> int:
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or not 0 <= number < end:
        raise QueryError(
            Fault(
                code=code,
                message=f"{what} is a whole number from 0 on",
                found="a number of more than 60 digits"
                if number is not None and abs(number) >= 10**60
                else repr(value)[:60],
                allowed=f"0 to 2^{end.bit_length() - 1} − 1",
            )
        )
    return number
