"""What a data set will hold, and into which parts and files it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbn.cases.formats import Format
from pbn.cases.protocol import splits
from pbn.cases.records import Contents, Kind, Records
from pbn.cases.stream import checked_rows, checked_seed
from pbn.cases.work import Part, made_with
from pbn.errors import Fault, QueryError
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.loading import loads

FORMAT = "pbn data set 1"
PART_ROWS = 50_000
"""Rows of one part, unless told otherwise: each of its files takes some megabytes."""
MOST_PART_ROWS = 1_000_000
"""Rows of one part, at most: a worker holds them all."""
MOST_PARTS = 100_000


@dataclass(frozen=True, kw_only=True)
class DatasetPlan:
    """What a data set will hold; the same plan gives the same bytes, whoever makes them.

    ``source`` is the text of the world file. Rows run from ``start`` to ``stop`` − 1. ``budget`` is the memory that
    the table of a level's exact answers may take; it decides nothing else.

    Raises
    ------
    QueryError
        No such seed or rows, no level, or too many parts.
    """

    source: str
    seed: int
    start: int
    stop: int
    contents: Contents
    form: Format = "parquet"
    part_rows: int = PART_ROWS
    budget: int = DEFAULT_BUDGET

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        checked_rows(self.start, self.stop)
        if self.start == self.stop:
            raise QueryError(Fault(code="cases/row", message="a data set has at least one row"))
        if not 1 <= self.part_rows <= MOST_PART_ROWS:
            allowed = f"1 to {MOST_PART_ROWS:,}"
            message = f"a part cannot have {self.part_rows:,} rows"
            raise QueryError(Fault(code="cases/part-rows", message=message, allowed=allowed))
        if self.part_count > MOST_PARTS:
            least = -(-(self.stop - self.start) // MOST_PARTS)
            hint = f"give --part-rows {least:_} or more" if least <= MOST_PART_ROWS else "draw fewer rows"
            message = f"these would be {self.part_count:,} parts"
            raise QueryError(
                Fault(code="cases/part-rows", message=message, allowed=f"at most {MOST_PARTS:,} parts", hint=hint)
            )
        if not self.contents.levels:
            raise QueryError(Fault(code="cases/level", message="a data set has at least one level"))

    @cached_property
    def records(self) -> Records:
        """The tables of the data set; raises here what is wrong with the world or the contents."""
        return Records(loads(self.source, budget=self.budget), self.seed, self.contents)

    @property
    def part_count(self) -> int:
        """Into how many parts the rows are cut."""
        return -(-(self.stop - self.start) // self.part_rows)

    def file_name(self, kind: Kind, level: str | None, number: int) -> str:
        """The path of a file in the data set: one file, or a folder of parts by the same name."""
        name = f"{kind}-{level}.{self.form}" if level is not None else f"{kind}.{self.form}"
        return name if self.part_count == 1 else f"{name}/part-{number:05d}.{self.form}"

    def part(self, number: int) -> Part:
        """One part of the work."""
        start = self.start + number * self.part_rows
        kinds: list[tuple[Kind, str | None]] = [("cases", level) for level in self.contents.levels]
        kinds += [("labels", None), ("truth", None)]
        return Part(
            number=number,
            start=start,
            stop=min(start + self.part_rows, self.stop),
            source=self.source,
            seed=self.seed,
            contents=self.contents,
            form=self.form,
            names=tuple((kind, level, self.file_name(kind, level, number)) for kind, level in kinds),
            made_with=made_with(self.form),
            budget=self.budget,
        )

    @cached_property
    def head(self) -> dict[str, Any]:
        """What the manifest says of the data set as a whole."""
        world = self.records.world
        assert world.spec is not None
        return {
            "format": FORMAT,
            "world": world.name,
            "title": world.title,
            "world_digest": world.spec.digest,
            "law_digest": world.spec.law_digest,
            "seed": self.seed,
            "rows": [self.start, self.stop],
            "levels": list(self.contents.levels),
            "memo": self.contents.memo,
            "question": self.contents.question,
            "file_format": self.form,
            "part_rows": self.part_rows,
            "splits": {name: list(run) for name, run in splits(self.start, self.stop).items()},
            "made_with": made_with(self.form),
        }


def expected_entry(part: Part, kind: Kind, level: str | None, path: str) -> dict[str, Any]:
    """What the manifest says of a file of a part, but for its bytes and their digest."""
    rows = part.stop - part.start
    rows *= len(part.contents.levels) if kind != "cases" else 1
    return {"path": path, "kind": kind, "level": level, "start": part.start, "stop": part.stop, "rows": rows}
