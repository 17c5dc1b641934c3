"""The pruned search against going through every set, and within its bounds."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.tuning.search import nearest_sets


@st.composite
def monotone_functions(draw):
    """A function of sets that never falls when the set grows, and how many members there are."""
    size = draw(st.integers(0, 6))
    weights = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    jumps = draw(st.lists(st.tuples(st.integers(1, 2**size), st.integers(0, 5)), max_size=6))
    cap = draw(st.integers(2, 12))

    def value(mask):
        total = sum(weight for k, weight in enumerate(weights) if mask >> k & 1)
        return Fraction(min(cap, total + max([jump for part, jump in jumps if part & mask == part], default=0)))

    return value, size


def order(mask, size):
    return mask.bit_count(), tuple(k for k in range(size) if mask >> k & 1)


def by_every_set(value, size, target):
    sets = [(mask, value(mask)) for mask in range(2**size)]
    below = [entry for entry in sets if entry[1] <= target]
    above = [entry for entry in sets if entry[1] >= target]
    return (
        min(below, key=lambda entry: (-entry[1], *order(entry[0], size)), default=None),
        min(above, key=lambda entry: (entry[1], *order(entry[0], size)), default=None),
    )


@settings(deadline=None, max_examples=120)
@given(monotone_functions(), st.integers(0, 26))
def test_the_same_sets_as_without_pruning(function, halves):
    value, size = function
    target = Fraction(halves, 2)
    asked = []

    def evaluate(masks):
        asked.extend(masks)
        return [value(mask) for mask in masks]

    found = nearest_sets(evaluate, size, target, 10**6)
    assert (found.below, found.above) == by_every_set(value, size, target)
    assert found.exhaustive
    assert len(asked) == len(set(asked)) == found.evaluated <= 2**size
    assert (found.least, found.most) == (value(0), value(2**size - 1))


@settings(deadline=None, max_examples=50)
@given(monotone_functions(), st.integers(0, 26), st.integers(2, 20))
def test_a_bounded_search_says_whether_it_is_complete(function, halves, most):
    value, size = function
    target = Fraction(halves, 2)
    found = nearest_sets(lambda masks: [value(mask) for mask in masks], size, target, most)
    assert found.evaluated <= most
    for entry in (found.below, found.above):
        assert entry is None or value(entry[0]) == entry[1]
    if found.exhaustive:
        assert (found.below, found.above) == by_every_set(value, size, target)


def test_a_large_search_ends():
    found = nearest_sets(lambda masks: [Fraction(mask.bit_count()) for mask in masks], 60, Fraction(41, 2), 500)
    assert found.evaluated <= 500
    assert not found.exhaustive
    found = nearest_sets(lambda masks: [Fraction(mask >> 59) for mask in masks], 60, Fraction(1, 2), 500)
    assert (found.above, found.below) == ((1 << 59, 1), (0, 0))


@settings(deadline=None, max_examples=50)
@given(monotone_functions(), st.integers(0, 26), st.sets(st.integers(0, 63)))
def test_sets_over_the_budget_are_counted_and_passed_over(function, halves, dear):
    value, size = function
    target = Fraction(halves, 2)

    def priced(masks):
        return [None if mask in dear else value(mask) for mask in masks]

    found = nearest_sets(priced, size, target, 10**6)
    near = [(mask, value(mask)) for mask in range(2**size) if mask not in dear]
    above = min((entry for entry in near if entry[1] >= target), key=lambda e: (e[1], *order(e[0], size)), default=None)
    below = max((v for _, v in near if v <= target), default=None)
    assert found.above == above
    assert (found.below and found.below[1]) == below
    assert found.refused <= len(dear)
