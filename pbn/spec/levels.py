"""Hiding levels: what a predictor sees at each, and that each shows a function of what the finer one shows."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import replace

from pbn.errors import listing
from pbn.spec.declarations import Declaration
from pbn.spec.model import Level, Question, Source, Table
from pbn.spec.names import check_label, distinct
from pbn.spec.nodes import Mapping, Scalar
from pbn.spec.report import Report, shorten
from pbn.spec.structure import Path
from pbn.spec.variables import Resolver

MAX_LEVELS = 100


class Visibility:
    """Which variables are attributes, which may be shown, and why others may not."""

    def __init__(self, resolver: Resolver, asked: frozenset[str]) -> None:
        self.resolver = resolver
        self.asked = asked
        self._functions: dict[str, bool] = {}
        self._told: dict[str, tuple[str, ...]] = {}
        self.names = list(resolver.declarations.by_member)
        self.measured = {
            scalar.text: draft.declaration.name
            for draft in resolver.drafts.values()
            if draft.declaration.source == "measured"
            for scalar in draft.named
        }
        self.attributes = tuple(name for name in self.names if self.why_no_attribute(name) is None)

    def why_no_attribute(self, name: str) -> str | None:
        """Why a variable is not visible by itself; None for an attribute."""
        reason = self.why_unseen(name)
        if reason is None and self._declared(name).source not in ("p", "measured", "count"):
            reason = f"{name} follows from a rule, and is not visible by itself"
        if reason is None and name in self.measured:
            reason = f"{name} is measured: what is visible is {self.measured[name]}"
        return reason

    def why_unseen(self, name: str) -> str | None:
        """Why a variable can't be visible at all; None where it can."""
        role = self._declared(name).body.scalar("role")
        if role and role.text in ("latent", "residual"):
            return f"{name} is {role.text}, and never visible"
        return f"{name} is what a question asks" if name in self.asked else None

    def _declared(self, name: str) -> Declaration:
        return self.resolver.declarations.by_member[name]

    def parents(self, name: str) -> tuple[str, ...]:
        """The variables that a variable reads."""
        return self.resolver.drafts[self._declared(name).name].parents[name]

    def is_function(self, name: str) -> bool:
        """Whether a variable is a function of its parents, by a rule or by a table of certainties."""
        if name not in self._functions:
            by_rule = self._declared(name).source in ("rule", "first", "of", "merge")
            self._functions[name] = by_rule or _is_certain(self.resolver.meanings[name].source)
        return self._functions[name]

    def told_by(self, name: str) -> tuple[str, ...]:
        """The parents of a random variable that are functions of it: the level behind a measurement, say."""
        if name not in self._told:
            measured = self._declared(name).source == "measured"
            self._told[name] = self.parents(name) if measured else _identified(self.resolver.meanings[name].source)
        return self._told[name]

    def members(self, scalar: Scalar, report: Report) -> tuple[str, ...]:
        """The variables that one item of ``hide`` or ``show`` stands for: itself, or all members of a family."""
        declarations = self.resolver.declarations
        family = declarations.by_name.get(scalar.text)
        if family and family.repeated:
            return family.members
        name = declarations.find(scalar, report)
        return (name,) if name else ()


def read_levels(
    root: Mapping,
    broken: frozenset[Path],
    visibility: Visibility,
    questions: AbstractMapping[str, Question],
    report: Report,
) -> dict[str, Level]:
    """The file's levels, finest first, each checked against the one before."""
    section = root.mapping("levels")
    levels: dict[str, Level] = {}
    finer: Level | None = None
    for number, (key, body) in enumerate(section.pairs if section else ()):
        if number == MAX_LEVELS:
            report.add("spec/too-large", "the file has too many levels", key.place, allowed=f"at most {MAX_LEVELS}")
            break
        level = None
        named = check_label(key, "level", report)
        if named and isinstance(body, Mapping) and ("levels", key.text) not in broken:
            level = _level(key, body, visibility, report)
            if level and finer:
                _check_nested(key, body, level, finer, visibility, report)
            if level:
                level = replace(level, closed_forms=_closed_forms(body, level, visibility, questions, report))
        if level:
            levels[key.text] = level
        finer = level
    return levels


def _level(key: Scalar, body: Mapping, visibility: Visibility, report: Report) -> Level | None:
    before = len(report)
    if "hide" not in body and "show" not in body:
        report.add(
            "spec/missing-key",
            f"the level {key.text} has neither 'hide' nor 'show'",
            key.place,
            hint="'hide: []' shows every attribute",
        )
        return None
    hidden = _listed(body, "hide", visibility, report)
    shown = _listed(body, "show", visibility, report)
    for scalar in body.scalars("show"):
        if scalar.text in {other.text for other in body.scalars("hide")}:
            report.add("spec/duplicate-variable", f"{shorten(scalar.text)!r} is both hidden and shown", scalar.place)
    if len(report) > before:
        return None
    visible = shown | (set(visibility.attributes) - hidden if "hide" in body else set())
    return Level(name=key.text, visible=tuple(name for name in visibility.names if name in visible))


def _listed(body: Mapping, key: str, visibility: Visibility, report: Report) -> set[str]:
    """The variables that ``hide`` or ``show`` lists."""
    why_not = visibility.why_no_attribute if key == "hide" else visibility.why_unseen
    found: dict[str, Scalar] = {}
    for scalar in distinct(body.scalars(key), "the variable", report, "spec/duplicate-variable"):
        for name in visibility.members(scalar, report):
            reason = why_not(name)
            if reason:
                report.add(
                    f"spec/level-{key}s",
                    reason,
                    scalar.place,
                    allowed="attributes: " + listing(visibility.attributes) if key == "hide" else None,
                )
                break
            if name in found:
                report.add("spec/duplicate-variable", f"the variable {name!r} stands twice", scalar.place)
                break
            found[name] = scalar
    return set(found)


def _check_nested(
    key: Scalar, body: Mapping, level: Level, finer: Level, visibility: Visibility, report: Report
) -> None:
    """A coarser level must be a function of the finer one."""
    known = _closure(finer, visibility)
    extra = [name for name in level.visible if name not in known]
    if not extra:
        return
    places = {scalar.text: scalar.place for scalar in body.scalars("show")}
    report.add(
        "spec/level-not-nested",
        f"the level {level.name} shows {listing(extra)}, which {finer.name} hides",
        places.get(extra[0], key.place),
        allowed=f"what follows from the variables of {finer.name}",
        hint=f"hide {extra[0]} at {level.name} too, or show it at {finer.name}; levels stand finest first",
    )


def _closed_forms(
    body: Mapping, level: Level, visibility: Visibility, questions: AbstractMapping[str, Question], report: Report
) -> dict[str, str]:
    """Question → the variable that claims to be its probability: a number that follows from what is visible."""
    section = body.mapping("closed_form")
    found: dict[str, str] = {}
    known = _closure(level, visibility) if section else set()
    for key, value in section.pairs if section else ():
        assert isinstance(value, Scalar)
        name = visibility.resolver.declarations.find(value, report)
        question = questions.get(key.text)
        if question is None:
            report.add(
                "spec/unknown-question",
                f"there is no question {shorten(key.text)!r}",
                key.place,
                allowed=listing(questions),
                hint=report.suggest(key.text, questions),
            )
        elif question.kind != "yes/no":
            report.add(
                "spec/closed-form",
                f"the question {key.text} is no yes/no question",
                key.place,
                hint="a closed form is the probability of a yes/no question's positive state",
            )
        elif name and not visibility.resolver.types[name].number:
            report.add("spec/closed-form", f"{name} has no numbers, so it is no probability", value.place)
        elif name and name not in known:
            report.add(
                "spec/closed-form",
                f"{name} does not follow from what {level.name} shows",
                value.place,
                allowed="a variable computed from the visible ones alone",
            )
        elif name:
            found[key.text] = name
    return found


def _closure(level: Level, visibility: Visibility) -> set[str]:
    """The visible variables and all that follows from them."""
    meanings = visibility.resolver.meanings
    faulty = {name for name in visibility.names if name not in meanings}
    known, before = set(level.visible) | faulty, -1
    while len(known) > before:
        before = len(known)
        for name in reversed(meanings):  # children come first
            if name in known:
                known.update(visibility.told_by(name))
        for name in meanings:
            if visibility.is_function(name) and known.issuperset(visibility.parents(name)):
                known.add(name)
    return known


def _is_certain(source: Source | None) -> bool:
    """Whether a table says one state for each combination of its parents' states."""
    return isinstance(source, Table) and all(1 in row for row in source.rows.values())


def _identified(source: Source | None) -> tuple[str, ...]:
    """The parents of a table that have one state of positive probability with each state of the variable itself."""
    if not isinstance(source, Table):
        return ()
    found = []
    for k, parent in enumerate(source.parents):
        pairs = {(j, key[k]) for key, row in source.rows.items() for j, p in enumerate(row) if p > 0}
        if len({j for j, _ in pairs}) == len(pairs):
            found.append(parent)
    return tuple(found)
