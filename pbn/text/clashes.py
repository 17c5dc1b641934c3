"""The phrase table's test: every phrase can be found in a memo, and is found nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from pbn.errors import Place
from pbn.spec.model import Slot
from pbn.spec.report import shorten
from pbn.text.recover import Searcher, code_at, normal, run_ends, tokens
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, PhraseWording, Reading, SlotWording

MOST_PHRASES = 20_000
"""Phrases in one table that are compared; numbers in the same words count as one."""
MOST_CODES = 1_000
"""Codes of one variable that are tried."""

_DIGIT = re.compile("[0-9]")


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
                masked = _masked(tokens)
                entries[key] = Entry(
                    name=wording.name,
                    state=state,
                    text=reading.pattern,
                    words=key[2],
                    masked=masked,
                    place=reading.place,
                )
    return list(entries.values())


def _masked(tokens: Sequence[str]) -> str:
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


# -- fixed words -------------------------------------------------------------------------------------


def seam_clashes(template: MemoTemplate, searcher: Searcher) -> Iterator[Clash]:
    """Phrases that stand in fixed words, or across the seam of a phrase and the words around it.

    For every two slots that follow one another in a sentence or in two that can be neighbours, each phrase of the
    one, the words between and each phrase of the other are searched together. As no phrase contains another, and
    none a whole sentence, one that is found where none was put reaches across one such stretch at most, so that
    this is a proof for all memos of the level.
    """
    table = phrase_table(template.all_wordings)
    samples = {name: _samples(wording, table) for name, wording in template.wordings.items()}
    told: set[tuple[str, str]] = set()
    done: set[tuple[object, ...]] = set()
    yield from _one_for_two(template.wordings)
    yield from _held_codes(template.all_wordings, table)
    yield from _begun_phrasings(template)
    yield from _holding_sentences(template, table)
    for stretch in _stretches(template):
        key = tuple(piece if isinstance(piece, str) else ("slot", piece.name) for piece in stretch)
        if key in done:
            continue
        done.add(key)
        for pieces in _filled(stretch, samples):
            for kind, phrase, name, outside in _strays(pieces, searcher):
                if (phrase, name) not in told:
                    told.add((phrase, name))
                    yield Clash(kind=kind, phrase=phrase, name=name, inside=repr(outside))


def _one_for_two(wordings: Mapping[str, SlotWording]) -> Iterator[Clash]:
    """Numbers that two states have in the same words, and letters of a code that differ in case alone."""
    for wording in wordings.values():
        if isinstance(wording, CodeWording):
            for letters in dict.fromkeys(variable.states for variable in wording.variables):
                folded = [letter.casefold() for letter in letters]
                if len(set(folded)) < len(folded) or any(len(letter) != 1 for letter in folded):
                    yield Clash(
                        kind="has letters that differ in case alone:",
                        phrase=f"{wording.before}…{wording.after}",
                        name=wording.name,
                        inside=" ".join(letters),
                        place=wording.place,
                    )
            continue
        numbers: dict[tuple[str, str, Fraction], Reading] = {}
        for reading in wording.readings if wording.variable.origin != "measured" else ():
            if reading.number:
                first = numbers.setdefault((reading.before, reading.after, Fraction(reading.own)), reading)
                if first.state != reading.state:
                    yield Clash(
                        kind="is the same number as",
                        phrase=reading.text,
                        name=wording.name,
                        inside=repr(first.text),
                        state=reading.own,
                        place=reading.place,
                    )


def _held_codes(wordings: Mapping[str, SlotWording], table: Sequence[Entry]) -> Iterator[Clash]:
    """Phrases that hold a whole code."""
    for wording in wordings.values():
        if not isinstance(wording, CodeWording):
            continue
        before, after = normal(wording.before), normal(wording.after)
        for entry in table:
            listed = tokens(entry.text) if entry.name != wording.name else []
            words, runs = [token.text for token in listed], run_ends(listed)
            for start in range(len(words)):
                behind = start + len(before)
                code, size = code_at(wording, listed, runs, behind) if words[start:behind] == before else ("", 0)
                if code and words[behind + size : behind + size + len(after)] == after:
                    yield Clash(
                        kind="holds a code of",
                        phrase=entry.text,
                        name=entry.name,
                        inside=wording.name,
                        state=entry.state,
                        place=entry.place,
                    )


def _begun_phrasings(template: MemoTemplate) -> Iterator[Clash]:
    """Phrasings of a sentence with which another one of it begins: a reader could take the one for the other."""
    for paragraph in template.paragraphs:
        for sentence in paragraph.sentences:
            patterns = dict.fromkeys(map(_pattern, sentence.phrasings))
            for one in patterns:
                for other in patterns:
                    if one != other and other.startswith(one):
                        shown = repr(shorten(other))
                        yield Clash(kind="begins another phrasing,", phrase=one, name=sentence.label, inside=shown)


def _pattern(pieces: Sequence[str | Slot]) -> str:
    return "".join(piece if isinstance(piece, str) else f"\0{piece.name}\0" for piece in pieces)


def _holding_sentences(template: MemoTemplate, table: Sequence[Entry]) -> Iterator[Clash]:
    """Phrases that hold a whole sentence without slots."""
    for paragraph in template.paragraphs:
        for sentence in paragraph.sentences:
            for pieces in sentence.phrasings:
                words = " ".join(normal("".join(map(str, pieces)))) if not _has_slot(pieces) else ""
                for entry in table if words else ():
                    if words in entry.words or _masked(words.split()) in entry.masked:
                        yield Clash(
                            kind="holds the sentence", phrase=entry.text, name=entry.name, inside=sentence.label
                        )


def _has_slot(pieces: Sequence[str | Slot]) -> bool:
    return any(isinstance(piece, Slot) for piece in pieces)


Filled = list[tuple[str, str | None]]
"""Pieces of text, each with the slot it fills, or None for fixed words."""


def _stretches(template: MemoTemplate) -> Iterator[list[str | Slot]]:
    """From slot to slot, fixed words between: inside each sentence, and from each to those that can follow it."""
    for paragraph in template.paragraphs:
        for sentence in paragraph.sentences:
            for pieces in sentence.phrasings:
                yield from _between_slots(pieces)
    for one, other, between in _neighbours(template):
        for before in one:
            for after in other:
                yield [*_end(before), between, *_end(after[::-1])[::-1]]


Phrasings = Sequence[Sequence[str | Slot]]


def _neighbours(template: MemoTemplate) -> Iterator[tuple[Phrasings, Phrasings, str]]:
    """Sentences of which the other can follow the one, questions too, with what stands between them."""
    for paragraph in template.paragraphs:
        told = [sentence.phrasings for sentence in paragraph.sentences]
        for one, other in dict.fromkeys(pair for order in paragraph.orders for pair in pairwise(order)):
            yield told[one], told[other], " "
    ends = [
        [[paragraph.sentences[k].phrasings for k in dict.fromkeys(order[end] for order in paragraph.orders)]
         for end in (0, -1)]
        for paragraph in template.paragraphs
    ]  # fmt: skip
    for (_, lasts), (firsts, _) in pairwise(ends):
        yield from ((last, first, "\n\n") for last in lasts for first in firsts)
    endings = [(ending,) for ending in dict.fromkeys([template.ending(), *template.questions.values()])]
    for phrasings in ends[-1][1] if ends else [((""),)]:
        yield phrasings, endings, "\n\n" * bool(ends)


def _end(pieces: Sequence[str | Slot]) -> Sequence[str | Slot]:
    """A sentence from its last slot on; the whole of one without."""
    last = max((k for k, piece in enumerate(pieces) if isinstance(piece, Slot)), default=0)
    return pieces[last:]


def _between_slots(pieces: Sequence[str | Slot]) -> Iterator[list[str | Slot]]:
    slots = [k for k, piece in enumerate(pieces) if isinstance(piece, Slot)]
    ends = [0, *slots, len(pieces) - 1]
    for start, end in pairwise(ends):
        yield list(pieces[start : end + 1])


def _filled(stretch: Sequence[str | Slot], samples: Mapping[str, Sequence[str]]) -> Iterator[Filled]:
    """The stretch with each phrase of its first slot and each of its last."""
    first, last = stretch[0], stretch[-1]
    between: Filled = [(piece, None) for piece in stretch[1:-1] if isinstance(piece, str)]

    def filled(piece: str | Slot) -> Filled:
        return [(piece, None)] if isinstance(piece, str) else [(text, piece.name) for text in samples[piece.name]]

    for start in filled(first):
        if len(stretch) == 1:
            yield [start]
            continue
        for end in filled(last):
            yield [start, *between, end]


def _samples(wording: SlotWording, table: Sequence[Entry]) -> list[str]:
    """What a slot can read; one number or code stands for all that no phrase could tell from it.

    Numbers in the same words stand for one another where they have as many digits, unless a phrase names one.
    """
    if isinstance(wording, CodeWording):
        return list(_codes(wording, table))
    numerals = frozenset(token for entry in table for token in entry.words.split() if token[0].isdigit())
    found: dict[str, str] = {}
    for reading in wording.readings:
        own = reading.own if reading.own in numerals else _DIGIT.sub("0", reading.own)
        found.setdefault(f"{reading.before}{own}{reading.after}" if reading.number else reading.text, reading.text)
    return list(found.values())


def _codes(wording: CodeWording, table: Sequence[Entry]) -> Iterator[str]:
    """A code of first letters, and codes that hold words of a phrase at either end, or as a whole."""
    letters = [{state.casefold(): state for state in variable.states} for variable in wording.variables]
    size = len(letters)
    found = dict.fromkeys([tuple(variable.states[0] for variable in wording.variables)])
    (base,) = found
    for entry in table:
        for plain, at_start, at_end in _runs(entry, size):
            places = {start for start in (0 * at_end, (size - len(plain)) * at_start) if at_end or at_start}
            places |= {0} if len(plain) == size else set()
            for start in places:
                own = [letters[start + k].get(letter) for k, letter in enumerate(plain)]
                if None not in own:
                    found[(*base[:start], *(letter or "" for letter in own), *base[start + len(plain) :])] = None
        if len(found) > MOST_CODES:
            break
    for row in found:
        yield f"{wording.before}{wording.grouped(''.join(row))}{wording.after}"


def _runs(entry: Entry, size: int) -> Iterator[tuple[str, bool, bool]]:
    """Tokens of a phrase in a row that a code of a size could hold, and whether they begin and end the phrase."""
    listed = entry.words.split()
    for start in range(len(listed)):
        plain = ""
        for end in range(start, len(listed)):
            plain += listed[end].replace("-", "").replace("#", "0")
            if len(plain) > size:
                break
            if plain and (start == 0 or end + 1 == len(listed) or len(plain) == size):
                yield plain, start == 0, end + 1 == len(listed)


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
