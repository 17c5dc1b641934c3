"""Patterns: what a level shows that says something about the outcome, with exact masses and true probabilities."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.errors import listing
from pbn.exact.arithmetic import integers
from pbn.models.baselines import Fitted, View
from pbn.network.graph import ancestors
from pbn.network.model import Array, Table
from pbn.scores.bins import equal_width_bins
from pbn.scores.inputs import wrong

HINT = "take a reference of sampled inputs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a level shows: categories that say something, measurements of hidden grades, fields that say nothing."""

    categories: tuple[str, ...]
    measured: tuple[str, ...]
    idle: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Patterns:
    """Patterns that agree in the grades of the measurements: ``codes`` by category, mass, and P(yes), (Z,) each."""

    grades: Mapping[str, int]
    codes: Mapping[str, Array]
    mass: Array
    truth: Array

    def which(self, demand: Mapping[str, Array]) -> Array:
        """The patterns whose categories are among those accepted, boolean, (Z,)."""
        found = np.ones(len(self.mass), dtype=bool)
        for name, accepted in demand.items():
            found &= accepted[self.codes[name]]
        return found


def shown(view: View) -> Shown:
    """The variables that the view's level shows, by what they say.

    Raises
    ------
    ScoreError
        ``scores/patterns``: an irrelevant field is not independent of the rest; a measurement tells more than its
        grade, or something else tells that grade, too.
    """
    network = view.world.network
    names = [name for name in network.named if name in view.world.level(view.level).visible]
    measured = tuple(name for name in names if network.variables[name].origin == "measured")
    idle = tuple(name for name in names if network.variables[name].role == "irrelevant")
    categories = tuple(name for name in names if name not in measured and name not in idle)
    for name in (*idle, *measured):
        moved = ancestors(network, [view.asks, *(other for other in names if other != name)])
        if name in moved or (name in idle and network.parents(name)):
            kind = "irrelevant field" if name in idle else "measurement"
            raise wrong("patterns", f"the {kind} {name} says more than that: something depends on it", hint=HINT)
    grades = [network.parents(name)[0] for name in measured]
    for name in grades:
        if name in categories or grades.count(name) > 1:
            raise wrong("patterns", f"{name} is shown twice: as itself or as a measurement, and as another", hint=HINT)
    return Shown(categories=categories, measured=measured, idle=idle)


def patterns_of(view: View) -> list[Patterns]:
    """All patterns of positive mass, from the exact joint law of pattern and outcome, by the measurements' grades.

    The true probability of a case is that of its pattern: a number tells no more than its grade, and irrelevant
    fields tell nothing.

    Raises
    ------
    ScoreError
        ``scores/patterns``: see `shown`; ``scores/classes``: the outcome has more than two states.

    Examples
    --------
    >>> import pbn
    >>> found = patterns_of(View(pbn.load("credit_risk"), "high"))
    >>> len(found), len(found[0].mass), round(sum(float(one.mass @ one.truth) for one in found), 6)
    (9, 972, 0.210876)
    """
    network, seen = view.world.network, shown(view)
    if view.classes != 2:
        raise wrong("classes", f"{view.asks} has {view.classes} states", allowed="two: a yes/no question")
    parents = [network.parents(name)[0] for name in seen.measured]
    targets = (*parents, *seen.categories, view.asks)
    numbers = view.world.engine.joint(targets, {}, "exact")
    counts = integers(numbers).reshape([network.size(name) for name in targets])
    sizes = [network.size(name) for name in seen.categories]
    found = []
    for grades in itertools.product(*(range(network.size(name)) for name in parents)):
        table = counts[grades].reshape(-1, view.classes)
        mass = table.sum(axis=-1)
        where = np.flatnonzero(mass)
        total = [int(count) for count in mass[where]]
        ones = [int(count) for count in table[where, 1]]
        found.append(
            Patterns(
                grades=dict(zip(seen.measured, grades, strict=True)),
                codes=dict(zip(seen.categories, np.unravel_index(where, sizes), strict=True)) if sizes else {},
                mass=np.array([count / numbers.denominator for count in total]),
                truth=np.array([k / n for k, n in zip(ones, total, strict=True)]),
            )
        )
    return found


def own_law(view: View, name: str, grade: int | None = None) -> Array:
    """The probabilities of an irrelevant field's states, or of a measurement's given its grade, (states,)."""
    cpd = view.world.network.cpds[name]
    assert isinstance(cpd, Table)
    row = cpd.numerators if grade is None else cpd.numerators[grade]
    return np.array([int(count) / cpd.denominator for count in row])


def columns_of(view: View) -> dict[str, slice]:
    """The columns of each variable among the view's features."""
    found, start = {}, 0
    for name in view.names or ():
        width = view.encoded(name).shape[1]
        found[name] = slice(start, start + width)
        start += width
    return found


# -- predictors that read categories alone -----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Enumerated:
    """Predictions, true probabilities and masses of all patterns, (Z,) each, whatever the predictor is."""

    q: Array
    p: Array
    mass: Array
    patterns: Sequence[Patterns]

    def moments(self, view: View, demands: Sequence[Mapping[str, Array]], count: int) -> Array:
        """E[1_G 1_B (p* − q)] of everyone and of each group in ``count`` bins of q of equal width, (G + 1, B)."""
        seen, bins = shown(view), equal_width_bins(self.q, count)
        residual = self.mass * (self.p - self.q)
        found: list[Array] = [np.bincount(bins, residual, count)]
        for demand in demands:
            of_pattern, chance = split_demand(view, seen, demand)
            inside = np.concatenate([one.which(of_pattern) for one in self.patterns])
            found.append(chance * np.bincount(bins[inside], residual[inside], count))
        return np.array(found)


def enumerate_patterns(view: View, model: Fitted) -> Enumerated:
    """A predictor that reads categories alone, on every pattern there is.

    Parameters
    ----------
    view
        Whose features are categories that say something, all of them or some.
    model
        Fitted on the view's features.

    Raises
    ------
    ScoreError
        ``scores/patterns``: the view's features are not all such categories.
    """
    allowed = shown(view).categories
    for name in view.names or ():
        if name not in allowed:
            raise wrong("patterns", f"{name} is no category that says something", allowed=listing(allowed))
    patterns = patterns_of(view)
    q = [model.probabilities(view.features(one.codes))[:, 1] for one in patterns]
    p, mass = [one.truth for one in patterns], [one.mass for one in patterns]
    return Enumerated(q=np.concatenate(q), p=np.concatenate(p), mass=np.concatenate(mass), patterns=patterns)


def split_demand(view: View, seen: Shown, demand: Mapping[str, Array]) -> tuple[dict[str, Array], float]:
    """What a group demands of categories, and the probability that its irrelevant fields are as demanded.

    Raises
    ------
    ScoreError
        ``scores/patterns``: it demands something of another variable.
    """
    of_pattern, chance = {}, 1.0
    for name, accepted in demand.items():
        if name in seen.idle:
            chance *= float(own_law(view, name)[accepted].sum())
        elif name in seen.categories:
            of_pattern[name] = accepted
        else:
            message = f"a group by {name} is none of patterns: it is hidden, or a measurement"
            raise wrong("patterns", message, allowed=listing((*seen.categories, *seen.idle)))
    return of_pattern, chance
