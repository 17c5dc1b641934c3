"""Verification: whatever is changed in a data set is found."""

from __future__ import annotations

import hashlib
import json
import os
import shutil

import pyarrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.cases import formats, verify
from pbn.cases.manifest import MANIFEST, WORLD_FILE
from pbn.cases.schedulers import Processes
from pbn.cases.verify import MOST_DIFFERENCES, verify_dataset
from tests.cases.datasets import KIOSK, lines, made, plan_for
from tests.world.cases import fault_of

brief = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module", params=formats.FORMATS)
def original(request, tmp_path_factory):
    return made(tmp_path_factory.mktemp("original") / "data", plan_for(count=20, form=request.param))


@pytest.fixture
def data(original, tmp_path):
    return shutil.copytree(original, tmp_path / "data")


def files_of(root):
    return sorted(path for path in root.rglob("*.*") if path.is_file() and path.parent != root)


def relisted(root):
    """Let the manifest list the files as they are now."""
    manifest = json.loads((root / MANIFEST).read_text())
    for entry in manifest["files"]:
        data = (root / entry["path"]).read_bytes()
        entry.update(bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    (root / MANIFEST).write_text(json.dumps(manifest))


def changed(root, **entries):
    manifest = json.loads((root / MANIFEST).read_text())
    (root / MANIFEST).write_text(json.dumps({**manifest, **entries}))


def rewritten(path, change):
    """A file with its table changed, column name → list of values; other settings of the format too."""
    if path.suffix == ".parquet":
        table = parquet.ParquetFile(path).read()
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        change(columns)
        made_of = {}
        for name, found in columns.items():
            kind = table.schema.field(name).type if name in table.column_names else None
            made_of[name] = pyarrow.array(
                found, type=None if kind is None or pyarrow.types.is_dictionary(kind) else kind
            )
        again = pyarrow.table(made_of).replace_schema_metadata(table.schema.metadata)
        parquet.write_table(again, path, compression="snappy", write_statistics=True)
    else:
        rows = lines(path)
        columns = {name: [row[name] for row in rows] for name in rows[0]}
        change(columns)
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        path.write_text("".join(json.dumps(row, indent=None) + "\n" for row in rows))


def test_what_was_made_is_right(data):
    advanced = []
    found = verify_dataset(data, advance=advanced.append)
    assert (found.passed, found.files, found.rows, found.other_bytes) == (True, 8, 20, ())
    assert advanced == [10, 10]


def test_several_processes_find_the_same(tmp_path):
    data = made(tmp_path / "data", plan_for(count=20))
    (files_of(data)[3]).unlink()
    rewritten(files_of(data)[0], lambda columns: columns["id"].reverse())
    assert verify_dataset(data, scheduler=Processes(2)) == verify_dataset(data)


# -- values ------------------------------------------------------------------------------------------


def other_value(value):
    if isinstance(value, float):
        return value + 1e-15 if abs(value) < 0.5 else value - 1e-15
    return value + 1 if isinstance(value, int) else value + "x"


@given(data=st.data())
@brief
def test_any_changed_cell_is_found(original, tmp_path_factory, data):
    """Even where the manifest is made to fit."""
    root = shutil.copytree(original, tmp_path_factory.mktemp("changed") / "data")
    path = data.draw(st.sampled_from(files_of(root)))
    cell = {}

    def change(columns):
        cell["column"] = data.draw(st.sampled_from(sorted(columns)))
        values = columns[cell["column"]]
        cell["row"] = data.draw(st.integers(0, len(values) - 1))
        values[cell["row"]] = other_value(values[cell["row"]])

    rewritten(path, change)
    relisted(root)
    (difference,) = verify_dataset(root).differences
    assert (difference.path, difference.row, difference.column) == (
        path.relative_to(root).as_posix(), cell["row"], cell["column"],
    )  # fmt: skip
    assert str(difference.row) in str(difference)


@given(data=st.data())
@brief
def test_any_flipped_bit_is_found(original, tmp_path_factory, data):
    root = shutil.copytree(original, tmp_path_factory.mktemp("flipped") / "data")
    path = data.draw(st.sampled_from(files_of(root)))
    content = bytearray(path.read_bytes())
    bit = data.draw(st.integers(0, 8 * len(content) - 1))
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)
    found = verify_dataset(root)
    assert not found.passed
    assert {difference.path for difference in found.differences} == {path.relative_to(root).as_posix()}
    relisted(root)
    assert {difference.path for difference in verify_dataset(root).differences} <= {path.relative_to(root).as_posix()}


@pytest.mark.parametrize("change", ["added", "dropped", "order", "fewer", "types"])
def test_other_tables_are_found(data, change):
    path = files_of(data)[0]

    def edit(columns):
        if change == "added":
            columns["label_sold"] = ["yes"] * 10
        elif change == "dropped":
            del columns["guests"]
        elif change == "order":
            columns["guests"] = columns.pop("guests")
        elif change == "fewer":
            for values in columns.values():
                values.pop()
        else:
            columns["guests"] = [str(value) for value in columns.pop("guests")]

    if change == "types" and path.suffix == ".parquet":
        table = parquet.ParquetFile(path).read()
        where = table.column_names.index("guests")
        texts = pyarrow.array([str(value) for value in table.column("guests").to_pylist()])
        parquet.write_table(table.set_column(where, "guests", texts), path)
    else:
        rewritten(path, edit)
    relisted(data)
    found = verify_dataset(data)
    assert not found.passed
    assert {difference.path for difference in found.differences} == {path.relative_to(data).as_posix()}


def test_a_column_in_one_row_only_is_found(tmp_path):
    root = made(tmp_path / "data", plan_for(count=20))
    path = files_of(root)[0]
    rows = path.read_text().splitlines()
    rows[5] = rows[5][:-1] + ',"label":"yes"}'
    path.write_text("\n".join(rows) + "\n")
    relisted(root)
    assert "columns in row 5" in str(verify_dataset(root).differences[0])


def test_two_columns_of_one_name_are_found(tmp_path):
    root = made(tmp_path / "data", plan_for(count=20, form="parquet"))
    path = files_of(root)[0]
    table = parquet.ParquetFile(path).read()
    parquet.write_table(table.append_column("guests", table.column("guests")), path)
    relisted(root)
    assert "two columns" in str(verify_dataset(root).differences[0])


def test_equal_values_in_other_bytes_pass(data):
    """As another version of pyarrow would write them."""
    for path in files_of(data):
        rewritten(path, lambda columns: None)
    found = verify_dataset(data)
    assert {difference.what for difference in found.differences} == {
        "is not the file that the manifest lists: its SHA-256 differs",
        *({one.what for one in found.differences} & {f"is wrong about {path}" for path in found.other_bytes}),
    }
    relisted(data)
    found = verify_dataset(data)
    assert found.passed
    assert len(found.other_bytes) == 8


def test_other_metadata_are_found(tmp_path):
    root = made(tmp_path / "data", plan_for(count=20, form="parquet"))
    path = files_of(root)[0]
    table = parquet.ParquetFile(path).read()
    about = json.dumps({**json.loads(table.schema.metadata[formats.KEY]), "seed": 8})
    parquet.write_table(table.replace_schema_metadata({formats.KEY: about}), path)
    relisted(root)
    assert [difference.what for difference in verify_dataset(root).differences] == ["has other metadata"]


# -- files -------------------------------------------------------------------------------------------


def test_a_lost_file_is_found(data):
    path = files_of(data)[5]
    path.unlink()
    (difference,) = verify_dataset(data).differences
    assert (difference.path, difference.what) == (path.relative_to(data).as_posix(), "is missing")


def test_lost_folders_are_found(data):
    for path in data.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
    assert [difference.what for difference in verify_dataset(data).differences] == ["is missing"] * 8


@pytest.mark.parametrize("name", ["more.csv", "labels.jsonl/part-00002.jsonl", "labels.parquet/notes", "sub/x"])
def test_a_file_that_does_not_belong_is_found(data, name):
    path = data / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    (difference,) = verify_dataset(data).differences
    assert (difference.path, difference.what) == (name, "is no file of the data set")


def test_swapped_files_are_found(data):
    one, other = files_of(data)[0], files_of(data)[1]
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    relisted(data)
    found = verify_dataset(data)
    assert {difference.path for difference in found.differences} == {
        p.relative_to(data).as_posix() for p in (one, other)
    }


@pytest.mark.parametrize("length", [0, 3, 100, -1])
def test_a_cut_file_is_named(data, length):
    path = files_of(data)[0]
    path.write_bytes(path.read_bytes()[:length])
    found = verify_dataset(data)
    assert {difference.path for difference in found.differences} == {MANIFEST, path.relative_to(data).as_posix()}
    assert any("whole" in difference.what or "rows" in difference.what for difference in found.differences)


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_something_else_in_place_of_a_file(data, kind):
    path = files_of(data)[0]
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    (difference,) = verify_dataset(data).differences
    assert (difference.path, difference.what) == (path.relative_to(data).as_posix(), "is no file")


# -- the world and the manifest ----------------------------------------------------------------------


def test_a_changed_law_is_found(data):
    (data / WORLD_FILE).write_text(KIOSK.replace(".75, .25", ".74, .26"))
    found = verify_dataset(data).differences
    assert [one.found.split()[0] for one in found if one.path == MANIFEST] == ["world_digest", "law_digest"]
    assert len(found) > 2


def test_changed_words_are_found(data):
    (data / WORLD_FILE).write_text(KIOSK.replace("guests came", "people came"))
    found = verify_dataset(data).differences
    assert [one.found.split()[0] for one in found if one.path == MANIFEST] == ["world_digest"]
    assert {one.column for one in found if one.path != MANIFEST} == {"memo"}


def test_a_comment_makes_no_difference(data):
    (data / WORLD_FILE).write_text("# a comment\n" + KIOSK)
    assert verify_dataset(data).passed


@pytest.mark.parametrize("text", ["", "name: x", "\0", "a: [", KIOSK.replace("far:", "fern:")])
def test_a_world_file_that_is_none(data, text):
    (data / WORLD_FILE).write_text(text)
    with pytest.raises(pbn.PbnError) as caught:
        verify_dataset(data)
    assert all(fault.place is None or fault.place.file == str(data / WORLD_FILE) for fault in caught.value.faults)


def test_no_world_file(data):
    (data / WORLD_FILE).unlink()
    assert fault_of(verify_dataset, data).code == "cases/no-world"


def test_a_changed_seed_is_found(data):
    changed(data, seed=8)
    found = verify_dataset(data).differences
    assert {difference.column for difference in found} > {"id", "memo"}


@pytest.mark.parametrize(
    ("entries", "key"),
    [
        ({"world": "x"}, "world"), ({"title": 5}, "title"), ({"law_digest": None}, "law_digest"),
        ({"splits": {}}, "splits"),
    ],
)  # fmt: skip
def test_what_the_manifest_says_of_the_whole_is_compared(data, entries, key):
    changed(data, **entries)
    (difference,) = verify_dataset(data).differences
    assert (difference.path, difference.found.split()[0]) == (MANIFEST, key)


@pytest.mark.parametrize(
    ("key", "value"),
    [("rows", 11), ("start", 1), ("kind", "truth"), ("level", "middle"), ("bytes", 5), ("sha256", "0" * 64)],
)
def test_what_the_manifest_says_of_a_file_is_compared(data, key, value):
    manifest = json.loads((data / MANIFEST).read_text())
    manifest["files"][0][key] = value
    changed(data, files=manifest["files"])
    (difference,) = verify_dataset(data).differences
    assert manifest["files"][0]["path"] in str(difference)


def test_lists_of_other_files_are_found(data):
    files = json.loads((data / MANIFEST).read_text())["files"]
    changed(data, files=[*files[1:], files[2], {**files[0], "path": "../../elsewhere"}])
    told = [difference.what for difference in verify_dataset(data).differences]
    assert told == [
        f"lists {files[2]['path']} 2 times",
        "lists ../../elsewhere, which the data set does not have",
        f"does not list {files[0]['path']}",
    ]


@pytest.mark.parametrize(
    "entries",
    [
        {"levels": None}, {"levels": [1]}, {"levels": [["near"]]}, {"levels": ["near", "near"]}, {"levels": []},
        {"levels": "near"}, {"rows": None}, {"rows": [1]}, {"rows": [0, 1.5]}, {"rows": [0, True]}, {"rows": [5, 5]},
        {"rows": [5, 2]}, {"rows": [0, 2**62 + 1]}, {"rows": [0, 2**62]}, {"rows": ["0", "9"]}, {"seed": "x"},
        {"seed": -1}, {"seed": True}, {"seed": 2**63}, {"seed": None}, {"part_rows": 0}, {"part_rows": 1.5},
        {"part_rows": 10**30}, {"part_rows": None}, {"memo": "yes"}, {"question": 5}, {"question": "weather"},
        {"file_format": "csv"}, {"file_format": None}, {"file_format": ["jsonl"]}, {"levels": ["middle"]},
        {"format": "pbn data set 2"}, {"format": None}, {"files": 5}, {"files": [[]]},
        {"files": [{"path": ["x"], "kind": "cases"}]},
    ],
    ids=str,
)  # fmt: skip
def test_hostile_manifests_are_one_message(data, entries):
    changed(data, **entries)
    with pytest.raises(pbn.PbnError) as caught:
        verify_dataset(data)
    assert len(caught.value.faults) == 1


def test_a_manifest_of_very_many_rows_is_answered_at_once(data):
    changed(data, rows=[0, 10**10], part_rows=10**6)
    found = verify_dataset(data)
    assert len(found.differences) == MOST_DIFFERENCES


def test_no_data_set(tmp_path):
    assert fault_of(verify_dataset, tmp_path).code == "cases/no-data"
    assert fault_of(verify_dataset, tmp_path / "nowhere").code == "cases/no-data"
    (tmp_path / "file").write_text("x")
    assert fault_of(verify_dataset, tmp_path / "file").code == "cases/no-data"


def test_no_more_is_computed_than_is_told(data, monkeypatch):
    monkeypatch.setattr(verify, "MOST_DIFFERENCES", 3)
    monkeypatch.setattr(verify, "make_part", lambda part: pytest.fail("nothing more to tell"))
    for k in range(4):
        (data / f"more-{k}").write_text("x")
    assert len(verify_dataset(data).differences) == 3
