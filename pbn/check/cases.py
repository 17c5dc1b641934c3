"""Cases on which promises are tested: drawn from the world itself, so each of them can happen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pbn.exact.sample import sample_codes
from pbn.network.model import Network


def distinct_cases(network: Network, names: Sequence[str], count: int, seed: int) -> list[dict[str, int]]:
    """``count`` independent cases of some variables without the repeated ones, in order of appearance."""
    if not names:
        return [{}]
    codes = sample_codes(network, names, count, np.random.default_rng(seed))
    rows = np.stack([codes[name] for name in names], axis=1).tolist()
    return [dict(zip(names, row, strict=True)) for row in dict.fromkeys(map(tuple, rows))]


def case_text(network: Network, case: dict[str, int]) -> str:
    """A case as people write it: ``variable=state``, separated by commas."""
    return ", ".join(f"{name}={network.variables[name].states[code]}" for name, code in case.items())
