"""All scores of anybody's predictions against the truth, by question and level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.scores.inputs import Array
from pbn.scores.proper import Clipped, kl_divergence, log_loss
from pbn.scoring.calibration import calibration
from pbn.scoring.groups import Grouped, grouped
from pbn.scoring.items import Score, by_name, decision_items, means, probability_items
from pbn.scoring.matching import Counts, Matched, Missing, match
from pbn.scoring.predictions import Named, Predictions
from pbn.scoring.truth import Truth

SEED = 0

TITLES: Mapping[str, str] = {
    "kl": "KL(p*‖q), q clipped",
    "kl_unclipped": "KL(p*‖q), unclipped",
    "l1": "L1 distance",
    "squared_distance": "squared distance",
    "expected_accuracy": "expected accuracy",
    "bayes_accuracy": "Bayes accuracy A*",
    "accuracy_gap": "Δ_acc = A* − expected",
    "accuracy": "realized accuracy",
    "expected_log_loss": "expected log loss",
    "entropy": "irreducible: H(Y|X)",
    "log_loss": "realized log loss",
    "expected_brier": "expected Brier score",
    "irreducible_brier": "irreducible part",
    "brier": "realized Brier score",
    "true_ce": "true calibration error",
    "true_smooth_ce": "true smooth calibration error",
    "multicalibration": "multicalibration error",
    "ece": "ECE on labels",
    "noise_floor": "noise floor of the ECE",
    "smooth_ece": "smooth ECE on labels",
    "empirical_multicalibration": "multicalibration on labels",
}
"""Score → what a table calls it, in the order of tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScores:
    """The scores of one question at one level; ``implied``: the decisions are those that the probabilities imply."""

    question: str
    level: str
    states: tuple[str, ...]
    positive: str
    implied: bool
    counts: Counts
    scores: tuple[Score, ...]

    def __getitem__(self, name: str) -> Score:
        return by_name(self.scores, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A file of predictions, scored: its groups, and what in it belongs to none of them."""

    path: str
    rows: int
    groups: tuple[GroupScores, ...]
    strangers: Named
    without_id: Named
    unreadable: Named
    other_questions: Named
    unused: tuple[str, ...]
    missing: Missing
    seed: int
    notes: tuple[str, ...]


def score_predictions(
    predictions: Predictions, truth: Truth, *, missing: Missing = "unknown", seed: int = SEED
) -> Scored:
    r"""Score predictions against the truth, each question at each level that they answer any case of.

    Scores of decisions are over all cases: an unknown, invalid or missing decision hits nothing. Scores of
    probabilities are over the cases with valid ones, whose number stands beside them.

    Parameters
    ----------
    missing
        See `pbn.scoring.matching.match`.
    seed
        Of the resamples behind the intervals and the noise floor.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from pbn.scoring.predictions import read_predictions
    >>> from pbn.scoring.truth import Asked
    >>> asked = Asked(name="rain", states=("no", "yes"), positive="yes")
    >>> truth = Truth(ids=["a", "b"], level=np.zeros(2, int), levels=("low",), row=np.arange(2), labels=None,
    ...               questions={"rain": asked}, probs={"rain": np.array([[0.5, 0.5], [0.25, 0.75]])}, draws=None)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("id,p\na,0.25\nb,0.75\n")
    ...     found = score_predictions(read_predictions(path, truth), truth)
    >>> [group] = found.groups
    >>> group["l1"].value, group["expected_accuracy"].value, group["bayes_accuracy"].value
    (0.125, 0.625, 0.625)
    """
    check_seed(seed)
    matched = match(truth, predictions, missing)
    needed = any(one.valid.any() for one in matched)
    known = grouped(truth.world, truth.draws) if needed else "no probabilities are valid"
    groups = tuple(_group(one, seed, known) for one in matched)
    notes = (*truth.notes, *_left_out(groups, known))
    return Scored(
        path=predictions.path,
        rows=predictions.rows,
        groups=groups,
        strangers=predictions.strangers,
        without_id=predictions.without_id,
        unreadable=predictions.unreadable,
        other_questions=predictions.other_questions,
        unused=predictions.unused,
        missing=missing,
        seed=seed,
        notes=notes,
    )


def check_seed(seed: int) -> None:
    """Refuse what is no seed.

    Raises
    ------
    QueryError
        ``predictions/seed``.
    """
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise QueryError(
            Fault(code="predictions/seed", message=f"{str(seed)[:40]} is no seed", allowed="0 to 2^63 − 1")
        )


def _group(matched: Matched, seed: int, known: Grouped | str) -> GroupScores:
    both = (*_of_probabilities(matched, seed, known), *_of_decisions(matched, seed))
    found = {score.name: score for score in both}
    asked = matched.asked
    return GroupScores(
        question=asked.name,
        level=matched.level,
        states=asked.states,
        positive=asked.positive,
        implied=matched.implied,
        counts=matched.counts,
        scores=tuple(found[name] for name in TITLES if name in found),
    )


def _of_decisions(matched: Matched, seed: int) -> Iterator[Score]:
    items = decision_items(matched.p, matched.decisions, matched.labels)
    return means(items, seed, {})


def _of_probabilities(matched: Matched, seed: int, known: Grouped | str) -> Iterator[Score]:
    if matched.q is None or not matched.valid.any():
        return
    p, q = matched.p[matched.valid], matched.q[matched.valid]
    labels = None if matched.labels is None else matched.labels[matched.valid]
    kl = kl_divergence(p, q)
    notes = {
        "kl": f"{_clipped(kl)}; p* itself scores {kl_divergence(p, p).value:.6f}",
        "expected_log_loss": "= KL + H(Y|X)",
        "expected_brier": "= squared distance + irreducible",
        "l1": "" if p.shape[1] == 2 else "total variation, ½ Σ|q − p*|",
    }
    if labels is not None:
        loss = log_loss(labels, q)
        bare = "infinite" if loss.unclipped is None else f"{loss.unclipped:.6f}"
        notes["log_loss"] = f"{_clipped(loss)}; unclipped: {bare}"
    yield from means(probability_items(p, q, labels), seed, notes)
    note = "infinite" if kl.unclipped is None else ""
    yield Score(name="kl_unclipped", value=kl.unclipped, interval=None, cases=len(p), note=note)
    yield from calibration(matched.asked.place, p, q, labels, seed, _members(matched, known))


def _members(matched: Matched, known: Grouped | str) -> tuple[Sequence[str], Array] | None:
    """Names of the groups at the matched level, and who of the cases with valid probabilities is in which."""
    if isinstance(known, str) or matched.draws is None:
        return None
    return known.members(matched.level, [matched.draws[k] for k in np.flatnonzero(matched.valid).tolist()])


def _left_out(groups: Sequence[GroupScores], known: Grouped | str) -> Iterator[str]:
    """Why multicalibration is left out, where it is and other calibration errors are not."""
    names = [(group.level, {score.name for score in group.scores}) for group in groups]
    levels = dict.fromkeys(level for level, found in names if "true_ce" in found and "multicalibration" not in found)
    if levels:
        where = known if isinstance(known, str) else f"no groups are visible at level {listing(levels)}"
        yield f"multicalibration is left out: {where}"


def _clipped(score: Clipped) -> str:
    return f"nats; {score.clipped:,} clipped"


def records(scored: Scored) -> Sequence[dict[str, object]]:
    """A flat record for each score, for CSV; each says what became of the group's cases."""
    found: list[dict[str, object]] = []
    for group in scored.groups:
        counts = group.counts
        for score in group.scores:
            interval = score.interval
            found.append(
                {
                    "question": group.question, "level": group.level, "score": score.name, "value": score.value,
                    "low": interval and interval.low, "high": interval and interval.high,
                    "interval": interval and interval.method, "cases": score.cases, "id": score.id, "note": score.note,
                    "n_total": counts.n_total, "n_scored": counts.n_scored, "n_invalid": counts.n_invalid,
                }
            )  # fmt: skip
    return found
