"""Numbers from predictions and truth: arrays in, floats or frozen results out.

What is true comes first and what is scored after it: ``log_loss(y, q)``, ``kl_divergence(p, q)``. All functions that
people call can be had from here, ``from pbn import scores``; each is imported when it is asked for. The modules behind
them hold the parts that they are made of.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbn.scores.accuracy import (
        bayes_accuracy,
        bayes_decisions,
        cohen_kappa,
        expected_accuracy,
        mean_interval,
        paired_difference,
        realized_accuracy,
    )
    from pbn.scores.bayes_error import (
        ESTIMATORS,
        Estimator,
        henze_penrose,
        k_nearest,
        model_error,
        one_nearest,
        soft_label_mean,
    )
    from pbn.scores.calibration import Binning, ece, noise_floor, reliability, true_calibration_error
    from pbn.scores.higher_order_calibration import (
        bayes_mixtures,
        fit_snapshots,
        higher_order,
        snapshot_law,
        target_separation,
    )
    from pbn.scores.inputs import ScoreError
    from pbn.scores.leak import combine, leak_test
    from pbn.scores.poisson_binomial import PoissonBinomial
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
    from pbn.scores.significance import holm, mcnemar
    from pbn.scores.smooth_calibration import smooth_ece, true_smooth_ece
    from pbn.scores.transport import wasserstein
    from pbn.scores.witness_multicalibration import empirical_multicalibration, hoeffding_radius, multicalibration

_HOMES = {
    "accuracy": (
        "bayes_accuracy", "bayes_decisions", "cohen_kappa", "expected_accuracy", "mean_interval",
        "paired_difference", "realized_accuracy",
    ),
    "bayes_error": (
        "ESTIMATORS", "Estimator", "henze_penrose", "k_nearest", "model_error", "one_nearest", "soft_label_mean",
    ),
    "calibration": ("Binning", "ece", "noise_floor", "reliability", "true_calibration_error"),
    "higher_order_calibration": (
        "bayes_mixtures", "fit_snapshots", "higher_order", "snapshot_law", "target_separation",
    ),
    "inputs": ("ScoreError",),
    "leak": ("combine", "leak_test"),
    "poisson_binomial": ("PoissonBinomial",),
    "proper": (
        "brier", "conditional_entropy", "expected_brier", "expected_log_loss", "kl_divergence", "l1_distance",
        "log_loss", "squared_distance",
    ),
    "significance": ("holm", "mcnemar"),
    "smooth_calibration": ("smooth_ece", "true_smooth_ece"),
    "transport": ("wasserstein",),
    "witness_multicalibration": ("empirical_multicalibration", "hoeffding_radius", "multicalibration"),
}  # fmt: skip
__all__ = [
    "ESTIMATORS", "Binning", "Estimator", "PoissonBinomial", "ScoreError", "bayes_accuracy", "bayes_decisions",
    "bayes_mixtures", "brier", "cohen_kappa", "combine", "conditional_entropy", "ece", "empirical_multicalibration",
    "expected_accuracy", "expected_brier", "expected_log_loss", "fit_snapshots", "henze_penrose", "higher_order",
    "hoeffding_radius", "holm", "k_nearest", "kl_divergence", "l1_distance", "leak_test", "log_loss", "mcnemar",
    "mean_interval", "model_error", "multicalibration", "noise_floor", "one_nearest", "paired_difference",
    "realized_accuracy", "reliability", "smooth_ece", "snapshot_law", "soft_label_mean", "squared_distance",
    "target_separation", "true_calibration_error", "true_smooth_ece", "wasserstein",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(importlib.import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *globals()})
