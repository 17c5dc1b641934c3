"""Finished data sets as one folder that can be put on a data hub: files by configuration, card, Croissant, digests."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pbn
from pbn.cases.card import card
from pbn.cases.columns import described
from pbn.cases.croissant import croissant, mlcroissant
from pbn.cases.disk import write_file
from pbn.cases.formats import pyarrow
from pbn.cases.layout import Piece, configs, lay_out
from pbn.cases.manifest import MANIFEST, PUBLICATION, first_difference
from pbn.cases.published import CARD, CROISSANT, WORLDS, changed_files, read_publication
from pbn.cases.slices import SEED, Sliced
from pbn.cases.sources import Source, check_files, damaged, read_sources
from pbn.cases.terms import Terms
from pbn.errors import Fault, PbnError, QueryError
from pbn.regular import read_regular


@dataclass(frozen=True, kw_only=True)
class Publication:
    """What will be published: the data sets, in order, under which terms, and the files that come of them."""

    sources: Sequence[Source]
    terms: Terms
    pieces: Sequence[Piece]

    @property
    def head(self) -> dict[str, Any]:
        """What the manifest says of the publication as a whole; the same head gives the same bytes."""
        form = self.sources[0].plan.form
        return {
            "format": PUBLICATION,
            "terms": self.terms.said,
            "made_with": {"pbn": pbn.__version__, **_versions(form)},
            "configs": {name: list(splits) for name, splits in configs(self.pieces).items()},
            "data_sets": [
                {key: source.manifest[key] for key in _KEPT}
                | {"files": _digest(source.manifest["files"]), "canary": source.canary}
                for source in self.sources
            ],
        }

    @property
    def worlds(self) -> Mapping[str, Source]:
        """World → the first of its data sets."""
        return {source.name: source for source in reversed(self.sources)}


_KEPT = ("world", "world_digest", "law_digest", "seed", "rows", "levels", "memo", "question", "file_format",
         "part_rows", "made_with")  # fmt: skip


def publish(
    roots: Sequence[Path],
    out: Path,
    terms: Terms | None = None,
    *,
    advance: Callable[[int], None] = lambda rows: None,
) -> dict[str, Any]:
    """Publish data sets into a folder, which appears whole or not at all; returns its manifest.

    The same data sets and terms give the same bytes, in whatever order they are named. Where the folder holds this
    publication already, its files are compared with its manifest and nothing is written. ``advance`` is called
    with the rows of each file of cases that is there.

    Raises
    ------
    QueryError
        A data set is not finished or not whole, two do not go together, or the folder holds something else.

    Examples
    --------
    >>> import pbn, tempfile
    >>> from pbn.cases.dataset import make_dataset
    >>> from pbn.cases.plan import DatasetPlan
    >>> from pbn.cases.records import Contents
    >>> plan = DatasetPlan(source=pbn.shipped_worlds()["support_ticket"].read_text(), seed=2032, start=990, stop=1010,
    ...                    form="jsonl", contents=Contents(levels=("high",), memo=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_dataset(plan, Path(folder, "data"))
    ...     manifest = publish([Path(folder, "data")], Path(folder, "hub"))
    >>> [file["path"] for file in manifest["files"]][:2]
    ['README.md', 'croissant.json']
    >>> manifest["configs"]["support_ticket-high"]
    ['train', 'test']
    """
    planned = plan_publication(roots, terms or Terms())
    _check_outside(planned.sources, out)
    mlcroissant()
    head = planned.head
    found = _published(out, head)
    if found is not None:
        return found
    for source in planned.sources:
        check_files(source)
    draft = out.parent / f".{out.name}.part"
    with _locked(draft):
        files = list(_write(planned, draft, advance))
        manifest = {**head, "files": files}
        write_file(draft / MANIFEST, _json(manifest))
        try:
            os.rename(draft, out)
        except OSError as error:
            raise _unwritable(out, error) from None
    return manifest


def plan_publication(roots: Sequence[Path], terms: Terms) -> Publication:
    """What these data sets come to; nothing is written.

    Raises
    ------
    QueryError
        A data set is not finished, or two do not go together.
    """
    sources = read_sources(roots)
    if sources[0].plan.form == "parquet":
        pyarrow()
    return Publication(sources=sources, terms=terms, pieces=lay_out(sources))


# -- writing -----------------------------------------------------------------------------------------


def _write(planned: Publication, root: Path, advance: Callable[[int], None]) -> Iterator[dict[str, Any]]:
    """Write all files but the manifest; yields what the manifest says of each, the card first."""
    cuts: dict[tuple[int, str], list[Piece]] = {}
    for piece in planned.pieces:
        cuts.setdefault((piece.source, piece.entry["path"]), []).append(piece)
    made = [
        about
        for position, source in enumerate(planned.sources)
        for entry in source.entries
        for about in _write_pieces(source, entry, cuts[position, entry["path"]], root, advance)
    ]
    texts = {f"{WORLDS}/{name}.yaml": source.plan.source for name, source in planned.worlds.items()}
    worlds = [_written(root, path, text.encode(), {"kind": "world"}) for path, text in texts.items()]
    described_as = croissant(planned.sources, planned.terms, planned.pieces, made + worlds)
    yield _written(root, CARD, card(planned.sources, planned.terms, planned.pieces).encode(), {"kind": "card"})
    yield _written(root, CROISSANT, described_as.encode(), {"kind": "croissant"})
    yield from worlds
    yield from made


def _write_pieces(
    source: Source, entry: Mapping[str, Any], pieces: Sequence[Piece], root: Path, advance: Callable[[int], None]
) -> Iterator[dict[str, Any]]:
    """Cut one file of a data set into pieces and write those."""
    path = source.root / entry["path"]
    try:
        data = read_regular(path)
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            damaged(source, path, "was changed while it was read")
        sliced = Sliced(data=data, form=source.plan.form, columns=_columns(source, entry))
        cuts = list(sliced.pieces(pieces, {"canary": source.canary}))
    except OSError as error:
        damaged(source, path, f"cannot be read ({error.strerror})")
    except ValueError as error:
        damaged(source, path, str(error))
    for piece, cut in cuts:
        yield _written(root, piece.path, cut, _about(piece))
        if piece.kind == "cases":
            advance(piece.rows)


def _columns(source: Source, entry: Mapping[str, Any]) -> list[str]:
    kind = entry["kind"]
    return [one.name for one in described(source, kind, entry["level"]) if kind == "cases" or one.name != SEED]


def _about(piece: Piece) -> dict[str, Any]:
    return {
        "kind": piece.kind, "config": piece.config, "split": piece.split, "world": piece.world, "level": piece.level,
        "seed": piece.seed, "start": piece.start, "stop": piece.stop, "rows": piece.rows,
    }  # fmt: skip


def _written(root: Path, path: str, data: bytes, about: Mapping[str, Any]) -> dict[str, Any]:
    try:
        write_file(root / path, data)
    except PbnError as error:  # its hint is for work that goes on where it was
        fault = dataclasses.replace(error.faults[0], hint="nothing is left of what was written; publish again")
        raise PbnError(fault) from None
    return {"path": path, **about, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


def _versions(form: str) -> dict[str, str]:
    versions = {"mlcroissant": version("mlcroissant")}
    return versions | ({"pyarrow": str(pyarrow()[0].__version__)} if form == "parquet" else {})


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _json(value: Mapping[str, Any]) -> bytes:
    """JSON for people: a line for each entry, and for each data set and file."""
    lines = []
    for key, entry in value.items():
        text = json.dumps(entry, ensure_ascii=False)
        if isinstance(entry, list):
            text = "[\n    " + ",\n    ".join(json.dumps(one, ensure_ascii=False) for one in entry) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


# -- the folder --------------------------------------------------------------------------------------


def _check_outside(sources: Sequence[Source], out: Path) -> None:
    """Neither the output in an input nor an input in the output."""
    here = out.resolve()
    for source in sources:
        root = source.root.resolve()
        if here == root or root in here.parents or here in root.parents:
            message = f"the folder {out} and the data set in {source.root} lie in one another"
            raise QueryError(Fault(code="publish/inside", message=message, hint="name a folder beside the data set"))


def _published(out: Path, head: Mapping[str, Any]) -> dict[str, Any] | None:
    """The manifest of this very publication where the folder holds it, whole; None where there is nothing."""
    try:
        names = sorted(path.name for path in out.iterdir())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unwritable(out, error) from None
    if not names:
        return None
    found = read_publication(out) if MANIFEST in names else None
    if found is None:
        message, hint = f"the folder {out} holds other things", "name a folder that is empty or does not exist"
        raise QueryError(Fault(code="publish/not-empty", message=message, found=names[0], hint=hint))
    different = first_difference(head, found)
    if different is not None:
        name, told, wanted = different
        message, hint = f"the folder {out} holds another publication: it differs in its {name}", "name another folder"
        raise QueryError(Fault(code="publish/other", message=message, found=told, allowed=wanted, hint=hint))
    for path, what in changed_files(out, found):
        message = f"the folder {out} holds this publication, but its file {path} {what}"
        hint = "remove the folder and publish again"
        raise QueryError(Fault(code="publish/changed", message=message, hint=hint))
    return found


@contextmanager
def _locked(draft: Path) -> Iterator[None]:
    """An empty folder to write in, which no other run uses; it is removed where the work fails."""
    try:
        draft.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(draft, error) from None
    with _alone(draft):
        for path in draft.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        try:
            yield
        except BaseException:
            with suppress(OSError):
                shutil.rmtree(draft)
            raise


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder; the lock goes with the process."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            message = f"another run is writing to {folder}"
            raise QueryError(Fault(code="publish/in-use", message=message, hint="wait for it, or stop it")) from None
        yield
    finally:
        os.close(handle)


def _unwritable(path: Path, error: OSError) -> PbnError:
    return QueryError(Fault(code="cases/unwritable", message=f"{path} cannot be written to", found=error.strerror))
