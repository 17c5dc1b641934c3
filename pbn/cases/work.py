"""The work behind a data set, cut into parts that any process or machine can do."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from pbn.cases.formats import Format, encode
from pbn.cases.records import Contents, Kind, Records


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of rows and where its files belong: everything that a worker needs to know.

    ``source`` is the text of the world file, ``names`` the file of each kind of table, as a path in the data set.
    """

    number: int
    start: int
    stop: int
    source: str
    seed: int
    contents: Contents
    form: Format
    names: tuple[tuple[Kind, str | None, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeFile:
    """One file of a part: its bytes and what the manifest says of it."""

    path: str
    kind: Kind
    level: str | None
    rows: int
    data: bytes

    @property
    def sha256(self) -> str:
        """The digest of the bytes, in hexadecimal digits."""
        return hashlib.sha256(self.data).hexdigest()


def make_part(part: Part) -> tuple[MadeFile, ...]:
    """The files of one part; the same part gives the same bytes wherever it is made."""
    records = _records(part.source, part.seed, part.contents)
    names = {(kind, level): path for kind, level, path in part.names}
    made = []
    for kind, level, table in records.tables(part.start, part.stop):
        about: Mapping[str, object] = {
            "world": records.world.name,
            "law_digest": records.sampler.law_digest,
            "seed": part.seed,
            "kind": kind,
            "level": level,
            "rows": [part.start, part.stop],
        }
        data = encode(table, part.form, about)
        length = len(next(iter(table.values())))
        made.append(MadeFile(path=names[kind, level], kind=kind, level=level, rows=length, data=data))
    return tuple(made)


@lru_cache(maxsize=2)
def _records(source: str, seed: int, contents: Contents) -> Records:
    """The world of a text, made once in each process."""
    from pbn.loading import loads

    return Records(loads(source), seed, contents)
