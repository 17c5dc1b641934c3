"""Brackets of population scores: they hold the value that enumeration gives, and are as narrow as is said."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pbn
from pbn.cases.groups import groups_of
from pbn.models import additive, binned, grid
from pbn.models.additive import AdditivePredictor, population_scores
from pbn.models.baselines import Constant, View
from pbn.models.binned import higher_order_brackets, moment_brackets, multicalibration_bracket, pattern_bins
from pbn.models.grid import added, law_of_sum, rounded_down
from pbn.models.patterns import enumerate_patterns, patterns_of
from pbn.scores.accuracy import expected_accuracy
from pbn.scores.bins import equal_width_bins
from pbn.scores.higher_order_calibration import bayes_mixtures, fit_snapshots, higher_order
from pbn.scores.inputs import ScoreError
from pbn.scores.proper import kl_divergence
from pbn.scores.witness_multicalibration import moments, multicalibration
from pbn.studies.multicalibration import exact_constant

SMALL = """
name: small
title: A small world
variables:
  sky: {states: [clear, cloudy, dark], p: [.5, .3, .2]}
  heat: {states: [low, high], given: sky, p: {clear: [.3, .7], cloudy: [.6, .4], dark: [.9, .1]}}
  degrees: {measured: heat, from: 0, to: 9, step: 1, cuts: [4]}
  luck: {states: ['0', '1', '2'], values: [0, 1, 2], p: [.6, .3, .1], role: residual}
  rain: {rule: "rank(sky) + luck - rank(heat) >= 2"}
  birds: {count: {negative_binomial: {median: 3, dispersion: 2}, from: 0, to: 9}, role: irrelevant}
  day: {states: [mon, tue, wed], role: irrelevant}
questions: {rain: {asks: rain, kind: yes/no, positive: 'yes', text: Does it rain?}}
levels: {all: {hide: []}, less: {hide: [sky]}}
"""


@pytest.fixture(scope="module")
def world():
    return pbn.loads(SMALL)


def random_weights(view: View, seed: int, scale: float = 1.0):
    rng = np.random.default_rng([seed, int(scale)])
    return scale * rng.normal(size=sum(view.encoded(name).shape[1] for name in view.names)), float(rng.normal())


def enumerated(view: View, weights, intercept):
    """Every visible case with its probability, one by one: codes, mass, p* and q."""
    network = view.world.network
    names = [name for name in network.named if name in view.world.level(view.level).visible]
    sizes = [network.size(name) for name in names]
    cases = np.array(list(itertools.product(*map(range, sizes))))
    codes = {name: cases[:, j] for j, name in enumerate(names)}
    numbers = view.world.engine.joint(names, {}, "exact")
    mass = numbers.array.astype(float).ravel() / numbers.denominator
    kept = mass > 0
    codes = {name: column[kept] for name, column in codes.items()}
    q = 1 / (1 + np.exp(-(view.features(codes) @ weights + intercept)))
    return codes, mass[kept], view.truth(codes)[:, 1], q


@pytest.fixture(params=[False, True], ids=["joined", "packed"])
def packed(request, monkeypatch):
    """Terms joined atom by atom, or each in a pack of its own, which rounds oftener."""
    if request.param:
        monkeypatch.setattr(grid, "ATOMS", 1)


@pytest.mark.usefixtures("packed")
@pytest.mark.parametrize("level", ["all", "less"])
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_brackets_hold_what_enumeration_gives(world, level, scale, monkeypatch):
    monkeypatch.setattr(additive, "CELLS", 2**16)
    view = View(world, level)
    for seed in range(3):
        weights, intercept = random_weights(view, seed, scale)
        _, mass, truth, q = enumerated(view, weights, intercept)
        found = population_scores(AdditivePredictor(view, weights, intercept))
        exact = expected_accuracy(truth, (q > 0.5).astype(int), mass)
        assert found.accuracy.low <= exact.value <= found.accuracy.high
        assert found.bayes == pytest.approx(exact.bayes, abs=1e-12)
        assert found.gap.low <= exact.gap <= found.gap.high
        divergence = kl_divergence(truth, q, mass).value
        assert found.divergence.low <= divergence <= found.divergence.high
        assert found.divergence.radius < 0.01
        assert found.accuracy.radius < 0.02  # an atom may lie at the threshold itself


@pytest.mark.usefixtures("packed")
@pytest.mark.parametrize("level", ["all", "less"])
@pytest.mark.parametrize("bins", [4, 10])
def test_brackets_of_cells_hold_what_enumeration_gives(world, level, bins, monkeypatch):
    monkeypatch.setattr(binned, "STEP", 2.0**-12)
    groups = groups_of(world, ["heat"] if level == "less" else ["sky"])
    demands = [{}, *groups.demands]
    if level == "less":  # heat is hidden behind its measurement
        demands = [demand for demand in demands if "heat" not in demand]
    view = View(world, level)
    for seed in range(3):
        weights, intercept = random_weights(view, seed)
        codes, mass, truth, q = enumerated(view, weights, intercept)
        members = np.array([np.all([ok[codes[name]] for name, ok in d.items()], axis=0) for d in demands[1:]]).T
        exact = moments(q, truth, members, bins, mass)[0]
        predictor = AdditivePredictor(view, weights, intercept)
        for step in (2.0**-12, 2.0**-5):
            low, high = moment_brackets(predictor, demands, bins, step)
            assert (low - 1e-9 <= exact).all()
            assert (exact <= high + 1e-9).all()
        names = [str(k) for k in range(members.shape[1])]
        worst = multicalibration(truth, q, members, names, bins=bins, weight=mass).value
        found = multicalibration_bracket(predictor, demands[1:], bins)
        assert found.low <= worst <= found.high
        assert found.radius < 0.01


@pytest.mark.usefixtures("packed")
@pytest.mark.parametrize("step", [2.0**-16, 2.0**-4])
def test_brackets_of_higher_order_hold_what_enumeration_gives(world, step):
    view, bins = View(world, "less"), 5
    for seed in range(3):
        weights, intercept = random_weights(view, seed)
        _, mass, truth, q = enumerated(view, weights, intercept)
        exact = bayes_mixtures(truth, equal_width_bins(q, bins), bins, mass)
        rng = np.random.default_rng(seed)
        cells = pattern_bins(AdditivePredictor(view, weights, intercept), bins, step)
        assert (cells.sure.sum(axis=0) <= exact.masses + 1e-9).all()
        assert (exact.masses <= (cells.sure + cells.unsure).sum(axis=0) + 1e-9).all()
        for k in (1, 3):
            fitted = fit_snapshots(rng.integers(0, k + 1, 40), k, rng.integers(0, bins, 40), bins)
            wanted = higher_order(fitted, exact, k)
            found = higher_order_brackets(cells, fitted, k)
            for name in ("snapshot_error", "higher_order_error", "target_separation"):
                bracket = getattr(found, name)
                assert bracket.low <= getattr(wanted, name) <= bracket.high, name
                assert bracket.radius < (1e-3 if step < 1e-3 else 1)


def test_a_coarser_grid_still_holds_the_value(world, monkeypatch):
    view = View(world, "all")
    predictor = AdditivePredictor(view, random_weights(view, 1)[0], 0.1)
    fine = population_scores(predictor)
    monkeypatch.setattr(additive, "CELLS", 2**9)  # too few: cells are wide, and the bracket still holds
    coarse = population_scores(predictor)
    assert coarse.divergence.low < fine.divergence.low < fine.divergence.high < coarse.divergence.high
    monkeypatch.setattr(additive, "CELLS", 2**6)
    crude = population_scores(predictor)
    assert crude.divergence.low < coarse.divergence.low < coarse.divergence.high < crude.divergence.high
    assert coarse.accuracy.low <= fine.accuracy.middle <= coarse.accuracy.high


def test_laws_on_the_grid_are_below_and_near():
    rng = np.random.default_rng(2)
    one, other = (rounded_down(rng.normal(size=5), np.full(5, 0.2), 2.0**-10) for _ in range(2))
    both = added(one, other)
    assert both.up == 2
    assert both.weights.sum() == pytest.approx(1)


def test_a_sum_is_rounded_once_for_each_pack(monkeypatch):
    rng = np.random.default_rng(3)
    terms = [(rng.normal(size=n), np.full(n, 1 / n)) for n in (4, 3, 2)]
    step = 2.0**-6
    sums = sum(np.ix_(*(values for values, _ in terms))).ravel()
    joined = law_of_sum(terms, step)
    assert joined.up == 1
    monkeypatch.setattr(grid, "ATOMS", 6)
    packed = law_of_sum(terms, step)
    assert packed.up == 2
    for law in (joined, packed):  # the sums' tails are between those of the two ends of the grid's law
        points = (law.first + np.arange(len(law.weights))) * step
        for cut in rng.normal(size=20):
            below, above = law.weights[points >= cut].sum(), law.weights[points + law.up * step >= cut].sum()
            assert below - 1e-12 <= np.mean(sums >= cut) <= above + 1e-12


# -- predictors that read categories alone -----------------------------------------------------------


def test_patterns_are_all_there_is(world):
    patterns = patterns_of(View(world, "less"))
    assert sum(one.mass.sum() for one in patterns) == pytest.approx(1, abs=1e-12)
    error = sum(one.mass @ np.minimum(one.truth, 1 - one.truth) for one in patterns)
    assert error == pytest.approx(world.bayes_error("less").value, abs=1e-12)


def test_enumeration_of_any_model_of_categories(world):
    """A model that is no sum: q is looked up by state; groups of categories and of irrelevant fields."""
    view = View(world, "all", names=("sky",))

    class Table:
        def probabilities(self, features):
            q = np.array([0.1, 0.45, 0.8])[np.argmax(features, axis=1)]
            return np.stack([1 - q, q], axis=1)

    found = enumerate_patterns(view, Table())
    codes, mass, truth, _ = enumerated(View(world, "all"), random_weights(View(world, "all"), 0)[0], 0.0)
    q = np.array([0.1, 0.45, 0.8])[codes["sky"]]
    want = kl_divergence(truth, q, mass).value
    assert kl_divergence(found.p, found.q, found.mass).value == pytest.approx(want, abs=1e-12)
    groups = groups_of(world, ["sky"])
    exact = moments(q, truth, groups.members(codes), 10, mass)[0]
    assert found.moments(view, groups.demands, 10) == pytest.approx(exact, abs=1e-12)


def test_enumeration_refuses_what_it_cannot_do(world):
    with pytest.raises(ScoreError, match="birds is no category"):
        enumerate_patterns(View(world, "all", names=("sky", "birds")), Constant(law=np.array([0.5, 0.5])))
    view = View(world, "less")
    with pytest.raises(ScoreError, match="a group by sky is none of patterns"):
        multicalibration_bracket(AdditivePredictor(view, *random_weights(view, 0)), groups_of(world, ["sky"]).demands)


@pytest.mark.parametrize(("old", "new"), [
    ("positive: 'yes'", "positive: 'no'"),
    ('rain: {rule: "', "rain: {states: ['yes', 'no'], rule: \"not "),
])  # fmt: skip
def test_class_1_is_the_second_state_whichever_is_positive(old, new):
    turned = pbn.loads(SMALL.replace(old, new) if old in SMALL else pytest.fail(old))
    view = View(turned, "all")
    weights, intercept = random_weights(view, 0)
    _, mass, truth, q = enumerated(view, weights, intercept)
    found = population_scores(AdditivePredictor(view, weights, intercept))
    assert found.accuracy.low <= expected_accuracy(truth, (q > 0.5).astype(int), mass).value <= found.accuracy.high
    assert found.divergence.low <= kl_divergence(truth, q, mass).value <= found.divergence.high
    groups = groups_of(turned, ["sky"])
    level = multicalibration_bracket(AdditivePredictor(view, 0 * weights, 0.1), groups.demands)
    assert level.low <= exact_constant(turned, groups, 1 / (1 + np.exp(-0.1))) <= level.high


@pytest.mark.parametrize(("old", "new", "message"), [
    ('"rank(sky) + luck', '"(birds > 3) + rank(sky) + luck', "irrelevant field birds says more"),
    ("- rank(heat) >= 2", "- rank(heat) - (degrees > 7) >= 2", "measurement degrees says more"),
    ("levels: {all: {hide: []}", "levels: {all: {show: [sky, heat, degrees, birds, day]}", "heat is shown twice"),
    ("degrees: {measured", "felt: {measured: heat, from: 0, to: 9, step: 1, cuts: [4]}\n  degrees: {measured",
     "heat is shown twice"),
])  # fmt: skip
def test_worlds_whose_patterns_are_not_all_are_refused(old, new, message):
    assert old in SMALL
    with pytest.raises(ScoreError, match=message):
        patterns_of(View(pbn.loads(SMALL.replace(old, new)), "all"))


def test_a_group_of_no_mass_moves_nothing():
    never = pbn.loads(
        SMALL.replace("day: {states: [mon, tue, wed], role", "day: {states: [mon, tue, wed], p: [.5, .5, 0], role")
    )
    view = View(never, "all")
    predictor = AdditivePredictor(view, *random_weights(view, 0))
    groups = groups_of(never, ["sky"])
    where = groups.names.index("day = wed") + 1
    low, high = moment_brackets(predictor, [{}, *groups.demands], 10, 2.0**-8)
    assert not low[where].any()
    assert not high[where].any()
    assert multicalibration_bracket(predictor, groups.demands).high > 0


def test_more_than_two_outcomes_are_refused():
    with pytest.raises(ScoreError, match="queue has 8 states"):
        patterns_of(View(pbn.load("support_ticket"), "high", question="queue"))


@pytest.mark.parametrize(("change", "code"), [
    (lambda w: w[:-1], "shape"), (lambda w: np.append(w, 1.0), "shape"), (lambda w: w * np.nan, "number"),
    (lambda w: ["a"] * len(w), "number"),
])  # fmt: skip
def test_weights_that_are_none(world, change, code):
    view = View(world, "all")
    weights, _ = random_weights(view, 0)
    with pytest.raises(ScoreError, match=f"scores/{code}"):
        AdditivePredictor(view, change(weights), 0.0)
    assert population_scores(AdditivePredictor(view, weights.tolist(), 0)).bayes > 0.5
    for intercept in (float("inf"), 1e16, "b"):
        with pytest.raises(ScoreError, match="scores/number"):
            AdditivePredictor(view, weights, intercept)
    with pytest.raises(ScoreError, match="scores/count"):
        multicalibration_bracket(AdditivePredictor(view, weights, 0.0), [], 10**6)
