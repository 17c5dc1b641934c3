"""Questions about one variable each, and the published figures that go with them."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from typing import Literal, cast

from pbn.errors import listing
from pbn.spec.check_types import ANYTHING
from pbn.spec.model import Kind, Published, Question
from pbn.spec.names import check_label, unknown_state
from pbn.spec.nodes import Mapping, Scalar, Sequence
from pbn.spec.numerals import numeral
from pbn.spec.report import Report, shorten
from pbn.spec.structure import Path
from pbn.spec.variables import Resolver

MAX_QUESTIONS = 1_000


def read_questions(root: Mapping, broken: frozenset[Path], resolver: Resolver, report: Report) -> dict[str, Question]:
    """The file's questions that have nothing wrong with them."""
    section = root.mapping("questions")
    questions: dict[str, Question] = {}
    for number, (key, body) in enumerate(section.pairs if section else ()):
        if number == MAX_QUESTIONS:
            report.add(
                "spec/too-large", "the file has too many questions", key.place, allowed=f"at most {MAX_QUESTIONS:,}"
            )
            break
        named = check_label(key, "question", report)
        if named and isinstance(body, Mapping) and ("questions", key.text) not in broken:
            question = _question(key, body, resolver, report)
            if question:
                questions[key.text] = question
    return questions


def asked_variables(root: Mapping) -> frozenset[str]:
    """Names of the variables that some question asks, whatever else is wrong with it."""
    section = root.mapping("questions")
    asked = [body.scalar("asks") for _, body in section.pairs if isinstance(body, Mapping)] if section else []
    return frozenset(scalar.text for scalar in asked if scalar)


def _question(key: Scalar, body: Mapping, resolver: Resolver, report: Report) -> Question | None:
    asks, kind, text = body.scalar("asks"), body.scalar("kind"), body.scalar("text")
    assert asks is not None
    assert kind is not None
    assert text is not None
    name = resolver.declarations.find(asks, report, code="spec/question-asks")
    if name is None:
        return None
    meaning = resolver.meanings.get(name)
    if meaning is None or meaning.type is ANYTHING:
        return None
    before = len(report)
    if not text.text.strip():
        report.add("spec/wrong-shape", "the text of the question is empty", body.key("text").place)
    positive = None
    if kind.text == "yes/no":
        positive = _positive(body, asks, meaning.states, report)
    elif "positive" in body:
        report.add(
            "spec/question-positive",
            f"a {kind.text} has no positive state",
            body.key("positive").place,
            hint="remove 'positive', or make the kind yes/no",
        )
    if len(report) > before:
        return None
    return Question(name=key.text, asks=name, kind=cast(Kind, kind.text), positive=positive, text=text.text)


def _positive(body: Mapping, asks: Scalar, states: tuple[str, ...] | None, report: Report) -> str | None:
    """The state that counts as yes."""
    scalar = body.scalar("positive")
    if states is not None and len(states) != 2:
        report.add(
            "spec/question-kind",
            f"{asks.text} has {len(states)} states, a yes/no question needs two",
            body.key("kind").place,
            allowed="choice or score",
            found=listing(states),
        )
    elif scalar is None and (states is None or "yes" not in states):
        report.add(
            "spec/question-positive",
            f"the question does not say which state of {asks.text} counts as yes",
            asks.place,
            hint="add a line 'positive: …'",
            allowed=listing(states) if states else None,
        )
    elif scalar is not None and states is not None and scalar.text not in states:
        unknown_state(scalar, asks.text, states, report)
    return scalar.text if scalar else "yes"


def read_published(
    root: Mapping,
    broken: frozenset[Path],
    questions: AbstractMapping[str, Question],
    resolver: Resolver,
    report: Report,
) -> tuple[Published, ...]:
    """The published figures of the file."""
    node = root.get("published")
    items = node.items if isinstance(node, Sequence) else ()
    known = {
        name
        for section in ("questions", "levels")
        if (part := root.mapping(section))
        for name in (f"{section}.{key.text}" for key, _ in part.pairs)
    }
    figures = []
    for position, body in enumerate(items):
        if isinstance(body, Mapping) and ("published", position) not in broken:
            figure = _published(body, known, questions, resolver, report)
            if figure:
                figures.append(figure)
    return tuple(figures)


def _published(
    body: Mapping, known: set[str], questions: AbstractMapping[str, Question], resolver: Resolver, report: Report
) -> Published | None:
    before = len(report)
    text = {key.text: value.text for key, value in body.pairs if isinstance(value, Scalar)}
    for section in ("question", "level"):
        scalar = body.scalar(section)
        names = [name.removeprefix(f"{section}s.") for name in known if name.startswith(f"{section}s.")]
        if scalar and scalar.text not in names:
            report.add(
                f"spec/unknown-{section}",
                f"there is no {section} {shorten(scalar.text)!r}",
                scalar.place,
                allowed=listing(sorted(names)),
                hint=report.suggest(scalar.text, sorted(names)),
            )
    if text["quantity"] == "bayes_error" and "level" not in text:
        report.add(
            "spec/missing-key", "a Bayes error belongs to a level, and none is named", body.place, hint="add 'level: …'"
        )
    value, state = body.scalar("value"), body.scalar("state")
    assert value
    if numeral(value.text) is None:
        report.add("spec/number", f"{shorten(value.text)!r} is not a number", value.place)
    question = questions.get(text["question"])
    states = resolver.meanings[question.asks].states if question else None
    if state and states is not None and state.text not in states:
        unknown_state(state, text["question"], states, report)
    if len(report) > before:
        return None
    return Published(
        quantity=cast(Literal["prior", "bayes_error"], text["quantity"]),
        question=text["question"],
        level=text.get("level"),
        state=text.get("state"),
        value=text["value"],
        source=text["source"],
    )
