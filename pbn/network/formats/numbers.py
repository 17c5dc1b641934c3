"""Decimals of a file as exact integers over a power of ten, and exact laws as decimals again."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pbn.network.model import CPD, Array, Table

MAX_DIGITS = 400
"""A number with more characters, or a larger exponent, is refused: no double needs them."""
GRID_PLACES = 18
"""A row that must be rescaled becomes multiples of 10^-18, finer where it holds smaller probabilities."""
INT64_MAX = 2**62

_NUMBER = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Decimals:
    """Exact values ``scaled[token] / 10**places``; ``bad`` gives the reason for each token that is no probability."""

    scaled: dict[str, int]
    places: int
    bad: dict[str, str]


def exact_decimals(tokens: Iterable[str], slack: float = 0.0) -> Decimals:
    """The distinct numbers among ``tokens`` over one power of ten; none may exceed 1 + ``slack``.

    Examples
    --------
    >>> exact_decimals([".5", "0.25", "1e-3", "-1"])
    Decimals(scaled={'.5': 500, '0.25': 250, '1e-3': 1}, places=3, bad={'-1': 'is negative'})
    """
    parts: dict[str, tuple[int, int]] = {}
    bad: dict[str, str] = {}
    for token in dict.fromkeys(tokens):
        part = _mantissa(token)
        if isinstance(part, str):
            bad[token] = part
        elif part[0] < 0:
            bad[token] = "is negative"
        else:
            parts[token] = part
    places = max((places for _, places in parts.values()), default=0)
    places = max(places, 0)
    powers = {own: 10 ** (places - own) for own in {own for _, own in parts.values()}}
    scaled = {token: mantissa * powers[own] for token, (mantissa, own) in parts.items()}
    most = 10**places + int(slack * 10**18) * 10**places // 10**18
    for token in [token for token, value in scaled.items() if value > most]:
        bad[token] = "is greater than 1"
        del scaled[token]
    return Decimals(scaled=scaled, places=places, bad=bad)


def _mantissa(token: str) -> tuple[int, int] | str:
    """(m, d) with the token's value m / 10^d, or the reason why it has none."""
    if len(token) > MAX_DIGITS:
        return f"has more than {MAX_DIGITS} characters"
    whole, _, fraction = token.partition(".")
    digits = whole + fraction
    if digits.isdecimal() and digits.isascii():  # nearly all numbers, and faster than the pattern
        mantissa = int(digits)
        return mantissa, len(fraction) if mantissa else 0
    match = _NUMBER.fullmatch(token)
    if match is None:
        return "is not a number"
    sign, whole, fraction, exponent = match.groups("")
    digits = whole + fraction
    if not digits:
        return "is not a number"
    power = int(exponent or 0)
    if abs(power) > MAX_DIGITS:
        return f"has an exponent beyond {MAX_DIGITS}"
    mantissa = int(digits)
    return (-mantissa if sign == "-" else mantissa), len(fraction) - power if mantissa else 0


def grid_places(least: int, unit: int, digits: int = 12) -> int:
    """Decimal places at which a probability of ``least / unit`` keeps ``digits`` digits; at least `GRID_PLACES`."""
    return max(GRID_PLACES, digits + max(0, len(str(unit)) - len(str(least))))


def rescaled(weights: Array, unit: int) -> Array:
    """Each row in proportion to its weights, as integers that sum to ``unit``, by largest remainder.

    ``weights`` has shape (rows, states) and holds non-negative integers; no row may be all zero. A zero
    stays zero; the result is an object array. Ties of remainders go to the first state.

    Examples
    --------
    >>> rescaled(np.array([[1, 1, 1], [2, 0, 1]]), 100).tolist()
    [[34, 33, 33], [67, 0, 33]]
    """
    exact = weights.astype(object)
    totals = exact.sum(axis=1, keepdims=True)
    shares: Array = exact * unit // totals
    remainders = exact * unit - shares * totals
    missing = unit - shares.sum(axis=1, keepdims=True)
    order = np.argsort(-remainders, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    result: Array = shares + (rank < missing.astype(np.int64)).astype(np.int64).astype(object)
    return result


def decimal_places(number: int) -> int | None:
    """Decimals that a fraction with this denominator needs, or None where it does not end.

    Examples
    --------
    >>> decimal_places(8), decimal_places(10**15), decimal_places(3)
    (3, 15, None)
    """
    twos = (number & -number).bit_length() - 1
    rest, fives = number >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def decimal_text(value: int, places: int) -> str:
    """``value / 10**places`` without trailing zeros.

    Examples
    --------
    >>> decimal_text(250, 3), decimal_text(1000, 3), decimal_text(0, 3), decimal_text(1, 20)
    ('0.25', '1.0', '0.0', '0.00000000000000000001')
    """
    digits = f"{value:0{places + 1}d}"
    whole, fraction = (digits[:-places], digits[-places:].rstrip("0")) if places else (digits, "")
    return f"{whole}.{fraction or '0'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNumbers:
    """A CPD's entries as decimals in C order; ``exact`` is false where they had to be rounded."""

    tokens: list[str]
    exact: bool


def written_numbers(cpd: CPD, size: int) -> WrittenNumbers:
    """The decimals of a table or index map with ``size`` child states; every row sums to exactly 1.

    Decimals that end are written in full. Where one does not end, all of the table is rounded by largest
    remainder so that each number keeps at least 17 significant digits.
    """
    if not isinstance(cpd, Table):
        assert not hasattr(cpd, "terms"), "a fold is written as a chain of index maps"
        ones = (cpd.index[..., None] == np.arange(size)).ravel()
        return WrittenNumbers(tokens=["1.0" if one else "0.0" for one in ones.tolist()], exact=True)
    values, unit = cpd.numerators, cpd.denominator
    places = decimal_places(unit)
    exact = places is not None and places <= MAX_DIGITS - 2
    if places is None or not exact:
        least = min(value for value in values.ravel().tolist() if value > 0)
        places = grid_places(least, unit, digits=18)
        values, unit = rescaled(values.reshape(-1, size), 10**places), 10**places
    factor = 10**places // unit
    flat = values.ravel().tolist()
    text = {value: decimal_text(int(value) * factor, places) for value in set(flat)}
    return WrittenNumbers(tokens=[text[value] for value in flat], exact=exact)


def common_divisor(array: Array, unit: int) -> int:
    """Greatest common divisor of all entries and ``unit``."""
    if array.dtype == np.int64:
        return math.gcd(int(np.gcd.reduce(array, axis=None)), unit)
    return math.gcd(unit, *{int(value) for value in array.ravel().tolist()})
