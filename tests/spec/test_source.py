"""From bytes to a tree: places, and everything that is refused before a world is even looked for."""

import contextlib
import os
import time

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.errors import PbnError, SpecError
from pbn.spec.nodes import Mapping, Scalar, Sequence, plain
from pbn.spec.source import MAX_DEPTH, read_file, read_text


@pytest.fixture(params=["c", "python"])
def loader(request, monkeypatch):
    if request.param == "python":
        monkeypatch.delattr(yaml, "CBaseLoader", raising=False)


def refused(text):
    with pytest.raises(SpecError) as caught:
        read_text(text)
    (fault,) = caught.value.faults
    return fault


def at(fault):
    return fault.code, fault.place.line, fault.place.column


def test_values_stay_text_and_keep_their_places(loader):
    tree = read_text("a: .48\nb: [yes, 'no', ~]\nc:\n  d: 1e-3  # comment\n", file="w.yaml")
    assert plain(tree) == {"a": ".48", "b": ["yes", "no", "~"], "c": {"d": "1e-3"}}
    assert str(tree.scalar("a").place) == "w.yaml:1:4"
    items = tree.get("b")
    assert isinstance(items, Sequence)
    assert [item.quoted for item in items.items] == [False, True, False]
    assert (tree.mapping("c").key("d").place.line, tree.mapping("c").key("d").place.column) == (4, 3)


@pytest.mark.parametrize("text", ["\ufeffa: 1", "a: 1\r\n", "a: 1\r", "---\na: 1\n...\n", b"\xef\xbb\xbfa: 1\r\n"])
def test_marks_and_line_ends_of_other_systems_are_fine(text, loader):
    assert plain(read_text(text)) == {"a": "1"}


def test_places_count_the_same_with_windows_line_ends(loader):
    tree = read_text("a: 1\r\nb: 2\r\n")
    assert (tree.key("b").place.line, tree.key("b").place.column) == (2, 1)


@pytest.mark.parametrize(("text", "offset", "line", "column"), [
    ("r: a + bc", 4, 1, 8),
    ("r: 'a + bc'", 4, 1, 9),
    ("r: 'x == ''y'' + z'", 11, 1, 18),
    ('r: "x == \\"y\\" + z"', 11, 1, 18),
    ("r: >-\n  a +\n  bc\n", 4, 3, 3),
    ("r: |\n    a +\n    bc\n", 5, 3, 6),
    ("r: a +\n   bc\n", 4, 2, 4),
    ("ü: [é, 'ö + bc']", 4, 1, 13),
])  # fmt: skip
def test_a_character_of_a_value_is_found_in_the_file(text, offset, line, column, loader):
    tree = read_text(text)
    node = tree.pairs[0][1]
    scalar = node if isinstance(node, Scalar) else node.items[1]
    place = scalar.place_of(offset)
    assert (place.line, place.column) == (line, column)


def test_text_that_is_not_utf8_tells_the_byte():
    fault = refused(b"name: a\ntitle: caf\xe9 au lait\n")
    assert at(fault) == ("spec/not-utf8", 2, 11)
    assert "byte 18 (0xe9)" in fault.message


def test_a_lone_surrogate_is_refused(loader):
    assert refused("a: \ud800").code == "spec/not-utf8"
    assert refused('a: "x\\ud800y"').code in ("spec/yaml", "spec/control-character")


@pytest.mark.parametrize("text", ["", "   \n\n", "# only a comment\n", "---\n", "---\n...\n", b"", "\ufeff", "''"])
def test_an_empty_file(text, loader):
    assert refused(text).code == "spec/empty"


@pytest.mark.parametrize(("text", "code", "line", "column"), [
    ("a: 1\n\tb: 2\n", "spec/tab", 2, 1),
    ("a:\n  \tb: 2\n", "spec/tab", 2, 3),
    ("a: &x 1", "spec/alias", 1, 4),
    ("a: *x", "spec/alias", 1, 4),
    ("a: & x", "spec/alias", 1, 5),
    ("a: &a&a", "spec/alias", 1, 6),
    ("a:\n\t\t", "spec/tab", 2, 1),
    ("a: [1,\n\t2]", "spec/tab", 2, 1),
    ("a: !!python/object:os.system x", "spec/tag", 1, 4),
    ("a: !x [1]", "spec/tag", 1, 4),
    ("a: !e!x 1", "spec/tag", 1, 4),
    ("a: 1\n---\nb: 2", "spec/several-documents", 2, 1),
    ("? [a]\n: 1", "spec/key", 1, 3),
    ("{a: 1}: 2", "spec/key", 1, 1),
    ("a: [1, 2\nb: 3", "spec/yaml", 2, 2),
    ("a: b: c", "spec/yaml", 1, 5),
    ("a: @x", "spec/yaml", 1, 4),
    ("a: x\0y", "spec/control-character", 1, 5),
    ("a: x\x1by", "spec/control-character", 1, 5),
    ('a: "x\\0y"', "spec/control-character", 1, 4),
])  # fmt: skip
def test_what_yaml_has_and_a_world_file_has_not(text, code, line, column):
    assert at(refused(text)) == (code, line, column)


def test_yaml_errors_use_plain_words(loader):
    assert "quote" in refused("a: b: c").message
    assert "closed" in refused("a: [1, 2").message
    assert "indentation" in refused("a:\n  b: 2\n c: 3\n").message


def test_an_alias_bomb_is_refused_at_its_first_anchor():
    lines = ["a0: &a0 [x, x]"] + [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 30)]
    fault = refused("\n".join(lines))
    assert at(fault) == ("spec/alias", 1, 5)
    assert fault.found == "&a0"


@pytest.mark.parametrize("text", ["[" * 10_000, "[" * 9_000 + "]" * 9_000, "a: " + "{b: " * 10_000, "- " * 3_000 + "x"])
def test_deep_nesting(text, loader):
    assert refused(text).code == "spec/too-deep"


def test_nesting_up_to_the_limit_is_read():
    assert read_text("[" * MAX_DEPTH + "]" * MAX_DEPTH)


def test_repeated_keys_are_kept_aside():
    tree = read_text("a: 1\nb: 2\na: 3\n")
    assert plain(tree) == {"a": "1", "b": "2"}
    ((again, first),) = tree.repeated
    assert (again.place.line, first.place.line) == (3, 1)


def test_a_large_file_is_refused_by_its_size(tmp_path):
    path = tmp_path / "big.yaml"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    start = time.perf_counter()
    with pytest.raises(SpecError) as caught:
        read_file(path)
    assert caught.value.code == "spec/too-large"
    assert "50,000,000" in str(caught.value)
    assert time.perf_counter() - start < 5


def test_many_small_values_are_refused():
    assert refused("[" + "a," * 900_000 + "]").code == "spec/too-large"


def test_paths_that_are_no_file(tmp_path):
    with pytest.raises(SpecError, match="is a directory") as caught:
        read_file(tmp_path)
    assert caught.value.code == "spec/not-a-file"
    with pytest.raises(SpecError) as caught:
        read_file(tmp_path / "missing.yaml")
    assert caught.value.code == "spec/no-file"
    with pytest.raises(SpecError) as caught:
        read_file("a\0b")
    assert caught.value.code == "spec/unreadable"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_does_not_hang(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(SpecError) as caught:
        read_file(path)
    assert caught.value.code == "spec/not-a-file"


@settings(deadline=None)
@given(
    st.one_of(
        st.text(max_size=200), st.binary(max_size=200), st.text(alphabet="ab:-[]{}\"'|>&*!%@#,? \n\t\\", max_size=60)
    )
)
def test_any_text_gives_a_tree_or_one_clear_error(text):
    with contextlib.suppress(PbnError):
        assert isinstance(read_text(text), (Mapping, Sequence, Scalar))


@settings(deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=8, alphabet="abcü é"), st.text(max_size=20), min_size=1))
def test_what_yaml_writes_is_read_back(data):
    cleaned = {key: "".join(c for c in value if c.isprintable()) for key, value in data.items()}
    text = yaml.safe_dump({key: value + "x" for key, value in cleaned.items()}, allow_unicode=True)
    assert plain(read_text(text)) == {key: value + "x" for key, value in cleaned.items()}
