"""Runs of rows cut out of the files of a data set, with the seed beside each label and truth."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbn.cases.formats import KEY, Format, pyarrow
from pbn.cases.layout import Piece
from pbn.cases.records import LEVEL, ROW

SEED = "seed"


@dataclass(frozen=True, kw_only=True)
class Sliced:
    """The content of one file of a data set, from which pieces are cut.

    Raises
    ------
    ValueError
        The file does not hold the columns or the number of rows that it should.
    """

    data: bytes
    form: Format
    columns: Sequence[str]

    def pieces(self, pieces: Sequence[Piece], about: Mapping[str, object]) -> Iterator[tuple[Piece, bytes]]:
        """The bytes of each piece; ``about`` goes into the metadata of a Parquet file besides what stands there."""
        if not pieces:
            return
        if self.form == "parquet":
            yield from self._parquet(pieces, about)
        else:
            yield from self._lines(pieces)

    def _parquet(self, pieces: Sequence[Piece], about: Mapping[str, object]) -> Iterator[tuple[Piece, bytes]]:
        arrow, parquet = pyarrow()
        try:
            table = parquet.read_table(io.BytesIO(self.data))
        except (arrow.ArrowException, OSError) as error:
            raise ValueError(f"is no whole Parquet file ({str(error)[:100]})") from None
        self._check(table.column_names, table.num_rows, pieces[0])
        said = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
        coded = [one.name for one in table.schema if arrow.types.is_dictionary(one.type)]
        # Dictionaries stay in the file but not in its schema: widely used readers refuse columns of that type.
        plain = [arrow.field(one.name, arrow.string() if one.name in coded else one.type) for one in table.schema]
        for piece in pieces:
            found = _rows(table, piece).cast(arrow.schema(plain))
            if piece.kind != "cases":
                seeds = arrow.array([piece.seed] * found.num_rows, type=arrow.int64())
                found = found.add_column(found.column_names.index(LEVEL) + 1, SEED, seeds)
            here = {**said, "rows": [piece.start, piece.stop], "split": piece.split, **about}
            named = {KEY: json.dumps(here, ensure_ascii=True, sort_keys=True).encode()}
            sink = arrow.BufferOutputStream()
            made = found.combine_chunks().replace_schema_metadata(named)
            parquet.write_table(made, sink, compression="zstd", use_dictionary=coded, write_statistics=False)
            yield piece, sink.getvalue().to_pybytes()

    def _lines(self, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, bytes]]:
        lines = self.data.split(b"\n")[:-1]
        try:
            first = json.loads(lines[0]) if lines else {}
            self._check(list(first), len(lines), pieces[0])
            rows = None if pieces[0].kind == "cases" else [json.loads(line) for line in lines]
        except (ValueError, TypeError) as error:
            raise ValueError(f"is no whole file of JSON Lines ({str(error)[:100]})") from None
        for piece in pieces:
            if rows is None:
                begin = piece.start - piece.entry["start"]
                kept = lines[begin : begin + piece.rows]
            else:
                kept = [_line(row, piece.seed) for row in rows if piece.start <= row[ROW] < piece.stop]
            yield piece, b"".join(line + b"\n" for line in kept)

    def _check(self, columns: Sequence[str], rows: int, piece: Piece) -> None:
        if list(columns) != list(self.columns):
            wrong = sorted(set(columns) ^ set(self.columns))
            raise ValueError(f"has other columns than it should ({', '.join(wrong[:5]) or 'in another order'})")
        if rows != piece.entry["rows"]:
            raise ValueError(f"has {rows:,} rows, the manifest says {piece.entry['rows']:,}")


def _rows(table: Any, piece: Piece) -> Any:
    """The rows of a piece: a slice of the cases; of labels and truth, those of every level."""
    if piece.kind == "cases":
        return table.slice(piece.start - piece.entry["start"], piece.rows)
    import pyarrow.compute as compute

    row = table.column(ROW)
    return table.filter(compute.and_(compute.greater_equal(row, piece.start), compute.less(row, piece.stop)))


def _line(row: Mapping[str, Any], seed: int) -> bytes:
    """A line of labels or truth, as data sets write them, with the seed after the level."""
    told: dict[str, Any] = {}
    for name, value in row.items():
        told[name] = value
        if name == LEVEL:
            told[SEED] = seed
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
