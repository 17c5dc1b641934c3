"""Run studies into a folder: finished ones are kept and used again, and one page shows them all."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pbn.cases.disk import write_file
from pbn.cases.identity import law_digest
from pbn.cases.sample import SCHEME
from pbn.errors import Fault, PbnError
from pbn.regular import read_regular
from pbn.studies.catalogue import NAMES, checked_name, study
from pbn.studies.page import page
from pbn.studies.study import NOT_THERE, Comparison, Finding, Record, Study, world_of
from pbn.tuning.crew import Crew

ENDINGS = ("csv", "png", "pdf")
PAGE, TABLE = "index.html", "comparison.csv"


@dataclass(frozen=True, slots=True)
class StudyWork:
    """Answers one task of one study, in any process."""

    quick: bool

    def __call__(self, task: tuple[str, Any]) -> Any:
        """The answer."""
        name, part = task
        return study(name).answer(part, self.quick)


def digest_of(one: Study, quick: bool) -> str:
    """SHA-256 of what a study's numbers depend on besides code: the worlds' laws, the rows' scheme, its sizes.

    The study's ``version`` stands for its code.
    """
    laws = {name: law_digest(world_of(name)) for name in one.worlds}
    text = json.dumps(["pbn study", one.name, one.version, quick, SCHEME, laws], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def reproduce(
    names: Sequence[str],
    folder: Path,
    *,
    quick: bool = False,
    workers: int | None = None,
    force: bool = False,
    watch: Callable[[str, int, int], None] = lambda name, done, total: None,
) -> list[Record]:
    """Run studies and write for each a CSV, a figure as PNG and PDF, and a record; then the page and the comparison.

    A study that the folder holds finished is used again: its record must have the digest of today and its files must
    be as recorded; a full one also serves who asks for a quick one. Files appear whole or not at all, and after an
    interruption the finished studies are there. ``watch`` is told of every task that is done.

    Parameters
    ----------
    names
        Studies (`pbn.studies.catalogue.NAMES`), all of them if empty.
    folder
        Where the files go; it is made.
    quick
        Smaller samples.
    workers
        Processes; None: one for each core once that pays.
    force
        Run finished studies again, and overwrite files that no study wrote.

    Raises
    ------
    PbnError
        ``studies/unknown``; ``studies/file-exists``: a file is in the way; ``cases/disk-full``, ``cases/unwritable``.
    """
    wanted = [checked_name(name) for name in dict.fromkeys(names)] or list(NAMES)
    if not force:
        _check_room(folder, wanted)
    done: dict[str, Record] = {}
    counter = _Counter(watch)
    with Crew(StudyWork(quick), workers, counter.advance) as crew:
        for name in wanted:
            found = None if force else finished(folder, name, quick)
            if found is None:
                one = study(name)
                tasks = [(name, part) for part in one.tasks(quick)]
                counter.start(name, len(tasks))
                begun = time.perf_counter()
                finding = one.show(crew.map(tasks), quick)
                found = _written(folder, one, finding, quick and one.shrinks, time.perf_counter() - begun)
            done[name] = found
            _write_overview(folder, done)  # after each, so that an interruption leaves a page of what is finished
    return list(done.values())


class _Counter:
    """Counts the tasks of the study that is running, and tells whoever watches."""

    def __init__(self, watch: Callable[[str, int, int], None]) -> None:
        self.watch, self.name, self.done, self.total = watch, "", 0, 0

    def start(self, name: str, total: int) -> None:
        """A study begins."""
        self.name, self.done, self.total = name, 0, total
        self.watch(name, 0, total)

    def advance(self) -> None:
        """A task is done."""
        self.done += 1
        self.watch(self.name, self.done, self.total)


def finished(folder: Path, name: str, quick: bool) -> Record | None:
    """The record of a study that is finished in a folder, and whole; None where it is not."""
    record = _read_record(folder / f"{name}.json")
    if record is None or record.name != name or (record.quick and not quick):
        return None
    if record.digest != digest_of(study(name), record.quick) or set(record.files) != set(ENDINGS):
        return None
    for ending, digest in record.files.items():
        try:
            data = read_regular(folder / f"{name}.{ending}")
        except OSError:
            return None
        if hashlib.sha256(data).hexdigest() != digest:
            return None
    return record


def _read_record(path: Path) -> Record | None:
    """What a record says, None where it is no record, or not as it was written."""
    try:
        known = json.loads(read_regular(path))
        if known.pop("checksum") != _checksum(known):
            return None
        comparisons = tuple(Comparison(**one) for one in known.pop("comparisons"))
        return Record(**known, comparisons=comparisons, reused=True)
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _checksum(known: dict[str, Any]) -> str:
    """SHA-256 of what a record says besides."""
    return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()


def _check_room(folder: Path, names: Sequence[str]) -> None:
    """A file that no study wrote is not overwritten: of a study without a record, or a page where there is no study."""
    known = {name for name in NAMES if _read_record(folder / f"{name}.json") is not None}
    mine = [f"{name}.{ending}" for name in names if name not in known for ending in (*ENDINGS, "json")]
    for file in [*mine, *([] if known else [PAGE, TABLE])]:
        if (folder / file).exists():
            message = f"there is a file {folder / file} already, which no study wrote"
            raise PbnError(Fault(code="studies/file-exists", message=message, hint="--force overwrites it"))


def _written(folder: Path, one: Study, finding: Finding, quick: bool, seconds: float) -> Record:
    """Write a study's files, its record last."""
    files = {"csv": finding.csv().encode(), **finding.figure}
    (folder / f"{one.name}.json").unlink(missing_ok=True)
    for ending, data in files.items():
        write_file(folder / f"{one.name}.{ending}", data)
    record = Record(
        name=one.name,
        title=one.title,
        about=one.about,
        quick=quick,
        digest=digest_of(one, quick),
        seconds=round(seconds, 1),
        files={ending: hashlib.sha256(data).hexdigest() for ending, data in files.items()},
        comparisons=finding.comparisons,
    )
    known = asdict(record)
    known.pop("reused")
    known["checksum"] = _checksum(known)
    write_file(folder / f"{one.name}.json", json.dumps(known, indent=1, ensure_ascii=False).encode())
    return record


def _write_overview(folder: Path, done: dict[str, Record]) -> None:
    """The page and the table of all studies that are finished in the folder."""
    known = [done.get(name) or finished(folder, name, True) for name in NAMES]
    records = [record for record in known if record is not None]
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    names = [one.name for one in fields(Comparison)]
    writer.writerow(["study", "quick", *names])
    for record in records:
        for one in record.comparisons:
            writer.writerow(
                [record.name, "yes" if record.quick else "no", *(_cell(name, getattr(one, name)) for name in names)]
            )
    write_file(folder / TABLE, target.getvalue().encode())
    pictures = {record.name: read_regular(folder / f"{record.name}.png") for record in records}
    write_file(folder / PAGE, page(records, pictures).encode())


def _cell(name: str, value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return NOT_THERE if name == "published" else ""
    return value
