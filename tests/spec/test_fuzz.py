"""Damaged and hostile world files: each gives answers or one clear error, soon and in bounded memory.

The shipped worlds are damaged in two ways: parts of their tree are removed, swapped, repeated or replaced, and
characters of their text are. Files that are written to cost much stand below, each with a bound on its time.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn

NAMES = ("credit_risk", "peer_review", "support_ticket")
TEXTS = {name: pbn.shipped_worlds()[name].read_text(encoding="utf-8") for name in NAMES}
TREES = {name: yaml.load(text, Loader=yaml.BaseLoader) for name, text in TEXTS.items()}
BUDGET = 50_000_000
SECONDS = 20
MEMORY = 1_500_000_000
fuzz = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def ask_everything(text):
    """Load a file and ask all it can be asked; returns the error, where there is one.

    Anything but a `PbnError` gets through and fails the test.
    """
    start = time.perf_counter()
    error = None
    try:
        world = pbn.loads(text, budget=BUDGET)
    except pbn.PbnError as raised:
        error = raised
    else:
        for question in world.questions:
            for ask in (
                world.posterior,
                *(lambda question, level=level: world.bayes_error(level, question=question) for level in world.levels),
            ):
                try:
                    ask(question=question)
                except pbn.PbnError as raised:
                    error = raised
    took = time.perf_counter() - start
    assert took < SECONDS, f"{took:.1f} s"
    if error is not None:
        assert all(fault.code and fault.message for fault in error.faults)
        assert len(str(error)) < 100_000
    return error


# -- the tree of a shipped file, damaged -----------------------------------------------------------------------


def places(tree, path=()):
    """Paths of all parts of a tree, itself first."""
    yield path
    if isinstance(tree, dict):
        for key in tree:
            yield from places(tree[key], (*path, key))
    elif isinstance(tree, list):
        for k in range(len(tree)):
            yield from places(tree[k], (*path, k))


PLACES = {name: list(places(tree))[1:] for name, tree in TREES.items()}
EXPRESSIONS = [
    "0", "1", "-1", ".5", "1/3", "1/0", "1e99", "1e-99", "nan", "i", "rank(cycle)", "score", "score ** 16", "'",
    "sector == 'x'", "cycle", "cycle in ['steady', 'x']", "not score", "score / residual", "sum(novelty)", "a..z",
    "0..99999", "-5..5", "topic", "size(topic)", "urgency % 3", "1 if angry == 'yes' else topic", "min()", "((((",
    "residual + 1", "9" * 50, "x" * 5_000, "1 + " * 3_000 + "1", "-" * 3_000 + "1", "score * " * 40 + "score", "\x00",
    "\ud800", "~", "",
]  # fmt: skip
WORDS = [
    "states",
    "p",
    "given",
    "rule",
    "first",
    "else",
    "of",
    "values",
    "merge",
    "into",
    "measured",
    "count",
    "role",
    "repeat",
    "hide",
    "show",
    "asks",
    "kind",
    "positive",
    "from",
    "to",
    "step",
    "cuts",
    "parameters",
    "levels",
]


@st.composite
def damaged_trees(draw):
    name = draw(st.sampled_from(NAMES))
    tree = deepcopy(TREES[name])
    for _ in range(draw(st.integers(1, 3))):
        *above, last = draw(st.sampled_from(PLACES[name]))
        holder = tree
        for key in above:
            try:
                holder = holder[key]
            except (KeyError, IndexError, TypeError):
                break
        damage(draw, holder, last)
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=draw(st.sampled_from([60, 100_000])))


def damage(draw, holder, key):
    """Change one part in place; where an earlier change has removed it, nothing happens."""
    known = list(holder) if isinstance(holder, dict) else range(len(holder)) if isinstance(holder, list) else ()
    if key not in known:
        return
    kind = draw(st.sampled_from(["delete", "expression", "swap", "copy", "wrap", "key", "family", "grow"]))
    old = holder[key]
    if kind == "delete":
        del holder[key]
    elif kind == "expression":
        holder[key] = draw(st.sampled_from(EXPRESSIONS))
    elif kind == "swap":
        other = draw(st.sampled_from(known))
        holder[key], holder[other] = holder[other], old
    elif kind == "copy":
        path = draw(st.sampled_from(PLACES[draw(st.sampled_from(NAMES))]))
        part = TREES[next(name for name in NAMES if path in PLACES[name])]
        for step in path:
            part = part[step]
        holder[key] = deepcopy(part)
    elif kind == "wrap":
        holder[key] = draw(st.sampled_from([[old], [old, old], {"states": old}, {str(key): old}, [], {}, [[[[old]]]]]))
    elif kind == "key" and isinstance(holder, dict):
        holder[draw(st.sampled_from([*WORDS, *map(str, holder), "x" * 300]))] = holder.pop(key)
    elif kind == "family" and isinstance(old, dict):
        old["repeat"] = draw(st.sampled_from(["2", "7", "1000", "0", "x"]))
    elif kind == "grow" and isinstance(old, list):
        holder[key] = old * draw(st.sampled_from([2, 50]))


@given(damaged_trees())
@fuzz
def test_a_damaged_tree_gives_answers_or_one_clear_error(text):
    ask_everything(text)


# -- the text of a shipped file, damaged ------------------------------------------------------------------------


@given(st.sampled_from(NAMES), st.data())
@fuzz
def test_a_damaged_text_gives_answers_or_one_clear_error(name, data):
    text = TEXTS[name]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        stop = data.draw(st.integers(start, min(start + 20, len(text))))
        piece = data.draw(
            st.one_of(
                st.just(""),
                st.text(max_size=3),
                st.integers(-10, 1000).map(str),
                st.sampled_from(WORDS),
                st.sampled_from(
                    ["\n", "  ", ": ", "[", "]", "{", "}", "'", '"', "- ", ", ", "..", "*", "/", "#", "&a "]
                ),
            )
        )
        text = text[:start] + piece + text[stop:]
    ask_everything(text)


@pytest.mark.parametrize("name", NAMES)
def test_a_truncated_file_gives_answers_or_one_clear_error(name):
    raw = TEXTS[name].encode()
    for stop in range(0, len(raw), 211):
        error = ask_everything(raw[:stop])
        assert error is None or error.code.startswith(("spec/", "rule/"))


# -- files that are written to cost much ---------------------------------------------------------------------------


def world(variables, asks="y"):
    return (
        f"name: hostile\ntitle: Hostile\nvariables:\n{variables}  coin: {{states: [no, yes]}}\n"
        f"questions: {{q: {{asks: {asks}, kind: choice, text: Which?}}}}\nlevels: {{all: {{hide: []}}}}\n"
    )


def many(count, body):
    return "".join(f"  x{k}: {body(k) if callable(body) else body}\n" for k in range(count))


def rule(text):
    return f'  y: {{rule: "{text}"}}\n'


def joined(operator, count):
    return operator.join(f"x{k}" for k in range(count))


def two_values(value):
    """A variable with the numbers 0 and another, for each k."""
    return lambda k: f"{{states: [a, b], values: [0, {value(k)}]}}"


THREE = "{states: [0, 1, 2]}"
LARGE = "  x: {states: 1..100000}\n"
GRID = "{measured: l, from: 0, to: 99999, step: 1, cuts: [5]}"
TWO = "  l: {states: [a, b]}\n"
ROW = "[1" + ", 0" * 99 + "]"
HOSTILE = {
    "a sum of 1,800 terms": world(many(1800, THREE) + rule(joined(" + ", 1800))),
    "a sum of unrelated fractions": world(
        many(80, two_values(lambda k: f"1/{10**19 + 2 * k + 1}")) + rule(joined(" + ", 80))),
    "1,000 sums of 1,000 terms": world(
        "  x: {repeat: 1000, states: [0, 1]}\n  y: {repeat: 1000, rule: sum(x)}\n", "y_1"),
    "a family of 1,000 indexed by a variable": world(
        "  x: {repeat: 1000, states: a..z}\n  k: {states: 1..1000}\n" + rule("x[k]")),
    "the least of 500": world("  x: {repeat: 500, states: 1..100}\n" + rule("min(x)")),
    "a product of 1,000 terms": world(many(1000, "{states: [1, 2, 3]}") + rule(joined(" * ", 1000))),
    "a product of large numbers": world(many(900, two_values(lambda k: 9**40 + k)) + rule(joined(" * ", 900))),
    "900 conditions": world(many(900, THREE) + rule(" and ".join(f"x{k} == 1" for k in range(900)))),
    "squares of squares": world("  a0: {states: [2, 3]}\n" + "".join(
        f"  a{k}: {{rule: a{k - 1} * a{k - 1}}}\n" for k in range(1, 60)) + rule("a59")),
    "powers of powers": world("  a0: {states: [2, 99999999999]}\n" + "".join(
        f"  a{k}: {{rule: a{k - 1} ** 16}}\n" for k in range(1, 9)) + rule("a8")),
    "900 factors": world("  x: {states: [2, 3]}\n" + rule("x" + " * 9999999999999999" * 900)),
    "100,000 states asked and seen": world(LARGE + rule("x * x")),
    "two grids compared": world(TWO + f"  m: {GRID}\n  n: {GRID}\n" + rule("m > n")),
    "300 grids": world(TWO + many(300, GRID) + rule("rank(l)")),
    "a grid with 1,000 cuts": world("  l: {states: 1..1000}\n  m: {measured: l, from: 0, to: 99999, step: 1, cuts: ["
                                    + ", ".join(map(str, range(1, 1000))) + "]}\n" + rule("l")),
    "300 counts": world(
        many(300, "{count: {lognormal: {median: 5000, scale: 1}, from: 0, to: 90000}}") + rule("x1 > 4")),
    "a list of 3,000 numbers": world("  x: {states: 1..1000}\n" + rule(f"x in [{', '.join(map(str, range(3000)))}]")),
    "55 choices": world(many(55, THREE) + rule(
        " ".join(f"{k} if x{k} + x{7 * k % 55} > 3 else" for k in range(55)) + " 0")),
    "a table of 160,000 cells": world(
        "  a: {states: 1..40}\n  b: {states: 1..40}\n  y: {states: 1..100, given: [a, b], p: {" + ", ".join(
            f"{i}: {{{', '.join(f'{j}: {ROW}' for j in range(1, 41))}}}" for i in range(1, 41)) + "}}\n"),
    "100 sums of 40 terms": world(many(40, THREE) + "".join(
        f"  s{k}: {{rule: {' + '.join(f'{j * k % 97 + 1} * x{j}' for j in range(40))}}}\n" for k in range(100))
        + rule("s1")),
}  # fmt: skip


PROBE = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from tests.spec import test_fuzz
test_fuzz.SECONDS = 30  # each takes a few, on a machine that does nothing else
for name, text in test_fuzz.HOSTILE.items():
    print(name, flush=True)
    test_fuzz.ask_everything(text)
"""


@pytest.mark.slow
def test_files_that_ask_for_much_end_soon_in_bounded_memory():
    """In a process of its own, whose memory is limited; the last line that it prints names the file it failed at."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # threads reserve address space
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        capture_output=True,
        text=True,
        timeout=600,
        env=environment,
        stdin=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stdout[-200:] + done.stderr[-2000:]
    assert done.stdout.splitlines() == list(HOSTILE)
