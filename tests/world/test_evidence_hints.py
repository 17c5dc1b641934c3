"""A number that is no state is answered with the numbers around it, not with one that is spelt alike."""

from __future__ import annotations

import pytest

import pbn

WORLD = """
name: shop
title: A shop
variables:
  staff: {count: {negative_binomial: {median: 40, dispersion: 2}, from: 10, to: 500}}
  shelf: {states: [low, high], values: [1, 3]}
  total: {rule: shelf * 5 - 20}
  busy: {rule: staff > 40 and total < 0}
questions: {busy: {asks: busy, kind: yes/no, text: Is it busy?}}
levels: {all: {hide: []}}
"""


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("staff", 3, "the smallest is 10"),
        ("staff", 501, "the largest is 500"),
        ("staff", 200.5, "the numbers next to it are 200 and 201"),
        ("total", -10, "the numbers next to it are -15 and -5"),
        ("staff", "200x", "did you mean '200'?"),
        ("shelf", 2, None),
        ("shelf", "hihg", "did you mean 'high'?"),
    ],
)
def test_hint_for_a_value_that_is_no_state(name, value, hint):
    with pytest.raises(pbn.QueryError) as caught:
        pbn.loads(WORLD).posterior({name: value})
    assert caught.value.code == "query/unknown-state"
    assert caught.value.faults[0].hint == hint


def test_a_grid_beyond_what_floats_reach():
    """Numbers of a grid are compared as fractions, so that no evidence overflows."""
    big = " * ".join(["1e40"] * 8)
    crowd = "{measured: people, from: 0, to: 3 * big, step: big, cuts: [2 * big]}"
    head = f"parameters: {{big: {big}}}\nvariables:\n  people: {{states: [few, many]}}\n  crowd: {crowd}"
    world = pbn.loads(WORLD.replace("variables:", head))
    assert world.posterior({"crowd": 0.0}, query="people").exact["few"] == 1
    for value in (1.7e308, float("inf"), float("nan")):
        with pytest.raises(pbn.QueryError):
            world.posterior({"crowd": value}, query="people")
