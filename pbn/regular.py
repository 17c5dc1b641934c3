"""Files by the names that people give: a regular file is opened; anything else is refused before it is read."""

from __future__ import annotations

import errno
import io
import os
import stat
from os import PathLike

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class NotRegularError(OSError):
    """The path names a directory, a pipe, a socket or a device; reading those may fail late, hang or never end."""


def open_regular(path: str | PathLike[str]) -> io.BufferedReader:
    """Open a regular file, or one that links lead to, for reading.

    Raises
    ------
    NotRegularError
        It is something else; ``strerror`` says what.
    OSError, ValueError
        As `open` raises them.

    Examples
    --------
    >>> open_regular("/")
    Traceback (most recent call last):
    pbn.regular.NotRegularError: [Errno 22] it is a directory, not a regular file: '/'
    """
    _check(os.stat(path).st_mode, path)  # opening a device may already do something
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)  # a pipe that was put there meanwhile is not waited for
    try:
        _check(os.fstat(handle).st_mode, path)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def read_regular(path: str | PathLike[str]) -> bytes:
    """All bytes of a regular file; raises what `open_regular` raises."""
    with open_regular(path) as file:
        return file.read()


def _check(mode: int, path: str | PathLike[str]) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for test, name in _KINDS if test(mode)), "something else")
        raise NotRegularError(errno.EINVAL, f"it is {kind}, not a regular file", os.fspath(path))
