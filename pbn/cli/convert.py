"""`pbn convert`: networks and worlds from one file format to another."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from pbn.cli.arguments import PATH, budget_option, level_option, load_world, question_option, world_argument
from pbn.cli.terminal import show
from pbn.errors import Fault, QueryError
from pbn.loading import write_world

EXAMPLES = """\b
Examples:
  pbn convert alarm.bif alarm.yaml --question HYPOVOLEMIA --renormalise
  pbn convert credit_risk credit_risk.xml --level low"""


@click.command("convert", short_help="Write a world or network in another file format.", epilog=EXAMPLES)
@world_argument
@click.argument("target", type=PATH, metavar="FILE")
@level_option
@question_option
@click.option("--force", is_flag=True, help="Overwrite FILE where there is one.")
@budget_option
def convert_command(
    world_name: str, target: Path, level: str | None, question: str | None, force: bool, budget: int | None
) -> None:
    """Write a world or a network file as FILE; its ending says in which format.

    A world file (.yaml) needs questions: --question makes one for a network that has none. With --level,
    partial sums take that level's visible terms first. What had to change, such as names, is listed.
    """
    if target.exists() and not force:
        raise QueryError(
            Fault(code="cli/file-exists", message=f"there is a file {target} already", hint="--force overwrites it")
        )
    notes = write_world(load_world(world_name, budget), target, level=level, question=question)
    show(Text(f"wrote {target}"), *(Text(f"  {note}", style="dim") for note in notes))
