"""The work behind a data set, cut into parts that any process or machine can do."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass

import pbn
from pbn.cases.formats import Format, encode, pyarrow
from pbn.cases.records import Contents, Kind, Records
from pbn.errors import Fault, PbnError
from pbn.exact.plan import DEFAULT_BUDGET

_here = threading.local()
"""The records that a thread has made parts of last; worlds keep caches that no two threads may share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A run of rows and where its files belong: everything that a worker needs to know.

    ``source`` is the text of the world file, ``names`` the file of each kind of table, as a path in the data set,
    ``made_with`` the versions that all workers must have.
    """

    number: int
    start: int
    stop: int
    source: str
    seed: int
    contents: Contents
    form: Format
    names: tuple[tuple[Kind, str | None, str], ...]
    made_with: Mapping[str, str]
    budget: int = DEFAULT_BUDGET


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


def made_with(form: Format) -> dict[str, str]:
    """The versions of what decides the bytes of a file."""
    return {"pbn": pbn.__version__} | ({"pyarrow": pyarrow()[0].__version__} if form == "parquet" else {})


def make_part(part: Part) -> tuple[MadeFile, ...]:
    """The files of one part; the same part gives the same bytes wherever it is made.

    Raises
    ------
    PbnError
        ``cases/worker``: other versions of pbn or pyarrow are installed here.
    """
    here = made_with(part.form)
    if here != dict(part.made_with):
        name = next(name for name in here if here[name] != part.made_with.get(name))
        message = f"a worker has another version of {name}, so its files would have other bytes"
        raise PbnError(
            Fault(code="cases/worker", message=message, found=here[name], allowed=str(part.made_with.get(name)))
        )
    records = _records(part.source, part.seed, part.contents, part.budget)
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


def _records(source: str, seed: int, contents: Contents, budget: int) -> Records:
    """The records of a world's text, made once in each thread."""
    key = source, seed, contents, budget
    if getattr(_here, "key", None) != key:
        from pbn.loading import loads

        _here.records, _here.key = Records(loads(source, budget=budget), seed, contents), key
    found = _here.records
    assert isinstance(found, Records)
    return found
