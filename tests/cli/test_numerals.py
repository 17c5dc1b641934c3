from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbn.cli.arguments import SIZE, parse_evidence
from pbn.cli.inquiry import split_pairs
from pbn.cli.numerals import agrees, apart, decimal, fraction_lines, fraction_text, size_text
from pbn.errors import QueryError

probabilities = st.fractions(min_value=0, max_value=1)


@given(probabilities)
def test_decimal_is_near_and_certain_only_where_it_is(number):
    text = decimal(number)
    told = 1 - Fraction(text[4:]) if text.startswith("1 - ") else Fraction(text)
    assert abs(told - number) <= Fraction(1, 10**6)
    assert (told == 0) == (number == 0)
    assert (told == 1) == (number == 1)


@given(probabilities, st.fractions(min_value=-1, max_value=1), st.integers(0, 50))
def test_two_numbers_are_told_apart_where_they_differ(number, change, places):
    other = min(max(number + change / 10**places, Fraction(0)), Fraction(1))
    texts = apart(number, other), apart(other, number)
    assert (texts[0] == texts[1]) == (number == other)
    for text, told in zip(texts, (number, other), strict=True):
        assert text == decimal(told) or abs(Fraction(text) - told) <= Fraction(1, 10**7)


@pytest.mark.parametrize("exponent", [5, 300, 320, 5000])
def test_small_and_nearly_certain_numbers(exponent):
    small = Fraction(1, 3 * 10**exponent)
    assert decimal(small) == f"3.33e-{exponent + 1:02}"
    assert decimal(1 - small).startswith("1 - " if exponent > 5 else "0.999997")
    assert float(Fraction(decimal(float(small)) if exponent < 300 else 0)) >= 0


@given(probabilities, st.integers(5, 60))
def test_fractions_lose_no_digit(number, width):
    text = fraction_text(number)
    assert Fraction(text) == number
    assert fraction_lines(text, width).replace("\n", "") == text


def test_fractions_of_any_length():
    number = Fraction(1, 7**6000)
    text = fraction_text(number)
    assert len(text) > 5000
    assert text[:2] == "1/"


@given(probabilities, st.integers(0, 8))
def test_a_rounded_number_agrees(number, places):
    published = f"{float(round(number, places)):.{places}f}"
    assert agrees(number, published)
    assert not agrees(number + Fraction(2, 10**places), published)


@pytest.mark.parametrize(("number", "published", "same"), [
    (Fraction(1, 52), "1/52", True), (Fraction(1, 53), "1/52", False), (Fraction(21, 1000), "2.1e-2", True),
    (Fraction(216, 10000), "2.1e-2", False), (Fraction(1, 2), ".5", True), (0.211, "0.211", True),
    (Fraction(1), "1.", True),
])  # fmt: skip
def test_numerals_of_all_kinds(number, published, same):
    assert agrees(number, published) is same


@pytest.mark.parametrize(("text", "size"), [
    ("4GB", 4 * 10**9), ("500 mb", 5 * 10**8), ("1.5GiB", 3 * 2**29), ("2000", 2000), ("7k", 7000), ("1TB", 10**12),
])  # fmt: skip
def test_sizes(text, size):
    assert SIZE.convert(text, None, None) == size


@pytest.mark.parametrize(
    "text", ["", "GB", "-1GB", "0", "4 parsecs", "1e9", "9" * 400, "iB", "9999999 TB", "١GB", "0.1"]
)
def test_no_sizes(pbn_command, text):
    result = pbn_command("--budget", text, "worlds")
    assert result.exit_code == 2
    assert "is no amount of memory" in result.stderr


def test_size_text_has_units():
    assert [size_text(10**k) for k in (0, 3, 6, 9, 12)] == ["1 bytes", "1 kB", "1 MB", "1 GB", "1 TB"]


names = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
states = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\"'="), min_size=1)


@given(st.dictionaries(names, st.lists(states, min_size=1, max_size=3).map(" ".join), max_size=5))
def test_a_line_gives_its_evidence_back(evidence):
    line = " ".join(f"{name}={state}" for name, state in evidence.items())
    assert parse_evidence(split_pairs(line)) == evidence
    quoted = "  ".join(f"{name} = '{state}'" for name, state in evidence.items())
    assert parse_evidence(split_pairs(quoted)) == evidence


@given(st.text())
def test_any_line_is_evidence_or_one_error(line):
    found = {}
    with suppress(QueryError):
        found = parse_evidence(split_pairs(line))
    assert all(name and state for name, state in found.items())
