"""The text of a network file, and where in it something stands."""

from __future__ import annotations

import bisect
import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pbn.errors import Fault, NetworkError, Place
from pbn.regular import open_regular

MAX_BYTES = 200_000_000
"""A larger file is refused: as text, tokens and tables it would take several gigabytes."""


@dataclass(frozen=True)
class FileText:
    """A file's text with the places of its offsets; ``notes`` says what was odd about its bytes."""

    file: str
    text: str
    notes: tuple[str, ...] = ()

    @cached_property
    def _lines(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, offset: int) -> Place:
        r"""Line and column of a character, from 1.

        Examples
        --------
        >>> FileText("a.bif", "one\ntwo").place(5)
        Place(file='a.bif', line=2, column=2)
        """
        line = bisect.bisect_right(self._lines, offset)
        return Place(file=self.file, line=line, column=offset - self._lines[line - 1] + 1)

    def fault(self, code: str, message: str, offset: int, **details: str | None) -> Fault:
        """A fault at a place of the file."""
        return Fault(code=f"network/{code}", message=message, place=self.place(offset), **details)

    def error(self, code: str, message: str, offset: int, **details: str | None) -> NetworkError:
        """An error at a place of the file."""
        return NetworkError(self.fault(code, message, offset, **details))


def file_text(path: Path | str) -> FileText:
    """Read a file as UTF-8, or as Latin-1 with a note where it is not UTF-8.

    Raises
    ------
    NetworkError
        The file cannot be read (``network/unreadable``) or is too large (``network/too-large``).
    """
    path = Path(path)
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            data = file.read() if size <= MAX_BYTES else b""
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"{str(path)!r} cannot be read: {reason}"
        raise NetworkError(Fault(code="network/unreadable", message=message)) from None
    if size > MAX_BYTES:
        raise NetworkError(
            Fault(
                code="network/too-large",
                message=f"{str(path)!r} is too large",
                found=f"{size:,} bytes",
                allowed=f"{MAX_BYTES:,} bytes",
            )
        )
    return decoded(data, path.name)


def decoded(data: bytes, file: str) -> FileText:
    """The text of a file's bytes, without a byte order mark and with a newline at each line's end."""
    notes: tuple[str, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = data.decode("latin-1")
        notes = (f"byte {error.start + 1} (0x{data[error.start]:02x}) is not UTF-8: the file was read as Latin-1",)
    return FileText(file, text.replace("\r\n", "\n").replace("\r", "\n"), notes)
