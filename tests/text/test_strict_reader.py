"""The strict reader: what is no memo of the level is refused, with what is wrong and where."""

from __future__ import annotations

import string

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.check import check_world
from tests.text.shipped import EACH, LEVELS, WORLDS, a_case, a_memo, memo

EVERY = pytest.mark.parametrize(("name", "level"), EACH)

CREDIT = {
    "sector": "technology", "employees": 150, "sites": 1, "cycle": "steady", "departments": 4, "year_end": "June",
    "top_customer_share": 34.5, "cash_generation": "weak", "cash_buffer": "limited", "report_edition": "printed",
    "report_pages": 22, "report_charts": 1, "debt_service": "light", "refinancing": "limited", "principal_due": "small",
    "debt_repricing_share": 43.7, "office_floor": "ground floor", "operating_flexibility": "limited",
}  # fmt: skip
COVERT = {
    "identifier": "kqzvabcdkqzvabcd", "report": "error report", "tag": "c", "tag_range": "a-d", "tag_block": "a-h",
    "attachments": 2, "team_size": 4, "shift": "night", "storage": "mirror", "format": "table", "urgency": "routine",
    "language": "French", "reviewer_desk": "first desk",
}  # fmt: skip
REVIEW = {
    "contribution_type": "empirical", "submission_month": "March", "authors": 3, "novelty": "high",
    "manuscript_pages": 20, "page_layout": "one column", "references": 40, "significance": "minor",
    "validity": "sound", "figures": 2, "tables": 0, "evidence_rating": 3.4, "comparison": "poor",
    "robustness": "mixed", "clarity_rating": 2.5, "appendix_pages": 0, "reproducibility": "full",
}  # fmt: skip


def text_of(name):
    cases = {"credit_risk": CREDIT, "covert_transfer": COVERT, "peer_review": REVIEW}
    return memo(name, "low").text({k: v for k, v in cases[name].items() if k not in ("tag_range", "tag_block")})


def refusal(name, level, text):
    with pytest.raises(pbn.QueryError) as caught:
        memo(name, level).decode(text, file="m.txt")
    (fault,) = caught.value.faults
    return fault


def place(text, position):
    """Line and column of a position, from 1."""
    return 1 + text[:position].count("\n"), position - text.rfind("\n", 0, position)


# What stands in place of a passage: (world, passage, replacement, code, words of the message, where in the passage).
EDITS = [
    # a number that cannot be
    ("credit_risk", "34.5% of", "134.5% of", "text/out-of-range", "top_customer_share cannot be 134.5", 0),
    ("credit_risk", "34.5% of", "-34.5% of", "text/out-of-range", "top_customer_share cannot be -34.5", 0),
    ("credit_risk", "34.5% of", "34.55% of", "text/off-grid", "top_customer_share cannot be 34.55", 0),
    ("credit_risk", "150 employees", "1,000 employees", "text/malformed", "employees is no number", 0),
    ("credit_risk", "34.5% of", "34,5% of", "text/malformed", "top_customer_share", None),
    ("credit_risk", "34.5% of", "34.5 percent of", "text/malformed", "top_customer_share has another unit", 4),
    ("credit_risk", "34.5% of", "34.5 % of", "text/malformed", "top_customer_share has another unit", 4),
    ("credit_risk", "34.5% of", "34.50% of", "text/malformed", "top_customer_share is spelt otherwise", 0),
    ("credit_risk", "34.5% of", "034.5% of", "text/malformed", "top_customer_share is spelt otherwise", 0),
    ("credit_risk", "34.5% of", "+34.5% of", "text/malformed", "top_customer_share is spelt otherwise", 0),
    ("credit_risk", "34.5% of", "3.45e1% of", "text/malformed", "top_customer_share", None),
    ("credit_risk", "34.5% of", "٣٤% of", "text/malformed", "top_customer_share", None),
    ("credit_risk", "34.5% of", "% of", "text/malformed", "top_customer_share", 0),
    ("credit_risk", "150 employees", "6000 employees", "text/out-of-range", "employees", 0),
    ("credit_risk", "150 employees", "150.5 employees", "text/off-grid", "employees", 0),
    ("credit_risk", "150 employees", "0150 employees", "text/malformed", "employees is spelt otherwise", 0),
    ("credit_risk", "150 employees", "150.0 employees", "text/malformed", "employees is spelt otherwise", 0),
    ("credit_risk", "150 employees", "150 people", "text/malformed", "employees has another unit", 3),
    ("credit_risk", "150 employees", f"{'9' * 5000} employees", "text/", "employees", None),
    ("credit_risk", "from one site.", "from 1 sites.", "text/malformed", "in words of another number", 5),
    ("credit_risk", "from one site.", "from 0 sites.", "text/out-of-range", "sites", 5),
    ("credit_risk", "contains one chart.", "contains 1 charts.", "text/malformed", "in words of another number", 9),
    ("peer_review", "rating of 3.4 out of 5", "rating of 3.40 out of 5", "text/malformed", "spelt otherwise", 10),
    ("peer_review", "rating of 3.4 out of 5", "rating of 03.4 out of 5", "text/malformed", "spelt otherwise", 10),
    ("peer_review", "rating of 3.4 out of 5", "rating of +3.4 out of 5", "text/malformed", "spelt otherwise", 10),
    ("peer_review", "rating of 3.4 out of 5", "rating of 3,4 out of 5", "text/malformed", "evidence_rating", None),
    ("peer_review", "rating of 3.4 out of 5", "rating of 3.4 out of 10", "text/malformed", "another unit", None),
    ("peer_review", "rating of 3.4 out of 5", "rating of 7.4 out of 5", "text/out-of-range", "evidence_rating", 10),
    ("peer_review", "rating of 3.4 out of 5", "rating of good out of 5", "text/malformed", "is no number", 10),
    ("peer_review", "and no tables", "and 0 tables", "text/malformed", "in words of another number", 4),
    # a phrase that is none
    ("credit_risk", "in a steady phase", "in a stable phase", "text/malformed", "cycle", 0),
    ("credit_risk", "in a steady phase", "In a steady phase", "text/malformed", "cycle", 0),
    ("credit_risk", "in a steady phase", "", "text/missing", "nothing is said of cycle", 0),
    # a code that is none
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "", "text/malformed", "identifier is empty", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv-abcd-kqzv-abc", "text/malformed", "has 15 characters", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv-abcd-kqzv-abcde", "text/malformed", "has 17 characters", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzvabcdkqzvabcd", "text/malformed", "grouped differently", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kq-zvab-cdkq-zvab-cd", "text/malformed", "grouped differently", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "-kqzv-abcd-kqzv-abcd", "text/malformed", "grouped differently", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv--abcd-kqzv-abcd", "text/malformed", "grouped differently", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "Kqzv-abcd-kqzv-abcd", "text/malformed", "cannot have", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv-äbcd-kqzv-abcd", "text/malformed", "cannot have", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqz1-abcd-kqzv-abcd", "text/malformed", "cannot have", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv abcd kqzv abcd", "text/malformed", "has 4 characters", 0),
    ("covert_transfer", "kqzv-abcd-kqzv-abcd", "kqzv\u2010abcd-kqzv-abcd", "text/malformed", "identifier", 0),
    # words that were edited
    ("credit_risk", "At the time of writing", "At this time of writing", "text/edited", "differs", 5),
    ("credit_risk", "This memo", "this memo", "text/edited", "differs", 0),
    ("credit_risk", "This memo", " This memo", "text/edited", "differs", 0),
    ("credit_risk", "This memo", "\ufeffThis memo", "text/edited", "differs", 0),
    ("credit_risk", "next year?", "next year", "text/edited", "differs", None),
    ("credit_risk", "next year?", "next year? ", "text/edited", "differs", None),
    ("credit_risk", "next year?", "next year?\n", "text/edited", "differs", None),
    ("credit_risk", "next year?", "next year? Yes.", "text/edited", "differs", None),
    ("credit_risk", "next year?", "next year?\x00", "text/edited", "differs", None),
    ("credit_risk", "Will the company default on its debt within the next year?", "", "text/edited", "differs", None),
    ("credit_risk", "The borrower is", "The  borrower is", "text/edited", "differs", 4),
    ("credit_risk", "The borrower is", "The\u00a0borrower is", "text/edited", "differs", 3),
    ("credit_risk", "The borrower is", "The\nborrower is", "text/edited", "differs", 3),
    ("credit_risk", "The borrower is", "The\tborrower is", "text/edited", "differs", 3),
    ("credit_risk", "The borrower is", "The b\ud800rrower is", "text/edited", "differs", 5),
    ("credit_risk", "The borrower is", "The b\u03bfrrower is", "text/edited", "differs", 5),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "code", "words", "where"), EDITS, ids=lambda part: ascii(part)[:40])
def test_one_thing_wrong(name, old, new, code, words, where):
    text = text_of(name)
    assert text.count(old) == 1
    edited = text.replace(old, new)
    fault = refusal(name, "low", edited)
    assert fault.code.startswith(code), fault
    assert words in fault.message
    assert fault.place.file == "m.txt"
    assert len(str(fault)) < 1500
    if where is not None:
        assert (fault.place.line, fault.place.column) == place(edited, text.index(old) + where), fault
    else:
        assert 1 <= fault.place.line <= edited.count("\n") + 1


def sentence_with(text, words):
    """The sentence that holds the words, with the blank before it."""
    start = max(text.rfind(". ", 0, text.index(words)) + 1, text.rfind("\n", 0, text.index(words)) + 1)
    end = text.index(". ", text.index(words)) + 1
    return text[start:end]


@pytest.mark.parametrize(("words", "lacking"), [
    ("a steady phase", ["cycle"]), ("4 departments", ["departments", "year_end"]),
    ("22 pages", ["report_edition", "report_pages", "report_charts"])])  # fmt: skip
def test_a_sentence_left_out(words, lacking):
    text = text_of("credit_risk")
    fault = refusal("credit_risk", "low", text.replace(sentence_with(text, words), ""))
    assert fault.code == "text/missing"
    assert all(name in fault.message for name in lacking)
    assert fault.place.line == place(text, text.index(words))[0]


def test_a_sentence_told_twice_alike_and_otherwise():
    text = text_of("credit_risk")
    sentence = sentence_with(text, "a steady phase")
    for more in (sentence, sentence.replace("a steady phase", "a phase of expansion")):
        edited = text.replace(sentence, sentence + more)
        fault = refusal("credit_risk", "low", edited)
        assert fault.code == "text/repeated"
        assert "cycle" in fault.message
        again = edited.index("in a ", edited.index("in a steady phase") + 5)
        assert (fault.place.line, fault.place.column) == place(edited, again)


@pytest.mark.parametrize("name", WORLDS)
def test_windows_line_ends(name):
    fault = refusal(name, "low", a_memo(name, "low").replace("\n", "\r\n"))
    assert (fault.code, fault.place.line) == ("text/edited", 1)


@pytest.mark.parametrize(("name", "own", "other"), [
    (name, own, other) for name in WORLDS for own in LEVELS for other in LEVELS if own != other])  # fmt: skip
def test_a_memo_of_another_level(name, own, other):
    fault = refusal(name, own, a_memo(name, other))
    told = set(a_case(name, own))
    if LEVELS.index(other) < LEVELS.index(own):
        assert fault.code == "text/hidden", fault
        hidden = [attribute for attribute in a_case(name, other) if attribute not in told]
        assert any(attribute in fault.message for attribute in hidden)
        assert f"level {own} hides" in fault.message
    else:
        assert fault.code in ("text/missing", "text/hidden"), fault


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("other", WORLDS)
def test_a_memo_of_another_world(name, other):
    if name != other:
        assert refusal(name, "low", a_memo(other, "low")).code == "text/missing"


def test_the_question_at_the_end():
    held, case = memo("support_ticket", "low"), a_case("support_ticket", "low")
    asked = {question: held.text(case, question=question) for question in (None, "queue", "priority", "angry")}
    assert len(set(asked.values())) == 4
    for question, text in asked.items():
        assert held.decoded(text).question == question
        assert held.decode(text) == case
    text = asked["queue"]
    assert refusal("support_ticket", "low", text.replace("this ticket?", "the ticket?")).code == "text/edited"
    assert refusal("support_ticket", "low", text + " How urgent is this ticket?").code == "text/edited"


@pytest.mark.parametrize("text", [None, b"This memo", 5, ["a"], object(), bytearray(b"x")])
def test_no_text(text):
    with pytest.raises(pbn.QueryError) as caught:
        memo("credit_risk", "low").decode(text)
    assert caught.value.code == "text/not-text"
    with pytest.raises(pbn.QueryError) as caught:
        memo("credit_risk", "low").recover(text)
    assert caught.value.code == "text/not-text"


@EVERY
@pytest.mark.parametrize("text", ["", " ", "\n", "\x00", "\ud800", "a", "?", "{", "%s", "\\", "𐀀" * 50])
def test_hardly_any_text(name, level, text):
    fault = refusal(name, level, text)
    assert fault.code == "text/missing"
    assert fault.place.line == 1


# -- every small edit is refused, unless it makes another memo -----------------------------------------------


def check_edited(name, level, edited):
    """An edited memo is refused, or it is a memo to the last byte."""
    held = memo(name, level)
    try:
        found = held.decoded(edited)
    except pbn.QueryError as error:
        (fault,) = error.faults
        assert fault.code.startswith("text/")
        assert fault.place is not None
        assert 1 <= fault.place.line <= edited.count("\n") + 1
        assert 1 <= fault.place.column <= len(edited.split("\n")[fault.place.line - 1]) + 1
        return False
    codes = {key: np.array([found.codes[key]]) for key in held.template.parents}
    chosen = {key: np.array([found.chosen.get(key, 0)]) for key in held.template.choices}
    again = next(held.template.render(codes, np.zeros(1, int), question=found.question, chosen=chosen))
    assert again == edited
    return True


@pytest.mark.parametrize("name", WORLDS)
def test_every_deletion(name):
    text, case = a_memo(name, "medium"), a_case(name, "medium")
    others = []
    for k in range(len(text)):
        edited = text[:k] + text[k + 1 :]
        if check_edited(name, "medium", edited):
            others.append(memo(name, "medium").decode(edited))
    assert case not in others
    changed = [[key for key in case if other[key] != case[key]] for other in others]
    assert all(len(names) == 1 and case[names[0]].replace(".", "").isdigit() for names in changed)
    assert len(others) < 12


@st.composite
def edits(draw):
    name, level = draw(st.sampled_from(EACH))
    row = draw(st.integers(0, 30))
    text = a_memo(name, level, row)
    k = draw(st.integers(0, len(text) - 2))
    kind = draw(st.sampled_from(["insert", "substitute", "swap", "cut", "copy", "case"]))
    letter = draw(st.one_of(st.sampled_from(string.printable), st.characters()))
    if kind == "insert":
        edited = text[:k] + letter + text[k:]
    elif kind == "substitute":
        edited = text[:k] + letter + text[k + 1 :]
    elif kind == "swap":
        edited = text[:k] + text[k + 1] + text[k] + text[k + 2 :]
    elif kind == "case":
        edited = text[:k] + text[k].swapcase() + text[k + 1 :]
    else:
        end = draw(st.integers(k, len(text)))
        edited = text[:k] + text[end:] if kind == "cut" else text[:end] + text[k:]
    return name, level, text, edited


@settings(max_examples=300, deadline=None)
@given(edits())
def test_an_edited_memo_is_refused_or_another_memo(edit):
    name, level, text, edited = edit
    if edited == text:
        return
    if check_edited(name, level, edited):
        found = memo(name, level).decoded(edited)
        original = memo(name, level).decoded(text)
        assert (found.codes, found.chosen, found.question) != (original.codes, original.chosen, original.question)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(EACH), st.text(max_size=200))
def test_any_text(where, text):
    assert not check_edited(*where, text)


@pytest.mark.parametrize(
    ("old", "new", "hint"),
    [
        ("\n", "\r\n", "as on Windows"),
        ("This", "\ufeffThis", "byte-order mark"),
        (" by the", "\xa0by the", "no-break space"),
    ],
)
def test_what_cannot_be_seen_is_named(old, new, hint):
    text = text_of("credit_risk")
    assert old in text
    fault = refusal("credit_risk", "low", text.replace(old, new, 1))
    assert hint in fault.hint
    assert repr(new)[1:-1] in fault.found


def test_accents_of_one_letter_or_two_are_one_phrase():
    text = """
name: cafe
title: Which table?
variables:
  table: {states: [a, b]}
  free: {states: [no, yes]}
questions: {free: {asks: free, kind: yes/no, text: Is it free?}}
levels: {seen: {hide: []}}
memo:
  paragraphs: [{sentences: {where: "It stands {table}."}}]
  phrases: {table: {a: "in the caf\u00e9", b: "in the cafe\u0301"}}
"""
    report = check_world(pbn.loads(text), samples=2)
    assert "phrases_distinct" in {result.name for result in report.failures}
