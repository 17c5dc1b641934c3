"""Parts of a rule: values over a few nodes, and new nodes where a part would read too many."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pbn.errors import BudgetError, Fault
from pbn.network.chain import reachable
from pbn.network.grid import Grid, Value, cells, lift, ordered, over_node, union
from pbn.network.model import CPD, Fold, IndexMap, Operation, Variable, number_text

MAX_PART = 4096
"""A part of a rule over more combinations than this becomes a node of its own."""
MAX_CELLS = 2**18
"""A part of a rule over more combinations than this is refused."""
MAX_EFFORT = 2**21
"""Combinations that all rules of one world may take together: some ten seconds of work."""
CALL = 5
"""What evaluating one part of a rule takes besides its combinations, in combinations."""


@dataclass(slots=True)
class Effort:
    """Combinations evaluated so far for all rules of a world."""

    spent: int = 0

    def spend(self, combinations: int, name: str) -> None:
        """Count more combinations; `BudgetError` beyond `MAX_EFFORT`."""
        self.spent += combinations
        if self.spent > MAX_EFFORT:
            raise BudgetError(
                Fault(
                    code="network/rules-too-large",
                    message=f"the rules up to that of {name} take more than {MAX_EFFORT:,} combinations of states",
                    hint="break rules into variables with fewer values",
                )
            )


@dataclass(kw_only=True)
class Parts:
    """Combines the parts of one variable's rule; new nodes are put into ``variables`` and ``cpds``."""

    name: str
    variables: dict[str, Variable]
    cpds: dict[str, CPD]
    effort: Effort
    made: int = 0

    def _fold(self, operation: Operation, grids: list[Grid]) -> Grid:
        """An operation over any number of parts; one `Fold` node where they are three or more."""
        combine = _COMBINE[operation]
        if any(grid.is_partial for grid in grids):
            result = grids[0]
            for grid in grids[1:]:
                result = self._lift(lambda a, b: _in_order(operation, a, b), [result, grid])
            return result
        terms = self._absorb(combine, grids)
        if len(terms) < 3:
            return self._lift(combine, terms)
        return self._fold_node(operation, [self._small(term) for term in terms])

    def _fold_node(self, operation: Operation, terms: list[Grid]) -> Grid:
        self.effort.spend(sum(term.codes.size for term in terms), self.name)
        numbers = [tuple(Fraction(term.levels[code]) for code in term.codes) for term in terms]
        values = reachable(self.name, operation, numbers, self._spend)
        truth = operation in ("and", "or")
        name = self._new_name()
        states = ("no", "yes") if truth and len(values) == 2 else tuple(number_text(value) for value in values)
        self.variables[name] = Variable(
            name=name,
            states=states,
            values=values,
            origin="auxiliary",
            text=f"part of {self.name}: {operation} of {len(terms)} terms",
        )
        self.cpds[name] = Fold(
            parents=tuple(term.nodes[0] for term in terms), operation=operation, terms=tuple(numbers)
        )
        return over_node(name, [bool(value) for value in values] if truth else values)

    def _lift(self, combine: Callable[..., Value], grids: Sequence[Grid]) -> Grid:
        """`lift` whose operands become nodes of their own where the product would be large."""
        parts = list(grids)
        for k in sorted(range(len(parts)), key=lambda k: -parts[k].codes.size):
            if cells(union(parts), self.variables) <= MAX_PART:
                break
            parts[k] = self._small(parts[k])
        size = cells(union(parts), self.variables)
        if size > MAX_CELLS:
            raise BudgetError(
                Fault(
                    code="network/rule-too-large",
                    message=f"the rule of {self.name} needs a table over {', '.join(union(parts))}: {size:,} cells",
                    allowed=f"{MAX_CELLS:,} cells",
                    hint="break the rule into variables with fewer values, or write it as a sum of terms",
                )
            )
        self.effort.spend(size, self.name)
        return lift(combine, parts)

    def _spend(self, combinations: int) -> None:
        self.effort.spend(combinations, self.name)

    def _apply(self, function: Callable[..., Value], *grids: Grid) -> Grid:
        """`lift` over the nodes of the first grid, which those of the others are among."""
        self._spend(CALL + grids[0].codes.size)
        return lift(function, grids)

    def _absorb(self, combine: Callable[..., Value], grids: list[Grid]) -> list[Grid]:
        """Combine grids wherever the nodes of one include those of the other, until none do."""
        while True:
            terms: list[Grid] = []
            reading: dict[str, list[int]] = {}  # node → positions of the terms over it
            for grid in sorted(grids, key=lambda grid: -len(grid.nodes)):
                near = reading.get(grid.nodes[0], []) if grid.nodes else range(len(terms))
                host = next((k for k in near if set(grid.nodes) <= set(terms[k].nodes)), None)
                if host is None:
                    for node in grid.nodes:
                        reading.setdefault(node, []).append(len(terms))
                    terms.append(grid)
                else:
                    terms[host] = self._apply(combine, terms[host], grid)
            if len(terms) == len(grids):
                first = {id(grid): k for k, grid in enumerate(grids)}
                return sorted(terms, key=lambda term: first[id(term)])
            grids = terms  # what was combined may depend on fewer nodes now

    def _small(self, grid: Grid) -> Grid:
        """The grid as a function of at most one node: itself, or a new node for its value."""
        if len(grid.nodes) <= 1:
            return grid
        name = self._new_name()
        grid = ordered(grid)
        self.variables[name] = part_variable(name, grid, f"part of {self.name} over {', '.join(grid.nodes)}")
        self.cpds[name] = IndexMap(parents=grid.nodes, index=grid.codes)
        return over_node(name, grid.levels)

    def _new_name(self) -> str:
        self.made += 1
        return f"{self.name}.{self.made}"


def part_variable(name: str, grid: Grid, text: str) -> Variable:
    """An auxiliary variable whose states are the levels of a grid."""
    states = tuple("undefined" if level is None else _state_text(level) for level in grid.levels)
    return Variable(name=name, states=states, origin="auxiliary", text=text)


def _state_text(level: Value) -> str:
    return ("yes" if level else "no") if isinstance(level, bool) else str(level)


def _in_order(operation: Operation, left: Value, right: Value) -> Value:
    """Python's order of evaluation: a decided ``and`` or ``or`` never looks at its right side."""
    if left is None or (operation == "and" and left is False) or (operation == "or" and left is True):
        return left
    return None if right is None else _COMBINE[operation](left, right)


_COMBINE: Mapping[Operation, Callable[..., Value]] = {
    "+": lambda *values: sum(values, Fraction(0)), "*": lambda *v: Fraction(np.prod(np.array(v, dtype=object))),
    "min": lambda *values: min(values), "max": lambda *values: max(values),
    "and": lambda *values: all(values), "or": lambda *values: any(values),
}  # fmt: skip
