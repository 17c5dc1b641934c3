"""The rule language: what parses, what is refused, and exact arithmetic over constants."""

import ast
import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.spec.expression import Scope, Type, evaluate_constant, is_constant, parse, references
from pbn.spec.rule_text import InvalidExpression

GOOD = [
    "score + residual >= 11.5", "a if b == 'x' else c if d else e", "x in ['a', 'b']", "x not in (1, 2)", "-x ** 2",
    "not a and (b or c)", "letter[i + 1] == letter[1]", "clip(x, 0, 1) // 2 % 3", "min(a, b, c) - max(a) * abs(-b)",
    "0.5 < x <= 1e3", "sum(letter)", "rank(v) * size(v)", '"it\'s" == v', "x == 'a \"quoted\" (state'", "  1 + 1  ",
    "x +\n  y", "x == 'naïve'",
]  # fmt: skip


@pytest.mark.parametrize("text", GOOD)
def test_what_the_language_has(text):
    assert isinstance(parse(text).tree, ast.expr)


@pytest.mark.parametrize(("text", "code", "offset"), [
    ("", "rule/syntax", 0),
    ("   ", "rule/syntax", 0),
    ("a +", "rule/syntax", 2),
    ("a b", "rule/syntax", 2),
    ("a = 1", "rule/syntax", 2),
    ("a == 1 # why", "rule/syntax", 7),
    ("1 + x.real", "rule/not-allowed", 4),
    ("x[1:2]", "rule/not-allowed", 2),
    ("lambda: x", "rule/not-allowed", 0),
    ("[x for x in y]", "rule/not-allowed", 0),
    ("x is y", "rule/not-allowed", 0),
    ("{1: 2}", "rule/not-allowed", 0),
    ("x in {1, 2}", "rule/not-allowed", 5),
    ("f'{x}'", "rule/not-allowed", 0),
    ("b'x'", "rule/not-allowed", 0),
    ("1j", "rule/not-allowed", 0),
    ("None", "rule/not-allowed", 0),
    ("x & y", "rule/not-allowed", 0),
    ("~x", "rule/not-allowed", 0),
    ("x @ y", "rule/not-allowed", 0),
    ("max(*x)", "rule/not-allowed", 4),
    ("max(x, key=y)", "rule/not-allowed", 7),
    ("x()()", "rule/not-allowed", 0),
    ("open('f')", "rule/unknown-function", 0),
    ("eval('1')", "rule/unknown-function", 0),
    ("1 + abs()", "rule/arity", 4),
    ("clip(1, 2)", "rule/arity", 0),
    ("2 ** x", "rule/power", 0),
    ("2 ** 17", "rule/power", 0),
    ("(2 ** 2) ** 2", "rule/power", 1),
    ("2 ** -1", "rule/power", 0),
    ("9**9**9", "rule/power", 0),
    ("1 + 0x10", "rule/number", 4),
    ("1e41", "rule/number", 0),
    ("1 + " + "9" * 41, "rule/number", 4),
    ("0." + "1" * 41, "rule/number", 2),
    ("'é' == x.y", "rule/not-allowed", 7),
    ("   x.y", "rule/not-allowed", 3),
    ("x == 'a' +\n x.y", "rule/not-allowed", 12),
])  # fmt: skip
def test_what_it_has_not(text, code, offset):
    with pytest.raises(InvalidExpression) as caught:
        parse(text)
    assert (caught.value.problem.code, caught.value.problem.offset) == (code, offset)


@pytest.mark.parametrize("text", [
    "(" * 10_000, "(" * 9_000 + "1" + ")" * 9_000, "-" * 15_000 + "1", "not " * 4_900 + "x", "x." * 9_900 + "x",
    "x[" * 9_000, "1 if x else " * 1_600 + "1", "x ** " * 3_900 + "1", "~" * 19_000 + "x", "x()" + "()" * 9_000,
    "x" + "[0]" * 6_000, "lambda:" * 2_800 + "x", "await " * 3_000 + "x", "9" * 19_999, "x < " * 4_900 + "x",
    "x, " * 6_600, "'" + "\\'" * 9_000, "'\\''" + "(" * 15_000, "x and (" * 2_800, "1" * 1_000_000, "a" * 20_001,
    "x / " * 4_900 + "x", "[" * 50 + "x" + "]" * 49, "\\", "x\\\ny", "'''", "\f", "x\0y", "é" * 9_000 + "(",
    "x if " * 3_900,
])  # fmt: skip
def test_hostile_texts_are_refused_soon(text):
    start = time.perf_counter()
    with pytest.raises(InvalidExpression) as caught:
        parse(text)
    assert caught.value.problem.code.startswith("rule/")
    assert len(caught.value.problem.message) < 200
    assert time.perf_counter() - start < 5


def test_a_long_sum_is_fine():
    assert parse("x + " * 900 + "1")


def test_numbers_are_exact():
    expression = parse("0.1 + 1e-3 + 1_000 + .5 + 2.")
    assert sorted(expression.numbers.values()) == [
        Fraction(1, 1000),
        Fraction(1, 10),
        Fraction(1, 2),
        Fraction(2),
        Fraction(1000),
    ]


@pytest.mark.parametrize(("text", "value"), [
    ("(1 - share) / 2", Fraction(3, 8)), ("2 ** 3 // 3", 2), ("-7 % 3", 2), ("abs(-share)", Fraction(1, 4)),
    ("min(1, 2, share) + max(3, 4)", Fraction(17, 4)), ("sum(1, 2, 3)", 6), ("clip(5, 0, 1)", 1), ("+1", 1),
])  # fmt: skip
def test_constants(text, value):
    assert evaluate_constant(parse(text), {"share": Fraction(1, 4)}) == value


@pytest.mark.parametrize(("text", "code", "offset"), [
    ("1 + shar", "rule/unknown-name", 4),
    ("'é' + 1", "rule/not-constant", 0),
    ("1 / (share - share)", "rule/division-by-zero", 5),
    ("1 % 0", "rule/division-by-zero", 4),
    ("share > 1", "rule/not-constant", 0),
    ("rank(share)", "rule/not-constant", 0),
    ("big ** 16", "rule/too-large", 0),
    (" * ".join(["big"] * 20), "rule/too-large", 0),
    ("1 + " * 2_000 + "1", "rule/too-deep", 0),
])  # fmt: skip
def test_what_is_no_constant(text, code, offset):
    with pytest.raises(InvalidExpression) as caught:
        evaluate_constant(parse(text), {"share": Fraction(1, 4), "big": Fraction(10**40)})
    assert (caught.value.problem.code, caught.value.problem.offset) == (code, offset)


def test_references():
    scope = Scope(
        constants={"m": Fraction(2)},
        variables={name: Type() for name in ("a", "b", "v_1", "v_2", "v_3")},
        families={"v": ("v_1", "v_2", "v_3")},
    )
    assert references(parse("b + a * m if unknown else max(b, 1)"), scope) == ("b", "a")
    assert references(parse("v[m] == 'x'"), scope) == ("v_2",)
    assert references(parse("v[a]"), scope) == ("v_1", "v_2", "v_3", "a")
    assert references(parse("sum(v)"), scope) == ("v_1", "v_2", "v_3")
    assert references(parse("v[m + 2]"), scope) == ()


def test_is_constant():
    expression = parse("m + 1")
    assert is_constant(expression, expression.tree, {"m": Fraction(2)}) == 3
    assert is_constant(expression, expression.tree, {}) is None


NUMBERS = st.fractions(min_value=0, max_value=1000, max_denominator=100).map(lambda x: Fraction(round(x * 100), 100))
ARITHMETIC = st.recursive(
    NUMBERS.map(lambda x: f"{float(x):.2f}"),
    lambda inner: st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
    max_leaves=12,
)


@settings(deadline=None)
@given(ARITHMETIC)
def test_arithmetic_agrees_with_fractions(text):
    exact = eval(ast.unparse(_Exact().visit(ast.parse(text, mode="eval"))), {"Fraction": Fraction})
    assert evaluate_constant(parse(text), {}) == exact


class _Exact(ast.NodeTransformer):
    def visit_Constant(self, node):
        return ast.parse(f"Fraction('{node.value}')", mode="eval").body


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="ab1.()[]'\"+-*/<>=!,:ifelsnotr \\#é", max_size=60))
def test_any_text_is_an_expression_or_one_problem(text):
    try:
        expression = parse(text)
    except InvalidExpression as error:
        problem = error.problem
    else:
        assert expression.position(expression.tree) <= len(text)
        return
    assert problem.message
    assert 0 <= problem.offset <= max(len(text), 1)


@given(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=20), st.sampled_from("'\""))
def test_a_quoted_text_is_itself(text, quote):
    escaped = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
    try:
        tree = parse(f"x == {quote}{escaped}{quote}").tree
    except InvalidExpression:
        assert any(ord(character) < 32 for character in text)  # Python reads no line break or NUL there
        return
    assert tree.comparators[0].value == text


@pytest.mark.parametrize("text", [
    r"'a\b'", r"'\x61'", r"'\n'", r"'\u00e9'", r"'\N{DIGIT ONE}'", r"'\141'", "r'a'", "u'a'", "'a' 'b'", "('a' \"b\")",
    "'''a'''", '"""a"""',
])  # fmt: skip
def test_python_texts_that_are_no_plain_state(text):
    with pytest.raises(InvalidExpression) as caught:
        parse(f"x in [{text}, 'c']")
    assert caught.value.problem.code == "rule/syntax"
    assert caught.value.problem.offset in (6, 7)


@pytest.mark.parametrize("text", ["ｘ + 1", "1 + ｍｉｎ(1, 2)", "ﬁt == 2", "a[ｉ]", "ａ[1]"])
def test_names_that_python_would_take_for_others(text):
    with pytest.raises(InvalidExpression) as caught:
        parse(text)
    assert caught.value.problem.code == "rule/unknown-name"
    assert not text[caught.value.problem.offset].isascii()


@pytest.mark.parametrize(("low", "high"), [(4, 2), (2, 2), (1, 3), (-1, -2)])
def test_clip_ends_with_the_third_argument(low, high):
    for x in range(-3, 6):
        assert evaluate_constant(parse(f"clip({x}, {low}, {high})"), {}) == min(max(x, low), high)
