"""Tables that anybody may have written, read run by run under limits: Parquet, JSON Lines, CSV."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from pbn.cases.formats import KEY, pyarrow
from pbn.errors import Fault, QueryError, listing
from pbn.figures import size_text
from pbn.regular import open_regular
from pbn.scores.inputs import Array

SUFFIXES = (".parquet", ".jsonl", ".ndjson", ".csv")
MOST_BYTES = 1_000_000_000
"""Bytes of a file, and of the columns that are read of a Parquet file once they are unpacked."""
MOST_LINE = 1_000_000
"""Bytes of one line, and of one text in a Parquet file."""
RUN = 65_536
"""Rows that are read at once."""
JSON_LINES = "write one JSON object on each line, as pandas does by to_json(orient='records', lines=True)"


@dataclass(frozen=True, slots=True)
class Numbers:
    """A column that a file declares as numbers, integers as such and all others float64, and where it holds nothing."""

    values: Array
    empty: Array

    def __len__(self) -> int:
        return len(self.values)


Column = Numbers | list[Any]
"""A run of a column; a list holds plain values, None where there is nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """A run of rows: the columns that were wanted, and the numbers of lines that are no row of the table."""

    columns: Mapping[str, Column]
    count: int
    unreadable: tuple[int, ...] = ()


class TableFile:
    """A file of one table, by its ending.

    Parameters
    ----------
    path
        The file.
    wanted
        Which columns are read, by name. All others are passed over.
    what
        What messages call it, such as ``predictions``, which is also the first half of their codes.

    Raises
    ------
    QueryError
        The file cannot be read, is too large, or is no such table.
    """

    def __init__(self, path: Path, wanted: Callable[[str], bool], what: str) -> None:
        self.path, self.wanted, self.what = path, wanted, what
        self.others: dict[str, None] = {}
        self.about: Mapping[str, Any] = {}
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            self.refuse("format", f"{_name(path)} has another ending than files of {what} have", listing(SUFFIXES))
        self.suffix = suffix

    def refuse(self, code: str, message: str, allowed: str | None = None, hint: str | None = None) -> NoReturn:
        """Raise the error of this file."""
        raise QueryError(Fault(code=f"{self.what}/{code}", message=message, allowed=allowed, hint=hint))

    def runs(self) -> Iterator[Rows]:
        """The rows of the file, in runs."""
        try:
            with open_regular(self.path) as file:
                size = os.fstat(file.fileno()).st_size
                if size > MOST_BYTES:
                    most = f"at most {size_text(MOST_BYTES)}"
                    self.refuse("too-large", f"{_name(self.path)} has {size_text(size)}", most)
                if self.suffix == ".parquet":
                    yield from self._parquet(file)
                else:
                    yield from self._csv(file) if self.suffix == ".csv" else self._json(file)
        except (OSError, ValueError) as error:
            reason = (getattr(error, "strerror", None) or str(error))[:200]
            code = "no-file" if isinstance(error, OSError) else "unreadable"
            self.refuse(code, f"{_name(self.path)} cannot be read: {reason}")

    def _is_wanted(self, name: str) -> bool:
        if self.wanted(name):
            return True
        if len(self.others) < 1000:
            self.others[name[:100]] = None
        return False

    # -- text ----------------------------------------------------------------------------------------

    def _lines(self, file: BinaryIO) -> Iterator[str]:
        number = 0
        while line := file.readline(MOST_LINE + 1):
            number += 1
            if len(line) > MOST_LINE:
                message, most = f"line {number} of {_name(self.path)} is too long", f"{size_text(MOST_LINE)} a line"
                self.refuse("too-large", message, most, JSON_LINES if line[:1] == b"[" else None)
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                self.refuse("unreadable", f"{_name(self.path)} is no UTF-8 text: see line {number}")

    def _json(self, file: BinaryIO) -> Iterator[Rows]:
        rows: list[dict[str, Any]] = []
        bad: list[int] = []
        known: set[str] = set()
        for number, line in enumerate(self._lines(file), 1):
            if not line.strip():
                continue
            if not rows and not known and not bad and line.lstrip().startswith("["):
                self.refuse("unreadable", f"{_name(self.path)} holds a list, not lines of objects", hint=JSON_LINES)
            row = _object(line)
            if row is None:
                bad.append(number)
            else:
                kept = {}
                for name, value in row.items():
                    if name in known or self._is_wanted(name):
                        known.add(name)
                        kept[name] = value
                rows.append(kept)
            if len(rows) + len(bad) >= RUN:
                yield _of_dicts(rows, bad)
                rows, bad = [], []
        if rows or bad:
            yield _of_dicts(rows, bad)

    def _csv(self, file: BinaryIO) -> Iterator[Rows]:
        lines = self._lines(file)
        head = next(lines, "")
        if head and not head.strip():
            hint = "the first line holds the names of the columns"
            self.refuse("unreadable", f"the first line of {_name(self.path)} is blank", hint=hint)
        sign = ";" if ";" in head and "," not in head else ","
        try:
            names = [name.strip() for name in next(csv.reader([head], delimiter=sign), [])]
        except csv.Error as error:
            self.refuse("unreadable", f"{_name(self.path)} is no CSV file: {error}")
        if len(set(names)) < len(names):
            self.refuse("unreadable", f"{_name(self.path)} has two columns of one name")
        kept = [(place, name) for place, name in enumerate(names) if self._is_wanted(name)]
        cells: dict[str, list[Any]] = {name: [] for _, name in kept}
        count, bad = 0, list[int]()
        for row, of in _records(csv.reader(lines, delimiter=sign, strict=True)):
            # A quote that is open swallows lines: none of them is a row, and all of them count.
            if len(row) != len(names) or (len(of) > 1 and any("\n" in row[place] for place, _ in kept)):
                bad += of
            else:
                count += 1
                for place, name in kept:
                    cells[name].append(row[place])
            if count + len(bad) >= RUN:
                yield Rows(columns=cells, count=count, unreadable=tuple(bad))
                cells, count, bad = {name: [] for _, name in kept}, 0, []
        yield Rows(columns=cells, count=count, unreadable=tuple(bad))

    # -- Parquet -------------------------------------------------------------------------------------

    def _parquet(self, whole: BinaryIO) -> Iterator[Rows]:
        arrow, parquet = pyarrow()
        try:
            schema = parquet.read_schema(whole)
            if len(set(schema.names)) < len(schema.names):
                self.refuse("unreadable", f"{_name(self.path)} has two columns of one name")
            names = [name for name in schema.names if self._is_wanted(name)]
            self.about = _about(schema)
            # Texts stay dictionaries: one long text that many rows share is unpacked once.
            texts = [one.name for one in schema if one.name in names and _is_text(arrow, one.type)]
            file = parquet.ParquetFile(whole, read_dictionary=texts)
            self._check_unpacked(file.metadata, set(names))
            for batch in file.iter_batches(batch_size=RUN, columns=names):
                columns = {
                    name: self._column(arrow, name, batch.column(k)) for k, name in enumerate(batch.schema.names)
                }
                yield Rows(columns=columns, count=batch.num_rows)
        except QueryError:
            raise
        except Exception as error:  # a hostile file can fail in any way
            self.refuse("unreadable", f"{_name(self.path)} is no whole Parquet file: {_brief(error)}")

    def _check_unpacked(self, metadata: Any, names: set[str]) -> None:
        size = 0
        for group in map(metadata.row_group, range(metadata.num_row_groups)):
            for column in map(group.column, range(group.num_columns)):
                if column.path_in_schema.partition(".")[0] in names:
                    size += column.total_uncompressed_size
        if size > MOST_BYTES:
            most = f"at most {size_text(MOST_BYTES)}"
            self.refuse("too-large", f"the columns of {_name(self.path)} take {size_text(size)} unpacked", most)

    def _column(self, arrow: Any, name: str, column: Any) -> Column:
        kind = column.type
        is_integer = arrow.types.is_integer(kind)
        if is_integer or arrow.types.is_floating(kind) or arrow.types.is_decimal(kind):
            empty = column.is_null().to_numpy(zero_copy_only=False)
            numbers = column.fill_null(0) if is_integer else column.cast(arrow.float64(), safe=False)
            return Numbers(numbers.to_numpy(zero_copy_only=False), np.asarray(empty, dtype=bool))
        if arrow.types.is_dictionary(kind) and _is_text(arrow, kind.value_type):
            texts = column.dictionary.to_pylist()
            if any(text is not None and len(text) > MOST_LINE for text in texts):
                self.refuse("too-large", f"column {name[:100]} of {_name(self.path)} holds too long a text")
            return [None if code is None else texts[code] for code in column.indices.to_pylist()]
        if arrow.types.is_null(kind):
            return [None] * len(column)
        if arrow.types.is_boolean(kind):
            found: list[Any] = column.to_pylist()
            return found
        self.refuse("column", f"column {name[:100]} of {_name(self.path)} holds {str(kind)[:60]}", "numbers or texts")


def _is_text(arrow: Any, kind: Any) -> bool:
    if arrow.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(arrow.types.is_string(kind) or arrow.types.is_large_string(kind))


def _about(schema: Any) -> Mapping[str, Any]:
    """What a Parquet file of a data set says of itself."""
    try:
        found = json.loads((schema.metadata or {}).get(KEY, b"{}")[:MOST_LINE])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _records(reader: Any) -> Iterator[tuple[list[str], range]]:
    """The records of a CSV file below its head with the lines they take; without cells if they cannot be read."""
    while True:
        before = reader.line_num + 2
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield [], range(before, reader.line_num + 2)
            continue
        if row:
            yield row, range(before, reader.line_num + 2)


def _object(line: str) -> dict[str, Any] | None:
    """The object on a line; None where there is none, or one with a name twice."""
    try:
        found = json.loads(line, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _of_dicts(rows: list[dict[str, Any]], bad: list[int]) -> Rows:
    names = dict.fromkeys(name for row in rows for name in row)
    columns: dict[str, Column] = {name: [row.get(name) for row in rows] for name in names}
    return Rows(columns=columns, count=len(rows), unreadable=tuple(bad))


def _name(path: Path) -> str:
    return str(path)[:200]


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:150]
