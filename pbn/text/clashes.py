"""The phrase table's test: every phrase can be found in a memo, and is found nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pbn.errors import Place
from pbn.spec.model import Slot
from pbn.text.recover import Searcher, normal
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, PhraseWording, SlotWording

MOST_PHRASES = 20_000
"""Phrases in one table that are compared; numbers in the same words count as one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A phrase of the table: of which variable and state, and its words in normal form."""

    name: str
    state: str | None
    text: str
    words: str
    masked: str
    place: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Two phrases of which one is, or stands inside, the other; or one that stands in fixed words."""

    kind: str
    phrase: str
    name: str
    inside: str
    state: str | None = None
    other: str | None = None
    other_state: str | None = None
    place: Place | None = None

    def __str__(self) -> str:
        where = f"line {self.place.line}: " if self.place else ""
        owner = self.name if self.state is None else f"{self.name}={self.state}"
        return f"{where}{self.phrase!r} ({owner}) {self.kind} {self.inside}"


def phrase_table(wordings: Mapping[str, SlotWording]) -> list[Entry]:
    """Every phrase once; those with numbers once for all their numbers."""
    entries: dict[tuple[str, str | None, str], Entry] = {}
    for wording in wordings.values():
        if isinstance(wording, CodeWording):
            words = " ".join([*normal(wording.before), "#", *normal(wording.after)])
            shown = f"{wording.before}…{wording.after}"
            entry = Entry(name=wording.name, state=None, text=shown, words=words, masked=words, place=wording.place)
            entries[wording.name, None, words] = entry
            continue
        for reading in wording.readings:
            state = None if reading.number else wording.variable.states[reading.state]
            tokens = [*normal(reading.before), "#", *normal(reading.after)] if reading.number else normal(reading.text)
            key = (wording.name, state, " ".join(tokens))
            if key not in entries:
                masked = " ".join("#" if token[0].isdigit() else token for token in tokens)
                entries[key] = Entry(
                    name=wording.name,
                    state=state,
                    text=reading.pattern,
                    words=key[2],
                    masked=masked,
                    place=reading.place,
                )
    return list(entries.values())


def table_clashes(table: Sequence[Entry]) -> Iterator[Clash]:
    """Phrases that are equal though they mean different things, and phrases that stand inside others.

    Compared are the phrases in lower case with single blanks, character by character; where one of the two holds
    a number's place, any number of the other counts as that place.
    """
    texts: dict[str, list[Entry]] = {}
    for entry in table:
        texts.setdefault(entry.words, []).append(entry)
    for same in texts.values():
        for first, other in pairwise(same):
            yield _clash("is also the phrase of", other, first)
    plain = [entry for entry in table if not _holds_number(entry)]
    numbers = [entry for entry in table if _holds_number(entry)]
    yield from _contained(plain)
    for entry in numbers:
        for other in table:
            if other is entry or other.words == entry.words:
                continue
            if entry.masked in other.masked:
                yield _clash("stands inside", entry, other)
            elif other.masked in entry.masked:
                yield _clash("stands inside", other, entry)


def _holds_number(entry: Entry) -> bool:
    return entry.state is None


def _contained(entries: Sequence[Entry]) -> Iterator[Clash]:
    """Each phrase that is a proper part of another: parts of every length that some phrase has are looked up."""
    by_words = {entry.words: entry for entry in entries}
    lengths = sorted({len(word) for word in by_words})
    for word, entry in by_words.items():
        for length in lengths:
            if length >= len(word):
                break
            for start in range(len(word) - length + 1):
                inner = by_words.get(word[start : start + length])
                if inner is not None:
                    yield _clash("stands inside", inner, entry)
                    break


def _clash(kind: str, inner: Entry, outer: Entry) -> Clash:
    owner = outer.name if outer.state is None else f"{outer.name}={outer.state}"
    return Clash(
        kind=kind,
        phrase=inner.text,
        name=inner.name,
        inside=f"{outer.text!r} ({owner})",
        state=inner.state,
        other=outer.name,
        other_state=outer.state,
        place=inner.place,
    )


# -- fixed words -------------------------------------------------------------------------------------


def seam_clashes(template: MemoTemplate, searcher: Searcher) -> Iterator[Clash]:
    """Phrases that stand in fixed words, or across the seam of a phrase and the words around it.

    For every two slots that follow one another in some layout, each phrase of the one, the words between and each
    phrase of the other are searched together. Sentences meet in all pairs of phrasings. As no phrase contains
    another, and none a whole sentence, one that is found where none was put reaches across one such stretch at
    most, so that this is a proof for all memos of the level.
    """
    table = phrase_table(template.all_wordings)
    numerals = frozenset(token for entry in table for token in entry.words.split() if token[0].isdigit())
    told: set[tuple[str, str]] = set()
    done: set[tuple[object, ...]] = set()
    yield from _holding_sentences(template, table)
    for stretch in _stretches(template):
        key = tuple(piece if isinstance(piece, str) else ("slot", piece.name) for piece in stretch)
        if key in done:
            continue
        done.add(key)
        for pieces in _filled(stretch, template.wordings, numerals):
            for kind, phrase, name, outside in _strays(pieces, searcher):
                if (phrase, name) not in told:
                    told.add((phrase, name))
                    yield Clash(kind=kind, phrase=phrase, name=name, inside=repr(outside))


def _holding_sentences(template: MemoTemplate, table: Sequence[Entry]) -> Iterator[Clash]:
    """Phrases that hold a whole sentence without slots."""
    for paragraph in template.paragraphs:
        for sentence in paragraph.sentences:
            for pieces in sentence.phrasings:
                words = " ".join(normal("".join(map(str, pieces)))) if not _has_slot(pieces) else ""
                for entry in table if words else ():
                    if words in entry.words:
                        yield Clash(
                            kind="holds the sentence", phrase=entry.text, name=entry.name, inside=sentence.label
                        )


def _has_slot(pieces: Sequence[str | Slot]) -> bool:
    return any(isinstance(piece, Slot) for piece in pieces)


Filled = list[tuple[str, str | None]]
"""Pieces of text, each with the slot it fills, or None for fixed words."""


def _stretches(template: MemoTemplate) -> Iterator[list[str | Slot]]:
    """From each slot to the next one, fixed words between; also from the start and to the end."""
    most = max((len(s.phrasings) for paragraph in template.paragraphs for s in paragraph.sentences), default=1)
    longest = max((len(paragraph.orders) for paragraph in template.paragraphs), default=1)
    endings = dict.fromkeys([template.ending(), *template.questions.values()])
    for first in range(most):
        for step in range(most):
            for order in range(longest):
                for other in range(longest):
                    pieces = list(_layout(template, first, step, order, other))
                    for ending in endings if not (first or step or order or other) else [template.ending()]:
                        yield from _between_slots([*pieces, f"\n\n{ending}"])


def _layout(template: MemoTemplate, first: int, step: int, order: int, other: int) -> Iterator[str | Slot]:
    """A whole memo: sentence k in phrasing first + k · step, orders in turn, so that all neighbours meet."""
    count = first
    for number, paragraph in enumerate(template.paragraphs):
        if number:
            yield "\n\n"
        phrasings = [0] * len(paragraph.sentences)
        chosen = paragraph.orders[(order if number % 2 else other) % len(paragraph.orders)]
        for position in chosen:
            phrasings[position] = count % len(paragraph.sentences[position].phrasings)
            count += step
        yield from paragraph.pieces(chosen, phrasings)


def _between_slots(pieces: Sequence[str | Slot]) -> Iterator[list[str | Slot]]:
    slots = [k for k, piece in enumerate(pieces) if isinstance(piece, Slot)]
    ends = [0, *slots, len(pieces) - 1]
    for start, end in pairwise(ends):
        yield list(pieces[start : end + 1])


def _filled(
    stretch: Sequence[str | Slot], wordings: Mapping[str, SlotWording], numerals: frozenset[str]
) -> Iterator[Filled]:
    """The stretch with each phrase of its first slot and each of its last."""
    first, last = stretch[0], stretch[-1]
    between: Filled = [(piece, None) for piece in stretch[1:-1] if isinstance(piece, str)]
    starts, ends = _samples(first, wordings, numerals), _samples(last, wordings, numerals)
    for start in starts:
        if len(stretch) == 1:
            yield [start]
            continue
        for end in ends:
            yield [start, *between, end]


def _samples(
    piece: str | Slot, wordings: Mapping[str, SlotWording], numerals: frozenset[str]
) -> list[tuple[str, str | None]]:
    """What a slot can read, one number standing for all in the same words but those that other phrases name."""
    if isinstance(piece, str):
        return [(piece, None)]
    wording = wordings[piece.name]
    if isinstance(wording, CodeWording):
        return [(wording.codes([np.array([0])] * len(wording.members))[0], wording.name)]
    found: dict[str, tuple[str, str | None]] = {}
    for reading in wording.readings:
        key = reading.text if reading.own in numerals else reading.pattern
        found.setdefault(key, (reading.text, wording.name))
    return list(found.values())


def _strays(pieces: Filled, searcher: Searcher) -> Iterator[tuple[str, str, str, str]]:
    """Phrases that stand elsewhere than in a slot of their own variable, and phrases in a slot that are not found."""
    text, spans = "", {}
    for words, name in pieces:
        if name is not None:
            spans[len(text)] = (len(text) + len(words), name)
        text += words
    inside = " ".join(text.split())
    for found in searcher.occurrences(text):
        if spans.pop(found.start, None) != (found.end, found.name):
            yield "stands in the words", found.text, found.name, inside
    for start, (end, name) in spans.items():
        yield "cannot be found in the words", text[start:end], name, inside


def uncovered(template: MemoTemplate) -> Iterator[str]:
    """What a level's text fails to tell: attributes without a slot, or with two, and states without a phrase."""
    slots = [slot.name for slot in template.slots]
    owners = {member: name for name in slots for member in template.wordings[name].members}
    lacking = [name for name in template.visible if name not in owners]
    families = {member: family for family, members in template.families.items() for member in members}
    for name in dict.fromkeys(families.get(name, name) for name in lacking):
        yield f"no sentence of level {template.level} tells {name}"
    for slot in {slot.name: slot for slot in template.slots if slots.count(slot.name) > 1}.values():
        yield f"line {slot.place.line}: {slot.name} has several slots"
    for name, wording in template.wordings.items():
        for by, state in wording.missing():
            assert isinstance(wording, PhraseWording)
            told = f" where {wording.by.name} is {by}" if wording.by else ""
            yield f"{name}={state} has no phrase{told}"
