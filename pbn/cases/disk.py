"""Files that appear whole or not at all, and what to say where the disk refuses."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from pathlib import Path

from pbn.errors import Fault, PbnError

DRAFT = ".part"
_KEPT = "what was made is kept; the same command goes on from there"


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
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:60]}.", suffix=DRAFT)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, 0o644)
        os.replace(draft, path)
        draft = None
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        message = f"there is no room left for {path}" if full else f"{path} cannot be written"
        code = "cases/disk-full" if full else "cases/unwritable"
        hint = f"make room, then go on: {_KEPT}" if full else _KEPT
        raise PbnError(Fault(code=code, message=message, found=error.strerror, hint=hint)) from None
    finally:
        if draft is not None:
            with contextlib.suppress(OSError):
                os.unlink(draft)


def remove_drafts(root: Path) -> None:
    """Remove halves of files that a killed run left."""
    for folder in (root, *(path for path in root.iterdir() if path.is_dir())):
        for path in folder.glob(f".*{DRAFT}"):
            with contextlib.suppress(OSError):
                path.unlink()
