"""``pbn sample``: a data set drawn from a world, with its truth."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.text import Text

from pbn.cases.cluster import DaskCluster
from pbn.cases.dataset import make_dataset
from pbn.cases.formats import FORMATS, Format
from pbn.cases.plan import PART_ROWS, DatasetPlan
from pbn.cases.records import Contents
from pbn.cases.schedulers import KEPT, InProcess, Processes, Scheduler
from pbn.check.checking import SEED
from pbn.cli.arguments import PATH, budget_option, names_option, question_option, world_argument
from pbn.cli.main import INTERRUPTED
from pbn.cli.numerals import size_text
from pbn.cli.terminal import progress, show
from pbn.errors import Fault, QueryError
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.loading import NETWORK_SUFFIXES, find_world, world_of
from pbn.regular import read_regular
from pbn.spec.load import parse_spec
from pbn.spec.source import read_file
from pbn.world import World

EXAMPLES = """\b
Examples:
  pbn sample credit_risk --level all -n 1500 --seed 2032 -o data/
  pbn sample peer_review -n 100_000_000 --no-memo -o big/"""
MOST_WORKERS = 256

Command = TypeVar("Command", bound=Callable[..., Any])
_NUMBER = re.compile(r"\d+(_\d+)*|\d{1,3}(,\d{3})+", re.ASCII)


class Count(click.ParamType):  # type: ignore[type-arg]
    """A whole number, with or without _ between its digits."""

    name = "count"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        text = str(value)
        if len(text) <= 40 and _NUMBER.fullmatch(text):
            return int(text.replace("_", "").replace(",", ""))
        self.fail(f"{text[:40]!r} is no whole number from 0 on, such as 1500 or 1_000_000", param, ctx)


COUNT = Count()


def workers_option(command: Command) -> Command:
    """``--workers N``."""
    return click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        metavar="N",
        help="Processes that compute (default: one for each core, if there is enough to do).",
    )(command)


@click.command("sample", short_help="Draw a data set that carries its truth.", epilog=EXAMPLES)
@world_argument
@click.option("-n", "--rows", type=COUNT, required=True, metavar="N", help="Rows to draw, in all.")
@click.option("-o", "--out", "root", type=PATH, required=True, metavar="DIR", help="The folder.")
@names_option("--level", "Levels to write, or all (the default).")
@click.option("--seed", type=COUNT, default=SEED, show_default=True, metavar="N", help="Seed of the rows.")
@click.option("--start", type=COUNT, default=0, show_default=True, metavar="N", help="The first row.")
@click.option(
    "--format", "form", type=click.Choice(FORMATS), default="parquet", show_default=True, help="Format of the files."
)
@click.option("--no-memo", is_flag=True, help="Leave the texts out.")
@question_option
@workers_option
@click.option("--scheduler", metavar="ADDRESS", help="A running Dask scheduler, such as tcp://127.0.0.1:8786.")
@click.option("--part-rows", type=COUNT, default=PART_ROWS, show_default=True, metavar="N", help="Rows of one part.")
@budget_option
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
    budget: int | None,
) -> None:
    """Draw rows of a world into the folder DIR: what a model may see, the labels, and the truth.

    Each level has a file of cases: identifier, visible attributes and memo, nothing else. Labels and truth, with
    P(Y | x_vis) of every case, stand in files of their own and are joined by the identifier. A memo ends with all
    of the world's questions, or with the one that --question names.

    Row i depends on the world's law, the seed and i alone, so any number of workers writes the same bytes. A run
    that was stopped goes on where it was when the same command is given again.
    """
    if scheduler is not None and workers is not None:
        message = "--scheduler and --workers both say who draws"
        raise QueryError(Fault(code="cli/which-workers", message=message, hint="give one of them"))
    if no_memo and question is not None:
        message = "--question says how memos end, and --no-memo leaves them out"
        raise QueryError(Fault(code="cli/which-memo", message=message, hint="give one of them"))
    source, world = _world(world_name, DEFAULT_BUDGET if budget is None else budget)
    plan = DatasetPlan(
        source=source,
        seed=seed,
        start=start,
        stop=start + rows,
        contents=Contents(levels=_levels(world, level), memo=not no_memo, question=question),
        form=form,
        part_rows=part_rows,
        budget=world.budget,
    )
    _check_memo(world, plan.contents)
    made_by = DaskCluster(scheduler) if scheduler is not None else local_scheduler(workers, plan.part_count)
    there = 0
    with progress() as shown:
        task = shown.add_task(world.name, total=rows)

        def keep(count: int) -> None:
            nonlocal there
            there = count
            shown.advance(task, count)

        try:
            manifest = make_dataset(
                plan, root, scheduler=made_by, advance=lambda count: shown.advance(task, count), kept=keep
            )
        except KeyboardInterrupt:
            shown.stop()
            click.echo(f"stopped: {KEPT}", err=True)
            click.get_current_context().exit(INTERRUPTED)
    size = sum(file["bytes"] for file in manifest["files"])
    before = (
        "" if not there else ", all of them there already" if there == rows else f", {there:,} of them there before"
    )
    show(
        Text(f"{root}: {rows:,} rows of {world.name}, seed {seed}{before}"),
        Text(
            f"  levels {', '.join(plan.contents.levels)}; {len(manifest['files'])} files, {size_text(size)}",
            style="dim",
        ),
        Text(f"  law {manifest['law_digest'][:16]}…, listed in manifest.json", style="dim"),
    )


def _world(name: str, budget: int) -> tuple[str, World]:
    """The text of a world file, and the world that it says; the file is read once."""
    path = find_world(name)
    if path.suffix.lower() in NETWORK_SUFFIXES:
        message, hint = f"{path} is a network file", f"pbn convert {path} {path.stem}.yaml makes a world file of it"
        raise QueryError(Fault(code="cases/network-file", message=message, hint=hint))
    read_file(path)  # says what is wrong with the file itself
    data = read_regular(path)
    world = world_of(parse_spec(data, str(path)), budget)
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"), world


def _levels(world: World, names: tuple[str, ...]) -> tuple[str, ...]:
    """The levels that are named, in the world's order."""
    if not names or (names == ("all",) and "all" not in world.levels):
        return tuple(world.levels)
    if "all" in names and "all" not in world.levels:
        message, hint = "'all' stands for every level, so no other can be named with it", "--level all"
        raise QueryError(Fault(code="cli/which-level", message=message, hint=hint))
    for name in names:
        world.level(name)
    return tuple(name for name in world.levels if name in names)


def _check_memo(world: World, contents: Contents) -> None:
    assert world.spec is not None
    if contents.memo and world.spec.memo is None:
        message, hint = f"{world.name} has no memo, so its cases have no text", "leave the texts out: --no-memo"
        raise QueryError(Fault(code="text/no-memo", message=message, hint=hint))
    if contents.question is not None:
        world.question(contents.question)


def local_scheduler(workers: int | None, parts: int) -> Scheduler:
    """Who draws on this machine; by default a process for each core, if there are two parts for each of them."""
    count = min(workers or _cores(), parts if workers else max(1, parts // 2))
    return InProcess() if count == 1 else Processes(count)


def _cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
