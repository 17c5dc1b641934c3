"""``pbn decode``: a memo back to its attributes, and what they say of the outcome."""

from __future__ import annotations

from collections.abc import Iterator

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.answer import answer_parts, answer_record
from pbn.cli.arguments import budget_option, json_option, level_option, load_world, question_option, world_argument
from pbn.cli.files import read_input, shown_name
from pbn.cli.memo import level_of
from pbn.cli.terminal import heading, show, show_json, table
from pbn.exact.engine import Posterior
from pbn.text.decode import Decoded
from pbn.world import World

EXAMPLES = """\b
Example:
  pbn memo credit_risk --level medium --row 7 | pbn decode credit_risk --level medium -"""


@click.command("decode", short_help="Read a memo back: its attributes, and the posterior.", epilog=EXAMPLES)
@world_argument
@click.argument("file", metavar="FILE|-")
@level_option
@question_option
@json_option
@budget_option
def decode_command(
    world_name: str, file: str, level: str | None, question: str | None, as_json: bool, budget: int | None
) -> None:
    """Read a memo of the world strictly, and answer its question exactly from what it tells.

    The text must be a memo of the level, to the last byte; the error names the attribute that is missing,
    repeated or malformed, and where. Besides the question at its end, or all of them, --question names one.
    """
    world = load_world(world_name, budget)
    memo = world.memo(level_of(world, level))
    name = memo.template.level
    asked = [world.question(question).name] if question is not None else None
    text = read_input(file)
    decoded = memo.decoded(text.removesuffix("\n"), file=shown_name(file))
    if asked is None:
        asked = list(world.questions) if decoded.question is None else [decoded.question]
    answers = {one: world.posterior(decoded.attributes, name, question=one) for one in asked}
    if as_json:
        records = {one: answer_record(world, answer, decoded.attributes, name) for one, answer in answers.items()}
        show_json({"world": world.name, "level": name, "attributes": dict(decoded.attributes), "answers": records})
        return
    show(*_display(world, name, decoded, answers))


def _display(world: World, level: str, decoded: Decoded, answers: dict[str, Posterior]) -> Iterator[RenderableType]:
    yield heading(world.name, f"memo of level {level}")
    yield ""
    listed = table("attribute", "state", narrow=["attribute"])
    for name, state in decoded.attributes.items():
        listed.add_row(name, state)
    yield listed
    for question, answer in answers.items():
        yield ""
        yield Text(world.questions[question].text, style="italic")
        yield from answer_parts(world, answer, decoded.attributes, level, show_given=False)
