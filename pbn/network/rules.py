"""Rules become small deterministic nodes: an expression is broken at its own parts.

Long sums, products, minima and conjunctions become one `Fold` over their terms, and a comparison of
sums becomes one sum against zero, so that no table is ever over all inputs of a rule.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from pbn.errors import BudgetError, Fault
from pbn.network.chain import reachable
from pbn.network.grid import Grid, Value, bounded, cells, constant, lift, ordered, over_node, union
from pbn.network.model import CPD, Fold, IndexMap, Operation, Variable, number_text
from pbn.spec.check_types import check_types
from pbn.spec.expression import Expression, Scope, arithmetic, function, is_constant

MAX_PART = 4096
"""A part of a rule over more combinations than this becomes a node of its own."""
MAX_CELLS = 2**18
"""A part of a rule over more combinations than this is refused."""
MAX_EFFORT = 2**21
"""Combinations that all rules of one world may take together: some ten seconds of work."""
CALL = 5
"""What evaluating one part of a rule takes besides its combinations, in combinations."""

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


@dataclass(slots=True)
class Effort:
    """Combinations evaluated so far for all rules of a world."""

    spent: int = 0

    def spend(self, combinations: int, name: str) -> None:
        """Count more combinations; `BudgetError` beyond `MAX_EFFORT`."""
        self.spent += combinations
        if self.spent > MAX_EFFORT:
            raise BudgetError(Fault(
                code="network/rules-too-large", message=f"the rules up to that of {name} take more than "
                f"{MAX_EFFORT:,} combinations of states", hint="break rules into variables with fewer values"))


@dataclass(kw_only=True)
class RuleCompiler:
    """Compiles the expressions of one variable; new nodes are put into ``variables`` and ``cpds``."""

    name: str
    scope: Scope
    variables: dict[str, Variable]
    cpds: dict[str, CPD]
    effort: Effort
    expression: Expression = field(init=False)
    made: int = 0

    def grid(self, expression: Expression, kind: str) -> Grid:
        """The expression's value over some nodes, read as ``number``, ``truth`` or ``label``."""
        self.expression = expression
        return self._value(expression.tree, kind)

    def decide(self, cases: Sequence[tuple[Grid, Grid]], otherwise: Grid) -> Grid:
        """The value of the first case whose condition holds, else ``otherwise``."""
        result = otherwise
        for test, value in reversed(cases):
            result = self._lift(lambda t, a, b: None if t is None else a if t else b, [test, value, result])
        return result

    def _value(self, node: ast.expr, kind: str) -> Grid:
        match node:
            case ast.Constant(value=str() as text):
                return constant(text)
            case ast.IfExp():
                return self._choice(node, kind)
            case ast.Name() | ast.Subscript():
                return self._variable(node, kind)
        if isinstance(node, (ast.BoolOp, ast.Compare)) or _is_not(node):
            truth = self._truth(node)
            return truth if kind == "truth" else self._apply(_as_number, truth)
        return self._number(node)

    # -- names ---------------------------------------------------------------------------------

    def _variable(self, node: ast.Name | ast.Subscript, kind: str) -> Grid:
        if isinstance(node, ast.Subscript):
            return self._member(node, kind)
        if node.id in self.scope.constants:
            return constant(self.scope.constants[node.id])
        return self._read(node.id, kind)

    def _read(self, name: str, kind: str) -> Grid:
        variable, type_ = self.variables[name], self.scope.variables[name]
        if kind == "label":
            return over_node(name, variable.states)
        if kind == "truth" or not type_.number:
            truth = [bool(state) for state in range(variable.size)]
            return over_node(name, truth if kind == "truth" else [Fraction(value) for value in truth])
        assert variable.values is not None
        return over_node(name, variable.values)

    def _member(self, node: ast.Subscript, kind: str) -> Grid:
        assert isinstance(node.value, ast.Name)
        members = self.scope.families[node.value.id]
        position = self._constant(node.slice)
        if position is not None:
            return self._read(members[int(position) - 1], kind)
        index = self._small(self._value(node.slice, "number"))
        reached = [k for k in range(len(members), 0, -1) if Fraction(k) in index.levels]
        result = constant(None)
        if reached and len(reached) == len(index.levels):  # the index is a member's everywhere: one is left over
            result = self._read(members[reached.pop(0) - 1], kind)
        for k in reached:
            here = self._apply(lambda v, k=k: v == k, index)
            result = self.decide([(here, self._read(members[k - 1], kind))], result)
        return result

    # -- choices and conditions ----------------------------------------------------------------

    def _choice(self, node: ast.IfExp, kind: str) -> Grid:
        cases = []
        tail: ast.expr = node
        while isinstance(tail, ast.IfExp):
            cases.append((self._value(tail.test, "truth"), self._value(tail.body, kind)))
            tail = tail.orelse
        return self.decide(cases, self._value(tail, kind))

    def _truth(self, node: ast.expr) -> Grid:
        match node:
            case ast.UnaryOp():
                return self._apply(lambda v: None if v is None else not v, self._value(node.operand, "truth"))
            case ast.BoolOp():
                return self._fold("and" if isinstance(node.op, ast.And) else "or",
                                  [self._value(operand, "truth") for operand in node.values])
            case ast.Compare():
                left = node.left
                parts = []
                for comparison, right in zip(node.ops, node.comparators, strict=True):
                    parts.append(self._compare(comparison, left, right))
                    left = right
                return parts[0] if len(parts) == 1 else self._fold("and", parts)
        raise AssertionError(ast.dump(node))

    def _compare(self, comparison: ast.cmpop, left: ast.expr, right: ast.expr) -> Grid:
        if isinstance(comparison, (ast.In, ast.NotIn)):
            assert isinstance(right, (ast.List, ast.Tuple))
            found = self._contains(left, right.elts)
            negated = isinstance(comparison, ast.NotIn)
            return self._apply(lambda v: None if v is None else v is not negated, found)
        compare = _COMPARISONS[type(comparison)]
        if self._counts(left) and self._counts(right):
            difference = self._sum([*self._terms(left, Fraction(1)), *self._terms(right, Fraction(-1))])
            return self._apply(lambda d: None if d is None else compare(d, Fraction(0)), difference)
        sides = [self._value(left, "label"), self._value(right, "label")]
        return self._lift(lambda a, b: None if a is None or b is None else compare(a, b), sides)

    def _contains(self, left: ast.expr, elements: Sequence[ast.expr]) -> Grid:
        """Whether the left side is one of the elements: by one look-up where they are all constants."""
        numbers = [self._constant(element) for element in elements]
        labels = [element.value for element in elements if isinstance(element, ast.Constant)]
        known: frozenset[Value] = frozenset()
        if None not in numbers:
            known, kind = frozenset(numbers), "number"
        elif all(isinstance(label, str) for label in labels) and len(labels) == len(elements):
            known, kind = frozenset(str(label) for label in labels), "label"
        if not known:
            return self._fold("or", [self._compare(ast.Eq(), left, element) for element in elements])
        return self._apply(lambda v: None if v is None else v in known, self._value(left, kind))

    def _counts(self, node: ast.expr) -> bool:
        part = Expression(text=self.expression.text, tree=node, numbers=self.expression.numbers)
        return check_types(part, self.scope)[0].counts

    # -- numbers -------------------------------------------------------------------------------

    def _number(self, node: ast.expr) -> Grid:
        match node:
            case ast.Constant():
                return constant(self.expression.number(node))
            case ast.UnaryOp() | ast.BinOp(op=ast.Add() | ast.Sub()):
                return self._sum(list(self._terms(node, Fraction(1))))
            case ast.BinOp(op=ast.Mult()):
                if any(self._constant(side) is not None for side in (node.left, node.right)):
                    return self._sum(list(self._terms(node, Fraction(1))))
                return self._fold("*", [self._value(factor, "number") for factor in _factors(node)])
            case ast.BinOp(op=op, left=left, right=right):
                return self._lift(lambda a, b: _operate(op, a, b),
                                  [self._value(left, "number"), self._value(right, "number")])
            case ast.Call(func=ast.Name(id=name)):
                return self._call(name, node.args)
        raise AssertionError(ast.dump(node))

    def _constant(self, node: ast.expr) -> Fraction | None:
        return is_constant(self.expression, node, self.scope.constants)

    def _call(self, name: str, arguments: list[ast.expr]) -> Grid:
        if name in ("rank", "size"):
            return self._position(name, arguments[0])
        if name == "sum":
            return self._sum([(Fraction(1), grid) for grid in self._arguments(arguments)])
        grids = self._arguments(arguments)
        if name in ("min", "max"):
            return self._fold("min" if name == "min" else "max", grids)
        return self._lift(lambda *values: None if None in values else function(name, list(values)), grids)

    def _arguments(self, arguments: list[ast.expr]) -> list[Grid]:
        single = arguments[0]
        if len(arguments) == 1 and isinstance(single, ast.Name) and single.id in self.scope.families:
            return [self._read(member, "number") for member in self.scope.families[single.id]]
        return [self._value(argument, "number") for argument in arguments]

    def _position(self, name: str, node: ast.expr) -> Grid:
        labels = self._value(node, "label")
        if isinstance(node, ast.Name):
            states: tuple[str, ...] = self.variables[node.id].states
        else:
            assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
            states = self.variables[self.scope.families[node.value.id][0]].states
        if name == "size":
            return constant(Fraction(len(states)))
        rank = {state: Fraction(k) for k, state in enumerate(states)}
        return self._apply(lambda label: None if label is None else rank[label], labels)

    def _terms(self, node: ast.expr, factor: Fraction) -> Iterator[tuple[Fraction, Grid]]:
        """The terms of a sum with their coefficients, from a walk down its left spine."""
        while True:
            match node:
                case ast.UnaryOp(op=ast.USub()):
                    node, factor = node.operand, -factor
                case ast.UnaryOp(op=ast.UAdd()):
                    node = node.operand
                case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
                    yield from self._terms(right, factor if isinstance(op, ast.Add) else -factor)
                    node = left
                case ast.BinOp(left=left, op=ast.Mult(), right=right) if (scale := self._constant(right)) is not None:
                    node, factor = left, factor * scale
                    bounded(factor)
                case ast.BinOp(left=left, op=ast.Mult(), right=right) if (scale := self._constant(left)) is not None:
                    node, factor = right, factor * scale
                    bounded(factor)
                case ast.BinOp(left=left, op=ast.Div(), right=right) if (scale := self._constant(right)):
                    node, factor = left, factor / scale
                    bounded(factor)
                case ast.Call(func=ast.Name(id="sum")):
                    for grid in self._arguments(node.args):
                        yield factor, grid
                    return
                case _:
                    yield factor, self._value(node, "number")
                    return

    def _sum(self, terms: Sequence[tuple[Fraction, Grid]]) -> Grid:
        scaled = [grid if c == 1 else self._apply(lambda v, c=c: None if v is None else v * c, grid)
                  for c, grid in reversed(terms)]
        return self._fold("+", scaled)

    # -- folds, parts and limits -----------------------------------------------------------------

    def _fold(self, operation: Operation, grids: list[Grid]) -> Grid:
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
        self.variables[name] = Variable(name=name, states=states, values=values, origin="auxiliary",
                                        text=f"part of {self.name}: {operation} of {len(terms)} terms")
        self.cpds[name] = Fold(parents=tuple(term.nodes[0] for term in terms), operation=operation,
                               terms=tuple(numbers))
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
            raise BudgetError(Fault(
                code="network/rule-too-large",
                message=f"the rule of {self.name} needs a table over {', '.join(union(parts))}: {size:,} cells",
                allowed=f"{MAX_CELLS:,} cells",
                hint="break the rule into variables with fewer values, or write it as a sum of terms",
            ))
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
        if len(terms) < len(grids):  # what was combined may depend on fewer nodes now
            return self._absorb(combine, terms)
        first = {id(grid): k for k, grid in enumerate(grids)}
        return sorted(terms, key=lambda term: first[id(term)])

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


def _is_not(node: ast.expr) -> bool:
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


def _factors(node: ast.expr) -> list[ast.expr]:
    found = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _as_number(value: Value) -> Value:
    return None if value is None else Fraction(int(bool(value)))


def _operate(op: ast.operator, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return None
    assert isinstance(left, Fraction) and isinstance(right, Fraction)
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and right == 0:
        return None
    return arithmetic(op, left, right)


def _in_order(operation: Operation, left: Value, right: Value) -> Value:
    """Python's order of evaluation: a decided ``and`` or ``or`` never looks at its right side."""
    if left is None or (operation == "and" and left is False) or (operation == "or" and left is True):
        return left
    return None if right is None else _COMBINE[operation](left, right)


def _multiply(a: Fraction, b: Fraction) -> Fraction:
    return a * b


_COMBINE: Mapping[Operation, Callable[..., Value]] = {
    "+": lambda *values: sum(values, Fraction(0)), "*": lambda *v: Fraction(np.prod(np.array(v, dtype=object))),
    "min": lambda *values: min(values), "max": lambda *values: max(values),
    "and": lambda *values: all(values), "or": lambda *values: any(values),
}  # fmt: skip
