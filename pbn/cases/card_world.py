"""The part of a data card that is about one world: its questions and levels, exact figures, and columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from pbn.cases.columns import Described, described
from pbn.cases.records import ID, MEMO, Kind
from pbn.cases.sources import Source
from pbn.cases.wording import code, codes, folded, prose, table
from pbn.figures import agrees, decimal, fraction_text
from pbn.spec.model import Published, Question
from pbn.world import World

Figure = tuple[str, str, Fraction, float | None, Published | None]
"""Question, what it is, its exact value, an entropy beside it, and what was published of it."""


def world_part(source: Source) -> Iterator[str]:
    """All that the card says of a world, part by part."""
    world = source.world
    assert world.spec is not None
    yield f"## {prose(world.title)} ({code(world.name)})"
    yield "What is asked of a case:"
    yield "\n".join(_question(world, question) for question in world.questions.values())
    yield "### Levels"
    if len(source.plan.contents.levels) > 1:
        yield "Each level hides more than the one before it, and keeps the rest:"
    yield "\n".join(_levels(source))
    yield "### Exact figures"
    yield from _figures(list(_exact(source)))
    yield "### Columns"
    yield from _columns(source)
    if world.spec.notes:
        yield "### Notes of the world file"
        yield "\n".join(f"- {prose(note)}" for note in world.spec.notes)


def _question(world: World, question: Question) -> str:
    states = codes(world.network.variables[question.asks].states, 255)
    kind = {"score": "score, lowest first"}.get(question.kind, question.kind)
    return f"- {code(question.name)}: *{prose(question.text)}* Answers ({kind}): {states}."


def _levels(source: Source) -> Iterator[str]:
    """What each published level hides that the one before it shows, as columns of its cases."""
    finer: list[str] | None = None
    names = source.plan.contents.levels
    for level in (name for name in source.world.levels if name in names):
        shown = [column.name for column in described(source, "cases", level) if column.name not in (ID, MEMO)]
        if finer is None:
            yield f"- {code(level)} shows {len(shown)} {'attribute' if len(shown) == 1 else 'attributes'}."
        else:
            less = [name for name in finer if name not in shown]
            more = [name for name in shown if name not in finer]
            instead = f", and shows {codes(more)} in {'their' if len(less) > 1 else 'its'} place" if more else ""
            yield f"- {code(level)} hides {codes(less) if less else 'nothing'} besides{instead}."
        finer = shown


# -- figures -----------------------------------------------------------------------------------------


def _exact(source: Source) -> Iterator[Figure]:
    """Priors, then the Bayes error of each level, of every question."""
    world = source.world
    for question in world.questions.values():
        prior = world.posterior(question=question.name).exact
        assert prior is not None
        for state, value in prior.items():
            if question.positive is None or state == question.positive:
                said = _published(world, "prior", question, None, state)
                yield question.name, f"P({code(state)})", value, None, said
        for level in source.plan.contents.levels:
            found = world.bayes_error(level, question=question.name)
            assert found.exact is not None
            said = _published(world, "bayes_error", question, level, None)
            yield question.name, f"ε\\* at {code(level)}", found.exact, found.entropy, said


def _published(
    world: World, quantity: str, question: Question, level: str | None, state: str | None
) -> Published | None:
    for entry in world.published:
        same = entry.quantity == quantity and entry.question == question.name and entry.level == level
        if same and state in (None, entry.state or question.positive):
            return entry
    return None


def _figures(figures: Sequence[Figure]) -> Iterator[str]:
    several = len({figure[0] for figure in figures}) > 1
    published = any(figure[4] for figure in figures)
    heads = [*["question"] * several, "quantity", "value:", "H(Y \\| X_vis), nats:", *["published"] * published]
    rows, exact = [], []
    for question, what, value, entropy, said in figures:
        names = [code(question)] * several + [what]
        rows.append(
            [*names, decimal(value), "" if entropy is None else f"{entropy:.6f}", *[_said(value, said)] * published]
        )
        exact.append([*names, fraction_text(value)])
    yield table(heads, rows)
    yield "ε\\* and the priors are exact; here they are rounded."
    yield folded("As exact fractions", table([*["question"] * several, "quantity", "exact value"], exact))
    sources = dict.fromkeys(figure[4].source for figure in figures if figure[4])
    if sources:
        yield f"Published values are from {prose('; '.join(sources))}; ✓ marks those that the exact value rounds to."


def _said(value: Fraction, published: Published | None) -> str:
    return "–" if published is None else f"{published.value} {'✓' if agrees(value, published.value) else '✗'}"


# -- columns -----------------------------------------------------------------------------------------


def _columns(source: Source) -> Iterator[str]:
    levels = source.plan.contents.levels
    shown: dict[str, tuple[Described, list[str]]] = {}
    for level in levels:
        for column in described(source, "cases", level):
            shown.setdefault(column.name, (column, []))[1].append(level)
    order = {name: place for place, name in enumerate([ID, *_column_names(source.world)])}
    shown = dict(sorted(shown.items(), key=lambda pair: order.get(pair[0], len(order))))
    some = any(len(at) < len(levels) for _, at in shown.values())
    rows = [[*_row(column), *[codes(at) if len(at) < len(levels) else "all"] * some] for column, at in shown.values()]
    yield f"In {', '.join(code(f'{source.name}-{level}') for level in levels)}:"
    yield table(["column", "what it says", "values", *["levels"] * some], rows)
    yield (
        "The truth has, besides the probabilities, a column `hidden_…` for each named variable that one of these "
        "levels does not show, in the rows of every level."
    )
    kinds: tuple[tuple[Kind, str], ...] = (("labels", "the outcomes"), ("truth", "the truth, with all that is hidden"))
    for kind, what in kinds:
        listed = table(["column", "what it says", "values"], [_row(one) for one in described(source, kind, None)])
        yield folded(f"Columns of <code>{source.name}-{kind}</code>: {what}", listed)


def _column_names(world: World) -> Iterator[str]:
    """All names that a column may have, in the order of the world file."""
    family = {member: name for name, members in world.families.items() for member in members}
    for name in world.network.named:
        yield from dict.fromkeys((family.get(name, name), name))


def _row(column: Described) -> list[str]:
    values = codes(column.states) if column.states else prose(column.values)
    return [code(column.name), prose(column.text), values]
