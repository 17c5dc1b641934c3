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

from pbn.network.grid import Grid, Value, bounded, constant, over_node
from pbn.network.parts import Parts
from pbn.spec.check_types import check_types
from pbn.spec.expression import Expression, Scope, arithmetic, function, is_constant

_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip


@dataclass(kw_only=True)
class RuleCompiler(Parts):
    """Compiles the expressions of one variable into parts."""

    scope: Scope
    expression: Expression = field(init=False)
    truths: dict[int, Grid] = field(init=False)
    kinds: dict[int, bool] = field(init=False)

    def grid(self, expression: Expression, kind: str) -> Grid:
        """The expression's value over some nodes, read as ``number``, ``truth`` or ``label``."""
        self.expression, self.truths, self.kinds = expression, {}, {}
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
        """A condition; one inside an operand that is compared more than once is compiled once."""
        if id(node) not in self.truths:
            self.truths[id(node)] = self._condition(node)
        return self.truths[id(node)]

    def _condition(self, node: ast.expr) -> Grid:
        match node:
            case ast.UnaryOp():
                return self._apply(lambda v: None if v is None else not v, self._value(node.operand, "truth"))
            case ast.BoolOp():
                return self._fold(
                    "and" if isinstance(node.op, ast.And) else "or",
                    [self._value(operand, "truth") for operand in node.values],
                )
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
        if id(node) not in self.kinds:
            part = Expression(text=self.expression.text, tree=node, numbers=self.expression.numbers)
            self.kinds[id(node)] = check_types(part, self.scope)[0].counts
        return self.kinds[id(node)]

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
                return self._lift(
                    lambda a, b: _operate(op, a, b), [self._value(left, "number"), self._value(right, "number")]
                )
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
            assert isinstance(node, ast.Subscript)
            assert isinstance(node.value, ast.Name)
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
                case ast.BinOp(left=left, op=ast.Div(), right=right) if scale := self._constant(right):
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
        scaled = [
            grid if c == 1 else self._apply(lambda v, c=c: None if v is None else v * c, grid)
            for c, grid in reversed(terms)
        ]
        return self._fold("+", scaled)


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
    assert isinstance(left, Fraction)
    assert isinstance(right, Fraction)
    if isinstance(op, (ast.Div, ast.FloorDiv, ast.Mod)) and right == 0:
        return None
    return arithmetic(op, left, right)
