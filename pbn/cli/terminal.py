"""Where output goes: tables on a terminal, the same without colour or line breaks into a pipe."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Literal

from rich.box import SIMPLE_HEAD, Box
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from pbn.cli.streams import UNSEEN, visible
from pbn.errors import PbnError

PIPED_WIDTH = 1000
"""Columns of output that is not a terminal: wide enough that hardly a line is broken."""
PIPED_RULE = 120
"""Columns of the rule below the head of a table there, at most."""

LEAST_CELL = 16
"""Columns of a cell that may be broken into lines, at least."""


def _console(*, stderr: bool = False) -> Console:
    console = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        columns = os.environ.get("COLUMNS", "")
        console.width = int(columns) if columns.isdecimal() and 0 < int(columns) < 10_000 else PIPED_WIDTH
    return console


class _ShortRule(Box):
    """The style of tables whose lines may be very long, but for the rule below the head."""

    def get_row(
        self, widths: Iterable[int], level: Literal["head", "row", "foot", "mid"] = "row", edge: bool = True
    ) -> str:
        """The rule, or what stands between the cells of a row."""
        return super().get_row(widths, level, edge)[:PIPED_RULE]


_PIPED = _ShortRule(str(SIMPLE_HEAD), ascii=True)  # streams that lack the rule's character have one for it


def is_terminal() -> bool:
    """Whether somebody watches stdout."""
    return _console().is_terminal


def width() -> int:
    """Columns of stdout."""
    return _console().width


def show(*parts: RenderableType) -> None:
    """Print to stdout, no line with blanks at its end; a part that is a ``str`` is never broken into lines.

    A table whose narrow columns have no room gets it: its lines are then longer than the terminal's, and no cell is
    cut.
    """
    console = _console()
    with console.capture() as captured:
        own = console.width
        for part in map(_visible_part, parts):
            console.width = max(own, _least_width(part)) if isinstance(part, Table) else own
            console.print(part, soft_wrap=isinstance(part, str))
    lines = captured.get().split("\n")
    sys.stdout.write("\n".join(line.rstrip(" ") for line in lines))
    sys.stdout.flush()


def _visible_part(part: RenderableType) -> RenderableType:
    """A part of the output with every text of it `visible`."""
    if isinstance(part, str):
        return visible(part)
    if isinstance(part, Text) and UNSEEN.search(part.plain):
        pieces = part.divide(sorted({end for match in UNSEEN.finditer(part.plain) for end in match.span()}))
        for piece in pieces:
            piece.plain = visible(piece.plain)
        return Text("", end=part.end, style=part.style).join(pieces)
    if isinstance(part, Table):
        for column in part.columns:
            column.header, column._cells = _visible_part(column.header), list(map(_visible_part, column._cells))
    return part


def show_text(text: str) -> None:
    """Write data to stdout: as it is into a pipe or a file, `visible` on a terminal."""
    sys.stdout.write(visible(text) if sys.stdout.isatty() else text)


def _least_width(table: Table) -> int:
    """The columns that a table takes if no narrow column of it is cut and no other broken into bits."""
    if not any(column.no_wrap for column in table.columns):
        return 0
    total = -3
    for column in table.columns:
        longest = max(cell_len(line) for cell in (column.header, *column.cells) for line in str(cell).split("\n"))
        total += 3 + (longest if column.no_wrap else min(longest, LEAST_CELL))
    return total


def show_json(value: object) -> None:
    """Print a value to stdout as JSON."""
    encoding = (sys.stdout.encoding or "ascii").lower()
    text = json.dumps(value, indent=2, allow_nan=False, ensure_ascii=not encoding.startswith("utf"))
    text = UNSEEN.sub(lambda match: json.dumps(match[0])[1:-1] if match[0] > " " else match[0], text)
    sys.stdout.write(text + "\n")  # at once, and only when it is whole


def show_error(error: PbnError) -> None:
    """Print an error to stderr: its own text, red on a terminal."""
    sys.stdout.flush()
    text = Text()
    for line in visible(str(error)).split("\n"):
        text.append(line + "\n", style="red" if line.startswith("  ") else "bold red")
    _console(stderr=True).print(text, end="", soft_wrap=True)


def table(*columns: str, narrow: Collection[str] = (), right: Collection[str] = ()) -> Table:
    """An empty table in the one style of all commands: which columns keep to one line, which to the right."""
    box = SIMPLE_HEAD if is_terminal() else _PIPED
    made = Table(box=box, show_edge=False, pad_edge=False, header_style="bold")
    for column in columns:
        made.add_column(
            column, overflow="fold", no_wrap=column in narrow, justify="right" if column in right else "left"
        )
    return made


def table_room(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> int:
    """Columns of the terminal that a table with these cells leaves for one more column."""
    widths = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    return width() - sum(widths) - 3 * len(widths)


def heading(name: str, title: str = "") -> Text:
    """A line that begins a part of the output."""
    return Text.assemble((name, "bold cyan"), f"  {title}" if title else "")


class _Description(ProgressColumn):
    """What is being done, `visible`, and no markup."""

    def render(self, task: Task) -> Text:
        """The description of a task."""
        return Text(visible(task.description))


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress bar on stderr, shown only where that is a terminal, gone when it is done."""
    console = _console(stderr=True)
    columns = (
        _Description(),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        yield shown


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """A moving sign on stderr, shown only where that is a terminal, for work that cannot be counted."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(Text(visible(what))):
        yield
