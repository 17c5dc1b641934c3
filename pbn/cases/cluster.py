"""Parts made on a Dask cluster, by whoever works there."""

from __future__ import annotations

import logging
import queue
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any

from pbn.cases.schedulers import KEPT, Job, Made, died
from pbn.errors import Fault, PbnError, QueryError

CONNECT_SECONDS = 10
WORKER_SECONDS = 30
"""How long a cluster may be without any worker before the work is given up."""
RESULT_SECONDS = 120
"""How long one result may travel, or be made again where it was lost on its way."""


class DaskCluster:
    """A running Dask cluster, by the address of its scheduler; its workers need pbn, and no common disk."""

    def __init__(
        self, address: str, *, connect_seconds: float = CONNECT_SECONDS, worker_seconds: float = WORKER_SECONDS
    ) -> None:
        self.address = address
        self.connect_seconds = connect_seconds
        self.worker_seconds = worker_seconds

    def run(self, make: Callable[[Job], Made], jobs: Iterable[Job]) -> Iterator[tuple[Job, Made]]:
        """Each job with what was made of it, at most two in flight for each thread of the cluster.

        What a lost worker had is made again by another.

        Raises
        ------
        QueryError
            ``cases/scheduler``: nobody answers there, or the cluster has no workers.
        PbnError
            ``cases/worker``: workers died over a job or cannot do it; ``cases/scheduler``: the scheduler is gone.
        """
        distributed = _distributed()
        with _quiet(), self._client(distributed) as client:
            waiting = iter(jobs)
            running: dict[Any, Job] = {}
            done: queue.SimpleQueue[Any] = queue.SimpleQueue()
            while True:
                room = 2 * self._threads(client) - len(running)
                for job in islice(waiting, max(0, room)):
                    future = client.submit(make, job, pure=False)
                    running[future] = job
                    future.add_done_callback(done.put)
                if not running:
                    return
                try:
                    future = done.get(timeout=1)
                except queue.Empty:  # every second a look whether anybody is still at work
                    continue
                made = self._result(distributed, future)
                yield running.pop(future), made
                del made
                future.release()

    @contextmanager
    def _client(self, distributed: Any) -> Iterator[Any]:
        try:
            _, port = distributed.comm.get_address_host_port(self.address)
            if not 0 < port < 2**16:
                raise ValueError("a port is a number from 1 to 65,535")
            client = self._connect(distributed)
        except Exception as error:  # whatever an address can be wrong in
            message = f"no Dask scheduler answers at {self.address[:100]}"
            hint = "an address is written as tcp://host:port"
            fault = Fault(code="cases/scheduler", message=message, found=str(error)[:200], hint=hint)
            raise QueryError(fault) from None
        try:
            yield client
        finally:
            with suppress(Exception):  # the scheduler may be gone
                client.close(timeout=self.connect_seconds)

    def _connect(self, distributed: Any) -> Any:
        """A client, made in a thread: a peer that says nothing at all would be waited for without end."""
        found: queue.SimpleQueue[Any] = queue.SimpleQueue()

        def connect() -> None:
            try:
                found.put(distributed.Client(self.address, timeout=self.connect_seconds, set_as_default=False))
            except Exception as error:
                found.put(error)

        threading.Thread(target=connect, daemon=True).start()
        try:
            client = found.get(timeout=2 * self.connect_seconds)
        except queue.Empty:
            raise TimeoutError(f"no answer within {2 * self.connect_seconds:g} s") from None
        if isinstance(client, Exception):
            raise client
        return client

    def _threads(self, client: Any) -> int:
        """Threads of all workers; waits a while for the first one."""
        until = time.monotonic() + self.worker_seconds
        while True:
            try:
                threads = sum(client.nthreads().values())
            except Exception as error:
                raise self._gone(error) from None
            if threads:
                return int(threads)
            if time.monotonic() > until:
                message = f"the Dask cluster at {self.address[:100]} has no workers"
                hint = f"start one: dask worker {self.address[:100]}; {KEPT}"
                raise QueryError(Fault(code="cases/scheduler", message=message, hint=hint))
            time.sleep(0.1)

    def _result(self, distributed: Any, future: Any) -> Any:
        """What was made."""
        try:
            return future.result(timeout=RESULT_SECONDS)
        except PbnError:
            raise
        except distributed.KilledWorker:
            raise died("workers of the cluster died over the same part") from None
        except (distributed.CancelledError, TimeoutError) as error:
            raise self._gone(error) from None
        except (ImportError, AttributeError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and "deserialization" not in str(error):
                raise
            hint = "install the same version of pbn[data] where the scheduler and the workers run"
            message, found = "the cluster cannot import what a job needs", str(error.__cause__ or error)[:200]
            raise QueryError(Fault(code="cases/worker", message=message, found=found, hint=hint)) from None

    def _gone(self, error: Exception) -> PbnError:
        message = f"the Dask scheduler at {self.address[:100]} is gone"
        return PbnError(Fault(code="cases/scheduler", message=message, found=str(error)[:200] or None, hint=KEPT))


@contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own messages left out: what matters of them becomes an error here."""
    logger = logging.getLogger("distributed")
    before = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL + 1)
        try:
            yield
        finally:
            logger.setLevel(before)


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
