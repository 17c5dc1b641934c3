"""Scores that are means over cases: one number a case, so that they can be resampled and paired."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from pbn.scores.accuracy import Interval, corrected_tails, expected_hits, mean_interval
from pbn.scores.inputs import Array
from pbn.scores.proper import CLIP, clipped_rows, divergences, entropies, times_log

CONFIDENCE = 0.95
RESAMPLES = 2000
MOST_RESAMPLED = 10_000
"""Up to so many cases are resampled; above it the normal interval is as good."""
_BLOCK = 2**22
HITS = "accuracy"
"""The score whose items are all 0 or 1: its interval is not of resamples."""
INTERVAL_NOTES: Mapping[str, str] = {"wilson": "Wilson's interval", "bonett-price": "Bonett and Price's interval"}
"""Method → what a note says of an interval that is not of resamples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A line of a report: ``interval`` is None where there is none that means something.

    ``cases`` is how many it is over; ``id`` says by which definition, ``note`` what belongs beside it.
    """

    name: str
    interval: Interval | None
    cases: int
    id: str = ""
    note: str = ""

    @property
    def told(self) -> str:
        """Definition and note, as far as there are."""
        return ": ".join(filter(None, (self.id, self.note)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Score(Entry):
    """One number; ``value`` is None where it is infinite."""

    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference(Entry):
    """A score of two files on the same cases: ``difference`` = first − second."""

    first: float
    second: float
    difference: float


Line = TypeVar("Line", bound=Entry)


def by_name(found: Iterable[Line], name: str) -> Line:
    """The line of a name.

    Raises
    ------
    KeyError
        There is none.
    """
    for one in found:
        if one.name == name:
            return one
    raise KeyError(name)


def probability_items(p: Array, q: Array, labels: Array | None) -> dict[str, Array]:
    """The scores of probabilities, each (n,); their means are what `pbn.scores.proper` gives.

    Examples
    --------
    >>> p, q = np.array([[0.5, 0.5], [0.0, 1.0]]), np.array([[0.5, 0.5], [0.5, 0.5]])
    >>> probability_items(p, q, None)["squared_distance"]
    array([0.  , 0.25])
    """
    kept, _ = clipped_rows(q, CLIP)
    half = 0.5 if p.shape[1] == 2 else 1.0
    found = {
        "kl": divergences(p, kept),
        "l1": 0.5 * np.abs(q - p).sum(axis=1),
        "squared_distance": half * ((q - p) ** 2).sum(axis=1),
        "expected_log_loss": -times_log(p, kept).sum(axis=1),
        "entropy": entropies(p),
        "expected_brier": half * (p * (1 - q) ** 2 + (1 - p) * q**2).sum(axis=1),
        "irreducible_brier": half * (p * (1 - p)).sum(axis=1),
    }
    if labels is not None:
        rows = np.arange(len(labels))
        found["log_loss"] = -np.log(kept[rows, labels])
        found["brier"] = half * ((q**2).sum(axis=1) - 2 * q[rows, labels] + 1)
    return found


def decision_items(p: Array, decisions: Array, labels: Array | None) -> dict[str, Array]:
    """The scores of decisions, each (n,); a decision of −1 is unknown and hits nothing.

    Examples
    --------
    >>> decision_items(np.array([[0.75, 0.25]]), np.array([1]), np.array([1]))["accuracy_gap"]
    array([0.5])
    """
    hits, best = expected_hits(p, decisions), p.max(axis=1)
    found = {"expected_accuracy": hits, "bayes_accuracy": best, "accuracy_gap": best - hits}
    if labels is not None:
        found["accuracy"] = (decisions == labels).astype(float)
    return found


def intervals(items: Mapping[str, Array], seed: int) -> dict[str, Interval]:
    """A 95% interval of the mean of each score, all from the same resamples of the cases.

    BCa bootstrap over cases up to `MOST_RESAMPLED` of them, mean ± z·s/√n above; none for a single case.

    Examples
    --------
    >>> found = intervals({"hits": np.array([1.0, 1, 0, 1, 1, 1, 0, 1])}, seed=0)["hits"]
    >>> found.value, found.low, found.high
    (0.75, 0.375, 1.0)
    """
    names = list(items)
    count = len(items[names[0]]) if names else 0
    if count < 2:
        return {}
    values = np.stack([items[name] for name in names], axis=1)
    tail = (1 - CONFIDENCE) / 2
    means = None
    if count <= MOST_RESAMPLED:
        means = np.concatenate([counts @ values / count for counts in resamples(count, seed)])
    found = {}
    for k, name in enumerate(names):
        column, centre = values[:, k], float(values[:, k].mean())
        if means is None:
            reach = float(ndtri(1 - tail)) * float(column.std(ddof=1)) / np.sqrt(count)
            low, high = centre - reach, centre + reach
        else:
            low, high = np.quantile(means[:, k], corrected_tails(column, means[:, k], tail))
        found[name] = Interval(
            value=centre,
            low=float(low),
            high=float(high),
            confidence=CONFIDENCE,
            method="normal" if means is None else "bca",
            items=count,
        )
    return found


def resamples(count: int, seed: int) -> Sequence[Array]:
    """How often each case is in each of `RESAMPLES` resamples, in blocks of shape (b, n), drawn from a seed."""
    rng = np.random.default_rng([seed, count])
    blocks, step = [], max(1, _BLOCK // count)
    for start in range(0, RESAMPLES, step):
        size = min(step, RESAMPLES - start)
        drawn = rng.integers(0, count, (size, count)) + count * np.arange(size)[:, None]
        blocks.append(np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count).astype(np.uint16))
    return blocks


def means(items: Mapping[str, Array], seed: int, notes: Mapping[str, str]) -> Iterator[Score]:
    """The mean of each score with its interval, and what its note says."""
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
