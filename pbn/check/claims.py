"""What a world's file claims besides soundness; each claim is tested where it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np

from pbn.check.cases import case_text, distinct_cases
from pbn.check.measured import each, judged, of_cases
from pbn.check.report import Check, Finding, passed_if
from pbn.errors import BudgetError, listing
from pbn.exact.answers import BoundStatistic
from pbn.exact.arithmetic import integers
from pbn.figures import agrees, decimal, fraction_text
from pbn.network.graph import is_separated
from pbn.spec.model import Level, Published, Question
from pbn.world import World


def claim_checks(world: World, samples: int, seed: int) -> Iterator[Check]:
    """The checks of every claim that the world's file makes, in the file's order."""
    families: Mapping[str, Callable[[World], Iterator[Check]]] = {
        "strictly_nested": _strictly_nested,
        "positive_bayes_error": _positive_bayes_error,
        "every_factor_matters": _every_factor_matters,
        "irrelevant_fields": partial(_irrelevant_fields, samples=samples, seed=seed),
        "published_values": _published_values,
    }
    for claim in world.spec.claims if world.spec else ():
        checks = list(families[claim](world))
        yield from checks or [Check(name=claim, part="claim", measure=partial(_empty, _NOTHING[claim]))]


_NOTHING = {
    "strictly_nested": "there is only one level",
    "positive_bayes_error": "there is no question",
    "every_factor_matters": "the finest level shows no factor",
    "irrelevant_fields": "no variable has the role irrelevant",
    "published_values": "nothing is published",
}


def _empty(reason: str) -> Finding:
    return Finding(outcome="fail", figure="nothing to test", detail=f"the claim speaks of nothing: {reason}")


def _error(world: World, level: str, question: str, *hide: str) -> Fraction:
    exact = world.bayes_error(level, question=question, hide=hide).exact
    assert exact is not None
    return exact


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _finest(world: World) -> str:
    return next(iter(world.levels))


# -- strictly nested, positive ---------------------------------------------------------------------


def _strictly_nested(world: World) -> Iterator[Check]:
    for question in world.questions:
        for finer, coarser in pairwise(world.levels):
            yield Check(
                name="strictly_nested",
                part="claim",
                level=coarser,
                question=question,
                measure=partial(_rises, world, question, finer, coarser),
            )


def _rises(world: World, question: str, finer: str, coarser: str) -> Finding:
    """ε* of a level less that of the finer one is above 0."""
    before, after = _error(world, finer, question), _error(world, coarser, question)
    said = f"ε* {decimal(before)} at {finer}, {decimal(after)} at {coarser}"
    return passed_if(
        after > before,
        f"ε* {signed(after - before)}",
        exact=after - before,
        detail=said,
        wrong=f"not above the finer level: {said}",
    )


def signed(difference: Fraction) -> str:
    """A difference with its sign.

    Examples
    --------
    >>> signed(Fraction(1, 3)), signed(Fraction(0)), signed(Fraction(-1, 8))
    ('+0.333333', '+0.000000', '-0.125000')
    """
    return decimal(difference) if difference < 0 else f"+{decimal(difference)}"


def _positive_bayes_error(world: World) -> Iterator[Check]:
    finest = _finest(world)
    for question in world.questions:
        yield Check(
            name="positive_bayes_error",
            part="claim",
            level=finest,
            question=question,
            measure=partial(_positive, world, question, finest),
        )


def _positive(world: World, question: str, finest: str) -> Finding:
    """ε* of the finest level is above 0, so that of every level is."""
    found = _error(world, finest, question)
    return passed_if(
        found > 0,
        f"ε* {decimal(found) if found else 0}",
        exact=found,
        wrong=f"{finest} tells the outcome with certainty",
    )


# -- every factor matters --------------------------------------------------------------------------


def _every_factor_matters(world: World) -> Iterator[Check]:
    finest = world.level(_finest(world))
    factors = [
        name
        for name in finest.visible
        if name in world.attributes and world.network.variables[name].role != "irrelevant"
    ]
    for question in world.questions if factors else ():
        yield Check(
            name="every_factor_matters",
            part="claim",
            level=finest.name,
            question=question,
            measure=partial(_all_matter, world, question, finest.name, factors),
        )


def _all_matter(world: World, question: str, finest: str, factors: list[str]) -> Finding:
    """Hiding any one factor from the finest level raises ε*; the figure is the smallest rise.

    What the graph separates from the outcome raises nothing, whatever an elimination would cost.
    """
    asked, visible = world.question(question).asks, world.level(finest).visible
    separated = [
        name
        for name in factors
        if is_separated(world.network, [name], [asked], [other for other in visible if other not in (name, asked)])
    ]
    others = [name for name in factors if name not in separated]
    whole, why = each(lambda hidden: _error(world, finest, question, *hidden), [()])
    if whole:
        errors, refused = each(lambda name: _error(world, finest, question, name), others)
    else:
        errors, refused = {}, dict.fromkeys(others, why[()])
    rises = dict.fromkeys(separated, Fraction(0)) | {name: error - whole[()] for name, error in errors.items()}
    least = min(rises, key=lambda name: rises[name], default="")
    idle = [name for name in factors if name in rises and rises[name] <= 0]
    finding = passed_if(
        not idle,
        f"least ε* {signed(rises[least])}" if rises else "",
        exact=rises.get(least),
        detail=f"{_count(len(rises), 'factor')}, each hidden alone; least without {least}",
        wrong=f"ε* is the same without {', '.join(idle)}",
    )
    matter = f"{_count(len(rises), 'other factor')} matter{'s' if len(rises) == 1 else ''}"
    return judged(finding, refused, f"{matter}, least {least}: ε* {signed(rises[least])}" if rises else "")


# -- irrelevant fields -----------------------------------------------------------------------------


def _irrelevant_fields(world: World, samples: int, seed: int) -> Iterator[Check]:
    fields = [name for name, variable in world.network.variables.items() if variable.role == "irrelevant"]
    if not fields:
        return
    for question in world.questions.values():
        yield Check(
            name="irrelevant_separated",
            part="claim",
            question=question.name,
            measure=partial(_separated, world, question, fields),
        )
    pairs = [(question, level) for question in world.questions.values() for level in world.levels.values()]
    for question, level in pairs:
        yield Check(
            name="irrelevant_error",
            part="claim",
            level=level.name,
            question=question.name,
            measure=partial(_error_unchanged, world, level, question, fields),
        )
    for question, level in pairs:
        yield Check(
            name="irrelevant_posteriors",
            part="claim",
            level=level.name,
            question=question.name,
            measure=partial(_posteriors_unchanged, world, level, question, fields, samples, seed),
        )


def _separated(world: World, question: Question, fields: list[str]) -> Finding:
    """No active trail from a field to the outcome, given nothing or given what else a level shows."""
    tied = []
    for name in fields:
        for level in (None, *world.levels.values()):
            given = [other for other in (level.visible if level else ()) if other not in fields]
            if not is_separated(world.network, [name], [question.asks], given):
                tied.append(
                    f"{name} is tied to {question.asks} given "
                    + (f"what else {level.name} shows" if level else "nothing")
                )
                break
    return passed_if(
        not tied,
        f"{_count(len(fields), 'field')} d-separated",
        wrong=listing(tied),
        detail="given nothing, and given each level's rest",
    )


def _shown_fields(level: Level, fields: list[str]) -> list[str]:
    return [name for name in level.visible if name in fields]


def _error_unchanged(world: World, level: Level, question: Question, fields: list[str]) -> Finding:
    """Hiding all the fields at once leaves ε* as it is.

    Where that is refused they are hidden one by one. ε* never falls when more is hidden, so any two values of these
    that differ show that the fields change it.
    """
    shown = tuple(_shown_fields(level, fields))

    def error(hidden: tuple[str, ...]) -> Fraction:
        return _error(world, level.name, question.name, *hidden)

    found, refused = each(error, dict.fromkeys([(), shown]))
    if refused and len(shown) > 1:
        alone, refused_alone = each(error, [(name,) for name in shown])
        found, refused = found | alone, refused | refused_alone
    least = min(found.values(), default=Fraction(0))
    change = max(found.values(), default=least) - least
    raising = [hidden[0] for hidden, value in found.items() if len(hidden) == 1 and value > least] or shown
    finding = passed_if(
        change == 0,
        f"ε* {signed(change) if change else 'unchanged'}",
        exact=change,
        detail=f"{_count(len(shown), 'field')} hidden together",
        wrong=f"hiding {listing(raising)} changes ε*",
    )
    without = {
        f"without {' and '.join(hidden)}" if hidden else "with all shown": hidden for hidden in (*found, *refused)
    }
    same = [label for label, hidden in without.items() if hidden in found]
    return judged(
        finding,
        {f"ε* {label}": refused[hidden] for label, hidden in without.items() if hidden in refused},
        f"it is the same {listing(same)}" if len(same) > 1 else "",
    )


def _posteriors_unchanged(
    world: World, level: Level, question: Question, fields: list[str], samples: int, seed: int
) -> Finding:
    """Hiding all the fields at once leaves the posterior of each drawn case as it is, as fractions."""
    with_fields = world.statistic(level.name, question=question.name)
    without = world.statistic(level.name, question=question.name, hide=_shown_fields(level, fields))
    names = tuple(dict.fromkeys([*with_fields.needed, *without.needed]))
    cases = distinct_cases(world.network, names, samples, seed)
    before, after = _exact_rows(world, with_fields), _exact_rows(world, without)
    same, refused = each(lambda k: before(cases[k]) == after(cases[k]), range(len(cases)))
    changed = [cases[k] for k in same if not same[k]]
    finding = passed_if(
        not changed,
        "posteriors unchanged",
        detail=f"{samples} cases, {len(cases)} distinct",
        wrong=f"{len(changed)} of {len(same)} differ, the first at "
        f"{case_text(world.network, changed[0]) if changed else ''}",
    )
    return judged(finding, of_cases(refused, len(cases)), f"unchanged in the other {len(same)}" if same else "")


def _exact_rows(world: World, bound: BoundStatistic) -> Callable[[Mapping[str, int]], list[Fraction]]:
    """P(Y | case) as fractions: a look-up, or an elimination where the table costs too much."""
    try:
        numbers = bound.joint("exact")
    except BudgetError:

        def eliminated(case: Mapping[str, int]) -> list[Fraction]:
            exact = world.engine.posterior(bound.statistic.target, {name: case[name] for name in bound.needed}).exact
            assert exact is not None
            return list(exact.values())

        return eliminated

    def looked_up(case: Mapping[str, int]) -> list[Fraction]:
        position = int(bound.rows({name: np.asarray(case[name]) for name in bound.needed}))
        row = [int(number) for number in integers(numbers.with_array(numbers.array[position]))]
        return [Fraction(number, sum(row)) for number in row]

    return looked_up


# -- published values ------------------------------------------------------------------------------


def _published_values(world: World) -> Iterator[Check]:
    for entry in world.published:
        yield Check(
            name="published_values",
            part="claim",
            level=entry.level,
            question=entry.question,
            measure=partial(_published, world, entry),
        )


def _published(world: World, entry: Published) -> Finding:
    """The world's number rounds to the published one."""
    question = world.question(entry.question)
    if entry.quantity == "bayes_error":
        assert entry.level is not None
        what, found = "ε*", _error(world, entry.level, entry.question)
    else:
        state = entry.state or question.positive
        exact = world.posterior(question=question.name).exact
        assert exact is not None
        assert state is not None
        what, found = f"P({question.asks}={state})", exact[state]
    return passed_if(
        agrees(found, entry.value),
        f"{decimal(found)}, published {entry.value}",
        exact=found,
        detail=f"{what}; {entry.source}",
        wrong=f"{what} is {fraction_text(found)}, which does not round to {entry.value} ({entry.source})",
    )
