"""All scores of anybody's predictions against the truth, by question and level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.scores.accuracy import Interval, mean_interval
from pbn.scores.calibration import Binning, ece, noise_floor, true_calibration_error
from pbn.scores.inputs import Array
from pbn.scores.proper import Clipped, kl_divergence, log_loss
from pbn.scores.smooth_calibration import smooth_ece, true_smooth_ece
from pbn.scoring.items import CONFIDENCE, decision_items, intervals, probability_items
from pbn.scoring.matching import Counts, Matched, Missing, match
from pbn.scoring.predictions import Named, Predictions
from pbn.scoring.truth import Truth

SEED = 0
FLOOR_RESAMPLES = 1000
QUANTILE = 0.95
HITS = "accuracy"
"""The score whose items are all 0 or 1: its interval is not of resamples."""
INTERVAL_NOTES: Mapping[str, str] = {"wilson": "Wilson's interval", "bonett-price": "Bonett and Price's interval"}
"""Method → what a note says of an interval that is not of resamples."""

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
    "ece": "ECE on labels",
    "noise_floor": "noise floor of the ECE",
    "smooth_ece": "smooth ECE on labels",
}
"""Score → what a table calls it, in the order of tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One number; ``value`` is None where it is infinite, ``interval`` where there is none that means something.

    ``cases`` is how many it is over; ``note`` says by which definition, and what belongs beside it.
    """

    name: str
    value: float | None
    interval: Interval | None
    cases: int
    note: str = ""


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
        for score in self.scores:
            if score.name == name:
                return score
        raise KeyError(name)


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
    groups = tuple(_group(one, seed) for one in match(truth, predictions, missing))
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
        notes=truth.notes,
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


def binning_of(classes: int) -> Binning:
    """The calibration error that is reported: of the positive state, or of the most probable one of more than two."""
    return Binning(of="positive" if classes == 2 else "top-label")


def _group(matched: Matched, seed: int) -> GroupScores:
    found = {score.name: score for score in (*_of_probabilities(matched, seed), *_of_decisions(matched, seed))}
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
    return _means(items, seed, {})


def _of_probabilities(matched: Matched, seed: int) -> Iterator[Score]:
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
    yield from _means(probability_items(p, q, labels), seed, notes)
    note = "infinite" if kl.unclipped is None else ""
    yield Score(name="kl_unclipped", value=kl.unclipped, interval=None, cases=len(p), note=note)
    yield from _calibration(matched.asked.place, p, q, labels, seed)


def _clipped(score: Clipped) -> str:
    return f"nats; {score.clipped:,} clipped"


def _means(items: Mapping[str, Array], seed: int, notes: Mapping[str, str]) -> Iterator[Score]:
    found = intervals({name: column for name, column in items.items() if name != HITS}, seed)
    if HITS in items and len(items[HITS]) > 1:
        found[HITS] = mean_interval(items[HITS], confidence=CONFIDENCE)
    for name, column in items.items():
        value, interval = float(column.mean()) + 0.0, found.get(name)
        yield Score(
            name=name,
            value=max(value, 0.0) if name == "kl" else value,
            interval=interval,
            cases=len(column),
            note=notes.get(name) or (INTERVAL_NOTES.get(interval.method, "") if interval else ""),
        )


def confidences(place: int, p: Array, q: Array, labels: Array | None) -> tuple[Array, Array, Array | None]:
    """A probability of each case, that of the same event in truth, and whether it came out, (n,) each.

    The event is the positive state of two, the most probable state (the first of several) of more.
    """
    if q.shape[1] == 2:
        return q[:, place], p[:, place], None if labels is None else (labels == place).astype(np.intp)
    top = np.argmax(q, axis=1)
    rows = np.arange(len(q))
    return q[rows, top], p[rows, top], None if labels is None else (labels == top).astype(np.intp)


def _calibration(place: int, p: Array, q: Array, labels: Array | None, seed: int) -> Iterator[Score]:
    one, true, hits = confidences(place, p, q, labels)
    named, binning = binning_of(q.shape[1]), Binning()
    cases = len(one)

    def score(name: str, value: float, note: str) -> Score:
        return Score(name=name, value=value, interval=None, cases=cases, note=note)

    yield score("true_ce", true_calibration_error(true, one, binning).value, named.id("true-ce"))
    yield score("true_smooth_ce", true_smooth_ece(true, one), "")
    if hits is None:
        return
    yield score("ece", ece(hits, one, binning).value, named.id())
    floor = noise_floor(
        one, np.random.default_rng([seed, cases]), binning, resamples=_floor_resamples(cases), quantiles=(QUANTILE,)
    )
    above = f"95% of calibrated draws below {floor.quantiles[0][1]:.6f}"
    yield score("noise_floor", floor.mean, f"{above}; {floor.resamples:,} draws")
    yield score("smooth_ece", smooth_ece(hits, one), "")


def _floor_resamples(cases: int) -> int:
    """Fewer draws of many cases: the floor itself is then known the better."""
    return max(100, min(FLOOR_RESAMPLES, 10**8 // max(1, cases)))


def records(scored: Scored) -> Sequence[dict[str, object]]:
    """A flat record for each score, for CSV."""
    found: list[dict[str, object]] = []
    for group in scored.groups:
        for score in group.scores:
            interval = score.interval
            found.append(
                {
                    "question": group.question, "level": group.level, "score": score.name, "value": score.value,
                    "low": interval and interval.low, "high": interval and interval.high,
                    "interval": interval and interval.method, "cases": score.cases, "note": score.note,
                }
            )  # fmt: skip
    return found
