"""Where parts are made: nothing is lost when workers die, nothing waits for ever, nothing is left over."""

from __future__ import annotations

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time
import types

import psutil
import pytest

import pbn
from pbn.cases.cluster import DaskCluster
from pbn.cases.dataset import make_dataset
from pbn.cases.schedulers import MOST_DEATHS, InProcess, Processes
from pbn.cases.work import make_part
from pbn.errors import PbnError
from tests.cases.datasets import digests, made, plan_for
from tests.cases.jobs import dies, dies_once, doubled, fails, faults, waits
from tests.world.cases import fault_of

ROOT = str(pathlib.Path(__file__).resolve().parents[2])

# -- this machine ------------------------------------------------------------------------------------


def children():
    found = set()
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):  # a zombie is none either
            if "spawn_main" in " ".join(child.cmdline()):
                found.add(child.pid)
    return found


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    assert not children(), "workers are left over"


@pytest.mark.parametrize("scheduler", [InProcess(), Processes(1), Processes(2)], ids=["here", "one", "two"])
def test_every_job_is_done_once(scheduler):
    assert sorted(scheduler.run(doubled, range(23))) == [(k, 2 * k) for k in range(23)]
    assert list(scheduler.run(doubled, [])) == []


def test_no_more_jobs_are_taken_than_there_are_workers():
    taken = 0

    def jobs():
        nonlocal taken
        for k in range(20):
            taken += 1
            yield k

    for returned, _ in enumerate(Processes(2).run(doubled, jobs())):
        assert taken - returned <= 3  # one each, and the one that is given back


def test_a_worker_that_dies_is_replaced(tmp_path):
    done = list(Processes(2).run(dies_once, [(k, str(tmp_path)) for k in range(8)]))
    assert sorted(made for _, made in done) == list(range(8))
    assert (tmp_path / "died").exists()


def test_work_that_kills_its_workers_is_given_up():
    found = []
    fault = fault_of(lambda: found.extend(job for job, _ in Processes(1).run(dies, range(8))), error=PbnError)
    assert (fault.code, str(MOST_DEATHS) in fault.message, "goes on from there" in fault.hint) == (
        "cases/worker", True, True,
    )  # fmt: skip
    assert len(found) == len(set(found))


def test_what_a_job_raises_is_raised_here():
    assert fault_of(lambda: list(Processes(1).run(fails, range(8))), error=PbnError).code == "test/wrong"
    with pytest.raises(ZeroDivisionError, match="job 0"):
        list(Processes(1).run(faults, range(8)))


def test_workers_end_when_nobody_wants_more():
    work = Processes(2).run(doubled, range(100))
    next(work)
    assert len(children()) == 2
    work.close()


def kill_children_after(count, advanced):
    """A progress function that kills a worker once so many parts are there."""

    def advance(rows):
        advanced.append(rows)
        if len(advanced) == count:
            os.kill(max(children()), signal.SIGKILL)

    return advance


def test_a_data_set_whose_worker_is_killed_halfway(tmp_path):
    plan, advanced = plan_for(count=200, part_rows=10), []
    made(tmp_path / "two", plan, scheduler=Processes(2), advance=kill_children_after(5, advanced))
    assert advanced == [10] * 20
    assert digests(tmp_path / "two") == digests(made(tmp_path / "one", plan))


def test_workers_end_with_the_process_that_started_them():
    script = f"import sys; sys.path.insert(0, {ROOT!r})\n" + (
        "from tests.cases import test_schedulers as t\n"
        "if __name__ == '__main__':\n"
        "    work = t.Processes(2).run(t.doubled, iter(range(10**6)))\n"
        "    next(work); print(*t.children(), flush=True); [None for _ in work]\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    workers = [int(word) for word in parent.stdout.readline().split()]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert len(workers) == 2
    _, alive = psutil.wait_procs([psutil.Process(pid) for pid in workers if psutil.pid_exists(pid)], timeout=20)
    assert not alive


def test_a_worker_with_another_version_is_refused():
    plan = plan_for(form="parquet")
    part = plan.part(0)
    assert make_part(part)
    object.__setattr__(part, "made_with", {**part.made_with, "pyarrow": "1.0"})
    fault = fault_of(make_part, part, error=PbnError)
    assert (fault.code, fault.allowed, "pyarrow" in fault.message) == ("cases/worker", "1.0", True)


def test_threads_share_no_world():
    """A Dask worker may run several parts at once in the threads of one process."""
    plan = plan_for(count=400, part_rows=10)
    expected = [make_part(plan.part(k)) for k in range(40)]
    found = {}

    def work(first):
        for k in range(first, 40, 4):
            found[k] = make_part(plan.part(k))

    threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[k] for k in range(40)] == expected


# -- a Dask cluster ----------------------------------------------------------------------------------


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A scheduler and workers in processes of their own."""

    def __init__(self, folder, workers):
        self.environment = {**os.environ, "PYTHONPATH": ROOT, "DASK_TEMPORARY_DIRECTORY": str(folder)}
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")
        self.workers = [self.add() for _ in range(workers)]

    def add(self, *options):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", *options)

    def start(self, *words):
        command = [sys.executable, "-m", "dask", *words]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(command, env=self.environment, cwd=self.folder, stdout=log, stderr=log)

    def stop(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    running = Cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield running
    running.stop()


def patient(cluster, **options):
    return DaskCluster(cluster.address, **{"connect_seconds": 60, "worker_seconds": 60, **options})


def test_a_cluster_writes_the_same_bytes_and_loses_nothing_with_a_worker(tmp_path, cluster):
    plan, advanced = plan_for(count=200, part_rows=10), []

    def advance(rows):
        advanced.append(rows)
        if len(advanced) == 5:
            cluster.workers[0].kill()
            cluster.workers.append(cluster.add())

    made(tmp_path / "dask", plan, scheduler=patient(cluster), advance=advance)
    assert advanced == [10] * 20
    assert digests(tmp_path / "dask") == digests(made(tmp_path / "one", plan))


def test_what_a_job_raises_on_a_cluster_is_raised_here(cluster):
    assert fault_of(lambda: list(patient(cluster).run(fails, range(8))), error=PbnError).code == "test/wrong"


@pytest.mark.parametrize(
    "address",
    ["", "somewhere", "tcp://", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "tcp://127.0.0.1:99999", "gopher://a:1"],
)
def test_addresses_that_are_none(tmp_path, address):
    fault = fault_of(make_dataset, plan_for(), tmp_path / "data", scheduler=DaskCluster(address))
    assert fault.code == "cases/scheduler"
    made(tmp_path / "data")


def test_nobody_at_an_address():
    address = f"tcp://127.0.0.1:{free_port()}"
    begun = time.monotonic()
    fault = fault_of(lambda: list(DaskCluster(address, connect_seconds=1).run(doubled, [1])))
    assert (fault.code, address in fault.message) == ("cases/scheduler", True)
    assert time.monotonic() - begun < 20


def test_somebody_else_at_an_address():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        begun = time.monotonic()
        assert (
            fault_of(lambda: list(DaskCluster(address, connect_seconds=1).run(doubled, [1]))).code == "cases/scheduler"
        )
    assert time.monotonic() - begun < 20


@pytest.mark.slow
def test_a_scheduler_without_workers(tmp_path):
    lonely = Cluster(tmp_path, 0)
    try:
        fault = fault_of(lambda: list(patient(lonely, worker_seconds=1).run(doubled, [1])))
        assert (fault.code, "no workers" in fault.message) == ("cases/scheduler", True)
        lonely.workers.append(lonely.add())
        assert list(patient(lonely).run(doubled, [1])) == [(1, 2)]

        def lose():
            time.sleep(3)
            lonely.workers[0].kill()

        threading.Thread(target=lose).start()
        fault = fault_of(lambda: list(patient(lonely, worker_seconds=2).run(waits, [1])))
        assert (fault.code, "no workers" in fault.message) == ("cases/scheduler", True)
    finally:
        lonely.stop()


@pytest.mark.slow
def test_a_scheduler_that_goes_away(tmp_path):
    running = Cluster(tmp_path, 1)
    try:

        def lose():
            time.sleep(5)
            running.scheduler.kill()

        assert list(patient(running).run(doubled, [1])) == [(1, 2)]
        threading.Thread(target=lose).start()
        found = fault_of(lambda: list(patient(running, connect_seconds=3).run(waits, [1])), error=PbnError)
        assert found.code == "cases/scheduler"
    finally:
        running.stop()


@pytest.mark.slow
def test_work_that_kills_the_workers_of_a_cluster_is_given_up(tmp_path):
    running = Cluster(tmp_path, 0)
    running.workers = [running.start("worker", running.address, "--nthreads", "1", "--nworkers", "2", "--no-dashboard")]
    try:
        code = fault_of(lambda: list(patient(running).run(dies, range(8))), error=PbnError).code
        assert code in ("cases/worker", "cases/scheduler")  # the second where dead workers are long in coming back
    finally:
        for process in running.workers:
            process.terminate()
            process.wait()
        running.workers = []
        running.stop()


@pytest.mark.slow
def test_a_worker_that_does_not_have_what_it_needs(tmp_path):
    running = Cluster(tmp_path, 1)
    only_here = types.ModuleType("only_here")
    only_here.work = types.FunctionType(doubled.__code__, {"__name__": "only_here"}, "work")
    only_here.work.__module__, only_here.work.__qualname__ = "only_here", "work"
    sys.modules["only_here"] = only_here
    try:
        fault = fault_of(lambda: list(patient(running).run(only_here.work, [1])))
        assert (fault.code, "import" in fault.message) == ("cases/worker", True)
    finally:
        del sys.modules["only_here"]
        running.stop()


def test_pbn_is_imported_from_here():
    assert pathlib.Path(pbn.__file__).is_relative_to(ROOT)
