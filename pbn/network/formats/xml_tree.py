"""XML text as a tree of elements that know their lines.

Expat does the reading. A document type may declare elements and attributes, but a file that declares or
uses entities is refused, so nothing is ever expanded or fetched.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice
from xml.parsers import expat

from pbn.errors import Fault, NetworkError, Place
from pbn.network.formats.text import FileText

MAX_DEPTH = 60
"""Elements within elements; network files have fewer than ten."""
MAX_ELEMENTS = 2_000_000
"""Elements in one file."""
MAX_ATTRIBUTES = 1000
"""Attributes that a document type may declare."""

_DECLARATION = re.compile(r"\A\s*<\?xml\b[^>]*\?>", re.IGNORECASE)


@dataclass(slots=True)
class Element:
    """An element: its tag without the namespace, its attributes, its children, its text and where it stands."""

    tag: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    text_line: int = 0

    @property
    def text(self) -> str:
        """The text directly within the element, without white space around it."""
        return "".join(self.parts).strip()

    def all(self, *tags: str) -> list[Element]:
        """The children with one of these tags."""
        return [child for child in self.children if child.tag in tags]

    def first(self, *tags: str) -> Element | None:
        """The first child with one of these tags."""
        return next((child for child in self.children if child.tag in tags), None)

    def word_place(self, position: int) -> Place:
        """The place of a word of the text, by its position."""
        text = "".join(self.parts)
        match = next(islice(re.finditer(r"\S+", text), position, None), None)
        if match is None:
            return self.place
        before = text[: match.start()]
        column = match.start() - before.rfind("\n") if "\n" in before else self.place.column
        return Place(file=self.place.file, line=self.text_line + before.count("\n"), column=column)


def xml_tree(source: FileText) -> Element:
    """The root element of the text.

    A declaration in capitals, as files of the nineties have it, is passed over; so is the encoding that a
    declaration names, since the text is decoded already.

    Raises
    ------
    NetworkError
        The text is not well-formed (``network/syntax``), declares or uses entities (``network/entity``) or
        is nested too deeply or too large (``network/too-large``).
    """
    text = _DECLARATION.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source.text, count=1)
    builder = _Builder(source.file)
    try:
        builder.parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise NetworkError(
            Fault(
                code="network/syntax",
                message=f"this is not well-formed XML: {expat.errors.messages[error.code]}",
                place=Place(file=source.file, line=error.lineno, column=error.offset + 1),
            )
        ) from None
    return builder.root


class _Builder:
    """What expat calls as it reads."""

    root: Element

    def __init__(self, file: str) -> None:
        self.file = file
        self.open: list[Element] = []
        self.elements = 0
        self.attributes = 0
        self.parser = parser = expat.ParserCreate("utf-8")
        parser.specified_attributes = parser.buffer_text = True
        parser.buffer_size = 2**16
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.CommentHandler = self.comment
        parser.AttlistDeclHandler = self.attribute_declared
        parser.EntityDeclHandler = self.entity
        parser.SkippedEntityHandler = self.entity
        parser.ExternalEntityRefHandler = self.entity

    def place(self) -> Place:
        return Place(file=self.file, line=self.parser.CurrentLineNumber, column=self.parser.CurrentColumnNumber + 1)

    def refuse(self, code: str, message: str, allowed: str) -> None:
        raise NetworkError(Fault(code=f"network/{code}", message=message, place=self.place(), allowed=allowed))

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if len(self.open) >= MAX_DEPTH:
            self.refuse("too-large", "the elements are nested too deeply", f"{MAX_DEPTH} levels")
        if self.elements > MAX_ELEMENTS:
            self.refuse("too-large", "the file has too many elements", f"{MAX_ELEMENTS:,} elements")
        element = Element(tag.rpartition(":")[2], attributes, self.place())
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, _: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        element = self.open[-1]
        element.text_line = element.text_line or self.parser.CurrentLineNumber - text.count("\n")
        element.parts.append(text)

    def comment(self, text: str) -> None:
        if self.open and self.open[-1].parts:  # it separates words, and its lines count
            self.open[-1].parts.append(" " + "\n" * text.count("\n"))

    def attribute_declared(self, *_: object) -> None:
        self.attributes += 1
        if self.attributes > MAX_ATTRIBUTES:
            self.refuse("too-large", "the document type declares too many attributes", f"{MAX_ATTRIBUTES:,}")

    def entity(self, *_: object) -> int:
        self.refuse("entity", "the file declares or uses an entity of its own", "the five entities of XML itself")
        return 0


_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_name(name: str) -> str:
    r"""The name with ``_`` for what an XML text loses: control characters, and white space that is not one space.

    Examples
    --------
    >>> xml_name("R&D <5"), xml_name(" a"), xml_name("a\tb")
    ('R&D <5', '_a', 'a_b')
    """
    plain = re.sub(r"[^\S ]", "_", _ILLEGAL.sub("_", name))
    return re.sub(r"^ +| +$", lambda match: "_" * len(match[0]), plain)
