"""The published protocol: runs of rows, and demonstrations that are prefixes of one another."""

from __future__ import annotations

import itertools

from pbn.cases.protocol import DEMONSTRATIONS, POOL, SEEDS, TEST, TRAINING, splits
from tests.cases.datasets import lines, made, plan_for


def test_runs_are_those_of_the_publication():
    assert (POOL, TEST, TRAINING, SEEDS) == ((0, 1000), (1000, 1500), 50, (2032, 2033, 2034))
    runs = splits(0, 1500)
    assert (runs["pool"], runs["test"], runs["train_50"]) == ((0, 1000), (1000, 1500), (0, 50))


def test_demonstrations_are_nested_prefixes_of_the_pool():
    runs = [splits(0, 1500)[f"demonstrations_{count}"] for count in DEMONSTRATIONS if count]
    assert runs == [(0, 10), (0, 25), (0, 50)]
    assert all(one[0] == other[0] and one[1] < other[1] for one, other in itertools.pairwise(runs))
    assert all(stop <= POOL[1] <= TEST[0] for _, stop in runs)


def test_only_runs_that_are_there_whole_are_named():
    assert set(splits(0, 999)) == {"train_50", "demonstrations_10", "demonstrations_25", "demonstrations_50"}
    assert set(splits(1, 1500)) == set(splits(1000, 1500)) == {"test"}
    assert splits(1001, 5000) == {}


def test_demonstrations_of_a_data_set_are_the_same_rows_whatever_else_is_drawn(tmp_path):
    few = lines(made(tmp_path / "few", plan_for(count=10)) / "cases-far.jsonl")
    many = lines(made(tmp_path / "many", plan_for(count=50)) / "cases-far.jsonl")
    assert few == many[:10]
