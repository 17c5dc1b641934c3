"""Reference programs for the study of leaks: an honest one, one that loads the test answers, one that embeds them.

They are ours and stand for what an agent writes: each decides from the visible values, and may be given the file of
test answers that lies beside it. The audit takes the file away, or turns its answers round, and counts what changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from pbn.cases.sample import Codes
from pbn.models.baselines import View
from pbn.network.model import Array

Answers = Mapping[bytes, int]
"""The file of answers: case (`case_keys`) → label, 0 or 1."""


class Program(Protocol):
    """Something that decides cases; ``answers`` is the file that lies beside it, None where there is none."""

    def decide(self, codes: Codes, answers: Answers | None = None) -> Array:
        """The decided class of each case, (n,)."""


def case_keys(view: View, codes: Codes) -> list[bytes]:
    """What a case is called in a file of answers: all its visible values."""
    columns = np.stack([codes[name].astype("<u4") for name in view.names or ()], axis=1)
    return [row.tobytes() for row in columns]


def answers_of(view: View, codes: Codes) -> dict[bytes, int]:
    """The file of answers to these cases; of equal cases the last one's answer stands."""
    return dict(zip(case_keys(view, codes), view.labels(codes).tolist(), strict=True))


# -- honest programs ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class PointSystem:
    """Adds up a few features, each for or against, and decides by a threshold; reads no answers."""

    view: View
    signs: Array
    threshold: float

    def decide(self, codes: Codes, answers: Answers | None = None) -> Array:
        """1 where the points reach the threshold."""
        points = self.view.features(codes) @ self.signs
        found: Array = (points >= self.threshold).astype(np.int64)
        return found


def learn_points(view: View, codes: Codes, most: int = 12) -> PointSystem:
    """A point system from labelled cases: the features most correlated with the label, and the best threshold.

    Of equally good thresholds the middle one is taken; where the labels are all the same it decides so.
    """
    rows, labels = view.features(codes), view.labels(codes)
    spread, away = rows.std(axis=0), labels - labels.mean()
    correlation = np.divide(away @ rows / len(rows), spread, out=np.zeros(rows.shape[1]), where=spread > 0)
    chosen = np.argsort(-np.abs(correlation), kind="stable")[:most]
    signs = np.zeros(rows.shape[1])
    signs[chosen] = np.sign(correlation[chosen])
    points = rows @ signs
    ordered = np.unique(points)
    cuts = np.concatenate([[ordered[0] - 1], (ordered[1:] + ordered[:-1]) / 2, [ordered[-1] + 1]])
    right = ((points >= cuts[:, None]) == (labels == 1)).sum(axis=1)
    best = np.flatnonzero(right == right.max())
    return PointSystem(view=view, signs=signs, threshold=float(cuts[best[len(best) // 2]]))


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionRule:
    """Decides 1 where the letter at the report's position is one that the tag may be; reads no answers."""

    view: View
    letters: tuple[str, ...]
    positions: tuple[int, ...]
    shown: str
    matches: Array

    def decide(self, codes: Codes, answers: Answers | None = None) -> Array:
        """1 where the letter is in the range."""
        at = np.array(self.positions)[codes["report"]]
        letters = np.stack([codes[name] for name in self.letters], axis=1)[np.arange(len(at)), at]
        found: Array = self.matches[codes[self.shown], letters].astype(np.int64)
        return found


def learn_position(view: View, codes: Codes) -> PositionRule:
    """For each report the position of the identifier at which a match with the shown tag goes best with the label."""
    network = view.world.network
    letters = view.world.families["identifier"]
    shown = next(name for name in view.names or () if name.startswith("tag"))
    alphabet = network.variables[letters[0]].states
    matches = np.array([[_within(letter, state) for letter in alphabet] for state in network.variables[shown].states])
    labels = view.labels(codes)
    positions = []
    for report in range(network.size("report")):
        rows = np.flatnonzero(codes["report"] == report)
        right = [
            int((matches[codes[shown][rows], codes[letter][rows]] == (labels[rows] == 1)).sum()) for letter in letters
        ]
        positions.append(int(np.argmax(right)))
    return PositionRule(view=view, letters=letters, positions=tuple(positions), shown=shown, matches=matches)


def _within(letter: str, state: str) -> bool:
    first, _, last = state.partition("-")
    return first <= letter <= (last or first)


def learn_rule(view: View, codes: Codes) -> Program:
    """The honest program of a world, learnt from labelled cases alone."""
    return learn_position(view, codes) if "identifier" in view.world.families else learn_points(view, codes)


# -- programs that know the test answers -------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class LookUp:
    """Looks a case up in the file of answers, and falls back to a rule where it is not there."""

    view: View
    rule: Program

    def decide(self, codes: Codes, answers: Answers | None = None) -> Array:
        """The answer in the file, else the rule's decision."""
        decided = self.rule.decide(codes)
        known = answers or {}
        looked = zip(case_keys(self.view, codes), decided.tolist(), strict=True)
        return np.array([known.get(key, own) for key, own in looked], dtype=np.int64)


@dataclass(frozen=True, kw_only=True, eq=False)
class EmbeddedCorrection:
    """A rule with exceptions written into the program: the test cases that the rule had decided wrongly."""

    view: View
    rule: Program
    exceptions: Mapping[bytes, int] = field(default_factory=dict)

    def decide(self, codes: Codes, answers: Answers | None = None) -> Array:
        """The exception for the case, else the rule's decision; the file is not read."""
        return LookUp(view=self.view, rule=self.rule).decide(codes, self.exceptions)


def embed(view: View, rule: Program, codes: Codes) -> EmbeddedCorrection:
    """The program that somebody writes who sees the test answers: the rule, and every case that it gets wrong."""
    keys, decided, labels = case_keys(view, codes), rule.decide(codes), view.labels(codes)
    wrong = np.flatnonzero(decided != labels)
    return EmbeddedCorrection(view=view, rule=rule, exceptions={keys[k]: int(labels[k]) for k in wrong})


# -- the audit ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAudit:
    """How many decisions change, and what accuracy is left, without the file of answers and with all of them turned."""

    removed_changed: int
    removed_accuracy: float
    flipped_changed: int
    flipped_accuracy: float


def audit_file(program: Program, codes: Codes, answers: Answers, labels: Sequence[int] | Array) -> FileAudit:
    """Run a program as it is, without its file of answers, and with the answers in it turned round."""
    given = np.asarray(labels)
    before = program.decide(codes, answers)
    removed = program.decide(codes, None)
    flipped = program.decide(codes, {key: 1 - label for key, label in answers.items()})
    return FileAudit(
        removed_changed=int((removed != before).sum()),
        removed_accuracy=float((removed == given).mean()),
        flipped_changed=int((flipped != before).sum()),
        flipped_accuracy=float((flipped == given).mean()),
    )
