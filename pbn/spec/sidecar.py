"""The small file beside a network file that makes a world of it: what is asked, and what each level shows.

Beside ``alarm.bif`` it is called ``alarm.bif.yaml``::

    title: Monitoring of a patient
    renormalise: yes
    questions:
      volume: {asks: HYPOVOLEMIA, kind: yes/no, positive: 'TRUE', text: Is the patient's blood volume low?}
    levels:
      monitors: {show: [HRBP, HREKG, HRSAT, BP]}
      pulse: {show: [HRBP]}
"""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pbn.errors import listing
from pbn.spec.model import Kind, Level, Question
from pbn.spec.names import check_label, unknown_state
from pbn.spec.nodes import Mapping, Node, Scalar, Sequence, kind_of
from pbn.spec.report import Report, shorten
from pbn.spec.schema import WORDS
from pbn.spec.source import read_file

_KEYS = ("title", "notes", "renormalise", "questions", "levels")
_QUESTION_KEYS = ("asks", "kind", "positive", "text")
_LEVEL_KEYS = ("hide", "show")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sidecar:
    """A sidecar's text, read; `questions` and `levels` look names up in the network."""

    root: Mapping
    title: str | None
    renormalise: bool

    def resolve(self, states: AbstractMapping[str, tuple[str, ...]]) -> tuple[dict[str, Question], dict[str, Level]]:
        """Questions and levels over the network's nodes, given the states of each; all faults at once."""
        report = Report()
        questions = {}
        for key, body in self._entries("questions", _QUESTION_KEYS, report):
            question = _question(key, body, states, report)
            if question:
                questions[key.text] = question
        asked = {question.asks for question in questions.values()}
        levels = {}
        for key, body in self._entries("levels", _LEVEL_KEYS, report):
            hidden, shown = (_nodes(body, part, states, asked, report) for part in _LEVEL_KEYS)
            rest = set(states) - asked - set(hidden) if "hide" in body else set()
            levels[key.text] = Level(name=key.text, visible=tuple(n for n in states if n in rest or n in shown))
        report.raise_any()
        return questions, levels

    def _entries(self, section: str, keys: tuple[str, ...], report: Report) -> list[tuple[Scalar, Mapping]]:
        found = []
        part = self.root.mapping(section)
        for key, body in part.pairs if part else ():
            if check_label(key, section[:-1], report) and _is_map(body, key, report):
                assert isinstance(body, Mapping)
                _check_keys(body, keys, report)
                found.append((key, body))
        return found


def read_sidecar(path: Path) -> Sidecar:
    """Read the file beside a network file; what it names is looked up by `Sidecar.resolve`."""
    root = read_file(path)
    report = Report()
    if not isinstance(root, Mapping):
        report.add(
            "spec/wrong-shape", f"the file is {kind_of(root)} where a map belongs", root.place, allowed=listing(_KEYS)
        )
        report.raise_any()
    assert isinstance(root, Mapping)
    _check_keys(root, _KEYS, report)
    for section in ("questions", "levels"):
        if section in root:
            _is_map(root.get(section), root.key(section), report)
    switch = root.scalar("renormalise")
    if "renormalise" in root and (switch is None or switch.text not in ("yes", "no")):
        report.add("spec/unknown-word", "renormalise is yes or no", root.key("renormalise").place, allowed="yes, no")
    report.raise_any()
    title = root.scalar("title")
    return Sidecar(
        root=root,
        title=title.text if title else None,
        renormalise=switch is not None and switch.text == "yes",
    )


def _check_keys(body: Mapping, allowed: tuple[str, ...], report: Report) -> None:
    for again, first in body.repeated:
        report.add(
            "spec/duplicate-key",
            f"the key {shorten(again.text)!r} stands twice, first on line {first.place.line}",
            again.place,
        )
    for key, _ in body.pairs:
        if key.text not in allowed:
            report.add(
                "spec/unknown-key",
                f"there is no key {shorten(key.text)!r} here",
                key.place,
                allowed=listing(allowed),
                hint=report.suggest(key.text, allowed),
            )


def _is_map(node: Node | None, key: Scalar, report: Report) -> bool:
    if isinstance(node, Mapping):
        return True
    report.add(
        "spec/wrong-shape",
        f"{shorten(key.text)} is {kind_of(node) if node else 'nothing'} where a map belongs",
        key.place,
    )
    return False


def _question(
    key: Scalar, body: Mapping, states: AbstractMapping[str, tuple[str, ...]], report: Report
) -> Question | None:
    asks, kind, positive, text = (body.scalar(name) for name in _QUESTION_KEYS)
    if asks is None or kind is None:
        missing = "asks" if asks is None else "kind"
        report.add("spec/missing-key", f"{key.text} has no key {missing!r}", key.place)
        return None
    before = len(report)
    if asks.text not in states:
        report.add(
            "spec/question-asks",
            f"there is no node {shorten(asks.text)!r}",
            asks.place,
            allowed=listing(states),
            hint=report.suggest(asks.text, states),
        )
    elif kind.text not in WORDS["kind"]:
        report.add(
            "spec/unknown-word",
            f"{shorten(kind.text)!r} cannot stand here",
            kind.place,
            allowed=listing(WORDS["kind"]),
            hint=report.suggest(kind.text, WORDS["kind"]),
        )
    elif kind.text == "yes/no":
        own = states[asks.text]
        if len(own) != 2:
            report.add(
                "spec/question-kind",
                f"{asks.text} has {len(own)} states, a yes/no question needs two",
                kind.place,
                allowed="choice or score",
            )
        elif positive is None:
            report.add(
                "spec/question-positive",
                f"the question does not say which state of {asks.text} counts as yes",
                asks.place,
                allowed=listing(own),
                hint="add 'positive: …'",
            )
        elif positive.text not in own:
            unknown_state(positive, asks.text, own, report)
    if len(report) > before:
        return None
    return Question(
        name=key.text,
        asks=asks.text,
        kind=cast(Kind, kind.text),
        text=text.text if text else "",
        positive=positive.text if positive and kind.text == "yes/no" else None,
    )


def _nodes(
    body: Mapping, part: str, states: AbstractMapping[str, tuple[str, ...]], asked: set[str], report: Report
) -> list[str]:
    node = body.get(part)
    if node is not None and not isinstance(node, (Scalar, Sequence)):
        report.add("spec/wrong-shape", f"{part} is {kind_of(node)} where a list belongs", body.key(part).place)
    found = []
    for scalar in body.scalars(part):
        if scalar.text in asked:
            report.add(f"spec/level-{part}s", f"{scalar.text} is what a question asks", scalar.place)
        elif scalar.text not in states:
            report.add(
                "spec/unknown-variable",
                f"there is no node {shorten(scalar.text)!r}",
                scalar.place,
                allowed=listing(states),
                hint=report.suggest(scalar.text, states),
            )
        else:
            found.append(scalar.text)
    return found
