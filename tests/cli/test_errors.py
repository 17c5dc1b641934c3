"""Whatever goes wrong is one message and an exit code."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from pbn.cli import main as entry
from pbn.cli.main import main
from pbn.cli.streams import prepare_streams

ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
COMMANDS = [
    ["worlds"],
    ["describe", "peer_review"],
    ["bayes-error", "credit_risk"],
    ["query", "credit_risk"],
    ["plan", "credit_risk"],
    ["schema"],
    ["--help"],
]


@pytest.mark.parametrize("arguments", [
    ["query", "nowhere"], ["describe", "no/such/file.yaml"], ["plan", "/"], ["query", "/dev/null"], ["query", ""],
    ["frobnicate"], ["query"], ["query", "credit_risk", "--colour"], ["worlds", "more"], ["--budget", "much", "worlds"],
    ["query", "credit_risk", "\x1b[31mred=\x07"], ["query", "credit_risk", "a" * 5000 + "=b"],
])  # fmt: skip
def test_bad_input_is_exit_code_2(pbn_process, arguments):
    done = pbn_process(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert 0 < len(done.stderr) < 2000
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stderr


def test_nul_is_no_file(pbn_command):
    assert pbn_command("query", "a\0b").exit_code == 2


def test_all_faults_of_a_file(pbn_process, broken_world):
    done = pbn_process("describe", broken_world)
    assert done.returncode == 2
    assert done.stderr.count("broken.yaml:") == 2
    assert done.stderr.endswith("2 faults\n")


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_closed_pipe_is_silent(environment, arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "pbn", *arguments],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    os.close(writing)
    assert done.stderr == ""
    assert done.returncode in (0, 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_one_message(environment):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pbn", "worlds"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=environment,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("cli/system: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("arguments", COMMANDS)
def test_ascii_terminals(pbn_process, arguments):
    done = pbn_process(*arguments, env=ASCII)
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert done.stderr == ""


def test_ascii_errors(pbn_process, odd_world):
    done = pbn_process("query", odd_world, "colour=très vert", env=ASCII)
    assert done.returncode == 2
    assert done.stderr.isascii()
    assert "tres bleu" in done.stderr
    json = pbn_process("query", odd_world, "--ask", "colour", "--json", env=ASCII).stdout
    assert r"tr\u00e8s bleu" in json


def test_bytes_that_are_no_text(pbn_process):
    done = pbn_process("query", "credit_risk", b"sector=\xff\xfe")
    assert done.returncode == 2
    assert done.stderr.startswith("query/unknown-state")


def test_replacements_keep_the_width(monkeypatch):
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", None)
    prepare_streams()
    stream.write("ε* ✓ ✗ — … é ß 漢 █ \ud800")
    stream.flush()
    assert raw.getvalue() == b"e* + x - ~ e ? ? # ?"


@pytest.mark.parametrize(("error", "code", "message"), [
    (ZeroDivisionError("oh"), 70, "cli/internal: ZeroDivisionError: oh"),
    (RecursionError("deep"), 70, "cli/internal"),
    (MemoryError(), 70, "cli/memory"),
    (OSError(5, "I/O error"), 1, "cli/system: [Errno 5] I/O error"),
    (KeyboardInterrupt(), 130, ""),
])  # fmt: skip
def test_what_nobody_foresaw(monkeypatch, capsys, error, code, message):
    def fails(*_, **__):
        raise error

    monkeypatch.delenv("PBN_TRACEBACK", raising=False)
    monkeypatch.setattr("pbn.loading.load", fails)
    assert main(["query", "credit_risk"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
    assert "Traceback" not in shown.err


def test_a_traceback_for_those_who_ask(monkeypatch):
    def fails(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setenv("PBN_TRACEBACK", "1")
    monkeypatch.setattr("pbn.loading.load", fails)
    with pytest.raises(ZeroDivisionError):
        main(["query", "credit_risk"])


def test_codes_and_success(capsys):
    assert main(["--version"]) == 0
    assert main(["--help"]) == 0
    assert main([]) in (0, 2)
    assert main(["query", "credit_risk", "--budget", "1kB"]) == entry.OVER_BUDGET
    assert main(["worlds"]) == 0


def test_colour_on_a_terminal_only(pbn_process):
    assert "\x1b[" not in pbn_process("query", "nowhere").stderr
    assert "\x1b[" in pbn_process("query", "nowhere", env={"FORCE_COLOR": "1", "TERM": "xterm-256color"}).stderr


@pytest.mark.parametrize(
    "words",
    [
        "draw credit_risk -o", "sweep credit_risk --residual 0 -o", "sample credit_risk -n 5 -o", "publish data -o",
        "convert credit_risk", "new", "verify", "publish -o hub",
    ],
)  # fmt: skip
def test_an_empty_text_is_no_path(pbn_command, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    done = pbn_command(*words.split(), "")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(": an empty text names no file or folder; a dot stands for the current folder\n")
    assert not list(tmp_path.iterdir())
