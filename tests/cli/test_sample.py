"""``pbn sample``: one result or one message, and a run that can be stopped anyhow and gone on with."""

from __future__ import annotations

import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.cases.datasets import KIOSK, digests, lines

LATE = """
network late {}
variable sky {type discrete [2] {clear, rain};}
probability (sky) {table 0.7, 0.3;}
"""


@pytest.fixture
def kiosk(tmp_path):
    path = tmp_path / "kiosk.yaml"
    path.write_text(KIOSK, encoding="utf-8")
    return str(path)


def options(*more, rows="400", part="20"):
    return ["-n", rows, "--format", "jsonl", "--part-rows", part, *more]


# -- results -----------------------------------------------------------------------------------------


def test_the_result_and_nothing_else_is_printed(pbn_process, kiosk, tmp_path):
    done = pbn_process("sample", kiosk, "-n", "1_500", "-o", "data", "--seed", "5", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(
        r"data: 1,500 rows of kiosk, seed 5\n  levels near, far; 4 files, [\d.]+ kB\n  law \w{16}…, listed in .*\n",
        done.stdout,
    )
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == [
        "cases-far.parquet", "cases-near.parquet", "labels.parquet", "manifest.json", "truth.parquet", "world.yaml",
    ]  # fmt: skip


def test_the_same_command_again_says_what_was_there(pbn_command, kiosk, tmp_path):
    root = tmp_path / "data"
    command = ["sample", kiosk, *options(rows="60"), "--workers", "1", "-o", str(root)]
    assert "there" not in pbn_command(*command).stdout
    before = digests(root)
    assert "60 rows of kiosk, seed 2032, all of them there already\n" in pbn_command(*command).stdout
    (root / "truth.jsonl" / "part-00001.jsonl").unlink()
    assert "60 rows of kiosk, seed 2032, 40 of them there before\n" in pbn_command(*command).stdout
    assert digests(root) == before


def test_levels_stand_in_the_order_of_the_world(pbn_command, kiosk, tmp_path):
    for number, named in enumerate((["far,near"], ["near", "far"], ["all"], [])):
        words = [word for name in named for word in ("--level", name)]
        root = tmp_path / str(number)
        assert pbn_command("sample", kiosk, *options(*words, rows="9"), "-o", str(root)).exit_code == 0
        assert digests(root) == digests(tmp_path / "0")


def test_a_level_called_all_is_that_level(pbn_command, tmp_path):
    path = tmp_path / "world.yaml"
    path.write_text(KIOSK.replace("near:", "all:"), encoding="utf-8")
    pbn_command("sample", str(path), *options("--level", "all", rows="9"), "-o", str(tmp_path / "data"))
    assert json.loads((tmp_path / "data" / "manifest.json").read_text())["levels"] == ["all"]


@pytest.mark.parametrize("text", ["\ufeff" + KIOSK, KIOSK.replace("\n", "\r\n")], ids=["mark", "crlf"])
def test_texts_of_other_editors(pbn_command, tmp_path, text):
    path = tmp_path / "world.yaml"
    path.write_bytes(text.encode())
    root = str(tmp_path / "data")
    assert pbn_command("sample", str(path), *options(rows="9"), "-o", root).exit_code == 0
    assert pbn_command("verify", root).exit_code == 0


def test_a_question_ends_the_memo(pbn_command, kiosk, tmp_path):
    pbn_command("sample", kiosk, *options("--question", "mood", rows="9"), "-o", str(tmp_path / "data"))
    assert all(row["memo"].endswith("How was the mood?") for row in lines(tmp_path / "data" / "cases-far.jsonl"))


# -- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--level", "nar"], "query/unknown-level"), (["--level", "all,near"], "cli/which-level"),
        (["--question", "weather"], "query/unknown-question"),
        (["--question", "sold", "--no-memo"], "cli/which-memo"),
        (["--workers", "2", "--scheduler", "tcp://127.0.0.1:1"], "cli/which-workers"),
        (["--scheduler", "nowhere"], "cases/scheduler"), (["--seed", "9223372036854775808"], "cases/seed"),
        (["--start", "4611686018427387900"], "cases/row"), (["-n", "0"], "cases/row"),
        (["-n", "1_000_000_000"], "cases/part-rows"), (["--part-rows", "0"], "cases/part-rows"),
        (["--part-rows", "9_000_000"], "cases/part-rows"), (["--budget", "10B"], "exact/over-budget"),
    ],
)  # fmt: skip
def test_options_that_cannot_be(pbn_command, kiosk, tmp_path, words, code):
    done = pbn_command("sample", kiosk, *options(*words), "-o", str(tmp_path / "data"))
    assert done.exit_code == (3 if code == "exact/over-budget" else 2)
    assert done.stdout == ""
    assert done.stderr.startswith(f"{code}: ")
    assert done.stderr.count("\n") <= 5


@pytest.mark.parametrize(
    "words",
    [
        ["--seed", "-1"], ["--seed", "1.5"], ["--seed", "x"], ["--seed", ""], ["--seed", "9" * 5000], ["-n", "1,5"],
        ["-n", "1e6"], ["-n", "__1"], ["-n", "٣"], ["--workers", "0"], ["--workers", "100000"], ["--format", "csv"],
    ],
    ids=lambda words: " ".join(words)[:20],
)  # fmt: skip
def test_numbers_that_are_none(pbn_command, kiosk, tmp_path, words):
    done = pbn_command("sample", kiosk, *options(*words), "-o", str(tmp_path / "data"))
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr) < 300
    assert not (tmp_path / "data").exists()


def test_worlds_that_have_no_data_sets(pbn_command, tmp_path):
    late, bare = tmp_path / "late.bif", tmp_path / "bare.yaml"
    late.write_text(LATE)
    bare.write_text(KIOSK[: KIOSK.index("memo:")], encoding="utf-8")
    out = str(tmp_path / "data")
    done = pbn_command("sample", str(late), *options(), "-o", out)
    assert (done.exit_code, f"pbn convert {late} late.yaml" in done.stderr) == (2, True)
    done = pbn_command("sample", str(bare), *options(), "-o", out)
    assert (done.exit_code, "--no-memo" in done.stderr) == (2, True)
    assert pbn_command("sample", str(bare), *options("--no-memo", rows="9"), "-o", out).exit_code == 0
    done = pbn_command("sample", str(tmp_path / "none.yaml"), *options(), "-o", out)
    assert (done.exit_code, "spec/no-file" in done.stderr) == (2, True)


def test_faults_of_a_world_file_are_told_with_its_name(pbn_command, kiosk, tmp_path):
    broken = tmp_path / "broken.yaml"
    broken.write_text(KIOSK.replace("[.75, .25]", "[.75, .35]"), encoding="utf-8")
    done = pbn_command("sample", str(broken), *options(), "-o", str(tmp_path / "data"))
    assert (done.exit_code, f"{broken}:" in done.stderr) == (2, True)
    assert not (tmp_path / "data").exists()


def test_a_world_that_was_edited_meanwhile_is_another(pbn_command, kiosk, tmp_path):
    root = tmp_path / "data"
    command = ["sample", kiosk, *options(rows="9"), "-o", str(root)]
    pbn_command(*command)
    before = digests(root)
    with open(kiosk, "a", encoding="utf-8") as file:
        file.write("# only a comment\n")
    assert pbn_command(*command).exit_code == 0
    with open(kiosk, "w", encoding="utf-8") as file:
        file.write(KIOSK.replace(".75, .25", ".7, .3"))
    done = pbn_command(*command)
    assert (done.exit_code, "it differs in its world digest" in done.stderr) == (2, True)
    assert digests(root) == before


# -- stopped and gone on with ------------------------------------------------------------------------


def started(environment, *words, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "pbn", "sample", *words], env=environment, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


def in_session(leader):
    """Processes of a session that are still there after a while."""
    until = time.monotonic() + 10
    while left := [p for p in psutil.pids() if session_of(p) == leader and is_alive(p)]:
        if time.monotonic() > until:
            break
        time.sleep(0.05)
    return left


def is_alive(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def session_of(pid):
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def wait_for_parts(root, count, process):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if (root / ".progress.jsonl").exists() and (root / ".progress.jsonl").read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.01)


def test_ctrl_c_stops_everything_and_the_run_is_gone_on_with(environment, pbn_command, kiosk, tmp_path):
    root = tmp_path / "data"
    words = [kiosk, *options(rows="100_000", part="500"), "-o", str(root)]
    process = started(environment, *words, "--workers", "2")
    wait_for_parts(root, 3, process)
    os.killpg(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert stderr == "stopped: what was made is kept; the same command goes on from there\n"
    assert not in_session(process.pid)
    assert not list(root.rglob("*.part"))
    assert (root / ".progress.jsonl").stat().st_size > 0
    assert not (root / "manifest.json").exists()
    done = pbn_command("verify", str(root))
    assert (done.exit_code, done.stderr.startswith("cases/unfinished")) == (2, True)


def killed_at_random(environment, kiosk, tmp_path, times, seed):
    """Kill the whole process group again and again, then let a run finish; compared with one that nobody killed."""
    chance = random.Random(seed)
    words = [kiosk, *options(rows="3000", part="50"), "--workers", "2"]
    undisturbed = started(environment, *words, "-o", str(tmp_path / "whole"))
    undisturbed.communicate(timeout=300)
    root = tmp_path / "data"
    for number in range(times):
        process = started(environment, *words, "-o", str(root))
        wait_for_parts(root, 1 + 50 * number // times, process)
        time.sleep(chance.random() / 10)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
        assert not in_session(process.pid)
    last = started(environment, *words, "-o", str(root))
    assert last.communicate(timeout=300)[1] == ""
    assert digests(root) == digests(tmp_path / "whole")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_many_runs_whose_processes_are_killed(environment, kiosk, tmp_path, seed):
    killed_at_random(environment, kiosk, tmp_path, 12, seed)


# -- a terminal --------------------------------------------------------------------------------------


def test_a_terminal_sees_how_far_the_work_is(environment, kiosk, tmp_path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "pbn", "sample", kiosk, *options(rows="2000", part="50"), "--workers", "1",
         "-o", str(tmp_path / "data")],
        env={**environment, "TERM": "xterm", "COLUMNS": "100"}, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while select.select([ours], [], [], 60)[0]:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        shown += piece
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert re.search(rb"\d+/2000", shown)
    assert b"2,000 rows of kiosk" in shown


# -- memory ------------------------------------------------------------------------------------------

MEASURE = """
import resource, sys
from pbn.cli.main import main
code = main(sys.argv[1:])
print(code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak(environment, tmp_path, rows, *words):
    """Megabytes that drawing in one process takes at its peak."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, "sample", "credit_risk", "-n", str(rows), "--workers", "1", "-o",
         str(tmp_path / str(rows)), *words],
        env=environment, capture_output=True, text=True, check=True,
    )  # fmt: skip
    code, kilobytes = done.stdout.split()[-2:]
    assert code == "0"
    return int(kilobytes) / 1000


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(environment, tmp_path):
    few = peak(environment, tmp_path, 10**6, "--no-memo", "--level", "high")
    many = peak(environment, tmp_path, 20 * 10**6, "--no-memo", "--level", "high")
    print(f"peak of 1 and 20 million rows without memo: {few:.0f} and {many:.0f} MB")
    assert many < few + 40


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows_and_their_texts(environment, tmp_path):
    few, many = (peak(environment, tmp_path, rows) for rows in (100_000, 1_000_000))
    print(f"peak of 0.1 and 1 million rows with memo: {few:.0f} and {many:.0f} MB")
    assert many < few + 60
