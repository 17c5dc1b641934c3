"""Our engine and pgmpy's, asked the same questions about the same drawn cases."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from pbn.check.cases import case_text, distinct_cases
from pbn.check.report import Check, Finding, passed_if, skipped
from pbn.errors import BudgetError, Fault
from pbn.exact.answers import BoundStatistic
from pbn.network.formats.pgmpy import quiet, to_pgmpy
from pbn.network.graph import is_separated
from pbn.network.model import Array, Network
from pbn.spec.model import Level, Question
from pbn.world import World

TOLERANCE = 1e-12
"""The largest difference of two probabilities that float64 arithmetic may make."""


def agreement_checks(world: World, samples: int, seed: int) -> Iterator[Check]:
    """One check for each question and level; a network that asks nothing says so."""
    if not world.questions:
        reason = "nothing is asked: name a node as the question"
        yield Check(name="engines_agree", part="soundness", measure=partial(skipped, reason, "nothing asked"))
    for question in world.questions.values():
        for level in world.levels.values():
            yield Check(
                name="engines_agree",
                part="soundness",
                level=level.name,
                question=question.name,
                measure=partial(_agree, world, level, question, samples, seed),
            )


def _agree(world: World, level: Level, question: Question, samples: int, seed: int) -> Finding:
    """The largest difference of our posterior from pgmpy's, over drawn complete visible evidence."""
    asked = question.asks
    bound = world.statistic(level.name, question=question.name)
    view = bound.statistic.network
    telling = _telling(view, asked, bound.statistic.visible)
    cases = distinct_cases(world.network, tuple(dict.fromkeys([*telling, *bound.needed])), samples, seed)
    ours = _ours(world, bound)
    theirs = PgmpyPosteriors(view, asked, telling, world.budget)
    worst, where, stopped = 0.0, cases[0], ""
    for case in cases:
        mine = ours(case)
        try:
            answer = theirs.posterior({name: case[name] for name in telling})
        except (ValueError, ArithmeticError, LookupError, MemoryError) as error:
            stopped = stopped or f"pgmpy stopped with {type(error).__name__}: {str(error)[:100]}"
            continue
        difference = float(np.nan_to_num(np.abs(mine - answer), nan=1.0).max())
        if difference > worst:
            worst, where = difference, case
    finding = passed_if(
        worst <= TOLERANCE,
        f"differ by less than {_bound(worst):.0e}",
        value=worst,
        wrong=f"most at {case_text(world.network, where) or 'no evidence'}",
        detail=f"{samples} cases, {len(cases)} distinct",
    )
    return skipped(stopped, "pgmpy") if stopped and finding.outcome == "pass" else finding


def _bound(difference: float) -> float:
    """The power of ten above a difference, 1e-15 at least: what is below that differs from machine to machine."""
    return float(10.0 ** max(math.floor(math.log10(difference)) + 1, -15)) if difference else 1e-15


def _telling(view: Network, asked: str, visible: Sequence[str]) -> tuple[str, ...]:
    """The visible variables that the graph does not separate from the outcome given the others."""
    return tuple(
        name
        for name in visible
        if not is_separated(view, [name], [asked], [other for other in visible if other != name])
    )


def _ours(world: World, bound: BoundStatistic) -> Callable[[Mapping[str, int]], Array]:
    """Our posterior of a case: a look-up, as users get it, or an elimination where that costs too much."""
    try:
        posteriors = bound.posteriors()
    except BudgetError:

        def eliminated(case: Mapping[str, int]) -> Array:
            return np.array(list(world.engine.posterior(bound.statistic.target, case, "float").probs.values()))

        return eliminated

    def looked_up(case: Mapping[str, int]) -> Array:
        found: Array = posteriors[int(bound.rows({name: np.asarray(case[name]) for name in bound.needed}))]
        return found

    return looked_up


class PgmpyPosteriors:
    """pgmpy's variable elimination over one model that is built once; refuses what is over the budget."""

    def __init__(self, network: Network, asked: str, evidence: Sequence[str], budget: int) -> None:
        self.network = network
        self.asked = asked
        self.budget = budget
        self.model = to_pgmpy(network, budget, [asked, *evidence])
        self._engine: Any = None

    def posterior(self, case: Mapping[str, int]) -> Array:
        """P(asked | case) in the order of its states."""
        variables = self.network.variables
        if self._engine is None:
            with quiet():
                from pgmpy.inference import VariableElimination

            self._check_contraction(case)
            self._engine = VariableElimination(self.model)
        evidence = {name: variables[name].states[code] for name, code in case.items()}
        factor = self._engine.query([self.asked], evidence=evidence, show_progress=False)
        order = [factor.state_names[self.asked].index(state) for state in variables[self.asked].states]
        found: Array = np.asarray(factor.values, dtype=float)[order]
        return found

    def _check_contraction(self, case: Mapping[str, int]) -> None:
        """Raise `BudgetError` where pgmpy's contraction would hold an array over the budget."""
        from opt_einsum import contract_path

        numbers = {name: k for k, name in enumerate(self.model.nodes())}
        operands: list[Any] = []
        for name in self.model.nodes():
            scope = [node for node in (name, *self.network.parents(name)) if node not in case]
            if scope:
                empty = np.broadcast_to(0.0, [self.network.size(node) for node in scope])  # a shape without memory
                operands += [empty, [numbers[node] for node in scope]]
        _, info = contract_path(*operands, [numbers[self.asked]], optimize="greedy")
        needed = 8 * int(info.largest_intermediate)
        if needed > self.budget:
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    allowed=f"{self.budget:,} bytes",
                    message=f"pgmpy's contraction would hold an array of {needed:,} bytes",
                )
            )
