"""Predictions and truth case by case: for each question and level what was predicted, and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NoReturn, get_args

import numpy as np

from pbn.errors import Fault, QueryError, listing, nearest
from pbn.scores.inputs import UNKNOWN, Array
from pbn.scoring.answers import DECLINED, Answers
from pbn.scoring.predictions import Named, Predictions, named
from pbn.scoring.truth import Asked, Draw, Truth
from pbn.scoring.values import CONFLICT, REASONS, VALID, remedy

Missing = Literal["unknown", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What became of the cases of a question and level.

    ``total`` cases count; ``scored`` of them have valid probabilities and ``decided`` a valid decision, which for
    ``unknown`` of them is unknown. Of the others, ``invalid_probabilities`` and ``invalid_decisions`` say by reason
    why not; ``missing`` have no row at all. ``repeated`` have several rows that say the same. The probabilities of
    ``rescaled`` were divided by their sum, which rounding had put off by ``largest_off`` at most.
    """

    total: int
    scored: int
    decided: int
    unknown: int
    missing: Named
    repeated: Named
    invalid_probabilities: Mapping[str, Named]
    invalid_decisions: Mapping[str, Named]
    rescaled: Named
    largest_off: float

    @property
    def n_total(self) -> int:
        """Cases that count: those scored, those invalid and, unless they are skipped, those missing."""
        return self.total

    @property
    def n_scored(self) -> int:
        """Cases with valid probabilities; in a file of decisions alone, with valid decisions."""
        return self.scored if self.has_probabilities else self.decided

    @property
    def n_invalid(self) -> int:
        """Cases with invalid probabilities; in a file of decisions alone, with invalid decisions."""
        found = self.invalid_probabilities if self.has_probabilities else self.invalid_decisions
        return sum(one.count for one in found.values())

    @property
    def has_probabilities(self) -> bool:
        """Whether the file gives any case of these a probability, valid or not."""
        return bool(self.scored or self.invalid_probabilities)


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
    draws: Sequence[Draw] | None
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
        ``predictions/missing``: no such choice; ``predictions/none-valid``: no row of the file can be scored.
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
    if not any(one.counts.scored or one.counts.decided for one in found):
        _refuse_invalid(truth, predictions, found)
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
    off = np.where(valid, np.abs(answers.off[at]), 0.0)
    ids = [truth.ids[k] for k in cases.tolist()]
    counts = Counts(
        total=len(cases),
        scored=int(valid.sum()),
        decided=int(decided.sum()),
        unknown=int((decided & (decisions == UNKNOWN)).sum()),
        missing=named([truth.ids[k] for k in lost.tolist()]),
        repeated=_where(ids, repeated[cases]),
        invalid_probabilities=_reasons(ids, present, why, answers) if answers.probs is not None else {},
        invalid_decisions={} if implied else _reasons(ids, present, why_not, answers),
        rescaled=_where(ids, off > 0),
        largest_off=float(off.max(initial=0)),
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


def _reasons(ids: Sequence[str], present: Array, why: Array, answers: Answers) -> dict[str, Named]:
    codes = [code for code in np.unique(why[present]).tolist() if code != VALID]
    return {REASONS[code]: _where(ids, present & (why == code), answers.examples.get(code, "")) for code in codes}


def _where(ids: Sequence[str], chosen: Array, example: str = "") -> Named:
    return named([ids[k] for k in np.flatnonzero(chosen).tolist()], example)


def _refuse_invalid(truth: Truth, predictions: Predictions, found: Sequence[Matched]) -> NoReturn:
    """Say why most rows cannot be scored, where none can."""
    reasons = [
        (many, REASONS.index(reason), one.asked, told is one.counts.invalid_decisions)
        for one in found
        for told in (one.counts.invalid_probabilities, one.counts.invalid_decisions)
        for reason, many in told.items()
    ]
    many, code, asked, is_decision = max(reasons, key=lambda told: told[0].count)
    hint: str | None
    if is_decision and code != CONFLICT:
        allowed, hint = listing([*asked.states, DECLINED]), _meant(truth, asked, many.example)
    else:
        allowed, hint = remedy(code, len(asked.states))
    rows = sum(int(one.present.sum()) for one in found)
    message = f"no row of {predictions.path[:200]} can be scored: {REASONS[code]} in {many.count:,} of {rows:,} cases"
    seen = f"{many.example or REASONS[code]}, for {asked.name}"
    raise QueryError(Fault(code="predictions/none-valid", message=message, found=seen, allowed=allowed, hint=hint))


def _meant(truth: Truth, asked: Asked, example: str) -> str:
    """What a decision that is no state may have been meant for."""
    text = example.strip("'\"")
    same = next((state for state in (*asked.states, DECLINED) if state.lower() == text.lower()), None)
    if same is not None:
        return f"write {same!r}: names are read as they are spelt, capitals and all"
    other = next((name for name, one in truth.questions.items() if text in one.states), None)
    if other is not None:
        return f"{example} is a state of {other}: give --question {other}"
    return nearest(text, asked.states) or "a decision is the name of a state"
