"""Where the rows of data sets go in a published folder: a configuration for each level, a split for each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pbn.cases.protocol import POOL, TEST
from pbn.cases.records import Kind
from pbn.cases.sources import Source

SPLITS: Mapping[str, tuple[int, int | None]] = {"train": POOL, "test": TEST, "further": (TEST[1], None)}
"""Split → its rows, from and up to but not with: the protocol's pool, its test rows, and all rows after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A published file: a run of rows of one split, out of one file of a data set.

    ``source`` is the position of the data set; ``entry`` is what its manifest says of the file.
    """

    path: str
    config: str
    world: str
    kind: Kind
    level: str | None
    split: str
    seed: int
    start: int
    stop: int
    rows: int
    source: int
    entry: Mapping[str, Any]


def split_runs(start: int, stop: int) -> Iterator[tuple[str, int, int]]:
    """Rows ``start`` to ``stop`` − 1 cut into runs of one split: each row is in the split that its number says.

    Examples
    --------
    >>> list(split_runs(0, 1500))
    [('train', 0, 1000), ('test', 1000, 1500)]
    >>> list(split_runs(990, 20_000))
    [('train', 990, 1000), ('test', 1000, 1500), ('further', 1500, 20000)]
    """
    for split, (first, after) in SPLITS.items():
        begin, end = max(start, first), stop if after is None else min(stop, after)
        if begin < end:
            yield split, begin, end


def config_name(world: str, kind: Kind, level: str | None) -> str:
    """Name of a configuration: ``credit_risk-low``, ``credit_risk-labels``, ``credit_risk-truth``."""
    return f"{world}-{level if kind == 'cases' else kind}"


def lay_out(sources: Sequence[Source]) -> list[Piece]:
    """All files of a publication, in the order in which data sets list theirs."""
    pieces: list[Piece] = []
    numbers: Counter[tuple[str, str, int]] = Counter()
    for position, source in enumerate(sources):
        for entry in source.entries:
            config = config_name(source.name, entry["kind"], entry["level"])
            many = 1 if entry["kind"] == "cases" else len(source.plan.contents.levels)
            for split, start, stop in split_runs(entry["start"], entry["stop"]):
                number = numbers[config, split, source.seed]
                numbers[config, split, source.seed] += 1
                pieces.append(
                    Piece(
                        path=f"data/{config}/{split}-seed-{source.seed}-{number:05d}.{source.plan.form}",
                        config=config, world=source.name, kind=entry["kind"], level=entry["level"], split=split,
                        seed=source.seed, start=start, stop=stop, rows=(stop - start) * many, source=position,
                        entry=entry,
                    )
                )  # fmt: skip
    return pieces


def configs(pieces: Iterable[Piece]) -> dict[str, dict[str, str]]:
    """Configuration → split → the glob of its files; configurations by world, splits in the order of `SPLITS`."""
    found: dict[str, dict[str, str]] = {}
    for piece in sorted(pieces, key=lambda one: (one.world, list(SPLITS).index(one.split))):
        suffix = piece.path.rpartition(".")[2]
        found.setdefault(piece.config, {})[piece.split] = f"data/{piece.config}/{piece.split}-*.{suffix}"
    return found
