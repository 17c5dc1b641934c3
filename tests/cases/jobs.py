"""Jobs for workers, in a module that is imported in no time."""

from __future__ import annotations

import os
import pathlib
import signal
import time

from pbn.errors import Fault, PbnError


def doubled(number):
    return 2 * number


def dies_once(job):
    """Kill the worker over job 3, unless a file says that it has happened."""
    number, folder = job
    mark = pathlib.Path(folder, "died")
    if number == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def dies(job):
    if job == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return job


def fails(job):
    if job == 3:
        raise PbnError(Fault(code="test/wrong", message="job 3 is wrong"))
    return job


def faults(job):
    raise ZeroDivisionError(f"job {job}")


def waits(job):
    time.sleep(60)
