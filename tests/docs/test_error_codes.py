"""Every error code that the pages list is raised by a file that earns it, and no code is left out."""

from __future__ import annotations

import re

import pytest

import pbn
from tests.docs.pages import ROOT

BASE = """\
name: demo
title: A demonstration
parameters: {share: 1/4}
variables:
  sky: {states: [clear, rain], p: [.7, .3]}
  wind: {states: [calm, stormy], p: [.8, .2], values: [0, 5]}
  die: {repeat: 3, states: 1..6}
  late: {rule: "sky == 'rain' or wind > 1"}
questions:
  late: {asks: late, kind: yes/no, text: Late?}
levels:
  low: {hide: []}
  high: {hide: [wind]}
"""
VARIABLE = {  # code → one more variable, which is wrong
    "spec/alias": "&a {states: [a, b]}",
    "spec/tag": "!x {states: [a, b]}",
    "spec/unknown-key": "{states: [a, b], q: [.5, .5]}",
    "spec/missing-key": "{states: [a, b], given: sky}",
    "spec/one-source": "{rule: wind + 1, merge: sky}",
    "spec/wrong-shape": "{states: [a, b], p: .5}",
    "spec/unknown-word": "{states: [a, b], role: hidden}",
    "spec/duplicate-key": "{states: [a, b], states: [a, c]}",
    "spec/unknown-variable": "{states: [a, b], given: ski, p: {clear: [.5, .5], rain: [.5, .5]}}",
    "spec/duplicate-variable": "{states: [a, b], given: [sky, sky], p: {clear: [.5, .5], rain: [.5, .5]}}",
    "spec/repeat": "{states: [a, b], repeat: 1}",
    "spec/cycle": "{rule: x + 1}",
    "spec/no-states": "{states: []}",
    "spec/state": "{states: [a, ~]}",
    "spec/range": "{states: z..a}",
    "spec/duplicate-state": "{states: [a, a]}",
    "spec/too-many-states": "{states: [1..60000, 60001..120000]}",
    "spec/values": "{states: [a, b], values: [1]}",
    "spec/missing-state": "{states: [a, b], values: {a: 1}}",
    "spec/unknown-state": "{states: [a, b], values: {a: 1, c: 2}}",
    "spec/number": "{states: [a, b], values: [1, nan]}",
    "spec/states-unknown": "{states: [a, b], given: sum3, p: {}}",
    "spec/states": "{rule: wind + 1, states: [small, large]}",
    "spec/probability": "{states: [a, b], p: [1.2, -.2]}",
    "spec/row-sum": "{states: [a, b], p: [.5, .6]}",
    "spec/row-length": "{states: [a, b], p: [.5, .3, .2]}",
    "spec/missing-row": "{states: [a, b], given: sky, p: {clear: [.5, .5]}}",
    "spec/duplicate-row": "{states: [a, b], given: sky, p: {clear: [.5, .5], clear: [.5, .5], rain: [.5, .5]}}",
    "spec/grid": "{measured: sky, from: 0, to: 1, step: .3, cuts: [.3]}",
    "spec/cuts": "{measured: sky, from: 0, to: 1, step: .1, cuts: [.25]}",
    "spec/count": "{count: {lognormal: {median: 9, scale: 1}, from: 1, to: 5}}",
    "spec/too-large": "{repeat: 1000, states: 1..2000}",
    "network/count-median": "{count: {negative_binomial: {median: 90, dispersion: .01}, from: 0, to: 100}}",
    "network/rule-too-large": "{rule: '" + " + ".join(f"{3**k} * big_{k + 1}" for k in range(14)) + "'}",
    "network/rules-too-large": "{rule: 'die[1] * die[2] * die[3] - wind // 2'}",
    "rule/syntax": "{rule: 'wind +'}",
    "rule/not-allowed": "{rule: wind.real}",
    "rule/unknown-name": "{rule: wnd + 1}",
    "rule/unknown-function": "{rule: round(wind)}",
    "rule/unknown-state": "{rule: \"sky == 'rian'\"}",
    "rule/no-common-state": "{rule: sky == wind}",
    "rule/arity": "{rule: 'clip(wind, 0)'}",
    "rule/not-a-number": "{rule: sky + 1}",
    "rule/not-a-condition": "{rule: 1 if wind else 2}",
    "rule/mixed": "{rule: sky == 3}",
    "rule/in": "{rule: \"sky in 'rain'\"}",
    "rule/index": "{rule: 'die[4]'}",
    "rule/repeated": "{rule: die + 1}",
    "rule/rank": "{rule: rank(sum3)}",
    "rule/size": "{rule: size(sum3)}",
    "rule/power": "{rule: wind ** wind}",
    "rule/number": f"{{rule: wind + {'9' * 41}}}",
    "rule/too-deep": f"{{rule: {'(' * 61}wind{')' * 61}}}",
    "rule/not-constant": "{states: [a, b], p: ['1 > 0', 0]}",
    "rule/division-by-zero": "{states: [a, b], p: [1 / 0, 1]}",
    "rule/undefined": "{rule: 1 / wind}",
    "rule/undeclared-state": "{rule: wind + 1, states: [1, 2]}",
}
EDIT = {  # code → a passage of BASE, and what stands in its place
    "spec/yaml": ("title: A demonstration", "title: 'A demonstration"),
    "spec/tab": ("  sky:", "\tsky:"),
    "spec/control-character": ("demonstration", "demonstration\x07"),
    "spec/not-utf8": ("demonstration", "demonstration\ud800"),
    "spec/empty": (BASE, "# nothing\n"),
    "spec/key": ("  sky:", "  [a, b]: {states: [a, b]}\n  sky:"),
    "spec/several-documents": ("questions:", "---\nquestions:"),
    "spec/too-deep": ("title: A demonstration", "title: " + "[" * 50 + "]" * 50),
    "spec/name": ("name: demo", "name: Demo"),
    "spec/question-asks": ("asks: late", "asks: lat"),
    "spec/question-kind": ("asks: late", "asks: die_1"),
    "spec/question-positive": ("asks: late", "asks: sky"),
    "spec/level-hides": ("hide: [wind]", "hide: [late]"),
    "spec/level-shows": ("high: {hide: [wind]}", "high: {show: [late]}"),
    "spec/level-not-nested": ("low: {hide: []}", "low: {hide: [sky]}"),
    "spec/closed-form": ("high: {hide: [wind]}", "high: {hide: [wind], closed_form: {late: wind}}"),
    "spec/duplicate-claim": ("questions:", "claims: [strictly_nested, strictly_nested]\nquestions:"),
    "spec/unknown-level": (
        "questions:",
        "published: [{quantity: bayes_error, question: late, level: lo, value: .1, source: a book}]\nquestions:",
    ),
    "spec/unknown-question": (
        "questions:",
        "published: [{quantity: prior, question: lat, value: .1, source: a book}]\nquestions:",
    ),
    "spec/memo-text": ("questions:", "memo: {paragraphs: [{sentences: {sky: ''}}]}\nquestions:"),
    "spec/memo-brace": ("questions:", "memo: {paragraphs: [{sentences: {sky: 'a } b'}}]}\nquestions:"),
    "spec/memo-order": (
        "questions:",
        "memo: {paragraphs: [{sentences: {sky: 'A {sky}.', wind: 'A {wind}.'}, orders: [[wind]]}]}\nquestions:",
    ),
    "spec/memo-phrasings": (
        "questions:",
        "memo: {paragraphs: [{sentences: {sky: ['A {sky}.', 'A {wind}.']}}]}\nquestions:",
    ),
    "spec/memo-phrases": (
        "questions:",
        "memo: {paragraphs: [{sentences: {sky: 'A {sky}.'}}], phrases: {wind: '{}'}}\nquestions:",
    ),
    "rule/too-large": ("share: 1/4", f"share: 1/4, big: {'9' * 40} ** 16"),
}


def text_of(code: str) -> str:
    """A world file that earns the code."""
    if code in EDIT:
        old, new = EDIT[code]
        assert old in BASE
        return BASE.replace(old, new)
    extra = f"  sum3: {{rule: sum(die)}}\n  big: {{repeat: 14, states: 0..2}}\n  x: {VARIABLE[code]}\n"
    return BASE.replace("questions:", extra + "questions:")


def listed(page: str, *families: str) -> set[str]:
    """The codes in the first column of a page's tables."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return {
        code for code in re.findall(r"^\| `([a-z]+/[a-z0-9-]+)`", text, re.MULTILINE) if code.split("/")[0] in families
    }


@pytest.mark.parametrize("code", [*VARIABLE, *EDIT])
def test_a_file_earns_its_code(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if code == "network/rules-too-large":
        monkeypatch.setattr("pbn.network.parts.MAX_EFFORT", 40)  # as it stands it takes minutes to reach
    with pytest.raises(pbn.PbnError) as caught:
        pbn.loads(text_of(code))
    assert code in [fault.code for fault in caught.value.faults], str(caught.value)


def test_a_count_without_a_law_is_named_with_its_place() -> None:
    with pytest.raises(pbn.NetworkError) as caught:
        pbn.loads(text_of("network/count-median"))
    (fault,) = caught.value.faults
    assert fault.message.startswith("x: ")
    assert fault.place is not None
    assert fault.place.line == 1 + text_of("network/count-median").split("  x:")[0].count("\n")


def test_the_base_of_all_these_is_sound() -> None:
    assert pbn.loads(BASE).levels


def test_every_code_of_the_pages_is_tried_here_or_needs_a_file_system() -> None:
    elsewhere = {"spec/no-file", "spec/not-a-file", "spec/unreadable"}
    told = listed("world-file.md", "spec", "network") | listed("rule-language.md", "rule", "network")
    assert told - elsewhere == {*VARIABLE, *EDIT}
    assert elsewhere <= told


def test_no_code_of_the_reader_is_left_out() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pbn" / "spec").glob("*.py")))
    codes = set(re.findall(r'"((?:spec|rule)/[a-z0-9-]+)"', source))
    told = listed("world-file.md", "spec") | listed("rule-language.md", "rule")
    assert codes <= told
    assert len(codes) > 60
