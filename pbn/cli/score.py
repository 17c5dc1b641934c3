"""``pbn score``: predictions against the truth of a data set."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import PATH
from pbn.cli.scored import (
    check_output,
    counts_lines,
    counts_record,
    interval_record,
    interval_text,
    methods_of,
    methods_text,
    named_record,
    notes_table,
    number,
    output_options,
    report,
    seed_option,
    truth_options,
)
from pbn.cli.terminal import heading, table, table_room, waiting
from pbn.scoring.items import RESAMPLES
from pbn.scoring.matching import Missing
from pbn.scoring.predictions import Predictions, read_predictions
from pbn.scoring.scores import TITLES, GroupScores, Scored, records, score_predictions
from pbn.scoring.truth import read_truth

NOTE_ROOM = 40
"""Columns that notes beside a table need; where there are fewer, they stand below it."""

EXAMPLES = """\b
Examples:
  pbn score predictions.jsonl --truth data/
  pbn score predictions.csv --truth data/truth.parquet --rows 1000:1500 -o scores.csv"""


@click.command("score", short_help="Score predictions against the truth of a data set.", epilog=EXAMPLES)
@click.argument("predictions", type=PATH, metavar="FILE")
@truth_options()
@click.option(
    "--missing",
    type=click.Choice(["unknown", "skip"]),
    default="unknown",
    show_default=True,
    help="A case without a row has an unknown decision, or is left out.",
)
@seed_option
@output_options
def score_command(
    predictions: Path,
    truth: Path,
    labels: Path | None,
    rows: tuple[int, int] | None,
    level: str | None,
    question: str | None,
    missing: Missing,
    seed: int,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Score a file of predictions, .parquet, .jsonl or .csv, against the true probabilities of its cases.

    A row has the id of a case and a probability for each state, p_STATE (for a yes/no question p will do), or a
    decision, or both. Scores of decisions are over all cases of a level: one that is unknown, invalid or missing
    hits nothing. Scores of probabilities are over the cases with valid ones. Nothing is left out in silence.
    """
    check_output(output, as_csv, as_json)
    with waiting(f"{predictions}"):
        known = read_truth(truth, labels=labels, rows=rows, level=level)
        scored = score_predictions(read_predictions(predictions, known, question), known, missing=missing, seed=seed)
    report(_record(scored), records(scored), _display(scored), output=output, as_json=as_json, as_csv=as_csv)


def _display(scored: Scored) -> Iterator[RenderableType]:
    for group in scored.groups:
        yield from _group(group)
        yield ""
    yield from strangers_lines(scored)
    if any(group.counts.missing.count for group in scored.groups):
        yield Text(
            "missing cases count as unknown decisions: --rows A:B names the rows that were asked for, and "
            "--missing skip leaves the others out"
            if scored.missing == "unknown"
            else "missing cases were left out (--missing skip)",
            style="yellow",
        )
    for note in scored.notes:
        yield Text(note, style="yellow")
    yield Text(f"95% intervals over cases: {methods_text(_methods(scored), scored.seed)}", style="dim")


def _methods(scored: Scored) -> set[str]:
    return methods_of(score for group in scored.groups for score in group.scores)


def strangers_lines(file: Scored | Predictions) -> Iterator[Text]:
    """What of a file belongs to no case."""
    found = [
        ("rows whose id is no case of the truth that is asked for", file.strangers),
        ("rows without an id", file.without_id),
        ("lines that are no row", file.unreadable),
        ("rows of other questions", file.other_questions),
    ]
    for what, many in found:
        if many.count:
            yield Text(f"{what}: {many}", style="yellow")
    if file.unused:
        yield Text(f"columns that are not read: {', '.join(file.unused)}", style="yellow")


def _group(group: GroupScores) -> Iterator[RenderableType]:
    states = ", ".join(group.states)
    positive = f"; positive: {group.positive}" if len(group.states) == 2 else ""
    yield heading(f"{group.question}, level {group.level}", f"states {states}{positive}")
    yield from counts_lines(group.counts, group.implied)
    yield ""
    rows = [
        (TITLES[score.name], number(score.value), interval_text(score.interval), f"{score.cases:,}")
        for score in group.scores
    ]
    columns = ("score", "value", "95% interval", "cases")
    notes = [score.told for score in group.scores]
    beside = table_room(rows, columns) >= NOTE_ROOM
    listed = table(*columns, *([""] if beside else []), narrow=columns[1:])
    for row, note in zip(rows, notes, strict=True):
        listed.add_row(*row, *([Text(note, style="dim")] if beside else []))
    yield listed
    if not beside:
        yield from notes_table([(row[0], note) for row, note in zip(rows, notes, strict=True)])


def _record(scored: Scored) -> dict[str, object]:
    return {
        "predictions": scored.path,
        "rows": scored.rows,
        "missing": scored.missing,
        "seed": scored.seed,
        "resamples": RESAMPLES if "bca" in _methods(scored) else None,
        "unknown_ids": named_record(scored.strangers),
        "without_id": named_record(scored.without_id),
        "unreadable": named_record(scored.unreadable),
        "other_questions": named_record(scored.other_questions),
        "unused_columns": list(scored.unused),
        "notes": list(scored.notes),
        "groups": [_group_record(group) for group in scored.groups],
    }


def _group_record(group: GroupScores) -> dict[str, object]:
    return {
        "question": group.question,
        "level": group.level,
        "states": list(group.states),
        "positive": group.positive if len(group.states) == 2 else None,
        "decisions": "implied" if group.implied else "given",
        "counts": counts_record(group.counts),
        "scores": {
            score.name: {
                "value": score.value, "interval": interval_record(score.interval), "cases": score.cases,
                "id": score.id, "note": score.note,
            }
            for score in group.scores
        },
    }  # fmt: skip
