"""The minimal spanning tree of a sample."""

from __future__ import annotations

import numpy as np

from pbn.scores.inputs import Array


def crossings(rows: Array, labels: Array) -> int:
    """Edges of the Euclidean minimal spanning tree whose two ends have different labels (Friedman and Rafsky 1979).

    Prim's algorithm on the whole graph: n steps of n distances. It takes duplicates as they are, where a sparse
    matrix would take a distance of 0 for no edge. Among equal distances the first row wins.

    Examples
    --------
    >>> crossings(np.array([[0.0], [1.0], [2.5], [2.5]]), np.array([0, 0, 1, 0]))
    2
    """
    outside = np.ones(len(rows), dtype=bool)
    distances, joint = np.full(len(rows), np.inf), np.zeros(len(rows), dtype=np.intp)
    last, found = 0, 0
    for _ in range(len(rows) - 1):
        outside[last] = False
        gaps = rows - rows[last]
        new = np.einsum("ij,ij->i", gaps, gaps)
        nearer = new < distances
        distances[nearer], joint[nearer] = new[nearer], last
        last = int(np.where(outside, distances, np.inf).argmin())
        found += int(labels[last] != labels[joint[last]])
    return found
