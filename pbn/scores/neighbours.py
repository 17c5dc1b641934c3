"""The held-out error of nearest neighbours, its mean over all ways to break ties between distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import hypergeom

from pbn.scores.inputs import Array, wrong

TIE = 1e-9
"""Distances closer to each other than this, relatively, are equal: they differ by the rounding of a sum."""
_CELLS = 2**22


def neighbour_error(fitted: Array, labels: Array, held: Array, truth: Array, k: int) -> float:
    """Share of held-out cases that their k nearest fitted cases (Euclidean) outvote.

    Where several fitted cases are equally far, which of them are among the k nearest would be chosen uniformly at
    random; the error is its exact mean over that choice. So it depends on no order of rows, and it is what a
    predictor that breaks ties at random has on average.

    Parameters
    ----------
    fitted, labels
        Shapes (m, d) and (m,), classes from 0.
    held, truth
        Shapes (n, d) and (n,).
    k
        1, or for two classes any odd number up to m.

    Raises
    ------
    ScoreError
        ``scores/extra``: scikit-learn is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> rows, labels = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 1, 1, 0])
    >>> round(neighbour_error(rows, labels, np.array([[0.9]]), np.array([1]), 1), 6)
    0.333333
    """
    search = scikit_learn("nearest neighbours").NearestNeighbors(algorithm="kd_tree", leaf_size=200).fit(fitted)
    wrong_votes, pending, near = 0.0, np.arange(len(held)), min(len(fitted), k + 7)
    while len(pending):
        later = []
        for part in np.array_split(pending, -(-len(pending) * near // _CELLS)):
            distances, found = search.kneighbors(held[part], near)
            # All that are as near as the k-th are in hand once one is farther, or all are in hand.
            whole = (distances[:, -1] > distances[:, k - 1] * (1 + TIE)) | (near == len(fitted))
            later.append(part[~whole])
            wrong_votes += _wrong_votes(distances[whole], labels[found[whole]], truth[part[whole]], k)
        pending, near = np.concatenate(later), min(len(fitted), 4 * near)
    return wrong_votes / len(held)


def _wrong_votes(distances: Array, votes: Array, truth: Array, k: int) -> float:
    """Expected number of wrong decisions; rows of ``distances`` rise and hold all that tie with the k-th."""
    edge = distances[:, k - 1, None]
    closer = distances < edge * (1 - TIE)
    tied = ~closer & (distances <= edge * (1 + TIE))
    right = votes == truth[:, None]
    ties, right_ties = tied.sum(axis=1), (tied & right).sum(axis=1)
    if k == 1:
        return float((1 - right_ties / ties).sum())
    places, sure = k - closer.sum(axis=1), (closer & right).sum(axis=1)
    # Among the tied ones that get the places left, the right votes are hypergeometric; (k + 1) / 2 of k are needed.
    return float(hypergeom.cdf((k - 1) // 2 - sure, ties, right_ties, places).sum())


def scikit_learn(purpose: str) -> Any:
    """The module ``sklearn.neighbors``, with ``sklearn`` loaded.

    Raises
    ------
    ScoreError
        ``scores/extra``: it is not installed.
    """
    try:
        import sklearn.neighbors
    except ImportError:
        message = f"{purpose} need scikit-learn, which is not installed"
        raise wrong("extra", message, hint="pip install 'pbn[eval]'") from None
    return sklearn.neighbors
