"""The lenient reader: what texts by anybody tell, and what they only seem to tell."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.text.verify import verify
from tests.text.shipped import EACH, a_case, a_memo, memo
from tests.text.test_strict_reader import CREDIT


def credit(text):
    return memo("credit_risk", "medium").recover(text)


CASE = {name: state for name, state in CREDIT.items() if name != "cash_buffer"}
TOLD = {name: str(state) for name, state in CASE.items()}
PARAPHRASE = """\
Dear colleagues – a few lines on the borrower. The economy is IN A STEADY PHASE; operations bring in “a weak flow
of cash”, and few
lenders would offer it fresh credit. Its three largest clients: 34.5% of annual revenue! On debt, 43.70% carries an
interest rate that will be reset within twelve months. A technology company, with 150 employees at one site and
4 departments, on the ground floor. Its report (issued on paper) fills 22 pages, with one chart. The debt is a light
load, a small sum matures; limited freedom to cut costs, and its financial year closes in june. Again: 34.5% of
annual revenue.
"""


def test_a_paraphrase():
    assert credit(PARAPHRASE).found == TOLD
    recovery = credit(PARAPHRASE)
    assert not {**recovery.hidden, **recovery.ambiguous, **recovery.malformed}
    assert recovery.missing == ()
    assert verify(memo("credit_risk", "medium"), PARAPHRASE, CASE).passed


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(EACH), st.data())
def test_sentences_in_any_order_case_and_spacing(where, data):
    name, level = where
    row = data.draw(st.integers(0, 30))
    sentences = data.draw(st.permutations(re.split(r"(?<=[.?]) |\n\n", a_memo(name, level, row))))
    text = data.draw(st.sampled_from([" ", "\n", "\r\n\r\n", "  \t", "\u00a0"])).join(sentences)
    change = data.draw(st.sampled_from([str, str.upper, str.casefold, str.title]))
    text = change(text).translate(data.draw(st.sampled_from([{}, {45: "–"}, {45: "\u2010"}, {39: "’", 34: "“"}])))
    assert memo(name, level).recover(text).found == a_case(name, level, row)


def changed(old, new):
    assert PARAPHRASE.count(old) == 1, old
    return PARAPHRASE.replace(old, new)


@pytest.mark.parametrize(("old", "new", "name"), [
    ("A technology company", "A company", "sector"),
    ("A technology company", "A biotechnology company", "sector"),
    ("A technology company", "A technology company's supplier, a technology\u00adcompany", None),
    ("150 employees", "about a hundred employees", "employees"),
    ("150 employees", "A150 employees", "employees"),
    ("150 employees", "x150employees", "employees"),
    ("150 employees", "150 or so employees", "employees"),
    ("one chart", "one chartered plane", "report_charts"),
    ("one chart", "none charts", "report_charts"),
    ("fills 22 pages", "refills 22 pages", "report_pages"),
    ("fills 22 pages", "fills 22 pagesful", "report_pages"),
    ("fills 22 pages", "fills 10,5 pages", "report_pages"),
    ("fills 22 pages", "fills twenty-two pages", "report_pages"),
    ("fills 22 pages", "fills 22.5.1 pages", "report_pages"),
    ("a light\nload", "a light\nloading", "debt_service"),
])  # fmt: skip
def test_what_is_not_told(old, new, name):
    found = credit(PARAPHRASE.replace(old, new)) if "\n" in old else credit(changed(old, new))
    if name is None:
        assert found.found == TOLD
        return
    if old == "a light\nload":
        found = credit(PARAPHRASE.replace("a light\nload", new).replace("a light load", "a light loading"))
    assert name in found.missing, found
    assert found.found == {other: state for other, state in TOLD.items() if other != name}


@pytest.mark.parametrize(("old", "new", "name"), [
    ("150 employees", "3-500 employees", "employees"),
    ("150 employees", "100–150 employees", "employees"),
    ("150 employees", "-150 employees", "employees"),
    ("150 employees", "10,150 employees", "employees"),
    ("150 employees", "6000 employees", "employees"),
    ("150 employees", "12.150 employees", "employees"),
    ("150 employees", "12 150 employees", "employees"),
    ("150 employees", "12\u202f150 employees", "employees"),
    ("150 employees", "12'150 employees", "employees"),
    ("150 employees", "1/150 employees", "employees"),
    ("150 employees", "v1.150 employees", "employees"),
    ("150 employees", "150.5 employees", "employees"),
    ("150 employees", f"{'9' * 100} employees", "employees"),
    ("34.5% of annual revenue!", "134.5% of annual revenue!", "top_customer_share"),
    ("34.5% of annual revenue!", "34,5% of annual revenue!", "top_customer_share"),
    ("34.5% of annual revenue!", "30-34.5% of annual revenue!", "top_customer_share"),
    ("34.5% of annual revenue!", "34.55% of annual revenue!", "top_customer_share"),
    ("fills 22 pages", "fills 500 pages", "report_pages"),
    ("fills 22 pages", "fills -22 pages", "report_pages"),
])  # fmt: skip
def test_numbers_that_are_none(old, new, name):
    found = credit(changed(old, new))
    assert name in found.malformed, found
    assert name not in found.found
    assert set(found.found) == set(TOLD) - {name}


@pytest.mark.parametrize(("new", "state"), [
    ("1,500 employees", "1500"), ("1500 employees", "1500"), ("150.0 employees", "150"), ("0150 employees", "150"),
    ("+150 employees", "150"), ("150   employees", "150"), ("150\nEmployees", "150"), ("150 employees.5", "150"),
    ("In 2021, 150 employees", "150"), ("since 2021 150 employees", "150"), ("(150 employees)", "150"),
    ("*150 employees*", "150"), ("150\u00a0employees", "150"), ("3 to 150 employees", "150")])  # fmt: skip
def test_numbers_spelt_otherwise(new, state):
    assert credit(changed("150 employees", new)).found == {**TOLD, "employees": state}


@pytest.mark.parametrize(("more", "name", "states"), [
    ("Or is it in a phase of expansion?", "cycle", ("steady", "expansion")),
    ("It has 151 employees.", "employees", ("150", "151")),
    ("A manufacturing company.", "sector", ("technology", "manufacturing"))])  # fmt: skip
def test_what_is_told_in_several_ways(more, name, states):
    found = credit(PARAPHRASE + more)
    assert found.ambiguous == {name: states}
    assert found.found == {other: state for other, state in TOLD.items() if other != name}
    assert credit(PARAPHRASE + PARAPHRASE).found == TOLD


def test_a_hidden_phrase():
    found = credit(PARAPHRASE + "It has a Substantial\ncash reserve.")
    assert found.hidden == {"cash_buffer": ("a Substantial cash reserve",)}
    assert found.found == TOLD
    (occurrence,) = found.occurrences["cash_buffer"]
    assert (PARAPHRASE + "It has a Substantial\ncash reserve.")[occurrence.start : occurrence.end] == occurrence.text
    assert memo("credit_risk", "low").recover(PARAPHRASE + "a substantial cash reserve").found == {
        **TOLD, "cash_buffer": "substantial"}  # fmt: skip


CODE = "The run identifier is {}, they say."


@pytest.mark.parametrize(("code", "found", "malformed"), [
    ("kqzv-abcd-kqzv-abcd", "kqzvabcdkqzvabcd", False), ("KQZV–abcd-kqzv-ABCD", "kqzvabcdkqzvabcd", False),
    ("kqzvabcdkqzvabcd", None, True), ("kqzv-abcd-kqzv-abc", None, True), ("kqzv-abcd-kqzv-abcd-x", None, True),
    ("kqzv abcd kqzv abcd", None, True), ("unknown", None, True), ("kqzv-abcd-kqzv-ab1d", None, True),
    ("x" * 10_000, None, True), ("", None, False), ("(kqzv-abcd-kqzv-abcd)", None, False)])  # fmt: skip
def test_codes(code, found, malformed):
    recovery = memo("covert_transfer", "low").recover(CODE.format(code))
    assert recovery.found.get("identifier") == found
    assert ("identifier" in recovery.malformed) == malformed
    assert ("identifier" in recovery.missing) == (found is None and not malformed)


def test_the_identifier_beside_another():
    text = CODE.format("kqzv-abcd-kqzv-abcd") + CODE.format("aaaa-abcd-kqzv-abcd")
    recovery = memo("covert_transfer", "low").recover(text)
    assert recovery.ambiguous == {"identifier": ("kqzvabcdkqzvabcd", "aaaaabcdkqzvabcd")}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EACH), st.text(max_size=200))
def test_any_text(where, text):
    recovery = memo(*where).recover(text)
    told = set(recovery.told)
    assert told == set(a_case(*where))
    for parts in (recovery.found, recovery.ambiguous, recovery.malformed):
        assert told >= set(parts)
    seen = set(recovery.found) | set(recovery.ambiguous) | set(recovery.malformed) | set(recovery.missing)
    assert seen == told
    for listed in recovery.occurrences.values():
        assert all(text[one.start : one.end] == one.text for one in listed)


# -- against what it was to tell -----------------------------------------------------------------------------


def test_every_outcome_of_verify():
    held = memo("credit_risk", "medium")
    good = verify(held, PARAPHRASE, {**CASE, "cash_buffer": "limited"})  # what the level hides is left out
    assert (good.passed, good.agrees, good.expected, good.found) == (True, True, TOLD, TOLD)
    other = verify(held, PARAPHRASE, {**CASE, "cycle": "expansion"})
    assert (other.passed, other.agrees) == (False, False)
    assert other.different == {"cycle": ("expansion", "steady")}
    lacking = verify(held, changed("A technology company", "A company"), CASE)
    assert (lacking.passed, lacking.missing, lacking.different) == (False, ("sector",), {})
    several = verify(held, PARAPHRASE + " in a phase of expansion", CASE)
    assert (several.passed, several.ambiguous) == (False, {"cycle": ("steady", "expansion")})
    wrong = verify(held, changed("150 employees", "3-500 employees"), CASE)
    assert wrong.passed is False
    assert wrong.malformed == {"employees": ("-500 employees",)}
    hidden = verify(held, PARAPHRASE + " It has a limited cash reserve.", CASE)
    assert (hidden.passed, hidden.agrees) == (False, True)
    assert hidden.hidden == {"cash_buffer": ("a limited cash reserve",)}


@pytest.mark.parametrize(("attributes", "code"), [
    ({}, "text/missing-attribute"), ({"sector": "technology"}, "text/missing-attribute"),
    ({**CASE, "sector": "tech"}, "query/unknown-state"), ({**CASE, "sectr": "technology"}, "query/unknown-variable"),
    ({**CASE, "top_customer_share": 34.55}, "query/off-grid"), ({**CASE, "employees": "many"}, "query/unknown-state"),
    (["sector"], "query/not-a-mapping")])  # fmt: skip
def test_attributes_that_are_none(attributes, code):
    with pytest.raises(pbn.QueryError) as caught:
        verify(memo("credit_risk", "medium"), PARAPHRASE, attributes)
    assert caught.value.code == code
    assert "cash_buffer" not in caught.value.faults[0].message


@pytest.mark.parametrize(("name", "level"), EACH)
def test_a_memo_of_the_world_passes(name, level):
    assert verify(memo(name, level), a_memo(name, level), a_case(name, level)).passed
    assert not verify(memo(name, level), "", a_case(name, level)).passed
