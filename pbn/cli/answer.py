"""A posterior as people read it: the evidence, each state's probability, and how it was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pbn.cli.numerals import decimal, fraction_lines, fraction_shown, fraction_text
from pbn.cli.terminal import heading, is_terminal, table, table_room
from pbn.errors import listing
from pbn.exact.engine import Posterior
from pbn.world import World

MOST_ROWS = 24
LEAST_BAR, MOST_BAR = 8, 20


def answer_parts(
    world: World,
    answer: Posterior,
    evidence: Mapping[str, str],
    level: str | None,
    *,
    every_state: bool = False,
    show_all: str = "--all",
    show_given: bool = True,
) -> Iterator[RenderableType]:
    """The parts of the output for one posterior; a long list of states is cut to the most probable ones."""
    asked = f"P({answer.query} | given)" if evidence else f"P({answer.query})"
    yield heading(world.name, f"{asked}, level {level}" if level else asked)
    if evidence and show_given:
        yield _given(answer, evidence)
    yield ""
    kept = _most_probable(answer, every_state)
    yield _table(answer, kept)
    if len(kept) < len(answer.probs):
        rest = 1 - sum(_number(answer, state) for state in kept)
        yield Text(
            f"… and {len(answer.probs) - len(kept):,} states no more probable than these, "
            f"together {decimal(rest)}; {show_all} shows them",
            style="dim",
        )
    yield ""
    if answer.tie:
        yield _tie(answer)
    float_note = ", in float64" if answer.exact is None else ", exact"
    yield Text(f"by {answer.route}{float_note}", style="dim")


def _number(answer: Posterior, state: str) -> Fraction | float:
    return answer.probs[state] if answer.exact is None else answer.exact[state]


def _given(answer: Posterior, evidence: Mapping[str, str]) -> Text:
    probability = answer.evidence_probability
    exact = f" = {fraction_shown(probability)}" if isinstance(probability, Fraction) else ""
    pairs = ", ".join(f"{name}={state}" for name, state in evidence.items())
    return Text.assemble(("given ", "dim"), f"{pairs}\n", (f"with probability {decimal(probability)}{exact}", "dim"))


def _most_probable(answer: Posterior, every_state: bool) -> list[str]:
    states = list(answer.probs)
    if every_state or len(states) <= MOST_ROWS:
        return states
    best = set(sorted(states, key=lambda state: -_number(answer, state))[:MOST_ROWS])
    return [state for state in states if state in best]


def _table(answer: Posterior, states: list[str]) -> Table:
    numbers = [_number(answer, state) for state in states]
    rows = [[state, decimal(number)] for state, number in zip(states, numbers, strict=True)]
    columns = [answer.query, "probability"]
    if answer.exact is not None:
        fractions = [fraction_shown(answer.exact[state]) for state in states]
        room = table_room(rows, columns)
        columns.append("exact")
        rows = [[*row, fraction_lines(text, room)] for row, text in zip(rows, fractions, strict=True)]
    bar = min(MOST_BAR, table_room([[max(text.split("\n"), key=len) for text in row] for row in rows], columns))
    bars = is_terminal() and bar >= LEAST_BAR and bar * max(numbers) >= 2
    listed = table(*columns, *[""] * bars, narrow=["probability"], right=["probability"])
    decision = answer.decision
    for state, number, row in zip(states, numbers, rows, strict=True):
        drawn = "█" * round(float(number) * bar)
        listed.add_row(*row, *[drawn] * bars, style="bold" if state == decision else "")
    return listed


def _tie(answer: Posterior) -> Text:
    decision = answer.decision
    tied = [state for state in answer.probs if _number(answer, state) == _number(answer, decision)]
    return Text(
        f"tie: {listing(tied)} are equally probable; the Bayes decision is the first, {decision}", style="yellow"
    )


def answer_record(world: World, answer: Posterior, evidence: Mapping[str, str], level: str | None) -> dict[str, object]:
    """One posterior as JSON has it; fractions are strings, null where the answer is not exact."""
    probability = answer.evidence_probability
    exact = answer.exact or {}
    return {
        "world": world.name, "level": level, "query": answer.query, "evidence": dict(evidence),
        "evidence_probability": {
            "value": float(probability),
            "exact": fraction_text(probability) if isinstance(probability, Fraction) else None},
        "posterior": {state: {"value": value, "exact": fraction_text(exact[state]) if state in exact else None}
                      for state, value in answer.probs.items()},
        "decision": answer.decision, "tie": answer.tie, "route": answer.route,
    }  # fmt: skip
