"""Sweeps: the worlds' own figures, the file's parameter, enumeration, processes, and what is refused."""

from __future__ import annotations

import math
import os
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.tuning.crew import Crew
from pbn.tuning.sweeps import sweep
from pbn.tuning.values import MOST_VALUES, swept_values
from tests.oracles.enumeration import Enumeration
from tests.oracles.factor_worlds import credit_risk
from tests.tuning.worlds import NOISY, noisy


@settings(deadline=None, max_examples=5)
@given(st.lists(st.fractions(0, 1, max_denominator=30), min_size=1, max_size=3, unique=True))
def test_against_enumeration_of_the_edited_file(values):
    world = noisy()
    swept = [sweep(world, values), sweep(world, values, parameter="mass"), sweep(world, values, parameter="sick")]
    assert swept[0].rows == swept[1].rows
    for found, key in zip(swept[1:], ("mass", "sick"), strict=True):
        for row in found.rows:
            edited = noisy(**{key: str(row.value)})
            law = Enumeration(edited.network)
            asked, visible = edited.question(row.question).asks, list(edited.visible(row.level))
            visible = [name for name in visible if name != asked]
            assert row.error == law.bayes_error(asked, visible)
            assert math.isclose(row.entropy, law.entropy(asked, visible), rel_tol=1e-9, abs_tol=1e-12)
            position = edited.network.variables[asked].states.index(edited.question(row.question).positive)
            assert row.prior == law.given([], asked)[()][position]


@pytest.mark.parametrize("name", ["credit_risk", "peer_review"])
def test_the_residual_and_the_files_parameter_agree(name):
    values = ["0", "1/3"]
    residual, parameter = sweep(name, values), sweep(name, values, parameter="residual_mass")
    assert residual.rows == parameter.rows
    assert residual.own == parameter.own == pbn.load(name).spec.parameters["residual_mass"]


def test_the_worlds_own_figures():
    world = pbn.load("credit_risk")
    found = sweep("credit_risk", ["0.24"])
    for row in found.rows:
        own = world.bayes_error(row.level)
        assert (row.error, row.entropy, row.prior) == (own.exact, own.entropy, Fraction(2108757137735734623, 10**19))
    oracle = credit_risk()
    assert Fraction(int(oracle.positive.sum()), oracle.total) == found.rows[0].prior


def test_one_residual_of_several_changes_its_own_question_only():
    found = sweep("support_ticket", [0, "0.06", "0.5"], variable="clerical_slip")
    assert found.own == Fraction(6, 100)
    assert len(found.rows) == 27
    for level in found.levels:
        assert len({row.error for row in found.line("priority", level)}) == 1
        assert len({row.error for row in found.line("queue", level)}) == 3
    assert {row.prior for row in found.rows if row.question != "angry"} == {None}
    one = sweep("support_ticket", ["0.06"], parameter="slip", levels=["high"], question="queue")
    assert one.rows == found.line("queue", "high")[1:2]


@pytest.mark.parametrize(("options", "count"), [({}, 150), ({"parameter": "mass"}, 20)])
def test_processes_change_nothing(options, count):
    world, values = noisy(), [Fraction(k, count) for k in range(count + 1)]
    told = []
    spread = sweep(world, values, workers=2, advance=lambda done, total: told.append((done, total)), **options)
    assert spread == sweep(world, values, **options) == sweep(world, values, workers=None, **options)
    assert told == [(k + 1, len(told)) for k in range(len(told))]
    assert len(told) > 2


def test_an_error_in_a_process_is_the_same_error():
    """The least and greatest value are possible here; the one between them is not."""
    text = NOISY.format(mass=".2", sick=".1").replace("[1 - sick, sick]", "[sick * sick / 4, 1 - sick * sick / 4]")
    values = [Fraction(-2), Fraction(3), Fraction(2)]
    errors = []
    for workers in (1, 2):
        with pytest.raises(pbn.SpecError) as caught:
            sweep(pbn.loads(text), [*values, Fraction(-3, 2)], parameter="sick", workers=workers)
        errors.append(str(caught.value))
    assert errors[0] == errors[1]
    assert "sick = 3: " in errors[0]


def test_over_the_budget_is_told_and_the_sweep_goes_on():
    world = pbn.load("credit_risk", budget=300_000)
    for options in ({}, {"parameter": "residual_mass"}):
        found = sweep(world, ["0.1", "0.24"], **options)
        assert [row.refused and row.refused.code for row in found.line("default", "high")] == [None, None]
        low = found.line("default", "low")
        assert [(row.error, row.entropy, row.prior, row.refused.code) for row in low] == [
            (None, None, None, "exact/over-budget")
        ] * 2


@pytest.mark.parametrize(("values", "options", "code"), [
    ([], {}, "sweep/range"), (["x"], {}, "sweep/number"), ([float("nan")], {}, "sweep/number"),
    ([0.5, 1.5], {}, "residual/mass"), ([-1], {}, "residual/mass"), ([0], {"variable": "slipp"}, "residual/unknown"),
    ([0], {"parameter": "mas"}, "query/unknown-parameter"), ([0], {"levels": ["fin"]}, "query/unknown-level"),
    ([0], {"question": "il"}, "query/unknown-question"), ([0, 2], {"parameter": "mass"}, "spec/probability"),
    ([0], {"parameter": "mass", "variable": "slip"}, "sweep/both"), ([0], {"workers": 0}, "crew/workers"),
    (range(MOST_VALUES + 1), {"parameter": "mass"}, "sweep/too-many"),
])  # fmt: skip
def test_what_is_refused(values, options, code):
    with pytest.raises(pbn.PbnError) as caught:
        sweep(noisy(), values, **options)
    assert caught.value.code == code


@pytest.mark.parametrize(("text", "values"), [
    ("0:0.6:0.2", ["0", "1/5", "2/5", "3/5"]), ("0:0.5:0.2", ["0", "1/5", "2/5"]), ("1:1:5", ["1"]),
    ("-1/3:1/3:1/3", ["-1/3", "0", "1/3"]), ("0.1, 0.1,1e-2", ["1/10", "1/100"]),
])  # fmt: skip
def test_ranges_are_exact(text, values):
    assert [str(value) for value in swept_values(text)] == values


@given(st.fractions(-5, 5, max_denominator=100), st.integers(0, 50), st.fractions("1/100", 3, max_denominator=100))
def test_ranges_end_where_they_are_told(first, count, step):
    values = swept_values(f"{first}:{first + count * step}:{step}")
    assert values == tuple(first + k * step for k in range(count + 1))


@pytest.mark.parametrize(("text", "code", "words"), [
    ("1:0:0.1", "sweep/range", "begins with 1 and ends with 0"), ("0:1:0", "sweep/range", "has the step 0"),
    ("0:1:-0.1", "sweep/range", "has the step -0.1"), ("1:0:-1", "sweep/range", "a step is more than 0"),
    ("0:1", "sweep/range", "is no range"), ("0:1:1:1", "sweep/range", "is no range"), ("", "sweep/range", "no value"),
    (",", "sweep/range", "no value"), ("0:1:x", "sweep/number", "'x' is no number"),
    ("nan:1:1", "sweep/number", "'nan' is no number"), ("0:inf:1", "sweep/number", "'inf'"),
    ("1,two", "sweep/number", "'two'"), ("1e-400", "sweep/number", "'1e-400' is too small"),
    ("0:1e400:1", "sweep/number", "'1e400' is too large"), ("1/0", "sweep/number", "'1/0' divides by 0"),
    ("0:1:0.000001", "sweep/too-many", "1,000,001"), ("0:1e99:1e-99", "sweep/too-many", "more than 10^15"),
])  # fmt: skip
def test_ranges_that_are_none(text, code, words):
    with pytest.raises(pbn.QueryError) as caught:
        swept_values(text)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_process_that_is_lost_is_one_error():
    with pytest.raises(pbn.PbnError, match="crew/lost"), Crew(os._exit, workers=2) as crew:
        crew.map([3, 3, 3])
