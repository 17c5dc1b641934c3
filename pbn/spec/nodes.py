"""The tree of a YAML file: scalars as text, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pbn.errors import Place

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)|.", re.DOTALL)
_BLANK_ESCAPES = frozenset(("\\t", "\\n", "\\r", "\\v", "\\f", "\\ ", "\\_", "\\N", "\\L", "\\P", "\\\n"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value as text; ``raw`` is how the file writes it, quotes included."""

    text: str
    quoted: bool
    place: Place
    raw: str = field(default="", repr=False, compare=False)

    def place_of(self, offset: int) -> Place:
        """Where the character at ``offset`` of the text stands in the file.

        YAML folds lines and blanks but keeps every other character, so characters are counted without blanks.
        """
        wanted = len("".join(self.text[:offset].split()))
        for start, piece in self._pieces():
            if piece.isspace():
                continue
            if wanted == 0:
                before = self.raw[:start]
                lines = before.count("\n")
                column = start - before.rfind("\n") if lines else self.place.column + start
                return Place(file=self.place.file, line=self.place.line + lines, column=column)
            wanted -= 1
        return self.place

    def _pieces(self) -> Iterator[tuple[int, str]]:
        """Each character of the value as the file writes it, with its position in ``raw``."""
        raw = self.raw
        if raw[:1] in ("|", ">") and not self.quoted:
            start = raw.find("\n") + 1
            yield from enumerate(raw[start:], start)
        elif self.quoted and raw[:1] == '"':
            for match in _ESCAPE.finditer(raw, 1, len(raw) - 1):
                yield match.start(), " " if match.group() in _BLANK_ESCAPES else match.group()
        elif self.quoted:
            inner = enumerate(raw[1:-1], 1)
            for start, character in inner:
                yield start, character
                if character == "'":
                    next(inner, None)
        else:
            yield from enumerate(raw)


@dataclass(frozen=True, kw_only=True)
class Mapping:
    """A map; ``repeated`` holds each key that came again, with the key that came first."""

    pairs: tuple[tuple[Scalar, Node], ...]
    repeated: tuple[tuple[Scalar, Scalar], ...]
    place: Place

    @cached_property
    def _by_key(self) -> dict[str, tuple[Scalar, Node]]:
        return {key.text: (key, value) for key, value in self.pairs}

    def __contains__(self, key: str) -> bool:
        return key in self._by_key

    def key(self, name: str) -> Scalar:
        """The key itself, for its place."""
        return self._by_key[name][0]

    def get(self, name: str) -> Node | None:
        """What stands under a key, or None."""
        pair = self._by_key.get(name)
        return pair[1] if pair else None

    def scalar(self, name: str) -> Scalar | None:
        """The value under a key if it is a single one."""
        node = self.get(name)
        return node if isinstance(node, Scalar) else None

    def mapping(self, name: str) -> Mapping | None:
        """The map under a key if there is one."""
        node = self.get(name)
        return node if isinstance(node, Mapping) else None

    def scalars(self, name: str) -> tuple[Scalar, ...]:
        """The single values under a key: those of a list, or the one that stands there alone."""
        node = self.get(name)
        if isinstance(node, Scalar):
            return (node,)
        return tuple(item for item in node.items if isinstance(item, Scalar)) if isinstance(node, Sequence) else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """A list."""

    items: tuple[Node, ...]
    place: Place


Node = Scalar | Mapping | Sequence


def kind_of(node: Node) -> str:
    """What a node is, in words for an error message."""
    if isinstance(node, Scalar):
        return "text" if node.text or node.quoted else "nothing"
    return "a map" if isinstance(node, Mapping) else "a list"


def plain(node: Node) -> object:
    """The tree as dicts, lists and strings, without places."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.pairs}
