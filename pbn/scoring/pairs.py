"""Two files of predictions on the same cases: differences of means and calibration errors, and McNemar's test."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pbn.errors import Fault, QueryError, listing
from pbn.scores.accuracy import paired_difference
from pbn.scores.inputs import Array
from pbn.scores.significance import log_holm, log_mcnemar
from pbn.scoring.calibration import errors
from pbn.scoring.items import (
    CONFIDENCE,
    HITS,
    INTERVAL_NOTES,
    Difference,
    by_name,
    decision_items,
    intervals,
    probability_items,
)
from pbn.scoring.matching import Counts, Matched, match
from pbn.scoring.predictions import Predictions
from pbn.scoring.scores import SEED, TITLES, check_seed
from pbn.scoring.truth import Truth

SHARED = ("entropy", "irreducible_brier", "bayes_accuracy")
"""Scores that belong to the cases and are the same for both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McNemar:
    """Cases that one file alone decided rightly, and the exact two-sided p-value that this is even, as a logarithm.

    ``log_holm`` is that of the p-value corrected for all questions and levels that were compared (Holm 1979).
    """

    first_only: int
    second_only: int
    log_p: float
    log_holm: float

    @property
    def p(self) -> float:
        """The p-value, 0.0 where it is too small for a float."""
        return math.exp(self.log_p)

    @property
    def holm(self) -> float:
        """The corrected p-value."""
        return math.exp(self.log_holm)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPair:
    """Two files compared on one question at one level.

    ``shared`` cases have a row in both, ``first_only`` and ``second_only`` in one of them, and ``scored`` of the
    shared have valid probabilities in both. Invalid decisions of shared cases count as unknown. ``counts`` say what
    became of the cases in each file.
    """

    question: str
    level: str
    shared: int
    scored: int
    first_only: int
    second_only: int
    counts: tuple[Counts, Counts]
    differences: tuple[Difference, ...]
    mcnemar: McNemar | None

    def __getitem__(self, name: str) -> Difference:
        return by_name(self.differences, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """Two files compared, by question and level."""

    first: str
    second: str
    groups: tuple[GroupPair, ...]
    alone: tuple[str, ...]
    seed: int
    notes: tuple[str, ...]


def compare_predictions(first: Predictions, second: Predictions, truth: Truth, *, seed: int = SEED) -> Compared:
    """Compare two files on the cases that both predict.

    Raises
    ------
    QueryError
        ``predictions/nothing-shared``: there is no such case.
    """
    check_seed(seed)
    a, b = ({(one.asked.name, one.level): one for one in match(truth, file)} for file in (first, second))
    groups, alone = [], [" at level ".join(key) for key in [*a, *b] if (key in a) != (key in b)]
    for key, one in a.items():
        if key in b and (one.present & b[key].present).any():
            groups.append(_pair(one, b[key], seed))
        elif key in b:
            alone.append(" at level ".join(key))
    if not groups:
        message, found = "the two files have no case in common", listing(alone)
        hint = "both must predict the same question and level, by the same identifiers"
        raise QueryError(Fault(code="predictions/nothing-shared", message=message, found=found, hint=hint))
    return Compared(
        first=first.path,
        second=second.path,
        groups=tuple(_corrected(groups)),
        alone=tuple(dict.fromkeys(alone)),
        seed=seed,
        notes=truth.notes,
    )


def _pair(a: Matched, b: Matched, seed: int) -> GroupPair:
    both = a.present & b.present
    labels = None if a.labels is None else a.labels[both]
    found = list(_linear(*(decision_items(a.p[both], one.decisions[both], labels) for one in (a, b)), seed=seed))
    tested = None
    if labels is not None:
        hits, other_hits = a.decisions[both] == labels, b.decisions[both] == labels
        tested = _mcnemar(int((hits & ~other_hits).sum()), int((other_hits & ~hits).sum()))
    scored = both & a.valid & b.valid
    if a.q is not None and b.q is not None and scored.any():
        labels = None if a.labels is None else a.labels[scored]
        p, q, r = a.p[scored], a.q[scored], b.q[scored]
        found += _linear(*(probability_items(p, rows, labels) for rows in (q, r)), seed=seed)
        found += _calibration(a.asked.place, p, q, r, labels)
    order = list(TITLES)
    return GroupPair(
        question=a.asked.name,
        level=a.level,
        shared=int(both.sum()),
        scored=int(scored.sum()),
        first_only=int((a.present & ~b.present).sum()),
        second_only=int((b.present & ~a.present).sum()),
        counts=(a.counts, b.counts),
        differences=tuple(sorted(found, key=lambda one: order.index(one.name))),
        mcnemar=tested,
    )


def _linear(first: Mapping[str, Array], second: Mapping[str, Array], *, seed: int) -> Iterator[Difference]:
    names = [name for name in first if name not in SHARED]
    apart = {name: first[name] - second[name] for name in names}
    found = intervals({name: column for name, column in apart.items() if name != HITS}, seed)
    if HITS in names and len(apart[HITS]) > 1:
        found[HITS] = paired_difference(first[HITS], second[HITS], confidence=CONFIDENCE)
    for name in names:
        interval = found.get(name)
        yield Difference(
            name=name,
            first=float(first[name].mean()),
            second=float(second[name].mean()),
            difference=float(apart[name].mean()) + 0.0,
            interval=interval,
            cases=len(apart[name]),
            note=INTERVAL_NOTES.get(interval.method, "") if interval else "",
        )


def _mcnemar(first: int, second: int) -> McNemar:
    log_p = log_mcnemar(first, second)
    return McNemar(first_only=first, second_only=second, log_p=log_p, log_holm=log_p)


def _corrected(groups: Sequence[GroupPair]) -> Iterator[GroupPair]:
    """The groups with p-values corrected for how many they are."""
    tests = [one.mcnemar for one in groups if one.mcnemar is not None]
    corrected = iter(log_holm([one.log_p for one in tests]))
    for one in groups:
        yield one if one.mcnemar is None else replace(one, mcnemar=replace(one.mcnemar, log_holm=next(corrected)))


# -- calibration -------------------------------------------------------------------------------------


def _calibration(place: int, p: Array, q: Array, r: Array, labels: Array | None) -> Iterator[Difference]:
    """Differences of calibration errors, which have no intervals: the errors of resamples are biased, each its own way.

    The bias of an error is the greater, the smaller the error and the more its predictions are spread, so it does not
    cancel: of two predictors without any error, the interval of the difference would often not hold 0.
    """
    for (name, first, definition), (_, second, _) in zip(
        errors(place, p, q, labels), errors(place, p, r, labels), strict=True
    ):
        apart = first - second
        yield Difference(
            name=name, first=first, second=second, difference=apart, interval=None, cases=len(p), id=definition
        )
