"""What the commands about predictions share: their options, and how counts and numbers are written."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cases.disk import write_file
from pbn.cli.arguments import PATH
from pbn.cli.numerals import decimal
from pbn.cli.terminal import show, show_json, show_text, table
from pbn.errors import Fault, QueryError
from pbn.scores.accuracy import Interval
from pbn.scoring.items import MOST_RESAMPLED, RESAMPLES, Entry
from pbn.scoring.layout import data_set_around, label_files, truth_files
from pbn.scoring.matching import Counts
from pbn.scoring.predictions import Named

Command = TypeVar("Command", bound=Callable[..., Any])

_RUN = re.compile(r"(\d[\d_]{0,30}):(\d[\d_]{0,30})", re.ASCII)


class RowRun(click.ParamType):  # type: ignore[type-arg]
    """A run of rows such as ``1000:1500``: from the first up to but not with the second."""

    name = "rows"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Both ends."""
        match = _RUN.fullmatch(str(value))
        if match and int(match[1]) < int(match[2]):
            return int(match[1]), int(match[2])
        self.fail(f"{str(value)[:40]!r} is no run of rows; write 1000:1500", param, ctx)


def truth_options(*, several: bool = False) -> Callable[[Command], Command]:
    """``--truth``, ``--labels``, ``--rows``, ``--level`` and ``--question``."""
    more = "; one for all files, or one for each" if several else ""

    def add(command: Command) -> Command:
        options = [
            click.option("--truth", type=PATH, required=True, multiple=several, metavar="PATH",
                         help=f"Truth file of pbn sample, its folder of parts, or the data set{more}."),
            click.option("--labels", type=PATH, multiple=several, metavar="PATH",
                         help="Labels, where they are not beside the truth."),
            click.option("--rows", type=RowRun(), metavar="A:B",
                         help="Only these rows of the draw, such as 1000:1500."),
            click.option("--level", metavar="NAME", help="Only this hiding level."),
            click.option("--question", metavar="NAME", help="Which question the predictions answer."),
        ]  # fmt: skip
        for option in reversed(options):
            command = option(command)
        return command

    return add


def output_options(command: Command) -> Command:
    """``--json``, ``--csv``, ``-o FILE``."""
    command = click.option("-o", "--output", type=PATH, metavar="FILE", help="Write .csv or .json besides.")(command)
    command = click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")(command)
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def seed_option(command: Command) -> Command:
    """``--seed``."""
    return click.option(
        "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="Seed of the resamples."
    )(command)


def check_output(output: Path | None, as_csv: bool, as_json: bool) -> None:
    """Refuse before anything is computed what could not be written, or would replace what the command reads.

    Raises
    ------
    QueryError
        ``cli/which-form`` or ``cli/output``.
    """
    if as_csv and as_json:
        message = "--csv and --json both say what is printed"
        raise QueryError(Fault(code="cli/which-form", message=message, hint="give one of them"))
    if output is not None and output.suffix.lower() not in (".csv", ".json"):
        message = f"{str(output)[:200]} has another ending than can be written"
        raise QueryError(Fault(code="cli/output", message=message, allowed=".csv, .json"))
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        message = f"{str(output)[:200]} cannot be written"
        raise QueryError(Fault(code="cli/output", message=message, hint="name a file in a folder that exists"))
    if output is not None:
        _keep_inputs(output)


def _keep_inputs(output: Path) -> None:
    """Refuse an output that is a file the running command reads, or one among the files of a data set."""
    context = click.get_current_context(silent=True)
    given = {} if context is None else {name: _paths(value) for name, value in context.params.items()}
    inputs = [path for name, paths in given.items() if name != "output" for path in paths]
    around = data_set_around(output) or next((path for path in inputs if path.is_dir() and _is_in(output, path)), None)
    if around is not None:
        message = f"{str(output)[:200]} lies among the files of {str(around)[:200]}"
        raise QueryError(Fault(code="cli/output", message=message, hint="name a file outside that folder"))
    for truth in given.get("truth", ()):
        with suppress(QueryError):  # what is no truth has no labels beside it
            inputs += label_files(truth_files(truth))
    if any(_is_same(output, path) for path in inputs):
        message = f"{str(output)[:200]} is a file that is read, and would be lost"
        raise QueryError(Fault(code="cli/output", message=message, hint="name another file for the report"))


def _paths(value: object) -> list[Path]:
    """The paths in the value of a parameter."""
    return [one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Path)]


def _is_in(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:  # one of them is not there
        return one.resolve() == other.resolve()


def write_output(output: Path, record: object, rows: Sequence[Mapping[str, object]]) -> None:
    """Write a report in the form that the file's ending says."""
    if output.suffix.lower() == ".csv":
        write_file(output, csv_text(rows).encode())
    else:
        write_file(output, (json.dumps(record, indent=2, allow_nan=False, ensure_ascii=False) + "\n").encode())


def report(
    record: object,
    rows: Sequence[Mapping[str, object]],
    shown: Iterable[RenderableType],
    *,
    output: Path | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Write a report to its file, if it has one, and print it in the form that was asked for."""
    if output is not None:
        write_output(output, record, rows)
    if as_json:
        show_json(record)
    elif as_csv:
        show_text(csv_text(rows))
    else:
        show(*shown, *([Text(f"wrote {output}")] if output is not None else []))


def csv_text(rows: Sequence[Mapping[str, object]]) -> str:
    """CSV of flat records with the same keys."""
    target = io.StringIO()
    writer = csv.DictWriter(target, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({key: "" if value is None else value for key, value in row.items()})
    return target.getvalue()


# -- numbers and counts ------------------------------------------------------------------------------


def number(value: float | None) -> str:
    """A score in a table."""
    if value is None:
        return "—"
    return decimal(value) if -1 <= value <= 1 else f"{value:.6f}"


def interval_text(interval: Interval | None) -> str:
    """An interval in a table."""
    return "" if interval is None else f"{number(interval.low)} to {number(interval.high)}"


def methods_of(lines: Iterable[Entry]) -> set[str]:
    """How the intervals of some lines were made."""
    return {line.interval.method for line in lines if line.interval is not None}


def methods_text(methods: Collection[str], seed: int) -> str:
    """How the intervals of a report were made, in words."""
    said = {
        "bca": f"BCa bootstrap, {RESAMPLES:,} resamples, the same for all scores, seed {seed}",
        "normal": f"mean ± 1.96 standard errors, as there are more than {MOST_RESAMPLED:,} cases",
        "wilson": "Wilson's of the realized accuracy",
        "bonett-price": "Bonett and Price's of the realized accuracy",
        "hoeffding": "Hoeffding's for all groups and bins at once",
    }
    return "; ".join(text for method, text in said.items() if method in methods) or "none of a single case"


def notes_table(notes: Sequence[tuple[str, str]]) -> Iterator[RenderableType]:
    """Definitions of scores and what belongs beside them, where they do not stand in the scores' own table."""
    told = [(name, note) for name, note in notes if note]
    if told:
        listed = table("score", "definition, note", narrow=["score"])
        for name, note in told:
            listed.add_row(name, Text(note, style="dim"))
        yield ""
        yield listed


def interval_record(interval: Interval | None) -> dict[str, object] | None:
    """An interval in JSON."""
    if interval is None:
        return None
    return {
        "low": interval.low, "high": interval.high, "confidence": interval.confidence, "method": interval.method,
    }  # fmt: skip


def counts_lines(counts: Counts, implied: bool) -> Iterator[Text]:
    """What became of the cases of a question and level."""
    parts = [counted(counts.n_total, "case")]
    if counts.has_probabilities:
        parts.append(f"{counts.n_scored:,} with valid probabilities")
    parts.append(f"{counts.n_invalid:,} invalid")
    unknown = f" ({counts.unknown:,} of them unknown)" if counts.unknown else ""
    parts.append(f"{counts.decided:,} with a decision{unknown}" + (", the most probable state" if implied else ""))
    yield Text("  " + "; ".join(parts))
    lines = [("missing", counts.missing), ("several equal rows, taken once", counts.repeated)]
    lines += [(f"invalid probabilities, {reason}", found) for reason, found in counts.invalid_probabilities.items()]
    lines += [(f"invalid decisions, {reason}", found) for reason, found in counts.invalid_decisions.items()]
    for what, found in lines:
        if found.count:
            yield Text(f"  {what}: {found}", style="yellow")
    if counts.rescaled.count:
        off = f"which was off by {counts.largest_off:.2g} at most"
        yield Text(f"  probabilities divided by their sum, {off}: {counts.rescaled}", style="yellow")


def counted(count: int, noun: str) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "case"), counted(1500, "case")
    ('1 case', '1,500 cases')
    """
    return f"{count:,} {noun}" + ("" if count == 1 else "s")


def named_record(found: Named) -> dict[str, object]:
    """A count with its first identifiers in JSON."""
    return {"count": found.count, "first": list(found.first)} | ({"example": found.example} if found.example else {})


def counts_record(counts: Counts) -> dict[str, object]:
    """Counts in JSON."""
    return {
        "n_total": counts.n_total,
        "n_scored": counts.n_scored,
        "n_invalid": counts.n_invalid,
        "n_decided": counts.decided,
        "n_unknown": counts.unknown,
        "missing": named_record(counts.missing),
        "repeated": named_record(counts.repeated),
        "rescaled": named_record(counts.rescaled) | {"largest_off": counts.largest_off},
        "invalid_probabilities": {key: named_record(found) for key, found in counts.invalid_probabilities.items()},
        "invalid_decisions": {key: named_record(found) for key, found in counts.invalid_decisions.items()},
    }
