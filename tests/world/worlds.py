"""Small random worlds as data, their text as a file, and their answers by going through every case.

A sketch holds what a world file says; `file_of` writes it out with any names and orders of states and in any
order of variables, and `law` enumerates it in plain Python, without `pbn`.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from hypothesis import strategies as st


@dataclass
class Sketch:
    """What a world file says; states are numbers from 0, ``values`` the numbers behind them."""

    sizes: dict[str, int] = field(default_factory=dict)
    values: dict[str, list[int]] = field(default_factory=dict)
    parents: dict[str, list[str]] = field(default_factory=dict)
    rows: dict[str, dict[tuple[int, ...], list[Fraction]]] = field(default_factory=dict)
    merges: dict[str, list[int]] = field(default_factory=dict)  # new state of each old one
    rules: dict[str, tuple[str, object]] = field(default_factory=dict)
    measured: dict[str, list[int]] = field(default_factory=dict)  # numbers in each interval

    @property
    def drawn(self):
        """Variables with a table."""
        return list(self.rows)


@st.composite
def sketches(draw, drawn=4):
    """Tables, merges of them, rules over both that read states and numbers, and a rule that is asked."""
    sketch = Sketch()
    for k in range(draw(st.integers(2, drawn))):
        name = f"v{k}"
        parents = draw(st.lists(st.sampled_from(sketch.drawn), unique=True, max_size=2)) if sketch.rows else []
        size = draw(st.integers(2, 3))
        sketch.rows[name] = {}
        for key in itertools.product(*(range(sketch.sizes[parent]) for parent in parents)):
            weights = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3]), min_size=size, max_size=size).filter(any))
            sketch.rows[name][key] = [Fraction(weight, sum(weights)) for weight in weights]
        sketch.parents[name], sketch.sizes[name] = parents, size
        sketch.values[name] = draw(st.lists(st.integers(-2, 3), min_size=size, max_size=size))
        into = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size).filter(lambda m: len(set(m)) == 2))
        sketch.merges[f"m{k}"] = into
        if draw(st.booleans()):
            sketch.measured[f"n{k}"] = draw(st.lists(st.integers(1, 3), min_size=size, max_size=size))
    for k in range(draw(st.integers(1, 3))):
        sketch.rules[f"r{k}"] = draw(rules(sketch))
    sketch.rules["asked"] = ("condition", draw(conditions(sketch)))
    return sketch


@st.composite
def conditions(draw, sketch):
    """A sum of numbers against a threshold, or a state, or several of them joined."""
    summed = [name for name, (kind, _) in sketch.rules.items() if kind == "sum"]
    conditional = [name for name, (kind, _) in sketch.rules.items() if kind == "condition"]
    parts = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["sum", "state", "merge", *(["rule"] if conditional else [])]))
        if kind == "sum":
            terms = draw(
                st.lists(
                    st.tuples(st.integers(-2, 2), st.sampled_from([*sketch.drawn, *summed])), min_size=1, max_size=5
                )
            )
            parts.append(("sum", terms, draw(st.integers(-3, 5))))
        elif kind == "rule":
            parts.append(("rule", draw(st.sampled_from(conditional))))
        else:
            name = draw(st.sampled_from(sketch.drawn if kind == "state" else list(sketch.merges)))
            parts.append(("state", name, draw(st.integers(0, sketch.sizes[name] - 1 if kind == "state" else 1))))
    return draw(st.sampled_from(["and", "or"])), parts


@st.composite
def rules(draw, sketch):
    if draw(st.booleans()):
        return "condition", draw(conditions(sketch))
    return "sum", draw(st.lists(st.tuples(st.integers(-2, 2), st.sampled_from(sketch.drawn)), min_size=1, max_size=4))


# -- as a file -----------------------------------------------------------------------------------------


def plain_name(variable, state):
    return f"{variable} state {state}"


def file_of(sketch, levels, *, names=plain_name, orders=None, shuffle=None):
    """The world file; ``names`` calls states, ``orders`` lists those of a variable, ``shuffle`` orders entries."""

    def order(name, size):
        return (orders or {}).get(name, range(size))

    entries = []
    for name, rows in sketch.rows.items():
        own = order(name, sketch.sizes[name])
        entry = f"  {name}:\n    states: [{', '.join(names(name, s) for s in own)}]\n"
        entry += f"    values: [{', '.join(str(sketch.values[name][s]) for s in own)}]\n"
        if sketch.parents[name]:
            entry += f"    given: [{', '.join(sketch.parents[name])}]\n"
        entries.append(entry + "    p:" + _table(sketch, name, rows, (), own, names))
    for name, into in sketch.merges.items():
        of = f"v{name[1:]}"
        groups = {new: [names(of, old) for old in range(len(into)) if into[old] == new] for new in order(name, 2)}
        text = ", ".join(f"{names(name, new)}: [{', '.join(olds)}]" for new, olds in groups.items())
        entries.append(f"  {name}: {{merge: {of}, into: {{{text}}}}}\n")
    for name, widths in sketch.measured.items():
        of = f"v{name[1:]}"
        ordered = [widths[s] for s in order(of, len(widths))]
        cuts = list(itertools.accumulate(ordered))
        entries.append(f"  {name}: {{measured: {of}, from: 0, to: {cuts[-1] - 1}, step: 1, cuts: {cuts[:-1]}}}\n")
    for name, (kind, body) in sketch.rules.items():
        text = _condition(body, names) if kind == "condition" else _sum(body)
        entries.append(f'  {name}: {{rule: "{text}"}}\n')
    if shuffle:
        entries = shuffle(entries)
    shown = "".join(f"  {level}: {{show: [{', '.join(visible)}]}}\n" for level, visible in levels.items())
    return (
        "name: drawn\ntitle: Drawn\nvariables:\n"
        + "".join(entries)
        + "questions: {asked: {asks: asked, kind: choice, text: Which?}}\nlevels:\n"
        + shown
    )


def _table(sketch, name, rows, prefix, own, names):
    depth = len(prefix)
    if depth == len(sketch.parents[name]):
        return " {" + ", ".join(f"{names(name, s)}: {rows[prefix][s]}" for s in own) + "}\n"
    parent = sketch.parents[name][depth]
    keys = (f"{'  ' * (3 + depth)}{names(parent, s)}:" for s in range(sketch.sizes[parent]))
    return "\n" + "".join(key + _table(sketch, name, rows, (*prefix, s), own, names) for s, key in enumerate(keys))


def _sum(terms):
    return " + ".join(f"{coefficient} * {name}" for coefficient, name in terms)


def _condition(body, names):
    operator, parts = body
    texts = []
    for kind, *rest in parts:
        if kind == "sum":
            texts.append(f"{_sum(rest[0])} >= {rest[1]}")
        else:
            texts.append(rest[0] if kind == "rule" else f"{rest[0]} == '{names(*rest)}'")
    return f" {operator} ".join(texts)


# -- by enumeration ------------------------------------------------------------------------------------


def law(sketch):
    """Every case of positive probability: (state of each variable, probability)."""
    cases = [({}, Fraction(1))]
    for name, rows in sketch.rows.items():
        cases = [
            ({**case, name: state}, p * share)
            for case, p in cases
            for state, share in enumerate(rows[tuple(case[parent] for parent in sketch.parents[name])])
            if share
        ]
    for name, widths in sketch.measured.items():
        cases = [
            ({**case, name: (case[f"v{name[1:]}"], k)}, p / widths[case[f"v{name[1:]}"]])
            for case, p in cases
            for k in range(widths[case[f"v{name[1:]}"]])
        ]
    for case, _ in cases:
        for name, into in sketch.merges.items():
            case[name] = into[case[f"v{name[1:]}"]]
        for name, (kind, body) in sketch.rules.items():
            case[name] = _holds(sketch, body, case) if kind == "condition" else _added(sketch, body, case)
    return cases


def _added(sketch, terms, case):
    return sum(c * (sketch.values[name][case[name]] if name in sketch.values else case[name]) for c, name in terms)


def _holds(sketch, body, case):
    operator, parts = body
    found = []
    for kind, *rest in parts:
        if kind == "sum":
            found.append(_added(sketch, rest[0], case) >= rest[1])
        else:
            found.append(case[rest[0]] if kind == "rule" else case[rest[0]] == rest[1])
    return all(found) if operator == "and" else any(found)


def by_visible(sketch, visible):
    """What is seen → probability of each answer with it."""
    seen = defaultdict(lambda: defaultdict(Fraction))
    for case, p in law(sketch):
        seen[tuple(case[name] for name in visible)][case["asked"]] += p
    return seen


def bayes_error(sketch, visible):
    return 1 - sum((max(row.values()) for row in by_visible(sketch, visible).values()), Fraction(0))


def entropy(sketch, visible):
    return -math.fsum(
        float(p) * math.log(p / sum(row.values())) for row in by_visible(sketch, visible).values() for p in row.values()
    )
