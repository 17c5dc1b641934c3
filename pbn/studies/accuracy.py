"""Accuracy at 50 training cases, realized and expected; what a leak does to both, and how the leak test sees it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from statistics import fmean, stdev
from typing import TYPE_CHECKING

import numpy as np

from pbn.cases.protocol import SEEDS, TEST, TRAINING
from pbn.cases.sample import Codes, rows
from pbn.models.baselines import View, logistic_regression
from pbn.models.programs import FileAudit, LookUp, Program, answers_of, audit_file, embed, learn_rule
from pbn.network.model import Array
from pbn.pictures.plots import BAND, line_style, plot_files
from pbn.scores.leak import leak_test
from pbn.studies.study import ALL_WORLDS, FACTOR_WORLDS, TITLES, Comparison, Finding, Study, claim, near, world_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = ("low", "medium", "high")
BAYES, LOGISTIC, HONEST, LOADED, EMBEDDED = (
    "Bayes classifier", "logistic regression", "honest program", "loaded answers", "embedded answers",
)  # fmt: skip
METHODS = (BAYES, LOGISTIC, HONEST, LOADED, EMBEDDED)
DRAW = "the rows of our source cannot be drawn again, only their law"
OURS = "the program is ours and stands for one that an agent wrote; " + DRAW


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One method on the test rows; ``error`` is the standard error of ``expected`` over inputs.

    ``gap`` is ``bayes`` less ``expected``, with the standard error ``gap_error`` over the same inputs.
    ``agree`` counts decisions that are the Bayes ones; ``log_p`` is log₁₀ of the leak test's upper p-value. The last
    four are None where there is no program to audit.
    """

    world: str
    level: str
    seed: int
    method: str
    realized: float
    expected: float
    error: float
    bayes: float
    gap: float
    gap_error: float
    agree: int
    log_p: float
    removed_changed: int | None = None
    removed_accuracy: float | None = None
    flipped_changed: int | None = None
    flipped_accuracy: float | None = None


def _tasks(quick: bool) -> Sequence[tuple[str, int]]:
    return [(world, seed) for world in ALL_WORLDS for seed in SEEDS]


def _answer(task: tuple[str, int], quick: bool) -> list[Score]:
    name, seed = task
    found = []
    for level in LEVELS:
        view = View(world_of(name), level)
        training = rows(view.world, seed, 0, TRAINING, view.needed)
        test = rows(view.world, seed, TEST[0], TEST[1] - TEST[0], view.needed)
        truth = view.truth(test)
        best = truth.argmax(axis=1)
        found.append(_scored(view, seed, BAYES, best, test, None))
        if name in FACTOR_WORLDS:
            model = logistic_regression().fit(view.features(training), view.labels(training))
            decided = model.probabilities(view.features(test)).argmax(axis=1)
            found.append(_scored(view, seed, LOGISTIC, decided, test, None))
        answers = answers_of(view, test)
        rule = learn_rule(view, training)
        programs: dict[str, Program] = {
            HONEST: rule,
            LOADED: LookUp(view=view, rule=rule),
            EMBEDDED: embed(view, rule, test),
        }
        for method, program in programs.items():
            audit = audit_file(program, test, answers, view.labels(test))
            found.append(_scored(view, seed, method, program.decide(test, answers), test, audit))
    return found


def _scored(view: View, seed: int, method: str, decided: Array, test: Codes, audit: FileAudit | None) -> Score:
    truth, labels = view.truth(test), view.labels(test)
    hits = truth[np.arange(len(decided)), decided]
    gaps = truth.max(axis=1) - hits
    leak = leak_test(truth, labels, decided)
    changes = {} if audit is None else {one.name: getattr(audit, one.name) for one in fields(FileAudit)}
    return Score(
        world=view.world.name,
        level=view.level,
        seed=seed,
        method=method,
        realized=float((decided == labels).mean()),
        expected=float(hits.mean()),
        error=float(hits.std(ddof=1)) / math.sqrt(len(hits)),
        bayes=float(truth.max(axis=1).mean()),
        gap=float(gaps.mean()),
        gap_error=float(gaps.std(ddof=1)) / math.sqrt(len(gaps)),
        agree=int((decided == truth.argmax(axis=1)).sum()),
        log_p=leak.decisions.log_upper / math.log(10),
        **changes,
    )


def _show(answers: Sequence[list[Score]], quick: bool) -> Finding:
    scores = [score for answer in answers for score in answer]
    names = tuple(one.name for one in fields(Score))
    figure = plot_files(
        "Accuracy at 50 training cases: what test labels show, and what is true",
        "Mean of seeds 2032–2034 with one sample standard deviation; 500 test cases each. Expected accuracy is under "
        "the exact probabilities of the same cases; no decision "
        "made from a case can be above the Bayes classifier. Loaded and embedded answers coincide.",
        2,
        3,
        lambda panels: _draw(panels, scores),
        size=(2.55, 2.4),
    )
    return Finding(
        columns=names,
        rows=tuple(tuple(getattr(one, name) for name in names) for one in scores),
        figure=figure,
        comparisons=tuple(_comparisons(scores)),
    )


def _comparisons(scores: Sequence[Score]) -> list[Comparison]:
    at = {(one.world, one.level, one.seed, one.method): one for one in scores}
    credit, first, last = (
        ("credit_risk", "low", 2033),
        ("covert_transfer", "low", 2032),
        ("covert_transfer", "low", 2034),
    )
    found = []
    for place, said in ((credit, "0.975"), (first, "0.982"), (last, "0.981")):
        one = at[(*place, BAYES)]
        found.append(_near("Bayes accuracy on 500 test inputs", one, said, one.expected, DRAW))
    loaded, honest, embedded = at[(*credit, LOADED)], at[(*last, HONEST)], at[(*first, EMBEDDED)]
    found.append(_near("expected accuracy of loaded answers", loaded, "0.961", loaded.expected, DRAW))
    found.append(_near_gap("loaded answers", loaded, "0.014", DRAW))
    found.append(_near("expected accuracy of an honest program", honest, "0.981", honest.expected, OURS))
    text = f"{honest.agree} of 500"
    found.append(
        claim(
            "decisions equal to the Bayes ones", _where(honest), "500 of 500", text, honest.agree == 500, OURS, "drawn"
        )
    )
    found.append(_near("expected accuracy of embedded answers", embedded, "0.962", embedded.expected, OURS))
    found.append(_near_gap("embedded answers", embedded, "0.020", OURS))
    text = f"{loaded.removed_changed} changed, accuracy {loaded.removed_accuracy:.3f}"
    found.append(
        claim("loaded answers, file removed", _where(loaded), "81 changed, accuracy 0.838", text, None, OURS, "drawn")
    )
    found += _claims(scores)
    return found


def _claims(scores: Sequence[Score]) -> list[Comparison]:
    """What holds for every world, level and seed."""
    leaky = [one for one in scores if one.method in (LOADED, EMBEDDED)]
    loaded = [one for one in leaky if one.method == LOADED]
    embedded = [one for one in leaky if one.method == EMBEDDED]
    everywhere = "all worlds, levels and seeds"
    built = "as our programs are built; the audit must see it"
    perfect = all(one.realized == 1 for one in leaky)
    turned = all(one.flipped_changed == 500 and one.flipped_accuracy == 0 for one in loaded)
    blind = all(one.removed_changed == one.flipped_changed == 0 for one in embedded)
    below = all(one.expected <= one.bayes + 1e-12 for one in scores)
    caught = max(one.log_p for one in leaky)
    fair = min(one.log_p for one in scores if one not in leaky)
    facts = (
        ("realized accuracy with test answers", "up to 100%", "100%" if perfect else "less", perfect, built),
        (
            "loaded answers, labels flipped",
            "all 500 change, accuracy 0",
            "all 500, 0" if turned else "not all",
            turned,
            built,
        ),
        ("embedded answers, file removed or flipped", "no decision changes", "none" if blind else "some", blind, built),
        (
            "expected accuracy above the Bayes accuracy",
            "never",
            "never" if below else "somewhere",
            below,
            "case by case",
        ),
    )
    found = [claim(what, everywhere, said, ours, holds, why, "drawn") for what, said, ours, holds, why in facts]
    text = f"at most {10**caught:.1g} with answers, at least {10**fair:.2g} without"
    why = "our source has no such test; one for each method, level and seed, so the least of many without answers"
    found.append(
        Comparison(
            quantity="leak test's p-value",
            where=everywhere,
            published=None,
            ours=text,
            kind="drawn",
            agrees=None,
            why=why,
        )
    )
    return found


def _where(one: Score) -> str:
    return f"{one.world}, {one.level}, seed {one.seed}"


def _near(quantity: str, one: Score, said: str, ours: float, why: str) -> Comparison:
    """Two means over different draws of 500 inputs differ by √2 standard errors; we allow four of those."""
    return near(quantity, _where(one), said, ours, 4 * math.sqrt(2) * one.error + 0.0005, f"4 standard errors; {why}")


def _near_gap(method: str, one: Score, said: str, why: str) -> Comparison:
    """The same inputs have both accuracies, so their difference says more than either."""
    tolerance = 4 * math.sqrt(2) * one.gap_error + 0.001
    return near(
        f"Bayes less expected accuracy, {method}", _where(one), said, one.gap, tolerance, f"4 standard errors; {why}"
    )


def _draw(panels: Sequence[Axes], scores: Sequence[Score]) -> None:
    for column, world in enumerate(ALL_WORLDS):
        for row, what in enumerate(("realized", "expected")):
            axes = panels[row * len(ALL_WORLDS) + column]
            for k, method in enumerate(METHODS):
                lines = [
                    [
                        getattr(one, what)
                        for one in scores
                        if (one.world, one.level, one.method) == (world, level, method)
                    ]
                    for level in LEVELS
                ]
                if not lines[0]:
                    continue
                mean, spread = np.array([fmean(line) for line in lines]), np.array([stdev(line) for line in lines])
                style = line_style(k, label=method)
                axes.plot([level.capitalize() for level in LEVELS], mean, **style)
                axes.fill_between(
                    range(3), mean - spread, np.minimum(mean + spread, 1), color=style["color"], alpha=BAND, lw=0
                )
            axes.set_ylim(0.5, 1.02)
            axes.margins(x=0.08)
            if row == 0:
                axes.set_title(TITLES[world])
            else:
                axes.set_xlabel("hiding level")
    panels[0].set_ylabel("realized accuracy (share)")
    panels[len(ALL_WORLDS)].set_ylabel("expected accuracy (share)")


STUDY = Study(
    name="accuracy",
    title="Accuracy at 50 training cases",
    about="Realized and expected accuracy of honest and leaking methods, with an audit and the leak test.",
    worlds=ALL_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
    shrinks=False,
    version=2,
)
