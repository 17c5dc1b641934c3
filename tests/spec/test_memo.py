# ruff: noqa: E501 (a bad file that fits on one line stays on one line)
"""Bad memo sections: each gives exactly the faults that its comments announce; and what good ones say."""

import jsonschema
import pytest

from pbn.errors import SpecError
from pbn.spec import parse_spec
from pbn.spec.model import Slot
from pbn.spec.schema import json_schema
from tests.spec.test_bad_input import VARIABLES, expected, world
from tests.spec.test_schema import GOOD


def with_memo(memo):
    return world(more=memo)


def memo(sentences="      s: It is {cycle}.\n", phrases="", orders=""):
    return with_memo(f"memo:\n  paragraphs:\n  - sentences:\n{sentences}{orders}{phrases}")


BAD = {
    # -- shape
    "a list": with_memo("memo: []  #! spec/wrong-shape\n"),
    "no paragraphs": with_memo("memo: {phrases: {}}  #! spec/missing-key | paragraphs\n"),
    "empty paragraphs": with_memo("memo: {paragraphs: []}  #! spec/wrong-shape | empty\n"),
    "unknown key": with_memo("memo:\n  paragraphs: [{sentences: {s: S}}]\n  phrase: {}  #! spec/unknown-key | 'phrases'\n"),
    "unknown key of a paragraph": with_memo("memo:\n  paragraphs:\n  - sentences: {s: S}\n    order: []  #! spec/unknown-key | 'orders'\n"),
    "no sentences": with_memo("memo:\n  paragraphs:\n  - {sentences: {}}  #! spec/wrong-shape | empty\n"),
    "a sentence that is a map": memo("      s: {a: b}  #! spec/wrong-shape\n"),
    # -- sentences
    "empty sentence": memo("      s: ''  #! spec/memo-text | empty\n"),
    "blank sentence": memo("      s: '  '  #! spec/memo-text | empty\n"),
    "no phrasings": memo("      s: []  #! spec/memo-text | s has no text\n"),
    "an empty phrasing": memo("      s: [It is., '']  #! spec/memo-text | empty\n"),
    "sentence twice": memo("      s: It is {cycle}.\n      s: Is it?  #! spec/duplicate-key | first on line\n"),
    "sentence in two paragraphs": with_memo("memo:\n  paragraphs:\n  - sentences: {s: It is.}\n  - sentences: {s: It was.}  #! spec/duplicate-key | 's' stands twice\n"),
    "bad label": memo("      'a b': It is.  #! spec/name\n"),
    "long sentence": memo(f"      s: {'It is. ' * 1500}  #! spec/too-large | at most 10,000\n"),
    "many phrasings": memo(f"      s: [{', '.join(f'It is {k}' for k in range(21))}]  #! spec/too-large | at most 20\n"),
    "many sentences": memo("".join(f"      s{k}: It is.{'  #! spec/too-large | at most 1,000' if k == 1000 else ''}\n" for k in range(1001))),
    # -- slots and braces
    "unknown slot": memo("      s: It is {cylce}.  #! spec/unknown-variable | did you mean 'cycle'?\n"),
    "unknown slot of a variable that has phrases": memo("      s: It is {cylce}.  #! spec/unknown-variable | 'cycle'\n", "  phrases: {cycle: {else: x}}\n"),
    "unknown slot in the first phrasing": memo("      s: ['It is {cylce}.', 'It was {cycle}.']  #! spec/unknown-variable | 'cycle'\n"),
    "unknown slot in the second phrasing": memo("      s: ['It is {cycle}.', 'It was {cylce}.']  #! spec/unknown-variable | 'cycle'\n"),
    "empty sentence of a variable that has phrases": memo("      s: ''  #! spec/memo-text | empty\n", "  phrases: {cycle: {else: x}}\n"),
    "empty slot": memo("      s: It is {}.  #! spec/memo-brace | {variable}\n"),
    "a slot with a format": memo("      s: 'It is {cycle:>3}.'  #! spec/memo-brace | names no variable\n"),
    "a blank without width": memo("      s: It is\u200b {cycle}.  #! spec/memo-text | U+200B\n"),
    "a mark of direction": memo(phrases="  phrases: {cycle: {else: 'a\u200e b'}}  #! spec/memo-text | U+200E\n"),
    "open brace": memo("      s: 'It is {cycle.'  #! spec/memo-brace | {variable}\n"),
    "closed brace": memo("      s: It is cycle}.  #! spec/memo-brace | {{ or }}\n"),
    "nested braces": memo("      s: 'It is {a{cycle}}.'  #! spec/memo-brace #! spec/memo-brace\n"),
    "phrasings that tell different things": memo("      s: ['It is {cycle}.', 'It is {cash}.']  #! spec/memo-phrasings | tells cash\n"),
    "a phrasing that tells nothing": memo("      s: ['It is {cycle}.', 'It is.']  #! spec/memo-phrasings | tells nothing\n"),
    "a phrasing that tells one thing twice": memo("      s: ['It is {cycle}.', 'It is {cycle}, {cycle}.']  #! spec/memo-phrasings | cycle, cycle\n"),
    # -- orders
    "an order that lacks one": memo("      s: It is.\n      t: It was.\n", orders="    orders:\n    - [s]  #! spec/memo-order | leaves out t\n"),
    "an order with one twice": memo("      s: It is.\n      t: It was.\n", orders="    orders:\n    - [s, s]  #! spec/memo-order | leaves out t and repeats s\n"),
    "an order of unknown sentences": memo("      s: It is.\n      t: It was.\n", orders="    orders:\n    - [s, u]  #! spec/memo-order | leaves out t and names u\n"),
    "an order of a sentence that has no name": memo("      s!: It is.  #! spec/name | sentence\n      t: It was.\n", orders="    orders:\n    - [t, s]\n"),
    "the file's own order again": memo("      s: It is.\n      t: It was.\n", orders="    orders:\n    - [s, t]  #! spec/memo-order | twice\n"),
    "an order twice": memo("      s: It is.\n      t: It was.\n", orders="    orders:\n    - [t, s]\n    - [t, s]  #! spec/memo-order | twice\n"),
    "many orders": memo("      s: It is.\n      t: It was.\n", orders=f"    orders: [{', '.join(['[t, s]'] * 20)}]  #! spec/too-large | at most 19\n"),
    # -- phrases
    "phrases of nothing": memo(phrases="  phrases: {cylce: {else: x}}  #! spec/unknown-variable | 'cycle'\n"),
    "phrases without a slot": memo(phrases="  phrases: {cash: {weak: x, strong: y}}  #! spec/memo-phrases | no sentence has a slot for cash\n"),
    "phrase of no state": memo(phrases="  phrases: {cycle: {stedy: x, else: y}}  #! spec/unknown-state | 'steady'\n"),
    "phrase of no number": memo("      s: It is {share}.\n", "  phrases: {share: {.35: x, else: '{}'}}  #! spec/unknown-state | number of its grid\n"),
    "phrase of a number beyond": memo("      s: It is {share}.\n", "  phrases: {share: {1.1: x, else: '{}'}}  #! spec/unknown-state\n"),
    "phrase of a word for a number": memo("      s: It is {share}.\n", "  phrases: {share: {half: x, else: '{}'}}  #! spec/unknown-state\n"),
    "empty phrase": memo(phrases="  phrases: {cycle: {steady: '', else: y}}  #! spec/memo-text | empty\n"),
    "no phrases of a state": memo(phrases="  phrases: {cycle: {steady: [], else: y}}  #! spec/memo-text | steady has no text\n"),
    "long phrase": memo(phrases=f"  phrases: {{cycle: {{steady: {'x' * 1001}, else: y}}}}  #! spec/too-large | at most 1,000\n"),
    "many phrases of a state": memo(phrases=f"  phrases: {{cycle: {{steady: [{', '.join(f'x{k}' for k in range(21))}], else: y}}}}  #! spec/too-large | at most 20\n"),
    "two places for the state": memo(phrases="  phrases: {cycle: 'x {} {}'}  #! spec/memo-brace | stands once\n"),
    "a name in a phrase": memo(phrases="  phrases: {cycle: 'x {cash}'}  #! spec/memo-brace | the state's own text\n"),
    "a brace in a phrase": memo(phrases="  phrases: {cycle: 'x {'}  #! spec/memo-brace | {{ or }}\n"),
    "a map in a phrase": memo(phrases="  phrases: {cycle: {steady: {weak: x}}}  #! spec/wrong-shape | by\n"),
    "by nothing": memo(phrases="  phrases: {cycle: {by: chas, weak: x, else: y}}  #! spec/unknown-variable | 'cash'\n"),
    "by a list": memo(phrases="  phrases: {cycle: {by: [cash], else: y}}  #! spec/wrong-shape | one variable\n"),
    "by, and no state of it": memo(phrases="  phrases: {cycle: {by: cash, week: x, else: y}}  #! spec/unknown-state | 'weak'\n"),
    "by, and no state of its own": memo(phrases="  phrases: {cycle: {by: cash, else: {stedy: y}}}  #! spec/unknown-state | 'steady'\n"),
    # -- codes
    "a code of words": memo("      s: It is {word}.\n").replace("  tag:", "  word: {repeat: 2, states: [ab, cd]}  \n  tag:").replace("It is {word}.", "It is {word}.  #! spec/memo-phrases | single letters or digits"),
    "a code without a place": memo("      s: It is {letter}.\n", "  phrases: {letter: the code}  #! spec/memo-phrases | for the whole row\n"),
    "a code with states": memo("      s: It is {letter}.\n", "  phrases: {letter: {x: a, y: b}}  #! spec/unknown-key | told as one code #! spec/unknown-key | code, groups\n"),
    "a code with a misspelt key": memo("      s: It is {letter}.\n", "  phrases: {letter: {cod: 'the {}', groups: 3}}  #! spec/unknown-key | did you mean 'code'?\n"),
    "a code with two places": memo("      s: It is {letter}.\n", "  phrases: {letter: 'the {} and {}'}  #! spec/memo-brace | stands once\n"),
    "groups of none": memo("      s: It is {letter}.\n", "  phrases: {letter: {code: 'the {}', groups: 0}}  #! spec/memo-phrases | from 1 to 3\n"),
    "groups of many": memo("      s: It is {letter}.\n", "  phrases: {letter: {code: 'the {}', groups: 4}}  #! spec/memo-phrases | from 1 to 3\n"),
    "groups of words": memo("      s: It is {letter}.\n", "  phrases: {letter: {code: 'the {}', groups: two}}  #! spec/memo-phrases | 'two'\n"),
}  # fmt: skip


@pytest.mark.parametrize("text", BAD.values(), ids=BAD.keys())
def test_a_bad_memo_gives_its_faults_and_no_others(text):
    with pytest.raises(SpecError) as caught:
        parse_spec(text, file="bad.yaml")
    faults = caught.value.faults
    told = [(fault.place.line, fault.code) for fault in faults]
    assert sorted(told) == sorted((line, code) for line, code, _ in expected(text)), caught.value
    for line, code, words in expected(text):
        assert any(fault.place.line == line and fault.code == code and words.strip() in str(fault) for fault in faults)
    assert all(len(str(fault)) < 2_000 for fault in faults)


@pytest.mark.parametrize(("sentence", "column"), [
    ("It is {cylce}.", 16), ("'It is {cylce}.'", 17), ("It is { cylce }.", 16), ("It is {cycle} and }.", 28),
    ("'It is {cycle.'", 17), ("Ñandú — {cylce}.", 18), ("It {{is}} {cylce}.", 20)])  # fmt: skip
def test_the_column_points_at_the_slot_or_brace(sentence, column):
    text = memo(f"      s: {sentence}\n")
    with pytest.raises(SpecError) as caught:
        parse_spec(text)
    (fault,) = caught.value.faults
    assert text.split("\n")[fault.place.line - 1] == f"      s: {sentence}"
    assert fault.place.column == column


def spec(*arguments, **options):
    return parse_spec(memo(*arguments, **options)).memo


def test_what_a_memo_says():
    found = spec("      s: ['  It  is\t{ cycle },  {{so}}. ', 'So {cycle}.']\n      t: It was.\n", "  phrases:\n    cycle: {steady: ['a {} b', c], else: '{{{}}}'}\n",
                 orders="    orders: [[t, s]]\n")  # fmt: skip
    (paragraph,) = found.paragraphs
    assert paragraph.orders == ((0, 1), (1, 0))
    words = [
        [piece.name if isinstance(piece, Slot) else piece for piece in p] for p in paragraph.sentences[0].phrasings
    ]
    assert words == [["It is ", "cycle", ", {so}."], ["So ", "cycle", "."]]
    table = found.wordings["cycle"].phrases[None]
    assert {state: [(p.before, p.after) for p in phrases] for state, phrases in table.items()} == {
        "steady": [("a ", " b"), ("c", None)], None: [("{", "}")]}  # fmt: skip


def test_a_state_called_by_or_else_is_a_state():
    base = VARIABLES.replace("tag: {states: a..e}", "tag: {states: [a, by, else]}")
    text = world(base=base, more="memo:\n  paragraphs: [{sentences: {s: It is {tag}.}}]\n".replace("It is {tag}.", "'It is {tag}.'")
                 + "  phrases: {tag: {a: x, by: y, else: z}}\n")  # fmt: skip
    table = parse_spec(text).memo.wordings["tag"]
    assert table.by is None
    assert {state: phrases[0].before for state, phrases in table.phrases[None].items()} == {
        "a": "x",
        "by": "y",
        "else": "z",
    }


def test_no_memo_is_no_fault():
    assert parse_spec(world()).memo is None


@pytest.mark.parametrize("section", [
    [], {}, {"paragraphs": []}, {"paragraphs": [{}]}, {"paragraphs": [{"sentences": {}}]}, {"paragraphs": {"sentences": {"s": "S"}}},
    {"paragraphs": [{"sentences": {"s": {"a": "b"}}}]}, {"paragraphs": [{"sentences": {"s": "S"}, "order": []}]},
    {"paragraphs": [{"sentences": {"s": "S"}, "orders": ["s"]}]}, {"paragraphs": [{"sentences": {"s": "S"}}], "phrase": {}},
    {"paragraphs": [{"sentences": {"s": "S"}}], "phrases": []}, {"paragraphs": [{"sentences": {"s": "S"}}], "phrases": {"v": None}},
    {"paragraphs": [{"sentences": {"s": "S"}}], "phrases": {"v": {"a": [["x"]]}}}, {"paragraphs": [{"sentences": {"s": None}}]},
], ids=str)  # fmt: skip
def test_the_json_schema_refuses_bad_sections(section):
    validator = jsonschema.Draft202012Validator(json_schema())
    good = {
        "paragraphs": [{"sentences": {"s": ["S", "T"]}, "orders": [["s"]]}],
        "phrases": {"v": "x", "w": {"by": "u", "a": {"b": ["x", "y"]}}},
    }
    assert validator.is_valid({**GOOD, "memo": good})
    assert not validator.is_valid({**GOOD, "memo": section})
