"""Exact inversion, apart from any world."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.cases.choice import Choices, code_type, decide, floors
from tests.cases.reference import choose

weights = st.lists(st.integers(0, 2**40), min_size=1, max_size=9).filter(any)
digits = st.lists(st.one_of(st.sampled_from([0, 1, 2**63, 2**64 - 1]), st.integers(0, 2**64 - 1)), min_size=1)


@given(st.lists(st.tuples(st.integers(0, 2**61), st.integers(1, 2**61)), min_size=1), st.sampled_from([1, 2**40]))
@settings(deadline=None)
def test_floors_equal_integer_division(pairs, scale):
    cumulative = [min(pair) * scale for pair in pairs]
    totals = [max(*pair, 1) * scale for pair in pairs]
    expected = [min((c << 64) // t, 2**64 - 1) for c, t in zip(cumulative, totals, strict=True)]
    dtype = np.int64 if scale == 1 else object
    assert floors(np.array(cumulative, dtype=dtype), np.array(totals, dtype=dtype)).tolist() == expected


@given(weights, digits)
def test_decide_equals_fractions(row, words):
    probabilities = [Fraction(weight, sum(row)) for weight in row]
    words = [*words, 2**62 + 5, 12345]
    assert decide(row, words) == choose(probabilities, lambda depth: words[depth])


@given(st.lists(weights, min_size=1, max_size=5), st.data(), st.sampled_from(["int64", object]), st.integers(1, 2**18))
@settings(deadline=None)
def test_rows_of_different_lengths_with_guides_of_any_size(table, data, dtype, room):
    starts = np.cumsum([0, *(len(row) for row in table)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pbn.cases.choice._GUIDE", room)
        choices = Choices.of_rows(np.array([w for row in table for w in row], dtype=dtype), starts)
    near = st.tuples(st.sampled_from(choices.bounds.tolist()), st.integers(-2, 2)).map(
        lambda t: min(max(sum(t), 0), 2**64 - 1)
    )
    words = data.draw(st.lists(st.one_of(near, st.integers(0, 2**64 - 1)), min_size=1, max_size=30))
    rows = data.draw(st.lists(st.integers(0, len(table) - 1), min_size=len(words), max_size=len(words)))
    further = data.draw(st.lists(st.sampled_from([0, 2**63, 2**64 - 1]), min_size=len(words), max_size=len(words)))

    def refine(element, depth):
        return further[element] if depth == 1 else 2**62 + depth * 10**15

    drawn = choices.draw(np.array(words, dtype=np.uint64), np.array(rows), refine)
    for k, (word, row) in enumerate(zip(words, rows, strict=True)):
        shares = [Fraction(weight, sum(table[row])) for weight in table[row]]
        assert drawn[k] == choose(shares, lambda depth, k=k, word=word: refine(k, depth) if depth else word)
        assert table[row][drawn[k]] > 0


def test_one_row_needs_no_row_numbers():
    choices = Choices.of_table(np.array([1, 2, 1]))
    words = np.array([0, 2**62 - 1, 2**62, 2**63, 3 * 2**62 - 1, 3 * 2**62, 2**64 - 1], dtype=np.uint64)
    assert choices.draw(words, None, lambda *_: 0).tolist() == [0, 0, 1, 1, 1, 2, 2]


def test_sums_of_many_rows_beyond_64_bits():
    choices = Choices.of_table(np.full((50, 2), 2**60))
    words = np.array([2**63 - 1, 2**63] * 50, dtype=np.uint64)
    assert choices.draw(words, np.repeat(np.arange(50), 2), lambda *_: 0).tolist() == [0, 1] * 50


def test_codes_leave_room_for_one_more_number():
    assert [code_type(size) for size in (1, 255, 256, 65535, 65536)] == [np.uint8] * 2 + [np.uint16] * 2 + [np.uint32]
