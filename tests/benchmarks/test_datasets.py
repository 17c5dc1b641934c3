"""Data sets with their truth against pgmpy's forward sampling of the same network, which has none, in one run."""

from __future__ import annotations

import logging
import time

import pytest

import pbn
from pbn.cases.dataset import make_dataset
from pbn.cases.plan import DatasetPlan
from pbn.cases.records import Contents
from pbn.cases.schedulers import Processes
from tests.benchmarks.test_speed import seconds, show  # noqa: F401

pytestmark = pytest.mark.benchmark
SOURCE = pbn.shipped_worlds()["credit_risk"].read_text(encoding="utf-8")


def plan(count, *, memo=False):
    contents = Contents(levels=("high",), memo=memo)
    return DatasetPlan(source=SOURCE, seed=1, start=0, stop=count, contents=contents)


def test_a_million_cases_with_their_truth_against_pgmpy(show, caplog, tmp_path):  # noqa: F811
    """A million cases of all variables with p*, then as tables with identifiers and labels, then as files.

    pgmpy draws 100,000 cases, without p* and without identifiers.
    """
    count, theirs_count = 1_000_000, 100_000
    model = pbn.load("credit_risk").to_pgmpy()
    with caplog.at_level(logging.CRITICAL, logger="pgmpy"):
        theirs = seconds(lambda: model.simulate(n_samples=theirs_count, seed=1, show_progress=False), repeat=2)
    theirs *= 1e6 / theirs_count
    records, step = plan(count).records, 50_000

    def drawn():
        for k in range(0, count, step):
            codes = records.sampler.codes(k, k + step)
            records.posteriors("high", "default", codes, step)

    sampled = seconds(drawn, repeat=2) * 1e6 / count
    ours = seconds(lambda: [list(records.tables(k, k + step)) for k in range(0, count, step)], repeat=2) * 1e6 / count
    begun = time.perf_counter()
    make_dataset(plan(count), tmp_path / "ours")
    written = (time.perf_counter() - begun) * 1e6 / count
    show(
        f"pgmpy: {theirs:.1f} µs a case; ours with p*: {sampled:.2f} µs, {theirs / sampled:.0f} times faster; "
        f"as tables with identifiers and labels {ours:.2f} µs, {theirs / ours:.0f} times faster; "
        f"as Parquet files on the disk {written:.2f} µs, {theirs / written:.0f} times faster"
    )
    assert theirs / sampled >= 20
    assert theirs / ours >= 10
    assert theirs / written >= 4


@pytest.mark.parametrize("memo", [False, True], ids=["bare", "memo"])
def test_rows_a_second(show, tmp_path, memo):  # noqa: F811
    count = 200_000
    rates = {}
    for workers, scheduler in ((1, None), (2, Processes(2))):
        taken = time.perf_counter()
        make_dataset(plan(count, memo=memo), tmp_path / str(workers), scheduler=scheduler)
        rates[workers] = count / (time.perf_counter() - taken)
    told = ", ".join(f"{rate:,.0f} rows a second with {workers} worker(s)" for workers, rate in rates.items())
    show(f"credit risk, one level, {'with' if memo else 'without'} memo: {told}")
    assert rates[1] > 5_000
