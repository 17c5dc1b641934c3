"""What stands in a slot of a text: the phrase or code that is read there, or why none can be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbn.errors import Fault, QueryError, listing
from pbn.evidence import state_code
from pbn.spec.report import shorten
from pbn.text.wording import NUMERAL, CodeWording, PhraseWording, Reading

_CODE_LIKE = re.compile(r"[^\s.,;:!?()\"']{0,2000}")
_NUMBER_LIKE = re.compile(r"\S{1,40}")
_CLOSING = ".,;:!?)"
_HINTS = {
    "\r": "its lines end as on Windows; a memo's end in a line feed alone",
    "\ufeff": "it begins with a byte-order mark; leave that out",
    "\xa0": "a no-break space stands where a blank belongs",
}
_KINDS = {"query/out-of-range": "text/out-of-range", "query/off-grid": "text/off-grid"}


class Mismatch(Exception):
    """Where a reading of the text stops, and why."""

    def __init__(self, position: int, code: str, message: str, found: str | None = None, allowed: str | None = None,
                 hint: str | None = None) -> None:  # fmt: skip
        super().__init__(message)
        self.position = position
        self.fault = Fault(code=code, message=message, found=found, allowed=allowed, hint=hint)


def skip_words(text: str, position: int, words: str) -> int:
    """The position behind fixed words.

    Raises
    ------
    Mismatch
        Other words stand there.
    """
    if text.startswith(words, position):
        return position + len(words)
    same = common(text, position, words)
    raise edited(text, position + same, words[same:])


def common(text: str, position: int, words: str) -> int:
    """How many characters of the words stand at the position."""
    low, high = 0, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if text.startswith(words[:middle], position):
            low = middle
        else:
            high = middle - 1
    return low


def edited(text: str, position: int, expected: str) -> Mismatch:
    """The mismatch of a text that differs from the template."""
    allowed = repr(shorten(expected)) if expected.strip() else "a blank or line break" if expected else "the end"
    message = "the text differs from the template here"
    hint = _HINTS.get(text[position : position + 1])
    return Mismatch(position, "text/edited", message, _snippet(text, position), allowed, hint)


class PhraseReader:
    """Reads the phrases of one slot; numbers are looked up, not tried one by one."""

    def __init__(self, wording: PhraseWording) -> None:
        self.wording = wording
        fixed: dict[str, list[Reading]] = {}
        self._numbers: dict[tuple[str, str], dict[str, list[Reading]]] = {}
        for reading in wording.readings:
            if reading.number:
                numbers = self._numbers.setdefault((reading.before, reading.after), {})
                numbers.setdefault(reading.own, []).append(reading)
            else:
                fixed.setdefault(reading.text, []).append(reading)
        self._fixed = sorted(fixed.items(), key=lambda pair: -len(pair[0]))

    def at(self, text: str, position: int) -> tuple[int, list[Reading]]:
        """The end of the longest phrase at a position, and all that it can mean: nothing where there is none."""
        end, found = position, []
        for phrase, readings in self._fixed:
            if text.startswith(phrase, position):
                end, found = position + len(phrase), readings
                break
        for (before, after), numbers in self._numbers.items():
            match = NUMERAL.match(text, position + len(before)) if text.startswith(before, position) else None
            same = numbers.get(match.group()) if match else None
            if match and same and text.startswith(after, match.end()) and match.end() + len(after) > end:
                end, found = match.end() + len(after), same
        return end, found

    def why_not(self, text: str, position: int, following: str) -> Mismatch:
        """Why no phrase stands at a position where one belongs; ``following`` are the words behind the slot."""
        name = self.wording.name
        for before, after in self._numbers:
            if not text.startswith(before, position):
                continue
            start = position + len(before)
            match = _NUMBER_LIKE.match(text, start)
            found = match.group() if match else ""
            number = NUMERAL.match(found)
            rest = text[start + number.end() : start + number.end() + 2] if number else ""
            glued = rest[:1].isalnum() or (rest[:1] in (",", ".") and rest[1:].isdigit())
            if number and (not glued or text.startswith(after, start + number.end())):
                return self._wrong_number(text, start, number.group(), after)
            if before or any(character.isdigit() for character in found):
                code = "text/malformed" if found.rstrip(_CLOSING) else "text/missing"
                return Mismatch(
                    start, code, f"{name} is no number", repr(found.rstrip(_CLOSING)), self._numbers_shown()
                )
        if not text[position : position + 1].strip() or (following.strip() and text.startswith(following, position)):
            return Mismatch(position, "text/missing", f"nothing is said of {name}", allowed=self._phrases_shown())
        message = f"what stands for {name} is none of its phrases"
        return Mismatch(position, "text/malformed", message, _snippet(text, position), self._phrases_shown())

    def _wrong_number(self, text: str, start: int, found: str, after: str) -> Mismatch:
        variable = self.wording.variable
        try:
            code = state_code(variable, found)
        except QueryError as error:
            fault = error.faults[0]
            kind = _KINDS.get(fault.code) or _kind_of_count(variable.states, found)
            return Mismatch(start, kind, fault.message, found, fault.allowed, fault.hint)
        if variable.states[code] != found:
            message = f"{variable.name} is spelt otherwise"
            return Mismatch(start, "text/malformed", message, found, variable.states[code])
        end = start + len(found)
        if not text.startswith(after, end):
            message = f"{variable.name} has another unit or ending"
            return Mismatch(end, "text/malformed", message, _snippet(text, end), repr(after))
        allowed = next((repr(reading.text) for reading in self.wording.readings if reading.state == code), None)
        message = f"{variable.name} is {found}, in words of another number"
        return Mismatch(start, "text/malformed", message, found, allowed)

    def _numbers_shown(self) -> str:
        states = self.wording.variable.states
        shown = next(reading.text for reading in self.wording.readings if reading.number)
        return f"{states[0]} to {states[-1]}, as in {shown!r}"

    def _phrases_shown(self) -> str:
        return listing([repr(reading.text) for reading in self.wording.readings[:6]], 5)


def read_code(wording: CodeWording, text: str, position: int) -> tuple[dict[str, int], int]:
    """The states of a repeated variable's members from their row, and the position behind it.

    Raises
    ------
    Mismatch
        The row is empty, too short or long, grouped differently, or has a character that it cannot have.
    """
    start = skip_words(text, position, wording.before)
    match = _CODE_LIKE.match(text, start)
    found = match.group() if match else ""
    plain = found.replace("-", "")
    wrong = None
    if not plain:
        wrong = "is empty"
    elif len(plain) != len(wording.members):
        wrong = f"has {len(plain)} characters"
    elif any(letter not in variable.states for letter, variable in zip(plain, wording.variables, strict=True)):
        wrong = "has a character that it cannot have"
    elif found != wording.grouped(plain):
        wrong = "is grouped differently"
    if wrong:
        raise Mismatch(start, "text/malformed", f"{wording.name} {wrong}", repr(shorten(found)), wording.shape)
    codes = {v.name: v.states.index(letter) for letter, v in zip(plain, wording.variables, strict=True)}
    return codes, skip_words(text, start + len(found), wording.after)


def _kind_of_count(states: Sequence[str], found: str) -> str:
    numbers = [float(state) for state in states]
    return "text/off-grid" if min(numbers) <= float(found) <= max(numbers) else "text/out-of-range"


def _snippet(text: str, position: int) -> str:
    """What stands at a position, blanks and line ends as they are."""
    if position >= len(text):
        return "the end of the text"
    shown = text[position : position + 50]
    return repr(shown if position + 50 >= len(text) else f"{shown}…")
