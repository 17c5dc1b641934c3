"""Whether two sets of decisions differ: McNemar's exact test, and Holm's correction for several tests at once."""

from __future__ import annotations

from collections.abc import Sequence

from pbn.scores.inputs import wrong


def mcnemar(first_only: int, second_only: int) -> float:
    """The exact two-sided p-value of McNemar's test (McNemar 1947): the discordant cases are fair coins.

    Parameters
    ----------
    first_only, second_only
        Cases that only the one, or only the other, decides rightly.

    Raises
    ------
    ScoreError
        ``scores/number``: a count below 0.

    Examples
    --------
    >>> mcnemar(6, 0), mcnemar(3, 3), mcnemar(0, 0)
    (0.03125, 1.0, 1.0)
    """
    from scipy.stats import binomtest

    if min(first_only, second_only) < 0:
        raise wrong("number", "a number of cases is at least 0", found=f"{first_only}, {second_only}")
    discordant = first_only + second_only
    return float(binomtest(first_only, discordant).pvalue) if discordant else 1.0


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
        if not 0 <= p <= 1:
            raise wrong("probability", f"p-value {k} is no probability", found=str(p), allowed="numbers from 0 to 1")
    corrected, least = [1.0] * len(p_values), 0.0
    for i, k in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, p_values[k] * (len(p_values) - i)))
        corrected[k] = least
    return corrected
