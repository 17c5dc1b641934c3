"""``pbn reproduce``: the published tables and figures that need no other model, ours beside theirs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import FOLDER
from pbn.cli.terminal import heading, progress, show, table
from pbn.studies.catalogue import NAMES, checked_name
from pbn.studies.reproduce import PAGE, TABLE, reproduce
from pbn.studies.study import NOT_THERE, Record
from pbn.tuning.crew import MOST_WORKERS

FAILED = 1
EXAMPLES = (
    "\b\nStudies:\n"
    + "\n".join(f"  {name:<17} {text}" for name, text in NAMES.items())
    + """

\b
Examples:
  pbn reproduce settings
  pbn reproduce snapshot --quick
  pbn reproduce --quick -o quick/
  pbn reproduce --workers 2"""
)


@click.command("reproduce", short_help="Compute the published tables and figures again.", epilog=EXAMPLES)
@click.argument("names", nargs=-1, metavar="[STUDY]...")
@click.option("--quick", is_flag=True, help="Smaller samples; figures are marked.")
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    default=Path("reproduction"),
    show_default=True,
    metavar="DIR",
    help="Where the files go.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Processes (default: one for each core, where that pays).",
)
@click.option("--force", is_flag=True, help="Run finished studies again, and overwrite files.")
@click.pass_context
def reproduce_command(
    context: click.Context, names: tuple[str, ...], quick: bool, out: Path, workers: int | None, force: bool
) -> None:
    """Compute the tables and figures of ProbabilityBench that need no other model, and compare them.

    Each study writes a CSV, a figure as PNG and PDF, and what it compares; index.html shows all of them. A study that
    the folder holds finished is not run again. The exit code is 1 where a published figure is not met.
    """
    wanted = [checked_name(name) for name in names]
    with progress() as shown:
        tasks = {name: shown.add_task(name, total=None, visible=False) for name in NAMES}

        def watch(name: str, done: int, total: int) -> None:
            shown.update(tasks[name], completed=done, total=total, visible=True)

        records = reproduce(wanted, out, quick=quick, workers=workers, force=force, watch=watch)
    for record in records:
        show(*_display(record))
    tested = [one for record in records for one in record.comparisons if one.agrees is not None]
    agreed = sum(bool(one.agrees) for one in tested)
    show(
        Text(f"{agreed} of {len(tested)} comparisons that can be tested agree", style="bold"),
        Text(f"wrote {out / PAGE}, {out / TABLE}, and for each study .csv, .png, .pdf and .json", style="dim"),
    )
    if agreed < len(tested):
        context.exit(FAILED)


def _display(record: Record) -> Sequence[RenderableType]:
    words = ["quick"] * record.quick + ["finished before"] * record.reused
    listed = table("quantity", "where", "published", "ours", "ours is", "agree", narrow=("ours is", "agree"))
    for one in record.comparisons:
        agree = {True: "yes", False: "NO", None: "—"}[one.agrees]
        said = NOT_THERE if one.published is None else one.published
        listed.add_row(one.quantity, one.where, said, one.ours, one.kind, agree)
    title = record.title + (f" ({', '.join(words)})" if words else "")
    return [heading(record.name, title), listed, ""]
