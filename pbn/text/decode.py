"""The strict reader: a memo back to its attributes, or the one thing that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from pbn.errors import Fault, Place, QueryError, listing
from pbn.spec.model import Slot
from pbn.spec.report import shorten
from pbn.text.paragraphs import ShownParagraph
from pbn.text.recover import Recovery, Searcher
from pbn.text.slots import Mismatch, PhraseReader, common, edited, read_code, skip_words
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, PhraseWording, Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """What a memo says: the attributes as people give them, and the positions of their states.

    ``chosen`` are the phrasings and orders that the text uses, ``question`` the one at its end (None: all).
    """

    attributes: Mapping[str, str]
    codes: Mapping[str, int]
    chosen: Mapping[str, int]
    question: str | None


@dataclass(slots=True)
class _Read:
    """What was read up to a position."""

    position: int
    codes: dict[str, int]
    chosen: dict[str, int]

    def copy(self) -> _Read:
        return _Read(self.position, dict(self.codes), dict(self.chosen))


class Decoder:
    """Reads the memos of one template; the time is linear in the text."""

    def __init__(self, template: MemoTemplate, searcher: Searcher) -> None:
        self.template = template
        self.searcher = searcher

    def decode(self, text: str, file: str = "memo") -> Decoded:
        """The attributes that a memo tells.

        Raises
        ------
        QueryError
            The text is no memo of this template, to the last byte: a value is missing, repeated, malformed, out
            of range or off the grid, or the text was edited. The error names the attribute and the place.
        """
        return self.decode_all([text], file)[0]

    def decode_all(self, texts: Sequence[str], file: str = "memo") -> list[Decoded]:
        """The attributes of many memos; the first that is none raises as `decode` does."""
        parsed = [self._parse(text, file) for text in texts]
        self._check_again(texts, parsed, file)
        found = []
        for read, question in parsed:
            attributes = attributes_of(self.template, read.codes)
            found.append(Decoded(attributes=attributes, codes=read.codes, chosen=read.chosen, question=question))
        return found

    def _parse(self, text: str, file: str) -> tuple[_Read, str | None]:
        if not isinstance(text, str):
            raise QueryError(
                Fault(code="text/not-text", message="a memo is text", found=type(text).__name__, allowed="str")
            )
        try:
            read = self._paragraphs(text)
            return read, self._ending(text, read.position)
        except Mismatch as mismatch:
            raise QueryError(self._explained(text, mismatch, file)) from None

    # -- parts of the text ---------------------------------------------------------------------------

    def _paragraphs(self, text: str) -> _Read:
        read = _Read(0, {}, {})
        for number, paragraph in enumerate(self.template.paragraphs):
            if number:
                read.position = skip_words(text, read.position, "\n\n")
            ways = [partial(self._in_order, text, paragraph=paragraph, order=order) for order in paragraph.orders]
            number, read = _longest(read, ways)
            read.chosen[f"order of {paragraph.name}"] = number
        return read

    def _in_order(self, text: str, read: _Read, paragraph: ShownParagraph, order: Sequence[int]) -> _Read:
        for k, position in enumerate(order):
            sentence = paragraph.sentences[position]
            if k:
                read.position = skip_words(text, read.position, " ")
            number, read = _longest(read, [partial(self._pieces, text, pieces=one) for one in sentence.phrasings])
            read.chosen[f"sentence {sentence.label}"] = number
        return read

    def _pieces(self, text: str, read: _Read, pieces: Sequence[str | Slot]) -> _Read:
        for k, piece in enumerate(pieces):
            if isinstance(piece, str):
                read.position = skip_words(text, read.position, piece)
                continue
            wording = self.template.wordings[piece.name]
            if isinstance(wording, CodeWording):
                codes, read.position = read_code(wording, text, read.position)
                read.codes.update(codes)
                continue
            end, found = self._readers[piece.name].at(text, read.position)
            if not found:
                following = next((other for other in pieces[k + 1 : k + 2] if isinstance(other, str)), "")
                raise self._readers[piece.name].why_not(text, read.position, following)
            self._take(read, wording, found)
            read.position = end
        return read

    def _take(self, read: _Read, wording: PhraseWording, found: Sequence[Reading]) -> None:
        """Keep what a phrase means; of several wordings, the one that goes with what is known already."""
        reading = found[0]
        if wording.by and wording.by.name in read.codes:
            reading = next((one for one in found if one.by == read.codes[wording.by.name]), reading)
        known = read.codes.setdefault(wording.name, reading.state)
        if known != reading.state:
            one, other = wording.variable.states[known], wording.variable.states[reading.state]
            message = f"{wording.name} is told twice, as {one} and {other}"
            raise Mismatch(read.position, "text/repeated", message)
        read.chosen[f"phrase of {wording.name}"] = reading.phrasing

    def _ending(self, text: str, position: int) -> str | None:
        """The question at the end, None for all of them."""
        template = self.template
        endings = {template.ending(): None, **{words: name for name, words in template.questions.items()}}
        start = "\n\n" if template.paragraphs else ""
        for words, name in endings.items():
            whole = start + words if words else ""
            if len(text) == position + len(whole) and text.endswith(whole):
                return name
        expected = start + next(iter(endings))
        raise edited(text, position + common(text, position, expected), expected)

    @cached_property
    def _readers(self) -> Mapping[str, PhraseReader]:
        return {
            name: PhraseReader(wording)
            for name, wording in self.template.wordings.items()
            if isinstance(wording, PhraseWording)
        }

    # -- the whole ---------------------------------------------------------------------------------------

    def _check_again(self, texts: Sequence[str], parsed: Sequence[tuple[_Read, str | None]], file: str) -> None:
        """Render what was read, and demand the same bytes."""
        template = self.template
        for question in dict.fromkeys(question for _, question in parsed):
            some = [k for k, (_, asked) in enumerate(parsed) if asked == question]
            codes = {name: np.array([parsed[k][0].codes.get(name, 0) for k in some]) for name in template.parents}
            chosen = {key: np.array([parsed[k][0].chosen.get(key, 0) for k in some]) for key in template.choices}
            positions = np.zeros(len(some), dtype=np.int64)
            again = template.render(codes, positions, question=question, chosen=chosen)
            for k, expected in zip(some, again, strict=True):
                if expected != texts[k]:
                    position = common(texts[k], 0, expected)
                    mismatch = edited(texts[k], position, expected[position:])
                    raise QueryError(self._explained(texts[k], mismatch, file))

    def _explained(self, text: str, mismatch: Mismatch, file: str) -> Fault:
        """The fault with its place; where the whole text lacks or repeats an attribute, that is the reason."""
        fault, position = mismatch.fault, mismatch.position
        if fault.code in ("text/edited", "text/missing"):
            fault, position = self._lacking(self.searcher.search(text), fault, position)
        elif fault.code == "text/malformed":
            fault = self._hidden_at(self.searcher.search(text), position) or fault
        line = text.count("\n", 0, position) + 1
        column = position - text.rfind("\n", 0, position)
        return replace(fault, place=Place(file=file, line=line, column=column))

    def _lacking(self, recovery: Recovery, fault: Fault, position: int) -> tuple[Fault, int]:
        """A better reason than edited words, where a search through the whole text finds one."""
        for name in recovery.told:
            found = recovery.occurrences.get(name, ())
            if len(found) > 1:
                phrases = listing([repr(shorten(one.text)) for one in found], 4)
                message = f"{name} is told {len(found)} times"
                return Fault(code="text/repeated", message=message, found=phrases, allowed="one phrase"), found[1].start
        for name in recovery.hidden:
            first = recovery.occurrences[name][0]
            return self._hidden_at(recovery, first.start) or fault, first.start
        missing = [name for name in recovery.told if not recovery.occurrences.get(name)]
        if missing and fault.code == "text/edited":
            fault = replace(fault, code="text/missing", message=f"nothing is said of {listing(missing)}")
        return fault, position

    def _hidden_at(self, recovery: Recovery, position: int) -> Fault | None:
        """The fault of a phrase of a hidden variable at a position, where there is one."""
        for name in recovery.hidden:
            for found in recovery.occurrences[name]:
                if found.start == position:
                    message = f"the text tells {name}, which level {self.template.level} hides"
                    return Fault(code="text/hidden", message=message, found=repr(shorten(found.text)))
        return None


def _longest(read: _Read, ways: Sequence[Callable[[_Read], _Read]]) -> tuple[int, _Read]:
    """The way of reading on that gets furthest, with its number; where all fail, the failure that got furthest."""
    if len(ways) == 1:
        return 0, ways[0](read)
    best: tuple[int, _Read] | None = None
    furthest: Mismatch | None = None
    for number, way in enumerate(ways):
        try:
            found = way(read.copy())
        except Mismatch as mismatch:
            if furthest is None or mismatch.position > furthest.position:
                furthest = mismatch
            continue
        if best is None or found.position > best[1].position:
            best = number, found
    if best is None:
        assert furthest is not None
        raise furthest
    return best


def attributes_of(template: MemoTemplate, codes: Mapping[str, int]) -> dict[str, str]:
    """The visible attributes as people give them: a state each, a repeated variable's states in a row."""
    rows = {members[0]: (name, members) for name, members in template.families.items() if name in template.wordings}
    found: dict[str, str] = {}
    in_row: set[str] = set()
    for variable in template.visible:
        name, members = rows.get(variable, (variable, (variable,)))
        if variable not in in_row and codes.keys() >= set(members):
            in_row.update(members)
            found[name] = "".join(template.network.variables[member].states[codes[member]] for member in members)
    return found
