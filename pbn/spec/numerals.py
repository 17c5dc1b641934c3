"""Numbers and ranges as a world file writes them, exactly."""

from __future__ import annotations

import re
from fractions import Fraction

from pbn.spec.nodes import Scalar

MAX_STATES = 100_000

_NUMERAL = re.compile(r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?|[0-9]+/[0-9]+)")
_RANGE = re.compile(r"(?:([A-Za-z])\.\.([A-Za-z])|([+-]?[0-9]{1,15})\.\.([+-]?[0-9]{1,15}))")
_RANGE_LIKE = re.compile(r"\S+\.\.\S+")


def numeral(text: str) -> Fraction | None:
    """The exact value of a numeral, or None where the text is not one.

    Examples
    --------
    >>> numeral(".48"), numeral("3/4"), numeral("1e-3"), numeral("yes")
    (Fraction(12, 25), Fraction(3, 4), Fraction(1, 1000), None)
    """
    if len(text) > 40 or not _NUMERAL.fullmatch(text):
        return None
    top, slash, bottom = text.partition("/")
    if slash and not int(bottom):
        return None
    if slash:
        return Fraction(int(top), int(bottom))
    return Fraction(int(text)) if text.lstrip("+-").isdigit() else Fraction(text)


def decimal(number: Fraction) -> str:
    """A fraction as a decimal where that ends within 40 digits, else as ``n/d``, shortened where it is huge.

    Examples
    --------
    >>> decimal(Fraction(999, 1000)), decimal(Fraction(8, 9))
    ('0.999', '8/9')
    """
    rest, digits = number.denominator, 0
    while digits < 40 and rest > 1:
        common = 10 if rest % 10 == 0 else 5 if rest % 5 == 0 else 2 if rest % 2 == 0 else 0
        if not common:
            break
        rest //= common
        digits += 1
    if number.numerator.bit_length() > 400 or number.denominator.bit_length() > 400:
        return f"about {float(number):.6g}" if number.numerator.bit_length() < 1000 else "a number of over 300 digits"
    if rest > 1:
        return f"{number.numerator}/{number.denominator}"
    scaled = abs(number.numerator) * 10**digits // number.denominator
    text = str(scaled).rjust(digits + 1, "0")
    text = f"{text[:-digits]}.{text[-digits:]}" if digits else text
    return ("-" if number < 0 else "") + text


class BadRange(Exception):
    """A text that looks like a range and is none; its message says why."""


def expand(scalar: Scalar, most: int = MAX_STATES) -> tuple[str, ...]:
    """The states that one item stands for: a range unless it is quoted, else itself.

    Examples
    --------
    >>> from pbn.spec.source import read_text
    >>> [expand(item) for item in read_text("[a..c, -1..1, red, 'a..c']").items]
    [('a', 'b', 'c'), ('-1', '0', '1'), ('red',), ('a..c',)]
    """
    text = scalar.text
    if scalar.quoted or not _RANGE_LIKE.fullmatch(text):
        return (text,)
    match = _RANGE.fullmatch(text)
    if not match:
        raise BadRange("this is not a range: a range is a..z or -5..5")
    if match[1]:
        if match[1].islower() != match[2].islower():
            raise BadRange("a range of letters is a..z or A..Z")
        low, high = ord(match[1]), ord(match[2])
    else:
        low, high = int(match[3]), int(match[4])
    if low > high:
        raise BadRange("this range runs backwards")
    if high - low >= most:
        raise BadRange(f"this range has {high - low + 1:,} states, at most {most:,} are allowed")
    return tuple((chr if match[1] else str)(number) for number in range(low, high + 1))
