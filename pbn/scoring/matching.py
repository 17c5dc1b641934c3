"""Predictions and truth case by case: for each question and level what was predicted, and what was not."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.scores.inputs import UNKNOWN, Array
from pbn.scoring.predictions import Answers, Named, Predictions, named
from pbn.scoring.truth import Asked, Truth
from pbn.scoring.values import CONFLICT, REASONS, VALID

Missing = Literal["unknown", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the cases of a question and level.

    ``total`` cases count; ``scored`` of them have valid probabilities and ``decided`` a valid decision, which for
    ``unknown`` of them is unknown. Of the others, ``invalid_probabilities`` and ``invalid_decisions`` say by reason
    why not; ``missing`` have no row at all. ``repeated`` have several rows that say the same.
    """

    total: int
    scored: int
    decided: int
    unknown: int
    missing: Named
    repeated: Named
    invalid_probabilities: Mapping[str, Named]
    invalid_decisions: Mapping[str, Named]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matched:
    """The cases of one question at one level, (n,) each, in the order of the truth.

    ``p`` and ``q`` are (n, K), ``q`` None where the file gives no probabilities, NaN in rows that are not ``valid``.
    ``decisions`` are −1 where there is none. ``present`` says which cases the file has a row of.
    """

    asked: Asked
    level: str
    ids: Sequence[str]
    p: Array
    q: Array | None
    valid: Array
    decisions: Array
    implied: bool
    present: Array
    labels: Array | None
    draws: Sequence[Hashable] | None
    counts: Counts


def match(truth: Truth, predictions: Predictions, missing: Missing = "unknown") -> list[Matched]:
    """Each question and level that the file predicts any case of, questions and levels in the truth's order.

    Where the file has no decisions, the most probable state of each row (of several, the first) is its decision.

    Parameters
    ----------
    missing
        What a case without a row is: ``unknown``, a case whose decision is unknown; ``skip``, no case at all.

    Raises
    ------
    QueryError
        ``predictions/missing``: no such choice.
    """
    if missing not in get_args(Missing):
        message = f"missing cases cannot be {str(missing)[:40]!r}"
        raise QueryError(Fault(code="predictions/missing", message=message, allowed=listing(get_args(Missing))))
    found = []
    for name, asked in truth.questions.items():
        if name in predictions.answers:
            chosen, repeated = _one_each(predictions.answers[name], len(truth.ids))
            for code, level in enumerate(truth.levels):
                cases = np.flatnonzero(truth.level == code)
                if (chosen.row[cases] >= 0).any():
                    found.append(_matched(truth, asked, level, cases, chosen, repeated, missing))
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Chosen:
    """The row of the answers for each case of a truth, −1 for none, and which answers are in conflict."""

    answers: Answers
    row: Array
    conflict: Array


def _one_each(answers: Answers, cases: int) -> tuple[_Chosen, Array]:
    """One row for each case; rows that say the same are one, rows that do not are none."""
    order = np.argsort(answers.place, kind="stable")
    place = answers.place[order]
    head = np.flatnonzero(np.diff(place, prepend=-1))
    group = np.repeat(head, np.diff(head, append=len(place)))
    first = order[group]
    same = (answers.why[order] == answers.why[first]) & (answers.why_not[order] == answers.why_not[first])
    if answers.probs is not None:
        a, b = answers.probs[order], answers.probs[first]
        same &= ((a == b) | (np.isnan(a) & np.isnan(b))).all(axis=1)
    if answers.decisions is not None:
        same &= answers.decisions[order] == answers.decisions[first]
    row = np.full(cases, -1, dtype=np.int64)
    row[place[head]] = order[head]
    conflict, repeated = np.zeros(cases, dtype=bool), np.zeros(cases, dtype=bool)
    conflict[place[~same]] = True
    repeated[place[np.arange(len(place)) != group]] = True
    return _Chosen(answers=answers, row=row, conflict=conflict), repeated & ~conflict


def _matched(
    truth: Truth, asked: Asked, level: str, cases: Array, chosen: _Chosen, repeated: Array, missing: Missing
) -> Matched:
    answers, lost = chosen.answers, cases[chosen.row[cases] < 0]
    if missing == "skip":
        cases = cases[chosen.row[cases] >= 0]
    row = chosen.row[cases]
    present, conflict = row >= 0, chosen.conflict[cases]
    at = np.maximum(row, 0)
    why = np.where(conflict, CONFLICT, answers.why[at])
    valid = present & (why == VALID)
    q = None
    if answers.probs is not None:
        q = np.where(valid[:, None], answers.probs[at], np.nan)
    else:
        valid = np.zeros(len(cases), dtype=bool)
    implied = answers.decisions is None
    if answers.decisions is None:
        assert q is not None
        decisions = np.where(valid, np.argmax(np.nan_to_num(q), axis=1), UNKNOWN)
        why_not = why
    else:
        why_not = np.where(conflict, CONFLICT, answers.why_not[at])
        decisions = np.where(present & (why_not == VALID), answers.decisions[at], UNKNOWN)
    decided = present & (why_not == VALID)
    ids = [truth.ids[k] for k in cases.tolist()]
    counts = Counts(
        total=len(cases),
        scored=int(valid.sum()),
        decided=int(decided.sum()),
        unknown=int((decided & (decisions == UNKNOWN)).sum()),
        missing=named([truth.ids[k] for k in lost.tolist()]),
        repeated=_where(ids, repeated[cases]),
        invalid_probabilities=_reasons(ids, present, why) if answers.probs is not None else {},
        invalid_decisions={} if implied else _reasons(ids, present, why_not),
    )
    return Matched(
        asked=asked,
        level=level,
        ids=ids,
        p=truth.probs[asked.name][cases],
        q=q,
        valid=valid,
        decisions=decisions.astype(np.intp),
        implied=implied,
        present=present,
        labels=None if truth.labels is None else truth.labels[asked.name][cases],
        draws=None if truth.draws is None else [truth.draws[k] for k in cases.tolist()],
        counts=counts,
    )


def _reasons(ids: Sequence[str], present: Array, why: Array) -> dict[str, Named]:
    codes = [code for code in np.unique(why[present]).tolist() if code != VALID]
    return {REASONS[code]: _where(ids, present & (why == code)) for code in codes}


def _where(ids: Sequence[str], chosen: Array) -> Named:
    return named([ids[k] for k in np.flatnonzero(chosen).tolist()])
