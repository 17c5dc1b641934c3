"""The studies there are, each loaded when it is run."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from pbn.errors import Fault, PbnError, listing, nearest
from pbn.studies.study import Study

NAMES: Mapping[str, str] = {
    "settings": "what each hiding level shows, ε* and entropy",
    "worlds": "states, groups, coverage by 50 cases",
    "residual": "ε* and entropy as the residual grows",
    "accuracy": "realized and expected accuracy at 50 cases; leaks",
    "bounds": "nearest-neighbour bounds beside ε*",
    "multicalibration": "multicalibration error, estimated and true",
    "snapshots": "snapshot and higher-order calibration",
    "population": "accuracy and divergence of a regression without sampling",
    "convergence": "how far the references are from each other",
}
"""Name → what it shows, in the order in which they are run."""


def checked_name(name: str) -> str:
    """The name, if there is such a study.

    Raises
    ------
    PbnError
        ``studies/unknown``, with the nearest name.
    """
    if name not in NAMES:
        message = f"there is no study {name[:60]!r}"
        raise PbnError(
            Fault(code="studies/unknown", message=message, allowed=listing(NAMES), hint=nearest(name, NAMES))
        )
    return name


def study(name: str) -> Study:
    """A study by name.

    Examples
    --------
    >>> study("settings").title
    'The settings'
    """
    found: Study = importlib.import_module(f"pbn.studies.{checked_name(name)}").STUDY
    return found
