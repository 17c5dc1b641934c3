"""Texts that commands read: a file's, or standard input's."""

from __future__ import annotations

import sys

from pbn.errors import Fault, QueryError
from pbn.regular import NotRegularError, open_regular

MOST_BYTES = 50_000_000


def read_input(name: str) -> str:
    """The text of a file, or of standard input where the name is ``-``.

    Raises
    ------
    QueryError
        There is no such file, it is too large or not UTF-8, or nobody writes to standard input.
    """
    if name == "-":
        if sys.stdin is None or sys.stdin.isatty():  # None where it is closed
            message, hint = "nothing is written to standard input", "name a file, or pipe a text into the command"
            raise QueryError(Fault(code="cli/no-input", message=message, hint=hint))
        data = sys.stdin.buffer.read(MOST_BYTES + 1)
    else:
        try:
            with open_regular(name) as file:
                data = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a valid path"
            message = f"{name[:200]} cannot be read: {reason}"
            piped = "pipe the text into the command, and name it -" if isinstance(error, NotRegularError) else None
            raise QueryError(Fault(code="cli/no-file", message=message, hint=piped)) from None
    if len(data) > MOST_BYTES:
        message = f"{shown_name(name)} is too large"
        raise QueryError(Fault(code="cli/too-large", message=message, allowed=f"at most {MOST_BYTES:,} bytes"))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{shown_name(name)} is not UTF-8 text: byte {data[error.start]:#04x} at {error.start}"
        raise QueryError(Fault(code="cli/not-utf8", message=message)) from None


def shown_name(name: str) -> str:
    """What messages call an input."""
    return "standard input" if name == "-" else name[:200]
