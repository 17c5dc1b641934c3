"""``pbn sample``: a data set drawn from a world, with its truth."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.text import Text

from pbn.cases.dataset import PART_ROWS, DatasetPlan, make_dataset
from pbn.cases.formats import FORMATS, Format
from pbn.cases.records import Contents
from pbn.cases.schedulers import DaskCluster, InProcess, Processes, Scheduler
from pbn.check.checking import SEED
from pbn.cli.arguments import names_option, question_option, world_argument
from pbn.cli.numerals import size_text
from pbn.cli.terminal import progress, show
from pbn.errors import Fault, QueryError
from pbn.loading import NETWORK_SUFFIXES, find_world

EXAMPLES = """\b
Examples:
  pbn sample credit_risk --level all -n 1500 --seed 2032 -o data/
  pbn sample peer_review -n 100_000_000 --workers 2 -o big/"""


class Count(click.ParamType):  # type: ignore[type-arg]
    """A whole number, with or without _ between its digits."""

    name = "count"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value).replace("_", "").replace(",", "")
        if text.isascii() and text.isdigit() and 1 <= len(text) <= 18:
            return int(text)
        self.fail(f"{str(value)[:40]!r} is no whole number", param, ctx)


COUNT = Count()


@click.command("sample", short_help="Draw a data set that carries its truth.", epilog=EXAMPLES)
@world_argument
@click.option("-n", "--rows", type=COUNT, required=True, metavar="N", help="Rows to draw.")
@click.option("-o", "--out", "root", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder.")
@names_option("--level", "Levels to write, or all (the default).")
@click.option("--seed", type=COUNT, default=SEED, show_default=True, metavar="N", help="Seed of the rows.")
@click.option("--start", type=COUNT, default=0, show_default=True, metavar="N", help="The first row.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="parquet", show_default=True, help="Format of the files."
)
@click.option("--no-memo", is_flag=True, help="Leave the texts out.")
@question_option
@click.option(
    "--workers", type=click.IntRange(1), metavar="N", help="Processes that draw (default: one for each core)."
)
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler, such as tcp://127.0.0.1:8786.")
@click.option("--part-rows", type=COUNT, default=PART_ROWS, show_default=True, metavar="N", help="Rows of one part.")
def sample_command(
    world_name: str,
    rows: int,
    root: Path,
    level: tuple[str, ...],
    seed: int,
    start: int,
    form: Format,
    no_memo: bool,
    question: str | None,
    workers: int | None,
    scheduler: str | None,
    part_rows: int,
) -> None:
    """Draw rows of a world into the folder DIR: what a model may see, the labels, and the truth.

    Each level has a file of cases: identifier, visible attributes and memo, nothing else. Labels and truth, with
    P(Y | x_vis) of every case, stand in files of their own and are joined by the identifier.

    Row i depends on the world's law, the seed and i alone, so any number of workers writes the same bytes. A run
    that was stopped goes on where it was when the same command is given again.
    """
    if scheduler is not None and workers is not None:
        message = "--scheduler and --workers both say who draws"
        raise QueryError(Fault(code="cli/which-workers", message=message, hint="give one of them"))
    plan = _plan(world_name, level, rows, seed, start, form, not no_memo, question, part_rows)
    made_by = _scheduler(plan.part_count, workers, scheduler)
    with progress() as shown:
        task = shown.add_task(plan.records.world.name, total=rows)
        manifest = make_dataset(plan, root, scheduler=made_by, advance=lambda done: shown.advance(task, done))
    size = sum(file["bytes"] for file in manifest["files"])
    show(
        Text(f"{root}: {rows:,} rows of {manifest['world']}, seed {seed}"),
        Text(
            f"  levels {', '.join(manifest['levels'])}; {len(manifest['files'])} files, {size_text(size)}", style="dim"
        ),
        Text(f"  law {manifest['law_digest'][:16]}…, listed in manifest.json", style="dim"),
    )


def _plan(
    world_name: str,
    level: tuple[str, ...],
    rows: int,
    seed: int,
    start: int,
    form: Format,
    memo: bool,
    question: str | None,
    part_rows: int,
) -> DatasetPlan:
    path = find_world(world_name)
    if path.suffix.lower() in NETWORK_SUFFIXES:
        message, hint = f"{path} is a network file", f"pbn convert {path} {path.stem}.yaml makes a world file of it"
        raise QueryError(Fault(code="cases/network-file", message=message, hint=hint))
    from pbn.loading import load
    from pbn.spec.source import read_file

    read_file(path)  # tells what is wrong with the file itself
    source = path.read_text(encoding="utf-8")
    world = load(path)
    levels = tuple(world.levels) if not level or level == ("all",) else level
    for name in levels:
        world.level(name)
    if question is not None:
        world.question(question)
    has_memo = world.spec is not None and world.spec.memo is not None
    contents = Contents(levels=tuple(dict.fromkeys(levels)), memo=memo and has_memo, question=question)
    return DatasetPlan(
        source=source, seed=seed, start=start, stop=start + rows, contents=contents, form=form, part_rows=part_rows
    )


def _scheduler(parts: int, workers: int | None, scheduler: str | None) -> Scheduler:
    if scheduler is not None:
        return DaskCluster(scheduler)
    count = min(workers or os.cpu_count() or 1, parts)
    return InProcess() if count == 1 else Processes(count)
