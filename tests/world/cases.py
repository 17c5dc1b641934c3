"""Worlds, cases and faults that the tests of this folder share."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.network.chain import chained
from pbn.network.model import Table

WORLDS = {name: pbn.load(name) for name in ("credit_risk", "peer_review", "support_ticket")}
CREDIT = WORLDS["credit_risk"]
LEVELS = [(name, level) for name, world in WORLDS.items() for level in world.levels]
each_level = pytest.mark.parametrize(("name", "level"), LEVELS)
each_question = pytest.mark.parametrize(
    ("name", "level", "question"), [(name, level, asked) for name, level in LEVELS for asked in WORLDS[name].questions]
)
SMALL = """
name: small
title: Small
variables:
  season: {states: [dry, wet], p: [.75, .25]}
  crop: {states: [rye, oats, flax], given: season, p: {dry: [1/2, 1/2, 0], wet: [.4, .4, .2]}}
  plot: {repeat: 3, states: [a, b, c]}
  height: {measured: season, unit: m, from: 0, to: 2, step: 0.5, cuts: [1]}
  grown: {rule: "rank(crop) + rank(plot[1]) + rank(plot[3])"}
  sold: {states: [no, yes], rule: grown >= 3}
questions:
  crop: {asks: crop, kind: choice, text: Which crop?}
  sold: {asks: sold, kind: yes/no, text: Sold?}
levels:
  fine: {hide: []}
  coarse: {hide: [height, plot]}
"""
FARM = pbn.loads(SMALL)


def fault_of(function, *arguments, error=pbn.QueryError, **named):
    """The one fault of the error that a call raises."""
    with pytest.raises(error) as caught:
        function(*arguments, **named)
    (fault,) = caught.value.faults
    assert str(caught.value)
    return fault


def sample(world, count, seed=0):
    """A frame of cases: the states of all named variables, as text."""
    rng = np.random.default_rng(seed)
    network = chained(world.network, ())
    codes = {}
    for name, cpd in network.cpds.items():
        where = [codes[parent] for parent in cpd.parents]
        if not isinstance(cpd, Table):
            codes[name] = np.broadcast_to(cpd.index[tuple(where)], count)
            continue
        shape = cpd.probabilities.shape[:-1]
        row = np.ravel_multi_index(where, shape) if where else np.zeros(count, dtype=int)
        limits = cpd.probabilities.reshape(-1, network.size(name)).cumsum(axis=1)[:, :-1]
        chance = rng.random(count)
        codes[name] = np.zeros(count, dtype=int)
        for k in np.unique(row):
            codes[name][row == k] = np.searchsorted(limits[k], chance[row == k], side="right")
    return pd.DataFrame(
        {name: np.array(network.variables[name].states, dtype=object)[codes[name]] for name in network.named}
    )


def cases_of(name, level, count, seed=1):
    """Complete cases of a level as a list of evidence."""
    shown = list(WORLDS[name].visible(level))
    return sample(WORLDS[name], count, seed)[shown].to_dict("records")
