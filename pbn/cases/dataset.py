"""A data set on disk: made part by part, and gone on with after any interruption."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from pbn.cases.disk import DRAFT, remove_drafts, write_file
from pbn.cases.manifest import (
    MANIFEST,
    PLAN,
    WORLD_FILE,
    first_difference,
    is_entry,
    json_bytes,
    plan_of,
    read_json,
    read_manifest,
    read_world,
)
from pbn.cases.plan import FORMAT, PART_ROWS, DatasetPlan, expected_entry
from pbn.cases.schedulers import InProcess, Scheduler
from pbn.cases.work import MadeFile, Part, make_part
from pbn.errors import Fault, PbnError, QueryError
from pbn.figures import size_text
from pbn.regular import open_regular
from pbn.spec.load import parse_spec

__all__ = ["FORMAT", "MANIFEST", "PART_ROWS", "PLAN", "WORLD_FILE", "DatasetPlan", "make_dataset", "plan_of",
           "read_manifest"]  # fmt: skip

PROGRESS, LOCK = ".progress.jsonl", ".lock"

Entries = list[dict[str, Any]]


def make_dataset(
    plan: DatasetPlan,
    root: Path,
    *,
    scheduler: Scheduler | None = None,
    advance: Callable[[int], None] = lambda rows: None,
    kept: Callable[[int], None] = lambda rows: None,
) -> dict[str, Any]:
    """Make a data set in a folder, or what is missing of it; returns its manifest.

    Each file appears whole or not at all, and a part counts once all its files are there, so that a run may be
    killed at any point and be gone on with by the same call. ``kept`` is called once, with the rows that are
    there already, ``advance`` with the rows of each part that has been made.

    Raises
    ------
    QueryError
        The folder holds another data set or other things, or is in use.
    PbnError
        The folder cannot be written, or the disk has no room for the rest.

    Examples
    --------
    >>> import pbn, tempfile
    >>> from pbn.cases.records import Contents
    >>> source = pbn.shipped_worlds()["support_ticket"].read_text()
    >>> plan = DatasetPlan(source=source, seed=2032, start=0, stop=20, form="jsonl",
    ...                    contents=Contents(levels=("high",), memo=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     manifest = make_dataset(plan, Path(folder, "data"))
    >>> [file["path"] for file in manifest["files"]]
    ['cases-high.jsonl', 'labels.jsonl', 'truth.jsonl']
    """
    head = plan.head  # everything that can be wrong with the plan is found before anything is written
    _make_folder(root)
    with _locked(root):
        if (root / MANIFEST).exists():
            done = _finished(plan, root, head)
        elif (found := read_json(root / PLAN)) is not None:
            _check_same(head, found, root)
            done = _begun(plan, root)
        else:
            _check_empty(root)
            done = {}
        _check_world(plan, root, head)
        remove_drafts(root)
        kept(sum(min(plan.part_rows, plan.stop - plan.start - number * plan.part_rows) for number in done))
        if len(done) < plan.part_count:
            _begin(plan, root, head, done)
            left = (plan.part(number) for number in range(plan.part_count) if number not in done)
            is_first = True
            try:
                for part, made in (scheduler or InProcess()).run(make_part, left):
                    if is_first:
                        _check_room(root, made, plan.part_count - len(done))
                        is_first = False
                    done[part.number] = _keep(part, made, root)
                    advance(part.stop - part.start)
            except QueryError:
                if not done:  # nothing was made, so the folder need not stay this data set's
                    for name in (PLAN, PROGRESS, WORLD_FILE):
                        (root / name).unlink(missing_ok=True)
                raise
        assert sorted(done) == list(range(plan.part_count))
        if not (root / WORLD_FILE).exists():
            write_file(root / WORLD_FILE, plan.source.encode())
        if not (root / MANIFEST).exists():
            files = [entry for number in sorted(done) for entry in done[number]]
            write_file(root / MANIFEST, json_bytes({**head, "files": files}))
        for name in (PLAN, PROGRESS):
            (root / name).unlink(missing_ok=True)
        return read_manifest(root)


# -- what is there -----------------------------------------------------------------------------------


def _finished(plan: DatasetPlan, root: Path, head: Mapping[str, Any]) -> dict[int, Entries]:
    """The parts of a finished data set whose files are there."""
    found = read_manifest(root)
    _check_same({key: value for key, value in head.items() if key != "made_with"}, found, root)
    listed = {entry["path"]: entry for entry in found["files"]}
    done: dict[int, Entries] = {}
    for number in range(plan.part_count):
        part = plan.part(number)
        entries = [listed.pop(path, None) for _, _, path in part.names]
        if any(not _is_listed(entry, part, *name) for entry, name in zip(entries, part.names, strict=True)):
            _changed(root, f"{root / MANIFEST} does not list the files of the data set")
        sizes = [_size(root / path) for _, _, path in part.names]
        for entry, size in zip(entries, sizes, strict=True):
            if entry is not None and size not in (None, entry["bytes"]):
                _changed(root, f"{root / entry['path']} has been changed: its size is not the one in {MANIFEST}")
        if None not in sizes:
            done[number] = [entry for entry in entries if entry is not None]
    if listed or len(found["files"]) != plan.part_count * (len(plan.contents.levels) + 2):
        _changed(root, f"{root / MANIFEST} lists files that the data set does not have")
    if len(done) < plan.part_count:
        _check_same(head, found, root)  # what is missing must be made as the rest was
    return done


def _begun(plan: DatasetPlan, root: Path) -> dict[int, Entries]:
    """The parts that an earlier run has finished: noted as such, and unchanged since."""
    done: dict[int, Entries] = {}
    for line in _lines(root / PROGRESS):
        try:  # the last line may be cut, and anybody may have written the others
            number, entries = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < plan.part_count:
            continue
        part = plan.part(number)
        if (
            isinstance(entries, list)
            and len(entries) == len(part.names)
            and all(_is_listed(entry, part, *name) for entry, name in zip(entries, part.names, strict=True))
            and all(_is_unchanged(root, entry) for entry in entries)
        ):
            done[number] = entries
    return done


def _is_listed(entry: Any, part: Part, kind: Any, level: str | None, path: str) -> bool:
    """Whether an entry is about this file of this part."""
    return is_entry(entry) and expected_entry(part, kind, level, path).items() <= entry.items()


def _is_unchanged(root: Path, entry: Mapping[str, Any]) -> bool:
    path = root / entry["path"]
    if _size(path) != entry["bytes"]:
        return False
    try:
        with open_regular(path) as file:
            return bool(hashlib.file_digest(file, "sha256").hexdigest() == entry["sha256"])
    except OSError:
        return False


def _size(path: Path) -> int | None:
    """Bytes of a file, None where there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def _begin(plan: DatasetPlan, root: Path, head: Mapping[str, Any], done: Mapping[int, Entries]) -> None:
    """Note what will be made and what is there; from here on the folder is this data set's, and not finished."""
    write_file(root / PLAN, json_bytes(head))
    if not (root / WORLD_FILE).exists():
        write_file(root / WORLD_FILE, plan.source.encode())
    write_file(root / PROGRESS, b"".join(_line(number, done[number]) for number in sorted(done)))
    (root / MANIFEST).unlink(missing_ok=True)


def _keep(part: Part, made: tuple[MadeFile, ...], root: Path) -> Entries:
    """Write the files of a part, then note that they are there."""
    entries = []
    for file in made:
        write_file(root / file.path, file.data)
        entry = expected_entry(part, file.kind, file.level, file.path)
        assert entry["rows"] == file.rows
        entries.append({**entry, "bytes": len(file.data), "sha256": file.sha256})
    write_file(root / PROGRESS, _line(part.number, entries), append=True)
    return entries


def _line(number: int, entries: Entries) -> bytes:
    return json.dumps([number, entries]).encode() + b"\n"


def _lines(path: Path) -> Iterator[str]:
    with suppress(FileNotFoundError), open_regular(path) as file:
        yield from io.TextIOWrapper(file, encoding="utf-8", errors="replace")


# -- refusals ----------------------------------------------------------------------------------------


def _check_same(head: Mapping[str, Any], found: Mapping[str, Any], root: Path) -> None:
    different = first_difference(head, found)
    if different is not None:
        name, told, wanted = different
        raise QueryError(
            Fault(
                code="cases/other-data",
                message=f"the folder {root} holds another data set: it differs in its {name}",
                found=told,
                allowed=wanted,
                hint="name another folder",
            )
        )


def _check_world(plan: DatasetPlan, root: Path, head: Mapping[str, Any]) -> None:
    """A world file that somebody edited is not written over; its comments may be others than those of the plan's."""
    path = root / WORLD_FILE
    if not path.exists():
        return
    try:
        text = read_world(root)
        if text == plan.source or parse_spec(text).digest == head["world_digest"]:
            return
    except PbnError:  # it is no world any more
        pass
    message, hint = f"{path} has been changed: it is not the world of this data set", "move it away, and run this again"
    raise QueryError(Fault(code="cases/changed", message=message, hint=hint))


def _check_empty(root: Path) -> None:
    """A folder with anything in it but leftovers of ours is somebody else's, and so is one within a data set."""
    for outer in root.resolve().parents:
        found: Mapping[str, Any] = {}
        with suppress(QueryError):  # somebody else's file by that name
            found = read_json(outer / MANIFEST) or {}
        if found.get("format") == FORMAT:
            message, hint = f"the folder {root} lies within the data set {outer}", "name a folder outside"
            raise QueryError(Fault(code="cases/inside", message=message, hint=hint))
    others = sorted(path.name for path in root.iterdir() if path.name not in (LOCK, PROGRESS))
    others = [name for name in others if not (name.startswith(f".{PLAN}.") and name.endswith(DRAFT))]
    if others:
        message, hint = f"the folder {root} holds other things", "name a folder that is empty or does not exist"
        raise QueryError(Fault(code="cases/not-empty", message=message, found=others[0][:100], hint=hint))


def _check_room(root: Path, made: tuple[MadeFile, ...], parts: int) -> None:
    """Refuse what the disk has no room for, as far as the first part tells."""
    needed = parts * sum(len(file.data) for file in made)
    free = shutil.disk_usage(root).free
    if parts > 1 and needed > free:
        raise PbnError(
            Fault(
                code="cases/no-room",
                message=f"the rest of the data set would take about {size_text(needed)}",
                found=f"{size_text(free)} free at {root}",
                hint="make room, name a folder on another disk, leave the texts out (--no-memo) or draw fewer rows",
            )
        )


def _changed(root: Path, message: str) -> None:
    hint = f"pbn verify {root} says what differs; or name another folder"
    raise QueryError(Fault(code="cases/changed", message=message, hint=hint))


def _make_folder(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder {root} cannot be made"
        raise QueryError(Fault(code="cases/unwritable", message=message, found=error.strerror)) from None


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Keep other runs out of the folder; the lock goes with the process."""
    handle = _lock(root)
    try:
        yield
    finally:
        with suppress(OSError):
            (root / LOCK).unlink()
        os.close(handle)


def _lock(root: Path) -> int:
    while True:
        try:
            handle = os.open(root / LOCK, os.O_CREAT | os.O_RDWR, 0o666)
        except OSError as error:
            message = f"the folder {root} cannot be written to"
            raise QueryError(Fault(code="cases/unwritable", message=message, found=error.strerror)) from None
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system
            return handle
        except OSError as error:
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):  # no such locks on this file system
                return handle
            os.close(handle)
            message = f"another run is writing to {root}"
            raise QueryError(Fault(code="cases/in-use", message=message, hint="wait for it, or stop it")) from None
        try:
            if os.path.samestat(os.fstat(handle), os.stat(root / LOCK)):
                return handle
        except FileNotFoundError:
            pass
        os.close(handle)  # a run that has just ended took the file away: lock the new one
