"""A published folder as somebody else finds it: its manifest read, its files compared and computed again."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pbn.cases.columns import described
from pbn.cases.formats import Format, pyarrow
from pbn.cases.layout import Piece, lay_out
from pbn.cases.manifest import MANIFEST, PUBLICATION, plan_of
from pbn.cases.slices import SEED, Sliced
from pbn.cases.sources import Source, expected_entries
from pbn.cases.verify import Difference, Verified
from pbn.cases.work import make_part
from pbn.errors import Fault, PbnError, QueryError
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.regular import open_regular, read_regular

CARD, CROISSANT, WORLDS = "README.md", "croissant.json", "worlds"
MOST_DIFFERENCES = 50


def read_publication(root: Path) -> dict[str, Any] | None:
    """The manifest of a published folder; None where it has none, or it is one of something else.

    Raises
    ------
    QueryError
        ``publish/manifest``: it is one, but lists something that is no file.
    """
    try:
        found = json.loads(read_regular(root / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("format") != PUBLICATION:
        return None
    files = found.get("files")
    if not isinstance(files, list) or not all(_is_entry(entry) for entry in files):
        raise _no_manifest(root, "it does not list its files")
    return found


def changed_files(root: Path, manifest: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Files of a published folder that are not as its manifest says: the path, and what is wrong."""
    for entry in manifest["files"]:
        try:
            with open_regular(root / entry["path"]) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            yield entry["path"], f"cannot be read ({error.strerror})"
            continue
        if digest != entry["sha256"]:
            yield entry["path"], "is not the file that the manifest lists: its SHA-256 differs"


def verify_publication(
    root: Path,
    manifest: Mapping[str, Any],
    *,
    budget: int = DEFAULT_BUDGET,
    advance: Callable[[int], None] = lambda rows: None,
) -> Verified:
    """Compare every file of a published folder with its manifest, and every row with what its world and seed give.

    The card and the Croissant description are compared with the manifest alone. ``advance`` is called with the
    rows of each part that has been compared.

    Raises
    ------
    QueryError
        The manifest lacks something, or a world file cannot be read.
    """
    sources = _sources(root, manifest, budget)
    pieces = lay_out(sources)
    listed = [str(entry["path"]) for entry in manifest["files"]]
    worlds = dict.fromkeys(f"{WORLDS}/{source.name}.yaml" for source in sources)
    expected = [CARD, CROISSANT, *worlds, *(piece.path for piece in pieces)]
    differences = list(_listing(root, listed, expected))
    differences += [Difference(path=path, what=what) for path, what in changed_files(root, _within(manifest, expected))]
    other_bytes: list[str] = []
    for position, source in enumerate(sources):
        own = [piece for piece in pieces if piece.source == position]
        for number in range(source.plan.part_count):
            if len(differences) < MOST_DIFFERENCES:
                differences += _part(root, source, number, own, other_bytes)
            advance(source.plan.part(number).stop - source.plan.part(number).start)
    return Verified(
        world=", ".join(dict.fromkeys(source.name for source in sources)),
        files=len(listed),
        rows=sum(source.plan.stop - source.plan.start for source in sources),
        differences=tuple(differences[:MOST_DIFFERENCES]),
        other_bytes=tuple(other_bytes),
    )


def _within(manifest: Mapping[str, Any], expected: Sequence[str]) -> dict[str, Any]:
    """The manifest with no other files than those of the publication: no path leads out of its folder."""
    known = set(expected)
    return {"files": [entry for entry in manifest["files"] if entry["path"] in known]}


def _listing(root: Path, listed: Sequence[str], expected: Sequence[str]) -> Iterator[Difference]:
    for path in sorted(set(listed) - set(expected)):
        yield Difference(path=MANIFEST, what=f"lists {path[:100]}, which the publication does not have")
    for path in sorted(set(expected) - set(listed)):
        yield Difference(path=MANIFEST, what=f"does not list {path}")
    there = {path.relative_to(root) for path in root.rglob("*") if path.is_file()}
    shown = {path.as_posix() for path in there if not any(part.startswith(".") for part in path.parts)}
    for path in sorted(shown - set(expected) - {MANIFEST}):
        yield Difference(path=path, what="is no file of the publication")


def _sources(root: Path, manifest: Mapping[str, Any], budget: int) -> list[Source]:
    """The data sets that the manifest says, with the files that they had."""
    found = []
    data_sets = manifest.get("data_sets")
    if not isinstance(data_sets, list) or not all(isinstance(said, dict) for said in data_sets) or not data_sets:
        raise _no_manifest(root, "it names no data sets")
    for said in data_sets:
        name = str(said.get("world"))
        if not name.isidentifier():
            raise _no_manifest(root, f"it names a world {name[:60]!r}")
        try:
            text = read_regular(root / WORLDS / f"{name}.yaml").decode()
        except (OSError, ValueError) as error:
            message = f"the world file {root / WORLDS / name}.yaml cannot be read"
            raise QueryError(Fault(code="cases/no-world", message=message, found=str(error)[:200])) from None
        plan = plan_of(said, text, budget=budget)
        for key in ("world", "world_digest", "law_digest"):
            if plan.head[key] != said.get(key):
                raise _no_manifest(root, f"the {key.replace('_', ' ')} of {name} is not that of its world file")
        files = [entry for _, entry in expected_entries(plan)]
        found.append(Source(root=root, manifest={**said, "files": files}, plan=plan))
    return found


def _part(
    root: Path, source: Source, number: int, pieces: Sequence[Piece], other_bytes: list[str]
) -> Iterator[Difference]:
    """What differs in the pieces of one part of a data set."""
    for made in make_part(source.plan.part(number)):
        own = [piece for piece in pieces if piece.entry["path"] == made.path]
        columns = [one.name for one in described(source, made.kind, made.level)]
        kept = columns if made.kind == "cases" else [name for name in columns if name != SEED]
        sliced = Sliced(data=made.data, form=source.plan.form, columns=kept)
        for piece, expected in sliced.pieces(own, {"canary": source.canary}):
            try:
                data = read_regular(root / piece.path)
            except OSError:
                continue  # told already
            if data == expected:
                continue
            what = _different(data, expected, source.plan.form)
            if what is None:
                other_bytes.append(piece.path)
            else:
                yield Difference(path=piece.path, what=what)


def _different(data: bytes, expected: bytes, form: Format) -> str | None:
    """The first thing that differs between two tables; None where all values are the same."""
    try:
        one, other = _values(data, form), _values(expected, form)
    except (ValueError, PbnError) as error:
        return f"cannot be read ({str(error)[:100]})"
    if list(one) != list(other):
        return "has other columns than it should"
    for column, values in other.items():
        if len(one[column]) != len(values):
            return f"has {len(one[column]):,} rows, should have {len(values):,}"
        for row, (is_so, should) in enumerate(zip(one[column], values, strict=True)):
            if is_so != should:
                return f"line {row + 1}, column {column}: {repr(is_so)[:60]}, should be {repr(should)[:60]}"
    return None


def _values(data: bytes, form: Format) -> dict[str, list[Any]]:
    if form == "jsonl":
        rows = [json.loads(line) for line in data.decode().split("\n") if line]
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError("a line is no object")
        return {name: [row.get(name) for row in rows] for name in (rows[0] if rows else ())}
    arrow, parquet = pyarrow()
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(str(error)) from None
    return {name: table.column(name).to_pylist() for name in table.column_names}


def _is_entry(entry: object) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in ("path", "sha256"))


def _no_manifest(root: Path, why: str) -> QueryError:
    message = f"{root / MANIFEST} is no manifest of a publication: {why}"
    return QueryError(Fault(code="publish/manifest", message=message))
