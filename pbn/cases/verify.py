"""Everything about a data set computed again, from the world file and the seed, and what differs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pbn.cases.dataset import MANIFEST, WORLD_FILE, DatasetPlan, plan_of, read_manifest
from pbn.cases.formats import decode
from pbn.cases.work import MadeFile, make_part
from pbn.errors import Fault, QueryError

MOST_DIFFERENCES = 50


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


def verify_dataset(root: Path, *, advance: Callable[[int], None] = lambda rows: None) -> Verified:
    """Compare every file of a data set with its manifest, and every value with what the world and seed give.

    ``advance`` is called with the rows of each part that has been compared.

    Raises
    ------
    QueryError
        There is no finished data set, or its world file or manifest cannot be read.
    """
    manifest = read_manifest(root)
    try:
        source = (root / WORLD_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        message = f"the world file of the data set, {root / WORLD_FILE}, cannot be read"
        raise QueryError(Fault(code="cases/no-world", message=message, found=str(error)[:200])) from None
    plan = plan_of(manifest, source)
    differences = list(_heads(plan, manifest))
    entries = {entry["path"]: entry for entry in manifest["files"]}
    other_bytes: list[str] = []
    differences += _listing(root, plan, entries)
    for number in range(plan.part_count):
        part = plan.part(number)
        for made in make_part(part):
            if len(differences) < MOST_DIFFERENCES:
                differences += _file(root, made, entries.get(made.path), plan, other_bytes)
        advance(part.stop - part.start)
    return Verified(
        world=str(manifest["world"]),
        files=len(entries),
        rows=plan.stop - plan.start,
        differences=tuple(differences[:MOST_DIFFERENCES]),
        other_bytes=tuple(other_bytes),
    )


def _heads(plan: DatasetPlan, manifest: Mapping[str, Any]) -> Iterator[Difference]:
    for key, value in plan.head.items():
        if key != "made_with" and manifest.get(key) != value:
            found = f"{key} is {str(manifest.get(key))[:80]}"
            yield Difference(
                path=MANIFEST, what="does not go with the world file", found=found, expected=str(value)[:80]
            )


def _listing(root: Path, plan: DatasetPlan, entries: Mapping[str, Any]) -> Iterator[Difference]:
    expected = {path for number in range(plan.part_count) for _, _, path in plan.part(number).names}
    for path in sorted(set(entries) - expected):
        yield Difference(path=MANIFEST, what=f"lists {path}, which the data set does not have")
    for path in sorted(expected - set(entries)):
        yield Difference(path=MANIFEST, what=f"does not list {path}")
    there = {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file() and path.name[0] != "."}
    for path in sorted(there - expected - {MANIFEST, WORLD_FILE}):
        yield Difference(path=path, what="is no file of the data set")


def _file(
    root: Path, made: MadeFile, entry: Mapping[str, Any] | None, plan: DatasetPlan, other_bytes: list[str]
) -> Iterator[Difference]:
    try:
        data = (root / made.path).read_bytes()
    except OSError as error:
        yield Difference(path=made.path, what=f"cannot be read ({error.strerror})")
        return
    if entry is not None and hashlib.sha256(data).hexdigest() != entry.get("sha256"):
        yield Difference(path=made.path, what="is not the file that the manifest lists: its SHA-256 differs")
    if data == made.data:
        return
    try:
        found = decode(data, plan.form)
    except ValueError as error:
        yield Difference(path=made.path, what=f"is no whole {plan.form} file ({str(error)[:100]})")
        return
    expected = decode(made.data, plan.form)
    before = len(other_bytes)
    differences = list(_values(made.path, found, expected))
    yield from differences
    if not differences and before == len(other_bytes):
        other_bytes.append(made.path)


def _values(
    path: str, found: Mapping[str, Sequence[Any]], expected: Mapping[str, Sequence[Any]]
) -> Iterator[Difference]:
    """The first difference of each column."""
    if list(found) != list(expected):
        extra, lost = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
        what = f"has other columns: {', '.join([*(f'+{c}' for c in extra), *(f'−{c}' for c in lost)]) or 'other order'}"
        yield Difference(path=path, what=what)
        return
    for column, values in expected.items():
        if len(found[column]) != len(values):
            what = f"has {len(found[column]):,} rows, should have {len(values):,}"
            yield Difference(path=path, what=what)
            return
        for row, (one, other) in enumerate(zip(found[column], values, strict=True)):
            if one != other or type(one) is not type(other):
                told, should = repr(one)[:60], repr(other)[:60]
                yield Difference(path=path, what="differs", row=row, column=column, found=told, expected=should)
                break
