"""Network files by their extension: read into an exact network, written without half a file left behind."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import cast

from pbn.errors import Fault, NetworkError, nearest
from pbn.network.formats.draft import ReadNetwork, WrittenNetwork
from pbn.network.formats.text import FileText, file_text
from pbn.network.model import Network

READABLE = {"bif": "bif", "xml": "xmlbif", "bifxml": "xmlbif", "xmlbif": "xmlbif", "net": "net", "xdsl": "xdsl",
            "uai": "uai", "json": "json"}  # fmt: skip
"""Extensions that can be read, with the module that reads them."""
WRITABLE = {"bif": "bif", "xml": "xmlbif", "bifxml": "xmlbif", "xmlbif": "xmlbif", "net": "net", "uai": "uai",
            "json": "json", "graphml": "graphml", "dot": "dot"}  # fmt: skip
"""Extensions that can be written, with the module that writes them."""
_OTHERS = {"dne": "Netica", "dnet": "Netica", "dsc": "Microsoft's belief networks", "dsl": "an older GeNIe",
           "oobn": "object-oriented Hugin networks", "neta": "Netica"}  # fmt: skip


def read_network(path: Path | str, *, renormalise: bool = False) -> ReadNetwork:
    """The network of a file, exact to the last written digit; the extension says the format.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The extension is none that can be read (``network/format``), the file cannot be read or is too
        large, or it says no network; with line and reason.
    """
    module = _module(Path(path), READABLE, "read")
    source = file_text(path)
    parse = getattr(import_module(f"pbn.network.formats.{module}"), f"parse_{module}")
    if module == "json":  # our own format has exact numbers, so there is nothing to renormalise
        return cast(Callable[[FileText], ReadNetwork], parse)(source)
    return cast(Callable[..., ReadNetwork], parse)(source, renormalise=renormalise)


def write_network(network: Network, path: Path | str) -> tuple[str, ...]:
    """Write the network in the format of the extension; notes on names, states and numbers that had to change.

    A file that is there is replaced at once when the new one is whole, or not at all.

    Raises
    ------
    NetworkError
        The extension is none that can be written (``network/format``), or the file system refuses
        (``network/unwritable``).
    BudgetError
        The network is too large for the format.
    """
    path = Path(path)
    module = _module(path, WRITABLE, "written")
    write = getattr(import_module(f"pbn.network.formats.{module}"), f"write_{module}")
    result = cast(Callable[[Network], WrittenNetwork], write)(network)
    write_text(path, result.text)
    names = [f"{old!r} is written as {new!r}" for old, new in result.names.items()]
    states = [
        f"{node}: the state {old!r} is written as {new!r}"
        for node, own in result.states.items()
        for old, new in own.items()
    ]
    return (*names, *states, *result.notes)


def _module(path: Path, known: dict[str, str], verb: str) -> str:
    extension = path.suffix[1:].lower()
    if extension in known:
        return known[extension]
    what = f" ({_OTHERS[extension]})" if extension in _OTHERS else ""
    raise NetworkError(
        Fault(
            code="network/format",
            message=f"files with the extension {path.suffix!r}{what} cannot be {verb}"
            if extension
            else f"{path.name!r} has no extension, which would say its format",
            found=path.name,
            allowed=", ".join(f".{name}" for name in known),
            hint=nearest(extension, known),
        )
    )


def write_text(path: Path, text: str) -> None:
    """Write a whole file beside the path, then put it in its place."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise _unwritable(path, error) from None
    write_bytes(path, data)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a whole file beside the path, then put it in its place.

    Raises
    ------
    NetworkError
        The file system refuses (``network/unwritable``).
    """
    beside = None
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.chmod(beside, mode)
        os.replace(beside, target)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    finally:
        if beside is not None:
            with contextlib.suppress(OSError):
                os.unlink(beside)


def _unwritable(path: Path, error: Exception) -> NetworkError:
    reason = getattr(error, "strerror", None) or str(error)
    return NetworkError(Fault(code="network/unwritable", message=f"{str(path)!r} cannot be written: {reason}"))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
