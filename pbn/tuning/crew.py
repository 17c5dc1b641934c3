"""Many answers of one kind: in this process while that is quicker, else in several; the same answers either way."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType
from typing import Any, Generic, TypeVar

from pbn.errors import Fault, PbnError, QueryError

START = 2.0
"""Seconds of work that are worth the start of processes."""
WORTH = 0.3
"""Seconds of work left that are worth being spread over processes that have started."""
MOST_WORKERS = 60

Task = TypeVar("Task")
Answer = TypeVar("Answer")
Advance = Callable[[], None]

_work: Callable[[Any], Any] | None = None


def no_advance() -> None:
    """What is called after each answer where nobody watches."""


class Crew(Generic[Task, Answer]):
    """Answers tasks by ``work``, in order; ``workers`` is the number of processes.

    None means one for each core, started once the work has taken long enough for that to pay; with 1 all is done in
    this process. ``work`` goes to each process once, by pickle. ``advance`` is called after each answer. Use it as a
    context manager: whatever ends the block, an interruption included, ends the processes.
    """

    def __init__(self, work: Callable[[Task], Answer], workers: int | None = 1, advance: Advance = no_advance) -> None:
        if workers is not None and not 1 <= workers <= MOST_WORKERS:
            raise QueryError(Fault(code="crew/workers", message=f"{workers} processes", allowed=f"1 to {MOST_WORKERS}"))
        self.work = work
        self.patient = workers is None
        self.workers = min(os.cpu_count() or 1, MOST_WORKERS) if workers is None else workers
        self.advance = advance
        self.spent, self.done = 0.0, 0
        self._pool: ProcessPoolExecutor | None = None
        self._others: set[int | None] = set()

    def __enter__(self) -> Crew[Task, Answer]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._pool is None:
            return
        self._pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            if child.pid not in self._others:
                child.terminate()
        self._pool = None

    def map(self, tasks: Sequence[Task]) -> list[Answer]:
        """The answer of each task, in the order of the tasks."""
        answers: list[Answer] = []
        while len(answers) < len(tasks):
            left = tasks[len(answers) :]
            if self._spreads(len(left)):
                return answers + self._spread(left)
            begun = time.perf_counter()
            answers.append(self.work(left[0]))
            self.spent, self.done = self.spent + time.perf_counter() - begun, self.done + 1
            self.advance()
        return answers

    def _spreads(self, left: int) -> bool:
        if self.workers == 1 or left < 2:
            return False
        if not self.patient:
            return True
        return self.spent >= START and self.spent / self.done * left >= (WORTH if self._pool else START)

    def _spread(self, tasks: Sequence[Task]) -> list[Answer]:
        if self._pool is None:
            self._others = {child.pid for child in multiprocessing.active_children()}
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_begin,
                initargs=(pickle.dumps(self.work),),
            )
        answers: list[Answer] = []
        try:
            for future in [self._pool.submit(_answer, task) for task in tasks]:
                answers.append(future.result())
                self.advance()
        except BrokenProcessPool:
            raise PbnError(
                Fault(
                    code="crew/lost",
                    message="a process ended before it had answered",
                    hint="the machine may have run out of memory, or a script that starts processes lacks "
                    'if __name__ == "__main__": try one worker',
                )
            ) from None
        return answers


def _begin(work: bytes) -> None:
    """Make a process ready: an interruption ends it without a word."""
    global _work
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _work = pickle.loads(work)


def _answer(task: Any) -> Any:
    assert _work is not None
    return _work(task)
