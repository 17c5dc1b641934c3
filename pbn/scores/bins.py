"""Which bin a predicted probability falls in."""

from __future__ import annotations

import numpy as np

from pbn.scores.inputs import Array, whole

MOST_BINS = 10**6


def equal_width_edges(count: int) -> Array:
    """The edges 0, 1/B, …, 1 of B bins of equal width, (B + 1,).

    Examples
    --------
    >>> equal_width_edges(4)
    array([0.  , 0.25, 0.5 , 0.75, 1.  ])
    """
    count = whole(count, "the number of bins", most=MOST_BINS)
    return np.arange(count + 1) / count


def equal_width_bins(q: Array, count: int) -> Array:
    """Bin j = [j/B, (j+1)/B) of each probability, from 0, (n,); the last bin is closed, so that 1 is in it.

    Edges are the floats nearest to j/B, so that a prediction written as a decimal falls where it should.

    Examples
    --------
    >>> equal_width_bins(np.array([0.0, 0.1, 0.3, 0.6, 0.7, 1.0]), 10)
    array([0, 1, 3, 6, 7, 9])
    """
    edges = equal_width_edges(count)
    edges[-1] = np.inf
    found = np.minimum((q * count).astype(np.intp), count - 1)
    found += q >= edges[found + 1]  # q · B was rounded
    found -= q < edges[found]
    return found


def equal_mass_edges(q: Array, count: int, weight: Array | None = None) -> Array:
    """The inner edges of B bins of equal mass: the j/B quantiles of q (inverted CDF), each once.

    Examples
    --------
    >>> equal_mass_edges(np.array([0.1, 0.2, 0.3, 0.4]), 2)
    array([0.2])
    """
    count = whole(count, "the number of bins", most=MOST_BINS)
    if weight is None:
        ranks = -(-np.arange(1, count) * len(q) // count) - 1
        return np.unique(np.sort(q)[ranks])
    order = np.argsort(q, kind="stable")
    mass = np.cumsum(weight[order])
    slack = max(1e-12, len(q) * np.finfo(float).eps)  # as far as the rounding of the sums may reach
    ranks = np.searchsorted(mass, np.arange(1, count) / count - slack)
    return np.unique(q[order][np.minimum(ranks, len(q) - 1)])


def equal_mass_bins(q: Array, count: int, weight: Array | None = None) -> Array:
    """Bin (a, b] between quantiles of each probability, from 0, (n,); equal predictions share a bin.

    Examples
    --------
    >>> equal_mass_bins(np.array([0.1, 0.2, 0.3, 0.4]), 2), equal_mass_bins(np.full(4, 0.5), 2)
    (array([0, 0, 1, 1]), array([0, 0, 0, 0]))
    """
    return np.searchsorted(equal_mass_edges(q, count, weight), q)
