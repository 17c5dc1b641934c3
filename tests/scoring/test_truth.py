"""The truth of a data set in all the places where it may lie, and what is refused of it."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.scoring import truth as module
from pbn.scoring.truth import read_truth


def same(one, other):
    assert list(one.ids) == list(other.ids)
    assert one.questions == other.questions
    for name in one.questions:
        assert (one.probs[name] == other.probs[name]).all()
        assert (one.labels[name] == other.labels[name]).all()
    assert one.draws == other.draws


@pytest.mark.parametrize("world", ["credit_risk", "support_ticket"])
def test_formats_and_parts_hold_the_same(draw, world):
    whole, lines = draw(world), draw(world, form="jsonl")
    parts = draw(world, part_rows=150)
    one = read_truth(whole)
    assert len(one.ids) == 1200
    same(one, read_truth(whole / "truth.parquet"))
    same(one, read_truth(lines))
    same(one, read_truth(lines / "truth.jsonl"))
    for path in (parts, parts / "truth.parquet"):
        other = read_truth(path)
        assert sorted(other.ids) == sorted(one.ids)
        assert set(other.draws) == set(one.draws)
    single = read_truth(parts / "truth.parquet" / "part-00001.parquet")
    assert sorted(set(single.row.tolist())) == list(range(150, 300))
    assert single.labels is not None


def test_questions_and_positive_states(ticket_data, tmp_path):
    found = read_truth(ticket_data)
    assert {name: one.positive for name, one in found.questions.items()}["angry"] == "yes"
    assert found.questions["queue"].states[-2:] == ("product help", "general desk")
    for name in ("truth.parquet", "labels.parquet"):  # without the world file, by the names of the label columns
        shutil.copy(ticket_data / name, tmp_path)
    alone = read_truth(tmp_path / "truth.parquet")
    assert {name: one.states for name, one in alone.questions.items()} == {
        name: one.states for name, one in found.questions.items()
    }
    assert alone.draws == found.draws  # Parquet says law and seed itself


def test_a_truth_alone(credit_data, ticket_data, tmp_path):
    shutil.copy(credit_data / "truth.parquet", tmp_path / "mine.parquet")
    found = read_truth(tmp_path / "mine.parquet")
    assert found.labels is None
    assert found.questions["default"].states == ("no", "yes")
    assert "no labels" in found.notes[0]
    shutil.copy(ticket_data / "truth.parquet", tmp_path / "ticket.parquet")
    with pytest.raises(pbn.QueryError, match="truth/question"):
        read_truth(tmp_path / "ticket.parquet")
    labelled = read_truth(tmp_path / "ticket.parquet", labels=ticket_data / "labels.parquet")
    assert list(labelled.questions) == ["queue", "priority", "angry"]


def test_a_world_file_that_is_none_is_noted(credit_data, tmp_path):
    for name in ("truth.parquet", "labels.parquet"):
        shutil.copy(credit_data / name, tmp_path)
    (tmp_path / "world.yaml").write_text("name: [", encoding="utf-8")
    assert "is not read" in read_truth(tmp_path).notes[0]


def test_rows_and_levels(credit_data):
    found = read_truth(credit_data, rows=(10, 20), level="medium")
    assert found.row.tolist() == list(range(10, 20))
    assert found.levels == ("medium",)
    assert len(found.labels["default"]) == 10
    for options in ({"rows": (5000, 6000)}, {"level": "deep"}):
        with pytest.raises(pbn.QueryError, match="truth/empty"):
            read_truth(credit_data, **options)


def test_published_folders(draw, tmp_path):
    from pbn.cases.publish import publish
    from pbn.cases.terms import Terms

    roots = [draw(seed=seed, rows=60) for seed in (1, 2)]
    publish(roots, tmp_path / "hub", Terms())
    found = read_truth(tmp_path / "hub" / "data" / "credit_risk-truth")
    assert len(found.ids) == 360
    assert {seed for _, seed, _ in found.draws} == {1, 2}
    one = read_truth(roots[0])
    place = {name: k for k, name in enumerate(found.ids)}
    kept = [place[name] for name in one.ids]
    assert (found.probs["default"][kept] == one.probs["default"]).all()
    assert (found.labels["default"][kept] == one.labels["default"]).all()
    assert [found.draws[k] for k in kept] == list(one.draws)


CHANGES = {
    "truth/value": lambda table: table.assign(p_default_yes=0.7),
    "truth/duplicate": lambda table: pd.concat([table, table.iloc[:1]]),
    "truth/column": lambda table: table.drop(columns="level"),
}


@pytest.mark.parametrize("code", CHANGES)
def test_a_truth_that_cannot_be(credit_data, tmp_path, code):
    CHANGES[code](pd.read_parquet(credit_data / "truth.parquet")).to_parquet(tmp_path / "truth.parquet")
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(tmp_path / "truth.parquet")
    assert caught.value.code == code


@pytest.mark.parametrize("change", [
    lambda table: table.iloc[:-1],
    lambda table: table.assign(label_default="perhaps"),
    lambda table: table.assign(label_default=np.nan),
    lambda table: table.drop(columns="id"),
])  # fmt: skip
def test_labels_that_cannot_be(credit_data, tmp_path, change):
    shutil.copy(credit_data / "truth.parquet", tmp_path)
    change(pd.read_parquet(credit_data / "labels.parquet")).to_parquet(tmp_path / "labels.parquet")
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(tmp_path / "truth.parquet")
    assert caught.value.code in ("truth/labels", "truth/value")


def test_no_truth(tmp_path):
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(pbn.QueryError, match="truth/no-file"):
            read_truth(path)


def test_the_limit(credit_data, monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    with pytest.raises(pbn.QueryError, match="--rows"):
        read_truth(credit_data)
    assert len(read_truth(credit_data, rows=(0, 30)).ids) == 90
