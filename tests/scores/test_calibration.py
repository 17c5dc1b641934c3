"""Calibration error: values by hand, definitions told apart, true error, noise floor; smooth error against relplot."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from pbn.scores.bins import equal_mass_bins, equal_mass_edges, equal_width_bins, equal_width_edges
from pbn.scores.calibration import Binning, ece, noise_floor, reliability, true_calibration_error
from pbn.scores.inputs import ScoreError
from pbn.scores.smooth_calibration import smooth_ece, smooth_ece_at, true_smooth_ece

EVERY = [
    Binning(count=count, width=width, of=of, norm=norm)
    for count in (1, 7)
    for width in ("equal-width", "equal-mass")
    for of in ("positive", "top-label", "pooled")
    for norm in ("l1", "l2", "max")
]


def drawn(seed, n=400, digits=2):
    rng = np.random.default_rng(seed)
    q = np.round(rng.random(n), digits)
    return rng, q, (rng.random(n) < q**2).astype(int)


# -- bins --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 10, 49, 100, 1000])
def test_edges_begin_their_bins(count):
    edges = equal_width_edges(count)
    assert equal_width_bins(edges, count).tolist() == [*range(count), count - 1]
    below = np.nextafter(edges[1:-1], 0)
    assert equal_width_bins(below, count).tolist() == list(range(count - 1))
    q = np.random.default_rng(count).random(2000)
    assert (equal_width_bins(q, count) == np.searchsorted(edges[1:-1], q, "right")).all()


def test_bins_of_equal_mass():
    q = np.random.default_rng(0).random(1000)
    assert np.bincount(equal_mass_bins(q, 10)).tolist() == [100] * 10
    assert (equal_mass_bins(q, 10, np.full(1000, 1 / 1000)) == equal_mass_bins(q, 10)).all()
    ties = np.array([0.1, 0.5, 0.5, 0.5, 0.9])
    found = equal_mass_bins(ties, 3)
    assert len(set(found[1:4])) == 1
    assert found[0] <= found[1] <= found[4]


@pytest.mark.parametrize("n", [999, 100_003, 1_000_000])
def test_bins_of_equal_weights_are_those_of_none(n):
    """Sums of a million weights are off by more than a fixed slack allows."""
    equal = np.full(n, 1 / n)
    for q in ((np.arange(n) * 10 // n + 0.5) / 10, np.random.default_rng(1).random(n)):
        for count in (2, 10, 300):
            assert (equal_mass_edges(q, count, equal) == equal_mass_edges(q, count)).all()


# -- binned ------------------------------------------------------------------------------------------


def test_ids():
    assert Binning().id() == "ece[10 equal-width, positive, l1]"
    assert ece([1], [0.5]).id == "ece[10 equal-width, positive, l1]"
    assert len({binning.id() for binning in EVERY}) == len(EVERY)
    with pytest.raises(ScoreError, match="no norm 'l3'"):
        Binning(norm="l3")
    with pytest.raises(ScoreError, match="scores/count"):
        Binning(count=0)


def test_by_hand():
    q, y = [0.0, 0.05, 0.95, 1.0], [0, 1, 1, 0]
    gaps = [0.5 - 0.025, 0.975 - 0.5]
    assert ece(y, q).value == pytest.approx(sum(gaps) / 2)
    assert ece(y, q, Binning(norm="l2")).value == pytest.approx(np.sqrt(np.mean(np.square(gaps))))
    assert ece(y, q, Binning(norm="max")).value == pytest.approx(max(gaps))
    shown = reliability(y, q)
    assert shown.bin.tolist() == [0, 9]
    assert shown.mass.tolist() == [0.5, 0.5]
    assert ece([0], [1.0]).value == 1
    assert ece([0, 0], [0.0, 0.0]).value == 0  # one class absent
    assert ece([1] * 3 + [0] * 7, [0.3] * 10).value == pytest.approx(0, abs=1e-15)  # a constant predictor


def test_top_label_and_pooled_by_hand():
    q, y = [[0.7, 0.2, 0.1], [0.1, 0.45, 0.45]], [0, 2]
    top = ece(y, q, Binning(of="top-label"))
    assert top.value == pytest.approx((0.3 + 0.45) / 2)  # the tie is decided for class 1, which did not come out
    pooled = [(0.7, 1), (0.2, 0), (0.1, 0), (0.1, 0), (0.45, 0), (0.45, 1)]
    cells = {}
    for probability, hit in pooled:
        cells.setdefault(int(probability * 10 + 1e-9), []).append(hit - probability)
    assert ece(y, q, Binning(of="pooled")).value == pytest.approx(sum(abs(sum(gap)) for gap in cells.values()) / 6)
    with pytest.raises(ScoreError, match="3 classes"):
        ece(y, q)


def test_against_scikit_learn():
    rng = np.random.default_rng(1)
    q = rng.random(2000)
    y = (rng.random(2000) < q**1.5).astype(int)
    rate, prediction = calibration_curve(y, q, n_bins=10)
    shown = reliability(y, q)
    assert shown.outcome == pytest.approx(rate)
    assert shown.prediction == pytest.approx(prediction)
    assert ece(y, q).value == pytest.approx(shown.mass @ np.abs(rate - prediction))


@pytest.mark.parametrize("binning", EVERY, ids=lambda binning: binning.id())
def test_rows_in_another_order_or_doubled(binning):
    """To 1e-12: sums are taken in another order."""
    rng, q, y = drawn(2)
    plain = ece(y, q, binning).value
    order = rng.permutation(len(q))
    assert ece(y[order], q[order], binning).value == pytest.approx(plain, abs=1e-12)
    assert ece(np.repeat(y, 2), np.repeat(q, 2), binning).value == pytest.approx(plain, abs=1e-12)
    assert ece(y, q, binning, np.full(len(q), 3.0)).value == pytest.approx(plain, abs=1e-12)
    true = true_calibration_error(y.astype(float), q, binning)  # labels as probabilities
    assert true.value == pytest.approx(plain, abs=1e-12)
    assert true.id == binning.id("true-ce")


@pytest.mark.parametrize("binning", EVERY, ids=lambda binning: binning.id())
def test_rows_of_weight_0_count_for_nothing(binning):
    rng, q, y = drawn(10)
    weight = rng.random(400)
    more, labels = np.concatenate([[0.0, 1.0], q, rng.random(50)]), np.concatenate([[1, 0], y, rng.integers(0, 2, 50)])
    zeros = np.concatenate([[0, 0], weight, np.zeros(50)])
    assert ece(labels, more, binning, zeros).value == pytest.approx(ece(y, q, binning, weight).value, abs=1e-12)
    assert smooth_ece(labels, more, zeros) == pytest.approx(smooth_ece(y, q, weight), abs=1e-9)


def test_classes_relabelled():
    rng = np.random.default_rng(3)
    q, y, names = rng.dirichlet(np.ones(4), 200), rng.integers(0, 4, 200), rng.permutation(4)
    for of in ("top-label", "pooled"):
        binning = Binning(of=of)
        renamed = ece(np.argsort(names)[y], q[:, names], binning).value
        assert renamed == pytest.approx(ece(y, q, binning).value, abs=1e-12)


# -- true --------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32))
def test_bins_only_hide_error(seed):
    rng = np.random.default_rng(seed)
    q, p, weight = np.round(rng.random(60), 1), rng.random(60), rng.random(60)
    for norm in ("l1", "l2", "max"):
        whole = true_calibration_error(p, q, norm, weight).value
        for count in (1, 3, 7):
            for width in ("equal-width", "equal-mass"):
                binned = true_calibration_error(p, q, Binning(count=count, norm=norm, width=width), weight).value
                assert binned <= whole + 1e-12
    assert true_calibration_error(q, q).value == 0
    assert true_calibration_error(q, q, "max").value == 0


def test_true_error_is_the_limit_of_the_binned_one():
    rng = np.random.default_rng(4)
    q = rng.choice([0.1, 0.35, 0.8], 400_000)
    p = np.clip(q + rng.choice([-0.1, 0.2], len(q)), 0, 1)
    true = true_calibration_error(p, q).value
    assert true == pytest.approx(0.05, abs=0.001)
    assert ece((rng.random(len(q)) < p).astype(int), q).value == pytest.approx(true, abs=0.003)
    assert true_smooth_ece(p, q) == pytest.approx(0.05, abs=0.002)


# -- noise floor -------------------------------------------------------------------------------------


def test_floor_of_a_constant_predictor():
    n, rate = 40, 0.3
    counts = np.random.default_rng(0).binomial(n, rate, 200_000)
    expected = np.abs(counts / n - rate)
    found = noise_floor([rate] * n, np.random.default_rng(1), resamples=20_000)
    assert found.mean == pytest.approx(expected.mean(), rel=0.03)
    assert [value for _, value in found.quantiles] == pytest.approx(np.quantile(expected, [0.05, 0.5, 0.95]), abs=0.005)


@pytest.mark.parametrize("binning", [
    Binning(), Binning(width="equal-mass"), Binning(of="top-label", norm="l2"), Binning(of="pooled", norm="max"),
])  # fmt: skip
def test_floor_is_the_error_of_labels_drawn_from_the_predictions(binning):
    for digits in (1, 9):  # few distinct predictions are drawn as counts, many one by one
        rng, q, _ = drawn(5, n=150, digits=digits)
        errors = [ece((rng.random(150) < q).astype(int), q, binning).value for _ in range(1500)]
        found = noise_floor(q, np.random.default_rng(6), binning, resamples=1500)
        assert found.mean == pytest.approx(np.mean(errors), abs=4 * np.std(errors) / np.sqrt(750))
        assert found.quantiles[1][1] == pytest.approx(np.median(errors), abs=0.1 * np.median(errors))
        assert found.id == binning.id("noise-floor")
    assert noise_floor([0.0, 1.0], rng, binning).mean == 0


# -- smooth ------------------------------------------------------------------------------------------


def smooth_by_quadrature(q, r, bandwidth, points=20_001):
    """∫ |mean of r K(q, t)| dt, the mirror images of t summed one by one."""
    t = np.linspace(0, 1, points)
    total = np.zeros(points)
    for value, residual in zip(q, r, strict=True):
        for k in range(-8, 9):
            for image in (2 * k + t, 2 * k - t):
                total += residual * np.exp(-((value - image) ** 2) / (2 * bandwidth**2))
    total /= len(q) * bandwidth * np.sqrt(2 * np.pi)
    return np.trapezoid(np.abs(total), t)


@pytest.mark.parametrize("bandwidth", [0.004, 0.05, 0.3, 1.0])
def test_smooth_error_is_its_definition(bandwidth):
    rng = np.random.default_rng(7)
    q = np.concatenate([[0.0, 1.0, 0.5], rng.random(9)])
    y = rng.integers(0, 2, 12)
    expected = smooth_by_quadrature(q, y - q, bandwidth)
    assert smooth_ece_at(y, q, bandwidth) == pytest.approx(expected, rel=2e-4)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0, 0.3]))
@settings(max_examples=10, deadline=None)
def test_smooth_error_is_a_fixed_point(seed, power):
    rng = np.random.default_rng(seed)
    q = rng.random(200)
    y = (rng.random(200) < q**power).astype(int)
    found = smooth_ece(y, q)
    assert smooth_ece_at(y, q, found) == pytest.approx(found, abs=1e-8)
    order = rng.permutation(200)
    assert smooth_ece(y[order], q[order]) == pytest.approx(found, abs=1e-9)
    assert smooth_ece(np.repeat(y, 2), np.repeat(q, 2)) == pytest.approx(found, abs=1e-9)
    assert smooth_ece(1 - y, 1 - q) == pytest.approx(found, abs=1e-9)  # the classes relabelled


def test_smooth_error_at_the_ends():
    assert smooth_ece([0, 1], [0.0, 1.0]) == 0
    assert smooth_ece([1], [0.0]) == pytest.approx(1)
    assert smooth_ece([1], [0.25]) == pytest.approx(0.75)
    assert true_smooth_ece([0.1, 0.9], [0.1, 0.9]) == 0
    with pytest.raises(ScoreError, match="bandwidth"):
        smooth_ece_at([1], [0.5], 0)


@pytest.mark.parametrize("off", [0.04, 0.01, 0.0025])
def test_smooth_error_may_be_of_the_order_of_the_root_of_the_distance(off):
    """Predictions ½ ± d of certain outcomes: ½ for all is calibrated, and no farther than d."""
    found = smooth_ece([0, 1], [0.5 - off, 0.5 + off])
    assert found <= 2 * np.sqrt(off)
    assert found / smooth_ece([0, 1], [0.5 - off / 4, 0.5 + off / 4]) == pytest.approx(2, rel=0.1)


def test_one_signed_residuals_keep_their_mean():
    q = np.random.default_rng(9).beta(0.3, 2, 500)
    assert true_smooth_ece(q**2, q) == pytest.approx((q - q**2).mean(), abs=1e-9)


RELPLOT = [  # smECE of relplot 1.0.3, the authors' own program, on the rows that `spread` makes
    ("even", 1, 0.01355), ("even", 2, 0.17079), ("even", 0.5, 0.16465),
    ("low", 1, 0.01228), ("low", 2, 0.10945), ("low", 0.5, 0.15872),
    ("ends", 1, 0.00400), ("ends", 2, 0.09400), ("ends", 0.5, 0.13500),
]  # fmt: skip


def spread(kind, power):
    """A thousand predictions, and outcomes that follow their power as evenly as they can."""
    steps = (np.arange(1000) + 0.5) / 1000
    q = {"even": steps, "low": steps**3, "ends": np.round(steps) * 0.8 + 0.1}[kind]
    return q, ((np.arange(1000) * 617 % 1000 + 0.5) / 1000 < q**power).astype(int)


@pytest.mark.parametrize(("kind", "power", "theirs"), RELPLOT)
def test_smooth_error_against_a_table_of_relplot(kind, power, theirs):
    """Relplot sums over 200 points, both ends in full: that is off by up to 4% where predictions crowd at an end."""
    q, y = spread(kind, power)
    assert smooth_ece(y, q) == pytest.approx(theirs, rel=0.04)


@pytest.mark.parametrize("shape", [(1, 1), (0.5, 0.5), (5, 2)])
@pytest.mark.parametrize("bent", [lambda q: q, lambda q: q**2, lambda q: 0.8 * q + 0.1], ids=["true", "squared", "shy"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_smooth_error_against_relplot(shape, bent):
    """Relplot bisects to 2^-10 on a coarse mesh, and it cuts the kernel at a distance of ½: errors stay small here."""
    relplot = pytest.importorskip("relplot.metrics", reason="the table above stands for it")
    rng = np.random.default_rng(8)
    q = rng.beta(*shape, 2000)
    y = (rng.random(2000) < bent(q)).astype(int)
    assert smooth_ece(y, q) == pytest.approx(relplot.smECE(q, y), abs=0.002)


@pytest.mark.parametrize("score", [
    lambda q, y: ece(y, q).value,
    lambda q, y: noise_floor(q, np.random.default_rng(0)).mean,
    lambda q, y: smooth_ece(y, q),
    lambda q, y: true_calibration_error(y, q).value,
    lambda q, y: true_smooth_ece(y, q),
])  # fmt: skip
def test_what_cannot_be_scored(score):
    with pytest.raises(ScoreError, match="scores/empty"):
        score([], [])
    with pytest.raises(ScoreError, match="row 1 of the predictions"):
        score([0.5, np.nan], [1, 0])
    assert 0 <= score([0.5], [1]) <= 1  # one case
