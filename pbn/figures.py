"""How numbers are written: decimals, exact fractions, and figures beside published ones."""

from __future__ import annotations

import re
from decimal import Context, Decimal
from fractions import Fraction

_DECIMAL = re.compile(r"[+-]?\d*\.?(\d*)(?:[eE]([+-]?\d+))?")
_CONTEXT = Context(prec=20)


def decimal(number: Fraction | float) -> str:
    """A probability with six decimals, or three digits where it is too close to 0 or 1 for that.

    Examples
    --------
    >>> decimal(Fraction(1, 3)), decimal(Fraction(1, 3 * 10**9)), decimal(1 - Fraction(1, 10**8)), decimal(1.0)
    ('0.333333', '3.33e-10', '1 - 1.00e-08', '1.000000')
    """
    if number < 0:
        return "-" + decimal(-number)
    if 0 < number < Fraction(1, 10**4):
        return scientific(number)
    if 1 - Fraction(1, 2 * 10**6) <= number < 1:
        return f"1 - {scientific(1 - number)}"
    return f"{float(number):.6f}"


def apart(number: Fraction, other: Fraction) -> str:
    """A probability as `decimal` writes it, with more decimals where it takes them to tell it from another.

    Examples
    --------
    >>> apart(Fraction(1, 3), Fraction(333333, 10**6)), apart(Fraction(1, 3), Fraction(1, 3))
    ('0.3333333', '0.333333')
    """
    if number == other or decimal(number) != decimal(other):
        return decimal(number)
    places = 7
    while round(number, places) == round(other, places):
        places += 1
    whole, rest = divmod(round(number * 10**places), 10**places)
    return f"{whole}.{rest:0{places}d}"


def scientific(number: Fraction | float) -> str:
    """A number with three digits and an exponent of at least two digits, however small it is."""
    if isinstance(number, float) or float(number) > 1e-300:
        return f"{float(number):.2e}"
    return f"{_CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator)):.2e}"


def fraction_text(number: Fraction) -> str:
    """An exact number, all its digits, of any length.

    Examples
    --------
    >>> fraction_text(Fraction(3, 4)), fraction_text(Fraction(2)), len(fraction_text(Fraction(1, 10**5000)))
    ('3/4', '2', 5003)
    """
    top = str(Decimal(number.numerator))  # Python's own conversion stops at 4,300 digits
    return top if number.denominator == 1 else f"{top}/{Decimal(number.denominator)}"


def agrees(number: Fraction | float, published: str) -> bool:
    """Whether a number, rounded to the digits that were published, is the published one.

    Examples
    --------
    >>> agrees(Fraction(2113, 10000), "0.211"), agrees(0.2116, "0.211"), agrees(Fraction(1, 52), "1/52")
    (True, False, True)
    """
    return abs(Fraction(number) - Fraction(published)) <= _half_unit(published)


def _half_unit(published: str) -> Fraction:
    match = _DECIMAL.fullmatch(published.strip())
    if match is None:
        return Fraction(0)  # a fraction is published in full
    return Fraction(10) ** (int(match[2] or 0) - len(match[1])) / 2


def count_text(count: int) -> str:
    """A count with thousands marked, in powers of ten where it is beyond telling; of any length.

    Examples
    --------
    >>> count_text(1_234_567), count_text(3**40), count_text(10**5000)
    ('1,234,567', '1.22e+19', '1.00e+5000')
    """
    return f"{count:,}" if count < 10**15 else f"{Decimal(count):.2e}"  # Python's own conversion stops at 4,300 digits


def size_text(count: int) -> str:
    """An amount of memory, of any length.

    Examples
    --------
    >>> size_text(2_000_000_000), size_text(5_578_464), size_text(12), size_text(10**40)
    ('2 GB', '5.58 MB', '12 bytes', '1.00e+28 TB')
    """
    for unit, size in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= size:
            amount = Decimal(count) / size
            return f"{amount:.3g} {unit}" if amount < 1000 else f"{count_text(int(amount))} {unit}"
    return f"{count} bytes"
