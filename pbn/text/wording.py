"""How the states of one slot read, with the network's states filled in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from pbn.errors import Fault, Place, QueryError
from pbn.network.model import Array, Network, Variable
from pbn.spec.model import MemoSpec, Phrase, Wording
from pbn.spec.numerals import numeral

MOST_PHRASINGS = 1_000_000
"""Phrases of one variable: its states, in each wording, times those of the variable that chooses the wording."""

NUMERAL = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One way in which a state can read: its text, or the words around a number where ``number`` is true."""

    by: int
    state: int
    phrasing: int
    before: str
    after: str
    own: str
    number: bool
    place: Place | None

    @property
    def text(self) -> str:
        """The phrase as a memo shows it."""
        return self.before + self.own + self.after

    @property
    def pattern(self) -> str:
        """The phrase with ``#`` for its number; the text itself where it holds none."""
        return f"{self.before}#{self.after}" if self.number else self.text


class PhraseWording:
    """The phrases of one variable.

    ``by`` is another variable that the wording depends on; without one, its axis has length 1. A state with
    fewer phrasings than another has them repeated.
    """

    def __init__(self, variable: Variable, by: Variable | None, wording: Wording | None) -> None:
        self.variable = variable
        self.by = by
        self.name = variable.name
        self.members = (variable.name,)
        self._is_number = variable.values is not None and all(NUMERAL.fullmatch(state) for state in variable.states)
        rows: Sequence[str | None] = by.states if by else (None,)
        if len(rows) * variable.size > MOST_PHRASINGS:
            raise _too_many(self.name, len(rows) * variable.size)
        self._phrases = list(_phrase_rows(wording or _own_name(variable), rows, variable))
        self.variety = max((len(phrases) for row in self._phrases for phrases in row), default=1) or 1
        if len(rows) * variable.size * self.variety > MOST_PHRASINGS:
            raise _too_many(self.name, len(rows) * variable.size * self.variety)

    @property
    def sources(self) -> tuple[str, ...]:
        """The variables that decide what the slot reads."""
        return (self.by.name, self.name) if self.by else (self.name,)

    @cached_property
    def readings(self) -> tuple[Reading, ...]:
        """Every phrase of every state."""
        return tuple(
            self._reading(by, state, k, phrase)
            for by, row in enumerate(self._phrases)
            for state, phrases in enumerate(row)
            for k, phrase in enumerate(phrases)
        )

    def _reading(self, by: int, state: int, phrasing: int, phrase: Phrase) -> Reading:
        filled = phrase.after is not None
        return Reading(
            by=by,
            state=state,
            phrasing=phrasing,
            before=phrase.before,
            after=phrase.after or "",
            own=self.variable.states[state] if filled else "",
            number=filled and self._is_number,
            place=phrase.place if phrase.place.line else None,
        )

    @cached_property
    def texts(self) -> Array:
        """The phrases as an array of ``str``, of shape (states of ``by``, own states, ``variety``); gaps are empty."""
        found = np.full((len(self._phrases), self.variable.size, self.variety), "", dtype=object)
        for by, row in enumerate(self._phrases):
            for state, phrases in enumerate(row):
                for k in range(self.variety if phrases else 0):
                    found[by, state, k] = self._reading(by, state, 0, phrases[k % len(phrases)]).text
        return found

    @cached_property
    def gaps(self) -> Array:
        """Where no phrase is given, in the shape of `texts`."""
        lacking = np.array([[not phrases for phrases in row] for row in self._phrases])
        return np.broadcast_to(lacking[:, :, None], self.texts.shape)

    def missing(self) -> Iterator[tuple[str | None, str]]:
        """States without a phrase, each with the state of ``by`` that lacks it."""
        for by, row in enumerate(self._phrases):
            for state, phrases in enumerate(row):
                if not phrases:
                    yield (self.by.states[by] if self.by else None), self.variable.states[state]


class CodeWording:
    """The members of a repeated variable in a row, such as ``kqzv-abcd``."""

    by = None
    variety = 1

    def __init__(self, name: str, members: Sequence[Variable], wording: Wording) -> None:
        self.name = name
        self.members = tuple(member.name for member in members)
        self.variables = tuple(members)
        phrase = wording.phrases[None][None][0]
        self.before, self.after = phrase.before, phrase.after or ""
        self.size = wording.groups or len(members)
        self.place = phrase.place

    @property
    def sources(self) -> tuple[str, ...]:
        """The variables that decide what the slot reads."""
        return self.members

    def missing(self) -> Iterator[tuple[str | None, str]]:
        """Nothing: every code can be written."""
        return iter(())

    def codes(self, members: Sequence[Array]) -> list[str]:
        """The row of each case, grouped, with the words around it."""
        rows = in_a_row(self.variables, members, self.size)
        return [f"{self.before}{row}{self.after}" for row in rows]

    @property
    def shape(self) -> str:
        """How a code is written, in words."""
        groups = [str(min(self.size, len(self.members) - k)) for k in range(0, len(self.members), self.size)]
        return f"{len(self.members)} characters in hyphenated groups of {'-'.join(groups)}"

    @property
    def length(self) -> int:
        """Characters of a code, hyphens included."""
        return len(self.members) + (len(self.members) - 1) // self.size

    def grouped(self, plain: str) -> str:
        """A plain row of characters with its hyphens."""
        return "-".join(plain[k : k + self.size] for k in range(0, len(plain), self.size))


def in_a_row(variables: Sequence[Variable], members: Sequence[Array], size: int | None = None) -> list[str]:
    """The one-character states of each case in a row, with a hyphen behind every ``size`` of them."""
    columns: list[Array] = []
    for k, (variable, codes) in enumerate(zip(variables, members, strict=True)):
        if k and size and k % size == 0:
            columns.append(np.full(len(codes), ord("-"), dtype=np.uint32))
        columns.append(np.array([ord(state) for state in variable.states], dtype=np.uint32)[codes])
    rows: list[str] = np.ascontiguousarray(np.stack(columns, axis=1)).view(f"<U{len(columns)}").ravel().tolist()
    return rows


SlotWording = PhraseWording | CodeWording


def slot_wordings(memo: MemoSpec, network: Network, families: Mapping[str, Sequence[str]]) -> dict[str, SlotWording]:
    """The wording of every slot of a memo, by the slot's name."""
    found: dict[str, SlotWording] = {}
    for name in slot_names(memo):
        wording = memo.wordings.get(name)
        if name in families:
            assert wording is not None
            found[name] = CodeWording(name, [network.variables[member] for member in families[name]], wording)
        else:
            by = network.variables[wording.by] if wording and wording.by else None
            found[name] = PhraseWording(network.variables[name], by, wording)
    return found


def slot_names(memo: MemoSpec) -> tuple[str, ...]:
    """The names in all slots, in order of first use."""
    return tuple(
        dict.fromkeys(
            piece.name
            for paragraph in memo.paragraphs
            for sentence in paragraph.sentences
            for piece in sentence.phrasings[0]
            if not isinstance(piece, str)
        )
    )


_NOWHERE = Place(file="", line=0, column=0)


def _own_name(variable: Variable) -> Wording:
    """The state's own name; a measured number with its unit."""
    unit = variable.unit if variable.origin == "measured" else ""
    after = unit if unit in ("", "%") else f" {unit}"
    return Wording(by=None, phrases={None: {None: (Phrase(before="", after=after, place=_NOWHERE),)}})


def _phrase_rows(
    wording: Wording, rows: Sequence[str | None], variable: Variable
) -> Iterator[list[tuple[Phrase, ...]]]:
    """The phrases of every state, for each state of the variable that the wording depends on."""
    made: dict[str | None, list[tuple[Phrase, ...]]] = {}
    for row in rows:
        key = row if row in wording.phrases else None
        if key not in made:
            made[key] = _phrases_of(wording.phrases.get(key, {}), variable)
        yield made[key]


def _phrases_of(table: Mapping[str | None, tuple[Phrase, ...]], variable: Variable) -> list[tuple[Phrase, ...]]:
    """The phrases of every state: of its name, of its number spelt otherwise, or of all that are not named."""
    numbers: dict[Fraction, tuple[Phrase, ...]] = {}
    for key, phrases in table.items() if variable.values is not None else ():
        number = numeral(key) if key is not None else None
        if number is not None:
            numbers.setdefault(number, phrases)
    rest = table.get(None, ())

    def of(state: str) -> tuple[Phrase, ...]:
        if state in table:
            return table[state]
        number = numeral(state) if numbers else None
        return rest if number is None else numbers.get(number, rest)

    return [of(state) for state in variable.states]


def _too_many(name: str, count: int) -> QueryError:
    return QueryError(
        Fault(
            code="text/too-many-phrases",
            message=f"{name} has {count:,} phrases",
            allowed=f"at most {MOST_PHRASINGS:,}",
            hint="let fewer states of another variable choose its wording",
        )
    )
