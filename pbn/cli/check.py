"""``pbn check``: every promise of a world tested, with pass, fail or skipped, and its figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pbn.check import Report, Result, planned_checks
from pbn.check.checking import SAMPLES, SEED
from pbn.check.text import text_proof
from pbn.cli.arguments import WORLD, budget_option, json_option, load_world, question_option, renormalise_option
from pbn.cli.terminal import heading, progress, show, show_json, table, table_room
from pbn.errors import PbnError
from pbn.loading import shipped_worlds
from pbn.world import World

FAILED, NOT_PROVED = 1, 3
"""Exit codes where a promise is not kept, and where none is broken but some was not tested."""
LEAST_DETAIL = 36
"""Columns that the last column needs to be shown."""

MARKS = {"pass": ("✓", "green"), "fail": ("✗", "bold red"), "skipped": ("–", "bold yellow")}
PARTS = {
    "soundness": "soundness",
    "condition 1": "condition 1: no leak",
    "condition 2": "condition 2: no loss",
    "claim": "claims of the file",
}


@click.command("check", short_help="Test every promise of a world.")
@click.argument("world_names", type=WORLD, nargs=-1, metavar="[WORLD]...")
@click.option(
    "--samples",
    type=click.IntRange(1, 10**6),
    default=SAMPLES,
    show_default=True,
    metavar="N",
    help="Cases drawn for each check that draws any.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=SEED, show_default=True, metavar="N", help="Seed of the drawn cases."
)
@click.option("--proof", is_flag=True, help="Print the proof of each level's text below the table.")
@click.option("--allow-skips", is_flag=True, help="Exit with 0, not 3, where promises were skipped and none is broken.")
@question_option
@renormalise_option
@json_option
@budget_option
@click.pass_context
def check_command(
    context: click.Context,
    world_names: tuple[str, ...],
    samples: int,
    seed: int,
    proof: bool,
    allow_skips: bool,
    question: str | None,
    as_json: bool,
    budget: int | None,
) -> None:
    """Test every promise of the worlds named, or of all that ship.

    Soundness is tested of any world: exact probabilities, total rules, nested levels, nothing visible that must
    not be, closed forms, and posteriors by two engines. Besides, each claim that the file makes.

    What costs more than the budget is skipped and named, and the verdict is then "not proved". The exit code is 1
    where a promise is broken, 2 where a world cannot be loaded, 3 where a promise was skipped, else 0.

    With --question only what concerns that question is tested; it may be any node of a network file.
    """
    reports: list[Report] = []
    errors: list[PbnError] = []
    for name in world_names or shipped_worlds():
        try:
            world = load_world(name, budget)
            report = _report(world, question, samples, seed)
        except PbnError as error:
            errors.append(error)
            continue
        reports.append(report)
        if not as_json:
            show(*_display(report), "")
            if proof and world.spec is not None and world.spec.memo is not None:
                show(*(f"{text_proof(world, level, samples=samples, seed=seed)}\n" for level in world.levels))
    if as_json:
        show_json([report.to_dict() for report in reports])
    if errors:
        raise PbnError(*dict.fromkeys(fault for error in errors for fault in error.faults))
    verdicts = {report.verdict for report in reports}
    if "broken" in verdicts:
        context.exit(FAILED)
    if "not proved" in verdicts and not allow_skips:
        context.exit(NOT_PROVED)


def _report(world: World, question: str | None, samples: int, seed: int) -> Report:
    if question is not None:
        asked = world.question(question)
        question = asked.name
        world = world if world.questions else replace(world, questions={question: asked})
    checks = [
        check
        for check in planned_checks(world, seed=seed, samples=samples)
        if question is None or check.question in (None, question)
    ]
    results = []
    with progress() as shown:
        task = shown.add_task(world.name, total=len(checks))
        for check in checks:
            shown.update(task, description=f"{world.name}  {check.name}")
            results.append(check.run())
            shown.advance(task)
    return Report(world=world.name, title=world.title, seed=seed, samples=samples, results=tuple(results))


# -- showing -------------------------------------------------------------------------------------


def _display(report: Report) -> Iterator[RenderableType]:
    yield heading(report.world, report.title)
    yield _table(report)
    wrong = [*report.failures, *report.skipped]
    if wrong:
        yield ""
    for result in wrong:
        mark, style = MARKS[result.outcome]
        subject = f" ({result.subject})" if result.subject else ""
        yield Text.assemble((f"{mark} {result.name}{subject}: ", style), result.detail)
    yield ""
    yield _summary(report)


def _summary(report: Report) -> Text:
    """One line: how many promises are kept, and how many are not or were not tested."""
    failed, left = len(report.failures), len(report.unproved)
    kept = sum(result.outcome == "pass" for result in report.results)
    if report.passed:
        return Text(f"{report.world}: all {kept} promises are kept", style="green")
    counts = [
        f"{kept} of {kept + failed + left} promises are kept",
        *[f"{failed} failed"] * bool(failed),
        *[f"{left} skipped"] * bool(left),
    ]
    verdict = "" if failed else ": not proved"
    return Text(f"{report.world}: {', '.join(counts)}{verdict}", style="bold red" if failed else "bold yellow")


def _table(report: Report) -> Table:
    """A row for each result; those of one kind that say the same share a row."""
    several = len({result.question for result in report.results if result.question}) > 1
    rows = [
        (
            part,
            [row for _, same in groupby(results, key=lambda result: result.name) for row in _rows(list(same), several)],
        )
        for part, results in groupby(report.results, key=lambda result: result.part)
    ]
    cells = [[*row[0], row[1].figure] for _, listed in rows for row in listed]
    columns = ["", "check", "of", "figure"]
    detailed = table_room(cells, columns) >= LEAST_DETAIL
    made = table(*columns, *["how"] * detailed, narrow=["", "check"])
    for part, listed in rows:
        made.add_row("", Text(PARTS[part], style="bold"))
        for (mark, name, subject), result in listed:
            style = MARKS[result.outcome][1]
            figure = Text(result.figure, style="" if result.outcome == "pass" else style)
            how = Text(result.detail if result.outcome == "pass" else "", style="dim")
            made.add_row(Text(mark, style=style), name, subject, figure, *[how] * detailed)
    return made


def _rows(results: Sequence[Result], several: bool) -> Iterator[tuple[tuple[str, str, str], Result]]:
    """Rows of one kind of check: all in one, one for each question, or one for each result."""
    name = results[0].name
    if len(results) > 1 and _alike(results):
        groups = [(f"all {len(results)}", list(results))]
    else:
        groups = []
        for question, group in groupby(results, key=lambda result: result.question):
            same = list(group)
            told = question if several and question else ""
            if len(same) > 1 and _alike(same):
                groups.append((", ".join(filter(None, [told, f"all {len(same)}"])), same))
            else:
                groups += [(", ".join(filter(None, [told, result.level])), [result]) for result in same]
    for subject, same in groups:
        detail = same[0].detail if len({result.detail for result in same}) == 1 else ""
        yield (MARKS[same[0].outcome][0], name, subject), replace(same[0], detail=detail)
        name = ""


def _alike(results: Sequence[Result]) -> bool:
    return all(result.outcome == "pass" for result in results) and len({result.figure for result in results}) == 1
