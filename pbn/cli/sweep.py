"""``pbn sweep``: ε* of every level while one number of a world changes."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import (
    PATH,
    budget_option,
    json_option,
    load_world,
    names_option,
    question_option,
    world_argument,
)
from pbn.cli.numerals import decimal, fraction_text
from pbn.cli.terminal import heading, progress, show, show_json, show_text, table, table_room
from pbn.errors import BudgetError, Fault, QueryError, nearest
from pbn.network.formats.files import write_bytes
from pbn.spec.numerals import decimal as numeral
from pbn.tuning.crew import MOST_WORKERS
from pbn.tuning.rows import SweepRow
from pbn.tuning.sweeps import Sweep, sweep
from pbn.tuning.values import swept_values

PICTURES = ("svg", "png", "pdf")
COLUMNS = ("value", "exact_value", "question", "level", "bayes_error", "exact_bayes_error", "entropy", "prior",
           "exact_prior", "refused")  # fmt: skip

EXAMPLES = """\b
Examples:
  pbn sweep credit_risk --residual 0:0.6:0.05
  pbn sweep peer_review --parameter bonus=0:1.2:0.2 --level medium,high
  pbn sweep credit_risk --residual 0:1:0.02 -o noise.svg -o noise.csv"""


@click.command("sweep", short_help="Show how Bayes errors change with one number of a world.", epilog=EXAMPLES)
@world_argument
@click.option("--residual", metavar="VALUES", help="Change how often the residual is not neutral, from 0 to 1.")
@click.option("--parameter", metavar="NAME=VALUES", help="Change one of the file's named parameters.")
@click.option("--variable", metavar="NAME", help="Which residual, where the world has several.")
@names_option("--level", "Only these levels.")
@question_option
@click.option(
    "-o",
    "--output",
    "outputs",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="Write .csv, or a picture as .svg, .png or .pdf; may be given several times.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV; fractions are strings.")
@json_option
@click.option("--dark", is_flag=True, help="Draw light on dark.")
@click.option("--force", is_flag=True, help="Overwrite FILE where there is one.")
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Processes (default: one for each core, where that pays).",
)
@budget_option
def sweep_command(
    world_name: str,
    residual: str | None,
    parameter: str | None,
    variable: str | None,
    level: tuple[str, ...],
    question: str | None,
    outputs: tuple[Path, ...],
    as_csv: bool,
    as_json: bool,
    dark: bool,
    force: bool,
    workers: int | None,
    budget: int | None,
) -> None:
    """Show the exact ε*, H(Y|X) and the prior at every level while one number changes.

    VALUES are first:last:step, the last included where a step meets it, or numbers with commas. A number is 0.05,
    3/4 or 1e-3, and is taken exactly. --residual scales what the world's residual does besides nothing.
    """
    name, text = _changed(residual, parameter)
    values = swept_values(text)
    _check_outputs(outputs, force, as_csv and as_json)
    world = load_world(world_name, budget)
    with progress() as shown:
        task = shown.add_task(world.name, total=None)
        found = sweep(
            world,
            values,
            parameter=name,
            variable=variable,
            levels=level or None,
            question=question,
            workers=workers,
            advance=lambda done, total: shown.update(task, completed=done, total=total),
        )
    for path in outputs:
        _write(found, path, dark)
    if as_json:
        show_json(_record(found))
    elif as_csv:
        show_text(_csv(found))
    else:
        show(*_display(found), *(Text(f"wrote {path}") for path in outputs))
    refused: dict[tuple[str, str], Fault] = {}
    for row in found.rows:
        if row.refused is not None:
            message = f"{row.question}, level {row.level}: {row.refused.message}"
            refused.setdefault((row.question, row.level), replace(row.refused, message=message))
    if refused:
        raise BudgetError(*refused.values())


def _changed(residual: str | None, parameter: str | None) -> tuple[str | None, str]:
    """The parameter that changes, None for the residual, and its values as text."""
    if (residual is None) == (parameter is None):
        message = "both --residual and --parameter are given" if residual else "nothing is said to change"
        hint = "give --residual 0:0.6:0.05 or --parameter NAME=0:0.6:0.05"
        raise QueryError(Fault(code="sweep/what", message=message, hint=hint))
    if parameter is None:
        return None, residual or ""
    name, sign, text = (part.strip() for part in parameter.partition("="))
    if not sign or not name:
        hint = "write --parameter NAME=first:last:step"
        raise QueryError(
            Fault(code="sweep/what", message=f"{parameter[:60]!r} names no parameter and values", hint=hint)
        )
    return name, text


def _check_outputs(outputs: Sequence[Path], force: bool, twice: bool) -> None:
    if twice:
        raise QueryError(
            Fault(code="sweep/format", message="--json and --csv exclude each other", hint="-o writes CSV")
        )
    for path in outputs:
        ending = path.suffix[1:].lower()
        if ending not in ("csv", *PICTURES):
            allowed = ", ".join(f".{kind}" for kind in ("csv", *PICTURES))
            message = f"a sweep cannot be written with the ending {path.suffix!r}"
            hint = nearest(ending, ("csv", *PICTURES))
            raise QueryError(Fault(code="sweep/format", message=message, allowed=allowed, hint=hint))
        if path.exists() and not force:
            message = f"there is a file {path} already"
            raise QueryError(Fault(code="cli/file-exists", message=message, hint="--force overwrites it"))


def _write(found: Sweep, path: Path, dark: bool) -> None:
    ending = path.suffix[1:].lower()
    if ending == "csv":
        write_bytes(path, _csv(found).encode(errors="replace"))
        return
    from pbn.pictures.curves import sweep_picture
    from pbn.pictures.look import theme

    kind: Literal["svg", "png", "pdf"] = "svg" if ending == "svg" else "png" if ending == "png" else "pdf"
    write_bytes(path, sweep_picture(found, theme(dark), kind, dark=dark))


# -- showing -------------------------------------------------------------------------------------


def _display(found: Sweep) -> Iterator[RenderableType]:
    own = f"the world's own value is {numeral(found.own)}"
    for question in found.questions:
        yield heading(found.world, f"question {question}, while {found.subject} changes; {own}")
        columns, rows = _wide(found, question)
        if table_room(rows, columns) < 0:
            columns, rows = _long(found, question)
        listed = table(*columns, narrow=columns)
        for row in rows:
            listed.add_row(*row)
        yield listed
        yield ""
    yield Text("ε* is exact: --json and --csv print its fractions; H is H(Y|X) in nats", style="dim")


def _wide(found: Sweep, question: str) -> tuple[list[str], list[list[str]]]:
    """A row for each value, two columns for each level."""
    lines = [found.line(question, level) for level in found.levels]
    several = [row.prior for line in lines for row in line]
    prior = any(p is not None for p in several)
    columns = [_subject(found), *["prior"] * prior]
    columns += [f"ε* {level}" for level in found.levels] + [f"H {level}" for level in found.levels]
    rows = []
    for k, value in enumerate(found.values):
        at = [line[k] for line in lines]
        known = next((row.prior for row in at if row.prior is not None), None)
        cells = [numeral(value), *["—" if known is None else decimal(known)] * prior]
        rows.append([*cells, *(_error(row) for row in at), *(_entropy(row) for row in at)])
    return columns, rows


def _long(found: Sweep, question: str) -> tuple[list[str], list[list[str]]]:
    """A row for each level and value."""
    rows = [
        [row.level, numeral(row.value), "—" if row.prior is None else decimal(row.prior), _error(row), _entropy(row)]
        for level in found.levels
        for row in found.line(question, level)
    ]
    return ["level", _subject(found), "prior", "ε*", "H"], rows


def _subject(found: Sweep) -> str:
    return found.parameter if found.parameter is not None else "mass"


def _error(row: SweepRow) -> str:
    return "over budget" if row.error is None else decimal(row.error)


def _entropy(row: SweepRow) -> str:
    return "—" if row.entropy is None else f"{row.entropy:.6f}"


def _csv(found: Sweep) -> str:
    target = io.StringIO()
    writer = csv.DictWriter(target, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for row in found.rows:
        writer.writerow({key: "" if value is None else value for key, value in _row_record(row).items()})
    return target.getvalue()


def _record(found: Sweep) -> dict[str, object]:
    return {
        "world": found.world,
        "parameter": found.parameter,
        "variable": found.variable,
        "own_value": float(found.own) if abs(found.own) < sys.float_info.max else None,
        "exact_own_value": fraction_text(found.own),
        "rows": [_row_record(row) for row in found.rows],
    }


def _row_record(row: SweepRow) -> dict[str, object]:
    return {
        "value": float(row.value),
        "exact_value": fraction_text(row.value),
        "question": row.question,
        "level": row.level,
        "bayes_error": None if row.error is None else float(row.error),
        "exact_bayes_error": None if row.error is None else fraction_text(row.error),
        "entropy": row.entropy,
        "prior": None if row.prior is None else float(row.prior),
        "exact_prior": None if row.prior is None else fraction_text(row.prior),
        "refused": None if row.refused is None else row.refused.code,
    }
