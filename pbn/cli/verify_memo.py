"""``pbn verify-memo``: whether a memo that somebody else wrote tells what it should."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import budget_option, json_option, level_option, load_world, world_argument
from pbn.cli.files import read_input, shown_name
from pbn.cli.memo import level_of
from pbn.cli.terminal import heading, show, show_json, table
from pbn.errors import Fault, QueryError, listing
from pbn.text.verify import CAUTION, Verification, verify

FAILED = 1


@click.command("verify-memo", short_help="Test a memo that somebody else wrote.")
@world_argument
@click.argument("file", metavar="FILE|-")
@click.option("--attributes", required=True, metavar="FILE.json", help="What the memo should tell: {variable: state}.")
@level_option
@json_option
@budget_option
@click.pass_context
def verify_memo_command(
    context: click.Context,
    world_name: str,
    file: str,
    attributes: str,
    level: str | None,
    as_json: bool,
    budget: int | None,
) -> None:
    """Search a memo by anybody, a language model say, for the world's phrases and numbers.

    It passes where the search gives exactly the attributes, and no phrase of a hidden one occurs. That does not
    prove that the text leaks nothing. The exit code is 1 where it does not pass.
    """
    world = load_world(world_name, budget)
    memo = world.memo(level_of(world, level))
    found = verify(memo, read_input(file), read_attributes(attributes))
    if as_json:
        show_json(_record(world.name, memo.template.level, found))
    else:
        show(*_display(world.name, memo.template.level, shown_name(file), found))
    if not found.passed:
        context.exit(FAILED)


def read_attributes(name: str) -> dict[str, object]:
    """Attributes from a JSON file; numbers keep their digits.

    Raises
    ------
    QueryError
        It is no JSON, or no map of variables to states.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise QueryError(Fault(code="cli/attributes", message=f"{shown_name(name)} gives {key[:60]} twice"))
            found[key] = value
        return found

    try:
        read = json.loads(read_input(name), parse_float=str, parse_int=str, object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        message = f"{shown_name(name)} is no JSON: {str(error)[:200]}"
        raise QueryError(Fault(code="cli/attributes", message=message)) from None
    allowed = '{"variable": "state", …}; a list of states for a repeated variable'
    if not isinstance(read, dict):
        message = f"{shown_name(name)} holds no attributes"
        raise QueryError(Fault(code="cli/attributes", message=message, allowed=allowed))
    for key, value in read.items():
        if not isinstance(value, (str, list)):
            message = f"{shown_name(name)}: {key[:60]} is no state"
            found = json.dumps(value)[:60]
            raise QueryError(Fault(code="cli/attributes", message=message, found=found, allowed=allowed))
    return read


def _display(world: str, level: str, file: str, found: Verification) -> Iterator[RenderableType]:
    yield heading(world, f"{file}, level {level}")
    yield ""
    listed = table("", "attribute", "should be", "found", narrow=["", "attribute"])
    for name, state in found.expected.items():
        told, good = _told(found, name), found.found.get(name) == state
        listed.add_row(Text("✓" if good else "✗", style="green" if good else "bold red"), name, state, told)
    yield listed
    yield ""
    if found.hidden:
        for name, phrases in found.hidden.items():
            yield Text(f"✗ tells {name}, which is hidden: {listing(map(repr, phrases), 4)}", style="bold red")
    else:
        yield Text("✓ no phrase of a hidden attribute occurs", style="green")
    wrong = sum(found.found.get(name) != state for name, state in found.expected.items())
    told = f"{wrong} of {len(found.expected)} attributes not told" if wrong else "tells exactly the attributes"
    if found.hidden:
        told = f"{told if wrong else 'tells all the attributes'}, and {len(found.hidden)} that the level hides"
    yield Text(f"{file}: {told}", style="green" if found.passed else "bold red")
    yield Text(CAUTION, style="dim")


def _told(found: Verification, name: str) -> str:
    if name in found.ambiguous:
        return f"ambiguous: {listing(found.ambiguous[name])}"
    if name in found.malformed:
        return f"malformed: {listing(map(repr, found.malformed[name]), 4)}"
    return found.found.get(name, "nothing")


def _record(world: str, level: str, found: Verification) -> dict[str, object]:
    return {
        "world": world, "level": level, "passed": found.passed, "agrees": found.agrees,
        "expected": dict(found.expected), "found": dict(found.found), "missing": list(found.missing),
        "different": {name: {"expected": one, "found": other} for name, (one, other) in found.different.items()},
        "ambiguous": {name: list(states) for name, states in found.ambiguous.items()},
        "malformed": {name: list(texts) for name, texts in found.malformed.items()},
        "hidden": {name: list(phrases) for name, phrases in found.hidden.items()}, "caution": CAUTION,
    }  # fmt: skip
