"""Runs into a folder: finished studies are used again, broken ones are not, and nothing of others is overwritten."""

from __future__ import annotations

import csv
import io
import json

import pytest

import pbn
from pbn.studies.catalogue import NAMES, study
from pbn.studies.reproduce import ENDINGS, PAGE, TABLE, _checksum, digest_of, finished, reproduce


@pytest.fixture(autouse=True)
def undrawn(request, monkeypatch):
    """Figures cost more than all else here; they are drawn in the tests of the studies."""
    if "slow" not in request.keywords:
        for name in ("settings", "worlds", "residual"):
            monkeypatch.setattr(f"pbn.studies.{name}.plot_files", lambda *a, **k: {"pdf": b"%PDF", "png": b"PNG"})


@pytest.fixture
def folder(tmp_path):
    reproduce(["settings"], tmp_path / "out", workers=1)
    return tmp_path / "out"


def test_a_study_leaves_its_files_and_a_page(folder):
    names = {path.name for path in folder.iterdir()}
    assert names == {PAGE, TABLE, "settings.json", *(f"settings.{ending}" for ending in ENDINGS)}
    page = (folder / PAGE).read_text(encoding="utf-8")
    assert "<script" not in page
    assert "data:image/png;base64," in page
    assert "not in our source" in page
    assert "8 of 8" in page
    rows = list(csv.DictReader(io.StringIO((folder / TABLE).read_text(encoding="utf-8"))))
    assert len(rows) == 14
    assert {row["agrees"] for row in rows} == {"yes", ""}


def test_a_finished_study_is_used_again(folder):
    before = (folder / "settings.png").stat().st_mtime_ns
    (again,) = reproduce(["settings"], folder, workers=1)
    assert again.reused
    assert (folder / "settings.png").stat().st_mtime_ns == before
    (quick,) = reproduce(["settings"], folder, quick=True, workers=1)
    assert quick.reused  # a full one serves as well
    (forced,) = reproduce(["settings"], folder, workers=1, force=True)
    assert not forced.reused


def of_another_day(record):
    """A whole record of other worlds, or of an older version."""
    known = json.loads(record.read_text(encoding="utf-8")) | {"digest": "0"}
    del known["checksum"]
    record.write_text(json.dumps(known | {"checksum": _checksum(known)}))


@pytest.mark.parametrize("harm", ["file", "gone", "digest", "record", "shape", "null", "edited"])
def test_a_broken_study_is_run_again(folder, harm):
    record = folder / "settings.json"
    if harm == "file":
        (folder / "settings.csv").write_text("changed")
    elif harm == "gone":
        (folder / "settings.pdf").unlink()
    elif harm == "digest":
        of_another_day(record)
    elif harm in ("null", "edited"):
        change = {"files": None} if harm == "null" else {"seconds": 0.001}
        record.write_text(json.dumps(json.loads(record.read_text(encoding="utf-8")) | change))
    elif harm == "record":
        record.write_text("{")
    else:
        record.write_text("[1]")
    assert finished(folder, "settings", False) is None
    (again,) = reproduce(["settings"], folder, workers=1, force=harm not in ("file", "gone", "digest"))
    assert not again.reused
    assert finished(folder, "settings", False) is not None


def test_a_quick_study_does_not_serve_for_a_full_one(tmp_path):
    reproduce(["residual"], tmp_path, quick=True, workers=1)
    assert finished(tmp_path, "residual", True) is not None
    assert finished(tmp_path, "residual", False) is None
    assert "Quick" in (tmp_path / PAGE).read_text(encoding="utf-8")


def test_a_study_that_a_quick_run_leaves_as_it_is_is_not_called_quick(tmp_path):
    (found,) = reproduce(["settings"], tmp_path, quick=True, workers=1)
    assert not found.quick
    assert finished(tmp_path, "settings", False) is not None
    assert "Quick" not in (tmp_path / PAGE).read_text(encoding="utf-8")


@pytest.mark.parametrize("file", ["settings.csv", PAGE, TABLE])
def test_files_of_others_are_left_alone(tmp_path, file):
    (tmp_path / file).write_text("mine")
    with pytest.raises(pbn.PbnError, match="studies/file-exists"):
        reproduce(["settings"], tmp_path, workers=1)
    assert (tmp_path / file).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [file]


def test_an_unknown_study_is_told_before_anything_runs(tmp_path):
    with pytest.raises(pbn.PbnError, match="did you mean 'snapshots'"):
        reproduce(["settings", "snapshoots"], tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_an_interruption_keeps_what_is_finished(tmp_path):
    def stop(name, done, total):
        if name == "worlds":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce(["settings", "worlds"], tmp_path, workers=1, watch=stop)
    assert finished(tmp_path, "settings", False) is not None
    assert not list(tmp_path.glob("worlds.*"))
    assert "The settings" in (tmp_path / PAGE).read_text(encoding="utf-8")


def test_every_study_is_what_the_catalogue_says():
    for name in NAMES:
        one = study(name)
        assert one.name == name
        assert one.tasks(True)
        assert len(one.tasks(True)) <= len(one.tasks(False))
        assert digest_of(one, True) != digest_of(one, False)


@pytest.mark.slow
def test_all_of_it_quickly(tmp_path):
    records = {record.name: record for record in reproduce([], tmp_path, quick=True)}
    assert list(records) == list(NAMES)
    wrong = [(name, one) for name, record in records.items() for one in record.comparisons if one.agrees is False]
    assert not wrong
    assert sum(record.seconds for record in records.values()) < 300
    ours = {one.quantity: float(one.ours) for one in records["snapshots"].comparisons if "k = 2, three" in one.where}
    assert ours["higher-order error"] == pytest.approx(0.144, abs=0.01)
    assert ours["target separation δ_k"] == pytest.approx(0.145, abs=0.005)
    assert ours["snapshot error"] < 0.03
