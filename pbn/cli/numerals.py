"""How numbers are written for a terminal: fractions cut into lines, counts, amounts of memory."""

from __future__ import annotations

from fractions import Fraction

from pbn.figures import agrees, apart, count_text, decimal, fraction_text, scientific, size_text

__all__ = ["agrees", "apart", "count_text", "decimal", "fraction_lines", "fraction_shown", "fraction_text",
           "scientific", "size_text"]  # fmt: skip


def fraction_shown(number: Fraction, most: int = 200) -> str:
    """An exact number for people: its digits, or how many there are where nobody would read them.

    Examples
    --------
    >>> fraction_shown(Fraction(3, 4)), fraction_shown(Fraction(1, 10**300))
    ('3/4', 'a fraction of 302 digits (--json prints them)')
    """
    text = fraction_text(number)
    digits = sum(character.isdigit() for character in text)
    return text if len(text) <= most else f"a fraction of {digits:,} digits (--json prints them)"


def fraction_lines(text: str, width: int) -> str:
    """A fraction for a table: numerator and denominator on a line each where one line is too narrow."""
    return text if len(text) <= width else text.replace("/", "/\n")
