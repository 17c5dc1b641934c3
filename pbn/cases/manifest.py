"""The manifest of a data set: written for people and programs, read as if anybody had written it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from pbn.cases.formats import FORMATS
from pbn.cases.plan import FORMAT, DatasetPlan
from pbn.cases.records import Contents
from pbn.errors import Fault, QueryError
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.regular import open_regular
from pbn.spec.source import MAX_BYTES as MOST_WORLD_BYTES

MANIFEST, WORLD_FILE, PLAN = "manifest.json", "world.yaml", ".plan.json"
PUBLICATION = "pbn publication 1"
"""Format of the manifest of a published folder."""
MOST_BYTES = 500_000_000
"""Bytes of a manifest that are read, at most."""

_SHAPE: Mapping[str, type | tuple[type, ...]] = {
    "path": str, "kind": str, "level": (str, type(None)), "start": int, "stop": int, "rows": int, "bytes": int,
    "sha256": str,
}  # fmt: skip


def read_manifest(root: Path) -> dict[str, Any]:
    """The manifest of a finished data set.

    Raises
    ------
    QueryError
        There is none, or it is none of ours.
    """
    path = root / MANIFEST
    found = read_json(path)
    if found is None:
        unfinished = (root / PLAN).is_file()
        message = f"the data set in {root} is not finished" if unfinished else f"there is no data set in {root}"
        hint = "the same pbn sample command goes on with it" if unfinished else f"its folder holds a file {MANIFEST}"
        raise QueryError(Fault(code="cases/unfinished" if unfinished else "cases/no-data", message=message, hint=hint))
    if found.get("format") == PUBLICATION:
        message, hint = f"{root} is a publication, not a data set", "name a folder that pbn sample has made"
        raise QueryError(Fault(code="cases/manifest", message=message, hint=hint))
    if found.get("format") != FORMAT:
        _refuse(f"{path} is no manifest of a data set", str(found.get("format"))[:60], FORMAT)
    files = found.get("files")
    if not isinstance(files, list):
        _refuse(f"{path} lists no files")
    for entry in files:
        if not is_entry(entry):
            _refuse(f"{path} lists a file without what belongs to it", str(entry)[:100], ", ".join(_SHAPE))
    return found


def is_entry(entry: object) -> bool:
    """Whether a value may be what a manifest says of a file."""
    return isinstance(entry, dict) and all(
        isinstance(entry.get(key), kind) and not isinstance(entry[key], bool) for key, kind in _SHAPE.items()
    )


def read_world(root: Path) -> str:
    """The text of the world file in a data set.

    Raises
    ------
    QueryError
        It cannot be read.
    """
    try:
        return _read_text(root / WORLD_FILE, MOST_WORLD_BYTES)
    except (OSError, ValueError) as error:
        message = f"the world file of the data set, {root / WORLD_FILE}, cannot be read"
        raise QueryError(Fault(code="cases/no-world", message=message, found=_reason(error))) from None


def plan_of(manifest: Mapping[str, Any], source: str, *, budget: int = DEFAULT_BUDGET) -> DatasetPlan:
    """The plan that a manifest says, for the text of its world file.

    Raises
    ------
    QueryError
        The manifest lacks something, or says what cannot be.
    """
    levels, rows, form, memo = (manifest.get(key) for key in ("levels", "rows", "file_format", "memo"))
    seed, part_rows, question = (manifest.get(key) for key in ("seed", "part_rows", "question"))
    if not isinstance(levels, list) or not all(isinstance(level, str) for level in levels):
        _refuse("the manifest does not say its levels", str(levels)[:60], "a list of names")
    if len(set(levels)) != len(levels):
        _refuse("the manifest names a level twice", str(levels)[:60])
    if not isinstance(rows, list) or len(rows) != 2 or not all(_is_whole(row) for row in rows):
        _refuse("the manifest does not say its rows", str(rows)[:60], "two whole numbers")
    if form not in FORMATS:
        _refuse("the manifest does not say the format of its files", str(form)[:60], ", ".join(FORMATS))
    if not isinstance(memo, bool):
        _refuse("the manifest does not say whether there are memos", str(memo)[:60], "true or false")
    if question is not None and not isinstance(question, str):
        _refuse("the manifest's question is no name", str(question)[:60])
    if not isinstance(seed, int) or not isinstance(part_rows, int) or not _is_whole(seed) or not _is_whole(part_rows):
        _refuse("the manifest does not say its seed and part_rows", f"{str(seed)[:40]}, {str(part_rows)[:40]}")
    contents = Contents(levels=tuple(levels), memo=memo, question=question)
    start, stop = rows
    return DatasetPlan(
        source=source, seed=seed, start=start, stop=stop, contents=contents, form=form, part_rows=part_rows,
        budget=budget,
    )  # fmt: skip


def first_difference(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> tuple[str, str, str] | None:
    """The first entry of a manifest that is not as wanted: in words, what is found, and what is wanted.

    Examples
    --------
    >>> first_difference({"seed": 5, "made_with": {"numpy": "2.1"}}, {"seed": 5, "made_with": {"numpy": "2.0"}})
    ('versions (numpy)', '2.0', '2.1')
    """
    for key, value in wanted.items():
        own, other = json.loads(json.dumps(value)), found.get(key)
        if own == other:
            continue
        name = "versions" if key == "made_with" else key.replace("_", " ")
        inner = first_difference(own, other) if isinstance(own, dict) and isinstance(other, dict) else None
        if inner is not None:
            return f"{name} ({inner[0]})", *inner[1:]
        return name, str(other)[:80], str(own)[:80]
    return None


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file, None where there is no such file.

    Raises
    ------
    QueryError
        ``cases/manifest``: it cannot be read, or holds something else.
    """
    try:
        found = json.loads(_read_text(path, MOST_BYTES))
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        _refuse(f"{path} cannot be read", _reason(error))
    if not isinstance(found, dict):
        _refuse(f"{path} is no manifest of a data set")
    return found


def json_bytes(value: Mapping[str, Any]) -> bytes:
    """JSON for people: a line for each entry, and for each file."""
    lines = []
    for key, entry in value.items():
        text = json.dumps(entry, ensure_ascii=False)
        if key == "files":
            text = "[\n    " + ",\n    ".join(json.dumps(file, ensure_ascii=False) for file in entry) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _read_text(path: Path, most: int) -> str:
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it has more than {most:,} bytes")
    return data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or " ".join(str(error).split()))[:200]


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _refuse(message: str, found: str | None = None, allowed: str | None = None) -> NoReturn:
    raise QueryError(Fault(code="cases/manifest", message=message, found=found, allowed=allowed))
