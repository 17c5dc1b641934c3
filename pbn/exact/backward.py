"""An elimination walked backwards: how each eliminated variable is drawn given those eliminated after it.

Eliminating variables E from a product φ(E, S) leaves Σ_E φ(E, S). Whoever knows S draws E with probabilities in
proportion to φ(E, S); so from the last step to the first, all variables are drawn from their exact posterior law.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pbn.errors import BudgetError, Fault, listing
from pbn.exact.arithmetic import EXACT, Numbers, integers
from pbn.exact.eliminate import BoundPlan, Product, bind, coordinates, run
from pbn.exact.steps import Plan, Scope, Step
from pbn.figures import count_text, size_text
from pbn.network.model import Array, Network

_WIDE = 2**62
_BESIDES = 48
"""Bytes that a cell takes besides its weight: its position, its bounds, the states it stands for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawing:
    """``names`` are drawn together given ``given``.

    ``rows[cell]`` is the row for a cell of the flattened table over ``given``, −1 where that is impossible. Row
    r's outcomes are the entries ``starts[r]`` to ``starts[r + 1]`` of ``weights`` (integers, each positive) and of
    ``codes[name]``, the position of a name's state in each entry.
    """

    names: Scope
    given: Scope
    sizes: tuple[int, ...]
    rows: Array
    starts: Array
    weights: Array
    codes: Mapping[str, Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Computing:
    """``name`` is computed: the position of its state is ``index[cell]``, a cell of the table over ``given``."""

    name: str
    given: Scope
    sizes: tuple[int, ...]
    index: Array


def backward(plan: Plan, evidence: Mapping[str, int], budget: int) -> list[Drawing | Computing]:
    """The steps that draw everything the plan eliminates, given the evidence; each needs only what precedes it.

    ``plan`` has no targets, and the evidence is possible. Weights are exact.

    Raises
    ------
    BudgetError
        The products of all steps, which are kept, would take more than ``budget`` bytes.
    """
    _check_kept(plan, budget)
    steps = {step.result[0].key: step for step in plan.steps if step.substitutes is None}
    bound = bind(plan, evidence)
    drawings: dict[int, Drawing] = {}

    def keep(operation: Product, numbers: Numbers) -> None:
        step = steps[operation.result]
        if step.eliminates:
            drawings[operation.result] = _drawing(bound, step, operation, numbers)

    run(bound, EXACT, keep)
    found: list[Drawing | Computing] = []
    for step in reversed(plan.steps):
        if step.substitutes is not None:
            found.append(_computing(bound, step))
        elif step.eliminates:
            found.append(drawings[step.result[0].key])
    return found


def _sizes(network: Network, names: Scope) -> tuple[int, ...]:
    return tuple(network.size(name) for name in names)


def _check_kept(plan: Plan, budget: int) -> None:
    """Refuse to keep more than the budget: a weight for each cell of a product, a row for each of its result."""

    def cells(scope: Scope) -> int:
        return math.prod(_sizes(plan.network, scope))

    products = [step for step in plan.steps if step.substitutes is None]
    weights = sum(cells(step.domain) for step in products)
    needed = weights * (64 + plan.bits // 8 + _BESIDES) + 8 * sum(cells(step.result[0].scope) for step in products)
    if needed > budget:
        largest = max((step.domain for step in products), key=cells)
        raise BudgetError(
            Fault(
                code="exact/over-budget",
                message=f"drawing given this evidence keeps {count_text(weights)} weights, "
                f"{count_text(cells(largest))} of them over {listing(largest, 8)} ({size_text(needed)} in all)",
                allowed=f"{size_text(budget)} (the budget)",
                hint="give evidence on fewer or other variables, or raise the budget",
            )
        )


def _drawing(bound: BoundPlan, step: Step, operation: Product, numbers: Numbers) -> Drawing:
    network, given = bound.plan.network, step.result[0].scope
    found = coordinates(network, step.domain, step.maps, bound.maps)

    def flat(array: Array) -> Array:
        return np.broadcast_to(array, operation.shape).ravel()

    whole = flat(numbers.array)
    possible = np.flatnonzero(whole != 0)
    cell = np.zeros(possible.size, dtype=np.int64)
    for name in given:
        cell = cell * network.size(name) + flat(found[name])[possible]
    order = np.argsort(cell, kind="stable")
    reached, starts = np.unique(cell[order], return_index=True)
    rows = np.full(math.prod(_sizes(network, given)), -1, dtype=np.int64)
    rows[reached] = np.arange(reached.size)
    entries = possible[order]
    starts = np.append(starts, entries.size)
    return Drawing(
        names=step.eliminates,
        given=given,
        sizes=_sizes(network, given),
        rows=rows,
        starts=starts,
        weights=_reduced(integers(numbers.with_array(whole[entries])), starts),
        codes={name: flat(found[name])[entries].astype(np.int32) for name in step.eliminates},
    )


def _reduced(weights: Array, starts: Array) -> Array:
    """The weights without their common divisor, in 64 bits where the sum of each row has room there."""
    weights = weights // math.gcd(*weights.tolist())
    largest = max(np.add.reduceat(weights, starts[:-1]).tolist())
    return weights.astype(np.int64) if largest < _WIDE else weights


def _computing(bound: BoundPlan, step: Step) -> Computing:
    own = step.substitutes
    assert own is not None
    return Computing(
        name=step.eliminates[0],
        given=own.scope,
        sizes=_sizes(bound.plan.network, own.scope),
        index=bound.maps[own.key].ravel(),
    )
