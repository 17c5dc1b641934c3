"""The rule language: a bounded subset of Python's expression syntax, parsed and type-checked.

Nothing is ever executed: the text is parsed with `ast`, every node outside the subset is refused,
and `pbn.network` evaluates what is left over exact rationals.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from pbn.errors import listing, nearest
from pbn.spec.rule_text import MAX_DEPTH, MAX_DIGITS, InvalidExpression, check_text, fail

MAX_NODES = 10_000
MAX_POWER = 16
MAX_BITS = 2_000

FUNCTIONS: Mapping[str, tuple[int, int | None]] = {
    "abs": (1, 1),
    "clip": (3, 3),
    "max": (1, None),
    "min": (1, None),
    "rank": (1, 1),
    "size": (1, 1),
    "sum": (1, None),
}

_ALLOWED_NODES = (
    ast.Expression, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Name,
    ast.Constant, ast.Subscript, ast.List, ast.Tuple, ast.Load, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.Pow, ast.UAdd, ast.USub, ast.Not, ast.And, ast.Or, ast.Eq, ast.NotEq,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn,
)  # fmt: skip
_TEXT = re.compile(r"""'(?:[^'\\]|\\[\\'"])*'|"(?:[^"\\]|\\[\\'"])*\"""")
_CHAINED = (ast.Add, ast.Sub, ast.Mult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A parsed expression; ``numbers`` maps each numeric literal's offset to its exact value.

    ``text`` is what was parsed, without the ``lead`` blanks that stood before it.
    """

    text: str
    tree: ast.expr
    numbers: Mapping[int, Fraction]
    lead: int = 0

    def number(self, node: ast.Constant) -> Fraction:
        """The exact value of a numeric literal: ``0.1`` is one tenth."""
        return self.numbers[node.col_offset]

    def position(self, node: ast.AST) -> int:
        """The character of the given text, from 0, at which a part begins (`ast` counts bytes)."""
        return self.lead + _characters(self.text, getattr(node, "col_offset", 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Type:
    """What an expression can stand for: a state (of ``labels``), a number, a truth value.

    A variable may be several at once: its state, and its number where it has ``values``.
    ``labels`` is None where states are not known or there are none.
    """

    labels: tuple[str, ...] | None = None
    number: bool = False
    truth: bool = False

    @property
    def kind(self) -> str:
        """How a rule with this type is read: as number before truth before label."""
        return "number" if self.number else "truth" if self.truth else "label"

    @property
    def counts(self) -> bool:
        """True where the type can be used in arithmetic (a truth value counts as 0 or 1)."""
        return self.number or self.truth


NUMBER = Type(number=True)
TRUTH = Type(truth=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What names mean inside an expression: constants, variables, repeated variables."""

    constants: Mapping[str, Fraction] = field(default_factory=dict)
    variables: Mapping[str, Type] = field(default_factory=dict)
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def parse(text: str) -> Expression:
    """Parse one expression of the rule language.

    Raises
    ------
    InvalidExpression
        The text is not an expression, uses something outside the language, or is too large.

    Examples
    --------
    >>> ast.unparse(parse("score + residual >= 11.5").tree)
    'score + residual >= 11.5'
    >>> parse("open('x')")
    Traceback (most recent call last):
    pbn.spec.rule_text.InvalidExpression: there is no function 'open'
    """
    text = text.replace("\n", " ")
    check_text(text)
    stripped = text.strip()
    lead = len(text) - len(text.lstrip())
    if not stripped:
        fail("rule/syntax", "the expression is empty", 0)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(stripped, mode="eval").body
    except SyntaxError as error:
        offset = min((error.offset or len(stripped)) - 1, len(stripped) - 1)  # 0: it ends too early
        what = error.msg.replace(" or ':='", "") if error.offset else "it ends too early"
        fail("rule/syntax", f"this is not an expression: {what}", offset + lead)
    except (RecursionError, MemoryError):
        fail("rule/too-deep", "the expression has too many parts inside one another", 0)
    except ValueError as error:
        fail("rule/syntax", f"this is not an expression: {error}", 0)
    return Expression(text=stripped, tree=tree, numbers=_check_nodes(tree, stripped, lead), lead=lead)


def _characters(text: str, byte: int) -> int:
    return byte if text.isascii() else len(text.encode()[:byte].decode(errors="ignore"))


def _check_nodes(tree: ast.expr, text: str, lead: int) -> dict[int, Fraction]:
    """Refuse what is outside the language; read numeric literals from the text, exactly."""
    numbers: dict[int, Fraction] = {}
    encoded = text.encode()
    stack: list[tuple[ast.AST, int, bool]] = [(tree, 0, False)]
    count = 0
    while stack:
        node, depth, in_power = stack.pop()
        count += 1
        offset = lead + _characters(text, getattr(node, "col_offset", 0))
        if count > MAX_NODES:
            fail("rule/too-large", f"the expression has more than {MAX_NODES:,} parts", offset)
        if depth > MAX_DEPTH:
            fail("rule/too-deep", f"the expression is nested more than {MAX_DEPTH} deep", offset)
        if not isinstance(node, _ALLOWED_NODES):
            _refuse_node(node, offset)
        if isinstance(node, ast.Constant) and not isinstance(node.value, str):
            numbers[node.col_offset] = _literal(node, _source(node, encoded), offset)
        elif isinstance(node, (ast.Constant, ast.Name)):
            _check_spelling(node, _source(node, encoded), offset)
        if isinstance(node, ast.Call):
            _check_call(node, offset)
            _check_spelling(node.func, _source(node.func, encoded), offset)
        power = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow)
        if isinstance(node, ast.BinOp) and power:
            _check_power(node, offset, in_power)
        stack += reversed(list(_children(node, depth, in_power or power)))
    return numbers


def _children(node: ast.AST, depth: int, in_power: bool) -> Iterator[tuple[ast.AST, int, bool]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Call) and child is node.func:
            continue
        spine = isinstance(node, ast.BinOp) and child is node.left and isinstance(node.op, _CHAINED)
        same = spine and isinstance(child, ast.BinOp) and isinstance(child.op, _CHAINED)
        yield child, depth if same else depth + 1, in_power


def _refuse_node(node: ast.AST, offset: int) -> NoReturn:
    names = {
        ast.Attribute: "attribute access", ast.Lambda: "a lambda", ast.JoinedStr: "an f-string",
        ast.ListComp: "a comprehension", ast.GeneratorExp: "a comprehension", ast.Dict: "a dictionary",
        ast.NamedExpr: "an assignment", ast.Set: "a set", ast.Slice: "a slice", ast.Await: "await",
        ast.Starred: "an unpacking", ast.Is: "`is`", ast.IsNot: "`is not`", ast.keyword: "a named argument",
    }  # fmt: skip
    what = names.get(type(node), f"`{type(node).__name__}`")
    hint = "write a list: x in ['a', 'b']" if isinstance(node, ast.Set) else None
    fail(
        "rule/not-allowed",
        f"{what} is not part of the rule language",
        offset,
        "arithmetic, comparisons, and, or, not, a if c else b, in, indexing, " + ", ".join(FUNCTIONS),
        hint,
    )


def _source(node: ast.expr, encoded: bytes) -> str:
    return encoded[node.col_offset : node.end_col_offset].decode()


def _check_spelling(node: ast.expr, source: str, offset: int) -> None:
    """Refuse what Python reads as something else: escapes, texts joined or with a prefix, names in other letters."""
    if isinstance(node, ast.Constant) and not _TEXT.fullmatch(source):
        fail(
            "rule/syntax",
            f"this is not how a state is written: {source[:40]}",
            offset,
            "one text between single or double quotes",
            r"write \\ for a backslash, \' or \" for the quote around the text, and a comma between two texts",
        )
    if isinstance(node, ast.Name) and node.id != source:
        fail(
            "rule/unknown-name",
            f"{source[:40]!r} is not the name {node.id[:40]!r}, though it may look like it",
            offset,
            "the letters A to Z and a to z, digits and _",
            f"write {node.id[:40]}",
        )


def _literal(node: ast.Constant, written: str, offset: int) -> Fraction:
    if isinstance(node.value, bool) or node.value is None or not isinstance(node.value, (int, float)):
        fail(
            "rule/not-allowed", f"{node.value!r} is not part of the rule language", offset, "numbers and quoted states"
        )
    source = written.replace("_", "").lower()
    mantissa, _, exponent = source.partition("e")
    reason = None
    if source.startswith(("0x", "0b", "0o")):
        reason = "is not decimal"
    elif len(mantissa) > MAX_DIGITS:
        reason = "has too many digits"
    elif len(exponent) > 3 or abs(int(exponent or 0)) > MAX_DIGITS:
        reason = f"is too {'small' if exponent.startswith('-') else 'large'}"
    if reason:
        allowed = f"decimal numbers of at most {MAX_DIGITS} digits, exponents from -{MAX_DIGITS} to {MAX_DIGITS}"
        fail("rule/number", f"the number {source[:24]} {reason}", offset, allowed)
    return Fraction(source)


def _check_call(node: ast.Call, offset: int) -> None:
    if not isinstance(node.func, ast.Name):
        fail("rule/not-allowed", "only the functions of the rule language can be called", offset, ", ".join(FUNCTIONS))
    name = node.func.id
    if name not in FUNCTIONS:
        fail(
            "rule/unknown-function",
            f"there is no function {name!r}",
            offset,
            ", ".join(FUNCTIONS),
            nearest(name, FUNCTIONS),
        )
    least, most = FUNCTIONS[name]
    found = len(node.args)
    if found < least or (most is not None and found > most):
        wanted = f"{least}" if most == least else f"at least {least}"
        fail("rule/arity", f"{name} takes {wanted} argument{'s' if wanted != '1' else ''}, found {found}", offset)


def _check_power(node: ast.BinOp, offset: int, in_power: bool) -> None:
    exponent = node.right
    small = isinstance(exponent, ast.Constant) and type(exponent.value) is int and 0 <= exponent.value <= MAX_POWER
    if in_power or not small:
        fail(
            "rule/power",
            "a power takes one small whole number as exponent and no power inside it",
            offset,
            f"x ** 0 to x ** {MAX_POWER}",
        )


def evaluate_constant(expression: Expression, constants: Mapping[str, Fraction]) -> Fraction:
    """Value of an arithmetic expression over numbers and named constants only.

    Examples
    --------
    >>> evaluate_constant(parse("(1 - share) / 2"), {"share": Fraction(1, 4)})
    Fraction(3, 8)
    """
    try:
        return _constant(expression, expression.tree, constants)
    except RecursionError:
        fail("rule/too-deep", "this arithmetic has too many terms for one constant", expression.lead)


def _constant(expression: Expression, node: ast.expr, constants: Mapping[str, Fraction]) -> Fraction:
    def value(child: ast.expr) -> Fraction:
        return _constant(expression, child, constants)

    match node:
        case ast.Constant(value=int() | float()):
            return expression.number(node)
        case ast.Name(id=name):
            if name not in constants:
                fail(
                    "rule/unknown-name",
                    f"{name!r} is not a parameter",
                    expression.position(node),
                    listing(constants) or "the file declares no parameters",
                    _constant_hint(name, constants),
                )
            return constants[name]
        case ast.UnaryOp(op=ast.USub()):
            return -value(node.operand)
        case ast.UnaryOp(op=ast.UAdd()):
            return value(node.operand)
        case ast.BinOp():
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) and right == 0:
                fail("rule/division-by-zero", "this divides by zero", expression.position(node.right))
            if isinstance(node.op, ast.Pow) and _bits(left) * right > MAX_BITS:
                fail("rule/too-large", "this power is too large", expression.position(node))
            result = arithmetic(node.op, left, right)
            if _bits(result) > MAX_BITS:
                fail("rule/too-large", "this number has too many digits", expression.position(node))
            return result
        case ast.Call(func=ast.Name(id="abs" | "min" | "max" | "sum" | "clip" as name)):
            return function(name, [value(argument) for argument in node.args])
    fail("rule/not-constant", "only numbers, parameters and arithmetic can stand here", expression.position(node))


def _constant_hint(name: str, constants: Mapping[str, Fraction]) -> str:
    if name == "i":
        return "`i`, the position of a member, may stand in the `p` and in the rule of a repeated variable"
    return nearest(name, constants) or "probabilities that depend on a variable go under `given`"


def _bits(number: Fraction) -> int:
    return number.numerator.bit_length() + number.denominator.bit_length()


def arithmetic(operator: ast.operator, left: Fraction, right: Fraction) -> Fraction:
    """One binary operation on exact numbers; the caller has excluded division by zero."""
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return Fraction(left // right)
        case ast.Mod():
            return left % right
        case ast.Pow():
            return Fraction(left ** int(right))
    raise AssertionError(operator)


def function(name: str, arguments: list[Fraction]) -> Fraction:
    """One of ``abs``, ``min``, ``max``, ``sum``, ``clip`` on exact numbers."""
    match name:
        case "abs":
            return abs(arguments[0])
        case "min":
            return min(arguments)
        case "max":
            return max(arguments)
        case "sum":
            return sum(arguments, Fraction(0))
    number, low, high = arguments
    return min(max(number, low), high)


def is_constant(expression: Expression, node: ast.expr, constants: Mapping[str, Fraction]) -> Fraction | None:
    """The value of a part that reads constants only, or None."""
    try:
        return _constant(expression, node, constants)
    except (InvalidExpression, RecursionError):
        return None


def references(expression: Expression, scope: Scope) -> tuple[str, ...]:
    """Names of the variables that an expression reads, in order of first use.

    ``letter[5]`` reads one member of a repeated variable, ``letter[position]`` all of them.
    """
    found: dict[str, None] = {}
    stack: list[ast.AST] = [expression.tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            members = scope.families.get(node.value.id, ())
            position = is_constant(expression, node.slice, scope.constants)
            if position is not None:
                inside = position.denominator == 1 and 1 <= position <= len(members)
                members = (members[int(position) - 1],) if inside else ()
            found.update(dict.fromkeys(members))
            stack.append(node.slice)
            continue
        if isinstance(node, ast.Name):
            if node.id in scope.families:
                found.update(dict.fromkeys(scope.families[node.id]))
            elif node.id in scope.variables:
                found[node.id] = None
        stack += reversed(
            [child for child in ast.iter_child_nodes(node) if not (isinstance(node, ast.Call) and child is node.func)]
        )
    return tuple(found)
