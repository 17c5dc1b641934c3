"""The settings: what each hiding level shows, its Bayes error and what it leaves uncertain, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from pbn.pictures.plots import line_style, plot_files
from pbn.studies.study import ALL_WORLDS, TITLES, Comparison, Finding, Study, claim, compared, world_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PUBLISHED_ERRORS = {"covert_transfer": ("0.019", "0.074", "0.145")}
PUBLISHED_PRIORS = {"credit_risk": "0.211", "peer_review": "0.241"}
RECONSTRUCTED = "the weights of peer review are our reconstruction, which meets this prior"


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A world at a level: variables that it shows and that say something, ε*, H(Y | X_vis) in nats, and P(Y = yes)."""

    world: str
    level: str
    attributes: int
    hidden: tuple[str, ...]
    error: Fraction
    entropy: float
    prior: Fraction


def _tasks(quick: bool) -> Sequence[str]:
    return ALL_WORLDS


def _answer(name: str, quick: bool) -> list[Setting]:
    world = world_of(name)
    asked = world.question()
    prior = world.posterior().exact
    assert prior is not None
    assert asked.positive is not None
    finest = world.levels[next(iter(world.levels))].visible
    found = []
    for level, entry in world.levels.items():
        known = world.bayes_error(level)
        assert known.exact is not None
        hidden = tuple(variable for variable in finest if variable not in entry.visible)
        found.append(
            Setting(
                world=name,
                level=level,
                attributes=len(entry.visible),
                hidden=hidden,
                error=known.exact,
                entropy=known.entropy,
                prior=prior[asked.positive],
            )
        )
    return found


def _show(answers: Sequence[list[Setting]], quick: bool) -> Finding:
    settings = [setting for answer in answers for setting in answer]
    rows = tuple(
        (
            one.world,
            one.level,
            one.attributes,
            " ".join(one.hidden),
            float(one.error),
            str(one.error),
            1 - float(one.error),
            one.entropy,
            float(one.prior),
        )
        for one in settings
    )
    columns = ("world", "level", "shown", "not_shown", "bayes_error", "exact_bayes_error", "bayes_accuracy",
               "entropy_nats", "prior")  # fmt: skip
    figure = plot_files(
        "What hiding does to the Bayes error and to the entropy of the outcome",
        "Exact values. Levels are nested: each shows less than the one before.",
        1,
        2,
        lambda panels: _draw(panels, answers),
    )
    return Finding(columns=columns, rows=rows, figure=figure, comparisons=tuple(_comparisons(answers)))


def _comparisons(answers: Sequence[list[Setting]]) -> list[Comparison]:
    found = []
    for settings in answers:
        world = settings[0].world
        why = RECONSTRUCTED if world == "peer_review" else ""
        if world in PUBLISHED_PRIORS:
            found.append(compared("prior of the outcome", world, PUBLISHED_PRIORS[world], settings[0].prior, why))
        published = PUBLISHED_ERRORS.get(world, (None,) * len(settings))
        for setting, said in zip(settings, published, strict=True):
            found.append(compared("Bayes error ε*", f"{world}, {setting.level}", said, setting.error, why))
        rises = all(one.error < other.error for one, other in pairwise(settings))
        text = "rises" if rises else "does not rise"
        found.append(claim("ε* from Low to High", world, "strictly rises", text, rises, why, "exact"))
    return found


def _draw(panels: Sequence[Axes], answers: Sequence[list[Setting]]) -> None:
    for k, settings in enumerate(answers):
        levels = [one.level.capitalize() for one in settings]
        style = line_style(k, label=TITLES[settings[0].world])
        panels[0].plot(levels, [float(one.error) for one in settings], **style)
        panels[1].plot(levels, [one.entropy for one in settings], **style)
    panels[0].set_ylabel("Bayes error ε* (probability)")
    panels[1].set_ylabel("entropy H(Y | X) (nats)")
    for axes in panels:
        axes.set_ylim(bottom=0)
        axes.set_xlabel("hiding level")
        axes.margins(x=0.08)


STUDY = Study(
    name="settings",
    title="The settings",
    about="What each hiding level shows, its exact Bayes error, and the entropy that it leaves.",
    worlds=ALL_WORLDS,
    tasks=_tasks,
    answer=_answer,
    show=_show,
    shrinks=False,
)
