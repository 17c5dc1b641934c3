"""Nothing that a terminal obeys, or hides, reaches it from the names and texts of a file; data stay what they are."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.cli.streams import visible
from pbn.cli.terminal import show_json

TURNS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
ODD = "\x1b]0;pwned\x07\x1b[31m\x9b2J\x08\r" + TURNS
BIF = """\
network "n" {{ }}
variable "a{odd}" {{ type discrete [ 2 ] {{ "s{odd}", t }}; }}
variable "b{odd}" {{ type discrete [ 2 ] {{ "u{odd}", v }}; }}
probability ( "a{odd}" ) {{ table 0.5, 0.5; }}
probability ( "b{odd}" | "a{odd}" ) {{ table 0.2, 0.9, 0.8, 0.1; }}
"""


def dangerous(text: str) -> set[str]:
    """The characters of a text that are controls, or turn its direction."""
    return {c for c in text if (unicodedata.category(c) in ("Cc", "Cs") and c != "\n") or c in TURNS}


@given(st.text())
def test_visible_leaves_nothing_dangerous_and_nothing_else_changed(text):
    assert not dangerous(visible(text))
    if text.isprintable():
        assert visible(text) == text


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "odd.bif"
    path.write_text(BIF.format(odd=ODD.replace("\r", "")), newline="")
    return str(path)


def test_no_command_shows_them(odd, tmp_path, pbn_command):
    name = f"b{ODD}".replace("\r", "")
    commands = [
        ["describe"], ["query", "--ask", name], ["query", "--ask", "nothing"], ["plan", "--question", name],
        ["bayes-error", "--question", name], ["check", "--question", name], ["compare-levels", "--question", name],
        ["query", "--ask", name, "--level", "none"], ["draw", "-o", str(tmp_path / "o.dot")],
        ["convert", str(tmp_path / "o.net")], ["convert", str(tmp_path / "o.yaml"), "--question", name],
        ["query", "--ask", name, "--engine", "pgmpy"],
    ]  # fmt: skip
    for command, *rest in commands:
        result = pbn_command(command, odd, *rest)
        assert not dangerous(result.stdout + result.stderr), (command, result.output)


def test_json_keeps_the_data(odd, pbn_command):
    name = f"b{ODD}".replace("\r", "")
    result = pbn_command("query", odd, "--ask", name, "--json")
    assert not dangerous(result.stdout)
    assert list(json.loads(result.stdout)["posterior"]) == list(pbn.load(odd).network.variables[name].states)


@settings(deadline=None)
@given(st.text())
def test_json_reads_back(text):
    import io
    from contextlib import redirect_stdout

    target = io.StringIO()
    with redirect_stdout(target):
        show_json({"text": text})
    assert json.loads(target.getvalue()) == {"text": text}
    assert not dangerous(target.getvalue())


def test_json_is_whole_or_not_there(capsys):
    with pytest.raises(ValueError, match="JSON"):
        show_json({"a": 1, "b": float("nan")})
    assert capsys.readouterr().out == ""
