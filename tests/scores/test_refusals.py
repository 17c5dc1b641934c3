"""Arguments of the wrong kind are refused with one clear error, whichever score they are given to."""

from __future__ import annotations

import numpy as np
import pytest

from pbn.scores import (
    PoissonBinomial,
    ScoreError,
    brier,
    cohen_kappa,
    ece,
    empirical_multicalibration,
    henze_penrose,
    holm,
    k_nearest,
    kl_divergence,
    leak_test,
    log_loss,
    mcnemar,
    mean_interval,
    model_error,
    multicalibration,
    noise_floor,
    one_nearest,
    paired_difference,
    realized_accuracy,
    reliability,
    true_calibration_error,
    wasserstein,
)
from pbn.scores.calibration import Binning
from pbn.scores.features import Number
from pbn.scores.significance import log_holm
from pbn.scores.smooth_calibration import smooth_ece_at

Y, Q = [0, 1, 1, 0], [0.2, 0.7, 0.4, 0.1]
ROWS = [[0.0], [1.0], [2.0], [3.0]]
RNG = np.random.default_rng(0)
LAW = PoissonBinomial.of(Q)


def code_of(call):
    with pytest.raises(ScoreError) as caught:
        call()
    return caught.value.code


@pytest.mark.parametrize("binning", [15, None, "15", Binning])
def test_bins_that_are_no_binning(binning):
    assert code_of(lambda: ece(Y, Q, binning)) == "scores/option"
    assert code_of(lambda: reliability(Y, Q, binning)) == "scores/option"
    assert code_of(lambda: noise_floor(Q, RNG, binning)) == "scores/option"
    assert code_of(lambda: true_calibration_error(Q, Q, binning)) == "scores/option"


@pytest.mark.parametrize("rng", [0, "0", np.random.RandomState(0), np.random])
def test_a_seed_is_no_generator(rng):
    for call in (
        lambda: noise_floor(Q, rng),
        lambda: noise_floor(Q, rng, Binning(of="pooled")),
        lambda: mean_interval(Q, rng),
        lambda: mean_interval(Y, rng),  # though Wilson's interval draws nothing
        lambda: mean_interval(Q, rng, method="normal"),
        lambda: paired_difference(Q, Y, rng),
        lambda: paired_difference(Y, Y, rng),
        lambda: one_nearest(ROWS, Y, rng=rng),
        lambda: k_nearest(ROWS * 4, Y * 4, rng=rng),
        lambda: model_error(ROWS, Y, rng=rng, folds=2),
        lambda: henze_penrose(ROWS, Y, rng=rng),
    ):
        assert code_of(call) == "scores/generator"


@pytest.mark.parametrize("quantiles", [(1.5,), (0.5, -0.1), ("a",), (float("nan"),), 0.5, (True,)])
def test_numbers_that_are_no_quantiles(quantiles):
    assert code_of(lambda: noise_floor(Q, RNG, quantiles=quantiles)) == "scores/option"


def test_quantiles_in_any_order_and_none():
    found = noise_floor(Q, RNG, quantiles=np.array([1.0, 0.0])).quantiles
    assert [at for at, _ in found] == [1, 0]
    assert noise_floor(Q, RNG, quantiles=()).quantiles == ()


@pytest.mark.parametrize("value", ["a", None, float("nan"), [0.5], True])
def test_options_that_are_no_numbers(value):
    assert code_of(lambda: kl_divergence(Q, Q, clip=value)) == "scores/clip"
    assert code_of(lambda: log_loss(Y, Q, clip=value)) == "scores/clip"
    assert code_of(lambda: mean_interval(Y, confidence=value)) == "scores/confidence"
    assert code_of(lambda: paired_difference(Y, Y, confidence=value)) == "scores/confidence"
    assert code_of(lambda: leak_test(Q, Y, Y, confidence=value)) == "scores/confidence"
    assert code_of(lambda: multicalibration(Q, Q, [[1]] * 4, ["a"], confidence=value)) == "scores/confidence"
    assert code_of(lambda: smooth_ece_at(Y, Q, value)) == "scores/option"
    assert code_of(lambda: holm([value])) == "scores/probability"
    assert code_of(lambda: log_holm([value])) == "scores/probability"
    assert code_of(lambda: Number(lower=0, upper=value)) == "scores/support"
    assert code_of(lambda: realized_accuracy(Y, Y, classes=value)) == "scores/count"
    assert code_of(lambda: mean_interval(Q, RNG, method=np.array(["bca", "bca"]))) == "scores/option"


@pytest.mark.parametrize("count", [1.5, 2.0, "2", None, np.array([1, 2]), True])
def test_counts_are_whole(count):
    assert code_of(lambda: LAW.log_upper(count)) == "scores/count"
    assert code_of(lambda: LAW.log_lower(count)) == "scores/count"
    assert code_of(lambda: mcnemar(count, 1)) == "scores/count"
    assert code_of(lambda: mcnemar(1, count)) == "scores/count"


def test_counts_of_numpy_are_counts():
    assert mcnemar(np.int64(6), np.uint8(0)) == mcnemar(6, 0)
    assert LAW.log_upper(np.int32(2)) == LAW.log_upper(2)
    assert (LAW.log_upper(-1), LAW.log_lower(5)) == (0, 0)


HIDDEN = np.ma.masked_array(Q, [False, False, True, False])
HIDDEN_LABELS = np.ma.masked_array(Y, [False, False, True, False])


@pytest.mark.parametrize("call", [
    lambda: brier(Y, HIDDEN), lambda: brier(HIDDEN_LABELS, Q), lambda: brier(Y, Q, HIDDEN), lambda: ece(Y, HIDDEN),
    lambda: kl_divergence(HIDDEN, Q), lambda: mean_interval(HIDDEN_LABELS), lambda: leak_test(HIDDEN, Y, Y),
    lambda: leak_test(Q, HIDDEN_LABELS, Y), lambda: leak_test(Q, Y, HIDDEN_LABELS), lambda: wasserstein(HIDDEN, Q),
    lambda: cohen_kappa(Y, HIDDEN_LABELS),
    lambda: empirical_multicalibration(Y, Q, HIDDEN_LABELS.reshape(4, 1).astype(bool), ["a"]),
])  # fmt: skip
def test_masked_rows_are_named_not_read(call):
    with pytest.raises(ScoreError, match=r"row 2 of the .* is masked"):
        call()


def test_a_mask_over_nothing_hides_nothing():
    assert brier(np.ma.masked_array(Y), np.ma.masked_array(Q, False)) == brier(Y, Q)
    assert code_of(lambda: brier(np.ma.masked, Q)) == "scores/number"


def test_rows_of_unequal_length():
    ragged = [[0, 1], [1]]
    assert code_of(lambda: brier(ragged, Q)) == "scores/number"
    assert code_of(lambda: leak_test(ragged, Y, Y)) == "scores/number"
    assert code_of(lambda: multicalibration(Q, Q, ragged, ["a"])) == "scores/number"


def test_complex_numbers_do_not_lose_a_part():
    assert code_of(lambda: brier(Y, np.array(Q) + 0.1j)) == "scores/number"
    assert code_of(lambda: brier(np.array(Y) + 0j, Q)) == "scores/number"
