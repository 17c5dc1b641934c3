"""UAI, the model file format of the UAI inference competitions, for Bayesian networks.

The format is that of the UAI 2008 evaluation and later competitions, as kept at
https://toulbar2.github.io/toulbar2/formats/uailgformat.html: ``BAYES``, the number of variables, their
numbers of states, the number of tables, the scope of each table with the child last, and then each table
as the number of its entries and the entries, the last variable of the scope changing fastest. ``#``
begins a comment. The format has no names: variables and states are called by their numbers from 0.

``MARKOV`` networks have no conditional laws, and ``CAUSAL`` models (of the tool bcause) write the states
of a deterministic child instead of its law; both are refused.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pbn.errors import Fault, NetworkError, Place
from pbn.network.formats.draft import NodeDraft, ReadNetwork, WrittenNetwork, as_tables, build_network, oversize
from pbn.network.formats.numbers import written_numbers
from pbn.network.formats.text import FileText, file_text
from pbn.network.model import Network

_TOKEN = re.compile(r"#[^\n]*+|[^\s#]++")
_REASONS = {
    "MARKOV": "it holds factors of a Markov network, which are no conditional probabilities",
    "CAUSAL": "it holds a causal model, whose tables list states and no probabilities",
}


def read_uai(path: Path | str, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a UAI file of type BAYES; variables and states are named by their numbers from 0.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The file is of another type (``network/uai-type``), is no UAI file (``network/syntax``), or says no
        network; with line and reason.
    """
    return parse_uai(file_text(path), renormalise=renormalise)


def parse_uai(source: FileText, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a UAI text, as `read_uai` gives it."""
    reader = _Reader(source)
    drafts = reader.drafts()
    return build_network(drafts, name="", renormalise=renormalise, notes=source.notes)


class _Reader:
    """Walks through the tokens of a text."""

    def __init__(self, source: FileText) -> None:
        self.source = source
        self.tokens: list[str] = []
        self.starts = array("q")
        for match in _TOKEN.finditer(source.text):
            if match[0][0] != "#":
                self.tokens.append(match[0])
                self.starts.append(match.start())
        self.at = 0

    def drafts(self) -> list[NodeDraft]:
        """A node for each table, in the order of the variables' numbers."""
        self._check_type()
        sizes = self._sizes()
        scopes = self._scopes(sizes)
        drafts: dict[int, NodeDraft] = {}
        for scope, place in scopes:
            child, shape = scope[-1], [sizes[variable] for variable in scope]
            large = oversize(str(child), shape, place)
            if large is not None:
                raise NetworkError(large)
            first, numbers = self._table(str(child), math.prod(shape))
            drafts[child] = NodeDraft(
                name=str(child),
                states=tuple(map(str, range(sizes[child]))),
                place=place,
                numbers=numbers,
                parents=tuple(str(variable) for variable in scope[:-1]),
                locate=_Entries(self, first),
            )
        if self.at < len(self.tokens):
            raise self._error("syntax", "the file goes on after its last table", self.at, "the end of the file")
        return [drafts[variable] for variable in sorted(drafts)]

    def _check_type(self) -> None:
        kind = self.tokens[0] if self.tokens else ""
        if kind != "BAYES":
            reason = _REASONS.get(kind, "its first word is none of the format's types")
            raise self._error("uai-type", f"this is not a Bayesian network: {reason}", 0, "BAYES")
        self.at = 1

    def _sizes(self) -> list[int]:
        count = self._integer("the number of variables")
        if count < 1:
            raise self._error("empty", "the file has no variables", self.at - 1, "at least 1 variable")
        sizes = []
        for variable in range(min(count, len(self.tokens))):
            sizes.append(self._integer(f"the number of states of variable {variable}"))
            if not sizes[-1]:
                raise self._error("states", f"variable {variable} has no states", self.at - 1, "at least 1 state")
        if len(sizes) < count:
            raise self._error("syntax", f"the file ends before the numbers of states of its {count:,} variables", -1)
        return sizes

    def _scopes(self, sizes: Sequence[int]) -> list[tuple[list[int], Place]]:
        """The scope of each table, child last, with its place; each variable is the child of one."""
        if self._integer("the number of tables") != len(sizes):
            raise self._error(
                "shape", "a Bayesian network has one table for each variable", self.at - 1, f"{len(sizes)}"
            )
        scopes = []
        owners: set[int] = set()
        for table in range(len(sizes)):
            length = self._integer(f"the number of variables of table {table}")
            begun = self.at - 1
            if not 1 <= length <= len(sizes):
                raise self._error(
                    "shape", f"table {table} has the wrong number of variables", begun, f"1 to {len(sizes)}"
                )
            scope = [self._variable(table, len(sizes)) for _ in range(length)]
            if scope[-1] in owners:
                raise self._error(
                    "duplicate-cpd",
                    f"variable {scope[-1]} is the child (the last) of two tables",
                    self.at - 1,
                    "each variable as the child of one table",
                )
            owners.add(scope[-1])
            scopes.append((scope, self.place(begun)))
        return scopes

    def _variable(self, table: int, count: int) -> int:
        variable = self._integer(f"a variable of table {table}")
        if variable >= count:
            raise self._error(
                "unknown-variable",
                f"table {table} is over a variable that there is not",
                self.at - 1,
                f"0 to {count - 1}",
            )
        return variable

    def _table(self, child: str, cells: int) -> tuple[int, list[str]]:
        """Where the entries begin, and the entries."""
        if self._integer(f"the number of entries of the table of {child}") != cells:
            raise self._error(
                "shape", f"the table of {child} has the wrong number of entries", self.at - 1, f"{cells:,}"
            )
        first, self.at = self.at, self.at + cells
        if self.at > len(self.tokens):
            raise self._error("syntax", f"the file ends within the table of {child}", -1)
        return first, self.tokens[first : self.at]

    def _integer(self, what: str) -> int:
        if self.at >= len(self.tokens):
            raise self._error("syntax", f"the file ends before {what}", -1)
        token = self.tokens[self.at]
        if not token.isascii() or not token.isdecimal() or len(token) > 18:
            raise self._error("syntax", f"this should be {what}", self.at, "a whole number")
        self.at += 1
        return int(token)

    def _error(self, code: str, message: str, position: int, allowed: str | None = None) -> NetworkError:
        found = self.tokens[position][:40] if self.tokens and position >= 0 else None
        hint = "is the file complete?" if position < 0 else None
        fault = Fault(
            code=f"network/{code}", message=message, place=self.place(position), found=found, allowed=allowed, hint=hint
        )
        return NetworkError(fault)

    def place(self, position: int) -> Place:
        """Where a token stands; -1 is the last."""
        return self.source.place(self.starts[position] if self.tokens else 0)


@dataclass(frozen=True, slots=True)
class _Entries:
    """The place of an entry of a table that begins with the token ``first``."""

    reader: _Reader
    first: int

    def __call__(self, entry: int) -> Place:
        return self.reader.place(self.first + entry)


def write_uai(network: Network) -> WrittenNetwork:
    """The network as UAI; ``names`` and ``states`` of the result give the numbers that stand for them.

    Variables are numbered in the network's order. Decimals that end are written in full; a table with
    others is rounded so that its rows sum to exactly 1, which the notes say.
    """
    network = as_tables(network)
    number = {node: k for k, node in enumerate(network.variables)}
    notes, scopes, tables = [], [], []
    for node, cpd in network.cpds.items():
        scope = [*(number[parent] for parent in cpd.parents), number[node]]
        scopes.append(" ".join(map(str, [len(scope), *scope])))
        numbers, size = written_numbers(cpd, network.size(node)), network.size(node)
        if not numbers.exact:
            notes.append(f"{node}: probabilities that do not end as decimals are rounded")
        rows = [" ".join(numbers.tokens[k : k + size]) for k in range(0, len(numbers.tokens), size)]
        tables += ["", str(len(numbers.tokens)), *rows]
    sizes = " ".join(str(variable.size) for variable in network.variables.values())
    lines = ["BAYES", str(len(network)), sizes, str(len(network)), *scopes, *tables]
    states = {
        node: {state: str(k) for k, state in enumerate(variable.states) if state != str(k)}
        for node, variable in network.variables.items()
    }
    return WrittenNetwork(
        text="\n".join(lines) + "\n",
        notes=tuple(notes),
        names={node: str(k) for node, k in number.items() if node != str(k)},
        states={node: mapped for node, mapped in states.items() if mapped},
    )
