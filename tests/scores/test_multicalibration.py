"""Multicalibration: cells by hand, exactness of p*, the band, and the groups of the factor worlds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pbn
from pbn.cases.groups import groups_of, quartiles
from pbn.cases.sample import RowSampler
from pbn.errors import QueryError
from pbn.scores.inputs import ScoreError
from pbn.scores.witness_multicalibration import (
    EVERYONE,
    empirical_multicalibration,
    hoeffding_radius,
    multicalibration,
)


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_cell_by_cell(seed, signed, weighted):
    rng = np.random.default_rng(seed)
    n, size, bins = 40, 3, 4
    q, p, groups = np.round(rng.random(n), 1), rng.random(n), rng.random((n, size)) < 0.5
    weight = rng.random(n) if weighted else None
    share = np.full(n, 1 / n) if weight is None else weight / weight.sum()
    found = multicalibration(p, q, groups, list("abc"), bins=bins, signed=signed, weight=weight)
    cells = {}
    for name, members in zip([EVERYONE, *"abc"], [np.ones(n, bool), *groups.T], strict=True):
        for j in range(bins):
            inside = members & (q >= j / bins) & ((q < (j + 1) / bins) | (j == bins - 1))
            cells[name, j] = (share * (p - q))[inside].sum(), share[inside].sum()
    best = max(moment if signed else abs(moment) for moment, _ in cells.values())
    assert found.value == pytest.approx(best, abs=1e-14)
    moment, mass = cells[found.group, found.bin]
    assert (found.moment, found.mass) == pytest.approx((moment, mass), abs=1e-14)
    assert (found.low, found.high, found.cells) == (found.bin / bins, (found.bin + 1) / bins, 16)
    assert (found.radius is None) == weighted
    order = rng.permutation(n)
    again = multicalibration(
        p[order], q[order], groups[order], list("abc"), bins=bins, signed=signed,
        weight=None if weight is None else weight[order],
    )  # fmt: skip
    assert again.value == pytest.approx(found.value, abs=1e-14)


def test_ids_and_signs():
    low = multicalibration([0.5, 0.1], [0.9, 0.1], np.ones((2, 1), bool), ["all"])
    assert (low.value, low.bin) == (pytest.approx(0.2), 9)
    assert low.id == "mc[10 equal-width, positive, absolute, 2 groups]"
    signed = multicalibration([0.5, 0.1], [0.9, 0.1], np.ones((2, 1), bool), ["all"], signed=True)
    assert (signed.value, signed.id) == (0, "mc[10 equal-width, positive, signed, 2 groups]")
    assert empirical_multicalibration([0], [1.0], np.ones((1, 0), bool), []).value == 1
    assert multicalibration([0.5], [0.5], np.ones((1, 0), bool), []).group == EVERYONE
    assert empirical_multicalibration([0], [1.0], [[True]], ["all"]).id == (
        "empirical-mc[10 equal-width, positive, absolute, 2 groups]"
    )
    assert low.band == (0, 1)
    assert signed.band == (-1, 1)


@pytest.mark.parametrize("signed", [False, True])
def test_the_band_holds_the_population_s_value(signed):
    """Samples of 300 cases, with labels, from a population of 60 kinds of case."""
    rng = np.random.default_rng(5)
    q, p, groups, mass = rng.random(60), rng.random(60), rng.random((60, 3)) < 0.5, rng.dirichlet(np.ones(60))
    true = multicalibration(p, q, groups, list("abc"), signed=signed, weight=mass).value
    held = 0
    for _ in range(400):
        at = rng.choice(60, 300, p=mass)
        y = (rng.random(300) < p[at]).astype(int)
        found = empirical_multicalibration(y, q[at], groups[at], list("abc"), signed=signed)
        held += found.band[0] <= true <= found.band[1]
        assert signed or found.band[0] >= 0
    assert held >= 380


def test_the_radius_is_of_the_right_size():
    """One cell of fair coins predicted as ½: the radius is above the true 95% of its moment, but not twice that."""
    rng = np.random.default_rng(6)
    off = np.abs(rng.binomial(400, 0.5, 20_000) / 400 - 0.5)
    radius = hoeffding_radius(400, 1, 10)
    assert np.quantile(off, 0.95) < radius < 2 * np.quantile(off, 0.95)
    assert hoeffding_radius(400, 100, 10) > radius > hoeffding_radius(400, 1, 10, confidence=0.8)
    assert hoeffding_radius(1600, 1, 10) == pytest.approx(radius / 2)


@pytest.mark.parametrize("call", [
    lambda: multicalibration([], [], np.ones((0, 1), bool), ["a"]),
    lambda: multicalibration([0.5], [0.5], np.ones((2, 1), bool), ["a"]),
    lambda: multicalibration([0.5], [0.5], np.ones((1, 2), bool), ["a"]),
    lambda: multicalibration([0.5], [0.5], [[2]], ["a"]),
    lambda: multicalibration([0.5], [0.5], [[1]], ["a"], bins=0),
    lambda: multicalibration([0.5], [0.5], [[1]], ["a"], confidence=1),
    lambda: multicalibration([0.5, 0.5], [0.5], [[1]], ["a"]),
    lambda: empirical_multicalibration([2], [0.5], [[1]], ["a"]),
])  # fmt: skip
def test_what_cannot_be_scored(call):
    with pytest.raises(ScoreError):
        call()


# -- groups of worlds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "count"), [("peer_review", 53), ("credit_risk", 45)])
def test_groups_of_the_factor_worlds(name, count):
    world = pbn.load(name)
    groups = groups_of(world)
    assert len(groups.names) == len(set(groups.names)) == count
    statistic = world.statistic("high")
    codes = RowSampler(world, 2032).codes(0, 20_000, {*groups.needed, *statistic.needed})
    members = groups.members(codes)
    assert members.shape == (20_000, count)
    assert members.any(axis=0).all()
    p = statistic.posteriors()[statistic.rows({key: codes[key] for key in statistic.needed}), 1]
    assert multicalibration(p, p, members, groups.names).value == 0
    asked = world.question().asks
    labels = RowSampler(world, 2032).codes(0, 20_000, [asked])[asked]
    found = empirical_multicalibration(labels, p, members, groups.names)
    assert 0 < found.value < found.radius
    prior = multicalibration(p, np.full(len(p), p.mean()), members, groups.names)
    assert prior.value > 0.03


def test_intervals_are_disjoint_and_cover():
    world = pbn.load("peer_review")
    groups = groups_of(world)
    codes = RowSampler(world, 1).codes(0, 5000, groups.needed)
    members = groups.members(codes)
    for name in groups.needed:
        at = [
            g for g, text in enumerate(groups.names) if text.startswith(f"{name} ") and "," not in text.split(" in ")[0]
        ]
        assert (members[:, at].sum(axis=1) == 1).all(), name
    pages = [text for text in groups.names if text.startswith("appendix_pages")]
    assert pages == [f"appendix_pages in {s}" for s in ("[0, 3]", "(3, 10]", "(10, 17]", "(17, 60]")]
    shares = members[:, [groups.names.index(text) for text in pages]].mean(axis=0)
    assert ((shares > 0.2) & (shares < 0.3)).all()


def test_groups_of_other_worlds():
    world = pbn.load("support_ticket")
    variable = world.level(next(iter(world.levels))).visible[0]
    groups = groups_of(world, [variable])
    assert len(groups.names) >= world.network.size(variable)
    with pytest.raises(QueryError, match="sektor"):
        groups_of(pbn.load("credit_risk"), ["sektor"])
    with pytest.raises(QueryError, match="no number"):
        quartiles(pbn.load("credit_risk"), "sector")
