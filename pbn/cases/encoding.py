"""Drawn rows as features: distances between cases for nearest neighbours and models."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from pbn.cases.records import numbers_of
from pbn.cases.sample import members
from pbn.network.model import Array, Variable
from pbn.scores.features import Category, Field, Number, encode
from pbn.world import World


def field_of(variable: Variable) -> Field:
    """How a variable is encoded: as a number where its states are numbers, with their range, else as a category."""
    numbers = numbers_of(variable)
    if numbers is None:
        return Category(states=variable.size)
    return Number(lower=float(numbers.min()), upper=float(numbers.max()))


def features(world: World, codes: Mapping[str, Array], names: Collection[str]) -> Array:
    """The rows' values of these variables as numbers, shape (n, d): one-hot, or scaled to [0, 1].

    Parameters
    ----------
    codes
        Variable → positions of its states in each row, as `pbn.cases.sample.RowSampler.codes` gives them.
    names
        Variables, or repeated ones, which stand for all their members; usually those that a level shows.

    Raises
    ------
    QueryError
        There is no such variable.
    ScoreError
        As in `pbn.scores.features.encode`.

    Examples
    --------
    >>> import pbn
    >>> from pbn.cases.sample import rows
    >>> world = pbn.load("credit_risk")
    >>> shown = ["cycle", "debt_repricing_share"]
    >>> features(world, rows(world, 2032, 0, 3, shown), shown).shape
    (3, 4)
    """
    variables = [world.network.variables[name] for name in members(world, names)]
    columns = []
    for variable in variables:
        numbers = numbers_of(variable)
        columns.append(codes[variable.name] if numbers is None else numbers[codes[variable.name]])
    return encode(columns, [field_of(variable) for variable in variables])
