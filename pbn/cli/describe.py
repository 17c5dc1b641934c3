"""``pbn describe``: all that one needs to know of a world to write a query."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise

import click
from rich.table import Table
from rich.text import Text

from pbn.cli.arguments import budget_option, load_world, world_argument
from pbn.cli.terminal import heading, show, table
from pbn.errors import PbnError, listing
from pbn.network.graph import functions_of
from pbn.network.model import Variable, number_text
from pbn.spec import model as spec
from pbn.world import World

SHOWN, KNOWN, HIDDEN = "✓", "=", "·"
MOST_STATES = 12
MOST_LEVEL_COLUMNS = 5
MOST_EXAMPLE_EVIDENCE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of the list of variables: a variable, or members of a repeated one that are alike."""

    name: str
    variable: Variable
    declared: spec.VariableSpec | None
    marks: tuple[str, ...]


@click.command("describe", short_help="Show a world's variables, states, levels and questions.")
@world_argument
@budget_option
def describe_command(world_name: str, budget: int | None) -> None:
    """Show a world: its questions, its variables with their states, and what each hiding level shows.

    At the end stands a query to copy.
    """
    world = load_world(world_name, budget)
    asked: list[Table | str] = [_questions(world), ""] if world.questions else []
    show(
        heading(world.name, world.title),
        "",
        *asked,
        _levels(world),
        "",
        _variables(world),
        _legend(),
        *_notes(world.notes),
        *_example(world, world_name),
    )


def _questions(world: World) -> Table:
    listed = table("question", "asks for", "kind", "states", "")
    for question in world.questions.values():
        states = [
            f"{state} (positive)" if state == question.positive else state
            for state in world.network.variables[question.asks].states
        ]
        listed.add_row(question.name, question.asks, question.kind, listing(states, MOST_STATES), question.text)
    return listed


def _levels(world: World) -> Table:
    listed = table("level", "change from the one before")
    before = set(world.attributes)
    for level in world.levels.values():
        visible = set(level.visible)
        hidden = [name for name in world.network.named if name in before - visible]
        added = [name for name in world.network.named if name in visible - before]
        parts = [f"hides {', '.join(hidden)}" if hidden else "", f"shows {', '.join(added)}" if added else ""]
        listed.add_row(level.name, "; ".join(filter(None, parts)) or "hides nothing")
        before = visible
    return listed


def _variables(world: World) -> Table:
    names = list(world.levels)
    columns = len(names) <= MOST_LEVEL_COLUMNS and sum(map(len, names)) <= 40
    listed = table("variable", *(names if columns else ["visible at"]), "what it is, its states, where it comes from")
    for column in listed.columns[1:-1] if columns else []:
        column.no_wrap, column.justify = True, "center"
    for entry in _entries(world):
        marks = (
            entry.marks
            if columns
            else [
                ", ".join(
                    name if mark == SHOWN else KNOWN + name
                    for name, mark in zip(names, entry.marks, strict=True)
                    if mark != HIDDEN
                )
                or HIDDEN
            ]
        )
        listed.add_row(entry.name, *marks, _meaning(world, entry))
    return listed


def _entries(world: World) -> Iterator[Entry]:
    known = [set(functions_of(world.network, level.visible)) for level in world.levels.values()]
    family = {member: name for name, members in world.families.items() for member in members}
    entries = []
    declarations = dict.fromkeys(world.network.named) if world.spec is None else world.spec.variables
    for name, declared in declarations.items():
        marks = tuple(
            SHOWN if name in level.visible else KNOWN if name in functions else HIDDEN
            for level, functions in zip(world.levels.values(), known, strict=True)
        )
        entries.append(Entry(name=name, variable=world.network.variables[name], declared=declared, marks=marks))

    def alike(entry: Entry) -> object:
        name = family.get(entry.name)
        return entry.name if name is None else (name, entry.marks, _states(entry.variable), _source(world, entry))

    for _, group in groupby(entries, key=alike):
        first, *others = group
        yield (
            first
            if not others
            else Entry(
                name=f"{first.name} … {others[-1].name}",
                variable=first.variable,
                declared=first.declared,
                marks=first.marks,
            )
        )


def _meaning(world: World, entry: Entry) -> Text:
    text = Text(entry.variable.text + "\n" if entry.variable.text else "")
    text.append(_states(entry.variable) + "\n", style="cyan")
    role = f"{entry.variable.role}; " if entry.variable.role else ""
    text.append(role + _source(world, entry), style="dim")
    return text


def _states(variable: Variable) -> str:
    states, values = variable.states, variable.values
    unit = f" {variable.unit}" if variable.unit else ""
    if values is None or len(states) <= MOST_STATES or list(values) != sorted(set(values)):
        return listing(states, MOST_STATES) + unit
    steps = {after - before for before, after in pairwise(values)}
    if steps == {1} and not unit:
        return f"whole numbers {states[0]} to {states[-1]}"
    every = f" by {number_text(steps.pop())}" if len(steps) == 1 else f", {len(states):,} values"
    return f"{states[0]} to {states[-1]}{unit}{every}"


def _source(world: World, entry: Entry) -> str:
    """Where a variable's value comes from, in words."""
    if entry.declared is None:
        parents = world.network.parents(entry.name)
        random = world.network.variables[entry.name].origin != "deterministic"
        return ("random" if random else "deterministic") + (
            f", given {listing(parents, MOST_STATES)}" if parents else ""
        )
    match entry.declared.source:
        case spec.Table(parents=parents) as source:
            return f"random, given {', '.join(parents)}" if parents else _unconditional(source.rows)
        case spec.Measurement() as source:
            return f"random within the level of {source.of}; levels begin at {', '.join(map(number_text, source.cuts))}"
        case spec.Count() as source:
            law = source.family.replace("_", " ")
            zero = f", extra zeros {number_text(source.zero)}" if source.zero else ""
            return f"random count, {law} with median {source.median}{zero}"
        case spec.Lookup() as source:
            return f"{'merges states of' if source.merges else 'looked up by'} {source.of}"
        case spec.Rule() as source:
            return f"rule: {' '.join(source.expression.text.split())}"
        case _:
            return f"decision list over {listing(entry.declared.parents)}"


def _unconditional(rows: Mapping[tuple[str, ...], Sequence[Fraction]]) -> str:
    (row,) = rows.values()
    return "random, all equally likely" if len(set(row)) == 1 and len(row) > 1 else "random"


def _legend() -> Text:
    return Text(
        f"\n{SHOWN} shown at the level   {KNOWN} follows from what is shown: may be given   {HIDDEN} hidden",
        style="dim",
    )


def _notes(notes: Sequence[str]) -> Iterator[Text]:
    for note in notes:
        yield Text("\n" + note, style="dim")


def _example(world: World, name: str) -> Iterator[Text | str]:
    """A query of the first question at the coarsest level, tried before it is shown."""
    if not world.questions:
        last = world.network.named[-1]
        yield Text("\nfor example", style="bold")
        yield shlex.join(
            ["pbn", "query", name, "--ask", world.network.named[0], f"{last}={world.network.variables[last].states[0]}"]
        )
        return
    question, level = next(iter(world.questions)), list(world.levels)[-1]
    try:
        evidence = _typical_evidence(world, question, level)
        world.posterior(evidence, level, question=question)
    except PbnError:
        return
    which = ["--question", question] if len(world.questions) > 1 else []
    words = ["pbn", "query", name, "--level", level, *which, *(f"{a}={b}" for a, b in evidence.items())]
    yield Text("\nfor example", style="bold")
    yield shlex.join(words)


def _typical_evidence(world: World, question: str, level: str) -> dict[str, str]:
    """States in the middle of a few visible variables that matter, possible together."""
    needed = world.statistic(level, question=question).needed
    codes: dict[str, int] = {}
    for name in needed[:MOST_EXAMPLE_EVIDENCE]:
        size = world.network.size(name)
        order = sorted(range(size), key=lambda code: abs(code - size // 2))
        codes[name] = next(code for code in order if world.engine.is_possible({**codes, name: code}))
    return {name: world.network.variables[name].states[code] for name, code in codes.items()}
