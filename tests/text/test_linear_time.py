"""Hostile texts: a text four times as long takes about four times as long, so that a megabyte is no way to hang."""

from __future__ import annotations

import time

import pytest

import pbn
from tests.text.shipped import a_memo, memo

LARGE = 1_000_000
MOST = 12
"""Four times the length takes 16 times as long where the time grows with its square."""
LEAST = 0.02
"""Seconds that any text is granted, so that noise of a busy machine counts for little."""
PHRASE = "a moderate number of lenders, a fair number of lenders would offer it fresh "
CODE = "run identifier is "


def repeated(text, size):
    return (text * (size // len(text) + 1))[:size]


SHAPES = {
    "prefix of a memo": lambda size: repeated(a_memo("credit_risk", "low")[:-5], size),
    "sentences of a memo": lambda size: a_memo("credit_risk", "low") + repeated(a_memo("credit_risk", "low"), size),
    "one phrase": lambda size: repeated("a weak flow of cash, ", size),
    "the beginning of a phrase": lambda size: repeated(PHRASE, size),
    "words that begin a phrase": lambda size: repeated("a ", size),
    "digits": lambda size: "1" * size,
    "digits with commas": lambda size: repeated("123,", size),
    "digits with commas, and one more": lambda size: "1" + repeated(",111", size) + "1",
    "digits with points": lambda size: repeated("1.", size),
    "numbers in words": lambda size: repeated("7 employees ", size),
    "signs": lambda size: repeated("+-", size),
    "hyphenated letters": lambda size: repeated("a-", size),
    "brackets": lambda size: repeated("({[\"'", size),
    "blanks": lambda size: " " * size,
    "line breaks": lambda size: "\n" * size,
    "letters": lambda size: "a" * size,
    "other letters": lambda size: "é" * size,
    "accents": lambda size: "a" + "\u0301" * size,
    "dashes": lambda size: "–" * size,
    "large characters": lambda size: "𝒳" * size,
    "letters behind a code's words": lambda size: CODE + "a" * size,
    "groups behind a code's words": lambda size: CODE + repeated("abcd-", size),
    "hyphens behind a code's words": lambda size: CODE + "-" * size,
    "a code's words": lambda size: repeated(CODE, size),
    "codes": lambda size: repeated(f"{CODE}kqzv-abcd-kqzv-abcd ", size),
}


def seconds(work, text):
    best = float("inf")
    for _ in range(2):
        start = time.perf_counter()
        work(text)
        best = min(best, time.perf_counter() - start)
    return best


def decode(text):
    for name in ("credit_risk", "covert_transfer"):
        with pytest.raises(pbn.QueryError):
            memo(name, "low").decode(text)


def search(text):
    for name in ("credit_risk", "covert_transfer"):
        memo(name, "low").recover(text)


def growth(work, shape, size):
    """How many times longer a text of four times the length takes."""
    short, long = SHAPES[shape](size // 4), SHAPES[shape](size)
    return seconds(work, long) / max(seconds(work, short), LEAST)


@pytest.mark.parametrize("shape", [
    "prefix of a memo", "the beginning of a phrase", "digits with commas, and one more", "signs",
    "letters behind a code's words", "hyphens behind a code's words"])  # fmt: skip
def test_forty_kilobytes(shape):
    assert growth(search, shape, LARGE // 25) < MOST


@pytest.mark.parametrize("shape", ["sentences of a memo", "groups behind a code's words"])
def test_decoding_forty_kilobytes(shape):
    assert growth(decode, shape, LARGE // 25) < MOST


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
def test_a_megabyte(shape):
    """Decoding searches the whole text too, to say what is wrong with it."""
    held = memo("covert_transfer" if "code" in shape or "hyphen" in shape else "credit_risk", "low")

    def taken(size):
        text, start = SHAPES[shape](size), time.perf_counter()
        with pytest.raises(pbn.QueryError):
            held.decode(text)
        return time.perf_counter() - start

    assert taken(LARGE) / max(taken(LARGE // 4), LEAST) < MOST


SMALL_ALPHABET = """\
name: hostile
title: Phrases of one word repeated
variables:
  v: {{states: [a, b]}}
  n: {{states: 1..50}}
  c: {{repeat: 200, states: [a, b]}}
  asked: {{rule: "v == 'a'"}}
questions: {{q: {{asks: asked, kind: yes/no, text: Is it?}}}}
levels: {{low: {{show: [v, n, c]}}}}
memo:
  paragraphs:
    - sentences: {{s: "It is {{v}}, {{n}} and {{c}}."}}
  phrases:
    v: {{a: "{a}", b: "{b}"}}
    n: "{a} {{}} {a}"
    c: {{code: "{{}}", groups: 1}}
"""


@pytest.mark.parametrize("shape", ["words that begin a phrase", "hyphenated letters", "numbers and words", "digits"])
def test_phrases_that_begin_alike(shape):
    """Long phrases of one word, a bare code that can begin at every letter: bounded work at every word."""
    world = pbn.loads(SMALL_ALPHABET.format(a="a " * 100 + "x", b="a " * 100 + "y"))
    held = world.memo("low")
    shapes = {**SHAPES, "numbers and words": lambda size: repeated("a 1 ", size)}
    short, long = (shapes[shape](size) for size in (LARGE // 400, LARGE // 100))
    assert seconds(held.recover, long) / max(seconds(held.recover, short), LEAST) < MOST
