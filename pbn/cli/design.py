"""``pbn design``: what gives a level a wanted Bayes error."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cli.arguments import budget_option, json_option, load_world, question_option, world_argument
from pbn.cli.numerals import apart, count_text, decimal, fraction_shown, fraction_text
from pbn.cli.terminal import heading, progress, show, show_json, table
from pbn.errors import BudgetError, Fault, PbnError, QueryError
from pbn.spec.numerals import decimal as numeral
from pbn.tuning.crew import MOST_WORKERS
from pbn.tuning.curve import Masses
from pbn.tuning.design import MOST, Design, Noise, Route, design
from pbn.tuning.fragment import level_lines, mass_lines
from pbn.tuning.hiding import Hiding, Proposal, hideable
from pbn.world import World

EXAMPLES = """\b
Examples:
  pbn design credit_risk --level medium --target 0.12
  pbn design support_ticket --question queue --level low --target 0.2 --route hiding"""


@click.command("design", short_help="Find what gives a level a wanted Bayes error.", epilog=EXAMPLES)
@world_argument
@click.option("--level", required=True, metavar="NAME", help="One of the world's hiding levels.")
@click.option("--target", required=True, metavar="ERROR", help="The Bayes error that is wanted, such as 0.15 or 3/20.")
@question_option
@click.option("--variable", metavar="NAME", help="Which residual, where several lead to the question.")
@click.option(
    "--route",
    type=click.Choice(["noise", "hiding", "both"]),
    default="both",
    show_default=True,
    help="Solve for the residual's mass, search for attributes to hide, or both.",
)
@click.option(
    "--most",
    type=click.IntRange(2, 10**6),
    default=MOST,
    show_default=True,
    metavar="N",
    help="Sets to compute at most.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    metavar="N",
    help="Processes (default: one for each core, where that pays).",
)
@json_option
@budget_option
def design_command(
    world_name: str,
    level: str,
    target: str,
    question: str | None,
    variable: str | None,
    route: Route,
    most: int,
    workers: int | None,
    as_json: bool,
    budget: int | None,
) -> None:
    """Find what gives a level a wanted Bayes error, in two ways side by side.

    Noise: keep what the level shows, and solve for the masses of the residual, exactly. Hiding: search the attributes
    for the sets that come nearest when they are hidden besides, once without noise and once with the world's own.
    """
    world = load_world(world_name, budget)
    with progress() as shown:
        task = shown.add_task(f"{world.name}: sets, at most", total=_most_sets(world, level, question, route, most))
        found = design(
            world,
            level,
            target,
            question,
            variable=variable,
            route=route,
            most=most,
            workers=workers,
            advance=lambda: shown.advance(task),
        )
    if as_json:
        show_json(_record(world, found))
    elif next(_rows(found), None):
        show(*_display(world, found))
    if not next(_rows(found), None):
        raise _out_of_reach(found)


def _most_sets(world: World, level: str, question: str | None, route: Route, most: int) -> int:
    """How many sets the search may have to compute, with noise and without."""
    if route == "noise":
        return 0
    return 2 * min(most, 1 << len(hideable(world, level, world.question(question).name)))


def _out_of_reach(found: Design) -> PbnError:
    """Why no route leads anywhere."""
    noise = found.noise
    if noise is not None and noise.least is not None and noise.most is not None:
        message = f"no mass of {found.variable} gives {found.level} the Bayes error {_target(found)}"
        reach = f"{apart(noise.least, found.target)} to {apart(noise.most, found.target)}"
        hint = "--route hiding asks which attributes to hide"
        return QueryError(Fault(code="design/out-of-reach", message=message, allowed=reach, hint=hint))
    if noise is not None and noise.why_not is not None:
        return (BudgetError if noise.why_not.code.startswith("exact/") else QueryError)(noise.why_not)
    message = "every set of attributes would take more than the budget"
    return BudgetError(Fault(code="exact/over-budget", message=message, hint="raise the budget"))


# -- showing -------------------------------------------------------------------------------------


def _display(world: World, found: Design) -> Iterator[RenderableType]:
    own = "over budget" if found.own_error is None else apart(found.own_error, found.target)
    yield heading(world.name, f"question {found.question}, level {found.level}: ε* = {own}; wanted {_target(found)}")
    listed = table("route", "mass", "hidden besides", "ε*", "difference", narrow=["route", "mass", "ε*", "difference"])
    for row in _rows(found):
        listed.add_row(*row)
    yield listed
    yield ""
    exact = table("route", "exact mass", "exact ε*")
    for masses in found.noise.masses if found.noise is not None else ():
        exact.add_row("noise", _span(masses, fraction_shown), fraction_shown(found.target))
    for hiding in found.hiding:
        for proposal in hiding.proposals:
            exact.add_row("hiding", _mass(hiding), fraction_shown(proposal.error))
    yield exact
    yield ""
    for note in _notes(found):
        yield Text(note, style="dim")
    for title, lines in _fragments(world, found):
        yield ""
        yield Text(f"# {title}", style="dim")
        yield from (Text(line) for line in lines)


def _target(found: Design) -> str:
    return numeral(found.target)


def _rows(found: Design) -> Iterator[list[str]]:
    for masses in found.noise.masses if found.noise is not None else ():
        yield ["noise", _span(masses, decimal), "nothing", decimal(found.target), "0"]
    for hiding in found.hiding:
        for proposal in hiding.proposals:
            yield [
                "hiding",
                _mass(hiding),
                ", ".join(proposal.hidden) or "nothing",
                apart(proposal.error, found.target),
                _difference(proposal.error, found.target),
            ]


def _span(masses: Masses, write: Callable[[Fraction], str]) -> str:
    """A mass, or the two ends of an interval of them."""
    return " to ".join(dict.fromkeys((write(masses.first), write(masses.last))))


def _named(masses: Masses) -> str:
    return f"the mass{'' if masses.first == masses.last else 'es'} {_span(masses, numeral)}"


def _mass(hiding: Hiding) -> str:
    return "—" if hiding.mass is None else numeral(hiding.mass)


def _difference(error: Fraction, target: Fraction) -> str:
    return "0" if error == target else f"{'-' if error < target else '+'}{decimal(abs(error - target))}"


def _notes(found: Design) -> Iterator[str]:
    if found.noise is not None:
        yield from _noise_notes(found.noise, found.target)
    for hiding in found.hiding:
        yield from _hiding_notes(hiding, found.target)


def _noise_notes(noise: Noise, target: Fraction) -> Iterator[str]:
    if noise.why_not is not None:
        yield f"noise: {noise.why_not.message}"
        return
    out = "" if noise.masses else f"; {numeral(target)} is out of its reach"
    yield f"noise: ε* {' and '.join(_course(noise, target))}{out}"


def _course(noise: Noise, target: Fraction) -> Iterator[str]:
    """How ε* rises and falls between the masses 0 and 1."""
    assert noise.still is not None
    assert noise.noisy is not None
    assert noise.most is not None
    assert noise.most_at is not None
    still, noisy, most = (apart(error, target) for error in (noise.still, noise.noisy, noise.most))
    top = f"{most} at {_named(noise.most_at)}"
    rises, falls = noise.most_at.first > 0, noise.most_at.last < 1
    if rises:
        yield f"rises from {still} at the mass 0 to {top}"
    if falls:
        yield f"falls to {noisy} at the mass 1" if rises else f"falls from {top} to {noisy} at the mass 1"
    if not rises and not falls:
        yield f"is {most} at every mass"


def _hiding_notes(hiding: Hiding, target: Fraction) -> Iterator[str]:
    name = "hiding" if hiding.mass is None else f"hiding, mass {numeral(hiding.mass)}"
    if hiding.least is not None and hiding.most is not None:
        out = "" if hiding.least <= target <= hiding.most else f"; {numeral(target)} is out of its reach"
        least, most = apart(hiding.least, target), apart(hiding.most, target)
        yield f"{name}: ε* goes from {least} to {most}, with all hidden{out}"
    sets = f"{hiding.evaluated:,} of {count_text(2 ** len(hiding.attributes))} sets computed"
    if hiding.refused:
        sets += f", {hiding.refused:,} of them over the budget"
    yield f"{name}: {sets}; " + ("no other set is nearer" if hiding.exhaustive else "others may be nearer")


def _fragments(world: World, found: Design) -> Iterator[tuple[str, list[str]]]:
    """What to paste into the world file for each route: the solution, and the nearest set of each mass."""
    reached = found.noise.masses if found.noise is not None else ()
    for masses in reached:
        assert found.variable is not None
        which = f", {_named(masses).removeprefix('the ')}" if len(reached) > 1 or masses.first < masses.last else ""
        yield f"noise{which}: ε* at {found.level} is {_target(found)}", mass_lines(world, found.variable, masses.first)
    for hiding in found.hiding:
        best = _nearest(hiding.proposals, found.target)
        if best is None or not best.hidden:
            continue
        lines = level_lines(world, found.level, best.hidden)
        if hiding.mass == 0 and found.variable is not None and found.own_mass:
            lines = [*mass_lines(world, found.variable, Fraction(0)), *lines]
        mass = "" if hiding.mass is None else f", mass {numeral(hiding.mass)}"
        yield f"hiding{mass}: ε* at {found.level} is {apart(best.error, found.target)}", lines


def _nearest(proposals: Sequence[Proposal], target: Fraction) -> Proposal | None:
    return min(proposals, key=lambda proposal: abs(proposal.error - target), default=None)


# -- as JSON -------------------------------------------------------------------------------------


def _record(world: World, found: Design) -> dict[str, object]:
    return {
        "world": found.world,
        "level": found.level,
        "question": found.question,
        "target": _number(found.target),
        "own_bayes_error": _number(found.own_error),
        "variable": found.variable,
        "own_mass": _number(found.own_mass),
        "noise": None if found.noise is None else _noise_record(found.noise),
        "hiding": [_hiding_record(hiding, found.target) for hiding in found.hiding],
        "fragments": [{"title": title, "yaml": "\n".join(lines)} for title, lines in _fragments(world, found)],
    }


def _noise_record(noise: Noise) -> dict[str, object]:
    return {
        "mass": _number(noise.mass),
        "masses": [_masses_record(masses) for masses in noise.masses],
        "bayes_error": _number(noise.error),
        "at_mass_0": _number(noise.still),
        "at_mass_1": _number(noise.noisy),
        "least": _number(noise.least),
        "most": _number(noise.most),
        "most_at": None if noise.most_at is None else _masses_record(noise.most_at),
        "why_not": None if noise.why_not is None else {"code": noise.why_not.code, "message": noise.why_not.message},
    }


def _masses_record(masses: Masses) -> dict[str, object]:
    return {"first": _number(masses.first), "last": _number(masses.last)}


def _hiding_record(hiding: Hiding, target: Fraction) -> dict[str, object]:
    def proposal(found: Proposal | None) -> dict[str, object] | None:
        if found is None:
            return None
        return {
            "hidden": list(found.hidden),
            "bayes_error": _number(found.error),
            "difference": _number(found.error - target),
        }

    return {
        "mass": _number(hiding.mass),
        "attributes": list(hiding.attributes),
        "below": proposal(hiding.below),
        "above": proposal(hiding.above),
        "least": _number(hiding.least),
        "most": _number(hiding.most),
        "evaluated": hiding.evaluated,
        "refused": hiding.refused,
        "exhaustive": hiding.exhaustive,
    }


def _number(number: Fraction | None) -> dict[str, object] | None:
    return None if number is None else {"value": float(number), "exact": fraction_text(number)}
