"""``pbn leak``: whether an accuracy is possible without having seen the labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import PATH, json_option
from pbn.cli.score import strangers_lines
from pbn.cli.scored import counts_lines, counts_record, truth_options
from pbn.cli.terminal import heading, show, show_json, table, waiting
from pbn.errors import Fault, QueryError
from pbn.scores.leak import Chance, Tails
from pbn.scoring.leaks import LEAK, LeakReport, LeakRun, Verdict, leak_report, log10, p_text
from pbn.scoring.predictions import Predictions, read_predictions
from pbn.scoring.truth import Truth, read_truth

FAILED = 1

EXAMPLES = """\b
Examples:
  pbn leak predictions.jsonl --truth data/
  pbn leak seed-2032.csv seed-2033.csv --truth data-2032/ --truth data-2033/"""

_SAID: dict[Verdict, tuple[str, str]] = {
    "leak": (
        "not possible without having seen the labels, or something that depends on them: chance gives so many "
        "correct decisions, or more, with a probability of {upper}",
        "bold red",
    ),
    "mismatch": (
        "worse than chance allows: so few correct decisions, or fewer, have a probability of {lower}; labels and "
        "decisions may belong to different cases",
        "bold red",
    ),
    "suspicious": (
        "rare, but no proof: so many correct decisions or more have a probability of {upper}, so few or fewer of "
        "{lower}",
        "yellow",
    ),
    "chance": (
        "possible without having seen the labels: chance gives so many correct decisions, or more, with a "
        "probability of {upper}",
        "green",
    ),
}


@click.command("leak", short_help="Test whether predictions have seen the labels.", epilog=EXAMPLES)
@click.argument("predictions", type=PATH, nargs=-1, required=True, metavar="FILE...")
@truth_options(several=True)
@json_option
@click.pass_context
def leak_command(
    context: click.Context,
    predictions: tuple[Path, ...],
    truth: tuple[Path, ...],
    labels: tuple[Path, ...],
    rows: tuple[int, int] | None,
    level: str | None,
    question: str | None,
    as_json: bool,
) -> None:
    """Test whether the accuracy of predictions is possible for anybody who sees only what their level shows.

    A decision made from the visible case is correct with its true probability, each case for itself, so the law of
    the number of correct decisions is known exactly; no model can beat it but by luck. Several files, levels and
    questions are several runs, combined into one test. The exit code is 1 for p-values below 1e-6.
    """
    files: list[tuple[Predictions, Truth]] = []
    with waiting(f"{predictions[0]}"):
        known = _truths(truth, labels, len(predictions), rows, level)
        for path, one in zip(predictions, known, strict=True):
            files.append((read_predictions(path, one, question), one))
        report = leak_report(files)
    if as_json:
        show_json(_record(report))
    else:
        show(*_display(report, [file for file, _ in files]))
    if report.verdict in ("leak", "mismatch"):
        context.exit(FAILED)


def _truths(
    truth: Sequence[Path], labels: Sequence[Path], count: int, rows: tuple[int, int] | None, level: str | None
) -> list[Truth]:
    for name, paths in (("--truth", truth), ("--labels", labels)):
        if len(paths) not in (0, 1, count):
            message = f"{name} is given {len(paths)} times for {count} files"
            raise QueryError(Fault(code="cli/how-many", message=message, allowed=f"once, or {count} times"))
    made: dict[tuple[Path, Path | None], Truth] = {}
    found = []
    for k in range(count):
        key = truth[k % len(truth)], labels[k % len(labels)] if labels else None
        if key not in made:
            made[key] = read_truth(key[0], labels=key[1], rows=rows, level=level)
        found.append(made[key])
    return found


def _display(report: LeakReport, files: Sequence[Predictions]) -> Iterator[RenderableType]:
    for run in report.runs:
        yield from _run(run)
        yield ""
    if len(report.runs) > 1:
        yield from _together(report)
    for file in files:
        yield from strangers_lines(file)


def _run(run: LeakRun) -> Iterator[RenderableType]:
    test = run.test
    yield heading(run.path, f"{run.question}, level {run.level}")
    yield from counts_lines(run.counts, run.implied)
    yield _verdict(run.verdict, test.decisions)
    yield ""
    listed = table("", "these decisions", "the best possible")
    for what, *cells in zip(_ROWS, _cells(test.decisions), _cells(test.bayes), strict=True):
        listed.add_row(what, *cells)
    yield listed


_ROWS = ("correct", "expected by chance", "95% of chance", "p of so many or more", "p two-sided")


def _cells(chance: Chance) -> list[str]:
    low, high = chance.interval
    return [
        f"{chance.correct:,} of {chance.cases:,} ({chance.accuracy:.4f})",
        f"{chance.expected:,.1f} ({chance.expected_accuracy:.4f})",
        f"{low:.4f} to {high:.4f}",
        f"{p_text(chance.log_upper)} (log10 {_exponent(chance.log_upper)})",
        f"{p_text(chance.log_two_sided)} (log10 {_exponent(chance.log_two_sided)})",
    ]


def _exponent(log_p: float) -> str:
    found = log10(log_p)
    return "−∞" if found is None else f"{round(found, 2) + 0.0:.2f}"  # never -0.00


def _verdict(verdict: Verdict, tails: Tails) -> Text:
    said, style = _SAID[verdict]
    return Text("  " + said.format(upper=p_text(tails.log_upper), lower=p_text(tails.log_lower)), style=style)


def _together(report: LeakReport) -> Iterator[RenderableType]:
    combined, count = report.combined, len(report.runs)
    yield heading(f"all {count} runs together", f"combined: {combined.how}")
    if combined.how == "pooled":
        assert combined.pooled is not None
        chance = combined.pooled.decisions
        low, high = chance.interval
        yield Text(
            f"  no label is in two runs, so they are one: {chance.correct:,} of {chance.cases:,} correct, "
            f"{chance.expected:,.1f} expected, 95% of chance {low:.4f} to {high:.4f}"
        )
    elif report.named:
        yield Text(f"  runs share the draws of their labels, so p is {count} times the smallest p-value, at most 1")
    else:
        yield Text(
            f"  the files do not say which labels were drawn together, so p is {count} times the smallest "
            "p-value, at most 1"
        )
    yield _verdict(report.verdict, combined.decisions)
    yield Text(
        f"  p upper {p_text(combined.decisions.log_upper)} (log10 {_exponent(combined.decisions.log_upper)}); of the "
        f"best possible decisions {p_text(combined.bayes.log_upper)}; a leak is one below {LEAK:g}",
        style="dim",
    )


def _record(report: LeakReport) -> dict[str, object]:
    combined = report.combined
    return {
        "verdict": report.verdict,
        "how": combined.how,
        "decisions": _tails(combined.decisions),
        "bayes": _tails(combined.bayes),
        "pooled": combined.pooled and _chance(combined.pooled.decisions),
        "runs": [
            {
                "predictions": run.path, "question": run.question, "level": run.level, "verdict": run.verdict,
                "decisions_are": "implied" if run.implied else "given", "counts": counts_record(run.counts),
                "confidence": run.test.confidence, "decisions": _chance(run.test.decisions),
                "bayes": _chance(run.test.bayes),
            }
            for run in report.runs
        ],
    }  # fmt: skip


def _chance(chance: Chance) -> dict[str, object]:
    return {
        "correct": chance.correct, "cases": chance.cases, "accuracy": chance.accuracy, "expected": chance.expected,
        "expected_accuracy": chance.expected_accuracy, "interval": list(chance.interval), **_tails(chance),
    }  # fmt: skip


def _tails(tails: Tails) -> dict[str, object]:
    return {
        "p_upper": tails.upper, "log10_p_upper": log10(tails.log_upper),
        "p_lower": tails.lower, "log10_p_lower": log10(tails.log_lower),
        "p_two_sided": tails.two_sided, "log10_p_two_sided": log10(tails.log_two_sided),
    }  # fmt: skip
