"""The data sets that are to be published together: each is finished and whole, and they go with one another."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from pbn.cases.manifest import MANIFEST, first_difference, plan_of, read_manifest, read_world
from pbn.cases.plan import DatasetPlan, expected_entry
from pbn.cases.records import Contents, Kind, Records, Table
from pbn.errors import Fault, QueryError
from pbn.loading import loads
from pbn.regular import open_regular
from pbn.world import World

LABELS, TRUTH = "labels", "truth"
CHUNK = 2**20


@dataclass(frozen=True, kw_only=True)
class Source:
    """A finished data set: its folder, its manifest, and the plan that it was made by."""

    root: Path
    manifest: Mapping[str, Any]
    plan: DatasetPlan

    @property
    def name(self) -> str:
        """Name of its world."""
        return str(self.manifest["world"])

    @property
    def world(self) -> World:
        """The world of its cases."""
        return self.plan.records.world

    @property
    def seed(self) -> int:
        """Seed of its rows."""
        return self.plan.seed

    @property
    def entries(self) -> Sequence[Mapping[str, Any]]:
        """What its manifest says of each file."""
        found: Sequence[Mapping[str, Any]] = self.manifest["files"]
        return found

    @property
    def samples(self) -> Mapping[tuple[Kind, str | None], Table]:
        """A row of each of its tables, computed: which columns there are, and of which types."""
        return _samples(self.plan.source, self.plan.contents)

    @property
    def canary(self) -> str:
        """A name for the rows of this law and seed that nothing else has: search a corpus for it.

        It is the UUID, version 5, of ``pbn canary LAW SEED`` in the name space of the nil UUID.
        """
        said = f"pbn canary {self.manifest['law_digest']} {self.seed}"
        return str(uuid.uuid5(uuid.UUID(int=0), said))


@lru_cache(maxsize=64)
def _samples(source: str, contents: Contents) -> Mapping[tuple[Kind, str | None], Table]:
    """Row 0 of the tables of a world file; the columns are the same for every seed."""
    return {(kind, level): table for kind, level, table in Records(loads(source), 0, contents).tables(0, 1)}


def read_sources(roots: Iterable[Path]) -> list[Source]:
    """The data sets in these folders, ordered by world, seed and first row.

    Nothing is read of the files but their sizes: `check_files` reads them.

    Raises
    ------
    QueryError
        One is not finished or not as its manifest says, or two do not go together; the message says which.
    """
    found = sorted((_read(root) for root in roots), key=lambda one: (one.name, one.seed, one.plan.start))
    if not found:
        raise QueryError(Fault(code="publish/nothing", message="there is no data set to publish"))
    for one in found:
        _check_level_names(one)
    _check_formats(found)
    for one, other in pairwise(found):
        if one.name == other.name:
            _check_same_world(one, other)
    by_law = sorted(found, key=lambda one: (one.manifest["law_digest"], one.seed, one.plan.start))
    for one, other in pairwise(by_law):
        _check_apart(one, other)
    return found


def check_files(source: Source) -> None:
    """Read every file of a data set, and compare it with the manifest's SHA-256.

    Raises
    ------
    QueryError
        ``publish/damaged``: a file is not the one that was made.
    """
    for entry in source.entries:
        path, digest = source.root / entry["path"], hashlib.sha256()
        try:
            with open_regular(path) as file:
                while chunk := file.read(CHUNK):
                    digest.update(chunk)
        except OSError as error:
            damaged(source, path, f"cannot be read ({error.strerror})")
        if digest.hexdigest() != entry["sha256"]:
            damaged(source, path, "is not the file that was made: its SHA-256 differs from the manifest's")


def damaged(source: Source, path: Path, what: str) -> NoReturn:
    """Refuse a file of a data set.

    Raises
    ------
    QueryError
        ``publish/damaged``, always.
    """
    hint = f"pbn verify {source.root} says all that differs"
    raise QueryError(Fault(code="publish/damaged", message=f"{path} {what}", hint=hint))


# -- one data set ------------------------------------------------------------------------------------


def _read(root: Path) -> Source:
    manifest = read_manifest(root)
    text = read_world(root)
    plan = plan_of(manifest, text)
    head = {key: value for key, value in plan.head.items() if key != "made_with"}
    different = first_difference(head, manifest)
    if different is not None:
        name, found, allowed = different
        message = f"the manifest in {root} does not go with its world file: they differ in the {name}"
        raise QueryError(Fault(code="publish/manifest", message=message, found=found, allowed=allowed))
    source = Source(root=root, manifest=manifest, plan=plan)
    _check_entries(source)
    return source


def _check_entries(source: Source) -> None:
    """The manifest lists the files of the plan, each as it must be, and each has its size."""
    expected = dict(expected_entries(source.plan))
    entries = source.entries
    if [entry["path"] for entry in entries] != list(expected):
        message = f"{source.root / MANIFEST} does not list the files of this data set"
        raise QueryError(Fault(code="publish/manifest", message=message))
    for entry, said in zip(entries, expected.values(), strict=True):
        if any(entry[key] != value for key, value in said.items()):
            message = f"{source.root / MANIFEST} says wrong things of a file"
            raise QueryError(Fault(code="publish/manifest", message=message, found=entry["path"]))
        path = source.root / entry["path"]
        try:
            size = path.stat().st_size
        except OSError as error:
            damaged(source, path, f"cannot be read ({error.strerror})")
        if size != entry["bytes"]:
            damaged(source, path, f"has {size:,} bytes, the manifest says {entry['bytes']:,}")


def expected_entries(plan: DatasetPlan) -> Iterator[tuple[str, dict[str, Any]]]:
    """The files of a plan in their order: the path, and what a manifest says of it but for its bytes."""
    for part in map(plan.part, range(plan.part_count)):
        for kind, level, path in part.names:
            yield path, expected_entry(part, kind, level, path)


def _check_level_names(source: Source) -> None:
    for level in source.plan.contents.levels:
        if level in (LABELS, TRUTH):
            message = f"{source.name} has a level called {level}, as the configuration with the {level} is"
            raise QueryError(Fault(code="publish/level-name", message=message, hint="rename the level"))


# -- several together --------------------------------------------------------------------------------


def _check_formats(sources: Sequence[Source]) -> None:
    first = sources[0]
    for other in sources[1:]:
        if other.plan.form != first.plan.form:
            message = f"{first.root} is of {first.plan.form} files, {other.root} of {other.plan.form} files"
            hint = "publish them apart, or draw one again with the other's --format"
            raise QueryError(Fault(code="publish/formats", message=message, hint=hint))


def _check_same_world(one: Source, other: Source) -> None:
    """Two data sets under one name of a world are of one law, one file, and one set of columns."""
    roots = f"{one.root} and {other.root}"
    if one.manifest["law_digest"] != other.manifest["law_digest"]:
        message = f"{roots} are of two worlds that are both called {one.name}: their laws differ"
        hint = "give one of the worlds another name, and draw its data set again"
        raise QueryError(Fault(code="publish/other-law", message=message, hint=hint))
    if one.plan.source != other.plan.source:
        message = f"{roots} are of two files of the world {one.name}: their texts differ, but not their law"
        hint = "draw both data sets from one file"
        raise QueryError(Fault(code="publish/other-file", message=message, hint=hint))
    if one.plan.contents != other.plan.contents:
        differs = next(key for key in ("levels", "memo", "question") if one.manifest[key] != other.manifest[key])
        message = f"{roots} do not hold the same of {one.name}: they differ in their {differs}"
        raise QueryError(
            Fault(
                code="publish/other-contents",
                message=message,
                found=f"{one.manifest[differs]} and {other.manifest[differs]}",
                hint="draw them with the same --level, --question and --no-memo",
            )
        )


def _check_apart(one: Source, other: Source) -> None:
    """No row stands in two data sets: its cases would have the same identifiers."""
    same = one.manifest["law_digest"] == other.manifest["law_digest"] and one.seed == other.seed
    if same and other.plan.start < one.plan.stop:
        last = min(one.plan.stop, other.plan.stop) - 1
        message = (
            f"{one.root} and {other.root} both hold rows {other.plan.start} to {last} of {one.name}, seed {one.seed}"
        )
        hint = "publish one of them, or draw rows of another --seed or --start"
        raise QueryError(Fault(code="publish/overlap", message=message, hint=hint))
