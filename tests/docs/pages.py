"""Pages of the documentation as tests see them: fenced blocks, run in order in one folder of their own.

Four kinds of block are run: a block with ``file=NAME`` is written to a file, ``console`` runs each line that begins
with ``$``, ``text prompt=WORLD`` types its lines with ``>`` into the prompt of ``pbn query WORLD``, ``python`` is
a doctest. To put the true outputs into the blocks of a page:

    python -m tests.docs.pages docs/first-world.md
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbn.cli.inquiry import Inquiry
from pbn.cli.main import main
from pbn.cli.prompt import _message as prompt_message
from pbn.cli.terminal import show, show_error
from pbn.errors import PbnError
from pbn.loading import load

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 108
"""Width of the outputs on the pages."""

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_SHELL = set("|><;&*?`$()")


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fenced block: the words after the fence, its text, the line on which the text begins."""

    language: str
    options: dict[str, str]
    text: str
    line: int
    span: tuple[int, int]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    source = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(source):
        language, *words = match["info"].split() or [""]
        options = dict(word.partition("=")[::2] for word in words)
        found.append(
            Block(
                language=language,
                options=options,
                text=match["text"],
                span=match.span("text"),
                line=source.count("\n", 0, match.start("text")) + 1,
            )
        )
    return found


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with the output shown below it; a backslash continues a command."""
    found: list[tuple[str, list[str]]] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith("$ "):
            command = line[2:]
            while command.endswith("\\"):
                command += "\n" + next(lines)
            found.append((command, []))
        elif found:
            found[-1][1].append(line)
        else:
            raise AssertionError(f"output without a command: {line!r}")
    return [(command, "\n".join(output)) for command, output in found]


def _trimmed(output: str) -> str:
    lines = [line.rstrip() for line in output.splitlines()]
    return "\n".join(lines).strip("\n")


def run(command: str) -> str:
    """What a command prints, errors included; ``pbn`` runs in this process, all else in a shell."""
    plain = command.replace("\\\n", " ")
    words = shlex.split(plain)
    if words[0] == "pbn" and not _SHELL.intersection(plain):
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            main(words[1:])
        return _trimmed(output.getvalue())
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        ["bash", "-c", plain],
        env={**os.environ, "PATH": path},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=60,
        check=False,
    )
    return _trimmed(done.stdout)


def session(world: str, text: str) -> str:
    """What the prompt of ``pbn query WORLD`` shows for the lines that are typed in a block."""
    held = load(world)
    inquiry = Inquiry(held, asked=next(iter(held.questions)))
    shown = []
    for line in text.splitlines():
        _, sign, typed = line.partition("> ")
        if not sign or not line.startswith(held.name):
            continue
        output = io.StringIO()
        message = prompt_message(inquiry)
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                show(*inquiry.execute(typed))
            except PbnError as error:
                show_error(error)
        shown.append(f"{message}{typed}\n{_trimmed(output.getvalue())}".rstrip())
    return "\n\n".join(shown)


@contextlib.contextmanager
def folder(path: Path) -> Iterator[None]:
    """Work in a folder, with outputs as wide as on the pages."""
    before, width = Path.cwd(), os.environ.get("COLUMNS")
    os.chdir(path)
    os.environ["COLUMNS"] = str(COLUMNS)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.pop("COLUMNS")
        if width is not None:
            os.environ["COLUMNS"] = width


class Page:
    """A page that is being run: the names of its Python blocks, and what was not as shown."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.names: dict[str, Any] = {}
        self.ran = 0
        self.wrong: list[str] = []

    def run_all(self) -> None:
        """Run every block; the caller has gone to the folder where files may be written."""
        for block in blocks(self.path):
            if "file" in block.options:
                Path(block.options["file"]).write_text(block.text, encoding="utf-8")
            elif block.language == "console":
                self._console(block)
            elif "prompt" in block.options:
                self.ran += 1
                self._compare(block, "the prompt", block.text, session(block.options["prompt"], block.text))
            elif block.language == "python":
                self._python(block)

    def _console(self, block: Block) -> None:
        for command, shown in commands(block.text):
            self.ran += 1
            self._compare(block, f"$ {command}", shown, run(command))

    def _compare(self, block: Block, what: str, shown: str, printed: str) -> None:
        if printed != _trimmed(shown):
            self.wrong.append(
                f"{self.path.name}, block at line {block.line}: {what}\n"
                f"-- shown\n{_trimmed(shown)}\n-- printed\n{printed}"
            )

    def _python(self, block: Block) -> None:
        name = f"{self.path.name}, block at line {block.line}"
        test = doctest.DocTestParser().get_doctest(block.text, self.names, name, str(self.path), block.line - 1)
        assert test.examples, f"{name}: a python block without >>> is never run"
        output: list[str] = []
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        with np_plain():
            result = runner.run(test, out=output.append, clear_globs=False)
        self.names.update(test.globs)
        self.ran += len(test.examples)
        if result.failed:
            self.wrong.append("".join(output))


@contextlib.contextmanager
def np_plain() -> Iterator[None]:
    """Pandas tables as wide as the pages."""
    import pandas as pd

    with pd.option_context("display.width", COLUMNS, "display.max_columns", 20):
        yield


def with_true_outputs(path: Path) -> str:
    """The text of a page with the outputs of its commands as they are."""
    source = path.read_text(encoding="utf-8")
    pieces, end = [], 0
    for block in blocks(path):
        if "file" in block.options:
            Path(block.options["file"]).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            lines = []
            for command, _ in commands(block.text):
                output = run(command)
                lines.append(f"$ {command}\n" + (output + "\n" if output else ""))
            pieces += [source[end : block.span[0]], "\n".join(lines)]
            end = block.span[1]
        elif "prompt" in block.options:
            pieces += [source[end : block.span[0]], session(block.options["prompt"], block.text) + "\n"]
            end = block.span[1]
    return "".join([*pieces, source[end:]])


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        page = Path(argument).resolve()
        with tempfile.TemporaryDirectory() as scratch, folder(Path(scratch)):
            text = with_true_outputs(page)
        page.write_text(text, encoding="utf-8")
