"""``pbn bayes-error``: the exact Bayes error of every level, beside what was published."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import click
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from pbn.cli.arguments import (
    WORLD,
    budget_option,
    check_show_and_level,
    float_option,
    json_option,
    level_option,
    load_world,
    question_option,
    renormalise_option,
    visible_options,
    visible_text,
)
from pbn.cli.numerals import agrees, decimal, fraction_lines, fraction_shown, fraction_text
from pbn.cli.terminal import heading, progress, show_json, table, table_room
from pbn.cli.terminal import show as print_parts
from pbn.errors import BudgetError, Fault, PbnError
from pbn.exact.answers import ArithmeticName
from pbn.loading import shipped_worlds
from pbn.spec.model import Published, Question
from pbn.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be computed of each world."""

    question: str | None
    level: str | None
    hide: tuple[str, ...]
    show: tuple[str, ...] | None
    samples: int | None
    seed: int
    arithmetic: ArithmeticName


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One number of one world: the Bayes error of a level, or the prior of a state."""

    world: str
    question: str
    quantity: str
    label: str
    level: str | None = None
    hide: tuple[str, ...] = ()
    state: str | None = None
    value: float
    exact: Fraction | None
    entropy: float | None = None
    statistic: tuple[str, ...] = ()
    interval: tuple[float, float] | None = None
    published: Published | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether the number rounds to the published one; None where nothing was published."""
        if self.published is None:
            return None
        return agrees(self.value if self.exact is None else self.exact, self.published.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The figures of one world that could be computed."""

    name: str
    title: str
    figures: Sequence[Figure]


@click.command("bayes-error", short_help="Compute exact Bayes errors, beside the published ones.")
@click.argument("world_names", type=WORLD, nargs=-1, metavar="[WORLD]...")
@question_option
@level_option
@visible_options
@click.option(
    "--estimate",
    "samples",
    type=click.IntRange(2, 10**7),
    metavar="N",
    help="Estimate from N sampled cases, with a 95% interval, in place of the exact value.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the sampled cases.")
@float_option
@json_option
@renormalise_option
@budget_option
def bayes_error_command(
    world_names: tuple[str, ...],
    question: str | None,
    level: str | None,
    hide: tuple[str, ...],
    show: tuple[str, ...],
    samples: int | None,
    seed: int,
    in_float: bool,
    as_json: bool,
    budget: int | None,
) -> None:
    """Compute the Bayes error of every question and level, of the worlds named or of all that ship.

    It is the least error that any predictor can have who sees what the level shows. H is the entropy of
    the outcome given that, in nats. A tick says that the number rounds to the published one.

    With --hide and no --level, the attributes named are hidden from all that there are. --show gives a set
    of its own. --estimate is for sets where the exact value is out of reach.
    """
    check_show_and_level(show, level)
    request = Request(
        question=question,
        level=level,
        hide=hide,
        show=show or None,
        samples=samples,
        seed=seed,
        arithmetic="float" if in_float else "exact",
    )
    parts: list[Part] = []
    errors: list[PbnError] = []
    with progress() as shown:
        for name in world_names or shipped_worlds():
            part = _compute(name, budget, request, errors, shown)
            if part is not None:
                parts.append(part)
    if as_json:
        show_json([_record(figure) for part in parts for figure in part.figures])
    elif any(part.figures for part in parts):
        shown_parts = [part for part in parts if part.figures]
        print_parts(*(_estimates(shown_parts, samples) if samples else _display(shown_parts, in_float)))
    if errors:
        kind = BudgetError if all(isinstance(error, BudgetError) for error in errors) else PbnError
        raise kind(*_distinct(errors))


def _distinct(errors: Sequence[PbnError]) -> list[Fault]:
    return list(dict.fromkeys(fault for error in errors for fault in error.faults))


# -- computing -----------------------------------------------------------------------------------


def _compute(name: str, budget: int | None, request: Request, errors: list[PbnError], shown: Progress) -> Part | None:
    """All figures of a world that can be had; what fails is added to ``errors``."""
    try:
        world = load_world(name, budget)
        questions = list(world.questions.values())
        if request.question or not questions:
            questions = [world.question(request.question)]
        levels = _levels(world, request)
    except PbnError as error:
        errors.append(error)
        return None
    figures: list[Figure] = []
    each = request.samples or 1
    task = shown.add_task(world.name, total=len(questions) * (1 + each * len(levels)))
    for question in questions:
        for level in (None, *levels):
            try:
                if level is None:
                    figures += [] if request.samples else _priors(world, question, request)
                    shown.advance(task)
                elif request.samples:
                    figures.append(_estimate(world, question, level or None, request, lambda: shown.advance(task)))
                else:
                    figures.append(_error(world, question, level or None, request))
                    shown.advance(task)
            except PbnError as error:
                where = f"{world.name}, {question.name}{f', level {level}' if level else ''}"
                errors.append(
                    type(error)(*(replace(fault, message=f"{where}: {fault.message}") for fault in error.faults))
                )
    return Part(name=world.name, title=world.title, figures=figures)


def _levels(world: World, request: Request) -> list[str]:
    """Names of the levels; the empty name stands for all attributes less those hidden."""
    if request.level is not None:
        return [world.level(request.level).name]
    return [""] if request.hide or request.show else list(world.levels)


def _error(world: World, question: Question, level: str | None, request: Request) -> Figure:
    found = world.bayes_error(
        level, question=question.name, hide=request.hide, show=request.show, arithmetic=request.arithmetic
    )
    as_level = not request.hide and request.show is None
    published = next(
        (
            entry
            for entry in world.published
            if entry.quantity == "bayes_error" and as_level and entry.question == question.name and entry.level == level
        ),
        None,
    )
    return Figure(
        world=world.name,
        question=question.name,
        quantity="bayes_error",
        label=_label(level, request),
        level=level,
        hide=request.hide,
        value=found.value,
        exact=found.exact,
        entropy=found.entropy,
        statistic=found.statistic,
        published=published,
    )


def _label(level: str | None, request: Request) -> str:
    return f"ε* {visible_text(level, request.hide, request.show)}".rstrip()


def _estimate(
    world: World, question: Question, level: str | None, request: Request, advance: Callable[[], None]
) -> Figure:
    assert request.samples is not None
    found = world.estimate_bayes_error(
        level,
        question=question.name,
        hide=request.hide,
        show=request.show,
        samples=request.samples,
        seed=request.seed,
        advance=advance,
    )
    return Figure(
        world=world.name,
        question=question.name,
        quantity="bayes_error_estimate",
        label=_label(level, request),
        level=level,
        hide=request.hide,
        value=found.value,
        exact=None,
        interval=(found.low, found.high),
    )


def _priors(world: World, question: Question, request: Request) -> Iterator[Figure]:
    """The prior of the positive state, and of every state whose prior was published."""
    published = {
        entry.state or question.positive: entry
        for entry in world.published
        if entry.quantity == "prior" and entry.question == question.name
    }
    states = [
        state
        for state in world.network.variables[question.asks].states
        if state == question.positive or state in published
    ]
    if not states:
        return
    prior = world.posterior(question=question.name, arithmetic=request.arithmetic)
    for state in states:
        yield Figure(
            world=world.name,
            question=question.name,
            quantity="prior",
            label=f"P({question.asks}={state})",
            state=state,
            value=prior.probs[state],
            exact=prior.exact[state] if prior.exact else None,
            published=published.get(state),
        )


# -- showing -------------------------------------------------------------------------------------


def _estimates(parts: Sequence[Part], samples: int) -> Iterator[Text | Table | str]:
    for part in parts:
        yield heading(part.name, part.title)
        listed = table("question", "quantity", "estimate", "95% interval", narrow=["estimate", "95% interval"])
        for figure, name in zip(part.figures, _names(part.figures), strict=True):
            low, high = figure.interval or (figure.value, figure.value)
            listed.add_row(name, figure.label, decimal(figure.value), f"{decimal(low)} to {decimal(high)}")
        yield listed
        yield ""
    yield Text(f"estimates from {samples:,} sampled cases, each with its computed posterior; not exact", style="dim")


def _display(parts: Sequence[Part], in_float: bool) -> Iterator[Text | Table | str]:
    for part in parts:
        yield heading(part.name, part.title)
        yield from _tables(part.figures, in_float)
        yield ""
    figures = [figure for part in parts for figure in part.figures]
    sources = dict.fromkeys(f"{figure.world}: {figure.published.source}" for figure in figures if figure.published)
    if sources:
        yield Text("✓ rounds to the published value, ✗ does not; published in\n  " + "\n  ".join(sources), style="dim")
    if any(figure.published is None for figure in figures):
        yield Text("— no published value in the world file", style="dim")
    if in_float:
        yield Text("computed in float64: the last digits may be off", style="dim")


def _tables(figures: Sequence[Figure], in_float: bool) -> Iterator[Table | str]:
    """The figures of a world; their fractions in a column, or below where that would be too narrow."""
    several = len({figure.question for figure in figures}) > 1
    columns = [*["question"] * several, "quantity", "value", "H(Y|X) nats", "published"]
    rows = []
    for figure, name in zip(figures, _names(figures), strict=True):
        rows.append(
            [
                *[name] * several,
                figure.label,
                decimal(figure.value if figure.exact is None else figure.exact),
                "" if figure.entropy is None else f"{figure.entropy:.6f}",
                _published(figure),
            ]
        )
    exact = ["" if figure.exact is None else fraction_shown(figure.exact) for figure in figures]
    room = table_room(rows, columns)
    beside = not in_float and max(max(map(len, text.split("/"))) + 1 for text in exact) <= room
    listed = table(*columns, *["exact"] * beside, narrow=columns[several + 1 :])
    for row, text in zip(rows, exact, strict=True):
        mark = Text(row[-1], style="green" if row[-1].endswith("✓") else "bold red" if row[-1].endswith("✗") else "")
        listed.add_row(*row[:-1], mark, *[fraction_lines(text, room)] * beside)
    yield listed
    if not beside and not in_float:
        columns, rows = columns[: several + 1], [row[: several + 1] for row in rows]
        room = table_room(rows, columns)
        listed = table(*columns, "exact")
        for row, text in zip(rows, exact, strict=True):
            listed.add_row(*row, fraction_lines(text, room))
        yield ""
        yield listed


def _names(figures: Sequence[Figure]) -> Iterator[str]:
    """Each figure's question, where it is another than that of the figure before."""
    before = None
    for figure in figures:
        yield figure.question if figure.question != before else ""
        before = figure.question


def _published(figure: Figure) -> str:
    return "—" if figure.published is None else f"{figure.published.value} {'✓' if figure.agrees else '✗'}"


def _record(figure: Figure) -> dict[str, object]:
    published = figure.published and {
        "value": figure.published.value,
        "source": figure.published.source,
        "agrees": figure.agrees,
    }
    record: dict[str, object] = {"world": figure.world, "question": figure.question, "quantity": figure.quantity}
    if figure.quantity == "prior":
        record |= {"state": figure.state}
    else:
        record |= {
            "level": figure.level,
            "hide": list(figure.hide),
            "entropy": figure.entropy,
            "statistic": list(figure.statistic),
        }
    if figure.interval is not None:
        record |= {"interval": list(figure.interval), "confidence": 0.95}
    exact = None if figure.exact is None else fraction_text(figure.exact)
    return record | {"value": figure.value, "exact": exact, "published": published}
