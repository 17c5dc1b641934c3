"""Whether two sets of decisions differ: McNemar's exact test, and Holm's correction for several tests at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import gammaln, logsumexp

from pbn.scores.inputs import number, whole, wrong


def mcnemar(first_only: int, second_only: int) -> float:
    """The exact two-sided p-value of McNemar's test (McNemar 1947): the discordant cases are fair coins.

    Parameters
    ----------
    first_only, second_only
        Cases that only the one, or only the other, decides rightly.

    Raises
    ------
    ScoreError
        ``scores/count``: no two counts of cases, whole numbers from 0.

    Examples
    --------
    >>> mcnemar(6, 0), mcnemar(3, 3), mcnemar(0, 0)
    (0.03125, 1.0, 1.0)
    """
    return math.exp(log_mcnemar(first_only, second_only))


def log_mcnemar(first_only: int, second_only: int) -> float:
    """The natural logarithm of `mcnemar`, which may be too small for a float.

    The p-value is 2 P(S ≤ the lesser count), S ~ Binomial(discordant, 1/2), at most 1.

    Examples
    --------
    >>> round(log_mcnemar(2000, 0) / math.log(10), 3)  # 1 − 2000 log2, in powers of ten
    -601.759
    """
    first_only, second_only = (whole(one, "a number of cases", 0) for one in (first_only, second_only))
    discordant, least = first_only + second_only, min(first_only, second_only)
    if 2 * least >= discordant:
        return 0.0
    j = np.arange(least + 1)
    terms = gammaln(discordant + 1) - gammaln(j + 1) - gammaln(discordant - j + 1)
    return min(0.0, float(logsumexp(terms)) + (1 - discordant) * math.log(2))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for being several (Holm 1979): each at most α keeps the chance of any false alarm at α.

    The i-th least is multiplied by how many are not less, and none comes out below one before it.

    Raises
    ------
    ScoreError
        ``scores/probability``: one is no probability.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    for k, p in enumerate(p_values):
        if not 0 <= number(p) <= 1:
            raise wrong(
                "probability", f"p-value {k} is no probability", found=str(p)[:40], allowed="numbers from 0 to 1"
            )
    return _stepped_down(p_values, lambda p, count: min(1.0, p * count))


def log_holm(log_p_values: Sequence[float]) -> list[float]:
    """`holm` on natural logarithms of p-values, and of the corrected ones.

    Examples
    --------
    >>> [round(one, 3) for one in log_holm([-1000.0, -2000.0])]
    [-1000.0, -1999.307]
    """
    for k, p in enumerate(log_p_values):
        if not number(p) <= 0:
            raise wrong("probability", f"p-value {k} is no logarithm of one", found=str(p)[:40], allowed="at most 0")
    return _stepped_down(log_p_values, lambda log_p, count: min(0.0, log_p + math.log(count)))


def _stepped_down(values: Sequence[float], corrected: Callable[[float, int], float]) -> list[float]:
    """Each value corrected for how many are not less, and none below one before it."""
    found, least = [0.0] * len(values), -math.inf
    for i, k in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        least = max(least, corrected(values[k], len(values) - i))
        found[k] = least
    return found
