"""The immutable network: variables in topological order, each with one CPD."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from pbn.errors import Fault, NetworkError, listing

if TYPE_CHECKING:
    import networkx as nx

Array = np.ndarray[Any, np.dtype[Any]]
Operation = Literal["+", "*", "min", "max", "and", "or"]
Origin = Literal["random", "deterministic", "measured", "auxiliary"]

_EXACT_IN_FLOAT = 2**53
MAX_PARENTS = 32
"""A node with more parents keeps only those of several states: numpy's arrays have at most 64 axes, its einsum 52."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A discrete variable: its states in order, the numbers behind them, what it is for people.

    ``origin`` says how it came about; ``auxiliary`` variables are parts of a rule that `compile`
    made, ``measured`` ones are numbers on a grid with ``unit``.
    """

    name: str
    states: tuple[str, ...]
    values: tuple[Fraction, ...] | None = None
    origin: Origin = "random"
    role: str | None = None
    text: str = ""
    unit: str = ""

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.states)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A random node: P(child | parents) = ``numerators / denominator``, child axis last."""

    parents: tuple[str, ...]
    numerators: Array
    denominator: int
    probabilities: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numerators", read_only(self.numerators))
        if self.denominator < _EXACT_IN_FLOAT:
            floats = self.numerators.astype(np.float64) / self.denominator
        else:  # Python's integer division rounds correctly at any size
            floats = (self.numerators.astype(object) / self.denominator).astype(np.float64)
        object.__setattr__(self, "probabilities", read_only(floats))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexMap:
    """A deterministic node: ``index[parent states]`` is the position of the child's state."""

    parents: tuple[str, ...]
    index: Array

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", read_only(self.index))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fold:
    """A deterministic node: ``operation`` over one number for each parent, in any order.

    ``terms[j][s]`` is what parent j contributes in its state s. The child's ``values`` are all that
    the operation can reach; `pbn.network.chain` turns a fold into small index maps.
    """

    parents: tuple[str, ...]
    operation: Operation
    terms: tuple[tuple[Fraction, ...], ...]


CPD = Table | IndexMap | Fold


@dataclass(frozen=True, kw_only=True, eq=False)
class Network:
    """A discrete Bayesian network, valid once constructed.

    ``undefined`` names auxiliary yes/no nodes that are true where some rule cannot be computed;
    a sound network gives each of them probability zero.
    """

    variables: Mapping[str, Variable]
    cpds: Mapping[str, CPD]
    undefined: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "variables", MappingProxyType(dict(self.variables)))
        object.__setattr__(self, "cpds", MappingProxyType(dict(self.cpds)))
        seen: set[str] = set()
        for name, variable in self.variables.items():
            _check_node(variable, self.cpds[name], self.variables, seen)
            seen.add(name)

    def __len__(self) -> int:
        return len(self.variables)

    def __contains__(self, name: object) -> bool:
        return name in self.variables

    def parents(self, name: str) -> tuple[str, ...]:
        """Parents of a node in the order of its CPD's axes."""
        return self.cpds[name].parents

    def size(self, name: str) -> int:
        """Number of states of a node."""
        return len(self.variables[name].states)

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Variables that the world's author named, in topological order."""
        return tuple(name for name, variable in self.variables.items() if variable.origin != "auxiliary")

    @cached_property
    def graph(self) -> nx.DiGraph[str]:
        """The directed graph, an edge from each parent to its child."""
        import networkx as nx

        graph: nx.DiGraph[str] = nx.DiGraph()
        graph.add_nodes_from(self.variables)
        graph.add_edges_from((parent, name) for name, cpd in self.cpds.items() for parent in cpd.parents)
        frozen: nx.DiGraph[str] = nx.freeze(graph)
        return frozen

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (dict(self.variables), dict(self.cpds), self.undefined)


def _rebuilt(variables: dict[str, Variable], cpds: dict[str, CPD], undefined: tuple[str, ...]) -> Network:
    return Network(variables=variables, cpds=cpds, undefined=undefined)


def read_only(array: Array) -> Array:
    """The array, or a copy of a view, that cannot be written into."""
    owned = array if array.base is None else array.copy()
    owned.flags.writeable = False
    return owned


def _check_node(variable: Variable, cpd: CPD, variables: Mapping[str, Variable], seen: set[str]) -> None:
    name = variable.name
    for parent in cpd.parents:
        if parent not in variables:
            raise _fault(name, "unknown-parent", f"has the parent {parent!r}, which is no variable")
        if parent not in seen:
            raise _fault(name, "order", f"comes before its parent {parent!r}")
    if len(set(variable.states)) != variable.size or not variable.states:
        raise _fault(name, "states", f"needs distinct states, found {listing(variable.states)}")
    sizes = tuple(variables[parent].size for parent in cpd.parents)
    if isinstance(cpd, Table):
        _check_shape(name, cpd.numerators, (*sizes, variable.size))
        sums = cpd.numerators.sum(axis=-1)
        if np.any(cpd.numerators < 0) or np.any(sums != cpd.denominator):
            raise _fault(name, "row-sum", "has a row that is negative somewhere or does not sum to 1")
    elif isinstance(cpd, IndexMap):
        _check_shape(name, cpd.index, sizes)
        if cpd.index.size and (cpd.index.min() < 0 or cpd.index.max() >= variable.size):
            raise _fault(name, "index", "maps to a state that it does not have")


def _check_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise _fault(name, "shape", f"has a CPD of shape {array.shape}, its states ask for {shape}")


def _fault(name: str, code: str, message: str) -> NetworkError:
    return NetworkError(Fault(code=f"network/{code}", message=f"{name} {message}"))


def held_parents(parents: Sequence[str], sizes: Sequence[int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The parents that become axes of a CPD, with their sizes: where they are too many, those of one state are not.

    Examples
    --------
    >>> held_parents(["a", "b"], [1, 2]), held_parents(["a"] * MAX_PARENTS + ["b"], [1] * MAX_PARENTS + [2])
    ((('a', 'b'), (1, 2)), (('b',), (2,)))
    """
    some = len(parents) > MAX_PARENTS
    kept = [(parent, size) for parent, size in zip(parents, sizes, strict=True) if size > 1 or not some]
    return tuple(parent for parent, _ in kept), tuple(size for _, size in kept)


def table(parents: Sequence[str], probabilities: Sequence[Fraction], shape: tuple[int, ...]) -> Table | IndexMap:
    """A CPD from exact probabilities in C order; an index map where every row is a certainty."""
    parents, sizes = held_parents(parents, shape[:-1])
    shape = (*sizes, shape[-1])
    denominator = math.lcm(*{p.denominator for p in probabilities})
    numerators = [p.numerator * (denominator // p.denominator) for p in probabilities]
    if denominator == 1 and parents:
        return IndexMap(parents=parents, index=np.array(numerators, dtype=np.intp).reshape(shape).argmax(-1))
    dtype = np.int64 if denominator < 2**62 else object
    return Table(parents=parents, numerators=np.array(numerators, dtype=dtype).reshape(shape), denominator=denominator)


def number_text(number: Fraction) -> str:
    """A number as people write it: a decimal where it ends, else a fraction.

    Examples
    --------
    >>> number_text(Fraction(23, 2)), number_text(Fraction(1, 3)), number_text(Fraction(-3))
    ('11.5', '1/3', '-3')
    """
    rest, places = number.denominator, 0
    if rest == 1:
        return str(number.numerator)
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1 or places > 30:
        return str(number)
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    whole = digits if not places else f"{digits[:-places]}.{digits[-places:]}"
    return ("-" if number < 0 else "") + whole
