"""``pbn verify``: exit codes, messages and JSON."""

from __future__ import annotations

import json

import pytest

from tests.cases.datasets import made, plan_for


@pytest.fixture
def data(tmp_path):
    return made(tmp_path / "data", plan_for(count=20))


def test_a_data_set_that_is_right(pbn_process, data):
    done = pbn_process("verify", "data", cwd=data.parent)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "data: all 8 files are as kiosk and the seed say\n"


def test_a_data_set_that_is_wrong(pbn_command, data):
    path = data / "labels.jsonl" / "part-00001.jsonl"
    path.write_text(path.read_text().replace('"no"', '"yes"', 1))
    done = pbn_command("verify", str(data))
    assert done.exit_code == 1
    told = done.stdout.splitlines()
    assert told[-1] == f"{data}: 3 differences"
    assert told[-2].startswith("✗ labels.jsonl/part-00001.jsonl, row ")
    assert told[-2].endswith("column label_sold: differs: 'yes', should be 'no'")


def test_json(pbn_command, data):
    done = pbn_command("verify", str(data), "--json")
    assert json.loads(done.stdout) == {
        "world": "kiosk", "passed": True, "files": 8, "rows": 20, "differences": [], "other_bytes": [],
    }  # fmt: skip
    (data / "truth.jsonl" / "part-00000.jsonl").unlink()
    done = pbn_command("verify", str(data), "--json", "--workers", "1")
    assert done.exit_code == 1
    assert json.loads(done.stdout)["differences"] == [
        {"path": "truth.jsonl/part-00000.jsonl", "what": "is missing", "row": None, "column": None, "found": None,
         "expected": None},
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["nowhere", "data/world.yaml", "data/labels.jsonl"])
def test_no_data_set_there(pbn_command, data, name):
    done = pbn_command("verify", str(data.parent / name))
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("cases/no-data: ")


def test_a_world_over_the_budget(pbn_command, data):
    done = pbn_command("verify", str(data), "--budget", "10B")
    assert (done.exit_code, done.stderr.startswith("exact/over-budget")) == (3, True)
