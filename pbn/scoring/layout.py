"""Where the files of a truth and its labels lie: in a data set, in a published folder, or alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pbn.cases.manifest import MANIFEST, PUBLICATION, WORLD_FILE, read_json
from pbn.cases.plan import FORMAT
from pbn.errors import Fault, QueryError, listing
from pbn.scoring.files import SUFFIXES

MOST_FILES = 10_000
DATA, WORLDS = "data", "worlds"
"""Where a published folder has its tables and its world files."""
_DEPTH = 4

_ROWS = {"truth": "a truth", "labels": "labels"}
_HINTS = {
    "truth": "--truth names a truth file of pbn sample, or the folder of a data set",
    "labels": "--labels names the labels of pbn sample; without it those beside the truth are taken",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The files of one table in their order, and the folder of the data set that they belong to, if there is one.

    ``world`` is the world file that belongs to them; whether there is one nobody has looked.
    """

    paths: tuple[Path, ...]
    root: Path | None
    world: Path | None = None


def truth_files(path: Path, kind: str = "truth") -> FileSet:
    """The files of a table that a path names: itself, the parts in a folder, or those in a data set or publication.

    Raises
    ------
    QueryError
        ``truth/no-file``: there are none, or those of several worlds.
    """
    if path.is_dir():
        inside = [path / f"{kind}{suffix}" for suffix in SUFFIXES]
        named = [one for one in inside if one.exists()]
        if len(named) > 1:
            _refuse(kind, f"{path} holds the {kind} twice", listing(one.name for one in named))
        if named:
            return _of(_parts(named[0], kind), _root(path))
        configs = sorted(one for one in path.glob(f"{DATA}/*-{kind}") if one.is_dir())
        if len(configs) > 1:
            message, choice = f"{path} is a publication of several worlds", "give one of these folders"
            _refuse(kind, message, listing(map(str, configs)), choice)
        path = configs[0] if configs else path
        return _of(_parts(path, kind), _root(path.parent))
    if not path.exists():
        _refuse(kind, f"there is no file of {_ROWS[kind]} at {str(path)[:200]}")
    return _of((path,), _root(path.parent) or _root(path.parent.parent))


def label_files(truth: FileSet) -> tuple[Path, ...]:
    """The labels that lie beside a truth; empty where there are none."""
    names: list[Path] = []
    if truth.root is not None:
        names += [truth.root / f"labels{suffix}" for suffix in (truth.paths[0].suffix, *SUFFIXES)]
    names += [truth.paths[0].parent / f"labels{suffix}" for suffix in (truth.paths[0].suffix, *SUFFIXES)]
    for name in names:
        if name.exists():
            return _parts(name, "labels")
    folder = truth.paths[0].parent
    if _world_name(folder):
        beside = folder.with_name(f"{_world_name(folder)}-labels")
        found = tuple(beside / one.name for one in truth.paths)
        if all(one.is_file() for one in found):
            return found
    return ()


def data_set_around(path: Path) -> Path | None:
    """The folder of a data set or a publication that a path lies in, if there is one."""
    for folder in list(path.resolve().parents)[:_DEPTH]:
        try:
            manifest = read_json(folder / MANIFEST)
        except QueryError:
            continue
        if manifest is not None and manifest.get("format") in (FORMAT, PUBLICATION):
            return folder
    return None


def _of(paths: tuple[Path, ...], root: Path | None) -> FileSet:
    folder = paths[0].parent
    if root is not None:
        world = root / WORLD_FILE
    elif _world_name(folder):
        world = folder.parent.parent / WORLDS / f"{_world_name(folder)}.yaml"
    else:
        world = None
    return FileSet(paths=paths, root=root, world=world)


def _world_name(folder: Path) -> str:
    """The world of a published folder of truths; empty where it is none."""
    return folder.name.removesuffix("-truth") if folder.name.endswith("-truth") else ""


def _parts(path: Path, kind: str) -> tuple[Path, ...]:
    if not path.is_dir():
        return (path,)
    found = sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES and one.name[0] != ".")
    if not found:
        _refuse(kind, f"{str(path)[:200]} holds no file of {_ROWS[kind]}", f"files {listing(SUFFIXES)}")
    if len(found) > MOST_FILES:
        _refuse(kind, f"{str(path)[:200]} holds {len(found):,} files", f"at most {MOST_FILES:,}")
    return tuple(found)


def _root(folder: Path) -> Path | None:
    """The folder itself, if it is a data set's."""
    is_root = (folder / MANIFEST).is_file() or (folder / WORLD_FILE).is_file()
    return folder if is_root else None


def _refuse(kind: str, message: str, allowed: str | None = None, hint: str | None = None) -> NoReturn:
    raise QueryError(Fault(code="truth/no-file", message=message, allowed=allowed, hint=hint or _HINTS[kind]))
