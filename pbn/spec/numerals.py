"""Numbers and ranges as a world file writes them, exactly."""

from __future__ import annotations

import math
import numbers
import re
from decimal import Decimal
from fractions import Fraction

from pbn.spec.nodes import Scalar

MAX_STATES = 100_000
MAX_BITS = 2_000
"""Binary digits that the numerator and denominator of a number given from outside may have together."""

Number = Fraction | Decimal | float | int | str
"""What is taken for an exact number; a float stands for its shortest decimal text."""

_DIGITS = f"numerator and denominator have at most {MAX_BITS:,} binary ones"
_NUMERAL = re.compile(r"[+-]?(?:(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]{1,2})?|[0-9]++/[0-9]++)")
_SCIENTIFIC = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)[eE]([+-]?)[0-9]++")
_RANGE = re.compile(r"(?:([A-Za-z])\.\.([A-Za-z])|([+-]?[0-9]{1,15})\.\.([+-]?[0-9]{1,15}))")
_NO_BLANKS = re.compile(r"\S+")


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


def exact(number: Number) -> Fraction | None:
    """The exact value of a number given from outside a file; None for what is none, NaN and infinities included.

    Examples
    --------
    >>> exact("0.3") == exact(0.3) == exact("3/10") == exact(Decimal("0.30")) == Fraction(3, 10)
    True
    >>> exact("nan"), exact(float("inf")), exact("a third"), exact(True)
    (None, None, None, None)
    """
    if isinstance(number, bool):
        return None
    if isinstance(number, numbers.Rational):
        value = Fraction(int(number.numerator), int(number.denominator))
    elif isinstance(number, float):
        if not math.isfinite(number):
            return None
        value = Fraction(float.__repr__(number))
    elif isinstance(number, Decimal):
        if not number.is_finite() or abs(number.adjusted()) > MAX_BITS:
            return None
        value = Fraction(number)
    else:
        text = str(number).strip()
        if len(text) > MAX_BITS or not _NUMERAL.fullmatch(text) or re.search("/0*$", text):
            return None
        value = Fraction(text)
    return value if value.numerator.bit_length() + value.denominator.bit_length() <= MAX_BITS else None


def not_exact(number: object) -> str:
    """Why `exact` takes no such number, in words.

    Examples
    --------
    >>> not_exact("1e-400"), not_exact("1/0")
    ("'1e-400' is too small: an exponent has at most two digits", "'1/0' divides by 0")
    >>> not_exact("a third"), not_exact(float("inf"))
    ("'a third' is no number", "'inf' is no number")
    """
    try:
        text = str(number).strip()
    except ValueError:  # Python does not print whole numbers of thousands of digits
        return f"a number of thousands of digits is too large: {_DIGITS}"
    shown = repr(text if len(text) <= 60 else f"{text[:59]}…")
    scientific = _SCIENTIFIC.fullmatch(text)
    if scientific and not _NUMERAL.fullmatch(text):
        return f"{shown} is too {'small' if scientific[1] == '-' else 'large'}: an exponent has at most two digits"
    if re.fullmatch("[+-]?[0-9]+/0+", text):
        return f"{shown} divides by 0"
    return f"{shown} has too many digits: {_DIGITS}" if _NUMERAL.fullmatch(text) else f"{shown} is no number"


def numeral_text(number: Fraction) -> str:
    """A number, all its digits, as a world file takes it: a decimal, else a fraction, else arithmetic.

    Examples
    --------
    >>> numeral_text(Fraction(3, 8)), numeral_text(Fraction(-1, 3))
    ('0.375', '-1/3')
    >>> numeral_text(Fraction(10**50 + 1, 3))
    '(100000000000000 * 1e36 + 1) / 3'
    """
    if number.numerator.bit_length() <= 400 and number.denominator.bit_length() <= 400:
        text = decimal(number)
        if len(text) <= 40:
            return text
    top, bottom = _integer_text(abs(number.numerator)), _integer_text(number.denominator)
    return f"{'-' if number < 0 else ''}{top}{'' if bottom == '1' else f' / {bottom}'}"


def _integer_text(number: int) -> str:
    """A whole number as arithmetic over numerals of at most 36 digits."""
    if number < 10**36:
        return str(number)
    return f"({_integer_text(number // 10**36)} * 1e36 + {number % 10**36})"


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
    if scalar.quoted or ".." not in text[1:-1] or not _NO_BLANKS.fullmatch(text):
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
        first, last = text.split("..")
        raise BadRange(f"this range begins with {first} and ends with {last}; write {last}..{first}")
    if high - low >= most:
        raise BadRange(f"this range has {high - low + 1:,} states, at most {most:,} are allowed")
    return tuple((chr if match[1] else str)(number) for number in range(low, high + 1))
