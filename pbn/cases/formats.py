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


def encode(table: Table, form: Format, about: Mapping[str, object]) -> bytes:
    """The bytes of a table; the same table gives the same bytes.

    ``about`` goes into the metadata of a Parquet file; JSON Lines have no place for it.

    Raises
    ------
    QueryError
        ``cases/extra``: Parquet needs pyarrow, which is not installed.
    """
    return _parquet(table, about) if form == "parquet" else "".join(_lines(table)).encode()


def decode(data: bytes, form: Format) -> dict[str, list[Any]]:
    """The columns of a file's bytes as plain values.

    Raises
    ------
    ValueError
        The bytes are no such file, or are cut.
    """
    if form == "jsonl":
        rows: list[dict[str, Any]] = [json.loads(line) for line in data.decode().split("\n") if line]
        return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    arrow, parquet = pyarrow()
    try:
        table = parquet.read_table(io.BytesIO(data))
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(str(error)) from None
    return {name: table.column(name).to_pylist() for name in table.column_names}


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
    for row in zip(*(values(column) for column in table.values()), strict=True):
        yield json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, separators=(",", ":")) + "\n"
