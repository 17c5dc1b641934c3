"""Many answers of one kind: in this process while that is quicker, else in several; the same answers either way."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
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
        self._staff: list[tuple[BaseProcess, Connection]] = []

    def __enter__(self) -> Crew[Task, Answer]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for process, line in self._staff:
            line.close()  # who waits for a task ends now
            if kind is not None:
                process.terminate()
        for process, _ in self._staff:
            process.join()
        self._staff.clear()

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
        return self.spent >= START and self.spent / self.done * left >= (WORTH if self._staff else START)

    def _spread(self, tasks: Sequence[Task]) -> list[Answer]:
        self._start()
        answers: dict[int, Answer] = {}
        failed: dict[int, BaseException] = {}
        waiting = list(enumerate(tasks))[::-1]
        busy: dict[Connection, int] = {}
        idle = [line for _, line in self._staff]
        while busy or (waiting and not failed):
            while idle and waiting and not failed:
                line = idle.pop()
                busy[line], task = waiting.pop()
                _tell(line, task)
            heard = wait(list(busy))
            for ready in [line for line in busy if line in heard]:
                answer, error = _heard(ready)
                if error is not None:
                    failed[busy.pop(ready)] = error
                else:
                    answers[busy.pop(ready)] = answer
                    self.advance()
                idle.append(ready)
        if failed:  # tasks are given out in order, so the first of all errors is among them
            raise failed[min(failed)]
        return [answers[k] for k in range(len(tasks))]

    def _start(self) -> None:
        if self._staff:
            return
        context = multiprocessing.get_context("spawn")
        work = pickle.dumps(self.work)
        with _uninterrupted():
            for _ in range(self.workers):
                line, other = context.Pipe()
                process = context.Process(target=_serve, args=(other,), daemon=True)
                process.start()
                other.close()
                self._staff.append((process, line))
        for _, line in self._staff:
            _tell(line, work)


def _tell(line: Connection, task: object) -> None:
    try:
        line.send(task)
    except OSError:
        raise _lost() from None


def _heard(line: Connection) -> tuple[Any, BaseException | None]:
    try:
        heard: tuple[Any, BaseException | None] = line.recv()
        return heard
    except (EOFError, OSError):
        raise _lost() from None


def _lost() -> PbnError:
    return PbnError(
        Fault(
            code="crew/lost",
            message="a process ended before it had answered",
            hint="the machine may have run out of memory, or a script that starts processes lacks "
            'if __name__ == "__main__": try one worker',
        )
    )


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """An interruption waits until processes have started; in those it is blocked as long as they live.

    A signal may reach any thread of this process, so it is caught as well as blocked.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # it would lift the block when it starts
    caught: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
    if caught:
        raise KeyboardInterrupt


def _serve(line: Connection) -> None:
    """Answer tasks until nobody is there to send one; whoever is interrupted ends this process."""
    with suppress(EOFError, OSError):
        answer = pickle.loads(line.recv())
        while True:
            task = line.recv()
            told: tuple[Any, Exception | None]
            try:
                told = answer(task), None
            except Exception as error:
                told = None, error
            line.send(told)
