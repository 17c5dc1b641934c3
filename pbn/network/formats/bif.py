"""BIF, the Interchange Format for Bayesian networks, version 0.15.

The format is F. G. Cozman's "The Interchange Format for Bayesian Networks" (1998), as kept at
https://www.cs.washington.edu/dm/vfml/appendixes/bif.htm: blocks ``network``, ``variable`` and
``probability``; ``,`` and ``|`` between tokens are white space; ``//`` and ``/* */`` are comments. A
``table`` lists the child's states slowest and the last parent's fastest; a row ``(states of the parents)
numbers;`` is one law of the child; ``default`` is the law of the rows that are not listed.

What files in use do beyond it is read too: quoted names and states, states with any characters but
white space and ``"{}()[],;|``, no ``network`` block, properties of any text. Text between blocks, which the
format allows, is refused: it cannot be told from a damaged block.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pbn.errors import Faults, NetworkError, Place
from pbn.figures import count_text
from pbn.network.formats.bif_blocks import Blocks, Entry, Walker
from pbn.network.formats.draft import (
    MAX_CELLS,
    NodeDraft,
    ReadNetwork,
    WrittenNetwork,
    as_tables,
    build_network,
    oversize,
)
from pbn.network.formats.numbers import written_numbers
from pbn.network.formats.text import FileText, file_text
from pbn.network.model import Network

_STATE = re.compile(r'"([^"\n]*+)"|([^\s",|]++)')


def read_bif(path: Path | str, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a BIF file, exact to the last written digit.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The file is no BIF (``network/syntax``), or says no network; with line and reason.
    """
    return parse_bif(file_text(path), renormalise=renormalise)


def parse_bif(source: FileText, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a BIF text, as `read_bif` gives it."""
    blocks = Walker(source).blocks()
    if not blocks.variables:
        raise source.error("empty", "the file has no variables", max(len(source.text) - 1, 0))
    faults = Faults(NetworkError, "network")
    drafts = _Tables(source, blocks, faults).drafts()
    faults.raise_any()
    return build_network(drafts, name=blocks.name, renormalise=renormalise, notes=source.notes)


class _Tables:
    """The laws of the blocks in C order, parents in declared order."""

    def __init__(self, source: FileText, blocks: Blocks, faults: Faults) -> None:
        self.source = source
        self.blocks = blocks
        self.faults = faults
        self.states = {name: states for name, states, _ in blocks.variables}
        self.codes = {name: {state: k for k, state in enumerate(states)} for name, states in self.states.items()}
        self.cells = 0

    def drafts(self) -> list[NodeDraft]:
        laws: dict[str, tuple[tuple[str, ...], list[str], list[int]] | None] = {}
        for names, entries, offset in self.blocks.tables:
            child = names[0]
            if child in laws:
                self._fault("duplicate-cpd", f"{child} has two probability blocks", offset)
            elif self._known(names, offset):
                laws[child] = self._law(names, entries, offset)
        drafts = []
        for name, states, offset in self.blocks.variables:
            parents, numbers, offsets = laws.get(name) or ((), None, [])
            places = _RowPlaces(self.source, offsets, len(states)) if offsets else None
            drafts.append(
                NodeDraft(
                    name=name,
                    states=states,
                    parents=parents,
                    numbers=numbers,
                    place=self.source.place(offset),
                    locate=places,
                )
            )
        return drafts

    def _known(self, names: Sequence[str], offset: int) -> bool:
        """Whether all variables of a block exist and its table is not too large."""
        unknown = [name for name in names if name not in self.states]
        for name in unknown:
            hint = self.faults.suggest(name, self.states)
            self._fault("unknown-variable", f"{name!r} is no variable of this file", offset, hint=hint)
        if unknown:
            return False
        sizes = [len(self.states[name]) for name in names]
        self.cells += math.prod(sizes)
        large = oversize(names[0], sizes if self.cells <= MAX_CELLS else [self.cells], self.source.place(offset))
        if large is not None:
            self.faults.keep(large)
        return large is None

    def _law(
        self, names: Sequence[str], entries: Sequence[Entry], offset: int
    ) -> tuple[tuple[str, ...], list[str], list[int]] | None:
        """Parents, numbers in C order, and where each row stands."""
        child, parents = names[0], tuple(names[1:])
        size = len(self.states[child])
        count = math.prod(len(self.states[parent]) for parent in parents)
        before = len(self.faults)
        rows: dict[int, Entry] = {}
        special: dict[str, Entry] = {}
        for entry in entries:
            wanted = size * count if entry.kind == "table" else size
            if len(entry.numbers) != wanted:
                self._fault(
                    "shape",
                    f"{entry.kind or 'a row'} of {child} has the wrong number of entries",
                    entry.offset,
                    found=f"{len(entry.numbers):,} numbers",
                    allowed=count_text(wanted),
                )
            if entry.kind and special.setdefault(entry.kind, entry) is not entry:
                self._fault("duplicate-row", f"{child} has two entries '{entry.kind}'", entry.offset)
            if not entry.kind:
                row = self._row(child, parents, entry)
                if row is not None and rows.setdefault(row, entry) is not entry:
                    self._fault(
                        "duplicate-row",
                        f"{child} has two rows for the same states",
                        entry.offset,
                        found=f"({entry.key.strip()[:60]})",
                    )
        if len(self.faults) > before:
            return None
        if "table" in special:
            return self._from_table(special["table"], child, parents, size, entries)
        return self._from_rows(rows, special.get("default"), child, parents, count, offset)

    def _from_table(
        self, entry: Entry, child: str, parents: tuple[str, ...], size: int, entries: Sequence[Entry]
    ) -> tuple[tuple[str, ...], list[str], list[int]] | None:
        if len(entries) > 1:
            self._fault("duplicate-row", f"{child} has a table and other entries", entry.offset)
            return None
        child_last = np.array(entry.numbers, dtype=object).reshape(size, len(entry.numbers) // max(size, 1)).T
        return parents, child_last.ravel().tolist(), [entry.offset]

    def _from_rows(
        self,
        rows: Mapping[int, Entry],
        default: Entry | None,
        child: str,
        parents: tuple[str, ...],
        count: int,
        offset: int,
    ) -> tuple[tuple[str, ...], list[str], list[int]] | None:
        if len(rows) < count and default is None:
            first = next(row for row in range(count) if row not in rows)
            states = []
            for parent in reversed(parents):
                first, code = divmod(first, len(self.states[parent]))
                states.append(self.states[parent][code])
            states.reverse()
            self._fault(
                "missing-row",
                f"{child} has no row for ({', '.join(states)})" if parents else f"{child} has no probabilities",
                offset,
                found=f"{len(rows):,} rows",
                allowed=f"{count_text(count)} rows",
                hint="list all rows, or give a default",
            )
            return None
        chosen = [rows[row] if default is None else rows.get(row, default) for row in range(count)]
        return (
            parents,
            list(itertools.chain.from_iterable(entry.numbers for entry in chosen)),
            [entry.offset for entry in chosen],
        )

    def _row(self, child: str, parents: Sequence[str], entry: Entry) -> int | None:
        """Position of a row among all combinations of the parents' states."""
        key = entry.key
        plain = '"' not in key
        states = key.replace(",", " ").replace("|", " ").split() if plain else [a or b for a, b in _STATE.findall(key)]
        if len(states) != len(parents):
            self._fault(
                "row-states",
                f"a row of {child} names the wrong number of states",
                entry.offset,
                found=f"({key.strip()[:60]})",
                allowed=f"{len(parents)} states, one for each parent",
            )
            return None
        row, codes = 0, self.codes
        for parent, state in zip(parents, states, strict=True):
            known = codes[parent]
            code = known.get(state)
            if code is None:
                hint = self.faults.suggest(state, self.states[parent])
                self._fault(
                    "unknown-state",
                    f"a row of {child} names {state!r}, which is no state of {parent}",
                    entry.offset,
                    hint=hint,
                )
                return None
            row = row * len(known) + code
        return row

    def _fault(
        self,
        code: str,
        message: str,
        offset: int,
        found: str | None = None,
        allowed: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.faults.add(code, message, self.source.place(offset), found, allowed, hint)


@dataclass(frozen=True, slots=True)
class _RowPlaces:
    """The place of an entry: where its row begins, or the table that holds all rows."""

    source: FileText
    offsets: Sequence[int]
    size: int

    def __call__(self, entry: int) -> Place:
        return self.source.place(self.offsets[min(entry // self.size, len(self.offsets) - 1)])


_BARE = re.compile(r"[A-Za-z0-9_.<>=+%$&*@!?:/^~#'-]+")
_KEYWORDS = frozenset(("network", "variable", "probability", "property", "type", "discrete", "table", "default"))
_UNWRITABLE = re.compile(r'["\x00-\x1f\x7f\ud800-\udfff]')


def write_bif(network: Network, *, name: str = "unknown") -> WrittenNetwork:
    """The network as BIF: a ``table`` for a root, a row for each combination of parent states otherwise.

    Decimals that end are written in full, so that `read_bif` gives the same network; a table with others
    is rounded so that its rows sum to exactly 1, which the notes say. A name or state with unusual
    characters is quoted; one with a quotation mark or a control character is mapped. Roles, units and
    the numbers behind states are not kept.
    """
    network = as_tables(network)
    names = _mapped(network.variables)
    states = {node: _mapped(variable.states) for node, variable in network.variables.items()}
    word = {node: {state: _quoted(text) for state, text in mapped.items()} for node, mapped in states.items()}
    notes = []
    lines = [f"network {_quoted(_mapped([name])[name])} {{", "}"]
    for node, variable in network.variables.items():
        lines += [
            f"variable {_quoted(names[node])} {{",
            f"  type discrete [ {variable.size} ] {{ {', '.join(word[node].values())} }};",
            "}",
        ]
    for node, cpd in network.cpds.items():
        numbers, size = written_numbers(cpd, network.size(node)), network.size(node)
        if not numbers.exact:
            notes.append(f"{node}: probabilities that do not end as decimals are rounded")
        rows = [", ".join(numbers.tokens[k : k + size]) for k in range(0, len(numbers.tokens), size)]
        given = f" | {', '.join(_quoted(names[parent]) for parent in cpd.parents)}" if cpd.parents else ""
        lines.append(f"probability ( {_quoted(names[node])}{given} ) {{")
        keys = itertools.product(*(word[parent].values() for parent in cpd.parents))
        lines += (
            [f"  ({', '.join(key)}) {row};" for key, row in zip(keys, rows, strict=True)]
            if cpd.parents
            else [f"  table {rows[0]};"]
        )
        lines.append("}")
    changed = {node: {a: b for a, b in mapped.items() if a != b} for node, mapped in states.items()}
    return WrittenNetwork(
        text="\n".join(lines) + "\n",
        notes=tuple(notes),
        names={a: b for a, b in names.items() if a != b},
        states={node: mapped for node, mapped in changed.items() if mapped},
    )


def _mapped(texts: Iterable[str]) -> dict[str, str]:
    """Each text as a quoted text of the format can hold it, all of them different."""
    texts = list(texts)
    taken = set(texts)
    found = {}
    for text in texts:
        new = _UNWRITABLE.sub("_", text)
        if new != text or not text:
            new = next(
                word for k in itertools.count(1) if (word := new if k == 1 and new else f"{new}_{k}") not in taken
            )
            taken.add(new)
        found[text] = new
    return found


def _quoted(text: str) -> str:
    plain = _BARE.fullmatch(text) and "//" not in text and "/*" not in text and text not in _KEYWORDS
    return text if plain else f'"{text}"'
