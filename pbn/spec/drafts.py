"""What each declared variable depends on: its expressions parsed, its parents looked up."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from pbn.spec.constants import Constants
from pbn.spec.declarations import Declaration, Declarations
from pbn.spec.expression import Expression, Scope, Type, parse, references
from pbn.spec.limits import Limits
from pbn.spec.names import distinct
from pbn.spec.nodes import Scalar, Sequence
from pbn.spec.report import Report
from pbn.spec.rule_text import InvalidExpression

_PARENT_KEY = {"p": "given", "of": "of", "merge": "merge", "measured": "measured"}


@dataclass(slots=True, kw_only=True)
class Draft:
    """A declaration on its way to a variable; ``failed`` once something in it has been reported.

    ``named`` are the parents that its keys name, ``conditions`` the expressions it holds, each with its
    scalar and its size.
    """

    declaration: Declaration
    failed: bool
    named: tuple[Scalar, ...] = ()
    conditions: tuple[tuple[Expression, Scalar, int], ...] = ()
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of each member


def read_drafts(declarations: Declarations, constants: Constants, report: Report, limits: Limits) -> dict[str, Draft]:
    """A draft of each declared variable, by name."""
    scope = Scope(
        constants=constants.values,
        variables=dict.fromkeys(declarations.by_member, Type()),
        families=declarations.families,
    )
    drafts = {}
    for name, declaration in declarations.by_name.items():
        draft = Draft(declaration=declaration, failed=not declaration.readable)
        if declaration.readable:
            _read_named(draft, declarations, report)
            _read_conditions(draft, report)
        for position, member in enumerate(declaration.members):
            draft.parents[member] = _parents(draft, declaration.index(position), scope, constants)
            limits.spend("dependencies", len(draft.parents[member]), declaration.key.place)
        drafts[name] = draft
    return drafts


def _read_named(draft: Draft, declarations: Declarations, report: Report) -> None:
    before = len(report)
    body, source = draft.declaration.body, draft.declaration.source
    key = _PARENT_KEY.get(source)
    scalars = body.scalars(key) if key else ()
    draft.named = distinct(
        [scalar for scalar in scalars if declarations.find(scalar, report)],
        "the parent",
        report,
        "spec/duplicate-variable",
    )
    if source == "p" and "given" in body and "p" not in body:
        report.add(
            "spec/missing-key",
            f"{draft.declaration.name} has 'given' but no 'p'",
            body.key("given").place,
            hint="add the probabilities for each state of its parents",
        )
    draft.failed |= len(report) > before


def _read_conditions(draft: Draft, report: Report) -> None:
    body, source = draft.declaration.body, draft.declaration.source
    scalars: list[Scalar] = []
    if source == "rule":
        scalars += body.scalars("rule")
    first = body.get("first")
    if source == "first" and isinstance(first, Sequence):
        scalars += [
            case.items[0] for case in first.items if isinstance(case, Sequence) and isinstance(case.items[0], Scalar)
        ]
    read = []
    for scalar in scalars:
        try:
            expression = parse(scalar.text)
        except InvalidExpression as error:
            report.problem(error.problem, scalar)
            draft.failed = True
        else:
            read.append((expression, scalar, sum(1 for _ in ast.walk(expression.tree))))
    draft.conditions = tuple(read)


def _parents(draft: Draft, index: int | None, scope: Scope, constants: Constants) -> tuple[str, ...]:
    """Parents of one member: those named by keys, then those its expressions read."""
    parents = dict.fromkeys(scalar.text for scalar in draft.named)
    if draft.conditions:
        scope = Scope(constants=constants.with_index(index).values, variables=scope.variables, families=scope.families)
        for expression, _, _ in draft.conditions:
            parents.update(dict.fromkeys(references(expression, scope)))
    return tuple(parents)
