"""The minimal spanning tree of a sample."""

from __future__ import annotations

import numpy as np

from pbn.scores.inputs import Array


def crossings(rows: Array, labels: Array, rng: np.random.Generator) -> int:
    """Edges of the Euclidean minimal spanning tree whose two ends have different labels (Friedman and Rafsky 1979).

    Prim's algorithm on the whole graph: n steps of n distances. It takes duplicates as they are, where a sparse
    matrix would take a distance of 0 for no edge. Among equal distances both ends of an edge are chosen at random: so
    m₀ and m₁ duplicates of the two labels cross 2·m₀·m₁/(m₀ + m₁) times on average, as often as random pairs of them,
    and no single one of them is the hub of all.

    Examples
    --------
    >>> crossings(np.array([[0.0], [1.0], [2.5], [4.5]]), np.array([0, 0, 1, 0]), np.random.default_rng(0))
    2
    """
    order = rng.permutation(len(rows))
    rows, labels = rows[order], labels[order]
    outside = np.ones(len(rows), dtype=bool)
    distances = np.full(len(rows), np.inf)
    joint, ties = np.zeros(len(rows), dtype=np.intp), np.zeros(len(rows), dtype=np.intp)
    last, found = 0, 0
    for _ in range(len(rows) - 1):
        outside[last] = False
        gaps = rows - rows[last]
        new = np.einsum("ij,ij->i", gaps, gaps)
        ties[new == distances] += 1
        ties[new < distances] = 1
        near = np.flatnonzero(outside & (new <= distances))
        joint[near[rng.random(len(near)) * ties[near] < 1]] = last  # each of k equally near ones is kept with 1/k
        np.minimum(distances, new, out=distances)
        last = int(np.where(outside, distances, np.inf).argmin())
        found += int(labels[last] != labels[joint[last]])
    return found
