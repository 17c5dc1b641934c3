"""A file of predictions, whoever wrote it: identifiers, probabilities and decisions, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.scoring.answers import Answers, Table
from pbn.scoring.elsewhere import found_elsewhere
from pbn.scoring.truth import Truth
from pbn.scoring.values import shown_text

SHOWN = 5
"""Identifiers of a kind that are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A number of cases, and the identifiers of the first few; ``example`` is what stands in one of them.

    ``first`` may be the first of fewer names than there are cases: then ``names`` says how many.
    """

    count: int
    first: tuple[str, ...] = ()
    example: str = ""
    names: int | None = None

    def __str__(self) -> str:
        all_names = self.count if self.names is None else self.names
        more = ", …" if all_names > len(self.first) else ""
        shown = f"{self.count:,}" + (f" ({', '.join(self.first)}{more})" if self.first else "")
        return shown + (f", such as {self.example}" if self.example else "")


def named(names: Sequence[str], example: str = "") -> Named:
    """How many there are, with the first few as `shown_text`."""
    return Named(count=len(names), first=tuple(map(shown_text, names[:SHOWN])), example=example)


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
    state or ``unknown``; or both. A column ``question`` says what it answers; instead of it, columns may be named
    after the question, ``p_<question>_<state>`` and ``decision_<question>``, as a truth file's are.

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
    >>> from pbn.scoring.truth import Asked
    >>> asked = Asked(name="rain", states=("no", "yes"), positive="yes")
    >>> truth = Truth(ids=["a", "b"], level=np.zeros(2, int), levels=("low",), row=np.arange(2), labels=None,
    ...               questions={"rain": asked}, probs={"rain": np.full((2, 2), 0.5)}, draws=None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("id,p\na,0.25\nb,70%\nc,0.5\n")
    ...     found = read_predictions(path, truth)
    >>> found.answers["rain"].probs.tolist(), str(found.strangers)
    ([[0.75, 0.25], [nan, nan]], '1 (c)')
    """
    if question is not None:
        truth.asked(question)
    table = Table(path, truth)
    table.read()
    asked = table.answered(question)
    places = {name: k for k, name in enumerate(truth.ids)}
    place = np.array([-1 if name is None else places.get(name, -1) for name in table.ids], dtype=np.int64)
    strangers = [name for name, at in zip(table.ids, place.tolist(), strict=True) if name is not None and at < 0]
    nameless = [f"row {k + 1}" for k, name in enumerate(table.ids) if name is None]
    known = place >= 0
    if not known.any():
        message = f"no row of {table.name} belongs to a case of the truth"
        hint = "identifiers are those of the data set's case files; the truth must be of the same draw and rows"
        if strangers and truth.left_out:
            hint = found_elsewhere(truth.left_out, strangers) or hint
        found = f"{table.count:,} rows" + (f", the first with id {shown_text(strangers[0])}" if strangers else "")
        raise QueryError(Fault(code="predictions/no-case", message=message, found=found, hint=hint))
    answers = {
        one.name: table.answers(one, np.flatnonzero(known & rows), place) for one, rows in asked if (known & rows).any()
    }
    if not answers:
        message = f"{table.name} answers no question of the truth" + (f" called {question}" if question else "")
        table.file.refuse("question", message, listing(truth.questions))
    others = table.other_questions(asked)
    kinds = list(dict.fromkeys(map(shown_text, others)))
    return Predictions(
        path=str(path),
        rows=table.count + len(table.unreadable),
        answers=answers,
        strangers=named(strangers),
        without_id=named(nameless),
        unreadable=named([f"line {number}" for number in table.unreadable]),
        other_questions=Named(count=len(others), first=tuple(kinds[:SHOWN]), names=len(kinds)),
        unused=tuple(map(shown_text, table.unused()))[:20],
    )
