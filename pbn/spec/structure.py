"""The shape of a file against `pbn.spec.schema`: every misplaced key and value, in our own words."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from pbn.errors import Place, closest, listing
from pbn.spec.nodes import Mapping, Node, Scalar, Sequence, kind_of, plain
from pbn.spec.report import Report, shorten
from pbn.spec.schema import GOES_WITH, SOURCE_KEYS, VARIABLE_KEYS, WORDS, WORLD, keys_at, sources_of

Path = tuple[str | int, ...]

_WANTED = {"string_type": "a single value", "list_type": "a list", "dict_type": "a map", "model_type": "a map",
           "union_type": "a list or a map", "literal_error": "a single value"}  # fmt: skip
_WRITTEN = {"a list": "a list is [a, b], or lines that begin with '-'", "a map": "a map is lines of 'key: value'"}


def check_structure(root: Node, report: Report) -> frozenset[Path]:
    """Report all faults of shape; returns the paths of the parts that can't be read further.

    A path is ``("levels",)`` for a whole section or ``("variables", "score")`` for one entry.
    """
    for again, first, is_row in _repeated(root, ()):
        code, what = ("spec/duplicate-row", "row") if is_row else ("spec/duplicate-key", "key")
        report.add(
            code,
            f"the {what} {shorten(again.text)!r} stands twice, first on line {first.place.line}",
            again.place,
            hint=f"keep one of the two, or rename the one on line {again.place.line}",
        )
    try:
        WORLD.validate_python(plain(root))
    except ValidationError as error:
        return _Shape(root, report).tell(error)
    return frozenset()


def _repeated(node: Node, path: Path) -> Iterator[tuple[Scalar, Scalar, bool]]:
    """Each repeated key with the first one, and whether it is a row of a table."""
    if isinstance(node, Sequence):
        for position, item in enumerate(node.items):
            if not isinstance(item, Scalar):
                yield from _repeated(item, (*path, position))
    if isinstance(node, Mapping):
        for again, first in node.repeated:
            yield again, first, "p" in path[2:3] and path[0] == "variables"
        for key, value in node.pairs:
            if not isinstance(value, Scalar):
                yield from _repeated(value, (*path, key.text))


class _Shape:
    """Turns pydantic's complaints into faults, one for each mistake."""

    def __init__(self, root: Node, report: Report) -> None:
        self.root = root
        self.report = report
        self.meant: set[Path] = set()  # where a misspelt key was meant to be

    def tell(self, error: ValidationError) -> frozenset[Path]:
        faults = [
            (fault["type"], tuple(fault["loc"]))
            for fault in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        for kind, location in faults:
            if kind == "extra_forbidden":
                self._unknown_key(location)
        for kind, location in faults:
            path = _without_tags(location)
            if kind == "missing" and path not in self.meant:
                self._missing_key(path)
            elif kind == "union_tag_invalid":
                self._unclear_source(path)
            elif kind not in ("missing", "extra_forbidden"):
                self._wrong_value("union_type" if location[-1:] == ("\0map",) else kind, path)
        return frozenset(_without_tags(location)[:2] for _, location in faults)

    def _unknown_key(self, location: Path) -> None:
        path = _without_tags(location)
        key = str(path[-1])
        allowed = keys_at(location)
        guess = closest(key.lower(), allowed) if len(self.report) < 50 else None
        hint = f"did you mean {guess!r}?" if guess else None
        message = f"there is no key {shorten(key)!r} here"
        if location[0] == "variables" and len(path) == 3 and key in VARIABLE_KEYS:
            source = str(location[2])[1:]
            message = f"the key {key!r} does not go with {source!r}"
            hint = f"{key!r} goes with {GOES_WITH[key]!r}" if key in GOES_WITH else None
        elif guess:
            self.meant.add((*path[:-1], guess))
        elif set(key) & set("()[]'\""):
            hint = 'between braces a text that holds a comma or a bracket is quoted: {rule: "max(a, b)"}'
        self.report.add("spec/unknown-key", message, self._key(path).place, allowed=", ".join(allowed), hint=hint)

    def _missing_key(self, path: Path) -> None:
        owner = self._name(path[:-1])
        self.report.add(
            "spec/missing-key",
            f"{owner} has no key {path[-1]!r}",
            self._place(path[:-1]),
            hint=f"add a line '{path[-1]}: …'",
        )

    def _unclear_source(self, path: Path) -> None:
        body = self._node(path)
        assert isinstance(body, Mapping)
        found = sources_of([key.text for key, _ in body.pairs])
        place = body.key(found[1]).place if found else self._place(path)
        message = f"{self._name(path)} has {' and '.join(found) if found else 'no source'}"
        self.report.add(
            "spec/one-source",
            message,
            place,
            allowed="one of " + listing(("states", *SOURCE_KEYS)),
            hint="keep one of them" if found else "say where its states come from",
        )

    def _wrong_value(self, kind: str, path: Path) -> None:
        node = self._node(path)
        place = self._place(path)
        if kind == "literal_error" and isinstance(node, Scalar):
            self._unknown_word(node, path)
        elif kind in ("too_short", "too_long") and path[0] == "variables" and len(path) > 3:
            self.report.add(
                "spec/wrong-shape", "a case is a condition and a state", place, allowed="[condition, state]"
            )
        elif kind == "too_short":
            self.report.add("spec/wrong-shape", f"{self._name(path)} is empty", place)
        else:
            wanted = _WANTED.get(kind, "something else")
            self.report.add(
                "spec/wrong-shape",
                f"{self._name(path)} is {kind_of(node)} where {wanted} belongs",
                place,
                allowed=wanted,
                hint=_WRITTEN.get(wanted),
            )

    def _unknown_word(self, node: Scalar, path: Path) -> None:
        allowed = WORDS[str(path[-2] if isinstance(path[-1], int) else path[-1])]
        self.report.add(
            "spec/unknown-word",
            f"{shorten(node.text)!r} cannot stand here",
            node.place,
            allowed=", ".join(allowed),
            hint=self.report.suggest(node.text, allowed),
        )

    def _node(self, path: Path) -> Node:
        node = self.root
        for step in path:
            inner = node.get(str(step)) if isinstance(node, Mapping) else None
            if isinstance(node, Sequence) and isinstance(step, int):
                inner = node.items[step]
            if inner is None:
                break
            node = inner
        return node

    def _key(self, path: Path) -> Scalar:
        parent = self._node(path[:-1])
        assert isinstance(parent, Mapping)
        return parent.key(str(path[-1]))

    def _place(self, path: Path) -> Place:
        """The key of what a path leads to, or the value itself where it is a single value or stands in a list."""
        node = self._node(path)
        single = isinstance(node, Scalar) and bool(node.text)
        if not path or isinstance(path[-1], int) or single:
            return node.place
        return self._key(path).place

    def _name(self, path: Path) -> str:
        if not path:
            return "the file"
        if isinstance(path[-1], int):
            return f"item {path[-1] + 1} of {self._name(path[:-1])}"
        return shorten(".".join(f"[{step + 1}]" if isinstance(step, int) else step for step in path))


def _without_tags(location: Path) -> Path:
    return tuple(step for step in location if not (isinstance(step, str) and step.startswith("\0")))
