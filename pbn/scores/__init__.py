"""Numbers from predictions and truth: arrays in, floats or frozen results out.

The functions that most people want can be had from here, ``from pbn import scores``; each is imported when it is
asked for. Their modules hold more, such as `pbn.scores.smooth_ece` and `pbn.scores.multicalibration`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbn.scores.accuracy import (
        bayes_accuracy,
        bayes_decisions,
        expected_accuracy,
        mean_interval,
        paired_difference,
        realized_accuracy,
    )
    from pbn.scores.calibration import Binning, ece, noise_floor, reliability, true_calibration_error
    from pbn.scores.inputs import ScoreError
    from pbn.scores.leak import leak_test
    from pbn.scores.proper import (
        brier,
        conditional_entropy,
        expected_brier,
        expected_log_loss,
        kl_divergence,
        l1_distance,
        log_loss,
        squared_distance,
    )
    from pbn.scores.transport import wasserstein

_HOMES = {
    "accuracy": (
        "bayes_accuracy", "bayes_decisions", "expected_accuracy", "mean_interval", "paired_difference",
        "realized_accuracy",
    ),
    "calibration": ("Binning", "ece", "noise_floor", "reliability", "true_calibration_error"),
    "inputs": ("ScoreError",),
    "leak": ("leak_test",),
    "proper": (
        "brier", "conditional_entropy", "expected_brier", "expected_log_loss", "kl_divergence", "l1_distance",
        "log_loss", "squared_distance",
    ),
    "transport": ("wasserstein",),
}  # fmt: skip
__all__ = [
    "Binning", "ScoreError", "bayes_accuracy", "bayes_decisions", "brier", "conditional_entropy", "ece",
    "expected_accuracy", "expected_brier", "expected_log_loss", "kl_divergence", "l1_distance", "leak_test",
    "log_loss", "mean_interval", "noise_floor", "paired_difference", "realized_accuracy", "reliability",
    "squared_distance", "true_calibration_error", "wasserstein",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
