"""``pbn draw``: who depends on whom, as a drawing, and why two variables are dependent or separated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import PATH, budget_option, json_option, level_option, load_world, world_argument
from pbn.cli.terminal import heading, show, show_json, table
from pbn.errors import Fault, QueryError, listing
from pbn.network.trails import MOST_TRAILS, Connection, Trail
from pbn.world import World

MOST_REASONS = 6

EXAMPLES = """\b
Examples:
  pbn draw credit_risk --level medium -o graph.svg
  pbn draw credit_risk --level medium --path cash_buffer default
  pbn draw alarm.bif -o alarm.pdf --dark"""


@click.command("draw", short_help="Draw who depends on whom, or say why two variables do.", epilog=EXAMPLES)
@world_argument
@level_option
@click.option(
    "-o",
    "--output",
    type=PATH,
    metavar="FILE",
    help="The drawing; .svg, .png, .pdf, .dot or .mmd says in which format.",
)
@click.option("--path", "ends", nargs=2, metavar="A B", help="Say why two variables are dependent or separated.")
@click.option("--trails", "most", type=int, help=f"How many trails --path lists (default: {MOST_TRAILS}).")
@click.option("--rules", is_flag=True, help="Draw the steps of rules too, which are folded otherwise.")
@click.option("--dark", is_flag=True, help="Draw light on dark.")
@click.option("--force", is_flag=True, help="Overwrite FILE where there is one.")
@json_option
@budget_option
def draw_command(
    world_name: str,
    level: str | None,
    output: Path | None,
    ends: tuple[str, str] | None,
    most: int | None,
    rules: bool,
    dark: bool,
    force: bool,
    as_json: bool,
    budget: int | None,
) -> None:
    """Draw a world: its variables with what a level shows and hides, and what leads to what.

    --path asks whether what the level shows d-separates two variables, and lists the trails that say why;
    with -o the drawing marks them. Without --level all attributes count as shown.
    """
    _check_use(output, ends, force)
    _check_used("--path A B", ends, {"--json": as_json, "--trails": most is not None})
    _check_used("-o FILE", output, {"--rules": rules, "--dark": dark, "--force": force})
    from pbn.pictures.draw import draw_world, drawing_format, explain

    if output is not None:
        drawing_format(output)
    world = load_world(world_name, budget)
    found = explain(world, *ends, level, MOST_TRAILS if most is None else most) if ends else None
    if output is not None:
        draw_world(world, output, level, rules=rules, dark=dark, found=found)
    if found is not None and as_json:
        show_json(_record(world, found, level) | ({"file": str(output)} if output else {}))
        return
    if found is not None:
        show(*_explanation(world, found, level))
    if output is not None:
        show(*([""] if found else []), Text(f"wrote {output}"))


def _check_use(output: Path | None, ends: tuple[str, str] | None, force: bool) -> None:
    if output is None and ends is None:
        raise QueryError(
            Fault(
                code="cli/draw-nothing",
                message="neither a drawing nor an explanation is asked for",
                hint="-o FILE.svg draws, --path A B explains",
            )
        )
    if output is not None and output.exists() and not force:
        raise QueryError(
            Fault(code="cli/file-exists", message=f"there is a file {output} already", hint="--force overwrites it")
        )


def _check_used(wanted: str, there: object, options: Mapping[str, bool]) -> None:
    """Refuse options that say something of what is not asked for."""
    useless = [option for option, given in options.items() if given]
    if there is None and useless:
        message = f"{useless[0]} does nothing without {wanted.split()[0]}"
        raise QueryError(Fault(code="cli/draw-option", message=message, hint=f"add {wanted}"))


def _explanation(world: World, found: Connection, level: str | None) -> Iterator[RenderableType]:
    where = f"level {level}" if level else "all attributes"
    yield heading(world.name, f"{found.one} and {found.other}, {where}")
    verdict = ("separated", "bold green") if found.separated else ("dependent", "bold yellow")
    yield Text.assemble(verdict, f", given {_given(found)}")
    for name in (found.one, found.other):
        if name in world.visible(level):
            yield Text(f"{name} is shown itself; it is left out of what is given", style="dim")
    yield ""
    if not found.trails:
        yield Text("no trail joins them")
        return
    listed = table("blocked trail" if found.separated else "active trail", "why")
    for trail in found.trails:
        listed.add_row(str(trail), _reasons(trail))
    yield listed
    if found.more:
        number = f"{len(found.trails)} " if len(found.trails) > 1 else ""
        yield Text(f"the {number}shortest; there are more (--trails)", style="dim")


def _given(found: Connection) -> str:
    if not found.given:
        return "nothing"
    return f"{len(found.given)} variable{'s' if len(found.given) > 1 else ''}: {listing(found.given)}"


def _reasons(trail: Trail) -> str:
    """What blocks a blocked trail; what keeps an active one open."""
    told = [junction for junction in trail.junctions if trail.active or not junction.open]
    lines = [f"{junction.node}: {junction.reason}" for junction in told[:MOST_REASONS]]
    if len(told) > MOST_REASONS:
        lines.append(f"… and {len(told) - MOST_REASONS} more nodes")
    return "\n".join(lines) or "an edge joins them"


def _record(world: World, found: Connection, level: str | None) -> dict[str, object]:
    return {
        "world": world.name,
        "level": level,
        "one": found.one,
        "other": found.other,
        "given": list(found.given),
        "separated": found.separated,
        "trails": [
            {
                "text": str(trail),
                "nodes": list(trail.nodes),
                "edges": [list(edge) for edge in trail.edges],
                "active": trail.active,
                "junctions": [
                    {"node": each.node, "kind": each.kind, "open": each.open, "given": each.given, "why": each.reason}
                    for each in trail.junctions
                ],
            }
            for trail in found.trails
        ],
        "more": found.more,
    }
