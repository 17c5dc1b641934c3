"""``pbn query``: one posterior, or a prompt that answers many."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

import click

from pbn.cli.answer import answer_parts, answer_record
from pbn.cli.arguments import (
    budget_option,
    family_values,
    float_option,
    json_option,
    level_option,
    load_world,
    parse_evidence,
    question_option,
    world_argument,
)
from pbn.cli.terminal import show, show_json, waiting
from pbn.errors import Fault, QueryError
from pbn.exact.answers import ArithmeticName
from pbn.world import EngineName

EXAMPLES = """\b
Examples:
  pbn query credit_risk --level high sector=technology cycle=contraction
  pbn query peer_review --ask validity evidence=weak robustness=fragile"""


@click.command("query", short_help="Ask for the exact posterior of a variable, or open a prompt.", epilog=EXAMPLES)
@world_argument
@click.argument("evidence", nargs=-1, metavar="[VARIABLE=STATE]...")
@level_option
@question_option
@click.option("--ask", metavar="VARIABLE", help="Any variable, in place of the one that the question asks for.")
@click.option(
    "--engine",
    type=click.Choice(["pbn", "pgmpy"]),
    default="pbn",
    show_default=True,
    help="Answer by pbn's own elimination or by pgmpy's, which is float64.",
)
@click.option("--all", "every_state", is_flag=True, help="Show every state of a variable that has many.")
@float_option
@json_option
@budget_option
def query_command(
    world_name: str,
    evidence: tuple[str, ...],
    level: str | None,
    question: str | None,
    ask: str | None,
    engine: EngineName,
    every_state: bool,
    in_float: bool,
    as_json: bool,
    budget: int | None,
) -> None:
    """Ask for P(variable | evidence), exactly.

    Evidence may be partial: what is not given is summed over. A --level accepts only what it shows. Put
    evidence with blanks in quotes: 'validity=serious flaw'.

    Without evidence, on a terminal, this opens a prompt that keeps the world loaded.
    """
    given = parse_evidence(evidence)
    if ask is not None and question is not None:
        raise QueryError(
            Fault(code="cli/ask-twice", message="--ask and --question both say what is asked", hint="give one of them")
        )
    world = load_world(world_name, budget)
    arithmetic: ArithmeticName = "float" if in_float else "exact"
    if not given and not as_json and sys.stdin.isatty() and sys.stdout.isatty():
        from pbn.cli.inquiry import Inquiry
        from pbn.cli.prompt import run_prompt

        asked = ask or world.question(question or next(iter(world.questions))).asks
        run_prompt(Inquiry(world, asked=asked, level=level, engine=engine, arithmetic=arithmetic))
        return
    with _pgmpy() if engine == "pgmpy" else nullcontext():
        answer = world.posterior(
            family_values(world, given), level, query=ask, question=question, engine=engine, arithmetic=arithmetic
        )
    if as_json:
        show_json(answer_record(world, answer, given, level))
    else:
        show(*answer_parts(world, answer, given, level, every_state=every_state))


@contextmanager
def _pgmpy() -> Iterator[None]:
    """While pgmpy is imported and asked: a sign of life, and none of its notes to programmers."""
    with waiting("asking pgmpy"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        yield
