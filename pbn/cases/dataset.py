"""A data set on disk: planned, made part by part, and gone on with after any interruption."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pbn
from pbn.cases.disk import remove_drafts, write_file
from pbn.cases.formats import Format, pyarrow
from pbn.cases.protocol import splits
from pbn.cases.records import Contents, Kind, Records
from pbn.cases.schedulers import InProcess, Scheduler
from pbn.cases.stream import checked_rows, checked_seed
from pbn.cases.work import MadeFile, Part, make_part
from pbn.errors import Fault, QueryError
from pbn.loading import loads

FORMAT = "pbn data set 1"
MANIFEST, WORLD_FILE, PLAN, PROGRESS, LOCK = "manifest.json", "world.yaml", ".plan.json", ".progress.jsonl", ".lock"
PART_ROWS = 50_000
"""Rows of one part, unless told otherwise: each of its files takes some megabytes."""


@dataclass(frozen=True, kw_only=True)
class DatasetPlan:
    """What a data set will hold; the same plan gives the same bytes, whoever makes them.

    ``source`` is the text of the world file. Rows run from ``start`` to ``stop`` − 1.
    """

    source: str
    seed: int
    start: int
    stop: int
    contents: Contents
    form: Format = "parquet"
    part_rows: int = PART_ROWS

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        checked_rows(self.start, self.stop)
        if self.start == self.stop or self.part_rows < 1:
            raise QueryError(Fault(code="cases/row", message="a data set has at least one row, and so has a part"))
        if not self.contents.levels:
            raise QueryError(Fault(code="cases/level", message="a data set has at least one level"))

    @cached_property
    def records(self) -> Records:
        """The tables of the data set; raises here what is wrong with the world or the contents."""
        return Records(loads(self.source), self.seed, self.contents)

    @property
    def part_count(self) -> int:
        """Into how many parts the rows are cut."""
        return -(-(self.stop - self.start) // self.part_rows)

    def file_name(self, kind: Kind, level: str | None, number: int) -> str:
        """The path of a file in the data set: one file, or a folder of parts by the same name."""
        name = f"{kind}-{level}.{self.form}" if level is not None else f"{kind}.{self.form}"
        return name if self.part_count == 1 else f"{name}/part-{number:05d}.{self.form}"

    def part(self, number: int) -> Part:
        """One part of the work."""
        start = self.start + number * self.part_rows
        kinds: list[tuple[Kind, str | None]] = [("cases", level) for level in self.contents.levels]
        kinds += [("labels", None), ("truth", None)]
        return Part(
            number=number,
            start=start,
            stop=min(start + self.part_rows, self.stop),
            source=self.source,
            seed=self.seed,
            contents=self.contents,
            form=self.form,
            names=tuple((kind, level, self.file_name(kind, level, number)) for kind, level in kinds),
        )

    @cached_property
    def head(self) -> dict[str, Any]:
        """What the manifest says of the data set as a whole."""
        world = self.records.world
        assert world.spec is not None
        return {
            "format": FORMAT,
            "world": world.name,
            "title": world.title,
            "world_digest": world.spec.digest,
            "law_digest": world.spec.law_digest,
            "seed": self.seed,
            "rows": [self.start, self.stop],
            "levels": list(self.contents.levels),
            "memo": self.contents.memo,
            "question": self.contents.question,
            "file_format": self.form,
            "part_rows": self.part_rows,
            "splits": {name: list(run) for name, run in splits(self.start, self.stop).items()},
            "made_with": {"pbn": pbn.__version__}
            | ({"pyarrow": pyarrow()[0].__version__} if self.form == "parquet" else {}),
        }


def make_dataset(
    plan: DatasetPlan,
    root: Path,
    *,
    scheduler: Scheduler | None = None,
    advance: Callable[[int], None] = lambda rows: None,
) -> dict[str, Any]:
    """Make a data set in a folder, or what is missing of it; returns its manifest.

    Each file appears whole or not at all, and a part counts once all its files are there, so that a run may be
    killed at any point and be gone on with by the same call. ``advance`` is called with the rows of each part
    that is there.

    Raises
    ------
    QueryError
        The folder holds another data set or other things, is in use, or cannot be written.

    Examples
    --------
    >>> import pbn, tempfile
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
        found = _read_json(root / MANIFEST)
        if found is not None:
            _check_same(head, found, root)
            advance(plan.stop - plan.start)
            return found
        done = _begun(plan, root, head)
        for number in done:
            part = plan.part(number)
            advance(part.stop - part.start)
        left = (plan.part(number) for number in range(plan.part_count) if number not in done)
        for part, made in (scheduler or InProcess()).run(make_part, left):
            done[part.number] = _keep(part, made, root)
            advance(part.stop - part.start)
        manifest = {**head, "files": [entry for number in sorted(done) for entry in done[number]]}
        write_file(root / MANIFEST, _json(manifest))
        for name in (PLAN, PROGRESS):
            (root / name).unlink(missing_ok=True)
    (root / LOCK).unlink(missing_ok=True)
    return manifest


# -- what is there -----------------------------------------------------------------------------------


def read_manifest(root: Path) -> dict[str, Any]:
    """The manifest of a finished data set.

    Raises
    ------
    QueryError
        There is none, or it is none of ours.
    """
    found = _read_json(root / MANIFEST)
    if found is None:
        unfinished = (root / PLAN).is_file()
        message = f"the data set in {root} is not finished" if unfinished else f"there is no data set in {root}"
        hint = "the same pbn sample command goes on with it" if unfinished else f"its folder holds a file {MANIFEST}"
        raise QueryError(Fault(code="cases/unfinished" if unfinished else "cases/no-data", message=message, hint=hint))
    if found.get("format") != FORMAT or not isinstance(found.get("files"), list):
        found_format = str(found.get("format"))[:60]
        raise QueryError(
            Fault(
                code="cases/manifest",
                message=f"{root / MANIFEST} is no manifest of a data set",
                found=found_format,
                allowed=FORMAT,
            )
        )
    return found


def _begun(plan: DatasetPlan, root: Path, head: Mapping[str, Any]) -> dict[int, list[dict[str, Any]]]:
    """The parts that an earlier run has finished, by number; begins the data set where there is none."""
    found = _read_json(root / PLAN)
    if found is None:
        others = [path.name for path in root.iterdir() if path.name not in (LOCK, PROGRESS, WORLD_FILE)]
        others = [name for name in others if not name.endswith(".part")]
        if others:
            message, hint = f"the folder {root} holds other things", "name a folder that is empty or does not exist"
            raise QueryError(Fault(code="cases/not-empty", message=message, found=others[0], hint=hint))
        (root / PROGRESS).unlink(missing_ok=True)
        write_file(root / WORLD_FILE, plan.source.encode())
        write_file(root / PLAN, _json(head))
        return {}
    _check_same(head, found, root)
    remove_drafts(root)
    done: dict[int, list[dict[str, Any]]] = {}
    for line in _lines(root / PROGRESS):
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # the last line may be cut
            entry = json.loads(line)
            if all((root / file["path"]).stat().st_size == file["bytes"] for file in entry["files"]):
                done[entry["part"]] = entry["files"]
    return done


def _keep(part: Part, made: tuple[MadeFile, ...], root: Path) -> list[dict[str, Any]]:
    """Write the files of a part, then note that they are there."""
    entries = []
    for file in made:
        write_file(root / file.path, file.data)
        entries.append(
            {
                "path": file.path, "kind": file.kind, "level": file.level, "start": part.start, "stop": part.stop,
                "rows": file.rows, "bytes": len(file.data), "sha256": file.sha256,
            }
        )  # fmt: skip
    line = json.dumps({"part": part.number, "files": entries})
    write_file(root / PROGRESS, f"{line}\n".encode(), append=True)
    return entries


def _check_same(head: Mapping[str, Any], found: Mapping[str, Any], root: Path) -> None:
    different = [key for key, value in head.items() if found.get(key) != json.loads(json.dumps(value))]
    if different:
        key = different[0]
        raise QueryError(
            Fault(
                code="cases/other-data",
                message=f"the folder {root} holds another data set: its {key.replace('_', ' ')} differs",
                found=str(found.get(key))[:80],
                allowed=str(head[key])[:80],
                hint="name another folder",
            )
        )


def _read_json(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise QueryError(
            Fault(code="cases/manifest", message=f"{path} cannot be read", found=str(error)[:200])
        ) from None
    if not isinstance(found, dict):
        raise QueryError(Fault(code="cases/manifest", message=f"{path} is no manifest of a data set"))
    return found


def _lines(path: Path) -> Iterator[str]:
    with suppress(FileNotFoundError), path.open(encoding="utf-8", errors="replace") as file:
        yield from file


def _json(value: Mapping[str, Any]) -> bytes:
    """JSON for people: a line for each entry, and for each file."""
    lines = []
    for key, entry in value.items():
        text = json.dumps(entry, ensure_ascii=False)
        if key == "files":
            text = "[\n    " + ",\n    ".join(json.dumps(file, ensure_ascii=False) for file in entry) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _make_folder(root: Path) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder {root} cannot be made"
        raise QueryError(Fault(code="cases/unwritable", message=message, found=error.strerror)) from None


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    """Keep other runs out of the folder; the lock goes with the process."""
    try:
        handle = os.open(root / LOCK, os.O_CREAT | os.O_RDWR)
    except OSError as error:
        message = f"the folder {root} cannot be written to"
        raise QueryError(Fault(code="cases/unwritable", message=message, found=error.strerror)) from None
    try:
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except ImportError:  # no such locks on this system
            pass
        except OSError:
            message = f"another run is writing to {root}"
            raise QueryError(Fault(code="cases/in-use", message=message, hint="wait for it, or stop it")) from None
        yield
    finally:
        os.close(handle)


def plan_of(manifest: Mapping[str, Any], source: str) -> DatasetPlan:
    """The plan that a manifest says, for the text of its world file.

    Raises
    ------
    QueryError
        The manifest lacks something.
    """
    try:
        contents = Contents(
            levels=tuple(manifest["levels"]), memo=bool(manifest["memo"]), question=manifest["question"]
        )
        start, stop = manifest["rows"]
        return DatasetPlan(
            source=source,
            seed=manifest["seed"],
            start=start,
            stop=stop,
            contents=contents,
            form=manifest["file_format"],
            part_rows=manifest["part_rows"],
        )
    except (KeyError, TypeError, ValueError) as error:
        fault = Fault(code="cases/manifest", message="the manifest lacks something", found=str(error)[:200])
        raise QueryError(fault) from None
