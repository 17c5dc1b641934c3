"""The truth of a data set, and its labels: what predictions are held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from pbn.cases.manifest import MANIFEST, read_json
from pbn.cases.records import ID, LEVEL, ROW
from pbn.cases.stream import MAX_ROW, MAX_SEED
from pbn.errors import Fault, PbnError, QueryError, listing, nearest
from pbn.regular import open_regular
from pbn.scores.inputs import SUM_TOLERANCE, Array
from pbn.scoring.cells import numbers, refuse, texts, whole_numbers
from pbn.scoring.files import Column, TableFile
from pbn.scoring.labels import LABEL, label_codes, read_labels
from pbn.scoring.layout import FileSet, label_files, truth_files

MOST_ROWS = 2_000_000
"""Cases of a truth that are held at once; a run of rows can be taken out of any larger one."""
SEED = "seed"
Draw = tuple[str, int, int]
"""Law, seed and row: the draw behind a case's label."""
WHICH = "--truth names the truth file of pbn sample, or the folder of the data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as a truth file says it: its states in their order, and the one that counts as positive."""

    name: str
    states: tuple[str, ...]
    positive: str

    @property
    def place(self) -> int:
        """Position of the positive state."""
        return self.states.index(self.positive)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Truth:
    """Cases with their true probabilities: ``probs[question]`` is (n, K); labels are None where there are none.

    ``level`` holds positions in ``levels``. ``draws`` name the draw behind each case's label: law, seed and row.
    ``world`` is the world file beside the truth. ``left_out`` are the files that hold cases besides those asked for.
    """

    ids: Sequence[str]
    level: Array
    levels: tuple[str, ...]
    row: Array
    questions: Mapping[str, Asked]
    probs: Mapping[str, Array]
    labels: Mapping[str, Array] | None
    draws: Sequence[Draw] | None
    notes: tuple[str, ...] = ()
    world: Path | None = None
    left_out: tuple[Path, ...] = ()

    def asked(self, name: str | None) -> Asked:
        """The question of a name; without one, the only question.

        Raises
        ------
        QueryError
            There is none, or several.
        """
        if name is None:
            if len(self.questions) > 1:
                message = "the truth is of several questions, and the predictions do not say which they answer"
                hint = "give --question, or a column question"
                raise QueryError(
                    Fault(code="predictions/question", message=message, allowed=listing(self.questions), hint=hint)
                )
            return next(iter(self.questions.values()))
        if name not in self.questions:
            message, allowed = f"there is no question {name[:100]!r}", listing(self.questions)
            near = nearest(name, self.questions)
            raise QueryError(Fault(code="truth/question", message=message, allowed=allowed, hint=near))
        return self.questions[name]


def read_truth(
    path: Path,
    *,
    labels: Path | None = None,
    rows: tuple[int, int] | None = None,
    level: str | None = None,
) -> Truth:
    """The truth in a file, a folder of parts or a data set, with the labels that lie beside it.

    Parameters
    ----------
    path
        A truth file of `pbn sample` or `pbn publish`, a folder of its parts, or the folder of a data set.
    labels
        Where the labels are, if not beside the truth.
    rows
        Only rows from the first number up to but not with the second.
    level
        Only this level.

    Raises
    ------
    QueryError
        ``truth/…``: there is no such truth, it is too large, or what it says cannot be.

    Examples
    --------
    >>> import pbn, tempfile
    >>> from pbn.cases.dataset import make_dataset
    >>> from pbn.cases.plan import DatasetPlan
    >>> from pbn.cases.records import Contents
    >>> plan = DatasetPlan(source=pbn.shipped_worlds()["credit_risk"].read_text(), seed=1, start=0, stop=20,
    ...                    form="jsonl", contents=Contents(levels=("high",), memo=False))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_dataset(plan, Path(folder, "data"))
    ...     truth = read_truth(Path(folder, "data"), rows=(5, 15))
    >>> len(truth.ids), truth.levels, truth.questions["default"].positive, truth.labels["default"].tolist()
    (10, ('high',), 'yes', [0, 0, 0, 0, 0, 0, 0, 1, 0, 0])
    """
    files = truth_files(path)
    reading = _Reading(rows, level)
    for file in files.paths:
        reading.take(TableFile(file, lambda name: name in (ID, LEVEL, ROW, SEED) or name.startswith("p_"), "truth"))
    if not reading.ids:
        _refuse_empty(path, reading)
    place = {name: k for k, name in enumerate(reading.ids)}
    if len(place) < len(reading.ids):
        refuse("duplicate", "the truth has a case twice", _twice(reading.ids))
    label_paths = label_files(files) if labels is None else truth_files(labels, "labels").paths
    read = read_labels(label_paths, place) if label_paths else {}
    questions, notes = _questions(files, list(reading.probs), list(read))
    probs = {name: _law(asked, reading.probs) for name, asked in questions.items()}
    outcomes = {}
    if label_paths:
        outcomes = {name: label_codes(name, asked.states, read, reading.ids) for name, asked in questions.items()}
    else:
        notes.append("no labels were found beside the truth: realized scores are left out (--labels names a file)")
    return Truth(
        ids=reading.ids,
        level=np.array(reading.level, dtype=np.int32),
        levels=tuple(reading.levels),
        row=np.concatenate(reading.row),
        questions=questions,
        probs=probs,
        labels=outcomes if label_paths else None,
        draws=_draws(files, reading),
        left_out=files.paths if rows is not None or level is not None else (),
        notes=tuple(notes),
        world=files.world,
    )


class _Reading:
    """What has been read of the files of a truth so far."""

    def __init__(self, rows: tuple[int, int] | None, level: str | None) -> None:
        self.rows, self.only = rows, level
        self.ids: list[str] = []
        self.level: list[int] = []
        self.levels: dict[str, int] = {}
        self.row: list[Array] = []
        self.seed: list[Any] = []
        self.law: list[Any] = []
        self.file: list[Path] = []
        self.parts: dict[str, list[Array]] = {}
        self.columns: list[str] | None = None
        self.held: dict[str, None] = {}
        self.ends: tuple[int, int] | None = None

    @property
    def probs(self) -> dict[str, Array]:
        """The columns of probabilities, whole."""
        return {name: np.concatenate(parts) for name, parts in self.parts.items()}

    def take(self, file: TableFile) -> None:
        """Read one file on."""
        for run in file.runs():
            if run.unreadable:
                refuse("unreadable", f"line {run.unreadable[0]} of {file.path} is no row of a truth")
            columns = run.columns
            for name in (ID, LEVEL, ROW):
                if name not in columns:
                    refuse("column", f"{str(file.path)[:200]} has no column {name}", hint=WHICH)
            probs = [name for name in columns if name.startswith("p_")]
            if not probs:
                what = "is a file of labels" if any(name.startswith(LABEL) for name in file.others) else "is no truth"
                message = f"{str(file.path)[:200]} {what}: it has no column of probabilities, p_QUESTION_STATE"
                refuse("column", message, hint=WHICH)
            if self.columns is not None and probs != self.columns:
                refuse("column", f"{str(file.path)[:200]} has other columns than the files before it")
            self.columns = probs
            row = whole_numbers(columns[ROW], ROW, file.path)
            self._note(row, columns[LEVEL])
            kept = kept_rows(row, columns[LEVEL], self.rows, self.only)
            self._keep(columns, row, kept, file)

    def _note(self, row: Array, level: Column) -> None:
        """Remember which levels and rows there are, for who asks for others."""
        if isinstance(level, list) and len(self.held) < 100:
            self.held |= dict.fromkeys(name for name in level if isinstance(name, str))
        if len(row):
            low, high = self.ends or (int(row[0]), int(row[0]))
            self.ends = min(low, int(row.min())), max(high, int(row.max()))

    def _keep(self, columns: Mapping[str, Column], row: Array, kept: Array, file: TableFile) -> None:
        ids, levels = texts(columns[ID], ID, file.path), texts(columns[LEVEL], LEVEL, file.path)
        seeds = whole_numbers(columns[SEED], SEED, file.path).tolist() if SEED in columns else None
        self.row.append(row[kept])
        law, seed = file.about.get("law_digest"), file.about.get("seed")
        for k in kept.tolist():
            self.ids.append(ids[k])
            self.level.append(self.levels.setdefault(levels[k], len(self.levels)))
            self.seed.append(seed if seeds is None else seeds[k])
            self.law.append(law)
            self.file.append(file.path)
        if len(self.ids) > MOST_ROWS:
            hint = "take a part of it: --rows 0:1000000, --level NAME"
            refuse("too-large", "the truth has too many cases", allowed=f"at most {MOST_ROWS:,} at once", hint=hint)
        for name in self.columns or ():
            self.parts.setdefault(name, []).append(numbers(columns[name], name, file.path)[kept])


def kept_rows(row: Array, level: Column, rows: tuple[int, int] | None, only: str | None) -> Array:
    """Positions of the rows of a run that are asked for."""
    kept = np.ones(len(row), dtype=bool)
    if rows is not None:
        kept &= (row >= rows[0]) & (row < rows[1])
    if only is not None and isinstance(level, list):
        kept &= np.array([name == only for name in level], dtype=bool)
    return np.flatnonzero(kept)


# -- questions ---------------------------------------------------------------------------------------


def _questions(files: FileSet, columns: list[str], labelled: list[str]) -> tuple[dict[str, Asked], list[str]]:
    """The questions, from the world file beside the truth, else from the names of the label columns."""
    notes: list[str] = []
    world = files.world
    positive: dict[str, str | None] = {}
    if world is not None and world.exists():
        from pbn.spec.load import parse_spec
        from pbn.spec.source import MAX_BYTES

        try:
            with open_regular(world) as file:
                spec = parse_spec(file.read(MAX_BYTES + 1), str(world))
            positive = {question.name: question.positive for question in spec.questions.values()}
        except (PbnError, OSError) as error:
            reason = str(error).splitlines()[0][:150]
            notes.append(f"the world file beside the truth is not read ({reason}); classes are in the files' order")
    names = sorted((name for name in positive or labelled), key=len, reverse=True)
    found: dict[str, list[str]] = {}
    for column in columns:
        name = next((name for name in names if column.startswith(f"p_{name}_")), None)
        if name is None:
            if names:
                message = f"column {column[:100]} of the truth belongs to none of its questions"
                refuse("column", message, allowed=listing(sorted(names)))
            name = _common(columns)
        found.setdefault(name, []).append(column[len(name) + 3 :])
    asked = {}
    for name, states in found.items():
        if len(states) < 2:
            refuse("column", f"the truth has one state alone of question {name[:100]}")
        chosen = positive.get(name)
        asked[name] = Asked(
            name=name, states=tuple(states), positive=chosen if chosen is not None and chosen in states else states[-1]
        )
    return asked, notes


def _common(columns: list[str]) -> str:
    """The question that all columns have in common."""
    first, last = min(columns), max(columns)
    same = next((k for k, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    name = first[2 : first.rfind("_", 0, same)] if first.rfind("_", 0, same) > 1 else ""
    if not name:
        hint = "keep the data set's world.yaml or its labels beside the truth"
        refuse("question", "the columns of the truth do not say its questions", hint=hint)
    return name


def _law(asked: Asked, columns: Mapping[str, Array]) -> Array:
    """P(Y | x) of one question, (n, K), checked."""
    found = np.stack([columns[f"p_{asked.name}_{state}"] for state in asked.states], axis=1)
    if found.min() < 0 or found.max() > 1 or np.abs(found.sum(axis=1) - 1).max() > SUM_TOLERANCE:
        refuse("value", f"the probabilities of question {asked.name[:100]} in the truth are none, or do not sum to 1")
    return found


# -- draws ----------------------------------------------------------------------------------------


def _draws(files: FileSet, reading: _Reading) -> Sequence[Draw] | None:
    """Law, seed and row of each case, None where the files do not say the law and the seed."""
    manifest = _manifest(files.root)
    law, seed = manifest.get("law_digest"), manifest.get("seed")
    laws: list[Any] = [law if one is None else one for one in reading.law]
    seeds: list[Any] = [seed if one is None else one for one in reading.seed]
    if not all(isinstance(one, str) for one in laws) or not all(type(one) is int for one in seeds):
        return None
    draws = list(zip(laws, seeds, np.concatenate(reading.row).tolist(), strict=True))
    for k, (_, seed, row) in enumerate(draws):
        if not (0 <= seed < MAX_SEED and 0 <= row < MAX_ROW):
            message = f"{str(reading.file[k])[:200]} has a case that no draw has"
            allowed = "seeds 0 to 2^63 − 1, rows 0 to 2^62 − 1"
            refuse("value", message, f"seed {str(seed)[:40]}, row {row}", allowed)
    return draws


def _manifest(root: Path | None) -> Mapping[str, Any]:
    if root is None:
        return {}
    try:
        return read_json(root / MANIFEST) or {}
    except QueryError:
        return {}


def _twice(ids: Sequence[str]) -> str:
    seen: set[str] = set()
    return next(name for name in ids if name in seen or seen.add(name))  # type: ignore[func-returns-value]


def _refuse_empty(path: Path, reading: _Reading) -> NoReturn:
    """Say that no case is asked for, and which there are."""
    rows, level = reading.rows, reading.only
    asked = [f"rows {rows[0]} to {rows[1] - 1}"] if rows else []
    asked += [f"level {level[:100]}"] if level is not None else []
    there = None
    if reading.ends is not None:
        there = f"rows {reading.ends[0]} to {reading.ends[1]}; levels {listing(reading.held)}"
    hint = None if level is None or level in reading.held else nearest(level, reading.held)
    refuse("empty", f"{str(path)[:200]} holds no cases that are asked for", ", ".join(asked), there, hint)
