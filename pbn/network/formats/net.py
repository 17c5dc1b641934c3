"""Hugin NET.

Specification: *The HUGIN API Reference Manual*, chapter "The NET language": ``node`` and ``potential``
blocks, ``%`` comments, quoted strings; ``data`` is a nested list with the child varying fastest, then the
last parent, and its parentheses follow the axes (a flat list is read too). Node names may be integers and
states may stand without quotes, since programs write them so.

A NET potential may be unnormalised (counts, say) and Hugin scales it. Here such a row is refused: what it
stands for is a decision for people, not for a reader. Continuous, decision, utility and function nodes,
classes and expressions are refused too. pgmpy 1.1 fails on comments and integers, and
pyAgrum 3.3 rounds to single precision.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

from pbn.errors import Faults, NetworkError, listing
from pbn.network.formats.definitions import Definition, distinct, drafts_of, identifier, written
from pbn.network.formats.draft import MAX_CELLS, NodeDraft, ReadNetwork, WrittenNetwork, as_tables, build_network
from pbn.network.formats.numbers import written_numbers
from pbn.network.formats.text import FileText
from pbn.network.model import Network

MAX_DEPTH = 1000
"""Parentheses within parentheses: one for each parent of a node."""

_TOKEN = re.compile(r'[\s,]+|%[^\n]*|("(?:[^"\\]|\\.)*+"|[(){}=;|]|[^\s"%(){}=;|,]+)', re.DOTALL)
_KINDS = {"continuous", "decision", "utility", "function", "text"}


@dataclass(slots=True)
class _Value:
    """The words of a value without its parentheses, and the lengths of the groups at each depth."""

    words: list[str] = field(default_factory=list)
    offsets: array[int] = field(default_factory=lambda: array("q"))
    lengths: list[set[int]] = field(default_factory=list)


class _Words:
    """The words of a text, one after the other."""

    def __init__(self, source: FileText) -> None:
        self.source = source
        self.words = self._words()
        self.at = 0

    def _words(self) -> Iterator[tuple[str, int]]:
        text, at = self.source.text, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.source.error("syntax", "a string does not end", at, found=text[at : at + 40].split("\n")[0])
            if match[1] is not None:
                yield match[1], at
            at = match.end()

    def next(self, *allowed: str) -> str:
        """The next word; one of ``allowed``, where given."""
        word, self.at = next(self.words, ("", max(len(self.source.text) - 1, 0)))
        if not word or (allowed and word not in allowed):
            raise self.fail(repr(word[:40]) if word else "the end of the file", " or ".join(map(repr, allowed)))
        return word

    def name(self) -> str:
        """The next word, which is a name."""
        word = self.next()
        if word in tuple("(){}=;|"):
            raise self.fail(repr(word), "a name")
        return _unquoted(word)

    def fail(self, found: str, allowed: str) -> NetworkError:
        """The error that the last word is none of those allowed."""
        return self.source.error(
            "syntax", "this is not what the format has here", self.at, found=found, allowed=allowed or None
        )

    def attributes(self) -> dict[str, _Value]:
        """The attributes between braces; of two with one name the first counts."""
        self.next("{")
        found: dict[str, _Value] = {}
        while (word := self.next()) != "}":
            if not re.match(r"\w", word):
                raise self.fail(repr(word[:40]), "an attribute or '}'")
            self.next("=")
            value = self._value()
            found.setdefault(word, value)
        return found

    def _value(self) -> _Value:
        value = _Value()
        counts: list[int] = []
        while (word := self.next()) != ";" or counts:
            if word == "(":
                if len(counts) >= MAX_DEPTH:
                    raise self.source.error(
                        "too-large", "the parentheses are nested too deeply", self.at, allowed=f"{MAX_DEPTH} levels"
                    )
                if counts:
                    counts[-1] += 1
                counts.append(0)
                if len(value.lengths) < len(counts):
                    value.lengths.append(set())
            elif word == ")" and counts:
                value.lengths[len(counts) - 1].add(counts.pop())
            elif word in (")", "{", "}", ";"):
                raise self.fail(repr(word), "')'" if counts else "';'")
            else:
                if counts:
                    counts[-1] += 1
                if len(value.words) > MAX_CELLS:
                    raise self.source.error("too-large", "the list is too long", self.at, allowed=f"{MAX_CELLS:,}")
                value.words.append(word)
                value.offsets.append(self.at)
        return value


def _unquoted(word: str) -> str:
    if word[0] != '"':
        return word
    return re.sub(r'\\(["\\n])', lambda match: "\n" if match[1] == "n" else match[1], word[1:-1])


def parse_net(source: FileText, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a NET text, exact to the last written digit.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The text is no NET, holds other than discrete chance nodes, or rows that are not probabilities.
    """
    words = _Words(source)
    faults = Faults(NetworkError, "network")
    name, variables, definitions = "", [], []
    for kind, offset in words.words:
        words.at = offset
        if kind == "discrete":
            kind = words.next("node", "decision", "utility", "function")
        if kind == "net":
            title = words.attributes().get("name")
            name = _unquoted(title.words[0]) if title and title.words else ""
        elif kind == "node":
            variables.append(_node(words, offset))
        elif kind == "potential":
            definition = _potential(words, offset, faults)
            if definition is not None:
                definitions.append(definition)
        elif kind in _KINDS:
            node = words.name() if kind != "continuous" or words.next("node", "chance") else ""
            if kind == "continuous":
                node = node or words.name()
            faults.add("unsupported", f"{node} is a {kind} node", source.place(offset), kind, "discrete chance nodes")
            words.attributes()
        elif kind == "class":
            raise source.error(
                "unsupported",
                "the file holds a class: an object-oriented network",
                offset,
                allowed="net, node and potential",
            )
        else:
            raise words.fail(repr(kind[:40]), "net, node or potential")
    faults.raise_any()
    drafts = drafts_of(variables, definitions)
    _check_counts(drafts, faults)
    faults.raise_any()
    return build_network(drafts, name=name, renormalise=renormalise, notes=source.notes)


def _node(words: _Words, offset: int) -> NodeDraft:
    name = words.name()
    attributes = words.attributes()
    label, states = attributes.get("label"), attributes.get("states")
    return NodeDraft(
        name=name,
        parents=(),
        states=tuple(map(_unquoted, states.words)) if states else (),
        label=_unquoted(label.words[0]) if label and label.words else "",
        place=words.source.place(offset),
    )


def _potential(words: _Words, offset: int, faults: Faults) -> Definition | None:
    """A potential; None where it has no data, as those of decisions."""
    source, names = words.source, []
    words.next("(")
    while (word := words.next()) != ")":
        if word in tuple("({}=;") or (word == "|" and "|" in names):
            raise words.fail(repr(word), "a name, '|' or ')'")
        names.append(word if word == "|" else _unquoted(word))
    given = names.index("|") if "|" in names else len(names)
    attributes = words.attributes()
    if given != 1:
        faults.add(
            "unsupported",
            "this potential is not of one node",
            source.place(offset),
            f"{given} nodes",
            "one node before '|'",
        )
    if "model_data" in attributes:
        faults.add(
            "unsupported",
            f"the table of {names[0] if names else ''} is an expression",
            source.place(offset),
            "model_data",
            "data",
        )
    if given != 1 or "data" not in attributes:
        return None
    data, parents = attributes["data"], tuple(names[2:])
    if any(len(lengths) > 1 for lengths in data.lengths):
        faults.add(
            "shape",
            f"the parentheses in the table of {names[0]} are not those of a table",
            source.place(offset),
            "groups of different lengths",
            "one length at each depth",
        )
    return Definition(
        child=names[0],
        parents=parents,
        layout=(*parents, names[0]),
        numbers=data.words,
        place=source.place(offset),
        locate=lambda entry: source.place(data.offsets[entry]),
        shape=tuple(min(lengths) for lengths in data.lengths),
    )


def _check_counts(drafts: list[NodeDraft], faults: Faults) -> None:
    """A fault for each table with a row that sums to more than rounding explains: counts, not probabilities."""
    sizes = {draft.name: len(draft.states) for draft in drafts}
    if len(sizes) < len(drafts):  # a node that is declared twice may have no states: `build_network` refuses it
        return
    for draft in drafts:
        size, tokens = len(draft.states), draft.numbers or ()
        if not tokens or len(tokens) != math.prod(sizes.get(axis, 0) for axis in (*draft.parents, draft.name)):
            continue
        try:
            numbers = [float(token) for token in tokens]
        except ValueError:
            continue
        for k in range(0, len(numbers), size):
            total = sum(numbers[k : k + size])
            if total > 1.5:
                faults.add(
                    "row-sum",
                    f"a row of {draft.name} sums to {total:.10g}: the table holds counts or weights",
                    draft.place_of(k),
                    listing(tokens[k : k + size]),
                    "rows that sum to 1",
                    "divide each row by its sum, if that is what the file means",
                )
                break


def write_net(network: Network) -> WrittenNetwork:
    """The network as Hugin NET: names that are no identifiers are mapped, states are quoted.

    Raises
    ------
    BudgetError
        The network is too large for tables.
    """
    network = as_tables(network)
    names = distinct(network.variables, identifier)
    lines = ["net\n{\n    node_size = (80 40);\n}\n"]
    for node, variable in network.variables.items():
        states = " ".join(map(_quoted, variable.states))
        label = f"    label = {_quoted(variable.text or node)};\n" if variable.text or names[node] != node else ""
        lines.append(f"\nnode {names[node]}\n{{\n{label}    states = ({states});\n}}\n")
    rounded = []
    for node, cpd in network.cpds.items():
        numbers = written_numbers(cpd, network.size(node))
        if not numbers.exact:
            rounded.append(node)
        given = " | " + " ".join(names[parent] for parent in cpd.parents) if cpd.parents else ""
        sizes = [network.size(axis) for axis in (*cpd.parents, node)]
        lines.append(f"\npotential ({names[node]}{given})\n{{\n    data = {_nested(numbers.tokens, sizes)};\n}}\n")
    return written("".join(lines), names, {}, rounded)


def _quoted(text: str) -> str:
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{plain}"'


def _nested(tokens: list[str], sizes: list[int]) -> str:
    """The tokens in C order with parentheses around each axis."""
    groups = tokens
    for depth, size in reversed(list(enumerate(sizes))):
        break_ = "\n    " if depth == len(sizes) - 1 and depth else ""
        joined = (" ".join(groups[k : k + size]) for k in range(0, len(groups), size))
        groups = [f"{break_}({group})" for group in joined]
    return groups[0]
