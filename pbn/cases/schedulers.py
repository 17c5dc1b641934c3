"""Where parts are made: in this process, in several, or on a Dask cluster. They may come back in any order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol, TypeVar

from pbn.errors import Fault, PbnError, QueryError

MOST_DEATHS = 3
"""Times that workers may die over the same parts before the work is given up."""

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
    """Worker processes of this machine; a worker that dies is replaced and its parts are made again."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it; at most two jobs for each worker are in flight."""
        waiting, deaths = iter(jobs), 0
        unfinished: list[Job] = []
        while True:
            pool = ProcessPoolExecutor(self.workers, mp_context=multiprocessing.get_context("spawn"))
            running: dict[Future[Any], Job] = {}
            try:
                for job in unfinished:
                    running[pool.submit(make, job)] = job
                while True:
                    for job in islice(waiting, max(0, 2 * self.workers - len(running))):
                        running[pool.submit(make, job)] = job
                    if not running:
                        return
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        made = future.result()
                        yield running.pop(future), made
                        deaths = 0
            except BrokenProcessPool:
                deaths += 1
                unfinished = list(running.values())
                if deaths > MOST_DEATHS:
                    raise _died(f"worker processes died {deaths} times in a row") from None
            finally:
                pool.shutdown(wait=False, cancel_futures=True)


class DaskCluster:
    """A running Dask cluster, by the address of its scheduler; its workers need pbn, and no common disk."""

    def __init__(self, address: str) -> None:
        self.address = address

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it; what a lost worker had is made again by another."""
        distributed = _distributed()
        try:
            client = distributed.Client(self.address, timeout="10s", set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            message = f"no Dask scheduler answers at {self.address[:100]}"
            raise QueryError(Fault(code="cases/scheduler", message=message, found=str(error)[:200])) from None
        with client:
            workers = len(client.scheduler_info().get("workers", ()))
            most = 2 * max(1, workers)
            waiting, running = iter(jobs), {}
            done = distributed.as_completed(with_results=False)
            for job in islice(waiting, most):
                future = client.submit(make, job, pure=False, retries=MOST_DEATHS)
                running[future.key] = job
                done.add(future)
            for future in done:
                made = _result(distributed, future)
                yield running.pop(future.key), made
                del made
                future.release()
                for job in islice(waiting, 1):
                    following = client.submit(make, job, pure=False, retries=MOST_DEATHS)
                    running[following.key] = job
                    done.add(following)


def _result(distributed: Any, future: Any) -> Any:
    try:
        return future.result()
    except distributed.KilledWorker as error:
        raise _died(f"workers of the cluster died: {str(error)[:200]}") from None
    except ImportError as error:
        hint = "install pbn[data] where the workers run"
        fault = Fault(code="cases/worker", message=f"a worker cannot import what it needs: {error}", hint=hint)
        raise QueryError(fault) from None


def _died(message: str) -> PbnError:
    hint = "what was made is kept; the same command goes on from there"
    return PbnError(Fault(code="cases/worker", message=message, hint=hint))


def _distributed() -> Any:
    with suppress(ImportError):
        import distributed

        return distributed
    raise QueryError(
        Fault(
            code="cases/extra",
            message="a scheduler needs Dask's distributed, which is not installed",
            hint="pip install 'pbn[data]'",
        )
    )
