"""Phrases at the seams: each is found in its own slot of a memo, whatever words and phrases stand beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise

from pbn.spec.model import Slot
from pbn.spec.report import shorten
from pbn.text.clashes import Clash, Entry, masked, phrase_table
from pbn.text.recover import Searcher, code_at, normal, run_ends, tokens
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, Reading, SlotWording

MOST_CODES = 1_000
"""Codes of one variable that are tried."""

_DIGIT = re.compile("[0-9]")


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
                    if words in entry.words or masked(words.split()) in entry.masked:
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
