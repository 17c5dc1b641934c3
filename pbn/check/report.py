"""What checks find: a result each, with its figure, and the report that holds them all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pbn.errors import BudgetError, PbnError
from pbn.figures import fraction_text

Outcome = Literal["pass", "fail", "skipped"]
Part = Literal["soundness", "condition 1", "condition 2", "claim"]
SkipReason = Literal["cost", "pgmpy", "nothing asked"]
"""Why a promise was not tested: over the budget, pgmpy gave no answer, or there is nothing to promise."""
Verdict = Literal["kept", "broken", "not proved"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check measured: ``outcome`` and its ``figure`` in words.

    ``exact`` is the figure where it is an exact number, ``value`` where it is a float. ``detail`` says
    what was wrong and where, why nothing was measured, or how the figure came about. ``skipped_for`` is the kind of
    reason for which a promise was skipped.
    """

    outcome: Outcome
    figure: str
    exact: Fraction | None = None
    value: float | None = None
    detail: str = ""
    skipped_for: SkipReason | None = None


def passed_if(
    good: bool,
    figure: str,
    *,
    detail: str = "",
    wrong: str = "",
    exact: Fraction | None = None,
    value: float | None = None,
) -> Finding:
    """A pass, or a failure that ``wrong`` describes."""
    return Finding(
        outcome="pass" if good else "fail",
        figure=figure,
        exact=exact,
        detail=detail if good else wrong,
        value=float(exact) if exact is not None else value,
    )


def skipped(detail: str, reason: SkipReason = "cost") -> Finding:
    """Nothing was measured, and why."""
    return Finding(outcome="skipped", figure="not measured", detail=detail, skipped_for=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One promise, and whether it is kept: ``name`` is a stable identifier of the kind of check.

    ``level``, ``question`` and ``variable`` say what the promise is about, where it is about one.
    """

    name: str
    part: Part
    level: str | None = None
    question: str | None = None
    variable: str | None = None
    outcome: Outcome
    figure: str
    exact: Fraction | None = None
    value: float | None = None
    detail: str = ""
    skipped_for: SkipReason | None = None

    @property
    def subject(self) -> str:
        """What the promise is about, in words.

        Examples
        --------
        >>> Result(name="engines_agree", part="soundness", level="low", question="default", outcome="pass",
        ...        figure="1e-16").subject
        'default, low'
        """
        return ", ".join(filter(None, (self.question, self.level, self.variable)))

    def to_dict(self) -> dict[str, object]:
        """The result as JSON has it; an exact figure is a string."""
        return {
            "name": self.name,
            "part": self.part,
            "question": self.question,
            "level": self.level,
            "variable": self.variable,
            "outcome": self.outcome,
            "figure": self.figure,
            "value": self.value,
            "exact": None if self.exact is None else fraction_text(self.exact),
            "detail": self.detail,
            "skipped_for": self.skipped_for,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One promise that can be tested; ``measure`` does the work."""

    name: str
    part: Part
    measure: Callable[[], Finding]
    level: str | None = None
    question: str | None = None
    variable: str | None = None

    def run(self) -> Result:
        """Test the promise; what would cost more than the budget is skipped, what has no answer fails."""
        try:
            finding = self.measure()
        except BudgetError as error:
            finding = skipped(error.faults[0].message)
        except PbnError as error:
            finding = Finding(outcome="fail", figure="no answer", detail=str(error.faults[0]))
        return Result(
            name=self.name,
            part=self.part,
            level=self.level,
            question=self.question,
            variable=self.variable,
            outcome=finding.outcome,
            figure=finding.figure,
            exact=finding.exact,
            value=finding.value,
            detail=finding.detail,
            skipped_for=finding.skipped_for,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All results of one world. ``seed`` and ``samples`` say which cases were drawn."""

    world: str
    title: str
    seed: int
    samples: int
    results: tuple[Result, ...]

    @property
    def failures(self) -> tuple[Result, ...]:
        """Promises that are not kept."""
        return tuple(result for result in self.results if result.outcome == "fail")

    @property
    def skipped(self) -> tuple[Result, ...]:
        """What was not tested, or not in full; it does not count as kept."""
        return tuple(result for result in self.results if result.outcome == "skipped")

    @property
    def unproved(self) -> tuple[Result, ...]:
        """Promises that were not tested, or not in full; nothing was promised by the others that were skipped."""
        return tuple(result for result in self.skipped if result.skipped_for != "nothing asked")

    @property
    def verdict(self) -> Verdict:
        """Whether some promise is broken, or else some was left unproved, or else all are kept."""
        return "broken" if self.failures else "not proved" if self.unproved else "kept"

    @property
    def passed(self) -> bool:
        """Whether every promise was tested and is kept."""
        return self.verdict == "kept"

    def to_dict(self) -> dict[str, object]:
        """The report as JSON has it."""
        return {
            "world": self.world,
            "title": self.title,
            "seed": self.seed,
            "samples": self.samples,
            "verdict": self.verdict,
            "passed": self.passed,
            "failed": len(self.failures),
            "skipped": len(self.skipped),
            "results": [result.to_dict() for result in self.results],
        }
