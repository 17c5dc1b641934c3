"""``pbn compare``: two files of predictions on the cases that both predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import PATH
from pbn.cli.score import strangers_lines
from pbn.cli.scored import (
    check_output,
    counted,
    counts_lines,
    counts_record,
    interval_record,
    interval_text,
    methods_of,
    methods_text,
    notes_table,
    number,
    output_options,
    report,
    seed_option,
    truth_options,
)
from pbn.cli.terminal import heading, table, waiting
from pbn.scoring.items import RESAMPLES
from pbn.scoring.leaks import log10, p_text
from pbn.scoring.pairs import Compared, GroupPair, compare_predictions
from pbn.scoring.predictions import Predictions, read_predictions
from pbn.scoring.scores import TITLES
from pbn.scoring.truth import read_truth


@click.command("compare", short_help="Compare two files of predictions on the same cases.")
@click.argument("first", type=PATH, metavar="A")
@click.argument("second", type=PATH, metavar="B")
@truth_options()
@seed_option
@output_options
def compare_command(
    first: Path,
    second: Path,
    truth: Path,
    labels: Path | None,
    rows: tuple[int, int] | None,
    level: str | None,
    question: str | None,
    seed: int,
    as_json: bool,
    as_csv: bool,
    output: Path | None,
) -> None:
    """Compare two files of predictions, A − B, on the cases that both predict.

    Every difference is of the same cases, so what makes a case hard cancels; most have an interval over cases. Of the
    decisions, McNemar's exact test says whether one file is right more often than the other where they differ.
    """
    check_output(output, as_csv, as_json)
    with waiting(f"{first}"):
        known = read_truth(truth, labels=labels, rows=rows, level=level)
        files = [read_predictions(path, known, question) for path in (first, second)]
        compared = compare_predictions(files[0], files[1], known, seed=seed)
    shown = _display(compared, files)
    report(_record(compared), _rows(compared), shown, output=output, as_json=as_json, as_csv=as_csv)


def _display(compared: Compared, files: Sequence[Predictions]) -> Iterator[RenderableType]:
    yield Text(f"A = {compared.first}\nB = {compared.second}")
    yield ""
    for group in compared.groups:
        yield from _group(group)
        yield ""
    for name in compared.alone:
        yield Text(f"not compared, as only one file has cases of it: {name}", style="yellow")
    for note in compared.notes:
        yield Text(note, style="yellow")
    methods = methods_text(_methods(compared), compared.seed)
    yield Text(
        f"95% intervals over cases: {methods}. Calibration errors of resamples are biased, so their differences have "
        "none",
        style="dim",
    )
    for name, file in zip("AB", files, strict=True):
        yield from (Text(f"{name}: ").append_text(line) for line in strangers_lines(file))


def _methods(compared: Compared) -> set[str]:
    return methods_of(one for group in compared.groups for one in group.differences)


def _group(group: GroupPair) -> Iterator[RenderableType]:
    yield heading(f"{group.question}, level {group.level}", f"{counted(group.shared, 'case')} in both files")
    alone = [
        f"{count:,} in {name} alone" for name, count in (("A", group.first_only), ("B", group.second_only)) if count
    ]
    if alone:
        yield Text(f"  {', '.join(alone)}: left out", style="yellow")
    for name, counts in zip("AB", group.counts, strict=True):
        first, *rest = counts_lines(counts, implied=False)
        if rest or counts.unknown:
            yield Text(f"  {name}:").append_text(first)
            yield from rest
    if group.scored < group.shared and all(counts.has_probabilities for counts in group.counts):
        yield Text(f"  {group.scored:,} of them with valid probabilities in both", style="yellow")
    if group.mcnemar is not None:
        found = group.mcnemar
        several = found.log_holm != found.log_p
        holm = f"; {p_text(found.log_holm)} corrected for all comparisons here (Holm)" if several else ""
        yield Text(
            f"  right where the other is wrong: A {found.first_only:,}, B {found.second_only:,}; "
            f"McNemar's exact p = {p_text(found.log_p)}{holm}"
        )
    yield ""
    columns = ("score", "A", "B", "A − B", "95% interval", "cases")
    listed = table(*columns, narrow=columns[1:])
    for one in group.differences:
        listed.add_row(
            TITLES[one.name],
            number(one.first),
            number(one.second),
            number(one.difference),
            interval_text(one.interval),
            f"{one.cases:,}",
        )
    yield listed
    yield from notes_table([(TITLES[one.name], one.told) for one in group.differences])


def _rows(compared: Compared) -> list[dict[str, object]]:
    return [
        {
            "question": group.question, "level": group.level, "score": one.name, "first": one.first,
            "second": one.second, "difference": one.difference, "low": one.interval and one.interval.low,
            "high": one.interval and one.interval.high, "interval": one.interval and one.interval.method,
            "cases": one.cases, "id": one.id, "note": one.note,
        }
        for group in compared.groups
        for one in group.differences
    ]  # fmt: skip


def _record(compared: Compared) -> dict[str, object]:
    return {
        "first": compared.first,
        "second": compared.second,
        "seed": compared.seed,
        "resamples": RESAMPLES if "bca" in _methods(compared) else None,
        "not_compared": list(compared.alone),
        "notes": list(compared.notes),
        "groups": [_group_record(group) for group in compared.groups],
    }


def _group_record(group: GroupPair) -> dict[str, object]:
    found = group.mcnemar
    return {
        "question": group.question,
        "level": group.level,
        "n_shared": group.shared,
        "n_scored": group.scored,
        "n_first_only": group.first_only,
        "n_second_only": group.second_only,
        "mcnemar": found and {
            "first_only": found.first_only, "second_only": found.second_only, "p": found.p, "p_holm": found.holm,
            "log10_p": log10(found.log_p), "log10_p_holm": log10(found.log_holm),
        },
        "counts": {name: counts_record(counts) for name, counts in zip("AB", group.counts, strict=True)},
        "scores": {
            one.name: {
                "first": one.first, "second": one.second, "difference": one.difference,
                "interval": interval_record(one.interval), "cases": one.cases, "id": one.id,
                "note": one.note,
            }
            for one in group.differences
        },
    }  # fmt: skip
