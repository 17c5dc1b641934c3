"""The Bayes error where exact enumeration is out of reach: sampled cases, each with its exact posterior."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.exact.engine import Engine
from pbn.exact.sample import sample_codes


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate of ε*, not an exact value: the mean of 1 − max_y P(y | x) over sampled cases.

    With probability at least ``confidence`` over the draw, ε* lies in [``low``, ``high``].
    """

    value: float
    low: float
    high: float
    confidence: float
    samples: int


def estimate_bayes_error(
    engine: Engine,
    target: str,
    visible: Sequence[str],
    *,
    samples: int,
    rng: np.random.Generator,
    confidence: float = 0.95,
    advance: Callable[[], None] = lambda: None,
) -> Estimate:
    """Estimate ε* of a visible set from ``samples`` cases drawn from the network.

    Each case's posterior is computed by elimination in float64, so only the choice of cases is random. The
    interval is the two-sided empirical Bernstein bound of Maurer and Pontil (2009, theorem 4) for
    losses in [0, 1 − 1/K]: it holds for every n, without an assumption on the losses' law.

    Parameters
    ----------
    advance
        Called once for each case, for a progress bar.

    Raises
    ------
    BudgetError
        A single posterior would take more memory than the engine's budget.
    """
    drawn = sample_codes(engine.network, visible, samples, rng)
    cases = np.stack([drawn[name] for name in visible], axis=1) if visible else np.zeros((samples, 0), dtype=np.intp)
    known: dict[bytes, float] = {}
    losses = np.empty(samples)
    for position, case in enumerate(cases):
        key = case.tobytes()
        if key not in known:
            evidence = dict(zip(visible, case.tolist(), strict=True))
            known[key] = 1 - max(engine.posterior(target, evidence, "float").probs.values())
        losses[position] = known[key]
        advance()
    most = 1 - 1 / engine.network.size(target)
    mean, log = float(losses.mean()), math.log(4 / (1 - confidence))
    variance = float(losses.var(ddof=1)) if samples > 1 else 0.0
    width = math.sqrt(2 * variance * log / samples) + 7 * most * log / (3 * max(samples - 1, 1))
    return Estimate(
        value=mean, low=max(0.0, mean - width), high=min(most, mean + width), confidence=confidence, samples=samples
    )
