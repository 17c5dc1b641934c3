"""What every reader of a network file yields, and how it becomes an exact network.

A reader only says what stands in the file: names, states, parents, and numbers as they are written.
Here the numbers become exact laws, or the file is refused with the node, the row and the line.
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pbn.errors import BudgetError, Fault, Faults, NetworkError, Place, listing
from pbn.figures import count_text
from pbn.network.chain import chained
from pbn.network.formats.numbers import (
    INT64_MAX,
    common_divisor,
    decimal_text,
    exact_decimals,
    grid_places,
    rescaled,
)
from pbn.network.model import CPD, Array, Fold, IndexMap, Network, Table, Variable, held_parents

MAX_CELLS = 2 * 10**7
"""Entries that the tables of a file may have together."""
FLOAT_NOISE = 12
"""A row that is off by at most 10^-12 is taken for printed doubles and rescaled exactly."""
ROUNDING = 3
"""With ``renormalise`` a row that is off by at most 10^-3 is rescaled too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDraft:
    """A discrete chance node as a file states it.

    ``numbers`` are the CPD's entries as written, child axis last and parents in the order of
    ``parents`` (C order); a deterministic node has ``certain`` instead, the position of its state for
    each combination of parent states. ``label`` is what the file calls the node for people. ``locate``,
    where a reader has it, gives the place of an entry by its position in ``numbers`` or ``certain``.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    numbers: Sequence[str] | None = None
    certain: Sequence[int] | None = None
    label: str = ""
    place: Place
    locate: Callable[[int], Place] | None = None

    def place_of(self, entry: int) -> Place:
        """Where an entry stands, or the node where that is not known."""
        return self.locate(entry) if self.locate else self.place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNetwork:
    """A network from a file, with ``notes`` on everything that was changed on the way.

    ``names`` maps names as the file has them to the network's, where they differ.
    """

    network: Network
    name: str
    notes: tuple[str, ...]
    names: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenNetwork:
    """A network as the text of a file, with ``notes`` on everything that was changed on the way.

    ``names`` maps the network's names to the file's, ``states`` a node's states to the file's, where they differ.
    """

    text: str
    notes: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def build_network(
    nodes: Sequence[NodeDraft],
    *,
    name: str,
    renormalise: bool,
    notes: Sequence[str] = (),
    names: Mapping[str, str] | None = None,
) -> ReadNetwork:
    """The exact network of the drafts, parents before children and otherwise in the file's order.

    A row that is off by at most 10^-12 (a file of printed doubles), or with ``renormalise`` by at most
    10^-3, is rescaled and a note records it. Rescaled rows are multiples of 10^-18, or finer where small
    probabilities ask for it: at least 12 digits of the smallest are kept, and what was positive stays so.

    Raises
    ------
    NetworkError
        All faults at once: names, states, parents, cycles, and sizes; and if all of
        those are right, entries and row sums.
    """
    sizes = {node.name: len(node.states) for node in nodes}
    faults = Faults(NetworkError, "network")
    _check_nodes(nodes, sizes, faults)
    faults.raise_any()
    order = _topological(nodes)
    variables: dict[str, Variable] = {}
    cpds: dict[str, CPD] = {}
    told = list(notes)
    states = {node.name: node.states for node in nodes}
    for node in order:
        held, _ = held_parents(node.parents, [sizes[parent] for parent in node.parents])
        if len(held) < len(node.parents):
            without = [parent for parent in node.parents if parent not in held]
            told.append(f"{node.name}: parents of one state, which say nothing, were left out: {listing(without)}")
            node = replace(node, parents=held)
        cpd = _Law(node, [states[parent] for parent in node.parents], renormalise, faults, told).cpd()
        if cpd is not None:
            variables[node.name] = Variable(
                name=node.name,
                states=node.states,
                text=node.label,
                origin="random" if isinstance(cpd, Table) else "deterministic",
            )
            cpds[node.name] = cpd
    faults.raise_any()
    return ReadNetwork(
        network=Network(variables=variables, cpds=cpds), name=name, notes=tuple(told), names=dict(names or {})
    )


def oversize(name: str, sizes: Iterable[int], place: Place) -> Fault | None:
    """The fault of a table over so many states, or None; a reader asks before it fills a table itself."""
    cells = math.prod(sizes)
    if cells <= MAX_CELLS:
        return None
    return Fault(
        code="network/too-large",
        message=f"the table of {name} is too large",
        place=place,
        found=f"{count_text(cells)} cells",
        allowed=f"{MAX_CELLS:,} cells in all tables together",
    )


def as_tables(network: Network) -> Network:
    """The network as a writer of tables needs it: folds as chains of index maps.

    Raises
    ------
    BudgetError
        Written as tables it would have more than `MAX_CELLS` entries.
    """
    if any(isinstance(cpd, Fold) for cpd in network.cpds.values()):
        network = chained(network, ())
    cells = {name: math.prod(network.size(node) for node in (name, *network.parents(name))) for name in network.cpds}
    if sum(cells.values()) > MAX_CELLS:
        worst = max(cells, key=cells.__getitem__)
        raise BudgetError(
            Fault(
                code="network/too-large",
                message=f"as tables the network would have {count_text(sum(cells.values()))} cells"
                f", most of them in that of {worst}",
                found=f"{count_text(cells[worst])} cells",
                allowed=f"{MAX_CELLS:,} cells",
                hint="write it as JSON, which keeps deterministic nodes as index maps",
            )
        )
    return network


def _check_nodes(nodes: Sequence[NodeDraft], sizes: Mapping[str, int], faults: Faults) -> None:
    if not nodes:
        raise NetworkError(Fault(code="network/empty", message="the file has no variables"))
    counts = Counter(node.name for node in nodes)
    cells = 0
    for node in nodes:
        if counts[node.name] > 1:
            faults.add("duplicate-node", f"the name {node.name!r} is given to {counts[node.name]} nodes", node.place)
        _check_names(node, sizes, faults)
        if any(parent not in sizes for parent in node.parents):
            continue
        own = [*(sizes[parent] for parent in node.parents), len(node.states)]
        large = oversize(node.name, own, node.place)
        if large is not None:
            faults.keep(large)
            continue
        cells += math.prod(own)
        _check_count(node, own, faults)
    if cells > MAX_CELLS:
        message, most = "the tables are too large together", f"{MAX_CELLS:,} cells"
        faults.add("too-large", message, nodes[0].place, f"{count_text(cells)} cells", most)
    if not faults:
        _check_cycle(nodes, faults)


def _check_names(node: NodeDraft, sizes: Mapping[str, int], faults: Faults) -> None:
    if not node.name:
        faults.add("name", "a node has an empty name", node.place)
    twice = [state for state, count in Counter(node.states).items() if count > 1]
    if twice or not node.states:
        faults.add(
            "states",
            f"{node.name} needs distinct states",
            node.place,
            listing(node.states) or "no states",
            hint=f"{listing(twice)} is there more than once" if twice else None,
        )
    for parent, count in Counter(node.parents).items():
        if parent not in sizes:
            message = f"{node.name} has the parent {parent!r}, which is no variable"
            faults.add("unknown-parent", message, node.place, hint=faults.suggest(parent, sizes))
        if count > 1:
            faults.add("duplicate-parent", f"{node.name} has the parent {parent!r} {count} times", node.place)


def _check_count(node: NodeDraft, sizes: Sequence[int], faults: Faults) -> None:
    if node.certain is not None:
        entries, needed, what = len(node.certain), math.prod(sizes[:-1]), "states"
    elif node.numbers is not None:
        entries, needed, what = len(node.numbers), math.prod(sizes), "numbers"
    else:
        faults.add("missing-cpd", f"{node.name} has no probabilities", node.place)
        return
    if entries != needed:
        shape = " × ".join(map(str, sizes))
        faults.add(
            "shape",
            f"the table of {node.name} has the wrong number of entries",
            node.place,
            f"{entries:,} {what}",
            f"{needed:,} ({shape})" if what == "numbers" else f"{needed:,}",
        )
    if node.certain is not None and any(not 0 <= state < sizes[-1] for state in node.certain):
        faults.add("index", f"{node.name} maps to a state that it does not have", node.place)


def _topological(nodes: Sequence[NodeDraft]) -> list[NodeDraft]:
    """Parents first, otherwise in the file's order; nodes on cycles and below them are left out."""
    position = {node.name: k for k, node in enumerate(nodes)}
    children: dict[str, list[int]] = {}
    for k, node in enumerate(nodes):
        for parent in node.parents:
            children.setdefault(parent, []).append(k)
    waiting = [len(node.parents) for node in nodes]
    ready = [k for k in position.values() if not waiting[k]]
    order = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        order.append(node)
        for child in children.get(node.name, ()):
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, child)
    return order


def _check_cycle(nodes: Sequence[NodeDraft], faults: Faults) -> None:
    done = {node.name for node in _topological(nodes)}
    parents = {node.name: [p for p in node.parents if p not in done] for node in nodes if node.name not in done}
    if not parents:
        return
    path = [next(iter(parents))]  # each of these has a parent among them: going up must come round
    seen = {path[0]: 0}
    while (up := parents[path[-1]][0]) not in seen:
        seen[up] = len(path)
        path.append(up)
    cycle = [up, *reversed(path[seen[up] :])]
    place = next(node.place for node in nodes if node.name == up)
    faults.add("cycle", "the arcs make a cycle", place, " → ".join(cycle[:12]) + (" → …" if len(cycle) > 12 else ""))


class _Law:
    """The CPD of one draft whose shape is right."""

    def __init__(
        self, node: NodeDraft, parents: Sequence[tuple[str, ...]], renormalise: bool, faults: Faults, notes: list[str]
    ) -> None:
        self.node = node
        self.parents = parents
        self.renormalise = renormalise
        self.faults = faults
        self.notes = notes
        self.size = len(node.states)
        self.shape = (*(len(states) for states in parents), self.size)

    def cpd(self) -> CPD | None:
        """The law, or None where the draft has a fault."""
        node = self.node
        if node.numbers is None:
            assert node.certain is not None
            index = np.array(node.certain, dtype=np.intp)
            if node.parents:
                return IndexMap(parents=node.parents, index=index.reshape(self.shape[:-1]))
            return Table(parents=(), numerators=np.eye(self.size, dtype=np.int64)[index[0]], denominator=1)
        slack = 10.0 ** -(ROUNDING if self.renormalise else FLOAT_NOISE)
        decimals = exact_decimals(node.numbers, slack)
        if decimals.bad:
            self._refuse(node.numbers, decimals.bad)
            return None
        unit = 10**decimals.places
        dtype = np.int64 if 2 * unit * self.size < INT64_MAX else object
        scaled = decimals.scaled
        array = np.array([scaled[token] for token in node.numbers], dtype=dtype).reshape(-1, self.size)
        sums = array.sum(axis=1)
        off = np.flatnonzero(sums != unit)
        if off.size:
            if not self._accepted(off, sums, unit):
                return None
            array, unit = self._mended(array, off, unit)
        return self._reduced(array, unit)

    def _reduced(self, array: Array, unit: int) -> CPD:
        divisor = common_divisor(array, unit)
        array, unit = array // divisor, unit // divisor
        if unit == 1 and self.node.parents:
            index = array.astype(np.int64).argmax(axis=1).astype(np.intp)
            return IndexMap(parents=self.node.parents, index=index.reshape(self.shape[:-1]))
        dtype = np.int64 if unit < INT64_MAX else object
        return Table(parents=self.node.parents, numerators=array.astype(dtype).reshape(self.shape), denominator=unit)

    def _refuse(self, numbers: Sequence[str], bad: Mapping[str, str]) -> None:
        """One fault for each way in which entries are wrong, at the first of them."""
        kinds: dict[str, list[int]] = {}
        for k, token in enumerate(numbers):
            if token in bad:
                kinds.setdefault(bad[token], []).append(k)
        for reason, entries in kinds.items():
            first = entries[0]
            more = f" ({len(entries):,} such entries)" if len(entries) > 1 else ""
            self.faults.add(
                "probability",
                f"the table of {self.node.name} has an entry that {reason}{more}, "
                f"first for {self.node.name}={self.node.states[first % self.size]}"
                f"{self._row(first // self.size)}",
                self.node.place_of(first),
                numbers[first][:60],
                "numbers from 0 to 1",
            )

    def _accepted(self, off: Array, sums: Array, unit: int) -> bool:
        """Whether all rows that are off may be rescaled; notes it, or adds a fault."""
        worst = [(abs(int(sums[row]) - unit), int(row)) for row in off.tolist()]
        digits = ROUNDING if self.renormalise else FLOAT_NOISE
        wrong = [(gap, row) for gap, row in worst if gap * 10**digits > unit]
        node = self.node
        if not wrong:
            gap = max(gap for gap, _ in worst)
            rows = f"{len(worst):,} rows" if len(worst) > 1 else "1 row"
            verb = "were" if len(worst) > 1 else "was"
            why = " (printed doubles)" if gap * 10**FLOAT_NOISE <= unit else ""
            self.notes.append(f"{node.name}: {rows} summed to 1 only within {gap / unit:.2g}{why} and {verb} rescaled")
            return True
        row = wrong[0][1]
        more = f"; {len(wrong) - 1:,} more rows are wrong" if len(wrong) > 1 else ""
        near = all(gap * 10**ROUNDING <= unit for gap, _ in wrong)
        hint = "if this is rounding, accept it with --renormalise" if near else None
        self.faults.add(
            "row-sum",
            f"the row of {node.name}{self._row(row)} does not sum to 1{more}",
            node.place_of(row * self.size),
            _shown(int(sums[row]), unit),
            "1, or off by at most 0.001" if self.renormalise else "1",
            hint,
        )
        return False

    def _mended(self, array: Array, off: Array, unit: int) -> tuple[Array, int]:
        rows = array[off]
        least = int(rows[rows > 0].min())
        finer = 10 ** max(grid_places(least, unit), len(str(unit)) - 1)
        result = array.astype(object) * (finer // unit)
        result[off] = rescaled(rows, finer)
        return (result.astype(np.int64) if finer < INT64_MAX else result), finer

    def _row(self, row: int) -> str:
        """A row by its parents' states."""
        if not self.parents:
            return ""
        codes = np.unravel_index(row, self.shape[:-1])
        given = zip(self.node.parents, self.parents, codes, strict=True)
        return " given " + ", ".join(f"{parent}={states[int(code)]}" for parent, states, code in given)


def _shown(total: int, unit: int) -> str:
    """An exact sum as a decimal."""
    text = decimal_text(total, len(str(unit)) - 1)
    return text if len(text) <= 60 else text[:60] + "…"
