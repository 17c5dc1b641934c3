from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from pbn.cli import files
from pbn.cli.main import commands
from tests.text.shipped import WORLDS, a_case, a_memo, world


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "m.txt"

    def write(text):
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return str(path)

    return write


@pytest.mark.parametrize("name", WORLDS)
def test_a_file(pbn_command, written, name):
    result = pbn_command("decode", name, written(a_memo(name, "medium") + "\n"), "--level", "medium", "--json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert record["attributes"] == a_case(name, "medium")
    assert (record["world"], record["level"]) == (name, "medium")
    assert list(record["answers"]) == list(world(name).questions)
    for question, answer in record["answers"].items():
        expected = world(name).posterior(a_case(name, "medium"), "medium", question=question)
        assert {state: cell["value"] for state, cell in answer["posterior"].items()} == dict(expected.probs)


def test_the_table_and_the_answer(pbn_command, written):
    result = pbn_command("decode", "credit_risk", written(a_memo("credit_risk", "low")), "--level", "low")
    assert result.exit_code == 0
    for name, state in a_case("credit_risk", "low").items():
        assert any(line.split() == [name, *state.split()] for line in result.stdout.split("\n"))
    assert "Will the company default on its debt within the next year?" in result.stdout


def test_the_question_at_the_end_is_answered_or_the_one_that_is_named(pbn_command, written):
    held, case = world("support_ticket").memo("high"), a_case("support_ticket", "high")
    path = written(held.text(case, question="angry"))

    def answered(*more):
        shown = pbn_command("decode", "support_ticket", path, "--level", "high", "--json", *more)
        return list(json.loads(shown.stdout)["answers"])

    assert answered() == ["angry"]
    assert answered("--question", "queue") == ["queue"]
    path = written(held.text(case))
    assert answered() == ["queue", "priority", "angry"]


def test_a_pipe(environment):
    both = (
        "{0} -m pbn memo covert_transfer --level low --row 3 | {0} -m pbn decode covert_transfer --level low - --json"
    )
    shown = subprocess.run(
        ["sh", "-c", both.format(sys.executable)], capture_output=True, text=True, timeout=60, env=environment
    )
    assert shown.returncode == 0, shown.stderr
    assert len(json.loads(shown.stdout)["attributes"]["identifier"]) == 16


def test_standard_input(monkeypatch):
    runner = CliRunner()
    arguments = ["decode", "credit_risk", "-", "--level", "low"]
    assert runner.invoke(commands, arguments, input=a_memo("credit_risk", "low")).exit_code == 0
    wrong = runner.invoke(commands, arguments, input=a_memo("credit_risk", "low").replace("\n", "\r\n"))
    assert wrong.exit_code == 2
    assert "standard input:1:" in wrong.stderr
    assert "text/edited" in wrong.stderr


def test_nobody_writes_to_standard_input(monkeypatch):
    class Terminal:
        def isatty(self):
            return True

    for stream in (Terminal(), None):
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(files.QueryError) as caught:
            files.read_input("-")
        assert caught.value.code == "cli/no-input"


@pytest.mark.parametrize(("name", "code", "words"), [
    ("missing.txt", "cli/no-file", "No such file"), (".", "cli/no-file", "it is a directory, not a regular file"),
    ("/dev/null/x", "cli/no-file", "Not a directory"), ("x" * 5000, "cli/no-file", "cannot be read"),
    ("a\0b", "cli/no-file", "not a valid path")])  # fmt: skip
def test_no_such_file(name, code, words):
    with pytest.raises(files.QueryError) as caught:
        files.read_input(name)
    assert caught.value.code == code
    assert words in caught.value.faults[0].message
    assert len(str(caught.value)) < 400


def test_files_that_are_no_text(pbn_command, written, monkeypatch):
    result = pbn_command("decode", "credit_risk", written(b"caf\xe9"), "--level", "low")
    assert result.exit_code == 2
    assert "cli/not-utf8" in result.stderr
    assert "byte 0xe9 at 3" in result.stderr
    monkeypatch.setattr(files, "MOST_BYTES", 10)
    result = pbn_command("decode", "credit_risk", written("x" * 11), "--level", "low")
    assert "cli/too-large" in result.stderr


@pytest.mark.parametrize(("change", "code"), [
    (lambda text: "", "text/missing"), (lambda text: "\ufeff" + text, "text/edited"),
    (lambda text: text + "\n\n", "text/edited"),
    (lambda text: text.replace("% of", " % of"), "text/malformed")])  # fmt: skip
def test_what_is_no_memo(pbn_command, written, change, code):
    path = written(change(a_memo("credit_risk", "low")))
    result = pbn_command("decode", "credit_risk", path, "--level", "low")
    assert result.exit_code == 2
    assert f"{path}:" in result.stderr.replace("\n", "")
    assert code in result.stderr
    assert result.stdout == ""


def test_a_level_must_be_named(pbn_command, written):
    result = pbn_command("decode", "credit_risk", written("x"))
    assert result.exit_code == 2
    assert "cli/which-level" in result.stderr
