"""A file of predictions, whoever wrote it: identifiers, probabilities and decisions, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pbn.cases.records import ID
from pbn.errors import Fault, QueryError, listing, nearest
from pbn.scores.inputs import SUM_TOLERANCE, UNKNOWN, Array
from pbn.scoring.files import Column, Numbers, Rows, TableFile
from pbn.scoring.truth import Asked, Truth
from pbn.scoring.values import (
    BLANK,
    EMPTY,
    NO_STATE,
    SUM,
    VALID,
    decisions_of,
    probabilities_of,
)

MOST_ROWS = 2_000_000
MOST_CELLS = 50_000_000
QUESTION, DECISION, DECLINED = "question", "decision", "unknown"
SINGLE = ("p", "probability_positive")
"""Columns that hold P(positive state) of a question with two states."""
SHOWN = 5
"""Identifiers of a kind that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A number of cases, and the identifiers of the first few."""

    count: int
    first: tuple[str, ...] = ()

    def __str__(self) -> str:
        more = ", …" if self.count > len(self.first) else ""
        return f"{self.count:,}" + (f" ({', '.join(self.first)}{more})" if self.first else "")


def named(names: Sequence[str]) -> Named:
    """How many there are, with the first few as `shown_text`."""
    return Named(count=len(names), first=tuple(map(shown_text, names[:SHOWN])))


def shown_text(name: str) -> str:
    r"""A name by anybody for a report: cut, and nothing in it that a terminal obeys.

    Examples
    --------
    >>> shown_text("a\x1b[31mb\ud800"), len(shown_text("a" * 1000))
    ('a?[31mb?', 64)
    """
    return "".join(character if character.isprintable() else "?" for character in name[:64])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What a file answers to one question, one entry for each of its rows: ``place`` is the case's in the truth, or −1.

    ``probs`` is (n, K), or None where the file gives none; ``why`` says what is wrong with a row of it, by the codes
    of `pbn.scoring.values.REASONS`. ``decisions`` are positions of states, −1 for unknown; so with ``why_not``.
    """

    ids: Sequence[str]
    place: Array
    probs: Array | None
    why: Array
    decisions: Array | None
    why_not: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predictions:
    """All that a file predicts: answers by question, and rows that belong to no case or question."""

    path: str
    rows: int
    answers: Mapping[str, Answers]
    strangers: Named
    without_id: Named
    unreadable: Named
    other_questions: Named
    unused: tuple[str, ...]


def read_predictions(path: Path, truth: Truth, question: str | None = None) -> Predictions:
    r"""The predictions in a file for the cases of a truth.

    A row has an ``id`` and a probability for each class in columns ``p_<state>``, or, for two classes, that of the
    positive state alone, in ``p``, ``probability_positive`` or its ``p_<state>``; or a ``decision``, the name of a
    state or ``unknown``; or both. A column ``question`` says what it answers; instead of it, columns may be called
    ``p_<question>_<state>`` and ``decision_<question>``, as a truth file's are.

    Parameters
    ----------
    question
        Only answers to this question; needed where the truth is of several and the file does not say which.

    Raises
    ------
    QueryError
        ``predictions/…``: the file cannot be read, is too large, or none of its rows belongs to a case.

    Examples
    --------
    >>> import tempfile
    >>> asked = Asked(name="rain", states=("no", "yes"), positive="yes")
    >>> truth = Truth(ids=["a", "b"], level=np.zeros(2, int), levels=("low",), row=np.arange(2), labels=None,
    ...               questions={"rain": asked}, probs={"rain": np.full((2, 2), 0.5)}, draws=None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("id,p\na,0.25\nb,70%\nc,0.5\n")
    ...     found = read_predictions(path, truth)
    >>> found.answers["rain"].probs.tolist(), found.strangers
    ([[0.75, 0.25], [nan, nan]], Named(count=1, first=('c',)))
    """
    if question is not None:
        truth.asked(question)
    table = _Table(path, truth)
    table.read()
    asked = table.answered(question)
    places = {name: k for k, name in enumerate(truth.ids)}
    place = np.array([-1 if name is None else places.get(name, -1) for name in table.ids], dtype=np.int64)
    strangers = [name for name, at in zip(table.ids, place.tolist(), strict=True) if name is not None and at < 0]
    nameless = [f"row {k + 1}" for k, name in enumerate(table.ids) if name is None]
    if not (place >= 0).any():
        message = f"no row of {str(path)[:200]} belongs to a case of the truth"
        hint = "identifiers are those of the data set's case files; the truth must be of the same draw and rows"
        found = f"{table.count:,} rows" + (f", the first with id {shown_text(strangers[0])}" if strangers else "")
        raise QueryError(Fault(code="predictions/no-case", message=message, found=found, hint=hint))
    known = place >= 0
    answers = {}
    for one, rows, wide in asked:
        kept = known if rows is None else known & rows
        if kept.any():
            answers[one.name] = table.answers(one, np.flatnonzero(kept), place, wide)
    if not answers:
        message = f"{str(path)[:200]} answers no question of the truth" + (f" called {question}" if question else "")
        table.refuse("question", message, listing(truth.questions))
    return Predictions(
        path=str(path),
        rows=table.count + len(table.unreadable),
        answers=answers,
        strangers=named(strangers),
        without_id=named(nameless),
        unreadable=named([f"line {number}" for number in table.unreadable]),
        other_questions=table.others(asked),
        unused=tuple(shown_text(name) for name in table.file.others if name.startswith(("p_", "decision")))[:20],
    )


class _Table:
    """The columns of a file of predictions that may say something, as numbers and codes."""

    def __init__(self, path: Path, truth: Truth) -> None:
        self.truth = truth
        texts = [DECLINED, *(state for asked in truth.questions.values() for state in asked.states)]
        self.codes = {text: k for k, text in enumerate(dict.fromkeys(texts))}
        self.wide = {
            f"p_{asked.name}_{state}": asked.name for asked in truth.questions.values() for state in asked.states
        }
        self.wide |= {f"{DECISION}_{name}": name for name in truth.questions}
        narrow = {f"p_{state}" for asked in truth.questions.values() for state in asked.states}
        self.numeric = {*SINGLE, *narrow, *(name for name in self.wide if name.startswith("p_"))}
        self.textual = {DECISION, *(f"{DECISION}_{name}" for name in truth.questions)}
        wanted = {ID, QUESTION, *self.numeric, *self.textual}
        self.file = TableFile(path, wanted.__contains__, "predictions")
        self.refuse = self.file.refuse
        self.count = 0
        self.ids: list[str | None] = []
        self.questions: list[Any] | None = None
        self.unreadable: list[int] = []
        self._numbers: dict[str, list[tuple[int, Array, Array]]] = {}
        self._texts: dict[str, list[tuple[int, Array]]] = {}

    # -- reading -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the file through."""
        for run in self.file.runs():
            self._take(run)
        if self.count == 0:
            self.refuse("empty", f"{str(self.file.path)[:200]} holds no predictions")

    def _take(self, run: Rows) -> None:
        self.unreadable += run.unreadable
        if run.count and ID not in run.columns and not self.ids:
            message, found = (
                f"{str(self.file.path)[:200]} has no column {ID}",
                listing([*run.columns, *self.file.others]),
            )
            hint = "each prediction carries the id of its case, as in the data set's case files"
            raise QueryError(Fault(code="predictions/column", message=message, found=found[:200] or None, hint=hint))
        self.ids += _identifiers(run.columns.get(ID), run.count)
        if QUESTION in run.columns or self.questions is not None:
            cells = run.columns.get(QUESTION)
            before: list[Any] = [None] * self.count if self.questions is None else self.questions
            self.questions = before + (_plain(cells) if cells is not None else [None] * run.count)
        for name, column in run.columns.items():
            if name in self.numeric:
                self._numbers.setdefault(name, []).append((self.count, *probabilities_of(column)))
            elif name in self.textual:
                self._texts.setdefault(name, []).append((self.count, decisions_of(column, self.codes)))
        self.count += run.count
        held = self.count * max(1, len(self._numbers) + len(self._texts))
        if self.count > MOST_ROWS or held > MOST_CELLS:
            most = f"{MOST_ROWS:,} rows, {MOST_CELLS:,} values"
            self.refuse("too-large", f"{str(self.file.path)[:200]} holds too many predictions", most)

    def _column(self, name: str) -> tuple[Array, Array]:
        """The numbers of a column, and why they are none, over the whole file."""
        values, why = np.full(self.count, np.nan), np.full(self.count, EMPTY, dtype=np.uint8)
        for start, numbers, reasons in self._numbers.get(name, ()):
            values[start : start + len(numbers)], why[start : start + len(numbers)] = numbers, reasons
        return values, why

    # -- what is answered ----------------------------------------------------------------------------

    def answered(self, question: str | None) -> list[tuple[Asked, Array | None, bool]]:
        """The questions, which rows answer each (None: all), and whether their columns are named after them."""
        wanted = [question] if question is not None else list(self.truth.questions)
        if self.questions is not None:
            told = np.array([cell if isinstance(cell, str) else "" for cell in self.questions], dtype=object)
            return [(self.truth.questions[name], told == name, False) for name in wanted]
        wide = {self.wide[name] for name in (*self._numbers, *self._texts) if name in self.wide}
        narrow = [name for name in (*self._numbers, *self._texts) if name not in self.wide]
        if wide and not narrow:
            return [(self.truth.questions[name], None, True) for name in wanted if name in wide]
        asked = self.truth.asked(question)
        if not narrow:
            self._refuse_columns(asked)
        return [(asked, None, False)]

    def others(self, asked: Iterable[tuple[Asked, Array | None, bool]]) -> Named:
        """Rows whose question is none that is looked at."""
        if self.questions is None:
            return Named(count=0)
        wanted = {one.name for one, _, _ in asked}
        names = [cell if isinstance(cell, str) else "no text" for cell in self.questions]
        names = [name for name in names if name not in wanted]
        return Named(count=len(names), first=tuple(map(shown_text, dict.fromkeys(names)))[:SHOWN])

    def answers(self, asked: Asked, rows: Array, place: Array, wide: bool) -> Answers:
        """What these rows of the file answer to a question."""
        probs, why = self._probabilities(asked, rows, wide)
        decisions, why_not = self._decisions(asked, rows, f"{DECISION}_{asked.name}" if wide else DECISION)
        if probs is not None and decisions is not None and (why == EMPTY).all():
            probs = None  # the columns are there for other questions
        if probs is None and decisions is None:
            self._refuse_columns(asked)
        if probs is None:
            why = np.full(len(rows), EMPTY, dtype=np.uint8)
        ids = [self.ids[k] or "" for k in rows.tolist()]
        return Answers(ids=ids, place=place[rows], probs=probs, why=why, decisions=decisions, why_not=why_not)

    def _probabilities(self, asked: Asked, rows: Array, wide: bool) -> tuple[Array | None, Array]:
        """P of each state, (n, K), from the one form of columns that says something."""
        prefix = f"p_{asked.name}_" if wide else "p_"
        forms: list[list[str]] = [[f"{prefix}{state}" for state in asked.states]]
        if len(asked.states) == 2 and not wide:
            forms += [[name] for name in SINGLE]
        there = [[name for name in form if name in self._numbers] for form in forms]
        read = [{name: self._column(name) for name in form} for form in there if form]
        full = [form for form in read if any((why[rows] != EMPTY).any() for _, why in form.values())]
        if len(full) > 1:
            names = listing(name for form in full for name in form)
            self.refuse("two-forms", f"the probabilities of {asked.name} are given twice, by {names}")
        if not read:
            return None, np.zeros(len(rows), dtype=np.uint8)
        form = (full or read)[0]
        if len(form) == 1 and len(asked.states) == 2:
            ((name, (values, why)),) = form.items()
            state = name.removeprefix(prefix) if name not in SINGLE else asked.positive
            found = np.empty((len(rows), 2))
            at = asked.states.index(state)
            found[:, at], found[:, 1 - at] = values[rows], 1 - values[rows]
            return found, why[rows]
        absent = [name for name in forms[0] if name not in form]
        if absent:
            hint = nearest(absent[0], self.file.others)
            self.refuse("column", f"the probabilities of {asked.name} lack {listing(absent)}", hint=hint)
        found = np.stack([form[name][0][rows] for name in forms[0]], axis=1)
        reasons = np.stack([form[name][1][rows] for name in forms[0]], axis=1)
        return found, _row_reasons(found, reasons)

    def _decisions(self, asked: Asked, rows: Array, name: str) -> tuple[Array | None, Array]:
        """Positions of the states that were decided, −1 for unknown, and what is wrong with each."""
        codes = np.full(self.count, BLANK, dtype=np.int32)
        for start, read in self._texts.get(name, ()):
            codes[start : start + len(read)] = read
        codes = codes[rows]
        if (codes == BLANK).all():
            return None, np.zeros(len(rows), dtype=np.uint8)
        found = np.full(len(rows), UNKNOWN, dtype=np.intp)
        why = np.full(len(rows), NO_STATE, dtype=np.uint8)
        why[codes == BLANK] = EMPTY
        why[codes == self.codes[DECLINED]] = VALID
        for k, state in enumerate(asked.states):  # after it: a state that is called unknown is a state
            chosen = codes == self.codes[state]
            found[chosen], why[chosen] = k, VALID
        return found, why

    def _refuse_columns(self, asked: Asked) -> NoReturn:
        """Say which columns a question needs."""
        needed = [f"p_{state}" for state in asked.states]
        if len(needed) == 2:
            needed = [*needed, *SINGLE]
        raise QueryError(
            Fault(
                code="predictions/column",
                message=f"{str(self.file.path)[:200]} has no column that answers {asked.name}",
                found=listing([*self._numbers, *self._texts, *self.file.others])[:300] or None,
                allowed=listing([*needed, DECISION]),
                hint=nearest(needed[-1], self.file.others),
            )
        )


def _row_reasons(probs: Array, reasons: Array) -> Array:
    """What is wrong with each row: what its first bad cell says, or that it does not sum to 1."""
    bad = reasons != VALID
    first = np.argmax(bad, axis=1)
    found: Array = reasons[np.arange(len(reasons)), first]
    with np.errstate(invalid="ignore"):
        off = np.abs(probs.sum(axis=1) - 1) > SUM_TOLERANCE
    found[off & (found == VALID)] = SUM
    return found


def _identifiers(column: Column | None, count: int) -> list[str | None]:
    """The identifiers of a run; None where a row has none."""
    if column is None:
        return [None] * count
    if isinstance(column, Numbers):
        cells = zip(column.values.tolist(), column.empty.tolist(), strict=True)
        return [None if empty else f"{value:.15g}" for value, empty in cells]
    return [_identifier(cell) for cell in column]


def _identifier(cell: Any) -> str | None:
    if isinstance(cell, str):
        return cell.strip()[:1000] or None
    if isinstance(cell, bool) or not isinstance(cell, int):
        return None
    return str(cell) if abs(cell) < 10**300 else None


def _plain(column: Column) -> list[Any]:
    if isinstance(column, Numbers):
        return [None if empty else value for value, empty in zip(column.values, column.empty, strict=True)]
    return [cell.strip() if isinstance(cell, str) else cell for cell in column]
