"""Higher-order calibration: the example with p* = 1/2, the triangle inequality, and the published figures of credit."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pbn
from pbn.cases.sample import RowSampler
from pbn.scores.bins import equal_width_bins
from pbn.scores.higher_order_calibration import (
    bayes_mixtures,
    binomial_mixtures,
    fit_snapshots,
    higher_order,
    higher_order_error,
    mean_distance,
    projected,
    snapshot_error,
    snapshot_law,
    target_separation,
)
from pbn.scores.inputs import ScoreError


def test_a_bin_where_every_input_has_one_half():
    mixtures = bayes_mixtures([0.5] * 7, [0] * 7, 1)
    snapshots = projected(mixtures, 2).laws[0]
    assert snapshots.values.tolist() == [0, 0.5, 1]
    assert snapshots.weights.tolist() == [0.25, 0.5, 0.25]
    assert target_separation(mixtures, 2) == 0.25


@given(st.lists(st.fractions(0, 1, max_denominator=64), min_size=1, max_size=5), st.integers(1, 12))
def test_snapshot_laws_against_fractions(atoms, k):
    exact = [sum(comb(k, j) * p**j * (1 - p) ** (k - j) for p in atoms) / Fraction(len(atoms)) for j in range(k + 1)]
    found = snapshot_law([float(p) for p in atoms], k)
    assert found.weights == pytest.approx([float(mass) for mass in exact], rel=1e-12, abs=1e-15)
    assert found.values.tolist() == [j / k for j in range(k + 1)]


@pytest.mark.parametrize("k", [50, 1000])
def test_snapshot_laws_of_many_labels(k):
    rng = np.random.default_rng(k)
    p = np.concatenate([[0, 1, 1e-12], rng.random(5)])
    weight = rng.random(8)
    expected = weight / weight.sum() @ stats.binom.pmf(np.arange(k + 1), k, p[:, None])
    assert snapshot_law(p, k, weight).weights == pytest.approx(expected, rel=1e-9, abs=1e-15)
    with pytest.raises(ScoreError, match="number of labels"):
        snapshot_law(p, 1001)


def cases(seed):
    rng = np.random.default_rng(seed)
    n, count = int(rng.integers(1, 60)), int(rng.integers(1, 5))
    p, bins = np.round(rng.random(n), 1), rng.integers(0, count, n)
    k = int(rng.integers(1, 6))
    labelled = int(rng.integers(1, 40))
    fitted = fit_snapshots(rng.integers(0, k + 1, labelled), k, rng.integers(0, count, labelled), count)
    return rng, p, bins, count, k, fitted


@given(st.integers(0, 2**32))
def test_triangle_inequality(seed):
    rng, p, bins, count, k, fitted = cases(seed)
    weight = rng.random(len(p)) + 0.01
    mixtures = bayes_mixtures(p, bins, count, weight)
    found = higher_order(fitted, mixtures, k)
    assert abs(found.higher_order_error - found.target_separation) <= found.snapshot_error + 1e-12
    assert found.snapshot_error == pytest.approx(snapshot_error(fitted, mixtures, k))
    assert found.higher_order_error == pytest.approx(higher_order_error(fitted, mixtures))
    assert found.target_separation == pytest.approx(target_separation(mixtures, k))


@given(st.integers(0, 2**32))
def test_distances_against_scipy_bin_by_bin(seed):
    rng, p, bins, count, k, fitted = cases(seed)
    expected = sum(
        (bins == j).mean() * stats.wasserstein_distance(nu.values, p[bins == j], nu.weights)
        for j, nu in enumerate(fitted.laws)
        if (bins == j).any()
    )
    mixtures = bayes_mixtures(p, bins, count)
    assert higher_order_error(fitted, mixtures) == pytest.approx(expected, abs=1e-12)
    order = rng.permutation(len(p))
    again = bayes_mixtures(np.repeat(p[order], 2), np.repeat(bins[order], 2), count)
    assert higher_order_error(fitted, again) == pytest.approx(expected, abs=1e-12)
    assert target_separation(again, k) == pytest.approx(target_separation(mixtures, k), abs=1e-12)


def test_mixtures_of_few_and_of_many_values():
    rng = np.random.default_rng(2)
    p, bins = np.round(rng.random(3000), 2), rng.integers(0, 400, 3000)
    many = rng.random(3000)
    for values in (p, many):
        found = bayes_mixtures(values, bins, 4000)  # 4,000 bins of up to 3,000 values: bin by bin
        for j in (0, 17, 399):
            assert found.laws[j].values.tolist() == sorted(set(values[bins == j]))
            assert found.masses[j] == pytest.approx((bins == j).mean())
        assert found.laws[400] is None
        assert found.masses.sum() == pytest.approx(1)


def test_before_calibration_whole_laws_are_averaged():
    found = binomial_mixtures([0.0, 1.0, 0.5], [0, 0, 1], 3, 2)
    assert found.laws[0].weights.tolist() == [0.5, 0, 0.5]  # not the law at the mean, (¼, ½, ¼)
    assert found.laws[1].weights.tolist() == [0.25, 0.5, 0.25]
    assert found.laws[2] is None


def test_an_empty_bin_takes_the_pooled_law():
    fitted = fit_snapshots([0, 2, 2, 1], 2, [0, 0, 2, 2], 3)
    assert fitted.laws[1].weights.tolist() == [0.25, 0.25, 0.5]
    mixtures = bayes_mixtures([0.5] * 4, [0, 1, 1, 2], 3)
    assert higher_order(fitted, mixtures, 2).covered == 0.5


def test_perfect_knowledge_has_no_error():
    mixtures = bayes_mixtures([0.1, 0.4, 1.0, 0.0], [0, 0, 1, 1], 2)
    assert higher_order_error(mixtures, mixtures) == 0
    assert snapshot_error(projected(mixtures, 3), mixtures, 3) == 0
    certain = bayes_mixtures([0.0, 1.0], [0, 0], 1)
    assert target_separation(certain, 5) == 0


@pytest.mark.parametrize("call", [
    lambda: bayes_mixtures([], [], 1),
    lambda: bayes_mixtures([0.5], [1], 1),
    lambda: bayes_mixtures([0.5], [0], 0),
    lambda: fit_snapshots([], 2, [], 1),
    lambda: fit_snapshots([3], 2, [0], 1),
    lambda: mean_distance(bayes_mixtures([0.5], [0], 1), bayes_mixtures([0.5], [0], 2)),
    lambda: mean_distance(bayes_mixtures([0.5], [0], 2), bayes_mixtures([0.5], [1], 2)),
])  # fmt: skip
def test_what_cannot_be_scored(call):
    with pytest.raises(ScoreError):
        call()


# -- published ---------------------------------------------------------------------------------------


def design(world, names, codes):
    """Categories one-hot, numbers scaled to their declared range."""
    columns = []
    for name in names:
        variable = world.network.variables[name]
        if variable.origin == "measured" or (variable.role == "irrelevant" and variable.values is not None):
            values = np.array([float(value) for value in variable.values])
            columns.append(((values - values.min()) / (values.max() - values.min()))[codes[name]][:, None])
        else:
            columns.append(np.eye(variable.size)[codes[name]])
    return np.concatenate(columns, axis=1)


def one_trial(world, seed, k, reference):
    """A logistic regression on 1,000 rows; 2,000 calibration inputs; independent reference inputs."""
    from sklearn.linear_model import LogisticRegression

    statistic = world.statistic("high")
    names, table = world.level("high").visible, statistic.posteriors()[:, 1]
    sampler = RowSampler(world, seed)
    training = sampler.codes(0, 1000, [*names, "default"])
    model = LogisticRegression(max_iter=1000).fit(design(world, names, training), training["default"])

    def inputs(start, stop):
        truths, bins = [], []
        for begin in range(start, stop, 50_000):
            codes = sampler.codes(begin, min(begin + 50_000, stop), names)
            truths.append(table[statistic.rows({name: codes[name] for name in statistic.needed})])
            bins.append(equal_width_bins(model.predict_proba(design(world, names, codes))[:, 1], 10))
        return np.concatenate(truths), np.concatenate(bins)

    p, bins = inputs(10_000, 12_000)
    labels = np.random.default_rng(seed).binomial(k, p)
    mixtures = bayes_mixtures(*inputs(10**7, 10**7 + reference), 10)
    return higher_order(fit_snapshots(labels, k, bins, 10), mixtures, k)


@pytest.mark.slow
def test_published_figures_of_credit_risk_at_high():
    """Published, k = 2, mean of three seeds: 0.144, 0.145 and 0.017; our draws are other ones."""
    world = pbn.load("credit_risk")
    trials = [one_trial(world, seed, 2, 1_000_000) for seed in (2032, 2033, 2034)]
    higher, target, snapshot = (
        np.mean([getattr(trial, name) for trial in trials])
        for name in ("higher_order_error", "target_separation", "snapshot_error")
    )
    print(f"higher-order {higher:.4f}, separation {target:.4f}, snapshot {snapshot:.4f}", trials)
    assert higher == pytest.approx(0.144, abs=0.01)
    assert target == pytest.approx(0.145, abs=0.005)
    assert snapshot < 0.03
