"""Files that appear whole or not at all, and what to say where the disk refuses."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

from pbn.cases.schedulers import KEPT
from pbn.errors import Fault, PbnError

DRAFT = ".part"


def write_file(path: Path, data: bytes, *, append: bool = False) -> None:
    """Write a whole file, or add to one, and see it on the disk; folders are made.

    Raises
    ------
    PbnError
        ``cases/disk-full`` or ``cases/unwritable``; no half of a file is left.
    """
    draft = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if append:
            with path.open("ab") as file:
                _write(file.fileno(), data)
            return
        draft = path.parent / f".{path.name[:60]}.{secrets.token_hex(4)}{DRAFT}"
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            _write(handle, data)
        finally:
            os.close(handle)
        os.replace(draft, path)
        draft = None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        message = f"there is no room left for {path}" if full else f"{path} cannot be written"
        code = "cases/disk-full" if full else "cases/unwritable"
        hint = f"make room, then go on: {KEPT}" if full else KEPT
        raise PbnError(Fault(code=code, message=message, found=error.strerror, hint=hint)) from None
    finally:
        if draft is not None:
            with contextlib.suppress(OSError):
                draft.unlink()


def _write(handle: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]
    os.fsync(handle)


def remove_drafts(root: Path) -> None:
    """Remove halves of files that a killed run left."""
    for folder in (root, *(path for path in root.iterdir() if path.is_dir() and not path.is_symlink())):
        for path in folder.glob(f".*{DRAFT}"):
            with contextlib.suppress(OSError):
                path.unlink()
