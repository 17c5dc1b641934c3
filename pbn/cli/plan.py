"""``pbn plan``: how a Bayes error would be computed, and what it costs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import click
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pbn.cli.arguments import budget_option, level_option, load_world, question_option, world_argument
from pbn.cli.numerals import count_text, size_text
from pbn.cli.terminal import heading, show, table
from pbn.errors import BudgetError, listing
from pbn.exact.plan import Plan, Step
from pbn.exact.statistic import Statistic
from pbn.network.model import Network
from pbn.world import World

MOST_NAMES = 6

ROUTES = {
    "separator": "the functions of what is shown that are nearest to the outcome",
    "attributes": "the attributes themselves that say something about the outcome",
    "outcome": "the outcome itself is a function of what is shown",
}


@click.command("plan", short_help="Show how a Bayes error would be computed, and what it costs.")
@world_argument
@level_option
@question_option
@budget_option
def plan_command(world_name: str, level: str | None, question: str | None, budget: int | None) -> None:
    """Show how the Bayes error of a level would be computed, without computing it.

    F is a sufficient statistic: a few functions of what is shown that say all it says about the outcome Y.
    Variables are eliminated one after another until the joint law P(F, Y) is left. A plan over the budget
    is shown as well, and called refused.
    """
    world = load_world(world_name, budget)
    asked = world.question(question)
    statistic = world.statistic(level, question=asked.name).statistic
    where = f"level {level}" if level else "all attributes"
    show(
        heading(world.name, f"question {asked.name}, {where}"),
        Text(f"Y = {asked.asks}, {len(statistic.visible)} variables are shown"),
        "",
        *_statistic(statistic),
        "",
        *_candidates(statistic),
        "",
        _steps(statistic.plan),
        "",
        *_cost(world, statistic.plan),
    )


def _statistic(statistic: Statistic) -> Iterator[RenderableType]:
    if not statistic.nodes:
        yield Text("F is empty: what is shown says nothing about the outcome")
        return
    listed = table("F", "states", "what it is", "computed from", narrow=["states"], right=["states"])
    attributes = statistic.attributes
    for node in statistic.nodes:
        variable = statistic.network.variables[node]
        listed.add_row(node, f"{variable.size:,}", variable.text, listing(attributes[node], 2 * MOST_NAMES))
    yield listed


def _candidates(statistic: Statistic) -> Iterator[RenderableType]:
    numbers = ["cells held", "operations"]
    listed = table("candidate for F", "over", *numbers, "", narrow=numbers, right=numbers)
    for route, nodes, plan in statistic.considered:
        listed.add_row(
            route,
            listing(nodes, MOST_NAMES) or "nothing",
            count_text(plan.cells),
            count_text(plan.operations),
            "✓ taken" if plan is statistic.plan else "",
        )
    yield listed
    for route, _, _ in statistic.considered:
        if route in ROUTES:
            yield Text(f"{route}: {ROUTES[route]}", style="dim")


def _steps(plan: Plan) -> Table:
    listed = table("step", "eliminates", "how", "over", "cells", narrow=["step", "cells"], right=["step", "cells"])
    for number, step in enumerate(plan.steps, 1):
        scope = _largest_scope(plan.network, step)
        listed.add_row(
            str(number),
            listing(step.eliminates, MOST_NAMES) or "nothing: the result",
            _how(step),
            listing(scope, MOST_NAMES) or "one number",
            count_text(_cells(plan.network, scope)),
        )
    return listed


def _how(step: Step) -> str:
    if step.substitutes is not None:
        return "replaced by rule"
    return "summed by rule" if step.maps else "summed" if step.eliminates else "multiplied"


def _cells(network: Network, scope: Iterable[str]) -> int:
    return math.prod(network.size(name) for name in scope)


def _largest_scope(network: Network, step: Step) -> tuple[str, ...]:
    scopes = [step.domain, *(factor.scope for factor in step.result)]
    return max(scopes, key=lambda scope: _cells(network, scope))


def _cost(world: World, plan: Plan) -> Iterator[Text]:
    over = listing(plan.largest_scope, MOST_NAMES) or "nothing"
    yield Text(f"largest table     {count_text(plan.largest)} cells over {over}")
    yield Text(f"operations        {count_text(plan.operations)}")
    refused = None
    for label, exact in (("memory, exact    ", True), ("memory, float64  ", False)):
        try:
            plan.check_budget(world.budget, exact=exact)
        except BudgetError as error:
            refused, verdict = refused or error, ("refused", "bold red")
        else:
            verdict = ("within the budget", "green")
        yield Text.assemble(f"{label} {size_text(plan.bytes_needed(exact=exact))}, ", verdict)
    yield Text(f"budget            {size_text(world.budget)}")
    if refused is not None:
        yield Text(f"\n{refused}", style="red")
