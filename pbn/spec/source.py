"""From bytes to a tree of nodes with places: YAML without anything that could surprise or explode."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, NoReturn

import yaml

from pbn.errors import Fault, Place, SpecError
from pbn.regular import NotRegularError, open_regular
from pbn.spec.nodes import Mapping, Node, Scalar, Sequence

MAX_BYTES = 2_000_000
MAX_DEPTH = 40
MAX_NODES = 400_000

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_TAB = re.compile(r"^ *\t[ \t]*(?=[^\s#])", re.MULTILINE)
_WORDING = (
    ("mapping values are not allowed", "a ':' stands where no key can be; quote text that contains ': '",),
    ("could not find expected ':'", "a key without its ':'"),
    ("expected ',' or ']'", "a list in brackets is not closed, or a comma is missing"),
    ("expected ',' or '}'", "a map in braces is not closed, or a comma is missing"),
    ("did not find expected key", "this line does not fit the lines above; look at its indentation"),
    ("expected <block end>", "this line does not fit the lines above; look at its indentation"),
    ("did not find expected '-' indicator", "a line without '-' inside a list; look at its indentation"),
    ("block sequence entries are not allowed", "a '-' stands where no list can begin"),
    ("unexpected end of stream", "a quote is opened and never closed"),
    ("cannot start any token", "no value can begin with this character; quote the text"),
    ("unknown escape character", "this backslash sequence does not exist; use single quotes for plain text"),
    ("did not find expected <document start>", "the file goes on after its end; look at the indentation"),
)  # fmt: skip


def read_file(path: str | PathLike[str]) -> Node:
    """The tree of a file, its size and kind checked before anything is read.

    Raises
    ------
    SpecError
        The file is missing, not a regular file, too large, or refused by `read_text`.
    """
    name = str(path)
    start = Place(file=name, line=1, column=1)
    try:
        with open_regular(path) as file:
            _check_size(os.fstat(file.fileno()).st_size, start)
            data = file.read(MAX_BYTES + 1)
    except NotRegularError as error:
        _refuse("spec/not-a-file", f"{name} cannot be read: {error.strerror}", start, hint="name one world file")
    except FileNotFoundError:
        _refuse("spec/no-file", f"there is no file {name}", None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a valid path"
        _refuse("spec/unreadable", f"{name!r} cannot be read: {reason}", None)
    return read_text(data, file=name)


def read_text(text: str | bytes, *, file: str = "<string>") -> Node:
    """The tree of a YAML text.

    Raises
    ------
    SpecError
        The text is not UTF-8, empty, too large, nested too deep, not YAML, or uses tabs as indentation, anchors,
        aliases, tags, several documents, or keys that are not text.

    Examples
    --------
    >>> tree = read_text("name: demo")
    >>> tree.scalar("name").text, str(tree.scalar("name").place)
    ('demo', '<string>:1:7')
    """
    start = Place(file=file, line=1, column=1)
    if isinstance(text, bytes):
        _check_size(len(text), start)
        text = _decode(text, file)
    else:
        _check_size(len(text), start)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    _check_characters(text, file)
    root = _build(text, file)
    if root is None or (isinstance(root, Scalar) and not root.text.strip()):
        _refuse(
            "spec/empty",
            "the file is empty",
            start,
            hint="a world file needs name, title, variables, questions and levels",
        )
    return root


def _refuse(code: str, message: str, place: Place | None, **details: str | None) -> NoReturn:
    raise SpecError(Fault(code=code, message=message, place=place, **details))


def _check_size(size: int, place: Place) -> None:
    if size > MAX_BYTES:
        _refuse("spec/too-large", f"the file has {size:,} bytes", place, allowed=f"at most {MAX_BYTES:,} bytes")


def _decode(data: bytes, file: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line_start = before.rfind(b"\n") + 1
        place = Place(
            file=file, line=before.count(b"\n") + 1, column=len(before[line_start:].decode("utf-8", "replace")) + 1
        )
        _refuse(
            "spec/not-utf8",
            f"byte {error.start} (0x{data[error.start]:02x}) is not UTF-8",
            place,
            allowed="UTF-8 text",
            hint="save the file as UTF-8",
        )


def _check_characters(text: str, file: str) -> None:
    found = _CONTROL.search(text)
    if found:
        character = ord(found.group())
        code = "spec/not-utf8" if 0xD800 <= character <= 0xDFFF else "spec/control-character"
        place = _place(text, found.start(), file)
        _refuse(
            code,
            f"the character U+{character:04X} cannot stand in a world file",
            place,
            hint="remove it; it is invisible in most editors",
        )
    tab = _TAB.search(text)
    if tab:
        offset = tab.start() + tab.group().index("\t")
        _refuse("spec/tab", "this line is indented with a tab", _place(text, offset, file), hint="indent with spaces")


def _place(text: str, offset: int, file: str) -> Place:
    return Place(file=file, line=text.count("\n", 0, offset) + 1, column=offset - text.rfind("\n", 0, offset))


@dataclass
class _Open:
    """A map or list that is still being read; a map's ``key`` waits for its value."""

    is_map: bool
    place: Place
    items: list[Any] = field(default_factory=list)
    key: Scalar | None = None
    keys: dict[str, Scalar] = field(default_factory=dict)
    repeated: list[tuple[Scalar, Scalar]] = field(default_factory=list)

    def add(self, node: Node) -> None:
        if not self.is_map:
            self.items.append(node)
        elif self.key is None:
            if not isinstance(node, Scalar):
                _refuse("spec/key", "a list or a map cannot be a key", node.place, allowed="text")
            self.key = node
        else:
            first = self.keys.setdefault(self.key.text, self.key)
            if first is self.key:
                self.items.append((self.key, node))
            else:
                self.repeated.append((self.key, first))
            self.key = None

    def close(self) -> Node:
        if self.is_map:
            return Mapping(pairs=tuple(self.items), repeated=tuple(self.repeated), place=self.place)
        return Sequence(items=tuple(self.items), place=self.place)


def _build(text: str, file: str) -> Node | None:
    """Put the tree together from events, without recursion."""
    root: Node | None = None
    stack: list[_Open] = []
    for count, event in enumerate(_events(text, file)):
        start = event.start_mark
        assert start is not None
        place = Place(file=file, line=start.line + 1, column=start.column + 1)
        if count > MAX_NODES:
            _refuse("spec/too-large", f"the file has more than {MAX_NODES:,} values", place)
        node: Node | None = None
        match event:
            case yaml.ScalarEvent():
                _check_node(event, place)
                node = _scalar(event, text, place)
            case yaml.MappingStartEvent() | yaml.SequenceStartEvent():
                _check_node(event, place)
                stack.append(_Open(is_map=isinstance(event, yaml.MappingStartEvent), place=place))
                if len(stack) > MAX_DEPTH:
                    _refuse("spec/too-deep", f"maps and lists are nested more than {MAX_DEPTH} deep", place)
            case yaml.MappingEndEvent() | yaml.SequenceEndEvent():
                node = stack.pop().close()
            case yaml.AliasEvent():
                _check_node(event, place)
            case yaml.DocumentStartEvent() if root is not None:
                _refuse(
                    "spec/several-documents",
                    "the file holds several documents",
                    place,
                    allowed="one document",
                    hint="a line with --- begins another one; remove it",
                )
        if node is not None and stack:
            stack[-1].add(node)
        elif node is not None:
            root = node
    return root


def _events(text: str, file: str) -> Iterator[yaml.Event]:
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Place(file=file, line=mark.line + 1, column=mark.column + 1) if mark else None
        problem = error.problem or "this is not YAML"
        context = error.context or ""
        if mark and text[mark.index : mark.index + 1] == "\t":
            _refuse("spec/tab", "a tab stands where indentation belongs", place, hint="indent with spaces")
        if "an anchor" in context or "an alias" in context:
            _refuse(
                "spec/alias", "anchors and aliases are not allowed", place, hint="quote text that begins with & or *"
            )
        if "tag handle" in problem:
            _refuse("spec/tag", "tags are not allowed", place, hint="remove the word that begins with '!'")
        if "depth level" in problem or "nesting" in problem:
            _refuse("spec/too-deep", f"maps and lists are nested more than {MAX_DEPTH} deep", place)
        message = next((ours for theirs, ours in _WORDING if theirs in problem), problem)
        _refuse("spec/yaml", message, place)
    except yaml.YAMLError as error:
        _refuse("spec/yaml", f"this is not YAML: {error}", Place(file=file, line=1, column=1))


def _check_node(event: yaml.NodeEvent, place: Place) -> None:
    if event.anchor is not None:
        sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
        _refuse(
            "spec/alias",
            "anchors and aliases are not allowed",
            place,
            found=f"{sign}{event.anchor[:40]}",
            hint="write the value out, or quote text that begins with & or *",
        )
    tag = getattr(event, "tag", None)
    if tag is not None:
        _refuse(
            "spec/tag",
            "tags are not allowed",
            place,
            found=str(tag)[:60],
            hint="remove the word that begins with '!', or quote text that begins with '!'",
        )


def _scalar(event: yaml.ScalarEvent, text: str, place: Place) -> Scalar:
    value: str = event.value
    odd = _CONTROL.search(value)
    if odd:
        _refuse("spec/control-character", f"an escape stands for U+{ord(odd.group()):04X}, a control character", place)
    assert event.start_mark is not None
    assert event.end_mark is not None
    raw = text[event.start_mark.index : event.end_mark.index]
    quoted = event.style in ("'", '"')
    return Scalar(text=value, quoted=quoted, place=place, raw=value if raw == value else raw)
