"""Worlds whose table of the statistic is out of reach, and plans that need another price than the first."""

from __future__ import annotations

from fractions import Fraction
from math import prod

import pandas as pd
import pytest

import pbn


def naive_bayes(children):
    lines = [
        f"  x{k}: {{states: [no, yes], given: y, p: {{no: [.9, .1], yes: [{k + 1}/97, {96 - k}/97]}}}}"
        for k in range(children)
    ]
    return pbn.loads(
        "\n".join(
            [
                "name: naive\ntitle: Naive Bayes\nvariables:\n  y: {states: [no, yes]}",
                *lines,
                "questions: {y: {asks: y, kind: yes/no, text: Y?}}\nlevels: {all: {hide: []}}",
            ]
        )
    )


def expected(case):
    weights = [Fraction(1), Fraction(1)]
    for k, state in enumerate(case.values()):
        weights[0] *= Fraction(1, 10) if state == "yes" else Fraction(9, 10)
        weights[1] *= Fraction(96 - k if state == "yes" else k + 1, 97)
    return weights[1] / sum(weights)


def test_a_complete_case_is_answered_where_the_table_of_all_cases_is_out_of_reach():
    world = naive_bayes(40)
    case = {f"x{k}": ["no", "yes"][k % 3 == 0] for k in range(40)}
    with pytest.raises(pbn.BudgetError):
        world.bayes_error("all")
    assert world.posterior(case, "all").exact["yes"] == expected(case)
    other = {**case, "x7": "yes"}
    rows = world.posteriors(pd.DataFrame([case, other, case]), "all")
    assert rows[:, 1].tolist() == [float(expected(c)) for c in (case, other, case)]


def test_a_small_naive_bayes_has_the_same_answers_from_the_table():
    world = naive_bayes(4)
    case = {f"x{k}": "yes" for k in range(4)}
    assert world.posterior(case, "all").exact["yes"] == expected(case)
    assert "look-up" in world.posterior(case, "all").route


def test_a_letter_at_a_computed_position_can_be_asked():
    world = pbn.loads(
        "name: letters\ntitle: Letters\nvariables:\n  a: {repeat: 16, states: a..z}\n  p: {states: 1..16}\n"
        '  x: {rule: "a[p]"}\nquestions: {x: {asks: x, kind: choice, text: Which?}}\nlevels: {all: {hide: [p]}}\n'
    )
    assert set(world.posterior().exact.values()) == {Fraction(1, 26)}
    evidence = {f"a_{k}": "q" if k <= 4 else "z" for k in range(1, 17)}
    assert world.posterior(evidence, "all").exact["q"] == Fraction(4, 16)


def test_pairs_in_a_path_are_summed_in_reach():
    count = 24
    pairs = " + ".join(f"a{k} * a{k + 1}" for k in range(count - 1))
    lines = "\n".join(f"  a{k}: {{states: [0, 1], p: [.5, .5]}}" for k in range(count))
    world = pbn.loads(
        f"name: path\ntitle: Path\nvariables:\n{lines}\n  total: {{rule: '{pairs}'}}\n  y: {{rule: total >= 8}}\n"
        "questions: {y: {asks: y, kind: yes/no, text: Y?}}\nlevels: {all: {hide: []}}\n"
    )
    # by a transfer matrix: (last state, number of pairs so far) → weight
    weights = {(0, 0): 1, (1, 0): 1}
    for _ in range(count - 1):
        following = {}
        for (last, total), weight in weights.items():
            for state in (0, 1):
                key = state, total + last * state
                following[key] = following.get(key, 0) + weight
        weights = following
    assert world.posterior().exact["yes"] == Fraction(
        sum(w for (_, t), w in weights.items() if t >= 8), prod([2] * count)
    )
