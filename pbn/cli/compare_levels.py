"""``pbn compare-levels``: what each hiding level leaves uncertain, and what hiding each variable costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pbn.cli.arguments import budget_option, json_option, load_world, question_option, world_argument
from pbn.cli.numerals import decimal, fraction_lines, fraction_text
from pbn.cli.terminal import heading, progress, show, show_json, table, table_room
from pbn.comparison import Comparison, HiddenCost, LevelFigures, compare_levels
from pbn.errors import listing
from pbn.world import World


@click.command("compare-levels", short_help="Show what each hiding level leaves uncertain, and what hiding costs.")
@world_argument
@question_option
@json_option
@budget_option
def compare_levels_command(world_name: str, question: str | None, as_json: bool, budget: int | None) -> None:
    """Compare a world's hiding levels, for one question or for all.

    For each level: the Bayes error ε*, its rise from the finer level, H(Y|X), and I(Y;X) = H(Y) − H(Y|X) in
    nats. For each variable that a level hides: by how much ε* rises when it alone is hidden from the finest
    level, and when it is hidden after those before it.
    """
    world = load_world(world_name, budget)
    asked = [world.question(question).name] if question else list(world.questions) or [world.question().name]
    found = []
    with progress() as shown:
        for name in shown.track(asked, description=world.name):
            found.append(compare_levels(world, name))
    if as_json:
        show_json([_record(world, compared) for compared in found])
        return
    for compared in found:
        show(*_display(world, compared), "")


def _display(world: World, compared: Comparison) -> Iterator[RenderableType]:
    yield heading(world.name, f"question {compared.question}, H(Y) = {compared.prior_entropy:.6f} nats")
    yield from _numbers(
        ["level", "ε*", "rise of ε*", "H(Y|X) nats", "I(Y;X) nats"],
        [
            [entry.level, decimal(entry.error), _signed(entry.rise), f"{entry.entropy:.6f}", f"{entry.information:.6f}"]
            for entry in compared.levels
        ],
        ["exact ε*", "exact rise"],
        [[entry.error, entry.rise] for entry in compared.levels],
    )
    if not compared.hidden:
        yield Text("no level hides what a finer one shows", style="dim")
        return
    yield ""
    yield from _numbers(
        ["hidden", "at level", "alone", "in order", "so far"],
        [
            [cost.variable, cost.level, _signed(cost.alone), _signed(cost.in_order), _signed(cost.total)]
            for cost in compared.hidden
        ],
        ["exact alone", "exact in order"],
        [[cost.alone, cost.in_order] for cost in compared.hidden],
    )
    yield ""
    yield Text(
        "alone: the rise of ε* when nothing else is hidden from the finest level; in order: when it is hidden "
        "after those above it",
        style="dim",
    )
    for entry in compared.levels:
        if entry.shows:
            yield Text(
                f"{entry.level} shows {listing(entry.shows)} instead, before it hides {listing(entry.hides)}",
                style="dim",
            )


def _signed(difference: Fraction | None) -> str:
    if difference is None:
        return "—"
    if difference == 0:
        return "0"
    return decimal(difference) if difference < 0 else f"+{decimal(difference)}"


def _numbers(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    exact_columns: Sequence[str],
    exact: Sequence[Sequence[Fraction | None]],
) -> Iterator[Table | str]:
    """Decimals with their fractions beside them, or in a table below where the terminal is too narrow."""
    texts = [["—" if number is None else fraction_text(number) for number in line] for line in exact]
    if _fits(columns, rows, exact_columns, texts):
        yield _filled([*columns, *exact_columns], [[*row, *text] for row, text in zip(rows, texts, strict=True)])
        return
    yield _filled(columns, rows)
    yield ""
    names = [row[0] for row in rows]
    room = max((table_room([[name, ""] for name in names], [columns[0], ""]) - 3) // len(exact_columns), 1)
    lines = [[name, *(fraction_lines(text, room) for text in line)] for name, line in zip(names, texts, strict=True)]
    yield _filled([columns[0], *exact_columns], lines)


def _fits(
    columns: Sequence[str], rows: Sequence[Sequence[str]], exact_columns: Sequence[str], texts: Sequence[Sequence[str]]
) -> bool:
    widest = [max(map(len, cells)) for cells in zip(exact_columns, *texts, strict=True)]
    return sum(widest) + 3 * (len(widest) - 1) <= table_room(rows, columns)


def _filled(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    made = table(*columns)
    for row in rows:
        made.add_row(*row)
    return made


def _record(world: World, compared: Comparison) -> dict[str, object]:
    return {
        "world": world.name,
        "question": compared.question,
        "prior_entropy": compared.prior_entropy,
        "levels": [_level_record(entry) for entry in compared.levels],
        "hidden": [_cost_record(cost) for cost in compared.hidden],
    }


def _level_record(entry: LevelFigures) -> dict[str, object]:
    return {
        "level": entry.level,
        "bayes_error": _number(entry.error),
        "rise": _number(entry.rise),
        "entropy": entry.entropy,
        "information": entry.information,
        "hides": list(entry.hides),
        "shows": list(entry.shows),
    }


def _cost_record(cost: HiddenCost) -> dict[str, object]:
    return {
        "variable": cost.variable,
        "level": cost.level,
        "alone": _number(cost.alone),
        "in_order": _number(cost.in_order),
        "total": _number(cost.total),
    }


def _number(number: Fraction | None) -> dict[str, object] | None:
    return None if number is None else {"value": float(number), "exact": fraction_text(number)}
