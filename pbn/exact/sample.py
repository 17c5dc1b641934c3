"""Ancestral sampling of cases from a network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbn.network.chain import chained
from pbn.network.graph import ancestors
from pbn.network.model import Array, IndexMap, Network


def sample_codes(network: Network, names: Sequence[str], count: int, rng: np.random.Generator) -> dict[str, Array]:
    """Positions of the states of ``names`` in independent cases, each array of length ``count``.

    Every variable is drawn given its parents, by inversion of the float64 row; deterministic ones
    are computed. States of probability zero are never drawn.

    Examples
    --------
    >>> import numpy as np, pbn
    >>> network = pbn.load("credit_risk").network
    >>> codes = sample_codes(network, ["cycle", "default"], 1000, np.random.default_rng(0))
    >>> codes["default"].shape
    (1000,)
    """
    view = chained(network, ())
    needed = ancestors(view, names)
    codes: dict[str, Array] = {}
    for name in view.variables:
        if name not in needed:
            continue
        cpd = view.cpds[name]
        where = tuple(codes[parent] for parent in cpd.parents)
        if isinstance(cpd, IndexMap):
            codes[name] = np.broadcast_to(cpd.index[where], count)
        else:
            codes[name] = _draw(cpd.probabilities, where, rng.random(count))  # type: ignore[union-attr]
    return {name: codes[name] for name in names}


def _draw(probabilities: Array, where: tuple[Array, ...], uniform: Array) -> Array:
    """The state at which each case's row of cumulative probabilities passes its uniform number."""
    rows = probabilities.reshape(-1, probabilities.shape[-1])
    cumulative = np.cumsum(rows, axis=1)
    cumulative /= cumulative[:, -1:]
    row: Array = np.zeros(len(uniform), dtype=np.intp)
    if where:
        row = np.broadcast_to(np.ravel_multi_index(where, probabilities.shape[:-1]), uniform.shape)
    # One sorted search over all rows: row r occupies the interval [r, r + 1).
    flat = (cumulative + np.arange(len(rows))[:, None]).ravel()
    found = np.searchsorted(flat, row + uniform, side="right") - row * rows.shape[1]
    last_possible = rows.shape[1] - 1 - np.argmax(rows[:, ::-1] > 0, axis=1)
    drawn: Array = np.minimum(found, last_possible[row])
    return drawn
