"""Rows of a world, drawn exactly: row i is a function of the world's law, the seed and i alone."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pbn.cases.choice import Choices, code_type
from pbn.cases.identity import law_digest
from pbn.cases.stream import Streams, checked_rows, checked_seed
from pbn.evidence import unknown_variable
from pbn.network.graph import ancestors
from pbn.network.model import Array, IndexMap, Network, Table
from pbn.world import World

SCHEME = "pbn rows 1"
"""The name of this way to draw rows: it stands in the key of every stream, and changes if rows ever change."""
MOST_ROWS = 2**16
"""Rows that are drawn at once; fewer where a row has very many nodes."""
BLOCK_BYTES = 2**26
"""Memory that the codes of one block may take (64 MB), besides the arrays that are returned."""

_WIDE = 2**62

Codes = Mapping[str, Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Node:
    """How one node's states come from its parents' states: ``choices`` for random ones, else ``index``."""

    name: str
    parents: tuple[str, ...]
    sizes: tuple[int, ...]
    size: int
    choices: Choices | None
    index: Array | None

    @staticmethod
    def of(network: Network, name: str) -> Node:
        """The node of a network without folds."""
        cpd, size = network.cpds[name], network.size(name)
        choices = index = None
        if isinstance(cpd, Table):
            dtype = np.int64 if cpd.denominator < _WIDE else object
            choices = Choices.of_table(cpd.numerators.astype(dtype))
        else:
            assert isinstance(cpd, IndexMap)
            index = cpd.index.astype(code_type(size)).ravel()
        sizes = tuple(network.size(parent) for parent in cpd.parents)
        return Node(name=name, parents=cpd.parents, sizes=sizes, size=size, choices=choices, index=index)

    def codes(self, parents: Codes, start: int, count: int, streams: Streams) -> Array:
        """Positions of the node's states in ``count`` rows from ``start`` on."""
        row = cells([parents[parent] for parent in self.parents], self.sizes)
        if self.choices is None:
            assert self.index is not None
            return np.repeat(self.index, count) if row is None else self.index.take(row)
        words = streams.words(self.name, start, count)
        drawn = self.choices.draw(words, row, lambda k, depth: streams.word(self.name, start + k, depth))
        return drawn.astype(code_type(self.size), copy=False)


def nodes_of(network: Network, names: Collection[str], made: dict[str, Node]) -> list[Node]:
    """The nodes of these names, parents first; those not in ``made`` are made and kept there."""
    for name in names:
        if name not in made:
            made[name] = Node.of(network, name)
    return [made[name] for name in network.variables if name in names]


def cells(codes: Sequence[Array], sizes: Sequence[int]) -> Array | None:
    """Position in the flattened table over variables of these sizes; None where there are none."""
    if not codes:
        return None
    found = codes[0].astype(np.int64)
    for code, size in zip(codes[1:], sizes[1:], strict=True):
        found *= size
        found += code
    return found


@dataclass(frozen=True, eq=False)
class RowSampler:
    """Draws rows of a world, each variable given its parents, with exactly the world's probabilities.

    Row i depends on the digest of the world's law, on the seed and on i, and on nothing else: not on which rows
    are asked for with it, in what order, in how many processes, nor on which variables are asked for. Each random
    variable has a stream of its own (`pbn.cases.stream.Streams`), keyed by its name, whose word i belongs to row
    i. A word is compared with exact integer bounds, never with a float (`pbn.cases.choice.Choices`).

    Parameters
    ----------
    world
        The world; its rules are broken into small tables once for all samplers of a world.
    seed
        A whole number from 0 to 2^63 − 1.

    Raises
    ------
    QueryError
        ``cases/seed``: the seed is no such number.

    Examples
    --------
    >>> import pbn
    >>> sampler = RowSampler(pbn.load("credit_risk"), 2032)
    >>> sampler.codes(0, 5, ["default"])["default"]
    array([0, 0, 0, 0, 1], dtype=uint8)
    >>> (sampler.codes(3, 5)["sector"] == sampler.codes(0, 5)["sector"][3:]).all()
    np.True_
    """

    world: World
    seed: int
    law_digest: str = field(init=False)
    _streams: Streams = field(init=False, repr=False)
    _nodes: dict[str, Node] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        digest, seed = law_digest(self.world), checked_seed(self.seed)
        made = {"seed": seed, "law_digest": digest, "_streams": Streams(source=(SCHEME, digest, seed)), "_nodes": {}}
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def codes(self, start: int, stop: int, names: Collection[str] | None = None) -> dict[str, Array]:
        """Positions of the states of ``names`` in rows ``start`` to ``stop`` − 1.

        Parameters
        ----------
        names
            Variables, or repeated variables, which stand for all their members; all named variables if None.

        Returns
        -------
        dict
            Variable → its codes, shape (stop − start,): uint8 for up to 255 states, uint16 for up to 65,535, else
            uint32. Besides these arrays at most about `BLOCK_BYTES` and the tables of the nodes are held.

        Raises
        ------
        QueryError
            There is no such variable; ``cases/row``: no such rows.
        """
        start, stop = checked_rows(start, stop)
        wanted = members(self.world, names)
        view = self.world.engine.view(())
        nodes = nodes_of(view, ancestors(view, wanted), self._nodes)

        def draw(begin: int, end: int) -> Codes:
            found: dict[str, Array] = {}
            for node in nodes:
                found[node.name] = node.codes(found, begin, end - begin, self._streams)
            return found

        sizes = {name: self.world.network.size(name) for name in wanted}
        return in_blocks(draw, start, stop, sizes, rows_at_once(node.size for node in nodes))


def rows(world: World, seed: int, start: int, count: int, names: Collection[str] | None = None) -> dict[str, Array]:
    """Positions of the states of ``names`` in ``count`` rows from ``start`` on, as `RowSampler.codes` gives them.

    Examples
    --------
    >>> import pbn
    >>> drawn = rows(pbn.load("credit_risk"), 2032, 0, 1000, ["cycle", "default"])
    >>> drawn["cycle"].shape, float(drawn["default"].mean())
    ((1000,), 0.223)
    """
    start, count = checked_rows(start, start)[0], checked_rows(count, count)[0]
    return RowSampler(world, seed).codes(start, start + count, names)


def members(world: World, names: Collection[str] | None) -> tuple[str, ...]:
    """The variables asked for, each once, repeated ones written out; all named ones if None."""
    if names is None:
        return world.network.named
    if isinstance(names, str):
        names = [names]
    found = dict.fromkeys(member for name in names for member in world.families.get(name, (name,)))
    known = set(world.network.named)
    for name in found:
        if name not in known:
            raise unknown_variable(name, [*world.network.named, *world.families])
    return tuple(found)


def rows_at_once(sizes: Iterable[int]) -> int:
    """Rows of a block whose nodes have these sizes."""
    row = sum(np.dtype(code_type(size)).itemsize for size in sizes)
    return min(MOST_ROWS, max(2**8, BLOCK_BYTES // max(1, row)))


def in_blocks(
    draw: Callable[[int, int], Codes], start: int, stop: int, sizes: Mapping[str, int], step: int
) -> dict[str, Array]:
    """The codes of a run of rows, drawn block by block into one array for each variable."""
    found: dict[str, Array] = {name: np.empty(stop - start, dtype=code_type(size)) for name, size in sizes.items()}
    for begin in range(start, stop, step):
        end = min(begin + step, stop)
        block = draw(begin, end)
        for name, codes in found.items():
            codes[begin - start : end - start] = block[name]
    return found
