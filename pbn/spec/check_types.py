"""Static types of rules: every name, state and operand is checked before anything is computed."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pbn.errors import listing, nearest
from pbn.spec.expression import NUMBER, TRUTH, Expression, Scope, Type, is_constant
from pbn.spec.rule_text import Problem

MAX_PROBLEMS = 20  # of one expression
ANYTHING = Type(labels=(), number=True, truth=True)  # after a problem: fits everywhere, adds no second one


def check_types(expression: Expression, scope: Scope) -> tuple[Type, list[Problem]]:
    """The type of an expression in a scope, and every problem found on the way.

    Examples
    --------
    >>> from pbn.spec.expression import parse
    >>> scope = Scope(variables={"cycle": Type(labels=("steady", "contraction"))})
    >>> check_types(parse("cycle == 'contracton'"), scope)[1][0].hint
    "did you mean 'contraction'?"
    """
    checker = _Checker(expression, scope)
    return checker.type_of(expression.tree), checker.problems


@dataclass
class _Checker:
    expression: Expression
    scope: Scope
    problems: list[Problem] = field(default_factory=list)
    known: dict[int, Type] = field(default_factory=dict)

    def type_of(self, node: ast.expr) -> Type:
        """The type of a part; what stands in two comparisons of a chain is looked at once."""
        kind = self.known.get(id(node))
        if kind is None:
            kind = self.known[id(node)] = self._type_of(node)
        return kind

    def _type_of(self, node: ast.expr) -> Type:
        match node:
            case ast.Constant(value=str() as label):
                return Type(labels=(label,))
            case ast.Constant():
                return NUMBER
            case ast.Name():
                return self._name(node)
            case ast.Subscript():
                return self._member(node)
            case ast.BinOp():
                return self._arithmetic(node)
            case ast.UnaryOp(op=ast.Not()):
                self._want_truth(node.operand)
                return TRUTH
            case ast.UnaryOp():
                self._want_number(node.operand)
                return NUMBER
            case ast.BoolOp():
                for operand in node.values:
                    self._want_truth(operand)
                return TRUTH
            case ast.Compare():
                return self._compare(node)
            case ast.IfExp():
                return self._choice(node)
            case ast.Call():
                return self._call(node)
        return self._problem("rule/not-allowed", "a list can only stand after `in`", node)

    def _problem(
        self, code: str, message: str, node: ast.expr, allowed: str | None = None, hint: str | None = None
    ) -> Type:
        self.problems.append(
            Problem(code=code, message=message, offset=self.expression.position(node), allowed=allowed, hint=hint)
        )
        return ANYTHING

    def _name(self, node: ast.Name) -> Type:
        if node.id in self.scope.constants:
            return NUMBER
        if node.id in self.scope.variables:
            return self.scope.variables[node.id]
        if node.id in self.scope.families:
            return self._problem(
                "rule/repeated",
                f"{node.id!r} is a repeated variable",
                node,
                hint=f"index one of them, as in {node.id}[1], or use sum, min or max of it",
            )
        if len(self.problems) >= MAX_PROBLEMS:
            return ANYTHING
        names = [*self.scope.variables, *self.scope.constants, *self.scope.families]
        owners = [name for name, kind in self.scope.variables.items() if node.id in (kind.labels or ())]
        hint = f"states are quoted: {owners[0]} == {node.id!r}" if owners else nearest(node.id, names)
        return self._problem(
            "rule/unknown-name", f"{node.id!r} is no variable or parameter", node, listing(names), hint
        )

    def _member(self, node: ast.Subscript) -> Type:
        family = node.value.id if isinstance(node.value, ast.Name) else None
        members = self.scope.families.get(family or "")
        if members is None:
            return self._problem(
                "rule/index",
                "only a repeated variable can be indexed",
                node,
                listing(self.scope.families) or "the file has no repeated variables",
            )
        self._want_number(node.slice)
        position = is_constant(self.expression, node.slice, self.scope.constants)
        if position is not None and (position.denominator != 1 or not 1 <= position <= len(members)):
            return self._problem("rule/index", f"{family} has no member {position}", node, f"1 to {len(members)}")
        if position is not None:
            return self.scope.variables.get(members[int(position) - 1], ANYTHING)
        return _common([self.scope.variables.get(member, ANYTHING) for member in members])

    def _want_number(self, node: ast.expr) -> None:
        kind = self.type_of(node)
        if not kind.counts:
            what = f"{node.id!r} has no numbers" if isinstance(node, ast.Name) else "this is a state, not a number"
            hint = f"give it `values`, or use its position: rank({node.id})" if isinstance(node, ast.Name) else None
            self._problem("rule/not-a-number", what, node, "a number", hint)

    def _want_truth(self, node: ast.expr) -> None:
        kind = self.type_of(node)
        if not kind.truth:
            hint = f"compare it: {node.id} == '…'" if isinstance(node, ast.Name) else "compare it with something"
            self._problem("rule/not-a-condition", "this is not true or false", node, "a condition", hint)

    def _arithmetic(self, node: ast.BinOp) -> Type:
        spine: ast.expr = node
        while isinstance(spine, ast.BinOp):  # a long sum is a deep left spine: walk it in a loop
            self._want_number(spine.right)
            spine = spine.left
        self._want_number(spine)
        return NUMBER

    def _compare(self, node: ast.Compare) -> Type:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self._contains(left, right)
            elif isinstance(operator, (ast.Eq, ast.NotEq)):
                self._equal(left, right)
            else:
                self._want_number(left)
                self._want_number(right)
            left = right
        return TRUTH

    def _contains(self, left: ast.expr, right: ast.expr) -> None:
        if not isinstance(right, (ast.List, ast.Tuple)) or not right.elts:
            self._problem("rule/in", "`in` takes a list of states or numbers", right, "x in ['a', 'b']")
            return
        for element in right.elts:
            self._equal(left, element)

    def _equal(self, left: ast.expr, right: ast.expr) -> None:
        one, other = self.type_of(left), self.type_of(right)
        if one.counts and other.counts:
            return
        if one.labels is None or other.labels is None:
            number, label, labels = (left, right, other.labels) if one.labels is None else (right, left, one.labels)
            hint = "compare a number with a number"
            if isinstance(number, ast.Constant) and labels:
                hint = f"{_shown(label)} is a state: compare it with {labels[0]!r}"
            self._problem("rule/mixed", "a number is compared with a state", number, None, hint)
            return
        plain = isinstance(left, (ast.Name, ast.Subscript)) and isinstance(right, (ast.Name, ast.Subscript))
        if plain and one.labels and other.labels and set(one.labels).isdisjoint(other.labels):
            self._problem(
                "rule/no-common-state",
                f"{_shown(left)} and {_shown(right)} have no state in common, so they are never equal",
                left,
                f"{_shown(left)}: {listing(one.labels)}; {_shown(right)}: {listing(other.labels)}",
                f"compare each with a state of its own: {_shown(left)} == {one.labels[0]!r}",
            )
            return
        for literal, labels, variable in ((left, other.labels, right), (right, one.labels, left)):
            if isinstance(literal, ast.Constant) and labels and literal.value not in labels:
                self._problem(
                    "rule/unknown-state",
                    f"{_shown(variable)} has no state {literal.value!r}",
                    literal,
                    listing(labels),
                    nearest(str(literal.value), labels),
                )

    def _choice(self, node: ast.IfExp) -> Type:
        tail: ast.expr = node
        kinds = []
        while isinstance(tail, ast.IfExp):
            self._want_truth(tail.test)
            kinds.append(self.type_of(tail.body))
            tail = tail.orelse
        kinds.append(self.type_of(tail))
        common = _common(kinds)
        if common.labels is None and not common.counts:
            return self._problem("rule/mixed", "the branches are a state and a number", node)
        return common

    def _call(self, node: ast.Call) -> Type:
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        if name in ("rank", "size"):
            return self._position(name, node)
        single = node.args[0] if len(node.args) == 1 else None
        if name in ("sum", "min", "max") and isinstance(single, ast.Name) and single.id in self.scope.families:
            for member in self.scope.families[single.id]:
                if not self.scope.variables.get(member, ANYTHING).counts:
                    return self._problem("rule/not-a-number", f"{single.id!r} has no numbers", node)
            return NUMBER
        for argument in node.args:
            self._want_number(argument)
        return NUMBER

    def _position(self, name: str, node: ast.Call) -> Type:
        argument = node.args[0]
        if isinstance(argument, (ast.Name, ast.Subscript)):
            before = len(self.problems)
            kind = self.type_of(argument)
            constant = isinstance(argument, ast.Name) and argument.id in self.scope.constants
            if len(self.problems) > before or (kind.labels is not None and not constant):
                return NUMBER
        return self._problem(f"rule/{name}", f"{name} takes one variable with states", node)


def _common(kinds: list[Type]) -> Type:
    """What holds for each of several types: the states of any, a number or truth value only if all are one."""
    known = [kind for kind in kinds if kind is not ANYTHING]
    if not known:
        return ANYTHING
    labels: tuple[str, ...] | None = None
    if all(kind.labels is not None for kind in known):
        different = {id(kind.labels): kind.labels or () for kind in known}
        labels = tuple(dict.fromkeys(label for some in different.values() for label in some))
        if len(different) == 1:
            labels = known[0].labels
    truth = all(kind.truth for kind in known)
    return Type(labels=labels, number=all(kind.counts for kind in known) and not truth, truth=truth)


def _shown(node: ast.expr) -> str:
    """How a message names the part that a state is compared with."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return f"{node.value.id}[…]"
    return node.id if isinstance(node, ast.Name) else "this"
