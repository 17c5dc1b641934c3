"""Tables as bytes: Parquet, whose columns have types, and JSON Lines."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

import numpy as np

from pbn.cases.records import Column, States, Table
from pbn.errors import Fault, QueryError

Format = Literal["parquet", "jsonl"]
FORMATS: tuple[Format, ...] = get_args(Format)
KEY = b"pbn"
"""Where a Parquet file's own metadata says what it holds."""

_BREAKS = {code: f"\\u{code:04x}" for code in (0x85, 0x2028, 0x2029)}
"""What some readers take for the end of a line: always written as an escape."""


def encode(table: Table, form: Format, about: Mapping[str, object]) -> bytes:
    """The bytes of a table; the same table gives the same bytes under the same version of pyarrow.

    ``about`` goes into the metadata of a Parquet file; JSON Lines have no place for it.

    Raises
    ------
    QueryError
        ``cases/extra``: Parquet needs pyarrow, which is not installed.
    """
    return _parquet(table, about) if form == "parquet" else "".join(_lines(table)).encode()


def decode(data: bytes, form: Format, rows: int) -> tuple[dict[str, list[Any]], object]:
    """The columns of a file of so many rows as plain values, and what a Parquet file's metadata say of it.

    Raises
    ------
    ValueError
        The bytes are no such file, are cut, or hold another number of rows.
    """
    return _lines_columns(data, rows) if form == "jsonl" else _parquet_columns(data, rows)


def _parquet_columns(data: bytes, rows: int) -> tuple[dict[str, list[Any]], object]:
    _, parquet = pyarrow()
    try:
        file = parquet.ParquetFile(io.BytesIO(data))
        _check_rows(file.metadata.num_rows, rows)
        table = file.read()
        columns = {name: table.column(k).to_pylist() for k, name in enumerate(table.column_names)}
        about = json.loads((table.schema.metadata or {}).get(KEY, b"null"))
    except Exception as error:  # a hostile file can fail in any way
        raise ValueError(f"is no whole Parquet file ({_brief(error)})") from None
    if len(columns) != table.num_columns:
        raise ValueError("has two columns of one name")
    return columns, about


def _lines_columns(data: bytes, rows: int) -> tuple[dict[str, list[Any]], object]:
    try:
        found = [json.loads(line, object_pairs_hook=tuple) for line in data.decode().split("\n")[:-1]]
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is no whole file of JSON Lines ({_brief(error)})") from None
    _check_rows(len(found), rows)
    names = [name for name, _ in found[0]] if found and isinstance(found[0], tuple) else []
    if not data.endswith(b"\n") or len(set(names)) != len(names):
        raise ValueError("is no whole file of JSON Lines")
    for k, row in enumerate(found):
        if not isinstance(row, tuple) or [name for name, _ in row] != names:
            raise ValueError(f"has other columns in row {k}")
    return {name: [row[k][1] for row in found] for k, name in enumerate(names)}, None


def _check_rows(found: int, expected: int) -> None:
    if found != expected:
        raise ValueError(f"has {found:,} rows, should have {expected:,}")


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())[:100]


def values(column: Column) -> list[Any]:
    """A column as plain values."""
    if isinstance(column, list):
        return column
    array = np.array(column.states, dtype=object)[column.codes] if isinstance(column, States) else column
    found: list[Any] = array.tolist()
    return found


def pyarrow() -> tuple[Any, Any]:
    """The modules ``pyarrow`` and ``pyarrow.parquet``.

    Raises
    ------
    QueryError
        ``cases/extra``: they are not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise QueryError(
            Fault(
                code="cases/extra",
                message="Parquet files need pyarrow, which is not installed",
                hint="pip install 'pbn[data]', or write JSON Lines (--format jsonl)",
            )
        ) from None
    return pyarrow, pyarrow.parquet


def _parquet(table: Table, about: Mapping[str, object]) -> bytes:
    arrow, parquet = pyarrow()
    columns = {name: _arrow(column) for name, column in table.items()}
    said = {KEY: json.dumps(about, ensure_ascii=True, sort_keys=True).encode()}
    made = arrow.table(columns).replace_schema_metadata(said)
    coded = [name for name, column in table.items() if isinstance(column, States)]
    sink = arrow.BufferOutputStream()
    parquet.write_table(made, sink, compression="zstd", use_dictionary=coded, write_statistics=False)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _arrow(column: Column) -> Any:
    arrow, _ = pyarrow()
    if isinstance(column, States):
        codes = column.codes.astype(np.int32, copy=False)
        return arrow.DictionaryArray.from_arrays(arrow.array(codes), arrow.array(column.states, type=arrow.string()))
    return arrow.array(column, type=arrow.large_string()) if isinstance(column, list) else arrow.array(column)


def _lines(table: Table) -> Iterator[str]:
    names = list(table)
    write = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    for row in zip(*(values(column) for column in table.values()), strict=True):
        yield write(dict(zip(names, row, strict=True))).translate(_BREAKS) + "\n"
