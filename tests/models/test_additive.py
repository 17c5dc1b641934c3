"""Brackets of population scores: they hold the value that enumeration gives, and are as narrow as is said."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import pbn
from pbn.models import additive
from pbn.models.additive import added, population_scores, rounded_down
from pbn.models.baselines import View
from pbn.scores.accuracy import expected_accuracy
from pbn.scores.proper import kl_divergence

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


def enumerated(view: View, weights, intercept):
    """Every visible case with its probability, one by one."""
    network = view.world.network
    sizes = [network.size(name) for name in view.names]
    grid = np.array(list(itertools.product(*map(range, sizes))))
    codes = {name: grid[:, j] for j, name in enumerate(view.names)}
    numbers = view.world.engine.joint(view.names, {}, "exact")
    mass = numbers.array.astype(float).ravel() / numbers.denominator
    kept = mass > 0
    codes = {name: column[kept] for name, column in codes.items()}
    q = 1 / (1 + np.exp(-(view.features(codes) @ weights + intercept)))
    return mass[kept], view.truth(codes), q


@pytest.mark.parametrize("level", ["all", "less"])
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_brackets_hold_what_enumeration_gives(world, level, scale, monkeypatch):
    monkeypatch.setattr(additive, "CELLS", 2**16)
    view = View(world, level)
    width = sum(view.encoded(name).shape[1] for name in view.names)
    for seed in range(3):
        rng = np.random.default_rng([seed, int(scale)])
        weights, intercept = scale * rng.normal(size=width), float(rng.normal())
        mass, truth, q = enumerated(view, weights, intercept)
        found = population_scores(view, weights, intercept)
        decided = np.stack([1 - q, q], axis=1).argmax(axis=1)
        exact = expected_accuracy(truth, decided, mass)
        assert found.accuracy.low <= exact.value <= found.accuracy.high
        assert found.bayes == pytest.approx(exact.bayes, abs=1e-12)
        assert found.gap.low <= exact.gap <= found.gap.high
        divergence = kl_divergence(truth, q, mass).value
        assert found.divergence.low <= divergence <= found.divergence.high
        assert found.divergence.radius < 0.01
        assert found.accuracy.radius < 0.02  # an atom may lie at the threshold itself


def test_a_coarser_grid_still_holds_the_value(world, monkeypatch):
    view = View(world, "all")
    weights = np.random.default_rng(1).normal(size=sum(view.encoded(name).shape[1] for name in view.names))
    fine = population_scores(view, weights, 0.1)
    monkeypatch.setattr(additive, "STEP", 2.0**-6)
    coarse = population_scores(view, weights, 0.1)
    assert coarse.divergence.low < fine.divergence.low < fine.divergence.high < coarse.divergence.high
    monkeypatch.setattr(additive, "CELLS", 2**6)  # far too few: cells are wide, and the bracket still holds
    crude = population_scores(view, weights, 0.1)
    assert crude.divergence.low < coarse.divergence.low < coarse.divergence.high < crude.divergence.high
    assert coarse.accuracy.low <= fine.accuracy.middle <= coarse.accuracy.high


def test_laws_on_the_grid_are_below_and_near():
    rng = np.random.default_rng(2)
    one, other = (rounded_down(rng.normal(size=5), np.full(5, 0.2), 2.0**-10) for _ in range(2))
    both = added(one, other)
    assert both.up == 2
    assert both.weights.sum() == pytest.approx(1)
    values = np.array([-1.0, 0.25])
    law = rounded_down(values, np.array([0.5, 0.5]), 0.25)
    assert law.first == -4
    assert np.flatnonzero(law.weights).tolist() == [0, 5]
