"""The types of rules: what they yield, and every problem with its hint and its place."""

from fractions import Fraction

import pytest

from pbn.spec.check_types import ANYTHING, _Checker, check_types
from pbn.spec.expression import NUMBER, TRUTH, Scope, Type, parse

CYCLE = ("expansion", "steady", "contraction")
SCOPE = Scope(
    constants={"m": Fraction(4)},
    variables={
        "cycle": Type(labels=CYCLE), "other": Type(labels=("steady", "else")),
        "cash": Type(labels=("weak", "strong"), number=True), "total": NUMBER,
        "flag": Type(labels=("no", "yes"), truth=True), "faulty": ANYTHING,
        "letter_1": Type(labels=("x", "y")), "letter_2": Type(labels=("y", "z")),
        "count_1": NUMBER, "count_2": NUMBER,
    },
    families={"letter": ("letter_1", "letter_2"), "count": ("count_1", "count_2")},
)  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), [
    ("1", NUMBER),
    ("'a'", Type(labels=("a",))),
    ("cycle", Type(labels=CYCLE)),
    ("cash", Type(labels=("weak", "strong"), number=True)),
    ("cash + total * m - rank(cycle) / size(cycle)", NUMBER),
    ("cash == 'weak'", TRUTH),
    ("cash == 3", TRUTH),
    ("cash > 3 and not flag", TRUTH),
    ("cycle == other", TRUTH),
    ("cycle in ['steady', 'expansion']", TRUTH),
    ("cycle not in ('steady',)", TRUTH),
    ("1 < cash <= total", TRUTH),
    ("flag == 'yes'", TRUTH),
    ("flag + (cash > 1) + 1", NUMBER),
    ("-flag", NUMBER),
    ("'a' if flag else 'b' if cash > 1 else 'a'", Type(labels=("a", "b"))),
    ("cycle if flag else other", Type(labels=(*CYCLE, "else"))),
    ("cash if flag else 0", NUMBER),
    ("flag if cash > 1 else total > 1", TRUTH),
    ("flag if cash > 1 else 3", NUMBER),
    ("letter[1]", Type(labels=("x", "y"))),
    ("letter[total]", Type(labels=("x", "y", "z"))),
    ("sum(count) + max(count) - min(count[1], 3)", NUMBER),
    ("sum(1, cash, flag)", NUMBER),
    ("clip(cash, 0, 1) + abs(total)", NUMBER),
    ("rank(letter[1])", NUMBER),
    ("faulty + 1", NUMBER),
    ("faulty == 'anything' and faulty == 3", TRUTH),
    ("'a' if faulty else faulty", Type(labels=("a",))),
])  # fmt: skip
def test_types(text, kind):
    assert check_types(parse(text), SCOPE) == (kind, [])


@pytest.mark.parametrize(("text", "code", "offset", "words"), [
    ("1 + cahs", "rule/unknown-name", 4, "did you mean 'cash'?"),
    ("cycle == steady", "rule/unknown-name", 9, "states are quoted: cycle == 'steady'"),
    ("cycle == 'stedy'", "rule/unknown-state", 9, "did you mean 'steady'?"),
    ("'stedy' != cycle", "rule/unknown-state", 0, "did you mean 'steady'?"),
    ("cycle in ['steady', 'x']", "rule/unknown-state", 20, None),
    ("'é' == cycle", "rule/unknown-state", 0, None),
    ("cash > 1 and 'é' in ['é'] and cahs", "rule/unknown-name", 30, "did you mean 'cash'?"),
    ("letter[1] == 'z'", "rule/unknown-state", 13, None),
    ("letter[3]", "rule/index", 0, None),
    ("letter[m / 3]", "rule/index", 0, None),
    ("letter['x']", "rule/not-a-number", 7, None),
    ("cash[1]", "rule/index", 0, None),
    ("letter == 'x'", "rule/repeated", 0, "letter[1]"),
    ("cycle + 1", "rule/not-a-number", 0, "rank(cycle)"),
    ("'a' + 1", "rule/not-a-number", 0, None),
    ("cycle > 1", "rule/not-a-number", 0, "rank(cycle)"),
    ("sum(letter)", "rule/not-a-number", 0, None),
    ("cash and flag", "rule/not-a-condition", 0, "cash == '…'"),
    ("1 if cycle else 2", "rule/not-a-condition", 5, None),
    ("not total", "rule/not-a-condition", 4, None),
    ("cycle == 1", "rule/mixed", 9, "compare it with 'expansion'"),
    ("total == 'many'", "rule/mixed", 0, "a number with a number"),
    ("'a' if flag else 1", "rule/mixed", 0, None),
    ("cycle in other", "rule/in", 9, None),
    ("cycle in []", "rule/in", 9, None),
    ("['a']", "rule/not-allowed", 0, None),
    ("rank(total)", "rule/rank", 0, None),
    ("size(1)", "rule/size", 0, None),
    ("rank(m)", "rule/rank", 0, None),
])  # fmt: skip
def test_problems(text, code, offset, words):
    _, (problem,) = check_types(parse(text), SCOPE)
    assert (problem.code, problem.offset) == (code, offset)
    assert words is None or words in (problem.hint or "")


def test_all_problems_are_found_at_once():
    _, problems = check_types(parse("cahs + 1 > 2 or cycle == 'x' or total and flag"), SCOPE)
    assert [problem.code for problem in problems] == ["rule/unknown-name", "rule/unknown-state", "rule/not-a-condition"]


def test_one_mistake_is_one_problem():
    _, problems = check_types(parse("(cahs + 1) * 2 == 'x' if cahs > 2 else cahs"), SCOPE)
    assert {problem.code for problem in problems} <= {"rule/unknown-name", "rule/mixed"}


def test_a_flood_of_unknown_names_is_cut():
    _, problems = check_types(parse(" + ".join(f"x{k}" for k in range(900))), SCOPE)
    assert len(problems) == 20


def test_offsets_count_blanks_before_the_expression():
    _, (problem,) = check_types(parse("   cahs"), SCOPE)
    assert problem.offset == 3


@pytest.mark.parametrize("text", ["cycle == letter_1", "letter_1 != cycle", "cycle in [other, letter[total]]"])
def test_variables_without_a_common_state(text):
    (problem,) = check_types(parse(text), SCOPE)[1]
    assert problem.code == "rule/no-common-state"
    assert "cycle" in problem.message
    assert "letter" in problem.message


def test_only_plain_variables_need_a_common_state():
    text = "(cycle if flag else other) == letter_1 or letter[total] == letter_1 or faulty == cycle or cash == total"
    assert check_types(parse(text), SCOPE) == (TRUTH, [])


@pytest.mark.parametrize("step", ["0 <= ({}) <= 1", "({}) in [0, total, 1]", "0 <= ({}) + 1 <= 1 <= total"])
def test_each_part_is_typed_once(step, monkeypatch):
    looked_at: list[int] = []
    type_of = _Checker._type_of

    def counted(self, node):
        looked_at.append(id(node))
        return type_of(self, node)

    monkeypatch.setattr(_Checker, "_type_of", counted)
    text = "flag"
    for _ in range(15):
        text = step.format(text)
    assert check_types(parse(text), SCOPE) == (TRUTH, [])
    assert len(looked_at) == len(set(looked_at))
