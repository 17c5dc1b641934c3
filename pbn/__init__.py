"""Worlds whose probabilities are known exactly: world file in, exact answers out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbn.check.checking import check_world
    from pbn.comparison import compare_levels
    from pbn.errors import BudgetError, Fault, NetworkError, PbnError, Place, QueryError, SpecError
    from pbn.exact.answers import BayesError
    from pbn.exact.engine import Posterior
    from pbn.from_network import from_pgmpy
    from pbn.loading import load, loads, shipped_worlds
    from pbn.network.model import Network
    from pbn.world import World

__version__ = "0.1.0"

_HOMES = {
    "BayesError": "pbn.exact.answers",
    "BudgetError": "pbn.errors",
    "Fault": "pbn.errors",
    "Network": "pbn.network.model",
    "NetworkError": "pbn.errors",
    "PbnError": "pbn.errors",
    "Place": "pbn.errors",
    "Posterior": "pbn.exact.engine",
    "QueryError": "pbn.errors",
    "SpecError": "pbn.errors",
    "World": "pbn.world",
    "check_world": "pbn.check.checking",
    "compare_levels": "pbn.comparison",
    "from_pgmpy": "pbn.from_network",
    "load": "pbn.loading",
    "loads": "pbn.loading",
    "shipped_worlds": "pbn.loading",
}
__all__ = [
    "BayesError", "BudgetError", "Fault", "Network", "NetworkError", "PbnError", "Place", "Posterior",
    "QueryError", "SpecError", "World", "check_world", "compare_levels", "from_pgmpy", "load", "loads",
    "shipped_worlds",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pbn' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
