"""Constant numbers of a world file: parameters, and arithmetic over them."""

from __future__ import annotations

import ast
import re
from collections import ChainMap
from collections.abc import MutableMapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from fractions import Fraction

from pbn.spec.expression import Expression, evaluate_constant, parse
from pbn.spec.names import check_variable_name
from pbn.spec.nodes import Mapping, Scalar
from pbn.spec.numerals import numeral
from pbn.spec.report import Report, shorten
from pbn.spec.rule_text import InvalidExpression
from pbn.spec.structure import Path

MAX_EXPRESSIONS = 100_000

_NOT_FINITE = re.compile(r"[+-]?\.?(?:nan|inf|infinity)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constants:
    """The named numbers of a file; ``faulty`` names those whose own definition is wrong.

    ``parsed`` keeps arithmetic that stands in many cells from being parsed again.
    """

    values: MutableMapping[str, Fraction] = field(default_factory=dict)
    faulty: AbstractSet[str] = frozenset()
    parsed: dict[str, Expression] = field(default_factory=dict)

    def with_index(self, index: int | None) -> Constants:
        """The same with ``i``, the position of one member of a repeated variable."""
        if index is None:
            return self
        return replace(self, values=ChainMap({"i": Fraction(index)}, self.values))

    def number(self, scalar: Scalar, report: Report, *, code: str = "spec/number") -> Fraction | None:
        """The exact value of a numeral or of arithmetic over parameters; reports what is wrong with it.

        None without a report stands for arithmetic over a parameter that is itself faulty.
        """
        value = numeral(scalar.text)
        if value is not None:
            return value
        if not scalar.text.strip() or _NOT_FINITE.fullmatch(scalar.text) or scalar.text in ("~", "null"):
            report.add(
                code,
                f"{shorten(scalar.text)!r} is not a number",
                scalar.place,
                allowed="a number such as .48, 3/4 or 1e-3, or arithmetic over parameters",
            )
            return None
        try:
            expression = self.parsed.get(scalar.text) or parse(scalar.text)
            self.parsed[scalar.text] = expression
            if len(self.parsed) > MAX_EXPRESSIONS:
                report.add(
                    "spec/too-large",
                    "the file has too many different arithmetic expressions",
                    scalar.place,
                    allowed=f"at most {MAX_EXPRESSIONS:,}",
                )
                report.raise_any()
            if self.faulty and not self.faulty.isdisjoint(names_in(expression.tree)):
                return None
            return evaluate_constant(expression, self.values)
        except InvalidExpression as error:
            report.problem(error.problem, scalar)
            return None


def names_in(tree: ast.expr) -> set[str]:
    """All names that stand in an expression."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def read_parameters(root: Mapping, broken: frozenset[Path], report: Report) -> Constants:
    """The file's parameters; each may use those before it."""
    values: dict[str, Fraction] = {}
    faulty: set[str] = set()
    known = Constants(values=values, faulty=faulty)
    section = root.mapping("parameters")
    for key, node in section.pairs if section else ():
        named = check_variable_name(key, "parameter", report)
        usable = isinstance(node, Scalar) and ("parameters", key.text) not in broken
        value = None
        if named and usable and isinstance(node, Scalar):
            value = known.number(node, report)
        if value is None:
            faulty.add(key.text)
        else:
            values[key.text] = value
    return known
