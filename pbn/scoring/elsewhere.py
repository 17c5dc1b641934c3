"""Where a case is that was not asked for, so that an error can say it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pbn.cases.records import ID, LEVEL, ROW
from pbn.scoring.cells import texts, whole_numbers
from pbn.scoring.files import TableFile

MOST_IDS = 1000


def found_elsewhere(paths: Sequence[Path], ids: Sequence[str]) -> str | None:
    """What a truth's files say of the first case that has one of the identifiers; None where they have none."""
    wanted = set(ids[:MOST_IDS])
    for path in paths:
        for run in TableFile(path, lambda name: name in (ID, LEVEL, ROW), "truth").runs():
            names = texts(run.columns[ID], ID, path)
            at = next((k for k, name in enumerate(names) if name in wanted), None)
            if at is not None:
                level = texts(run.columns[LEVEL], LEVEL, path)[at]
                row = whole_numbers(run.columns[ROW], ROW, path)[at]
                return f"{names[at]} is row {row} of level {level}: give the --rows and --level of the predictions"
    return None
