"""The blocks of a BIF text: one pattern for tokens, one for a row of numbers, and a walker."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from pbn.network.formats.text import FileText

_COMMENT = re.compile(r'"[^"\n]*+"|//[^\n]*+|/\*.*?\*/', re.DOTALL)
_TOKEN = re.compile(r'[\s,|]*+(?:"([^"\n]*+)"|([^\s"{}()\[\],;|]++)|([{}()\[\];]))')
_ENTRY = re.compile(r'\s*+(?:(table|default)(?![^\s,;])|\(((?:[^()"]++|"[^"\n]*+")*+)\))([^;{}()"]*+);')
_PROPERTY = re.compile(r'[^;"]*+(?:"[^"]*+"[^;"]*+)*+;')


@dataclass(slots=True)
class Entry:
    """``kind`` is ``table``, ``default`` or empty; ``key`` the text between a row's parentheses."""

    kind: str
    key: str
    numbers: list[str]
    offset: int


@dataclass(slots=True)
class Blocks:
    """What stands in a file: (name, states, offset) of variables, (child and parents, entries, offset) of tables."""

    name: str = ""
    variables: list[tuple[str, tuple[str, ...], int]] = field(default_factory=list)
    tables: list[tuple[list[str], list[Entry], int]] = field(default_factory=list)


class Walker:
    """Walks through the blocks of a text whose comments have been blanked out."""

    def __init__(self, source: FileText) -> None:
        self.source = source
        self.text = source.text
        if "//" in self.text or "/*" in self.text:
            self.text = _COMMENT.sub(_blank, self.text)
        self.at = 0
        self.start = 0

    def blocks(self) -> Blocks:
        """All blocks of the text; the first thing that is not the format's is an error with its place."""
        found = Blocks()
        while True:
            word = self._token(end=True)
            if word == "":
                return found
            begun = self.start
            if word == "network":
                found.name = self._name()
                self._punctuation("{")
                while (word := self._token()) != "}":
                    self._property(word, "network")
            elif word == "variable":
                name = self._name()
                found.variables.append((name, self._states(name), begun))
            elif word == "probability":
                found.tables.append((self._names(), self._entries(), begun))
            else:
                self._fail("network, variable or probability")

    def _token(self, *, end: bool = False) -> str:
        """The next bare word or punctuation; a quoted one comes with its quotes, the end as an empty word."""
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            rest = re.compile(r"[\s,|]*+").match(self.text, self.at)
            self.start = rest.end() if rest else self.at
            if self.start == len(self.text):
                if end:
                    return ""
                raise self.source.error(
                    "syntax", "the file ends within a block", max(self.start - 1, 0), hint="is the file complete?"
                )
            self._fail("a name, a number or punctuation")
        self.at = match.end()
        kind = match.lastindex or 0
        self.start = match.start(kind) - (kind == 1)
        text = match.group(kind)
        return f'"{text}"' if kind == 1 else text

    def _name(self) -> str:
        word = self._token()
        if word in ("{", "}", "(", ")", "[", "]", ";"):
            self._fail("a name")
        return word[1:-1] if word[0] == '"' else word

    def _punctuation(self, mark: str) -> None:
        if self._token() != mark:
            self._fail(repr(mark))

    def _property(self, word: str, block: str) -> None:
        match = _PROPERTY.match(self.text, self.at) if word == "property" else None
        if match is None:
            self._fail(f"a property that ends with ';', or '}}', in the {block} block")
        self.at = match.end()

    def _states(self, name: str) -> tuple[str, ...]:
        states: list[str] | None = None
        self._punctuation("{")
        while (word := self._token()) != "}":
            if word != "type":
                self._property(word, "variable")
                continue
            if self._token() != "discrete":
                self._fail(f"'discrete': only discrete variables can be read, {name} is another")
            self._punctuation("[")
            count = self._token()
            declared = self.start
            self._punctuation("]")
            self._punctuation("{")
            states = []
            while (word := self._token()) != "}":
                self.at = self.start
                states.append(self._name())
            self._punctuation(";")
            if count != str(len(states)):
                raise self.source.error(
                    "states",
                    f"{name} does not list as many states as it declares",
                    declared,
                    found=f"{len(states)} states",
                    allowed=count[:30],
                )
        if states is None:
            self._fail(f"the states of {name}: type discrete [ … ] {{ … }};")
        return tuple(states)

    def _names(self) -> list[str]:
        names = []
        self._punctuation("(")
        while self._token() != ")":
            self.at = self.start
            names.append(self._name())
        if not names:
            self._fail("the name of a variable")
        return names

    def _entries(self) -> list[Entry]:
        entries = []
        self._punctuation("{")
        while True:
            match = _ENTRY.match(self.text, self.at)
            if match is not None:
                kind, key, numbers = match.groups("")
                entries.append(Entry(kind, key, numbers.replace(",", " ").split(), match.start(1 if kind else 2)))
                self.at = match.end()
                continue
            word = self._token()
            if word == "}":
                return entries
            if word != "property":
                self._fail("a row '(states) numbers;', 'table numbers;', 'default numbers;' or '}'")
            self._property(word, "probability")

    def _fail(self, allowed: str) -> NoReturn:
        text = self.text[self.start : self.start + 40].split("\n")[0]
        raise self.source.error(
            "syntax", "this is not what the format has here", self.start, found=repr(text), allowed=allowed
        )


def _blank(match: re.Match[str]) -> str:
    """A quoted text as it is; a comment as blanks, so that every offset stays."""
    text = match.group()
    return text if text[0] == '"' else re.sub(r"[^\n]", " ", text)
