"""The published protocol: which rows are for training, which are test, which are shown as examples."""

from __future__ import annotations

from collections.abc import Mapping

POOL = (0, 1000)
"""Rows of the training pool (ProbabilityBench, section 5): from, and up to but not with."""
TEST = (1000, 1500)
"""Test rows."""
TRAINING = 50
"""The first rows of the pool, where a method is given 50 training examples."""
DEMONSTRATIONS = (0, 10, 25, 50)
"""Numbers of demonstrations before a question: prefixes of the pool, each within the next."""
SEEDS = (2032, 2033, 2034)
"""Seeds of the published comparisons."""


def splits(start: int, stop: int) -> dict[str, tuple[int, int]]:
    """The protocol's runs of rows that lie within rows ``start`` to ``stop`` − 1.

    Examples
    --------
    >>> splits(0, 1500)["test"], splits(0, 1500)["demonstrations_25"]
    ((1000, 1500), (0, 25))
    >>> list(splits(0, 60))
    ['train_50', 'demonstrations_10', 'demonstrations_25', 'demonstrations_50']
    """
    runs: Mapping[str, tuple[int, int]] = {
        "pool": POOL,
        "test": TEST,
        f"train_{TRAINING}": (0, TRAINING),
        **{f"demonstrations_{count}": (0, count) for count in DEMONSTRATIONS if count},
    }
    return {name: run for name, run in runs.items() if start <= run[0] and run[1] <= stop}
