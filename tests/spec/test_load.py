"""Good world files: what they resolve to, and what their digests depend on."""

import os
import pickle
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.spec import load_spec, parse_spec
from pbn.spec.digest import normalise
from pbn.spec.model import Count, DecisionList, Level, Lookup, Measurement, Published, Question, Rule, Table

WORLDS = Path(__file__).parents[2] / "worlds"

CODES = """
name: codes
title: Letters at a position
notes: [Made up., 'Twice: really.']
parameters:
  m: 4
  slip: 1 / (2 * m)
variables:
  letter: {repeat: 5, states: a..f}
  marked:
    repeat: 3
    states: [0, 1]
    p: [1 - i * slip, i * slip]
  position: {states: 1..5, text: Where to look}
  tag: {rule: 'letter[position]'}
  doubled: {repeat: 4, rule: 'letter[i] == letter[i + 1]'}
  marks: {rule: sum(marked) + position}
  half: {merge: tag, into: {low: a..c, high: [d, e..f]}}
  fixed: {rule: "tag if half == 'low' else letter_1", role: latent}
  early: {repeat: 2, states: [before, after], first: [["letter[i] == 'a'", before]], else: after}
  weight: {states: [light, heavy], values: {heavy: m * 2, light: .5}}
  load: {rule: "weight * 2 if half == 'low' else -1", states: -1..16}
  points: {of: half, values: {low: 10, high: 9}}
  grade: {of: half, values: {low: poor, high: good}, states: [good, poor]}
  seen: {measured: weight, unit: kg, from: 0, to: 10, step: .5, cuts: [2.5]}
  noise: {role: residual, states: [-1, 1]}
  pages: {count: {negative_binomial: {median: 10, dispersion: 3}, from: 0, to: 60, zero: .2}}
  staff: {count: {lognormal: {median: 200, scale: 1}, from: 10, to: 5000}, role: irrelevant}
  won: {rule: marks + noise > 4, states: [lost, won]}
questions:
  half: {asks: half, kind: yes/no, positive: low, text: Is it low?}
  score: {asks: points, kind: score, text: How many?}
  won: {asks: won, kind: choice, text: Which?}
levels:
  all: {hide: []}
  some: {hide: [letter_5, marked]}
  parts: {hide: [letter, marked, position], show: [letter_1]}
  one: {show: [weight]}
claims: [strictly_nested]
published:
- {quantity: prior, question: half, state: low, value: 0.50, source: A book}
- {quantity: bayes_error, question: won, level: one, value: 1/7, source: A book}
"""


@pytest.fixture(scope="module")
def codes():
    return parse_spec(CODES)


@pytest.mark.parametrize("path", sorted(WORLDS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_worlds_that_ship_are_good(path):
    world = load_spec(path)
    assert world.name == path.stem
    assert set(world.levels) == {"low", "medium", "high"}
    tables = [variable.source for variable in world.variables.values() if isinstance(variable.source, Table)]
    assert {sum(row) for table in tables for row in table.rows.values()} == {1}


def test_tables(codes):
    assert codes.variables["letter_3"].source == Table(parents=(), rows={(): (Fraction(1, 6),) * 6})
    assert [codes.variables[f"marked_{i}"].source.rows[()][1] for i in (1, 2, 3)] == [
        Fraction(1, 8),
        Fraction(2, 8),
        Fraction(3, 8),
    ]
    assert codes.parameters == {"m": 4, "slip": Fraction(1, 8)}


def test_repeated_variables(codes):
    assert codes.families["letter"] == ("letter_1", "letter_2", "letter_3", "letter_4", "letter_5")
    assert codes.variables["letter_4"].index == 4
    assert codes.variables["tag"].index is None
    assert list(codes.variables)[:6] == [*codes.families["letter"], "marked_1"]


@pytest.mark.parametrize(("name", "states", "values"), [
    ("tag", tuple("abcdef"), None),
    ("position", ("1", "2", "3", "4", "5"), (1, 2, 3, 4, 5)),
    ("doubled_4", ("no", "yes"), None),
    ("marks", None, None),
    ("half", ("low", "high"), None),
    ("fixed", tuple("abcdef"), None),
    ("early_2", ("before", "after"), None),
    ("weight", ("light", "heavy"), (Fraction(1, 2), 8)),
    ("load", tuple(map(str, range(-1, 17))), tuple(range(-1, 17))),
    ("points", ("9", "10"), (9, 10)),
    ("grade", ("good", "poor"), None),
    ("seen", None, None),
    ("pages", tuple(map(str, range(61))), None),
    ("won", ("lost", "won"), None),
])  # fmt: skip
def test_states_and_values(codes, name, states, values):
    assert codes.variables[name].states == states
    assert codes.variables[name].values == values


def test_sources(codes):
    sources = {name: variable.source for name, variable in codes.variables.items()}
    assert sources["half"] == Lookup(
        of="tag", results=dict(zip("abcdef", ["low"] * 3 + ["high"] * 3, strict=True)), merges=True
    )
    assert sources["points"] == Lookup(of="half", results={"low": "10", "high": "9"}, merges=False)
    assert sources["seen"] == Measurement(
        of="weight", unit="kg", start=Fraction(0), stop=Fraction(10), step=Fraction(1, 2), cuts=(Fraction(5, 2),)
    )
    assert sources["pages"] == Count(
        family="negative_binomial", median=10, shape=Fraction(3), start=0, stop=60, zero=Fraction(1, 5)
    )
    assert sources["staff"] == Count(
        family="lognormal", median=200, shape=Fraction(1), start=10, stop=5000, zero=Fraction(0)
    )
    assert isinstance(sources["marks"], Rule)
    assert sources["marks"].expression.text == "sum(marked) + position"
    assert isinstance(sources["early_1"], DecisionList)
    assert (sources["early_1"].cases[0][1], sources["early_1"].otherwise) == ("before", "after")


def test_the_rest_of_a_file(codes):
    assert (codes.name, codes.title, codes.notes) == ("codes", "Letters at a position", ("Made up.", "Twice: really."))
    assert codes.variables["position"].text == "Where to look"
    assert codes.variables["staff"].role == "irrelevant"
    assert str(codes.variables["position"].place) == "<string>:14:3"
    assert codes.claims == ("strictly_nested",)
    assert codes.questions["half"] == Question(
        name="half", asks="half", kind="yes/no", positive="low", text="Is it low?"
    )
    assert codes.questions["won"].positive is None
    assert codes.published == (
        Published(quantity="prior", question="half", level=None, state="low", value="0.50", source="A book"),
        Published(quantity="bayes_error", question="won", level="one", state=None, value="1/7", source="A book"),
    )


def test_a_world_can_be_sent_to_another_process(codes):
    sent = pickle.loads(pickle.dumps(codes))
    assert (sent.digest, list(sent.variables), sent.levels) == (codes.digest, list(codes.variables), codes.levels)


def test_levels_and_attributes(codes):
    letters, marks = codes.families["letter"], codes.families["marked"]
    assert codes.attributes == (*letters, *marks, "position", "seen", "pages", "staff")
    assert codes.levels["all"].visible == codes.attributes
    assert codes.levels["some"].visible == (*letters[:4], "position", "seen", "pages", "staff")
    assert codes.levels["parts"].visible == ("letter_1", "seen", "pages", "staff")
    assert codes.levels["one"] == Level(name="one", visible=("weight",))


COIN = """
name: coin
title: Which side?
variables:
  bent: {states: [no, yes], p: [.9, .1]}
  metal: {states: [iron, tin]}
  side:
    states: [heads, tails]
    given: [bent, metal]
    p:
      no: {iron: [.5, .5], tin: [.4, .6]}
      yes: {iron: [.3, .7], tin: [.2, .8]}
  won: {rule: "side == 'heads' and not bent == 'yes'"}
questions:
  won: {asks: won, kind: yes/no, text: Won?}
levels:
  low: {hide: []}
  high: {hide: [bent]}
"""


def test_rows_in_any_order_and_cells_by_state():
    usual = parse_spec(COIN)
    mixed = parse_spec(
        COIN.replace(
            """
      no: {iron: [.5, .5], tin: [.4, .6]}
      yes: {iron: [.3, .7], tin: [.2, .8]}""",
            """
      'yes':
        tin: {tails: 8e-1, heads: 1/5}
        iron: [3/10, .70]
      no: {tin: [.4, 1 - .4], iron: {heads: .5, tails: .5}}""",
        )
    )
    assert mixed.variables["side"].source == usual.variables["side"].source
    assert mixed.variables["side"].source.rows["yes", "tin"] == (Fraction(1, 5), Fraction(4, 5))
    assert list(mixed.variables["side"].source.rows) == list(usual.variables["side"].source.rows)
    assert mixed.law_digest == usual.law_digest
    assert mixed.digest != usual.digest


@pytest.mark.parametrize("row", ["[.04, .04, .82, .10]", "[.348, .328, .182, .142]", "[1/3, 1/3, 1/6, 1/6]",
                                 "[1, 0, 0, 0]", "[1e-3, 0.999, 0., 0]", "[+.25, .25, 1/4, 25e-2]"])  # fmt: skip
def test_rows_that_are_exactly_one(row):
    text = (
        COIN.replace("states: [iron, tin]", f"states: [iron, tin, zinc, lead], p: {row}")
        .replace("tin: [.4, .6]", "tin: [.4, .6], zinc: [1, 0], lead: [0, 1]")
        .replace("tin: [.2, .8]", "tin: [.2, .8], zinc: [1, 0], lead: [0, 1]")
    )
    assert sum(parse_spec(text).variables["metal"].source.rows[()]) == 1


def test_a_range_may_stand_alone_and_a_quoted_item_is_no_range():
    world = parse_spec(COIN.replace("  metal:", "  one: {states: 'a..c'}\n  two: {states: ['a..c', d]}\n  metal:"))
    assert world.variables["one"].states == ("a", "b", "c")
    assert world.variables["two"].states == ("a..c", "d")


def test_a_choice_among_members_of_a_family_has_all_their_states():
    world = parse_spec(
        COIN.replace(
            "  won: {rule",
            """  member: {repeat: 2, rule: "side if i == 1 else metal"}
  three: {rule: "member[1 + (bent == 'yes')]"}
  won: {rule""",
        )
    )
    assert set(world.variables["three"].states) == {"heads", "tails", "iron", "tin"}


def test_a_level_may_show_what_follows_from_a_finer_one():
    more = "  both: {rule: \"bent == 'yes' and metal == 'tin'\"}\n  won: {rule"
    text = COIN.replace("  won: {rule", more).replace("high: {hide: [bent]}", "high: {hide: [bent], show: [both]}")
    assert parse_spec(text).levels["high"].visible == ("metal", "side", "both")


def test_a_level_may_show_the_level_behind_a_measurement():
    more = "  bend: {measured: bent, from: 0, to: 1, step: .5, cuts: [.5]}\n  won: {rule"
    text = COIN.replace("  won: {rule", more).replace("high: {hide: [bent]}", "high: {hide: [bend], show: [bent]}")
    world = parse_spec(text)
    assert world.attributes == ("metal", "side", "bend")
    assert world.levels["high"].visible == ("bent", "metal", "side")


CHANGES = {  # what changes a law, and what does not
    "title": ("Which side?", "What side?", False),
    "text of a question": ("Won?", "Is it won?", False),
    "text of a variable": ("{states: [iron, tin]}", "{states: [iron, tin], text: The metal}", False),
    "spelling of a number": ("[.9, .1]", "[0.90, 1/10]", False),
    "blanks in a rule": ("'heads' and not", "'heads'   and  not", False),
    "order of rows": ("{iron: [.5, .5], tin: [.4, .6]}", "{tin: [.4, .6], iron: [.5, .5]}", False),
    "notes": ("title:", "notes: [A note]\ntitle:", False),
    "claims": ("title:", "claims: [strictly_nested]\ntitle:", False),
    "name of a level": ("high: {", "coarse: {", False),
    "positive": ("kind: yes/no", "kind: yes/no, positive: no", False),
    "probability": ("[.9, .1]", "[.8, .2]", True),
    "rule": ("and not", "or not", True),
    "state": ("[iron, tin]}", "[iron, tin], values: [1, 2]}", True),
    "level": ("high: {hide: [bent]}", "high: {hide: [metal]}", True),
    "asked": ("asks: won, kind: yes/no", "asks: side, kind: choice", True),
    "parameter": ("title:", "parameters: {m: 1}\ntitle:", True),
}


@pytest.mark.parametrize(("before", "after", "law"), CHANGES.values(), ids=CHANGES.keys())
def test_what_changes_a_digest(before, after, law):
    usual, changed = parse_spec(COIN), parse_spec(COIN.replace(before, after))
    assert COIN.replace(before, after) != COIN
    assert changed.digest != usual.digest
    assert (changed.law_digest != usual.law_digest) == law


def test_comments_and_layout_change_no_digest():
    usual = parse_spec(COIN)
    text = COIN.replace("{states: [iron, tin]}", "\n    states:  # two\n    - iron\n    - tin")
    other = parse_spec(f"# A comment\n{text}\n\n# The end\n".replace("\n", "\r\n"), file="other.yaml")
    assert (other.digest, other.law_digest) == (usual.digest, usual.law_digest)


def test_digests_do_not_depend_on_the_hash_seed():
    code = f"from pbn.spec import parse_spec; w = parse_spec({CODES!r}); print(w.digest, w.law_digest)"
    root = str(Path(__file__).parents[2])
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(found) == 1


ROWS = [("no", "iron", "[.5, .5]"), ("no", "tin", "[.4, .6]"), ("yes", "iron", "[.3, .7]"), ("yes", "tin", "[.2, .8]")]


@settings(deadline=None, max_examples=40)
@given(
    st.permutations(["no", "yes"]),
    st.permutations(["iron", "tin"]),
    st.sampled_from(["{:.1f}", "{:.3f}", "{:e}", "frac"]),
    st.text(alphabet=" #abc", max_size=9),
    st.integers(1, 4),
)
def test_the_law_is_in_the_numbers_alone(bents, metals, spelling, comment, indent):
    def cell(text):
        number = Fraction(text)
        return f"{number.numerator}/{number.denominator}" if spelling == "frac" else spelling.format(float(number))

    cells = {(bent, metal): [cell(text) for text in row.strip("[]").split(", ")] for bent, metal, row in ROWS}
    blank = " " * indent
    lines = [
        f"      {bent}:  # {comment}\n"
        + "".join(f"      {blank}{metal}: [{', '.join(cells[bent, metal])}]\n" for metal in metals)
        for bent in bents
    ]
    start, _, rest = COIN.partition("      no:")
    world = parse_spec(start + "".join(lines) + rest[rest.index("  won:") :])
    assert world.law_digest == parse_spec(COIN).law_digest


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "bc", "'x  y'", "==", "+", "1", "if", "else", "(", ")"]), max_size=12),
    st.lists(st.integers(1, 3), min_size=12, max_size=12),
)
def test_blanks_between_the_words_of_a_rule_make_no_difference(words, blanks):
    spaced = "".join(word + " " * blank for word, blank in zip(words, blanks, strict=False))
    assert normalise(spaced) == normalise(" ".join(words))
