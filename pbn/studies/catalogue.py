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
    "population": "population values of fitted models without sampling",
    "convergence": "how far the references are from each other",
}
"""Name → what it shows, in the order in which they are run."""


def checked_name(name: str) -> str:
    """The study of this name, or the only one whose name begins so.

    Raises
    ------
    PbnError
        ``studies/unknown``, with the nearest name.

    Examples
    --------
    >>> checked_name("snapshot")
    'snapshots'
    """
    begun = [known for known in NAMES if name and known.startswith(name)]
    if name in NAMES or len(begun) == 1:
        return name if name in NAMES else begun[0]
    message = f"there is no study {name[:60]!r}" if not begun else f"{name!r} begins the name of several studies"
    allowed = listing(begun or NAMES)
    raise PbnError(Fault(code="studies/unknown", message=message, allowed=allowed, hint=nearest(name, NAMES)))


def study(name: str) -> Study:
    """A study by name.

    Examples
    --------
    >>> study("settings").title
    'The settings'
    """
    found: Study = importlib.import_module(f"pbn.studies.{checked_name(name)}").STUDY
    return found
