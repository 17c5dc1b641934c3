"""The truth of a data set in all the places where it may lie, and what is refused of it."""

from __future__ import annotations

import shutil

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.scoring import truth as module
from pbn.scoring.predictions import read_predictions
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


@pytest.mark.parametrize(("ending", "seed"), [
    (".parquet", 2**53 + 1), (".parquet", np.uint64(2**63 - 1)), (".csv", 2**53 + 1), (".csv", 2**63 - 1),
    (".jsonl", 2**63 - 1), (".csv", "2032.0"), (".jsonl", 2032.0), (".parquet", 2032.0),
])  # fmt: skip
def test_seeds_and_rows_are_exact(credit_data, tmp_path, ending, seed):
    table = pd.read_parquet(credit_data / "truth.parquet").query("level == 'high'").iloc[:3].copy()
    row = 2**53 + 1 + 2 * np.arange(3)
    found = drawn(table.assign(seed=seed, row=row), credit_data, tmp_path, ending)
    whole = int(float(seed)) if isinstance(seed, str) else int(seed)
    assert [draw[1:] for draw in found.draws] == [(whole, number) for number in row.tolist()]


def drawn(table, data, folder, ending):
    """The truth that a table is, beside the manifest of a data set."""
    path = folder / f"truth{ending}"
    shutil.copy(data / "manifest.json", folder)
    if ending == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, index=False) if ending == ".csv" else table.to_parquet(path)
    return read_truth(path)


@pytest.mark.parametrize("ending", [".parquet", ".csv", ".jsonl"])
@pytest.mark.parametrize("change", [{"seed": -5}, {"row": -10}, {"row": 2**62}])
def test_draws_that_cannot_be(credit_data, tmp_path, ending, change):
    table = pd.read_parquet(credit_data / "truth.parquet").query("level == 'high'").iloc[:1]
    with pytest.raises(pbn.QueryError) as caught:
        drawn(table.assign(**change), credit_data, tmp_path, ending)
    assert caught.value.code == "truth/value"
    fault = caught.value.faults[0]
    assert f"truth{ending}" in fault.message
    assert fault.allowed == "seeds 0 to 2^63 − 1, rows 0 to 2^62 − 1"


@pytest.mark.parametrize(("ending", "row"), [
    (".parquet", np.uint64(2**63)), (".parquet", 2.0**53), (".parquet", 0.5), (".parquet", None), (".parquet", True),
    (".csv", 2**63), (".csv", "1e17"), (".csv", "ten"), (".csv", "9" * 5000), (".csv", "nan"),
    (".jsonl", 1e17), (".jsonl", True), (".jsonl", [1]),
])  # fmt: skip
def test_rows_that_are_no_whole_numbers(credit_data, tmp_path, ending, row):
    table = pd.read_parquet(credit_data / "truth.parquet").iloc[:1]
    with pytest.raises(pbn.QueryError) as caught:
        drawn(table.assign(row=pd.Series([row], index=table.index)), credit_data, tmp_path, ending)
    assert caught.value.code == "truth/value"


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


# -- labels that stand twice, publications, and what a message says -----------------------------------


def test_labels_that_contradict_each_other(credit_data, tmp_path):
    shutil.copy(credit_data / "truth.parquet", tmp_path)
    labels = pd.read_parquet(credit_data / "labels.parquet").astype({"label_default": str})
    pd.concat([labels, labels.iloc[5:9]]).to_parquet(tmp_path / "labels.parquet")
    assert (read_truth(tmp_path).labels["default"] == read_truth(credit_data).labels["default"]).all()
    other = labels.iloc[[7]].assign(label_default={"yes": "no", "no": "yes"}[labels.label_default.iloc[7]])
    pd.concat([labels, other]).to_parquet(tmp_path / "labels.parquet")
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(tmp_path)
    assert caught.value.code == "truth/duplicate"
    assert labels.id.iloc[7] in str(caught.value)


@pytest.fixture(scope="module")
def publication(tmp_path_factory, credit_data, ticket_data):
    """A published folder of two worlds, as far as scoring looks at it."""
    root = tmp_path_factory.mktemp("published")
    for world, data in (("credit_risk", credit_data), ("support_ticket", ticket_data)):
        for kind in ("truth", "labels"):
            folder = root / "data" / f"{world}-{kind}"
            folder.mkdir(parents=True)
            shutil.copy(data / f"{kind}.parquet", folder / "test-seed-2032-00000.parquet")
        (root / "worlds").mkdir(exist_ok=True)
        text = (data / "world.yaml").read_text(encoding="utf-8").replace("positive: yes", "positive: no")
        (root / "worlds" / f"{world}.yaml").write_text(text, encoding="utf-8")
    return root


def test_a_published_folder(publication, credit_data, ticket_data, tmp_path):
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(publication)
    assert f"{publication}/data/credit_risk-truth, {publication}/data/support_ticket-truth" in str(caught.value)
    for world in ("credit_risk", "support_ticket"):
        shutil.copytree(publication / "data" / f"{world}-truth", tmp_path / world / "data" / f"{world}-truth")
        shutil.copytree(publication / "data" / f"{world}-labels", tmp_path / world / "data" / f"{world}-labels")
    for world, data in (("credit_risk", credit_data), ("support_ticket", ticket_data)):
        same(read_truth(tmp_path / world), read_truth(data))
        folder = publication / "data" / f"{world}-truth"
        assert read_truth(folder).labels.keys() == read_truth(data).labels.keys()
        assert read_truth(folder, labels=tmp_path / world).labels is not None
        assert read_truth(folder / "test-seed-2032-00000.parquet").world == publication / "worlds" / f"{world}.yaml"


@pytest.mark.parametrize(("options", "said"), [
    ({"level": "hihg"}, ["allowed: rows 0 to 399; levels low, medium, high", "did you mean 'high'?"]),
    ({"rows": (400, 500)}, ["found: rows 400 to 499", "allowed: rows 0 to 399"]),
])  # fmt: skip
def test_what_is_asked_for_and_is_not_there(credit_data, options, said):
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(credit_data, **options)
    assert caught.value.code == "truth/empty"
    for text in said:
        assert text in str(caught.value)


def test_files_that_are_no_truth_are_named(credit_data, tmp_path):
    for name, said in (("labels", "labels.parquet is a file of labels"), ("cases-high", "has no column level")):
        with pytest.raises(pbn.QueryError) as caught:
            read_truth(credit_data / f"{name}.parquet")
        assert said in str(caught.value)
        assert "the folder of the data set" in caught.value.faults[0].hint
    with pytest.raises(pbn.QueryError) as caught:
        read_truth(credit_data, labels=tmp_path / "none.csv")
    assert "there is no file of labels at" in str(caught.value)
    assert "--truth" not in str(caught.value)


@pytest.mark.parametrize(("options", "case"), [({"level": "low"}, 0), ({"rows": (20, 30)}, 0)])
def test_predictions_of_cases_that_are_not_asked_for(credit_data, credit_table, tmp_path, options, case):
    high = credit_table[credit_table.level == "high"].iloc[case]
    (tmp_path / "mine.csv").write_text(f"id,p\n{high.id},0.5\n", encoding="utf-8")
    with pytest.raises(pbn.QueryError) as caught:
        read_predictions(tmp_path / "mine.csv", read_truth(credit_data, **options))
    assert f"{high.id} is row {high.row} of level high" in caught.value.faults[0].hint
