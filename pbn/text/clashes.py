"""The phrase table's test: every phrase can be found in a memo, and is found nowhere else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pbn.errors import Place
from pbn.spec.model import Slot
from pbn.text.recover import normal
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
                without_numbers = masked(tokens)
                entries[key] = Entry(
                    name=wording.name,
                    state=state,
                    text=reading.pattern,
                    words=key[2],
                    masked=without_numbers,
                    place=reading.place,
                )
    return list(entries.values())


def masked(tokens: Sequence[str]) -> str:
    """Words in normal form with # for every number."""
    return " ".join("#" if token[0].isdigit() else token for token in tokens)


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
            elif other.masked in entry.masked and not _holds_number(other):
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


def uncovered(template: MemoTemplate) -> Iterator[str]:
    """What a level's text fails to tell: attributes without a slot, or with two, and states without a phrase."""
    owners: dict[str, list[Slot]] = {}
    for slot in template.slots:
        for member in template.wordings[slot.name].members:
            owners.setdefault(member, []).append(slot)
    lacking = [name for name in template.visible if name not in owners]
    families = {member: family for family, members in template.families.items() for member in members}
    for name in dict.fromkeys(families.get(name, name) for name in lacking):
        yield f"no sentence of level {template.level} tells {name}"
    several = {slots[1]: member for member, slots in reversed(owners.items()) if len(slots) > 1}
    for slot, member in reversed(several.items()):
        yield f"line {slot.place.line}: {slot.name if slot.name in template.families else member} has several slots"
    for name, wording in template.wordings.items():
        for by, state in wording.missing():
            assert isinstance(wording, PhraseWording)
            told = f" where {wording.by.name} is {by}" if wording.by else ""
            yield f"{name}={state} has no phrase{told}"
