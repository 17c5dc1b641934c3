"""What a data set says of a run of rows: what a model may see, the labels, and the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from pbn.cases.identity import case_ids
from pbn.cases.sample import RowSampler
from pbn.errors import BudgetError, Fault, QueryError, listing
from pbn.network.model import Array, Variable
from pbn.spec.numerals import numeral
from pbn.text.wording import in_a_row
from pbn.world import World

Kind = Literal["cases", "labels", "truth"]
ID, LEVEL, ROW, MEMO = "id", "level", "row", "memo"


@dataclass(frozen=True, slots=True)
class States:
    """A column of states: ``states[codes[i]]`` is the value of row i."""

    codes: Array
    states: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.codes)


Column = States | Array | list[str]
"""States, numbers (int32, int64 or float64), or texts."""
Table = Mapping[str, Column]
"""Columns of one length, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What the files of a data set hold: levels, whether cases come with their memo, and which question ends it."""

    levels: tuple[str, ...]
    memo: bool
    question: str | None = None


class Records:
    """The tables of a data set, for any run of its rows.

    ``cases`` are what a model may see, a table for each level: the identifier, the visible attributes and the memo,
    and nothing else. ``labels`` and ``truth`` have a row for each case and level: the outcomes; and P(Y | x_vis) of
    every question with everything that some level hides.
    """

    def __init__(self, world: World, seed: int, contents: Contents) -> None:
        self.world = world
        self.sampler = RowSampler(world, seed)
        self.contents = contents
        self._tables: dict[tuple[str, str], Array] = {}
        self._numbers: dict[str, Array | None] = {}
        self._check()

    # -- what is wrong with a world or the contents is found before a row is drawn -------------------

    def _check(self) -> None:
        for level in self.contents.levels:
            self.world.level(level)
            if self.contents.memo:
                self.world.memo(level).template.ending(self.contents.question)
        self._check_names()
        for level in self.contents.levels:
            for question in self.world.questions:
                self._check_affordable(level, question)

    def _check_names(self) -> None:
        """No two columns may have one name, nor may an attribute be called like a column of another file."""
        ours = [ID, LEVEL, ROW, MEMO]
        ours += [f"label_{name}" for name in self.world.questions]
        ours += [column for columns in self._probability_columns.values() for column in columns]
        ours += [f"hidden_{column}" for column in self._columns(self.concealed)]
        twice = [name for name, count in Counter(ours).items() if count > 1]
        if twice:
            message = f"two columns of the data set would be called {twice[0][:100]!r}"
            raise QueryError(Fault(code="cases/name", message=message, hint="rename a question or a state"))
        taken = set(ours) & {name for level in self.contents.levels for name in self._shown(level)}
        if taken:
            message = f"the world has a variable called {listing(sorted(taken))}, as a column of the data set is"
            raise QueryError(Fault(code="cases/name", message=message, hint="rename the variable"))

    def _check_affordable(self, level: str, question: str) -> None:
        if not self.world.statistic(level, question=question).is_affordable("exact"):
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    message=f"the table of the exact answers to {question} at level {level} is over the budget",
                    hint="raise the --budget, or leave that level out",
                )
            )

    @cached_property
    def _probability_columns(self) -> dict[str, tuple[str, ...]]:
        """For each question the columns of P(Y | x_vis), one for each state of Y."""
        states = self.world.network.variables
        return {
            question.name: tuple(f"p_{question.name}_{state}" for state in states[question.asks].states)
            for question in self.world.questions.values()
        }

    # -- columns -------------------------------------------------------------------------------------

    def _shown(self, level: str) -> dict[str, tuple[str, ...]]:
        """Columns of a level's cases: each with the variables in it, all members of a repeated one in a row."""
        return self._columns(self.world.level(level).visible)

    def _columns(self, names: Sequence[str]) -> dict[str, tuple[str, ...]]:
        listed = set(names)
        rows = {
            members[0]: (family, members)
            for family, members in self.world.families.items()
            if listed.issuperset(members) and all(self._is_letters(member) for member in members)
        }
        found: dict[str, tuple[str, ...]] = {}
        in_row: set[str] = set()
        for name in names:
            if name not in in_row:
                column, members = rows.get(name, (name, (name,)))
                found[column] = members
                in_row.update(members)
        return found

    def _is_letters(self, name: str) -> bool:
        return all(len(state) == 1 for state in self.world.network.variables[name].states)

    @cached_property
    def concealed(self) -> tuple[str, ...]:
        """Named variables that some level does not show, but for those that are asked."""
        everywhere = set.intersection(*(set(self.world.level(level).visible) for level in self.contents.levels))
        asked = {question.asks for question in self.world.questions.values()}
        return tuple(name for name in self.world.network.named if name not in everywhere and name not in asked)

    def _column(self, members: Sequence[str], codes: Mapping[str, Array]) -> Column:
        variables = [self.world.network.variables[member] for member in members]
        if len(variables) > 1:
            return in_a_row(variables, [codes[variable.name] for variable in variables])
        (variable,) = variables
        if variable.name not in self._numbers:
            self._numbers[variable.name] = numbers_of(variable)
        numbers = self._numbers[variable.name]
        return States(codes[variable.name], variable.states) if numbers is None else numbers[codes[variable.name]]

    # -- tables --------------------------------------------------------------------------------------

    def tables(self, start: int, stop: int) -> Iterator[tuple[Kind, str | None, Table]]:
        """The tables of rows ``start`` to ``stop`` − 1: of cases one for each level, then labels, then truth."""
        codes = self.sampler.codes(start, stop)
        rows = np.arange(start, stop, dtype=np.int64)
        ids = {level: self._ids(level, start, stop) for level in self.contents.levels}
        for level in self.contents.levels:
            yield "cases", level, self._cases(level, ids[level], codes, rows)
        yield "labels", None, self._labels(ids, codes, rows)
        yield "truth", None, self._truth(ids, codes, rows)

    def _ids(self, level: str, start: int, stop: int) -> list[str]:
        return case_ids(self.sampler.law_digest, self.sampler.seed, range(start, stop), level)

    def _cases(self, level: str, ids: list[str], codes: Mapping[str, Array], rows: Array) -> Table:
        table: dict[str, Column] = {ID: ids}
        for column, members in self._shown(level).items():
            table[column] = self._column(members, codes)
        if self.contents.memo:
            template = self.world.memo(level).template
            visible = {name: codes[name] for name in template.visible}
            table[MEMO] = list(template.render(visible, rows, question=self.contents.question))
        return table

    def _keys(self, ids: Mapping[str, list[str]], rows: Array) -> dict[str, Column]:
        levels = self.contents.levels
        return {
            ID: [one for level in levels for one in ids[level]],
            LEVEL: States(np.repeat(np.arange(len(levels), dtype=np.uint8), len(rows)), levels),
            ROW: np.tile(rows, len(levels)),
        }

    def _labels(self, ids: Mapping[str, list[str]], codes: Mapping[str, Array], rows: Array) -> Table:
        table = self._keys(ids, rows)
        for question in self.world.questions.values():
            states = self.world.network.variables[question.asks].states
            table[f"label_{question.name}"] = States(np.tile(codes[question.asks], len(ids)), states)
        return table

    def _truth(self, ids: Mapping[str, list[str]], codes: Mapping[str, Array], rows: Array) -> Table:
        table = self._keys(ids, rows)
        for question in self.world.questions.values():
            known = [self.posteriors(level, question.name, codes, len(rows)) for level in self.contents.levels]
            for k, column in enumerate(self._probability_columns[question.name]):
                table[column] = np.concatenate([probs[:, k] for probs in known])
        many = {name: np.tile(codes[name], len(ids)) for name in self.concealed}
        for column, members in self._columns(self.concealed).items():
            table[f"hidden_{column}"] = self._column(members, many)
        return table

    def posteriors(self, level: str, question: str, codes: Mapping[str, Array], count: int) -> Array:
        """P(Y | x_vis) of each row, shape (count, K): look-ups in the table of the sufficient statistic."""
        bound = self.world.statistic(level, question=question)
        table = self._posterior_table(level, question)
        found: Array = table[np.broadcast_to(bound.rows({name: codes[name] for name in bound.needed}), count)]
        return found

    def _posterior_table(self, level: str, question: str) -> Array:
        key = level, question
        if key not in self._tables:
            self._tables[key] = self.world.statistic(level, question=question).posteriors()
        return self._tables[key]


def numbers_of(variable: Variable) -> Array | None:
    """The numbers that a variable's states are the texts of, as int32, int64 or float64; None where they are words.

    States are words too where two of them would become one number, or one would not come back from float64.
    """
    values = variable.values
    if values is None or any(numeral(state) != value for state, value in zip(variable.states, values, strict=True)):
        return None
    if all(value.denominator == 1 and abs(value) < 2**63 for value in values):
        kind = np.int32 if all(abs(value) < 2**31 for value in values) else np.int64
        found = np.array([int(value) for value in values], dtype=kind)
    else:
        try:
            found = np.array([float(value) for value in values])
        except OverflowError:
            return None
        if any(Fraction(repr(number)) != value for number, value in zip(found.tolist(), values, strict=True)):
            return None
    return found if len(np.unique(found)) == len(found) else None
