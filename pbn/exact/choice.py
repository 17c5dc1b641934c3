"""Elimination or decision diagram: whichever costs less, and what can be had where one of them cannot."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress

from pbn.errors import BudgetError
from pbn.exact.diagram import TooLargeError
from pbn.exact.law import DiagramLaw, Law, TooManyBeliefsError
from pbn.exact.order import Order, reading_order, variable_order
from pbn.exact.plan import Plan

QUICK = 0.1
"""An elimination of so many seconds is not worth looking for anything better."""
TRYING = 3.0
"""An elimination of so many seconds is worth trying a diagram whose size is not known beforehand."""


def elimination_seconds(plan: Plan, *, exact: bool) -> float:
    """About how long an elimination within the limits takes."""
    return 1e-8 * plan.cells + (plan.exact.seconds if exact else 4e-9 * plan.operations)


def diagram_seconds(law: DiagramLaw, *, exact: bool) -> float:
    """At most about how long a diagram takes that is within its limit."""
    return 3e-7 * law.bound * (1 + (law.bits() / 150 if exact else 0.6))


def by_diagram(plan: Plan, diagram: Callable[[Order], DiagramLaw], budget: int, *, exact: bool) -> Law | None:
    """The law by decision diagram where that is the better way, None where elimination by the plan is.

    ``diagram`` makes one with a given order of the variables; where its size is not certain, two orders are tried.

    Raises
    ------
    BudgetError
        Neither is within the limits.
    """
    refusal = _refusal(plan, budget, exact=exact)
    seconds = math.inf if refusal else elimination_seconds(plan, exact=exact)
    if seconds <= QUICK:
        return None
    law = diagram(variable_order)
    certain = law.is_certain(exact=exact)
    if refusal is None and not (diagram_seconds(law, exact=exact) < seconds if certain else seconds > TRYING):
        return None
    try:
        return law.solve(exact=exact)
    except TooManyBeliefsError:
        pass  # another order would hardly help
    except TooLargeError:
        if not certain:
            with suppress(TooLargeError):
                return diagram(reading_order).solve(exact=exact)
    if refusal is not None:
        raise refusal
    return None


def _refusal(plan: Plan, budget: int, *, exact: bool) -> BudgetError | None:
    try:
        plan.check_budget(budget, exact=exact)
    except BudgetError as error:
        return error
    return None
