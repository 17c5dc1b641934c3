"""Data sets on disk: the same bytes whatever happens, and nothing of anybody else's touched."""

from __future__ import annotations

import errno
import fcntl
import functools
import itertools
import json
import os
import resource
import signal
import subprocess
from collections import namedtuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.cases import dataset
from pbn.cases.dataset import make_dataset
from pbn.cases.disk import write_file
from pbn.cases.manifest import MANIFEST, PLAN, WORLD_FILE, read_manifest
from pbn.cases.plan import MOST_PARTS, DatasetPlan
from pbn.cases.records import Contents
from pbn.cases.schedulers import Processes
from tests.cases.datasets import KIOSK, LEVELS, digests, in_child, kill_at, lines, made, plan_for
from tests.world.cases import fault_of

PROGRESS = dataset.PROGRESS
FILES = ["cases-far.jsonl", "cases-near.jsonl", "labels.jsonl", "truth.jsonl"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A data set that nothing disturbed."""
    return made(tmp_path_factory.mktemp("whole") / "data")


# -- what is written ---------------------------------------------------------------------------------


def test_a_data_set_holds_its_world_its_manifest_and_a_file_or_folder_of_each_kind(tmp_path, whole):
    assert sorted(path.name for path in whole.iterdir()) == sorted([*FILES, MANIFEST, WORLD_FILE])
    assert [path.name for path in sorted((whole / "labels.jsonl").iterdir())] == [
        f"part-{k:05d}.jsonl" for k in range(4)
    ]
    one = made(tmp_path / "one", plan_for(part_rows=40))
    assert all((one / name).is_file() for name in FILES)
    assert (one / WORLD_FILE).read_text() == KIOSK


def test_the_manifest_says_everything(whole):
    manifest = json.loads((whole / MANIFEST).read_text())
    world = pbn.loads(KIOSK)
    assert {key: manifest[key] for key in ("world", "title", "seed", "rows", "levels", "memo", "question")} == {
        "world": "kiosk", "title": world.title, "seed": 7, "rows": [0, 40], "levels": ["near", "far"], "memo": True,
        "question": None,
    }  # fmt: skip
    assert (manifest["law_digest"], manifest["world_digest"]) == (world.spec.law_digest, world.spec.digest)
    assert len(manifest["files"]) == 16
    for entry in manifest["files"]:
        path = whole / entry["path"]
        assert digests(path.parent)[path.name] == entry["sha256"]
        assert entry["bytes"] == path.stat().st_size
        assert entry["rows"] == len(lines(path)) == (10 if entry["kind"] == "cases" else 20)
        assert entry["stop"] - entry["start"] == 10
    assert manifest == read_manifest(whole)


# -- the same rows, the same bytes -------------------------------------------------------------------


@given(cuts=st.lists(st.integers(0, 60), max_size=4), sizes=st.lists(st.integers(1, 61), min_size=5, max_size=5))
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_slice_and_part_size_holds_the_same_rows(tmp_path_factory, cuts, sizes):
    all_rows = made(tmp_path_factory.mktemp("a") / "d", plan_for(count=60))
    expected = {name: lines(all_rows / name) for name in FILES}
    found = {name: [] for name in FILES}
    ends = sorted({0, 60, *cuts})
    for (start, stop), size in zip(itertools.pairwise(ends), sizes, strict=False):
        folder = tmp_path_factory.mktemp("b") / "d"
        made(folder, plan_for(start=start, count=stop - start, part_rows=size))
        for name in FILES:
            found[name] += lines(folder / name)
    for name in FILES:
        if name.startswith("cases"):
            assert found[name] == expected[name]  # in order
        else:
            key = ("level", "row")
            assert sorted(map(str, found[name])) == sorted(map(str, expected[name]))
            assert len({tuple(row[k] for k in key) for row in found[name]}) == 120


def test_two_workers_write_the_same_bytes(tmp_path, whole):
    assert digests(made(tmp_path / "two", scheduler=Processes(2))) == digests(whole)


def test_fewer_levels_and_no_memos_change_no_row(tmp_path, whole):
    far = made(tmp_path / "far", plan_for(levels=["far"], memo=False))
    assert sorted(path.name for path in far.iterdir()) == sorted([*FILES[:1], *FILES[2:], MANIFEST, WORLD_FILE])
    bare = [{key: value for key, value in row.items() if key != "memo"} for row in lines(whole / FILES[0])]
    assert lines(far / FILES[0]) == bare
    assert lines(far / "labels.jsonl") == [row for row in lines(whole / "labels.jsonl") if row["level"] == "far"]


def test_parquet_says_the_same(tmp_path, whole):
    import pyarrow.parquet as parquet

    other = made(tmp_path / "parquet", plan_for(form="parquet"))
    for name in FILES:
        folder = other / name.replace("jsonl", "parquet")
        rows = [row for path in sorted(folder.iterdir()) for row in parquet.ParquetFile(path).read().to_pylist()]
        assert rows == lines(whole / name)


# -- interruptions -----------------------------------------------------------------------------------


def test_a_run_killed_at_any_change_to_the_disk_is_gone_on_with(tmp_path, whole):
    """Every single change is tried: each file's creation, half of its write, its renaming, the note of progress."""
    plan = plan_for(count=20, part_rows=10)
    expected = digests(made(tmp_path / "expected", plan))
    for number in itertools.count(1):
        root = tmp_path / f"killed-{number}"

        def work(root=root, number=number):
            kill_at(number)
            make_dataset(plan, root)

        ended = in_child(work)
        if ended is None:
            break
        assert ended == signal.SIGKILL
        kept = []
        make_dataset(plan, root, kept=kept.append)
        assert digests(root) == expected, number
        assert kept[0] in (0, 10, 20)
    assert number > 60


def test_a_run_killed_while_it_goes_on_is_gone_on_with_again(tmp_path, whole):
    for number in range(1, 60, 12):
        root = tmp_path / str(number)
        for step in (45, number):

            def work(root=root, step=step):
                kill_at(step)
                make_dataset(plan_for(), root)

            in_child(work)
        assert digests(made(root)) == digests(whole)


def test_only_what_is_missing_is_made(tmp_path, whole, monkeypatch):
    root, numbers = tmp_path / "data", []

    def work():
        kill_at(75)
        make_dataset(plan_for(), root)

    assert in_child(work) == signal.SIGKILL
    there = len((root / PROGRESS).read_text().splitlines())
    assert 1 <= there <= 3
    make = dataset.make_part
    monkeypatch.setattr(dataset, "make_part", lambda part: (numbers.append(part.number), make(part))[1])
    kept, advanced = [], []
    make_dataset(plan_for(), root, kept=kept.append, advance=advanced.append)
    assert numbers == list(range(there, 4))
    assert (kept, advanced) == ([10 * there], [10] * (4 - there))
    assert digests(root) == digests(whole)


@pytest.mark.parametrize(
    "line",
    [
        "", "[", "[[", "[0, [", "null", "[0]", "[0, null]", "[9, []]", "[-1, []]", "[true, []]", '["0", []]',
        "[[], []]",
        "[0, []]", "[0, [1, 2, 3, 4]]", "[" * 100_000, '[0, [{"path": "../../x", "bytes": 0}]]', "\0\udcff",
    ],
    ids=lambda line: line[:30] or "empty",
)  # fmt: skip
def test_progress_that_anybody_wrote_is_not_believed(tmp_path, whole, line):
    root = tmp_path / "data"
    in_child(lambda: (kill_at(75), make_dataset(plan_for(), root)))
    with (root / PROGRESS).open("ab") as file:
        file.write(line.encode("utf-8", "surrogateescape"))
    assert digests(made(root)) == digests(whole)


def test_a_part_that_changed_meanwhile_is_made_again(tmp_path, whole):
    root = tmp_path / "data"
    in_child(lambda: (kill_at(75), make_dataset(plan_for(), root)))
    path = root / "truth.jsonl" / "part-00000.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0", b"1"))
    assert digests(made(root)) == digests(whole)


def test_a_finished_data_set_is_left_as_it_is(tmp_path, whole, monkeypatch):
    root = made(tmp_path / "data")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*")}
    monkeypatch.setattr(dataset, "make_part", None)
    kept = []
    make_dataset(plan_for(), root, kept=kept.append)
    assert {path: path.stat().st_mtime_ns for path in root.rglob("*") if path != root} == {
        path: time for path, time in before.items() if path != root
    }
    assert kept == [40]


def test_what_is_missing_of_a_finished_data_set_is_made_again(tmp_path, whole):
    root = made(tmp_path / "data")
    (root / "labels.jsonl" / "part-00002.jsonl").unlink()
    (root / WORLD_FILE).unlink()
    assert digests(made(root)) == digests(whole)


@pytest.mark.parametrize("text", [KIOSK.replace(".75, .25", ".74, .26"), KIOSK.replace("guests", "people"), "", "\0"])
@pytest.mark.parametrize("state", ["finished", "lacking", "begun"])
def test_a_world_file_that_somebody_edited_is_not_written_over(tmp_path, whole, text, state):
    root = tmp_path / "data"
    if state == "begun":
        in_child(lambda: (kill_at(75), make_dataset(plan_for(), root)))
        (root / dataset.LOCK).unlink(missing_ok=True)
    else:
        made(root)
    if state == "lacking":
        (root / "labels.jsonl" / "part-00002.jsonl").unlink()
    (root / WORLD_FILE).write_text(text)
    before = digests(root)
    fault = fault_of(make_dataset, plan_for(), root)
    assert (fault.code, str(root / WORLD_FILE) in fault.message) == ("cases/changed", True)
    assert digests(root) == before
    (root / WORLD_FILE).unlink()
    assert digests(made(root)) == digests(whole)


def test_a_world_file_with_other_comments_is_the_same(tmp_path, whole):
    root = made(tmp_path / "data")
    (root / WORLD_FILE).write_text("# mine\n" + KIOSK)
    (root / "labels.jsonl" / "part-00002.jsonl").unlink()
    made(root)
    assert (root / WORLD_FILE).read_text().startswith("# mine\n")


def test_a_changed_file_of_a_finished_data_set_is_told(tmp_path):
    root = made(tmp_path / "data")
    path = root / "labels.jsonl" / "part-00002.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    before = digests(root)
    fault = fault_of(make_dataset, plan_for(), root)
    assert (fault.code, "part-00002" in fault.message, "pbn verify" in fault.hint) == ("cases/changed", True, True)
    assert digests(root) == before


# -- refusals: one message, and what was there is there ----------------------------------------------


@pytest.mark.parametrize(
    ("other", "key"),
    [
        ({"seed": 8}, "seed"), ({"count": 41}, "rows"), ({"start": 1}, "rows"), ({"levels": ["near"]}, "levels"),
        ({"memo": False}, "memo"), ({"question": "sold"}, "question"), ({"form": "parquet"}, "file format"),
        ({"part_rows": 11}, "part rows"), ({"source": KIOSK.replace(".75, .25", ".74, .26")}, "world digest"),
        ({"source": KIOSK.replace("guests came", "people came")}, "world digest"),
        ({"source": KIOSK.replace("name: kiosk", "name: shop")}, "world"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("finished", [True, False])
def test_another_data_set_in_the_folder_is_left_alone(tmp_path, other, key, finished):
    root = tmp_path / "data"
    if finished:
        made(root)
    else:
        in_child(lambda: (kill_at(75), make_dataset(plan_for(), root)))
    (root / dataset.LOCK).unlink(missing_ok=True)  # a killed run leaves it; it locks nothing
    before = digests(root)
    fault = fault_of(make_dataset, plan_for(**other), root)
    assert (fault.code, fault.message.endswith(f"it differs in its {key}")) == ("cases/other-data", True)
    assert digests(root) == before


@pytest.mark.parametrize("name", ["notes.txt", WORLD_FILE, ".hidden", "cases-near.jsonl", "draft.part"])
def test_a_folder_with_other_things_is_left_alone(tmp_path, name):
    (tmp_path / name).write_text("mine")
    fault = fault_of(make_dataset, plan_for(), tmp_path)
    assert (fault.code, fault.found) == ("cases/not-empty", name)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "mine")]


def test_a_folder_in_use(tmp_path):
    root = tmp_path / "data"
    root.mkdir()
    with (root / dataset.LOCK).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert fault_of(make_dataset, plan_for(), root).code == "cases/in-use"
    assert [path.name for path in root.iterdir()] == [dataset.LOCK]
    made(root)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "null", "[]", "1", '"x"', "{}", '{"format": "pbn data set 9", "files": []}', "[" * 100_000, "\udcff",
        '{"format": "pbn data set 1"}', '{"format": "pbn data set 1", "files": {}}',
        '{"format": "pbn data set 1", "files": [null]}', '{"format": "pbn data set 1", "files": [{"path": 1}]}',
        '{"a": ' + "9" * 5000 + "}",
    ],
    ids=lambda text: text[:40] or "empty",
)  # fmt: skip
def test_a_manifest_that_is_none(tmp_path, text):
    root = made(tmp_path / "data")
    (root / MANIFEST).write_bytes(text.encode("utf-8", "surrogateescape"))
    before = digests(root)
    for function in (functools.partial(make_dataset, plan_for()), read_manifest):
        assert fault_of(function, root).code == "cases/manifest"
    assert digests(root) == before


@pytest.mark.parametrize("change", ["lost", "extra", "twice", "renamed", "rows", "hostile"])
def test_a_manifest_of_other_files(tmp_path, change):
    root = made(tmp_path / "data")
    manifest = json.loads((root / MANIFEST).read_text())
    files = manifest["files"]
    if change == "lost":
        del files[3]
    elif change in ("extra", "twice"):
        files.append({**files[0], "path": "more.jsonl" if change == "extra" else files[0]["path"]})
    elif change == "renamed":
        files[0]["path"] = "../x"
    elif change == "rows":
        files[0]["rows"] += 1
    else:
        files[0]["bytes"] = True
    (root / MANIFEST).write_text(json.dumps(manifest))
    before = digests(root)
    assert fault_of(make_dataset, plan_for(), root).code == (
        "cases/manifest" if change == "hostile" else "cases/changed"
    )
    assert digests(root) == before


def test_a_folder_below_a_file(tmp_path):
    (tmp_path / "file").write_text("mine")
    for root in (tmp_path / "file", tmp_path / "file" / "data"):
        assert fault_of(make_dataset, plan_for(), root).code == "cases/unwritable"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
@pytest.mark.parametrize("at", range(1, 40, 6))
def test_a_disk_that_refuses(tmp_path, whole, monkeypatch, number, at):
    root, count, write = tmp_path / "data", 0, os.write

    def refusing(handle, data):
        nonlocal count
        count += 1
        if count >= at:
            raise OSError(number, os.strerror(number))
        return write(handle, data)

    monkeypatch.setattr(os, "write", refusing)
    if at > 2 + 5 * 4:
        made(root)
    else:
        fault = fault_of(make_dataset, plan_for(), root, error=pbn.PbnError)
        full = number in (errno.ENOSPC, errno.EDQUOT)
        assert fault.code == ("cases/disk-full" if full else "cases/unwritable")
        assert fault.found == os.strerror(number)
        assert "goes on from there" in fault.hint
        assert not list(root.rglob(".*.part")), "no halves of files are left"
        monkeypatch.undo()
        made(root)
    assert digests(root) == digests(whole)


def test_a_file_beyond_the_limit_of_the_process(tmp_path):
    """The kernel itself refuses, here by RLIMIT_FSIZE; what was written before is there."""
    root, plan = tmp_path / "data", plan_for(count=3000, part_rows=3000, levels=["far"])
    before = tmp_path / "before"
    before.write_text("mine")

    def work():
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        assert fault_of(make_dataset, plan, root, error=pbn.PbnError).code == "cases/disk-full"

    assert in_child(work) is None
    assert before.read_text() == "mine"
    assert not list(root.rglob(".*.part"))
    assert (root / PLAN).exists()
    made(root, plan)


def mounted(folder, *options):
    """Whether a small file system could be mounted at a folder."""
    command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


def test_a_full_disk_and_a_read_only_one(tmp_path, whole):
    """On a file system of 128 kB where this process may mount one; else the limits above must do."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted(disk, "size=128k"):
        return
    try:
        root, plan = disk / "data", plan_for(count=400, part_rows=200)
        (disk / "ballast").write_bytes(bytes(80_000))
        assert fault_of(make_dataset, plan, root, error=pbn.PbnError).code in ("cases/disk-full", "cases/no-room")
        assert not list(root.rglob(".*.part"))
        (disk / "ballast").unlink()
        subprocess.run(["mount", "-o", "remount,size=4m", str(disk)], check=True)
        made(root, plan)
        assert digests(root) == digests(made(tmp_path / "expected", plan))
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        assert fault_of(make_dataset, plan, disk / "more").code == "cases/unwritable"
        assert fault_of(make_dataset, plan_for(seed=8), root).code == "cases/unwritable"
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_too_little_room_is_told_by_the_first_part(tmp_path, whole, monkeypatch):
    usage = namedtuple("usage", "free")
    sizes = {}
    for entry in read_manifest(whole)["files"]:
        sizes[entry["start"]] = sizes.get(entry["start"], 0) + entry["bytes"]
    root = tmp_path / "data"
    monkeypatch.setattr(dataset.shutil, "disk_usage", lambda path: usage(4 * sizes[0] - 1))
    fault = fault_of(make_dataset, plan_for(), root, error=pbn.PbnError)
    assert (fault.code, "--no-memo" in fault.hint) == ("cases/no-room", True)
    assert "kB free" in fault.found
    monkeypatch.setattr(dataset.shutil, "disk_usage", lambda path: usage(4 * sizes[0]))
    assert digests(made(root)) == digests(whole)


def test_files_follow_the_umask(tmp_path):
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"seed": -1}, "cases/seed"), ({"seed": 2**63}, "cases/seed"), ({"seed": "7"}, "cases/seed"),
        ({"seed": 1.0}, "cases/seed"), ({"seed": True}, "cases/seed"), ({"count": 0}, "cases/row"),
        ({"count": -1}, "cases/row"), ({"start": -1}, "cases/row"), ({"start": 2**62 - 39}, "cases/row"),
        ({"part_rows": 0}, "cases/part-rows"), ({"part_rows": 1_000_001}, "cases/part-rows"),
        ({"count": MOST_PARTS * 10 + 1}, "cases/part-rows"), ({"levels": []}, "cases/level"),
    ],
)  # fmt: skip
def test_plans_that_are_refused(options, code):
    assert fault_of(plan_for, **options).code == code


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"levels": ["middle"]}, "query/unknown-level"), ({"question": "weather"}, "query/unknown-question"),
        ({"source": KIOSK[: KIOSK.index("memo:")]}, "text/no-memo"),
    ],
)  # fmt: skip
def test_contents_that_a_world_does_not_have(tmp_path, options, code):
    assert fault_of(make_dataset, plan_for(**options), tmp_path / "data").code == code
    assert not (tmp_path / "data").exists(), "nothing is written"


def test_the_last_rows_that_exist(tmp_path):
    root = made(tmp_path / "data", plan_for(start=2**62 - 3, count=3, part_rows=2))
    assert [row["row"] for row in lines(root / "labels.jsonl") if row["level"] == "far"] == [
        2**62 - 3 + k for k in range(3)
    ]


def test_a_level_that_costs_too_much_is_refused_before_anything_is_written(tmp_path):
    plan = DatasetPlan(
        source=pbn.shipped_worlds()["credit_risk"].read_text(), seed=1, start=0, stop=10, budget=1000,
        contents=Contents(levels=("low",), memo=False),
    )  # fmt: skip
    fault = fault_of(make_dataset, plan, tmp_path / "data", error=pbn.BudgetError)
    assert (fault.code, "low" in fault.message) == ("exact/over-budget", True)
    assert not (tmp_path / "data").exists()


def test_levels_are_those_of_the_world():
    assert tuple(pbn.loads(KIOSK).levels) == LEVELS


def test_no_data_set_within_another(whole, tmp_path):
    with pytest.raises(pbn.QueryError) as caught:
        make_dataset(plan_for(), whole / "inner")
    assert caught.value.code == "cases/inside"
    (tmp_path / MANIFEST).write_text("[]")  # somebody else's
    make_dataset(plan_for(), tmp_path / "data")
    assert read_manifest(tmp_path / "data")


def test_a_scheduler_that_never_answers_leaves_nothing(tmp_path):
    class Silent:
        def run(self, make, jobs):
            raise pbn.QueryError(pbn.Fault(code="cases/scheduler", message="nobody answers"))
            yield

    with pytest.raises(pbn.QueryError, match="nobody answers"):
        make_dataset(plan_for(), tmp_path / "data", scheduler=Silent())
    make_dataset(plan_for(count=11), tmp_path / "data")
    assert read_manifest(tmp_path / "data")["rows"][1] == 11
