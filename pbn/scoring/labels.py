"""The labels of a data set: what came out in each case of a truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from pbn.cases.records import ID, LEVEL, ROW
from pbn.errors import listing
from pbn.scores.inputs import Array
from pbn.scoring.cells import refuse, texts
from pbn.scoring.files import TableFile

LABEL = "label_"


def read_labels(paths: Sequence[Path], place: Mapping[str, int]) -> dict[str, dict[int, str]]:
    """Question → place of a case → its label; a case may stand there twice if it says the same.

    Raises
    ------
    QueryError
        ``truth/labels``: a file is none of labels; ``truth/duplicate``: a case has two labels.
    """
    found: dict[str, dict[int, str]] = {}
    for path in paths:
        file = TableFile(path, lambda name: name in (ID, LEVEL, ROW) or name.startswith(LABEL), "truth")
        for run in file.runs():
            if run.unreadable or ID not in run.columns:
                refuse("labels", f"{str(path)[:200]} is no file of labels", "no column id, or a line that is no row")
            ids = texts(run.columns[ID], ID, path)
            places = [place.get(name, -1) for name in ids]
            for name, column in run.columns.items():
                if not name.startswith(LABEL):
                    continue
                labels = found.setdefault(name.removeprefix(LABEL), {})
                for at, k, label in zip(range(run.count), places, texts(column, name, path), strict=True):
                    if k >= 0 and labels.setdefault(k, label) != label:
                        message = f"the labels have case {ids[at][:100]} twice, with two outcomes"
                        two = f"{name[:100]} {labels[k][:60]!r} and {label[:60]!r}"
                        refuse("duplicate", message, two, hint="keep the one row that was drawn")
    return found


def label_codes(name: str, states: Sequence[str], read: Mapping[str, Mapping[int, str]], ids: Sequence[str]) -> Array:
    """The label of each case of a question as a position in its states."""
    labels = read.get(name, {})
    if len(labels) < len(ids):
        first = next(case for k, case in enumerate(ids) if k not in labels)
        message = f"the labels lack {len(ids) - len(labels):,} of {len(ids):,} cases of question {name[:100]}"
        refuse("labels", message, f"none for {first}", hint="give the data set's own labels")
    codes = {state: k for k, state in enumerate(states)}
    other = next((label for label in labels.values() if label not in codes), None)
    if other is not None:
        refuse("labels", f"a label of {name[:100]} is no state of it", other[:100], listing(states))
    return np.array([codes[labels[k]] for k in range(len(ids))], dtype=np.intp)
