"""Everything about a data set computed again, from the world file and the seed, and what differs."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pbn.cases.formats import decode
from pbn.cases.manifest import MANIFEST, WORLD_FILE, plan_of, read_manifest, read_world
from pbn.cases.plan import DatasetPlan, expected_entry
from pbn.cases.schedulers import InProcess, Scheduler
from pbn.cases.work import MadeFile, Part, make_part
from pbn.errors import Fault, PbnError
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.regular import NotRegularError, read_regular

MOST_DIFFERENCES = 50
MOST_SHOWN = 60
"""Characters of a value in a difference."""
"""Differences that are told; after these no more are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is not as the world file and the seed say: in which file, and where one can tell, which cell."""

    path: str
    what: str
    row: int | None = None
    column: str | None = None
    found: str | None = None
    expected: str | None = None

    def __str__(self) -> str:
        where = f", row {self.row}" if self.row is not None else ""
        where += f", column {self.column}" if self.column is not None else ""
        values = f": {self.found}, should be {self.expected}" if self.expected is not None else ""
        return f"{self.path}{where}: {self.what}{values}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What was compared, and what differs; ``other_bytes`` hold the same values in other bytes.

    That happens where another version of pyarrow wrote them.
    """

    world: str
    files: int
    rows: int
    differences: tuple[Difference, ...]
    other_bytes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


@dataclass(frozen=True, slots=True, kw_only=True)
class _Check:
    """One part to be compared, and what the manifest says of its files."""

    part: Part
    root: Path
    entries: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Checked:
    differences: tuple[Difference, ...]
    other_bytes: tuple[str, ...]


def verify_dataset(
    root: Path,
    *,
    scheduler: Scheduler | None = None,
    budget: int = DEFAULT_BUDGET,
    advance: Callable[[int], None] = lambda rows: None,
) -> Verified:
    """Compare every file of a data set with its manifest, and every value with what the world and seed give.

    ``advance`` is called with the rows of each part that has been compared.

    Raises
    ------
    QueryError
        There is no finished data set, or its manifest cannot be read.
    PbnError
        Its world file cannot be read, or is no world.
    """
    manifest = read_manifest(root)
    plan = plan_of(manifest, read_world(root), budget=budget)
    try:
        differences = list(_heads(plan, manifest))
    except PbnError as error:
        raise type(error)(*(_in_world_file(root, fault) for fault in error.faults)) from None
    entries = {entry["path"]: entry for entry in manifest["files"]}
    differences += _listing(root, plan, manifest["files"])
    found: dict[int, _Checked] = {}
    checks = (
        _Check(part=part, root=root, entries=_of(part, entries)) for part in map(plan.part, range(plan.part_count))
    )
    count = len(differences)
    if count < MOST_DIFFERENCES:
        for check, checked in (scheduler or InProcess()).run(_checked, checks):
            found[check.part.number] = checked
            advance(check.part.stop - check.part.start)
            count += len(checked.differences)
            if count >= MOST_DIFFERENCES:
                break
    differences += [one for number in sorted(found) for one in found[number].differences]
    return Verified(
        world=str(manifest["world"]),
        files=len(entries),
        rows=plan.stop - plan.start,
        differences=tuple(differences[:MOST_DIFFERENCES]),
        other_bytes=tuple(path for number in sorted(found) for path in found[number].other_bytes),
    )


def _in_world_file(root: Path, fault: Fault) -> Fault:
    """A fault of the world file, which was read as a text, with the file's name."""
    if fault.place is None:
        return fault
    return replace(fault, place=replace(fault.place, file=str(root / WORLD_FILE)))


def _heads(plan: DatasetPlan, manifest: Mapping[str, Any]) -> Iterator[Difference]:
    for key, value in plan.head.items():
        if key != "made_with" and manifest.get(key) != value:
            found = f"{key} is {str(manifest.get(key))[:80]}"
            yield Difference(
                path=MANIFEST, what="does not go with the world file", found=found, expected=str(value)[:80]
            )


def _of(part: Part, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {path: entries[path] for _, _, path in part.names if path in entries}


def _listing(root: Path, plan: DatasetPlan, files: Sequence[Mapping[str, Any]]) -> Iterator[Difference]:
    expected = {
        path: expected_entry(part, kind, level, path)
        for part in map(plan.part, range(plan.part_count))
        for kind, level, path in part.names
    }
    listed = Counter(entry["path"] for entry in files)
    for path, count in listed.items():
        if path not in expected:
            yield Difference(path=MANIFEST, what=f"lists {path[:200]}, which the data set does not have")
        elif count > 1:
            yield Difference(path=MANIFEST, what=f"lists {path} {count} times")
    for path in expected:
        if path not in listed:
            yield Difference(path=MANIFEST, what=f"does not list {path}")
    for entry in files:
        for key, value in expected.get(entry["path"], {}).items():
            if entry[key] != value:
                what, found = f"is wrong about {entry['path']}", f"{key} is {str(entry[key])[:80]}"
                yield Difference(path=MANIFEST, what=what, found=found, expected=str(value))
    there = {path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir() and path.name[0] != "."}
    for path in sorted(there - set(expected) - {MANIFEST, WORLD_FILE}):
        yield Difference(path=path, what="is no file of the data set")


def _checked(check: _Check) -> _Checked:
    """What differs in the files of one part."""
    differences: list[Difference] = []
    other_bytes: list[str] = []
    read = {path: _read(check.root / path) for _, _, path in check.part.names}
    for path, found in read.items():
        if isinstance(found, str):
            differences.append(Difference(path=path, what=found))
    if len(differences) < len(read):
        for made in make_part(check.part):
            data = read[made.path]
            if isinstance(data, bytes):
                differences += _manifest(made.path, data, check.entries.get(made.path))
                if data != made.data:
                    different = list(_contents(made, data, check.part))
                    differences += different
                    other_bytes += [made.path] if not different else []
    return _Checked(differences=tuple(differences), other_bytes=tuple(other_bytes))


def _read(path: Path) -> bytes | str:
    """The bytes of a file, or why they cannot be read."""
    try:
        return read_regular(path)
    except NotRegularError:
        return "is no file"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def _manifest(path: str, data: bytes, entry: Mapping[str, Any] | None) -> Iterator[Difference]:
    if entry is None:
        return
    if entry["bytes"] != len(data):
        found = f"bytes is {str(entry['bytes'])[:80]}"
        yield Difference(path=MANIFEST, what=f"is wrong about {path}", found=found, expected=str(len(data)))
    if hashlib.sha256(data).hexdigest() != entry["sha256"]:
        yield Difference(path=path, what="is not the file that the manifest lists: its SHA-256 differs")


def _contents(made: MadeFile, data: bytes, part: Part) -> Iterator[Difference]:
    """What differs between a file with other bytes and what it should hold; the first difference of each column."""
    try:
        found, about = decode(data, part.form, made.rows)
    except ValueError as error:
        yield Difference(path=made.path, what=str(error))
        return
    expected, said = decode(made.data, part.form, made.rows)
    if about is not None and about != said:
        told, should = str(about)[:200], str(said)[:200]
        yield Difference(path=made.path, what="has other metadata", found=told, expected=should)
    if list(found) != list(expected):
        extra, lost = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
        named = ", ".join([*(f"+{c[:60]}" for c in extra), *(f"−{c[:60]}" for c in lost)]) or "other order"
        yield Difference(path=made.path, what=f"has other columns: {named}")
        return
    for column, values in expected.items():
        for row, (one, other) in enumerate(zip(found[column], values, strict=True)):
            if one != other or type(one) is not type(other):
                told, should = _excerpts(one, other)
                yield Difference(path=made.path, what="differs", row=row, column=column, found=told, expected=should)
                break


def _excerpts(one: Any, other: Any) -> tuple[str, str]:
    """Two values as people can compare them; of long texts, what stands around the first difference."""
    if not (isinstance(one, str) and isinstance(other, str)) or max(len(one), len(other)) <= MOST_SHOWN:
        return repr(one)[:MOST_SHOWN], repr(other)[:MOST_SHOWN]
    pairs = enumerate(zip(one, other, strict=False))
    same = next((k for k, (a, b) in pairs if a != b), min(len(one), len(other)))
    start = max(0, same - MOST_SHOWN // 3)
    excerpts = (repr(text[start : start + MOST_SHOWN]) for text in (one, other))
    told, should = (f"{text} (from character {start + 1})" for text in excerpts)
    return told, should
