"""Exact rows against pgmpy's forward sampling of the same network, in one run."""

from __future__ import annotations

import logging

import pandas as pd
import pytest

import pbn
from pbn.cases.sample import RowSampler
from tests.benchmarks.test_speed import seconds, show  # noqa: F401

pytestmark = pytest.mark.benchmark


def test_rows_of_credit_risk_against_pgmpy(show, caplog):  # noqa: F811
    world, count = pbn.load("credit_risk"), 100_000
    sampler, model = RowSampler(world, 1), world.to_pgmpy()
    states = {name: world.network.variables[name].states for name in world.network.named}

    def frame():
        codes = sampler.codes(0, count)
        return pd.DataFrame({name: pd.Categorical.from_codes(codes[name].astype(int), states[name]) for name in codes})

    with caplog.at_level(logging.CRITICAL, logger="pgmpy"):
        theirs = seconds(lambda: model.simulate(n_samples=count, seed=1, show_progress=False), repeat=2)
    ours, framed = seconds(lambda: sampler.codes(0, count)), seconds(frame)
    show(
        f"{count:,} rows of {len(states)} variables: pgmpy {theirs:.2f} s, ours {ours * 1e3:.0f} ms "
        f"({theirs / ours:.0f} times faster), as a frame of states {framed * 1e3:.0f} ms ({theirs / framed:.0f} times)"
    )
    assert theirs / framed >= 20


def test_a_million_rows(show):  # noqa: F811
    sampler = RowSampler(pbn.load("credit_risk"), 1)
    taken = seconds(lambda: sampler.codes(0, 10**6), repeat=3)
    show(f"a million rows of credit risk: {taken:.2f} s")
    assert taken < 2
