"""Studies that depend on a draw: what holds of every draw, on small ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from pbn.cases.groups import groups_of
from pbn.cases.sample import rows
from pbn.models.additive import AdditivePredictor
from pbn.models.baselines import BayesClassifier, View
from pbn.models.binned import multicalibration_bracket
from pbn.scores.higher_order_calibration import higher_order
from pbn.scores.witness_multicalibration import multicalibration
from pbn.studies import accuracy, bounds, convergence, population, snapshots
from pbn.studies import multicalibration as study_of_mc
from pbn.studies.reference import BLOCKS, prior, reference, trained
from pbn.studies.study import world_of


@pytest.fixture(scope="module")
def view():
    return View(world_of("credit_risk"), "high")


def view_rows(view):
    return rows(view.world, 1, 0, 1, view.needed)


@pytest.fixture(scope="module")
def model(view):
    return trained(view, 2032)


def test_a_reference_is_the_same_in_blocks(view, model):
    groups = groups_of(view.world)
    found = reference(view, model, 7, 4000, groups)
    assert found.moments.shape == (BLOCKS, 46, 10)
    again = reference(view, model, 7, 4000)
    assert (found.q == again.q).all()
    assert (found.p == again.p).all()
    drawn = rows(view.world, 7, 0, 4000, tuple(dict.fromkeys([*view.needed, *groups.needed])))
    whole = multicalibration(found.p, found.q, groups.members(drawn), groups.names)
    assert found.multicalibration()[0] == pytest.approx(whole.value)


def test_the_truth_has_no_population_error(view):
    found = reference(view, BayesClassifier(view), 7, 2000, groups_of(view.world))
    assert found.multicalibration() == (0.0, 0.0)


def test_the_class_prior_is_near_its_exact_value(view):
    found = reference(view, prior(view, 2032), 8, 40_000, groups_of(view.world))
    value, error = found.multicalibration()
    exact = study_of_mc.exact_constant(view.world, groups_of(view.world), float(found.q[0]))
    assert abs(value - exact) < 5 * error + 0.001


def test_empirical_error_of_the_truth_is_positive(view):
    groups = groups_of(view.world)
    assert all(study_of_mc._empirical(view, BayesClassifier(view), groups, 200, k) > 0 for k in range(3))


def test_the_triangle_inequality_of_snapshots(view, model):
    found = reference(view, model, 9, 20_000)
    mixtures = snapshots.mixtures_of(found.q, found.p)
    fits = snapshots.calibrations(view, model, 2032)
    separations = []
    for k, (before, fitted) in fits.items():
        assert all(law is not None for law in before.laws)
        one = higher_order(fitted, mixtures, k)
        assert abs(one.higher_order_error - one.target_separation) <= one.snapshot_error + 1e-12
        separations.append(one.target_separation)
    assert separations == sorted(separations, reverse=True)
    assert separations[1] == pytest.approx(0.145, abs=0.01)


def test_parts_of_a_reference_join(view, model):
    groups = groups_of(view.world)
    run = reference(view, model, 3, 2000, groups)
    part = run.first(BLOCKS // 2)
    assert (len(part.q), len(part.moments)) == (1000, BLOCKS // 2)
    both = convergence.joined([run, run])
    assert np.allclose(both.pooled, run.pooled)
    fits = snapshots.calibrations(view, model, 2032)
    assert convergence.quantities(both, fits, "q") == pytest.approx(convergence.quantities(run, fits, "q"))


def test_bounds_of_one_sample_are_in_order():
    found = bounds._answer(("credit_risk", "low", 2032), True)
    assert {one.n for one in found} == set(bounds.QUICK_SIZES)
    assert all(0 <= one.low <= one.up for one in found)
    low, up = bounds.mean_bounds(found, fields=bounds.ALL, estimator="1NN", n=1000)
    assert 0.0259 < low < up


def test_accuracy_of_one_seed():
    scores = accuracy._answer(("covert_transfer", 2034), True)
    assert {one.method for one in scores} == set(accuracy.METHODS) - {accuracy.LOGISTIC}
    assert all(one.expected <= one.bayes + 1e-12 for one in scores)
    for one in scores:
        if one.method in (accuracy.LOADED, accuracy.EMBEDDED):
            assert one.realized == 1
            assert one.log_p < -3
        if one.method == accuracy.BAYES:
            assert one.agree == 500
            assert one.log_p > -4


# -- without sampling --------------------------------------------------------------------------------


@pytest.mark.parametrize("predictor", [pytest.param(population.LOGISTIC, marks=pytest.mark.slow), population.BOOSTED])
def test_sampled_values_are_near_those_without_sampling(predictor, monkeypatch):
    monkeypatch.setattr(population, "inputs", lambda quick: 40_000)
    found = population._answer(("credit_risk", "high", predictor), True)
    assert {one.quantity for one in found} == set(population.QUANTITIES)
    for one in found:
        assert one.high - one.low < 1e-4
        assert abs(one.off) <= 5 * one.error + (one.high - one.low) / 2, one


def test_enumeration_and_convolution_agree(view):
    """A regression on categories alone can be computed in both ways, which share no step after the patterns."""
    world, groups = view.world, groups_of(view.world)
    of_categories = View(world, "high", names=("sector", "cycle", "cash_generation", "debt_service"))
    model = trained(of_categories, 2032)
    exact = population.enumerated_values(of_categories, model, groups)
    for quantity, bracket in population.additive_values(of_categories, model, groups).items():
        assert bracket.low <= exact[quantity].middle <= bracket.high, quantity
        assert bracket.radius < 0.01  # whole patterns may lie near an edge


def test_a_constant_is_computed_in_two_ways(view):
    groups = groups_of(view.world)
    predictor = AdditivePredictor(view, np.zeros(view.features(view_rows(view)).shape[1]), float(logit(0.25)))
    found = multicalibration_bracket(predictor, groups.demands)
    assert found.low <= study_of_mc.exact_constant(view.world, groups, 0.25) <= found.high
    assert found.radius < 1e-4


@pytest.mark.slow
def test_convergence_has_a_bracket_for_each_quantity(view, model):
    fits = {2: snapshots.calibrations(view, model, 2032)[2]}
    groups = groups_of(view.world)
    run = reference(view, model, 5, 40_000, groups)
    sampled = convergence.quantities(run, fits, convergence.LOGISTIC)
    proved = convergence.brackets(view, model, groups, fits, convergence.LOGISTIC)
    assert proved.keys() == sampled.keys()
    assert all(abs(sampled[name] - proved[name].middle) < 0.004 for name in proved)
