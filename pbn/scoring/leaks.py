"""The leak test of files of predictions: each file, question and level is a run, and all of them one test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.scores.leak import Combined, LeakTest, Run, Tails, combine
from pbn.scoring.matching import Counts, Matched, match
from pbn.scoring.predictions import Predictions
from pbn.scoring.truth import Truth

Verdict = Literal["leak", "suspicious", "chance", "mismatch"]
LEAK, SUSPICIOUS = 1e-6, 1e-2
"""Below the first the upper p-value is called a leak, below the second suspicious."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakRun:
    """One file's decisions of one question at one level, against chance; cases without a row are left out.

    ``counts`` say what became of the cases.
    """

    path: str
    question: str
    level: str
    implied: bool
    counts: Counts
    test: LeakTest

    @property
    def verdict(self) -> Verdict:
        """What the run's own p-values say."""
        return verdict_of(self.test.decisions)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeakReport:
    """All runs, and the one test that they make together."""

    runs: tuple[LeakRun, ...]
    combined: Combined
    named: bool

    @property
    def verdict(self) -> Verdict:
        """What all runs together say."""
        return verdict_of(self.combined.decisions)


def verdict_of(tails: Tails) -> Verdict:
    """The word for a pair of p-values: an upper one below `LEAK` is a leak, a lower one a mismatch.

    Examples
    --------
    >>> verdict_of(Tails(log_upper=-100.0, log_lower=0.0)), verdict_of(Tails(log_upper=-1.0, log_lower=-0.5))
    ('leak', 'chance')
    """
    if tails.log_upper < math.log(LEAK):
        return "leak"
    if tails.log_lower < math.log(LEAK):
        return "mismatch"
    return "suspicious" if min(tails.log_upper, tails.log_lower) < math.log(SUSPICIOUS) else "chance"


def leak_report(files: Sequence[tuple[Predictions, Truth]], *, confidence: float = 0.95) -> LeakReport:
    """Test whether the accuracies of files of predictions are possible without having seen the labels.

    Parameters
    ----------
    files
        Predictions, each with the truth of its cases.
    confidence
        Of the central interval of accuracies that chance allows.

    Raises
    ------
    QueryError
        ``truth/labels``: a truth has no labels.
    """
    runs, tested = [], []
    for predictions, truth in files:
        if truth.labels is None:
            hint = "--labels names the file; pbn sample writes it beside the truth"
            message = "the leak test needs the labels that were drawn"
            raise QueryError(Fault(code="truth/labels", message=message, hint=hint))
        for one in match(truth, predictions, "skip"):
            runs.append(_run(one))
            tested.append((predictions.path, one))
    combined = combine(runs, confidence=confidence)
    return LeakReport(
        runs=tuple(
            LeakRun(
                path=path,
                question=one.asked.name,
                level=one.level,
                implied=one.implied,
                counts=one.counts,
                test=test,
            )
            for (path, one), test in zip(tested, combined.runs, strict=True)
        ),
        combined=combined,
        named=all(run.draws is not None for run in runs),
    )


def _run(matched: Matched) -> Run:
    assert matched.labels is not None
    return Run(decisions=matched.decisions, probs=matched.p, outcomes=np.asarray(matched.labels), draws=matched.draws)


def p_text(log_p: float) -> str:
    """A p-value from its natural logarithm, however small it is.

    Examples
    --------
    >>> p_text(math.log(0.25)), p_text(-1000.0), p_text(-math.inf), p_text(0.0)
    ('0.25', '5.08e-435', '0', '1')
    """
    if log_p == -math.inf:
        return "0"
    if log_p > math.log(1e-3):
        return f"{math.exp(log_p):.3g}"
    place, part = divmod(log_p / math.log(10), 1)
    mantissa = f"{10**part:.2f}"
    if mantissa == "10.00":
        mantissa, place = "1.00", place + 1
    return f"{mantissa}e{int(place):+03d}"


def log10(log_p: float) -> float | None:
    """The decimal logarithm from the natural one; None where the p-value is 0.

    Examples
    --------
    >>> log10(-math.inf) is None, log10(0.0)
    (True, 0.0)
    """
    return None if log_p == -math.inf else log_p / math.log(10) + 0.0
