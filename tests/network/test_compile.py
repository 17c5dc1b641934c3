"""Compiled rules against Python's own evaluation of the same text, state by state."""

from __future__ import annotations

import ast
import itertools
import json
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.network.chain import chained
from pbn.network.formats.json import parse_json
from pbn.network.formats.text import decoded
from pbn.network.model import Fold, IndexMap, Table

STATES = {"a": ("low", "mid", "top"), "b": ("low", "top"), "c": ("x", "y", "z", "w")}
VALUES = {"a": (0, 1, 3), "b": (-1, 2), "c": None}
WORLD = """
name: rules
title: Rules
parameters: {{k: 3/2}}
variables:
  a: {{states: [low, mid, top], values: [0, 1, 3], p: {p_a}}}
  b: {{states: [low, top], values: [-1, 2], p: [.5, .5]}}
  c: {{states: [x, y, z, w], p: [.25, .25, .25, .25]}}
  d: {{repeat: 3, states: [1, 2]}}
  rule:
    rule: >-
      {rule}
  coin: {{states: [no, yes]}}
questions: {{coin: {{asks: coin, kind: yes/no, text: Heads?}}}}
levels: {{all: {{hide: []}}}}
"""


class State(Fraction):
    """A state that is a number in arithmetic and a text in comparisons with texts."""

    def __new__(cls, label, number, position, size):
        made = super().__new__(cls, number)
        made.label, made.position, made.size_ = label, position, size
        return made

    def __eq__(self, other):
        return self.label == other if isinstance(other, str) else Fraction(self) == other

    __hash__ = Fraction.__hash__


class Exact(ast.NodeTransformer):
    """Numeric literals as fractions."""

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            return node
        return ast.Call(func=ast.Name("Fraction", ast.Load()), args=[ast.Constant(str(node.value))], keywords=[])


def evaluate(text, case):
    """The rule's value in one case, by Python; None where it divides by zero."""
    tree = ast.fix_missing_locations(Exact().visit(ast.parse(text, mode="eval")))
    names = {
        "Fraction": Fraction, "k": Fraction(3, 2), "rank": lambda v: v.position, "size": lambda v: v.size_,
        "clip": lambda x, low, high: min(max(x, low), high), "abs": abs, "min": min, "max": max,
        "sum": lambda *xs: sum(xs[0] if isinstance(xs[0], list) else xs, Fraction(0)), **case,
        "d": Family([case["d_1"], case["d_2"], case["d_3"]]),
    }  # fmt: skip
    try:
        return eval(compile(tree, "rule", "eval"), {"__builtins__": {}}, names)
    except ZeroDivisionError:
        return None


class Family(list):
    def __getitem__(self, position):
        return super().__getitem__(int(position) - 1)


numbers = st.sampled_from(["a", "b", "k", "2", "0", "1.5", "-0.25", "rank(c)", "size(c)", "d[1]", "d[2]", "sum(d)"])
conditions = st.sampled_from(["a == 'mid'", "b != 'low'", "c in ['x', 'z']", "c not in ['w']", "b == 2", "d[3] == 2"])


def wider(number, condition):
    """Strategies for larger numbers and larger conditions, made of smaller ones."""

    def join(operators, left, right):
        return st.tuples(left, st.sampled_from(operators), right).map(lambda t: f"({t[0]} {t[1]} {t[2]})")

    return (
        st.one_of(
            join(["+", "-", "*", "/", "//", "%"], number, number),
            join(["+", "-", "+"], number, number),
            st.tuples(number, condition, number).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
            st.tuples(st.sampled_from(["min", "max", "sum"]), number, number, number).map(
                lambda t: f"{t[0]}({t[1]}, {t[2]}, {t[3]})"
            ),
            number.map(lambda n: f"abs(-{n})"),
            st.sampled_from(["a", "b", "d[3]"]).map(lambda n: f"{n} ** 2"),
            number.map(lambda n: f"clip({n}, -1, 2)"),
            condition.map(lambda c: f"2 * ({c})"),
            number.map(lambda n: f"d[1 + ({n} > 0)]"),
        ),
        st.one_of(
            join(["<", "<=", ">", ">=", "==", "!="], number, number),
            join(["and", "or"], condition, condition),
            condition.map(lambda c: f"(not {c})"),
            st.tuples(number, number, number).map(lambda t: f"({t[0]} < {t[1]} <= {t[2]})"),
            st.tuples(condition, condition, condition).map(lambda t: f"({t[0]} if {t[1]} else {t[2]})"),
            number.map(lambda n: f"({n} in [0, 1.5, -1])"),
        ),
    )


@st.composite
def rules(draw):
    number, condition = numbers, conditions
    for _ in range(2):
        wide_number, wide_condition = wider(number, condition)
        number, condition = st.one_of(number, wide_number), st.one_of(condition, wide_condition)
    label = st.tuples(condition, condition).map(lambda t: f"'one' if {t[0]} else 'two' if {t[1]} else 'three'")
    return draw(st.one_of(number.map(lambda n: f"0 + {n}"), condition, label))


def cases(possible_a):
    """Every combination of the base variables' states with its environment for `evaluate`."""
    axes = {
        name: [State(s, (VALUES[name] or range(9))[k], k, len(states)) for k, s in enumerate(states)]
        for name, states in STATES.items()
    }
    axes["a"] = [state for state, possible in zip(axes["a"], possible_a, strict=True) if possible]
    for j in (1, 2, 3):
        axes[f"d_{j}"] = [State("1", 1, 0, 2), State("2", 2, 1, 2)]
    for combination in itertools.product(*axes.values()):
        yield dict(zip(axes, combination, strict=True))


def state_of(network, name, codes):
    """Position of the state of a deterministic node, by its CPDs alone."""
    if name not in codes:
        cpd = network.cpds[name]
        where = tuple(state_of(network, parent, codes) for parent in cpd.parents)
        assert isinstance(cpd, IndexMap)
        codes[name] = int(cpd.index[where])
    return codes[name]


def expected_state(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else Fraction(value)


@given(
    rule=rules(), possible_a=st.sampled_from([(1, 1, 1), (0, 1, 1), (1, 0, 1)]), visible=st.sets(st.sampled_from("abc"))
)
@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_rule_means_what_python_says(rule, possible_a, visible):
    share = Fraction(1, sum(possible_a))
    text = WORLD.format(rule=rule, p_a=[str(share * p) for p in possible_a])
    results = [(case, evaluate(rule, case)) for case in cases(possible_a)]
    if any(value is None for _, value in results):
        with pytest.raises(pbn.PbnError) as caught:
            pbn.loads(text)
        assert caught.value.code in ("rule/undefined", "rule/division-by-zero")
        return
    network = chained(pbn.loads(text).network, visible)
    variable = network.variables["rule"]
    for case, value in results:
        codes = {name: state.position for name, state in case.items()}
        code = state_of(network, "rule", codes)
        wanted = expected_state(value)
        assert (variable.values[code] if isinstance(wanted, Fraction) else variable.states[code]) == wanted, case


def network_of(variables, rule, **more):
    lines = "\n".join(f"  {name}: {body}" for name, body in {**variables, "rule": rule, **more}.items())
    return pbn.loads(
        f"name: w\ntitle: w\nvariables:\n{lines}\n  coin: {{states: [no, yes]}}\n"
        "questions: {coin: {asks: coin, kind: yes/no, text: Heads?}}\nlevels: {all: {hide: []}}\n"
    ).network


def test_a_parent_that_the_table_does_not_depend_on_is_dropped():
    letters = {
        "tag": "{states: a..z}",
        "drawn": "{repeat: 4, states: a..z}",
        "position": "{of: kind, values: {p: 2, q: 3}}",
        "kind": "{states: [p, q]}",
        "encode": "{states: [no, yes]}",
    }
    rule = "{repeat: 4, rule: \"tag if encode == 'yes' and position == i else drawn[i]\"}"
    network = network_of(letters, "{rule: rank(tag)}", letter=rule)
    assert network.parents("letter_1") == ("drawn_1",)
    assert set(network.parents("letter_2")) >= {"tag", "drawn_2"}
    assert "tag" not in network.parents("letter_4")


def test_a_long_sum_is_one_fold_whose_chain_stays_small():
    many = {f"x{k}": "{states: [0, 1, 2], p: [.48, .27, .25]}" for k in range(30)}
    network = network_of(many, "{rule: " + " + ".join(f"0.{k % 9 + 1} * x{k}" for k in range(30)) + "}")
    assert isinstance(network.cpds["rule"], Fold)
    assert len(network.cpds["rule"].parents) == 30
    view = chained(network, [])
    assert max(view.cpds[name].index.size for name in view.variables if not isinstance(view.cpds[name], Table)) < 2000


def test_a_comparison_of_sums_is_one_sum():
    many = {f"x{k}": "{states: [0, 1, 2]}" for k in range(6)}
    network = network_of(many, "{rule: x0 + x1 + x2 < x3 + x4 + x5}")
    (parent,) = network.parents("rule")
    assert isinstance(network.cpds[parent], Fold)
    assert len(network.cpds[parent].parents) == 6


@pytest.mark.parametrize("operation", ["+", "*"])
def test_a_rule_that_does_not_collapse_is_refused_with_its_name_and_size(operation):
    many = {
        f"x{k}": f"{{states: [p, q, r], values: [1, {2 ** (3 ** min(k, 3)) + k}, {5 + 7 ** (k % 8)}]}}"
        for k in range(30)
    }
    weights = [f"{3**k} * x{k}" if operation == "+" else f"(x{k} + {k})" for k in range(30)]
    with pytest.raises(pbn.BudgetError) as caught:
        network_of(many, "{rule: '" + f" {operation} ".join(weights) + "'}")
    assert caught.value.code == "network/rule-too-large"
    assert "rule" in caught.value.faults[0].message
    assert f"{3**30:,}" in caught.value.faults[0].message


def test_a_rule_that_cannot_be_factored_is_refused_before_allocation():
    many = {f"x{k}": "{states: [0, 1, 2]}" for k in range(30)}
    tower = "x0"
    for k in range(1, 30):
        tower = f"({tower} * {3 + k}) % 1000003 + x{k}" if k < 20 else f"({tower}) * 7919 % 1000003 + x{k}"
    with pytest.raises(pbn.BudgetError) as caught:
        network_of(many, "{rule: '" + tower + "'}")
    assert "rule" in caught.value.faults[0].message


def test_division_by_zero_on_an_impossible_state_is_fine():
    network = network_of({"x": "{states: [0, 1, 2], p: [0, .5, .5]}"}, "{rule: 6 / x}")
    assert network.variables["rule"].values == (Fraction(3), Fraction(6))


def test_division_by_zero_on_a_possible_state_names_it():
    with pytest.raises(pbn.NetworkError) as caught:
        network_of({"x": "{states: [0, 1, 2], p: [.2, .4, .4]}", "y": "{states: [0, 1]}"}, "{rule: 6 / (x + y)}")
    assert caught.value.code == "rule/undefined"
    assert "x=0" in caught.value.faults[0].found
    assert "y=0" in caught.value.faults[0].found


def test_a_guard_makes_a_division_total():
    network = network_of({"x": "{states: [0, 1, 2]}"}, "{rule: x != 0 and 6 / x > 4}")
    assert network.variables["rule"].states == ("no", "yes")


def test_a_rule_may_not_yield_an_undeclared_state():
    with pytest.raises(pbn.PbnError) as caught:
        network_of({"x": "{states: [0, 1, 2]}"}, "{rule: 2 * x, states: [0, 2]}")
    assert caught.value.code == "rule/undeclared-state"
    assert "4" in caught.value.faults[0].message


def test_a_count_can_be_merged_into_ranges():
    network = network_of(
        {
            "n": "{count: {negative_binomial: {median: 3, dispersion: 2}, from: 0, to: 9}}",
            "group": "{merge: n, into: {few: 0..2, some: [3, 4, 5], many: 6..9}}",
        },
        "{rule: rank(group)}",
    )
    assert network.cpds["group"].index.tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]


def test_a_computed_position_leaves_no_undefined_node_where_every_position_is_a_member():
    letters = {"letter": "{repeat: 6, states: a..c}", "place": "{states: 1..6}"}
    network = network_of(letters, "{rule: \"letter[place] == 'a'\"}")
    assert not network.undefined
    assert not any("undefined" in variable.states for variable in network.variables.values())


@pytest.mark.parametrize("step", ["0 <= ({}) <= 1", "({}) in [0, a - 1, 1]", "0 <= ({}) + (b > 0) <= 1 < 3"])
def test_nested_comparisons(step):
    """Each is compiled once, however often it is compared; Python computes the same."""
    text = "a == 1"
    for _ in range(20):
        text = step.format(text)
    world = pbn.loads(WORLD.format(rule=text, p_a="[.3, .3, .4]"))
    for a, b in itertools.product(STATES["a"], STATES["b"]):
        names = {"a": VALUES["a"][STATES["a"].index(a)], "b": VALUES["b"][STATES["b"].index(b)]}
        expected = "yes" if eval(text, names) else "no"
        assert world.posterior({"a": a, "b": b}, query="rule").exact[expected] == 1


def test_parts_of_parts_without_end():
    """A chain of parts as long as a file may have is walked without recursion, and parts that are shared once."""
    bit = {"name": "x", "states": ["0", "1"], "values": ["0", "1"], "origin": "random"}
    variables = [bit | {"cpd": {"kind": "table", "parents": [], "denominator": 2, "numerators": [1, 1]}}]
    for k in range(3000):
        parents = [variables[-1]["name"], variables[max(k - 1, 0)]["name"]]
        parents, index = (parents, [0, 0, 1, 1]) if len(set(parents)) == 2 else (parents[:1], [0, 1])
        cpd = {"kind": "index", "parents": parents, "index": index}
        variables.append(bit | {"name": f"part{k}", "origin": "auxiliary", "cpd": cpd})
    terms = {"kind": "fold", "operation": "+", "parents": ["x", "part2999", "part2998"], "terms": [["0", "1"]] * 3}
    variables.append(
        {"name": "s", "states": list("0123"), "values": list("0123"), "origin": "deterministic"} | {"cpd": terms}
    )
    text = json.dumps({"format": "pbn-network", "version": 1, "variables": variables})
    links = chained(parse_json(decoded(text.encode(), "deep.json")).network, ())
    assert links.variables["s:2"].text == "partial sum of s over x"
