"""The columns of a file of predictions: which question they answer, and what they say of it, row by row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pbn.cases.records import ID
from pbn.errors import Fault, QueryError, closest, listing
from pbn.scores.inputs import UNKNOWN, Array
from pbn.scoring.files import JSON_LINES, Column, Numbers, Rows, TableFile
from pbn.scoring.truth import Asked, Truth
from pbn.scoring.values import (
    ABOVE,
    BLANK,
    EMPTY,
    INFINITE,
    NAN,
    NEGATIVE,
    NO_STATE,
    OTHER,
    SUM,
    VALID,
    decisions_of,
    probabilities_of,
    shown_cell,
    shown_text,
    summed,
)

MOST_ROWS = 2_000_000
MOST_CELLS = 50_000_000
QUESTION, DECISION, DECLINED = "question", "decision", "unknown"
SINGLE = ("p", "probability_positive")
"""Columns that hold P(positive state) of a question with two states."""
_ID_LIKE = re.compile(r"((case|row|memo|item|sample|example)[ _-]?)?id(entifier)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Answers:
    """What a file answers to one question, one entry for each of its rows: ``place`` is the case's in the truth, or −1.

    ``probs`` is (n, K), or None where the file gives none; ``why`` says what is wrong with a row of it, by the codes
    of `pbn.scoring.values.REASONS`, and ``off`` how far its sum was from 1 where it was rescaled. ``decisions`` are
    positions of states, −1 for unknown; so with ``why_not``. ``examples`` hold a cell for each reason.
    """

    ids: Sequence[str]
    place: Array
    probs: Array | None
    why: Array
    off: Array
    decisions: Array | None
    why_not: Array
    examples: Mapping[int, str]


class Table:
    """The columns of a file of predictions that may say something, as numbers and codes.

    A column is *named after* a question if the question's name is in its own, such as ``p_default_yes``; all others
    are *plain*.
    """

    def __init__(self, path: Path, truth: Truth) -> None:
        self.truth = truth
        questions = truth.questions.values()
        texts = [DECLINED, *(state for asked in questions for state in asked.states)]
        self.codes = {text: k for k, text in enumerate(dict.fromkeys(texts))}
        self.others: dict[str, int] = {}
        self.named_after = {asked.name: [*_wide(asked).values(), f"{DECISION}_{asked.name}"] for asked in questions}
        named = {column for columns in self.named_after.values() for column in columns}
        self.plain = {*SINGLE, DECISION, *(f"p_{state}" for asked in questions for state in asked.states)} - named
        wanted = {ID, QUESTION, *self.plain, *named}
        self.file = TableFile(path, wanted.__contains__, "predictions")
        self.name = str(path)[:200]
        self.count = 0
        self.ids: list[str | None] = []
        self.questions: list[Any] | None = None
        self.unreadable: list[int] = []
        self.filled: set[str] = set()
        self.used: set[str] = set()
        self._numbers: dict[str, list[tuple[int, Array, Array]]] = {}
        self._texts: dict[str, list[tuple[int, Array]]] = {}
        self._examples: dict[str, dict[int, str]] = {}

    # -- reading -------------------------------------------------------------------------------------

    def read(self) -> None:
        """Read the file through."""
        for run in self.file.runs():
            self._take(run)
        if self.count:
            return
        if not self.unreadable:
            self.file.refuse("empty", f"{self.name} holds no predictions")
        if self.file.suffix == ".csv":
            self.file.refuse("unreadable", f"no line of {self.name} has as many cells as the first has names")
        self.file.refuse("unreadable", f"no line of {self.name} is a JSON object", hint=JSON_LINES)

    def _take(self, run: Rows) -> None:
        self.unreadable += run.unreadable
        if run.count and ID not in run.columns and not self.ids:
            hint = "each prediction carries the id of its case, as in the data set's case files"
            like = next((name for name in self.file.others if _ID_LIKE.fullmatch(name)), None)
            hint = f"rename column {like!r} to {ID!r}" if like else hint
            self._refuse_columns(f"{self.name} has no column {ID}", None, hint, [*run.columns, *self.file.others])
        self.ids += _identifiers(run.columns.get(ID), run.count)
        if QUESTION in run.columns or self.questions is not None:
            cells = run.columns.get(QUESTION)
            before: list[Any] = [None] * self.count if self.questions is None else self.questions
            self.questions = before + (_plain(cells) if cells is not None else [None] * run.count)
        for name, column in run.columns.items():
            if name.startswith(DECISION):
                codes = decisions_of(column, self.codes, self.others)
                self._texts.setdefault(name, []).append((self.count, codes))
                filled = (codes != BLANK).any()
            elif name in (ID, QUESTION):
                continue
            else:
                values, why = probabilities_of(column)
                self._numbers.setdefault(name, []).append((self.count, values, why))
                filled = (why != EMPTY).any()
                self._keep_examples(name, column, why)
            if filled:
                self.filled.add(name)
        self.count += run.count
        held = self.count * max(1, len(self._numbers) + len(self._texts))
        if self.count + len(self.unreadable) > MOST_ROWS or held > MOST_CELLS:
            most = f"{MOST_ROWS:,} rows, {MOST_CELLS:,} values"
            self.file.refuse("too-large", f"{self.name} holds too many predictions", most)

    def _keep_examples(self, name: str, column: Column, why: Array) -> None:
        known = self._examples.setdefault(name, {})
        for code in set(np.unique(why).tolist()) - {VALID, EMPTY, NAN, INFINITE} - known.keys():
            first = int(np.argmax(why == code))
            cell = column.values[first].item() if isinstance(column, Numbers) else column[first]
            text = shown_text(shown_cell(cell))
            known[code] = text if code in (NEGATIVE, ABOVE) or not isinstance(cell, str) else repr(text)

    def _column(self, name: str) -> tuple[Array, Array]:
        """The numbers of a column, and why they are none, over the whole file."""
        values, why = np.full(self.count, np.nan), np.full(self.count, EMPTY, dtype=np.uint8)
        for start, numbers, reasons in self._numbers.get(name, ()):
            values[start : start + len(numbers)], why[start : start + len(numbers)] = numbers, reasons
        return values, why

    def _codes(self, name: str) -> Array:
        """The codes of a column of decisions over the whole file."""
        codes = np.full(self.count, BLANK, dtype=np.int32)
        for start, read in self._texts.get(name, ()):
            codes[start : start + len(read)] = read
        return codes

    def _is_filled(self, name: str) -> Array:
        """Which rows have anything in a column."""
        filled: Array = self._codes(name) != BLANK if name in self._texts else self._column(name)[1] != EMPTY
        return filled

    # -- what is answered ----------------------------------------------------------------------------

    @property
    def columns(self) -> list[str]:
        """The columns that are there and could answer something."""
        return [*self._numbers, *self._texts]

    def answered(self, question: str | None) -> list[tuple[Asked, Array]]:
        """The questions, and which rows answer each."""
        wanted = [question] if question is not None else list(self.truth.questions)
        if self.questions is not None:
            return self._by_row(self.questions, wanted)
        if len(wanted) > 1:
            there = self.filled or set(self.columns)
            wanted = [name for name in wanted if there.intersection(self.named_after[name])]
            plain = [name for name in self.columns if name in there & self.plain]
            if len(wanted) != 1 and (plain or not wanted):
                self._refuse_question(plain)
        every = np.ones(self.count, dtype=bool)
        return [(self.truth.questions[name], every) for name in wanted]

    def _by_row(self, cells: Sequence[Any], wanted: Iterable[str]) -> list[tuple[Asked, Array]]:
        """The rows of each question by the column ``question``, or where that is blank by what is filled."""
        told = np.array([cell if isinstance(cell, str) else "" for cell in cells], dtype=object)
        found = []
        for name in wanted:
            rows = told == name
            for column in sorted(self.filled.intersection(self.named_after[name])):
                filled = self._is_filled(column)
                rows |= filled & (told == "")
                apart = filled & (told != name) & np.isin(told, [*self.truth.questions])
                if apart.any():
                    first = int(np.argmax(apart))
                    message = f"row {first + 1} of {self.name} answers {told[first]} and fills {column}"
                    hint = "a row answers the question that its column question names"
                    raise QueryError(Fault(code="predictions/question", message=message, hint=hint))
            found.append((self.truth.questions[name], rows))
        return found

    def other_questions(self, asked: Iterable[tuple[Asked, Array]]) -> list[str]:
        """What the rows say that belong to no question that is looked at."""
        if self.questions is None:
            return []
        rest = np.ones(self.count, dtype=bool)
        for _, rows in asked:
            rest &= ~rows
        cells = [self.questions[k] for k in np.flatnonzero(rest).tolist()]
        return [(cell or "no question") if isinstance(cell, str | None) else "no text" for cell in cells]

    def unused(self) -> list[str]:
        """Columns that look like predictions and were not read."""
        left = [name for name in self.columns if name not in self.used]
        return [*(name for name in self.file.others if name.startswith(("p_", DECISION))), *left]

    def answers(self, asked: Asked, rows: Array, place: Array) -> Answers:
        """What these rows of the file answer to a question."""
        examples: dict[int, str] = {}
        probs, why, off = self._probabilities(asked, rows, examples)
        decisions, why_not = self._decisions(asked, rows, examples)
        if probs is not None and decisions is not None and (why == EMPTY).all():
            probs = None  # the columns are there for other questions
        if probs is None and decisions is None:
            self._refuse_answer(asked)
        if probs is None:
            why, off = np.full(len(rows), EMPTY, dtype=np.uint8), np.zeros(len(rows))
        return Answers(
            ids=[self.ids[k] or "" for k in rows.tolist()],
            place=place[rows],
            probs=probs,
            why=why,
            off=off,
            decisions=decisions,
            why_not=why_not,
            examples=examples,
        )

    def _probabilities(self, asked: Asked, rows: Array, examples: dict[int, str]) -> tuple[Array | None, Array, Array]:
        """P of each state, (n, K), from the one form of columns that says something."""
        forms = [_wide(asked), _narrow(asked)]
        if len(asked.states) == 2:
            forms += [{asked.positive: name} for name in SINGLE]
        own = self.plain.union(forms[0].values()).intersection(self._numbers)
        there = [{state: name for state, name in form.items() if name in own} for form in forms]
        self.used.update(name for form in there for name in form.values())
        read = [
            (k, {state: self._column(name) for state, name in form.items()}) for k, form in enumerate(there) if form
        ]
        full = [(k, cells) for k, cells in read if any((why[rows] != EMPTY).any() for _, why in cells.values())]
        if len(full) > 1:
            message = f"the probabilities of {asked.name} are given twice in {self.name}"
            self._refuse_twice(message, [name for k, _ in full for name in there[k].values()])
        if not read:
            return None, np.zeros(0, dtype=np.uint8), np.zeros(0)
        k, cells = (full or read)[0]
        for name in there[k].values():
            examples |= self._examples[name]
        if len(cells) == 1 and len(asked.states) == 2:
            ((state, (values, why)),) = cells.items()
            found = np.empty((len(rows), 2))
            at = asked.states.index(state)
            found[:, at], found[:, 1 - at] = values[rows], 1 - values[rows]
            return found, why[rows], np.zeros(len(rows))
        absent = [name for state, name in forms[k].items() if state not in cells]
        if absent:
            message = f"the probabilities of {asked.name} in {self.name} lack {listing(absent)}"
            self.file.refuse("column", message, hint=self._rename(absent))
        found = np.stack([cells[state][0][rows] for state in asked.states], axis=1)
        reasons = np.stack([cells[state][1][rows] for state in asked.states], axis=1)
        blank = reasons == EMPTY
        if blank.any() and not blank.all():
            state = asked.states[int(np.argmax(blank.any(axis=0)))]
            examples[EMPTY] = f"nothing in {shown_text(forms[k][state])}"
        probs, why, off = summed(found, reasons)
        if (why == SUM).any():
            examples[SUM] = f"a sum of {found[int(np.argmax(why == SUM))].sum():.4g}"
        return probs, why, off

    def _decisions(self, asked: Asked, rows: Array, examples: dict[int, str]) -> tuple[Array | None, Array]:
        """Positions of the states that were decided, −1 for unknown, and what is wrong with each."""
        there = [name for name in (f"{DECISION}_{asked.name}", DECISION) if name in self._texts]
        self.used.update(there)
        full = [name for name in there if (self._codes(name)[rows] != BLANK).any()]
        if len(full) > 1:
            self._refuse_twice(f"the decisions about {asked.name} are given twice in {self.name}", full)
        if not full:
            return None, np.zeros(len(rows), dtype=np.uint8)
        codes = self._codes(full[0])[rows]
        found = np.full(len(rows), UNKNOWN, dtype=np.intp)
        why = np.full(len(rows), NO_STATE, dtype=np.uint8)
        why[codes == BLANK] = EMPTY
        why[codes == self.codes[DECLINED]] = VALID
        for k, state in enumerate(asked.states):  # after it: a state that is called unknown is a state
            chosen = codes == self.codes[state]
            found[chosen], why[chosen] = k, VALID
        wrong, often = np.unique(codes[why == NO_STATE], return_counts=True)
        if len(wrong) and wrong[np.argmax(often)] != OTHER:
            texts = {code: text for text, code in [*self.codes.items(), *self.others.items()]}
            examples[NO_STATE] = repr(shown_text(texts[int(wrong[np.argmax(often)])]))
        return found, why

    # -- errors --------------------------------------------------------------------------------------

    def _rename(self, wanted: Sequence[str]) -> str | None:
        """Which unread column may be meant for a wanted one."""
        for name in wanted:
            like = closest(name, self.file.others)
            if like is not None:
                return f"if column {shown_text(like)!r} holds it, rename it to {name!r}"
        return None

    def _refuse_twice(self, message: str, columns: Sequence[str]) -> NoReturn:
        hint = "leave one form out"
        raise QueryError(Fault(code="predictions/two-forms", message=message, found=listing(columns), hint=hint))

    def _refuse_answer(self, asked: Asked) -> NoReturn:
        """Say which columns a question needs."""
        needed = [*_narrow(asked).values(), *(SINGLE if len(asked.states) == 2 else ()), DECISION]
        hint = self._rename([DECISION, *needed[::-1]])
        self._refuse_columns(f"{self.name} has no column that answers {asked.name}", listing(needed), hint)

    def _refuse_question(self, plain: Sequence[str]) -> NoReturn:
        """Say that columns could answer any of several questions."""
        if not self.columns:
            needed = "p_QUESTION_STATE or decision_QUESTION; p_STATE or decision beside a column question"
            self._refuse_columns(f"{self.name} has no column that answers a question", needed, None)
        message = f"the truth is of several questions, and {self.name} does not say which it answers"
        hint = f"give --question, or a column question, for {listing(plain)}"
        allowed = listing(self.truth.questions)
        raise QueryError(Fault(code="predictions/question", message=message, allowed=allowed, hint=hint))

    def _refuse_columns(
        self, message: str, allowed: str | None, hint: str | None, found: Sequence[str] | None = None
    ) -> NoReturn:
        there = listing(map(shown_text, found or [*self.columns, *self.file.others]))[:300] or None
        raise QueryError(Fault(code="predictions/column", message=message, found=there, allowed=allowed, hint=hint))


def _wide(asked: Asked) -> dict[str, str]:
    """The columns of a question's probabilities that are named after it, by state."""
    return {state: f"p_{asked.name}_{state}" for state in asked.states}


def _narrow(asked: Asked) -> dict[str, str]:
    """The plain columns of a question's probabilities, by state."""
    return {state: f"p_{state}" for state in asked.states}


def _identifiers(column: Column | None, count: int) -> list[str | None]:
    """The identifiers of a run; None where a row has none."""
    if column is None:
        return [None] * count
    if isinstance(column, Numbers):
        cells = zip(column.values.tolist(), column.empty.tolist(), strict=True)
        return [None if empty else str(value) if isinstance(value, int) else f"{value:.15g}" for value, empty in cells]
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
