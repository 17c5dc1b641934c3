"""Closed forms confronted with variable elimination: each is a claim to be P(positive | visible)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial

import numpy as np

from pbn.check.cases import case_text, distinct_cases
from pbn.check.measured import each, judged, of_cases
from pbn.check.report import Check, Finding, passed_if
from pbn.errors import listing
from pbn.exact.answers import BoundStatistic
from pbn.exact.plan import make_plan
from pbn.exact.statistic import Statistic
from pbn.figures import fraction_text
from pbn.network.graph import functions_of, nearest_separator
from pbn.network.model import Array, Network
from pbn.spec.model import Level, Question
from pbn.world import World


def closed_form_checks(world: World, samples: int, seed: int) -> Iterator[Check]:
    """Three checks of each closed form: its range, its values on drawn cases, its values everywhere."""
    measures: Mapping[str, Callable[..., Finding]] = {
        "closed_form_range": _range,
        "closed_form_complete": _complete,
        "closed_form_sampled": partial(_sampled, samples=samples, seed=seed),
    }
    for check, measure in measures.items():
        for level in world.levels.values():
            for name, variable in level.closed_forms.items():
                yield Check(
                    name=check,
                    part="soundness",
                    level=level.name,
                    question=name,
                    variable=variable,
                    measure=partial(measure, world, level, world.question(name), variable),
                )


def _range(world: World, level: Level, question: Question, variable: str) -> Finding:
    values = world.network.variables[variable].values or ()
    outside = [fraction_text(value) for value in values if not 0 <= value <= 1]
    return passed_if(
        bool(values) and not outside,
        f"{len(values)} values from {fraction_text(min(values))} to {fraction_text(max(values))}"
        if values
        else "no values",
        wrong=f"no probability: {listing(outside) or 'it has no numbers'}",
    )


def _positive(world: World, question: Question) -> int:
    """Position of the state whose probability a closed form claims to be."""
    states = world.network.variables[question.asks].states
    return states.index(question.positive) if question.positive is not None else len(states) - 1


def _sampled(world: World, level: Level, question: Question, variable: str, samples: int, seed: int) -> Finding:
    """The formula against an elimination of each drawn case, as fractions."""
    values = world.network.variables[variable].values or ()
    state = world.network.variables[question.asks].states[_positive(world, question)]
    cases = distinct_cases(world.network, (*level.visible, variable), samples, seed)
    claimed = [values[case.pop(variable)] for case in cases]

    def eliminated(k: int) -> Fraction:
        exact = world.engine.posterior(question.asks, cases[k]).exact
        assert exact is not None
        return exact[state]

    found, refused = each(eliminated, range(len(cases)))
    wrong = [
        f"the formula says {fraction_text(claimed[k])}, elimination {fraction_text(exact)} at "
        f"{case_text(world.network, cases[k])}"
        for k, exact in found.items()
        if exact != claimed[k]
    ]
    zeros = sum(exact == 0 for exact in found.values())
    finding = passed_if(
        not wrong,
        f"{len(wrong)} of {len(found)} cases differ" if wrong else "equal",
        wrong="".join(wrong[:1]),
        detail=f"{len(cases)} distinct cases, {zeros} of probability 0",
    )
    return judged(finding, of_cases(refused, len(cases)), f"equal in the other {len(found)}" if found else "")


def separator_law(world: World, level: Level, question: Question, variable: str) -> tuple[Array, Network, int]:
    """P(F, C, Y) over the graph's own separator F and the closed form C, by one elimination.

    Returns the numerators with shape (values of F, values of C, states of Y), the network's view and the
    common denominator. F separates what is visible from Y and C is a function of what is visible, so
    P(Y | F, C) = P(Y | F).
    """
    asked = question.asks
    view = world.engine.view(level.visible)
    functions = functions_of(view, level.visible)
    separator = (asked,) if asked in functions else nearest_separator(view, asked, level.visible, list(functions))
    assert separator is not None
    nodes = (*(node for node in separator if node != variable), variable)
    plan = make_plan(view, (*nodes, *(() if asked in nodes else (asked,))))
    bound = BoundStatistic(
        Statistic(
            target=asked,
            visible=level.visible,
            network=view,
            nodes=nodes,
            route="separator",
            plan=plan,
            functions=functions,
            considered=(),
        ),
        world.budget,
    )
    numbers = bound.joint("exact")
    return numbers.array.reshape(-1, view.size(variable), view.size(asked)), view, numbers.denominator


def _complete(world: World, level: Level, question: Question, variable: str) -> Finding:
    """The formula against P(Y | F) at every value of the separator F that can happen; ε* both ways."""
    law, view, denominator = separator_law(world, level, question, variable)
    positive = _positive(world, question)
    wrong, count = [], 0
    for code, claimed in enumerate(view.variables[variable].values or ()):
        totals = law[:, code, :].sum(axis=1)
        possible = totals > 0
        count += int(possible.sum())
        found = set(zip(law[possible, code, positive].tolist(), totals[possible].tolist(), strict=True))
        wrong += [
            (claimed, Fraction(int(part), int(total)))
            for part, total in found
            if int(part) * claimed.denominator != claimed.numerator * int(total)
        ]
    if wrong:
        claimed, exact = wrong[0]
        return Finding(
            outcome="fail",
            figure=f"{len(wrong)} values differ",
            detail=(f"the formula says {fraction_text(claimed)} where elimination gives {fraction_text(exact)}"),
        )
    error = _error(law, denominator)
    by_formula = _error(law.sum(axis=0, keepdims=True), denominator)
    return passed_if(
        error == by_formula,
        f"ε* {fraction_text(error)} both ways",
        exact=error,
        wrong=f"ε* is {fraction_text(error)}, by the formula {fraction_text(by_formula)}",
        detail=f"{count:,} values of the separator",
    )


def _error(law: Array, denominator: int) -> Fraction:
    """ε* = 1 − Σ max_y over the cells of all axes but the last."""
    rows = law.reshape(-1, law.shape[-1])
    right = np.array([int(number) for number in rows.max(axis=1)[rows.any(axis=1)].tolist()], dtype=object).sum()
    return 1 - Fraction(int(right), denominator)
