"""``pbn memo``: a case as a model would read it."""

from __future__ import annotations

import click

from pbn.check.checking import SEED
from pbn.cli.arguments import (
    budget_option,
    family_values,
    json_option,
    level_option,
    load_world,
    parse_evidence,
    question_option,
    world_argument,
)
from pbn.cli.streams import visible
from pbn.cli.terminal import show_json, show_text
from pbn.errors import Fault, QueryError, listing
from pbn.world import World

EXAMPLES = """\b
Examples:
  pbn memo credit_risk --level medium --seed 2032 --row 7
  pbn memo covert_transfer --level low --row 3 | pbn decode covert_transfer --level low -"""


@click.command("memo", short_help="Write a case as text, as a model would read it.", epilog=EXAMPLES)
@world_argument
@click.argument("attributes", nargs=-1, metavar="[VARIABLE=STATE]...")
@level_option
@click.option("--seed", type=click.IntRange(0), metavar="N", help=f"Seed of the drawn rows (default {SEED}).")
@click.option("--row", type=click.IntRange(0), metavar="N", help="The drawn row that is written, from 0.")
@click.option(
    "--position", type=click.IntRange(0), metavar="N", help="Position that chooses among phrasings (default 0)."
)
@question_option
@json_option
@budget_option
def memo_command(
    world_name: str,
    attributes: tuple[str, ...],
    level: str | None,
    seed: int | None,
    row: int | None,
    position: int | None,
    question: str | None,
    as_json: bool,
    budget: int | None,
) -> None:
    """Write the memo of one case: a row drawn from the world, or a case given by its attributes.

    A row is the same at every level, whatever else is drawn; its number is its position. Of given attributes,
    those that the level hides are left out. The question at the end is --question, else all of the world's.
    """
    given = parse_evidence(attributes)
    if bool(given) == (row is not None):
        message = "a memo is of a drawn row or of given attributes, not both" if given else "no case is given"
        hint = "give --row N, or every attribute as VARIABLE=STATE"
        raise QueryError(Fault(code="cli/which-case", message=message, hint=hint))
    if row is None and seed is not None:
        raise QueryError(Fault(code="cli/which-case", message="--seed says nothing without --row", hint="add --row N"))
    if row is not None and position is not None:
        message, hint = "a row's number is its position", "leave out --position"
        raise QueryError(Fault(code="cli/which-case", message=message, hint=hint))
    world = load_world(world_name, budget)
    memo = world.memo(level_of(world, level))
    drawn = None if row is None else SEED if seed is None else seed
    case = family_values(world, given) if drawn is None or row is None else drawn_case(world, drawn, row)
    text = memo.text(case, position=position or row or 0, question=question)
    told = memo.attributes(case)
    if as_json:
        show_json(
            {
                "world": world.name, "level": memo.template.level, "seed": drawn,
                "row": row, "attributes": told, "memo": text,
            }
        )  # fmt: skip
        return
    show_text(text + "\n")
    members = {member for name in told for member in world.families.get(name, ())}
    unsaid = [name for name in given if name not in told and name not in members]
    if unsaid:
        click.echo(
            visible(f"left out, since level {memo.template.level} does not show it: {listing(unsaid)}"), err=True
        )


def drawn_case(world: World, seed: int, row: int) -> dict[str, object]:
    """All named variables of one drawn row."""
    from pbn.cases.sample import RowSampler

    codes = RowSampler(world, seed).codes(row, row + 1, world.network.named)
    return {name: world.network.variables[name].states[int(code[0])] for name, code in codes.items()}


def level_of(world: World, level: str | None) -> str:
    """The level whose memos are meant: the one named, or the only one."""
    if level is None and len(world.levels) == 1:
        return next(iter(world.levels))
    if level is None:
        message = "a memo belongs to a level, and none is named"
        allowed = listing(world.levels)
        raise QueryError(Fault(code="cli/which-level", message=message, allowed=allowed, hint="add --level NAME"))
    return level
