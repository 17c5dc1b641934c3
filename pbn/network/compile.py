"""From a resolved world file to the immutable network."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np

from pbn.errors import BudgetError, Fault, NetworkError, listing
from pbn.network.counts import DENOMINATOR, count_law
from pbn.network.grid import MAX_BITS, Grid, NumberTooLargeError, Value, constant, lift, ordered
from pbn.network.model import CPD, Fold, IndexMap, Network, Table, Variable, number_text, table
from pbn.network.parts import Effort, part_variable
from pbn.network.rules import RuleCompiler
from pbn.spec import model as spec
from pbn.spec.check_types import check_types
from pbn.spec.expression import Expression, Scope, Type
from pbn.spec.order import parents_first


def compile_network(world: spec.WorldSpec) -> Network:
    """The network that a world file says: a node for each variable and for each part of a rule.

    Raises
    ------
    NetworkError
        A rule yields a state that its variable does not declare.
    BudgetError
        A rule cannot be broken into small parts; it names the variable and the size.
    """
    return _Compiler(world).run()


class _Compiler:
    def __init__(self, world: spec.WorldSpec) -> None:
        self.world = world
        self.variables: dict[str, Variable] = {}
        self.cpds: dict[str, CPD] = {}
        self.types: dict[str, Type] = {}
        self.undefined: list[str] = []
        self.effort = Effort()

    def run(self) -> Network:
        for name in parents_first({name: variable.parents for name, variable in self.world.variables.items()}):
            self._add(self.world.variables[name])
        for question in self.world.questions.values():
            self._check_question(question)
        return Network(variables=self.variables, cpds=self.cpds, undefined=tuple(self.undefined))

    def _check_question(self, question: spec.Question) -> None:
        """A yes/no question about a variable whose states only its rule makes: they are known now."""
        states = self.variables[question.asks].states
        if question.kind == "yes/no" and (len(states) != 2 or question.positive not in states):
            raise NetworkError(
                Fault(
                    code="spec/question-positive",
                    place=self.world.variables[question.asks].place,
                    message=f"question {question.name} is yes/no, but {question.asks} has the states {listing(states)}",
                    allowed=f"two states, one of them {question.positive!r}",
                )
            )

    def _add(self, variable: spec.VariableSpec) -> None:
        match variable.source:
            case spec.Table() as source:
                self._add_table(variable, source)
            case spec.Measurement() as source:
                self._add_measurement(variable, source)
            case spec.Count() as source:
                self._add_count(variable, source)
            case spec.Lookup() as source:
                self._add_lookup(variable, source)
            case spec.Rule() as source:
                self._add_rule(variable, source.expression)
            case spec.DecisionList() as source:
                self._add_decisions(variable, source)

    def _declare(
        self,
        variable: spec.VariableSpec,
        states: Sequence[str],
        values: tuple[Fraction, ...] | None,
        cpd: CPD,
        *,
        unit: str = "",
        truth: bool = False,
        measured: bool = False,
    ) -> None:
        name = variable.name
        origin = "measured" if measured else "random" if isinstance(cpd, Table) else "deterministic"
        if isinstance(variable.source, (spec.Table, spec.Count)):
            origin = "random"
        self.variables[name] = Variable(
            name=name,
            states=tuple(states),
            values=values,
            origin=origin,  # type: ignore[arg-type]
            role=variable.role,
            text=variable.text,
            unit=unit,
        )
        self.cpds[name] = cpd
        self.types[name] = Type(labels=tuple(states), number=values is not None, truth=truth)

    def _add_table(self, variable: spec.VariableSpec, source: spec.Table) -> None:
        assert variable.states is not None
        parents = [self.variables[parent] for parent in source.parents]
        rows = [source.rows[key] for key in product(*(parent.states for parent in parents))]
        shape = (*(parent.size for parent in parents), len(variable.states))
        cpd = table(source.parents, [p for row in rows for p in row], shape)
        self._declare(variable, variable.states, variable.values, cpd)

    def _add_measurement(self, variable: spec.VariableSpec, source: spec.Measurement) -> None:
        count = int((source.stop - source.start) / source.step) + 1
        scale = math.lcm(source.start.denominator, source.step.denominator)
        start, step = int(source.start * scale), int(source.step * scale)
        values = tuple(Fraction(start + k * step, scale) for k in range(count))
        starts = [0, *(int((cut - source.start) / source.step) for cut in source.cuts), count]
        widths = np.diff(starts).tolist()
        denominator = math.lcm(*widths)
        numerators = np.zeros((len(widths), count), dtype=np.int64 if denominator < 2**62 else object)
        for k, width in enumerate(widths):
            numerators[k, starts[k] : starts[k + 1]] = denominator // width
        cpd = Table(parents=(source.of,), numerators=numerators, denominator=denominator)
        self._declare(variable, _grid_texts(values), values, cpd, unit=source.unit, measured=True)

    def _add_count(self, variable: spec.VariableSpec, source: spec.Count) -> None:
        try:
            numerators = np.array(count_law(source), dtype=np.int64)
        except NetworkError as error:
            raise NetworkError(
                *(
                    replace(fault, message=f"{variable.name}: {fault.message}", place=variable.place)
                    for fault in error.faults
                )
            ) from None
        values = tuple(Fraction(k) for k in range(source.start, source.stop + 1))
        cpd = Table(parents=(), numerators=numerators, denominator=DENOMINATOR)
        self._declare(variable, [str(value) for value in values], values, cpd)

    def _add_lookup(self, variable: spec.VariableSpec, source: spec.Lookup) -> None:
        assert variable.states is not None
        position = {state: k for k, state in enumerate(variable.states)}
        index = [position[source.results[state]] for state in self.variables[source.of].states]
        cpd = IndexMap(parents=(source.of,), index=np.array(index, dtype=np.intp))
        self._declare(variable, variable.states, variable.values, cpd)

    def _scope(self, variable: spec.VariableSpec) -> Scope:
        constants = dict(self.world.parameters)
        if variable.index is not None:
            constants["i"] = Fraction(variable.index)
        return Scope(constants=constants, variables=self.types, families=self.world.families)

    def _add_rule(self, variable: spec.VariableSpec, expression: Expression) -> None:
        scope = self._scope(variable)
        kind = check_types(expression, scope)[0].kind
        compiler = RuleCompiler(
            name=variable.name, scope=scope, variables=self.variables, cpds=self.cpds, effort=self.effort
        )
        with _bounded_numbers(variable):
            grid = compiler.grid(expression, kind)
        self._finish(variable, compiler, grid, kind)

    def _add_decisions(self, variable: spec.VariableSpec, source: spec.DecisionList) -> None:
        scope = self._scope(variable)
        compiler = RuleCompiler(
            name=variable.name, scope=scope, variables=self.variables, cpds=self.cpds, effort=self.effort
        )
        with _bounded_numbers(variable):
            cases = [(compiler.grid(test, "truth"), constant(state)) for test, state in source.cases]
            grid = compiler.decide(cases, constant(source.otherwise))
        self._finish(variable, compiler, grid, "label")

    def _finish(self, variable: spec.VariableSpec, compiler: RuleCompiler, grid: Grid, kind: str) -> None:
        """Make the rule's value the variable itself; a part without value becomes an obligation."""
        grid = ordered(grid)
        if grid.is_partial:
            grid = self._oblige(variable, compiler, grid)
        states, values = self._states(variable, grid, kind)
        position = {level: k for k, level in enumerate(_levels(states, values, kind))}
        missing = [_text(level) for level in grid.levels if level not in position]
        if missing:
            raise NetworkError(_undeclared(variable, missing, states))
        recode = np.array([position[level] for level in grid.levels], dtype=np.intp)
        cpd: CPD = IndexMap(parents=grid.nodes, index=np.asarray(recode[grid.codes]))
        own = grid.nodes[0] if len(grid.nodes) == 1 else None
        made = self.cpds.get(own or "")
        if (
            own
            and isinstance(made, Fold)
            and own.startswith(f"{variable.name}.")
            and kind == "number"
            and self.variables[own].values == values == tuple(grid.levels[c] for c in grid.codes)
        ):
            del self.variables[own], self.cpds[own]  # the fold is the variable: no copy of it
            cpd = made
        self._declare(variable, states, values, cpd, truth=kind == "truth")

    def _oblige(self, variable: spec.VariableSpec, compiler: RuleCompiler, grid: Grid) -> Grid:
        name = f"{variable.name}.undefined"
        undefined = ordered(lift(lambda level: level is None, [grid]))
        levels = [level for level in grid.levels if level is not None]
        if not undefined.nodes or not levels:
            raise NetworkError(
                Fault(
                    code="rule/undefined",
                    message=f"the rule of {variable.name} has no value in any state of its parents",
                    place=variable.place,
                )
            )
        self.variables[name] = part_variable(name, undefined, f"the rule of {variable.name} cannot be computed")
        self.cpds[name] = IndexMap(parents=undefined.nodes, index=undefined.codes)
        self.undefined.append(name)
        return ordered(lift(lambda level: levels[0] if level is None else level, [grid]))

    def _states(
        self, variable: spec.VariableSpec, grid: Grid, kind: str
    ) -> tuple[list[str], tuple[Fraction, ...] | None]:
        if kind == "number":
            if variable.states is not None:
                assert variable.values is not None
                return list(variable.states), variable.values
            values = tuple(level for level in grid.levels if isinstance(level, Fraction))
            return [number_text(value) for value in values], values
        if variable.states is not None:
            return list(variable.states), variable.values
        return [str(level) for level in grid.levels], None


@contextmanager
def _bounded_numbers(variable: spec.VariableSpec) -> Iterator[None]:
    """Tell which rule yields a number that is too large."""
    try:
        yield
    except NumberTooLargeError:
        raise BudgetError(
            Fault(
                code="network/rule-too-large",
                place=variable.place,
                message=f"the rule of {variable.name} yields numbers of hundreds of digits",
                allowed=f"{MAX_BITS:,} binary digits",
                hint="use smaller numbers or fewer multiplications",
            )
        ) from None


def _levels(states: Sequence[str], values: tuple[Fraction, ...] | None, kind: str) -> Sequence[Value]:
    if kind == "number":
        assert values is not None
        return values
    return (False, True) if kind == "truth" else states


def _text(level: Value) -> str:
    return number_text(level) if isinstance(level, Fraction) else str(level)


def _undeclared(variable: spec.VariableSpec, missing: Sequence[str], states: Sequence[str]) -> Fault:
    return Fault(
        code="rule/undeclared-state",
        message=f"the rule of {variable.name} yields {listing(missing)}",
        place=variable.place,
        allowed=listing(states),
        hint="declare it in `states`, or leave `states` out",
    )


def _grid_texts(values: Sequence[Fraction]) -> list[str]:
    """Numbers with the same number of decimals, as they stand in a memo (25.0, 25.1)."""
    texts = [number_text(value) for value in values]
    places = max(len(text.partition(".")[2]) for text in texts)
    if places == 0 or any("/" in text for text in texts):
        return texts
    return [
        f"{text}.{'0' * places}" if "." not in text else text.ljust(text.index(".") + 1 + places, "0") for text in texts
    ]
