"""Where the files of a truth and its labels lie: in a data set, in a published folder, or alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from pbn.cases.manifest import MANIFEST, WORLD_FILE
from pbn.errors import Fault, QueryError, listing
from pbn.scoring.files import SUFFIXES

MOST_FILES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSet:
    """The files of one table in their order, and the folder of the data set that they belong to, if there is one."""

    paths: tuple[Path, ...]
    root: Path | None


def truth_files(path: Path, kind: str = "truth") -> FileSet:
    """The files of a table that a path names: itself, the parts in a folder, or those in a data set.

    Raises
    ------
    QueryError
        ``truth/no-file``: there are none.
    """
    if path.is_dir():
        inside = [path / f"{kind}{suffix}" for suffix in SUFFIXES]
        named = [one for one in inside if one.exists()]
        if len(named) > 1:
            _refuse(f"{path} holds the {kind} twice", listing(one.name for one in named))
        if named:
            return FileSet(paths=_parts(named[0]), root=_root(path))
        return FileSet(paths=_parts(path), root=_root(path.parent))
    if not path.exists():
        _refuse(f"there is no {kind} at {str(path)[:200]}")
    return FileSet(paths=(path,), root=_root(path.parent) or _root(path.parent.parent))


def label_files(path: Path, truth: FileSet) -> tuple[Path, ...]:
    """The labels that lie beside a truth; empty where there are none."""
    names: list[Path] = []
    if truth.root is not None:
        names += [truth.root / f"labels{suffix}" for suffix in (truth.paths[0].suffix, *SUFFIXES)]
    names += [truth.paths[0].parent / f"labels{suffix}" for suffix in (truth.paths[0].suffix, *SUFFIXES)]
    for name in names:
        if name.exists():
            return _parts(name)
    folder = path if path.is_dir() else path.parent
    if folder.name.endswith("-truth"):  # a configuration of a published folder
        beside = folder.with_name(folder.name.removesuffix("-truth") + "-labels")
        found = tuple(beside / one.name for one in truth.paths)
        if all(one.is_file() for one in found):
            return found
    return ()


def _parts(path: Path) -> tuple[Path, ...]:
    if not path.is_dir():
        return (path,)
    found = sorted(one for one in path.iterdir() if one.suffix.lower() in SUFFIXES and one.name[0] != ".")
    if not found or len(found) > MOST_FILES:
        _refuse(f"{str(path)[:200]} holds {len(found):,} files of a truth", f"1 to {MOST_FILES:,}, {listing(SUFFIXES)}")
    return tuple(found)


def _root(folder: Path) -> Path | None:
    """The folder itself, if it is a data set's."""
    is_root = (folder / MANIFEST).is_file() or (folder / WORLD_FILE).is_file()
    return folder if is_root else None


def _refuse(message: str, allowed: str | None = None) -> NoReturn:
    hint = "--truth names a truth file of pbn sample, or the folder of a data set"
    raise QueryError(Fault(code="truth/no-file", message=message, allowed=allowed, hint=hint))
