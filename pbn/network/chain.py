"""Folds as chains of partial results: the states of each link are the values it can reach."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction

import numpy as np

from pbn.errors import BudgetError, Fault, listing
from pbn.figures import count_text
from pbn.network.graph import ancestors, functions_of
from pbn.network.grid import bounded
from pbn.network.model import CPD, Array, Fold, IndexMap, Network, Operation, Table, Variable, number_text

MAX_STATES = 2**17
"""A partial result that can take more values than this is refused."""
LINK = 50
"""What one more term of a fold takes besides its combinations, in combinations."""

_RESULTS: Mapping[Operation, str] = {
    "+": "sum", "*": "product", "min": "minimum", "max": "maximum", "and": "conjunction", "or": "disjunction",
}  # fmt: skip
_LEAST: Collection[Operation] = ("min", "and")


def _spend_nothing(_combinations: int) -> None:
    return


def reachable(
    name: str, operation: Operation, terms: Sequence[Sequence[Fraction]], spend: Callable[[int], None] = _spend_nothing
) -> tuple[Fraction, ...]:
    """All values of the operation over one number from each term, ascending.

    ``spend`` is told the combinations that each term takes, before they are computed.

    Raises
    ------
    BudgetError
        The values do not collapse: more than `MAX_STATES` of them after some terms.
    NumberTooLargeError
        Some value has too many digits.
    """
    if operation == "+":
        return _reachable_sums(name, terms, spend)
    if operation == "*":
        return _reachable_products(name, terms, spend)
    values = set(terms[0])
    for k, term in enumerate(terms[1:], 2):
        distinct = set(term)
        _check_size(name, len(values) * len(distinct), k, terms)
        spend(LINK + len(values) + len(distinct))
        most, least = min(max(values), max(distinct)), max(min(values), min(distinct))
        values = {value for value in values | distinct if (value <= most if operation in _LEAST else value >= least)}
    return tuple(sorted(values))


def _reachable_products(
    name: str, terms: Sequence[Sequence[Fraction]], spend: Callable[[int], None]
) -> tuple[Fraction, ...]:
    values = {Fraction(1)}
    for k, term in enumerate(terms, 1):
        distinct = set(term)
        _check_size(name, len(values) * len(distinct), k, terms)
        spend(LINK + 2 * len(values) * len(distinct))
        values = {a * b for a in values for b in distinct}
        for value in values:
            bounded(value)
    return tuple(sorted(values))


def _reachable_sums(
    name: str, terms: Sequence[Sequence[Fraction]], spend: Callable[[int], None]
) -> tuple[Fraction, ...]:
    scale = math.lcm(*{number.denominator for term in terms for number in term})
    bounded(Fraction(scale))
    integers = [sorted(set(_scaled(term, scale))) for term in terms]
    small = sum(max(abs(v) for v in term) for term in integers) < 2**62
    values: Array = np.zeros(1, dtype=np.int64 if small else object)
    for k, term in enumerate(integers, 1):
        _check_size(name, len(values) * len(term), k, terms)
        spend(LINK + len(values) * (len(term) if not small else 1))
        values = np.unique(np.add.outer(values, np.array(term, dtype=values.dtype)))
    return tuple(Fraction(value, scale) for value in values.tolist())


def _scaled(numbers: Sequence[Fraction], scale: int) -> list[int]:
    """The numbers times a common multiple of their denominators."""
    return [number.numerator * (scale // number.denominator) for number in numbers]


def _check_size(name: str, combinations: int, done: int, terms: Sequence[Sequence[Fraction]]) -> None:
    if combinations > 4 * MAX_STATES:
        bound = math.prod(len(set(term)) for term in terms)
        raise BudgetError(
            Fault(
                code="network/rule-too-large",
                message=f"{name} does not collapse: {combinations:,} combinations after {done} of its "
                f"{len(terms)} terms, up to {count_text(bound)} values in all",
                allowed=f"{4 * MAX_STATES:,} combinations",
                hint="weights on a common grid (tenths, say) make partial sums coincide",
            )
        )


def chained(network: Network, visible: Collection[str]) -> Network:
    """The network with every fold as a chain of index maps, visible terms first and the residual last.

    Named variables stay nodes; the links ``score:2``, ``score:3``, … are auxiliary. So the partial
    result over the visible terms is a node, and a small sufficient statistic where the rest is hidden.
    """
    known = functions_of(network, visible)
    inputs = _inputs(network)
    variables: dict[str, Variable] = {}
    cpds: dict[str, CPD] = {}
    for name, variable in network.variables.items():
        cpd = network.cpds[name]
        if isinstance(cpd, Fold):
            add_chain(variable, cpd, _order(network, cpd, known), inputs, variables, cpds)
        else:
            variables[name], cpds[name] = variable, cpd
    return Network(variables=variables, cpds=cpds, undefined=network.undefined)


def _order(network: Network, fold: Fold, known: Collection[str]) -> list[int]:
    """Positions of the fold's terms in the order in which the chain takes them.

    Within visible, hidden and residual terms, those are taken first that leave few variables shared
    between the terms taken and those still to come.
    """
    sources = [_sources(network, parent) for parent in fold.parents]
    groups: tuple[list[int], ...] = ([], [], [])
    for k, parent in enumerate(fold.parents):
        residual = any(network.variables[source].role == "residual" for source in sources[k])
        groups[2 if residual else 0 if parent in known else 1].append(k)
    waiting: dict[str, set[int]] = {}  # source → the terms still to come that depend on it
    for k, term in enumerate(sources):
        for source in term:
            waiting.setdefault(source, set()).add(k)
    opened: set[str] = set()

    def growth(k: int) -> int:
        """How many more sources are shared with terms to come once the term is taken."""
        return sum((len(waiting[source]) > 1) - (source in opened) for source in sources[k])

    grown = [growth(k) for k in range(len(sources))]
    order: list[int] = []
    for group in groups:
        while group:
            best = min(group, key=lambda k: (grown[k], k))
            group.remove(best)
            order.append(best)
            changed = {
                k
                for source in sources[best]
                if source not in opened or len(waiting[source]) == 2
                for k in waiting[source]
            }
            for source in sources[best]:
                waiting[source].remove(best)
            opened |= sources[best]
            for k in changed:
                grown[k] = growth(k)
    return order


def _sources(network: Network, name: str) -> frozenset[str]:
    """The random variables that a node depends on."""
    return frozenset(node for node in ancestors(network, [name]) if isinstance(network.cpds[node], Table))


def add_chain(
    variable: Variable,
    fold: Fold,
    order: Sequence[int],
    inputs: Mapping[str, Mapping[str, None]],
    variables: dict[str, Variable],
    cpds: dict[str, CPD],
) -> None:
    """Add the links of a fold, ``name:2``, ``name:3``, … and at last ``name`` itself."""
    parents = [fold.parents[k] for k in order]
    terms = [fold.terms[k] for k in order]
    assert variable.values is not None
    previous, shown = parents[0], dict(inputs[parents[0]])
    links = (_sum_links if fold.operation == "+" else _other_links)(variable, fold.operation, terms)
    for k, (parent, (index, values, states)) in enumerate(zip(parents[1:], links, strict=True), 2):
        final = k == len(parents)
        link = variable.name if final else f"{variable.name}:{k}"
        shown.update(inputs[parent])
        variables[link] = variable if final else _link(variable, fold.operation, k, listing(shown), values, states)
        cpds[link] = IndexMap(parents=(previous, parent), index=index)
        previous = link
    if len(parents) == 1:
        position = {value: k for k, value in enumerate(variable.values)}
        variables[variable.name] = variable
        cpds[variable.name] = IndexMap(
            parents=(previous,), index=np.array([position[v] for v in terms[0]], dtype=np.intp)
        )


_Link = tuple[Array, tuple[Fraction, ...], tuple[str, ...]]
"""Positions of a link's values for each value of the previous link and number of the term; its values; their texts."""


def _other_links(variable: Variable, operation: Operation, terms: Sequence[Sequence[Fraction]]) -> Iterator[_Link]:
    assert variable.values is not None
    values = tuple(terms[0])
    for k, term in enumerate(terms[1:], 2):
        results = variable.values if k == len(terms) else reachable(variable.name, operation, [values, term])
        yield _positions(operation, values, term, results), results, tuple(map(number_text, results))
        values = results


def _sum_links(variable: Variable, _operation: Operation, terms: Sequence[Sequence[Fraction]]) -> Iterator[_Link]:
    """The same for sums, in integers; what stands in several links is made into a fraction and a text once."""
    assert variable.values is not None
    scale = math.lcm(*{number.denominator for numbers in (*terms, variable.values) for number in numbers})
    integers = [_scaled(term, scale) for term in terms]
    largest = sum(max(map(abs, term)) for term in integers)
    dtype = np.int64 if largest < 2**62 else object
    last: Array = np.array(_scaled(variable.values, scale), dtype=dtype)
    fractions: dict[int, Fraction] = {}
    texts: dict[int, str] = {}
    values: Array = np.array(integers[0], dtype=dtype)
    for k, term in enumerate(integers[1:], 2):
        _check_size(variable.name, len(values) * len(set(term)), k, terms)
        sums: Array = np.add.outer(values, np.array(term, dtype=dtype))
        results: Array = last if k == len(terms) else np.unique(sums)
        numbers = results.tolist()
        for number in set(numbers).difference(fractions):
            fractions[number] = Fraction(number, scale)
            texts[number] = number_text(fractions[number])
        index: Array = np.searchsorted(results, sums).astype(np.intp)
        yield index, tuple([fractions[n] for n in numbers]), tuple([texts[n] for n in numbers])
        values = results


def _link(
    variable: Variable,
    operation: Operation,
    taken: int,
    shown: str,
    values: tuple[Fraction, ...],
    states: tuple[str, ...],
) -> Variable:
    whole = variable.name.partition(".")[0]
    return Variable(
        name=f"{variable.name}:{taken}",
        states=states,
        values=values,
        origin="auxiliary",
        text=f"partial {_RESULTS[operation]} of {whole} over {shown}",
    )


def _inputs(network: Network) -> Mapping[str, Mapping[str, None]]:
    """The named variables that each node is, or reads as a part of a rule."""
    found: dict[str, dict[str, None]] = {}
    for name, variable in network.variables.items():
        read: dict[str, None] = {}
        if variable.origin != "auxiliary":
            read[name] = None
        else:
            for parent in network.parents(name):
                read.update(found[parent])
        found[name] = read
    return found


def _positions(
    operation: Operation, values: Sequence[Fraction], term: Sequence[Fraction], results: Sequence[Fraction]
) -> Array:
    """Position in ``results`` of each value combined with each number of the term."""
    if operation == "*":
        position = {value: k for k, value in enumerate(results)}
        return np.array([[position[a * b] for b in term] for a in values], dtype=np.intp)
    rank = {number: k for k, number in enumerate(sorted({*values, *term, *results}))}
    ours, theirs = (np.array([rank[number] for number in row], dtype=np.intp) for row in (values, term))
    chosen = np.minimum.outer(ours, theirs) if operation in _LEAST else np.maximum.outer(ours, theirs)
    place: Array = np.zeros(len(rank), dtype=np.intp)
    place[[rank[number] for number in results]] = np.arange(len(results))
    found: Array = place[chosen]
    return found
