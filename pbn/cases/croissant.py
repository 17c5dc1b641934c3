"""The Croissant description of a publication: its files, their digests, and typed fields for every column."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbn.cases.columns import ColumnType, Described, described
from pbn.cases.layout import SPLITS, Piece, configs
from pbn.cases.sources import Source
from pbn.cases.terms import Terms
from pbn.cases.wording import citation, summary, title_of
from pbn.errors import Fault, QueryError

CONFORMS_TO = "http://mlcommons.org/croissant/1.1"
FORMATS: Mapping[str, str] = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}
SPLIT = "split"


def mlcroissant() -> Any:
    """The module ``mlcroissant``.

    Raises
    ------
    QueryError
        ``cases/extra``: it is not installed.
    """
    try:
        import mlcroissant
    except ImportError:
        message = "a Croissant description needs mlcroissant, which is not installed"
        raise QueryError(Fault(code="cases/extra", message=message, hint="pip install 'pbn[data]'")) from None
    return mlcroissant


def croissant(
    sources: Sequence[Source], terms: Terms, pieces: Sequence[Piece], files: Sequence[Mapping[str, Any]]
) -> str:
    """The text of ``croissant.json``.

    Parameters
    ----------
    files
        Path, bytes and SHA-256 of every file of data and every world file.

    Raises
    ------
    QueryError
        ``cases/extra``: mlcroissant is not installed.
    """
    mlc = mlcroissant()
    laid = configs(pieces)
    first = {piece.config: piece for piece in reversed(pieces)}
    record_sets = [_split_set(mlc, {piece.split for piece in pieces})]
    record_sets += [_record_set(mlc, sources, first[name]) for name in laid]
    metadata = mlc.Metadata(
        ctx=mlc.Context(conforms_to=CONFORMS_TO, is_live_dataset=False),
        name="-".join(dict.fromkeys(source.name for source in sources)),
        description=summary(sources),
        conforms_to=[CONFORMS_TO],
        license=[terms.data_licence.url],
        cite_as=citation(sources, terms),
        creators=[mlc.Organization(name=terms.creator)] if terms.creator else [],
        date_published=datetime.datetime.fromisoformat(terms.date) if terms.date else None,
        url=terms.url,
        version=terms.version,
        in_language=[terms.language],
        keywords=["probability", "calibration", "Bayes error", "synthetic data"],
        distribution=[*(_file(mlc, file) for file in files), *(_file_set(mlc, name, laid[name]) for name in laid)],
        record_sets=record_sets,
    )
    found: dict[str, Any] = metadata.to_json()
    found["isLiveDataset"] = False
    found["alternateName"] = title_of(sources, terms)
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _file(mlc: Any, file: Mapping[str, Any]) -> Any:
    return mlc.FileObject(
        id=file["path"],
        name=file["path"],
        content_url=file["path"],
        content_size=f"{file['bytes']} B",
        encoding_formats=[FORMATS.get(file["path"].rpartition(".")[2], "application/yaml")],
        sha256=file["sha256"],
    )


def _file_set(mlc: Any, config: str, splits: Mapping[str, str]) -> Any:
    suffix = next(iter(splits.values())).rpartition(".")[2]
    return mlc.FileSet(
        id=f"files-{config}",
        name=f"files-{config}",
        description=f"All files of {config}",
        includes=list(splits.values()),
        encoding_formats=[FORMATS[suffix]],
    )


def _split_set(mlc: Any, used: set[str]) -> Any:
    """The record set that says what the splits are."""
    fields = [
        mlc.Field(id="splits/name", name="name", data_types=mlc.DataType.TEXT),
        mlc.Field(id="splits/rows", name="rows", data_types=mlc.DataType.TEXT),
    ]
    data = [
        {"splits/name": name, "splits/rows": f"{first} to {after - 1}" if after else f"{first} and after"}
        for name, (first, after) in SPLITS.items()
        if name in used
    ]
    return mlc.RecordSet(
        id="splits",
        name="splits",
        data_types=["http://mlcommons.org/croissant/Split"],
        key=["splits/name"],
        fields=fields,
        data=data,
        description="The splits: which rows of a seed's draw each holds",
    )


def _record_set(mlc: Any, sources: Sequence[Source], piece: Piece) -> Any:
    config, files = piece.config, f"files-{piece.config}"
    columns = described(sources[piece.source], piece.kind, piece.level)
    # Readers apply it to the path and, once more after the join, to what it found.
    expression = rf"^(?:.*/)?({'|'.join(SPLITS)})(?:-seed-[^/]*)?$"
    source = mlc.Source(
        file_set=files,
        extract=mlc.Extract(file_property=mlc.FileProperty.fullpath),
        transforms=[mlc.Transform(regex=expression)],
    )
    split = mlc.Field(
        id=f"{config}/{SPLIT}",
        name=SPLIT,
        description="The split, by the number of the row",
        data_types=mlc.DataType.TEXT,
        references=mlc.Source(field="splits/name"),
        source=source,
    )
    return mlc.RecordSet(
        id=config,
        name=config,
        key=[f"{config}/id"],
        description=_said(piece),
        fields=[split, *_fields(mlc, config, files, columns)],
    )


def _fields(mlc: Any, config: str, files: str, columns: Sequence[Described]) -> Iterator[Any]:
    for column in columns:
        yield mlc.Field(
            id=f"{config}/{re.sub(r'[^A-Za-z0-9_-]', '_', column.name)}",
            name=column.name,
            description=column.text + (f" ({column.values})" if column.values else ""),
            data_types=_data_type(mlc, column.type),
            source=mlc.Source(file_set=files, extract=mlc.Extract(column=column.name)),
        )


def _data_type(mlc: Any, kind: ColumnType) -> Any:
    types = mlc.DataType
    return {"text": types.TEXT, "int32": types.INT32, "int64": types.INT64, "float64": types.FLOAT64}[kind]


def _said(piece: Piece) -> str:
    if piece.kind == "cases":
        return f"What a model may see of the cases of {piece.world} at level {piece.level}"
    what = "The outcomes" if piece.kind == "labels" else "P(Y | what the level shows) and all that is hidden"
    return f"{what}, for each case of {piece.world} at each level; joined by id"
