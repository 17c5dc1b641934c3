"""Where parts are made: in this process or in several. They may come back in any order."""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, Protocol, TypeVar

from pbn.errors import Fault, PbnError

MOST_DEATHS = 3
"""Workers that may die over one job before the work is given up."""
KEPT = "what was made is kept; the same command goes on from there"

Job = TypeVar("Job")
Made = TypeVar("Made")


class Scheduler(Protocol):
    """Makes things of jobs, a few at a time, and gives them back as they are done."""

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it, in the order in which they are done."""
        ...


class InProcess:
    """One part after the other, here."""

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it, in order."""
        for job in jobs:
            yield job, make(job)


class Processes:
    """Worker processes of this machine; a worker that dies is replaced and its job is done again.

    Each worker has one job at a time, so that no more is held than one result of each. Workers hear no Ctrl-C;
    they end with this process, whatever ends it.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it; what a job raises is raised here.

        Raises
        ------
        PbnError
            ``cases/worker``: workers died again and again over one job.
        """
        waiting = ((job, 0) for job in jobs)
        again: deque[tuple[Job, int]] = deque()
        crew: dict[Connection, _Worker] = {}

        def following() -> tuple[Job, int] | None:
            return again.popleft() if again else next(waiting, None)

        try:
            while True:
                while len(crew) < self.workers and (given := following()) is not None:
                    worker = _Worker.start(make)
                    crew[worker.connection] = worker
                    worker.give(*given)
                if not crew:
                    return
                for connection in wait(list(crew)):
                    assert isinstance(connection, Connection)
                    worker = crew[connection]
                    job, deaths = worker.job, worker.deaths
                    try:
                        good, made = connection.recv()
                    except (EOFError, OSError):
                        del crew[connection]
                        worker.end()
                        if deaths + 1 >= MOST_DEATHS:
                            raise died(f"{MOST_DEATHS} worker processes died over the same part") from None
                        again.append((job, deaths + 1))
                        continue
                    if not good:
                        raise made
                    if (given := following()) is not None:
                        worker.give(*given)
                    else:
                        del crew[connection]
                        worker.end()
                    yield job, made
                    del made
        finally:
            for worker in crew.values():
                worker.end()


@dataclass(slots=True)
class _Worker:
    """A process, the pipe to it, its job, and how many workers died over that job."""

    process: SpawnProcess
    connection: Connection
    job: Any = None
    deaths: int = 0

    @staticmethod
    def start(make: Callable[[Any], object]) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, make), daemon=True)
        with _uninterrupted():
            process.start()
        theirs.close()  # now the pipe ends when the process does
        return _Worker(process=process, connection=ours)

    def give(self, job: object, deaths: int) -> None:
        self.job, self.deaths = job, deaths
        with suppress(OSError):  # it is dead already: the pipe's end says so
            self.connection.send(job)

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.join()


def _work(connection: Connection, make: Callable[[Any], object]) -> None:
    """The life of a worker: jobs in, results out, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            job = connection.recv()
            try:
                result = True, make(job)
            except Exception as error:
                result = False, error
            connection.send(result)
            del job, result


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Ctrl-C waits, and processes that are started here never hear it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # else the first process would start it, which lets Ctrl-C through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def died(message: str) -> PbnError:
    """The error of work that kills its workers."""
    hint = f"perhaps they had too little memory: give fewer workers or a smaller --part-rows; {KEPT}"
    return PbnError(Fault(code="cases/worker", message=message, hint=hint))
