"""Posteriors of one case and of a frame of cases; what is refused and in which words."""

from __future__ import annotations

import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import pbn
from tests.world.cases import CREDIT, FARM, SMALL, WORLDS, cases_of, each_question, fault_of, sample

# -- posteriors of one case ----------------------------------------------------------------------------


@pytest.mark.parametrize("number", [
    42.5, "42.5", "42.50", Fraction(85, 2), "85/2", np.float64(42.5), np.float32(42.5), "4.25e1",
])  # fmt: skip
def test_a_measurement_takes_a_number_however_it_is_written(number):
    answer = CREDIT.posterior({"debt_repricing_share": number, "cycle": "contraction"}, "low")
    assert answer.exact == CREDIT.posterior({"funding_rate_exposure": "moderate", "cycle": "contraction"}).exact


@pytest.mark.parametrize("number", [42, "42", 42.0, "42.0", np.int64(42), np.int8(42), Fraction(42)])
def test_a_measurement_takes_a_whole_number(number):
    answer = CREDIT.posterior({"debt_repricing_share": number}, query="funding_rate_exposure")
    assert answer.probs == {"low": 0, "moderate": 1, "high": 0}


def test_a_repeated_variable_takes_one_value_for_each_member():
    wanted = FARM.posterior({"plot_1": "c", "plot_2": "a", "plot_3": "b"}, question="sold").exact
    for value in ("cab", ["c", "a", "b"], ("c", "a", "b")):
        assert FARM.posterior({"plot": value}, question="sold").exact == wanted
    assert fault_of(FARM.posterior, {"plot": "ca"}, question="sold").code == "query/length"
    assert fault_of(FARM.posterior, {"plot": "cad"}, question="sold").code == "query/unknown-state"
    assert fault_of(FARM.posterior, {"plot": "cab", "plot_2": "b"}, question="sold").code == "query/twice"
    assert FARM.posterior({"plot": "cab", "plot_2": "a"}, question="sold").exact == wanted


def test_no_evidence_gives_the_prior():
    for answer in (
        FARM.posterior(question="crop"),
        FARM.posterior(None, "fine", question="crop"),
        FARM.posterior({}, query="crop"),
    ):
        assert answer.exact == {"rye": Fraction(19, 40), "oats": Fraction(19, 40), "flax": Fraction(1, 20)}
        assert answer.evidence_probability == 1


def test_any_variable_can_be_asked_given_any_evidence():
    back = FARM.posterior({"sold": "yes"}, query="season")
    forward = FARM.posterior({"season": "wet"}, query="sold")
    joint = FARM.posterior(query="season").exact["wet"] * forward.exact["yes"]
    assert back.exact["wet"] == joint / FARM.posterior(query="sold").exact["yes"]
    assert back.evidence_probability == FARM.posterior(query="sold").exact["yes"]
    assert FARM.posterior({"grown": 4}, query="sold").probs["yes"] == 1
    assert FARM.posterior({"crop": "rye"}, query="crop").exact == {"rye": 1, "oats": 0, "flax": 0}


def test_float_arithmetic_gives_no_exact_numbers_and_the_same_floats():
    exact = CREDIT.posterior({"cycle": "steady"}, "low")
    rounded = CREDIT.posterior({"cycle": "steady"}, "low", arithmetic="float")
    assert rounded.exact is None
    assert rounded.probs == pytest.approx(exact.probs, abs=1e-14)
    assert isinstance(rounded.evidence_probability, float)
    assert exact.evidence_probability == Fraction(2, 5)


def test_unknown_names_offer_the_nearest():
    fault = fault_of(CREDIT.posterior, {"cash_bufer": "limited"})
    assert (fault.code, fault.hint) == ("query/unknown-variable", "did you mean 'cash_buffer'?")
    fault = fault_of(CREDIT.posterior, {"cycle": "contracton"})
    assert (fault.code, fault.hint) == ("query/unknown-state", "did you mean 'contraction'?")
    assert fault.allowed == "expansion, steady, contraction"
    fault = fault_of(CREDIT.posterior, query="defualt")
    assert (fault.code, fault.hint) == ("query/unknown-variable", "did you mean 'default'?")


def test_parts_of_a_rule_are_nobodys_evidence():
    world = WORLDS["peer_review"]
    part = next(name for name, variable in world.network.variables.items() if variable.origin == "auxiliary")
    assert fault_of(world.posterior, {part: world.network.variables[part].states[0]}).code == "query/unknown-variable"
    assert fault_of(world.posterior, query=part).code == "query/unknown-variable"


@pytest.mark.parametrize(("value", "code", "words"), [
    (42.55, "query/off-grid", "42.5 and 42.6"), ("0.05", "query/off-grid", "0.0 and 0.1"),
    (100.1, "query/out-of-range", "0.0 to 100.0 % in steps of 0.1"), (-1, "query/out-of-range", "0.0 to 100.0"),
    ("1e99", "query/out-of-range", "0.0 to 100.0"), ("low", "query/not-a-number", "0.0 to 100.0"),
])  # fmt: skip
def test_a_number_that_cannot_be_is_refused_with_what_can(value, code, words):
    fault = fault_of(CREDIT.posterior, {"debt_repricing_share": value})
    assert fault.code == code
    assert words in str(fault)
    assert len(str(fault)) < 400


@pytest.mark.parametrize("value", [
    "", None, float("nan"), float("inf"), "1/0", "1e999999999", "1e-999999999", 1j, 10**5000, Fraction(10**5000, 3),
    Decimal("1e9999"), "4" * 10**6, [42.5], "١٢",
], ids=lambda value: type(value).__name__)  # fmt: skip
def test_whatever_is_no_number_of_the_grid_is_refused_at_once(value):
    fault = fault_of(CREDIT.posterior, {"debt_repricing_share": value})
    assert fault.code in ("query/not-a-number", "query/out-of-range")
    assert len(str(fault)) < 400


@pytest.mark.parametrize(
    "value", [None, 3, 1j, [], "x" * 10**6, 10**5000, ("a", "b"), b"dry"], ids=lambda value: type(value).__name__
)
def test_whatever_is_no_state_is_refused_in_few_words(value):
    fault = fault_of(FARM.posterior, {"season": value}, question="crop")
    assert fault.code == "query/unknown-state"
    assert len(str(fault)) < 400


@pytest.mark.parametrize("name", ["", 3, None, ("season",), "x" * 10**6], ids=lambda name: type(name).__name__)
def test_whatever_is_no_variable_is_refused_in_few_words(name):
    fault = fault_of(FARM.posterior, {name: "dry"}, question="crop")
    assert fault.code == "query/unknown-variable"
    assert len(str(fault)) < 400


@pytest.mark.parametrize("choice", [{"engine": "pgmppy"}, {"arithmetic": "flaot"}])
def test_an_engine_or_arithmetic_that_does_not_exist_is_refused(choice):
    assert fault_of(FARM.posterior, {}, question="crop", **choice).code == f"query/unknown-{next(iter(choice))}"


def test_evidence_that_a_level_hides_is_an_error_under_it_and_fine_without():
    evidence = {"cash_buffer": "limited", "cycle": "steady"}
    for level in ("medium", "high"):
        fault = fault_of(CREDIT.posterior, evidence, level)
        assert fault.code == "query/hidden-evidence"
        assert "cash_buffer" in fault.message
        assert "cash_buffer" not in fault.allowed
    assert CREDIT.posterior(evidence).exact == CREDIT.posterior(evidence, "low").exact


@pytest.mark.parametrize("name", ["residual", "default", "net_position"])
def test_what_only_the_world_knows_is_hidden_at_every_level(name):
    state = CREDIT.network.variables[name].states[-1]
    fault = fault_of(CREDIT.posterior, {name: state}, "medium", query="cycle")
    assert fault.code == "query/hidden-evidence"
    assert CREDIT.posterior({name: state}, query="cycle").evidence_probability > 0


def test_functions_of_the_visible_set_are_evidence_at_that_level():
    # The level behind a visible measurement, a lookup of it, and rules whose inputs are all visible.
    for evidence in (
        {"funding_rate_exposure": "high"},
        {"rate_cost": 0.75},
        {"cash_shortfall": 0},
        {"refinancing_value": 4},
        {"exposure_cost": "1.5"},
    ):
        assert CREDIT.posterior(evidence, "high").exact == CREDIT.posterior(evidence).exact
    # net_position adds cash_buffer, which medium hides: a function of what low shows, not of what medium shows.
    CREDIT.posterior({"net_position": 0}, "low")


def test_impossible_evidence_names_an_irreducible_conflict():
    evidence = {"debt_repricing_share": 10, "funding_rate_exposure": "high", "cycle": "steady", "sector": "healthcare"}
    fault = fault_of(CREDIT.posterior, evidence)
    assert fault.code == "query/impossible-evidence"
    assert fault.found == "debt_repricing_share=10.0, funding_rate_exposure=high"
    for dropped in ("debt_repricing_share", "funding_rate_exposure"):
        CREDIT.posterior({name: value for name, value in evidence.items() if name != dropped})


@pytest.mark.parametrize("options", [{}, {"arithmetic": "float"}, {"engine": "pgmpy"}, {"level": "fine"}])
def test_impossible_evidence_is_found_by_every_route(options):
    evidence = {"height": 0.5, "season": "wet", "plot": "abc"}
    fault = fault_of(FARM.posterior, evidence, question="sold", **options)
    assert (fault.code, fault.found) == ("query/impossible-evidence", "height=0.5, season=wet")
    fault = fault_of(FARM.posterior, {"season": "dry", "crop": "flax"}, query="sold")
    assert fault.found == "season=dry, crop=flax"


def test_a_tie_is_reported_and_decided_for_the_first_state():
    tied = FARM.posterior({"season": "dry"}, question="crop")
    assert (tied.decision, tied.tie) == ("rye", True)
    rounded = FARM.posterior({"season": "dry"}, question="crop", arithmetic="float")
    assert (rounded.decision, rounded.tie) == ("rye", True)
    clear = FARM.posterior({"plot": "ccc", "season": "wet"}, question="sold")
    assert (clear.decision, clear.tie) == ("yes", False)


def test_a_tie_is_a_tie_of_exact_numbers():
    """Thirds and sevenths whose floats differ or coincide by rounding: only equal fractions tie."""
    text = """
name: near
title: Near
parameters: {gap: {gap}}
variables: {y: {states: [a, b], p: [1/2 - gap, 1/2 + gap]}, x: {states: [c, d]}}
questions: {y: {asks: y, kind: choice, text: Which?}}
levels: {all: {hide: []}}
"""
    near = pbn.loads(text.replace("{gap}", "1e-30", 1)).posterior({"x": "c"})
    assert near.probs == {"a": 0.5, "b": 0.5}
    assert (near.decision, near.tie) == ("b", False)
    assert pbn.loads(text.replace("{gap}", "0", 1)).posterior({"x": "c"}).tie


@each_question
def test_the_look_up_of_a_whole_case_equals_elimination(name, level, question):
    world = WORLDS[name]
    for case in cases_of(name, level, 5):
        looked_up = world.posterior(case, level, question=question)
        assert looked_up.route.startswith("look-up")
        eliminated = world.posterior(case, question=question)
        assert eliminated.exact == looked_up.exact
        assert eliminated.evidence_probability == looked_up.evidence_probability


# -- posteriors of many cases -----------------------------------------------------------------------


@each_question
def test_posteriors_of_a_frame_are_those_of_its_rows(name, level, question):
    world = WORLDS[name]
    frame = sample(world, 300)
    found = world.posteriors(frame, level, question=question)
    states = world.network.variables[world.question(question).asks].states
    assert found.shape == (300, len(states))
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for row, case in enumerate(cases_of(name, level, 300, seed=0)[:8]):
        assert dict(zip(states, found[row], strict=True)) == world.posterior(case, level, question=question).probs


def test_samples_agree_with_the_posteriors():
    """20,000 drawn outcomes against the mean posterior of each state: within 5 standard errors."""
    frame = sample(CREDIT, 20_000, seed=7)
    found = CREDIT.posteriors(frame, "high")
    defaulted = (frame["default"] == "yes").to_numpy()
    error = np.sqrt((found[:, 1] * found[:, 0]).sum()) / len(frame)
    assert abs(found[:, 1].mean() - defaulted.mean()) < 5 * error
    wrong = (found.argmax(axis=1) == 1) != defaulted
    assert abs(wrong.mean() - CREDIT.bayes_error("high").value) < 5 * np.sqrt(0.25 / len(frame))


def test_a_frame_needs_no_order_and_ignores_what_is_not_visible():
    frame = sample(CREDIT, 50)
    wanted = CREDIT.posteriors(frame, "medium")
    needed = [
        "cycle",
        "sector",
        "cash_generation",
        "refinancing",
        "debt_service",
        "principal_due",
        "debt_repricing_share",
        "top_customer_share",
        "operating_flexibility",
    ]
    for shown in (
        frame[needed],
        frame[needed[::-1]],
        frame[needed].assign(cash_buffer="nonsense", note=1),
        frame[[*needed, "employees"]],
    ):
        assert (CREDIT.posteriors(shown, "medium") == wanted).all()
    shuffled = frame.sample(frac=1, random_state=1)
    assert (CREDIT.posteriors(shuffled, "medium") == wanted[shuffled.index]).all()


def test_a_frame_may_hold_numbers_and_categories():
    frame = sample(CREDIT, 50)
    wanted = CREDIT.posteriors(frame, "low")
    numbers = ("debt_repricing_share", "top_customer_share", "employees", "sites")
    numeric = frame.assign(**{name: pd.to_numeric(frame[name]) for name in numbers})
    assert numeric["employees"].dtype == np.int64
    categorical = numeric.assign(cycle=numeric["cycle"].astype("category"), sector=frame["sector"].astype("string"))
    for shown in (numeric, categorical, frame.astype("category")):
        assert (CREDIT.posteriors(shown, "low") == wanted).all()


def test_a_frame_of_a_world_whose_outcome_depends_on_nothing_visible():
    found = FARM.posteriors(pd.DataFrame({"anything": [1, 2, 3]}), "coarse", question="crop")
    assert found.tolist() == [[0.475, 0.475, 0.05]] * 3


def test_a_column_with_many_distinct_numbers_takes_seconds():
    fine = pbn.loads(SMALL.replace("from: 0, to: 2, step: 0.5, cuts: [1]", "from: 0, to: 49999, step: 0.5, cuts: [1]"))
    frame = pd.DataFrame({"height": np.arange(0.5, 49_999, 0.5), "plot_1": "a", "plot_3": "b"})
    start = time.perf_counter()
    found = fine.posteriors(frame, "fine", question="crop")
    assert time.perf_counter() - start < 5
    assert found[0].tolist() == [0.5, 0.5, 0]
    assert found[-1].tolist() == [0.4, 0.4, 0.2]


def broken(column, row, value):
    frame = sample(CREDIT, 5).set_index(pd.Index(["v", "w", "x", "y", "z"]))
    frame[column] = frame[column].astype(object)
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize(("column", "value", "code", "words"), [
    ("cycle", None, "query/missing-value", "column cycle has no value in row y"),
    ("cycle", float("nan"), "query/missing-value", "row y"),
    ("cycle", "contracton", "query/unknown-state", "row y: cycle has no state 'contracton'"),
    ("top_customer_share", 50.05, "query/off-grid", "row y: top_customer_share cannot be 50.05"),
    ("top_customer_share", 101, "query/out-of-range", "row y"),
    ("employees", 5001, "query/unknown-state", "row y: employees"),
    ("sites", pd.NA, "query/missing-value", "row y"),
])  # fmt: skip
def test_a_bad_value_in_a_frame_names_its_row(column, value, code, words):
    fault = fault_of(CREDIT.posteriors, broken(column, "y", value), "low")
    assert fault.code == code
    assert words in str(fault)


def test_the_first_bad_row_is_named():
    frame = broken("cycle", "y", "q")
    frame.loc["w", "cycle"] = "r"
    assert "row w" in fault_of(CREDIT.posteriors, frame, "low").message


def test_a_missing_column_is_named_with_the_nearest():
    frame = sample(CREDIT, 5).rename(columns={"cycle": "cycel"})
    fault = fault_of(CREDIT.posteriors, frame, "low")
    assert fault.code == "query/missing-column"
    assert "cycle" in fault.message
    assert "cycel" in fault.hint


def test_a_column_that_stands_twice_is_refused():
    frame = sample(CREDIT, 5)
    twice = pd.concat([frame, frame[["cycle"]]], axis=1)
    fault = fault_of(CREDIT.posteriors, twice, "low")
    assert fault.code == "query/twice"
    assert "cycle" in fault.message


def test_an_empty_frame_is_no_answer():
    frame = sample(CREDIT, 5)
    assert fault_of(CREDIT.posteriors, frame.iloc[:0], "low").code == "query/no-cases"
    assert fault_of(CREDIT.posteriors, pd.DataFrame(), "low").code in ("query/no-cases", "query/missing-column")


def test_an_impossible_row_is_named_with_its_conflict():
    text = SMALL.replace("levels:\n", "levels:\n  all: {show: [season, height, plot]}\n")
    world = pbn.loads(text)
    frame = sample(world, 6)
    world.posteriors(frame, "all", question="sold")
    frame.loc[4, ["season", "height"]] = ["wet", "0.5"]
    fault = fault_of(world.posteriors, frame, "all", question="sold")
    assert fault.code == "query/impossible-evidence"
    assert "row 4" in fault.message
    assert fault.found == "season=wet, height=0.5"
