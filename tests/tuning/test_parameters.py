"""A world loaded with other values of its parameters is the world whose file says them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.loading import with_parameters
from pbn.spec.numerals import exact, numeral_text

CHAIN = """
name: chain
title: Parameters through others
parameters:
  share: .2
  rest: 1 - share
  half: rest / 2
variables:
  sky: {states: [clear, rain, snow], p: [share, half, half]}
  wind: {states: [0, 1], p: [share, rest]}
  late: {rule: "sky == 'rain' and wind > rest / 2"}
questions: {late: {asks: late, kind: yes/no, text: Late?}}
levels: {low: {hide: []}, high: {hide: [wind]}}
"""


@pytest.mark.parametrize("value", ["0.3", ".3", "3/10", 0.3, np.float64(0.3), Decimal("0.30"), Fraction(3, 10)])
def test_every_way_to_write_a_number_is_exact(value):
    world = pbn.loads(CHAIN, parameters={"share": value})
    assert world.spec.parameters == {"share": Fraction(3, 10), "rest": Fraction(7, 10), "half": Fraction(7, 20)}


def test_it_is_the_world_of_the_edited_file():
    edited = pbn.loads(CHAIN.replace("share: .2", "share: 0.3"))
    for world in (pbn.loads(CHAIN, parameters={"share": "0.3"}), with_parameters(pbn.loads(CHAIN), {"share": 0.3})):
        assert (world.spec.law_digest, world.spec.digest) == (edited.spec.law_digest, edited.spec.digest)
        assert world.bayes_error("high") == edited.bayes_error("high")
    original = pbn.loads(CHAIN)
    assert original.spec.law_digest != edited.spec.law_digest
    assert pbn.loads(CHAIN, parameters={"share": "1/5"}).spec.digest == original.spec.digest


def test_a_parameter_defined_through_others_may_be_set_too():
    world = pbn.loads(CHAIN, parameters={"half": "0.4", "share": "0.2"})
    assert world.spec.parameters["rest"] == Fraction(4, 5)
    with pytest.raises(pbn.SpecError) as caught:
        pbn.loads(CHAIN, parameters={"half": "0.5"})
    assert {fault.code for fault in caught.value.faults} == {"spec/row-sum"}
    assert caught.value.faults[0].place.line == CHAIN[: CHAIN.index("  sky")].count("\n") + 1


@pytest.mark.parametrize(("parameters", "error", "code", "words"), [
    ({"shar": 1}, pbn.QueryError, "query/unknown-parameter", "did you mean 'share'?"),
    ({"share": "many"}, pbn.QueryError, "query/parameter-value", "value for the parameter share: 'many' is no number"),
    ({"share": float("nan")}, pbn.QueryError, "query/parameter-value", "nan"),
    ({"share": True}, pbn.QueryError, "query/parameter-value", "True"),
    ({"share": "1e-3000"}, pbn.QueryError, "query/parameter-value", "'1e-3000' is too small: an exponent"),
    ({"share": "1/0"}, pbn.QueryError, "query/parameter-value", "'1/0' divides by 0"),
    ({"share": 10**5000}, pbn.QueryError, "query/parameter-value", "too large: numerator and denominator"),
    ({"share": "1." + "1" * 1500}, pbn.QueryError, "query/parameter-value", "has too many digits"),
    ({"share": None}, pbn.QueryError, "query/parameter-value", "None"),
    ({"share": -0.1}, pbn.SpecError, "spec/probability", "is negative"),
    ({"share": 2}, pbn.SpecError, "spec/probability", "is more than 1"),
])  # fmt: skip
def test_what_is_refused(parameters, error, code, words):
    with pytest.raises(error) as caught:
        pbn.loads(CHAIN, parameters=parameters)
    assert code in [fault.code for fault in caught.value.faults]
    assert words in str(caught.value)


def test_worlds_without_parameters(tmp_path):
    with pytest.raises(pbn.QueryError, match="the world has no parameters"):
        pbn.load("covert_transfer", parameters={"share": 1})
    path = tmp_path / "net.bif"
    path.write_text("network n {}\nvariable a { type discrete [2] { x, y }; }\nprobability (a) { table 0.5, 0.5; }\n")
    with pytest.raises(pbn.QueryError, match="query/unknown-parameter"):
        pbn.load(path, parameters={"share": 1})
    with pytest.raises(pbn.QueryError, match="query/unknown-parameter"):
        with_parameters(pbn.load(path), {"share": 1})


def test_a_broken_file_is_told_as_without_parameters():
    for text in (CHAIN.replace("parameters:\n", "parameters: [1]\nother:\n"), "[1, 2]", ""):
        with pytest.raises(pbn.SpecError) as plain:
            pbn.loads(text)
        with pytest.raises(pbn.SpecError) as caught:
            pbn.loads(text, parameters={"share": 1})
        assert str(caught.value) == str(plain.value)


@settings(deadline=None, max_examples=25)
@given(st.fractions(), st.integers(0, 300), st.integers(0, 300))
def test_numbers_as_text_are_read_back_exactly(number, tens, others):
    number = (number * 10**tens + 1) / 7**others
    text = numeral_text(number)
    constant = pbn.loads(CHAIN.replace("share: .2", f"share: .2\n  big: {text}")).spec.parameters["big"]
    assert constant == number
    assert numeral_text(constant) == text
    assert exact(number) == number
