"""Posteriors of many complete cases at once: look-ups in the table of the sufficient statistic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pbn.errors import BudgetError, Fault, QueryError, closest, listing
from pbn.evidence import column_codes
from pbn.exact.answers import BoundStatistic
from pbn.exact.engine import Engine
from pbn.network.model import Array

if TYPE_CHECKING:
    import pandas as pd


def frame_posteriors(engine: Engine, statistic: BoundStatistic, visible: Sequence[str], frame: pd.DataFrame) -> Array:
    """P(Y | x) for each row of a frame, shape (n, K), each the float nearest to the exact probability.

    Where the table of the statistic would be over the budget, each distinct case is answered by an
    elimination of its own.

    Raises
    ------
    QueryError
        A missing column or value, an unknown state, a case of probability zero, no cases at all.
    """
    _check_frame(statistic, visible, frame)
    variables = engine.network.variables
    codes = {name: column_codes(variables[name], frame[name]) for name in visible if name in frame.columns}
    _check_possible(engine, codes, frame)
    needed = {name: codes[name] for name in statistic.needed}
    if not statistic.is_affordable("exact"):
        return _one_by_one(engine, statistic.statistic.target, needed)
    found: Array = statistic.posteriors()[np.broadcast_to(statistic.rows(needed), len(frame))]
    return found


def _check_frame(statistic: BoundStatistic, visible: Sequence[str], frame: pd.DataFrame) -> None:
    if not hasattr(frame, "columns"):
        message, found = "the cases are no pandas DataFrame", type(frame).__name__
        hint = "pandas.DataFrame(cases) makes one"
        raise QueryError(Fault(code="query/not-a-frame", message=message, found=found, hint=hint))
    columns = list(frame.columns)
    missing = [name for name in statistic.needed if name not in columns]
    if missing:
        message, found = f"the cases have no column {listing(missing)}", listing(map(str, columns))
        close = closest(missing[0], map(str, columns))
        meant = f"is the column {close!r} meant to be {missing[0]}?" if close else None
        raise QueryError(Fault(code="query/missing-column", message=message, found=found, hint=meant))
    twice = [name for name in visible if columns.count(name) > 1]
    if twice:
        raise QueryError(Fault(code="query/twice", message=f"the cases have several columns {listing(twice)}"))
    if not len(frame):
        raise QueryError(Fault(code="query/no-cases", message="the frame has no rows"))


def _check_possible(engine: Engine, codes: Mapping[str, Array], frame: pd.DataFrame) -> None:
    for row in np.flatnonzero(~_possible(engine, codes, len(frame))).tolist():
        try:
            engine.evidence_probability({name: int(column[row]) for name, column in codes.items()})
        except QueryError as error:
            message, fault = f"row {frame.index[row]} has probability zero", error.faults[0]
            raise QueryError(Fault(code=fault.code, message=message, found=fault.found, hint=fault.hint)) from None


def _possible(engine: Engine, codes: Mapping[str, Array], count: int) -> Array:
    """Whether each case has positive probability: by factors for all, or by an elimination for each distinct one."""
    possible = np.ones(count, dtype=bool)
    try:
        factors = engine.evidence_factors(tuple(codes))
    except BudgetError:
        distinct, inverse = _distinct(codes)
        found = [engine.is_possible(dict(zip(codes, case, strict=True))) for case in distinct]
        return np.array(found)[inverse]
    for names, factor in factors:
        if not (factor > 0).all():
            possible &= (factor > 0)[tuple(codes[name] for name in names)]
    return possible


def _distinct(codes: Mapping[str, Array]) -> tuple[list[list[int]], Array]:
    rows, inverse = np.unique(np.stack(list(codes.values()), axis=1), axis=0, return_inverse=True)
    return rows.tolist(), inverse.ravel()


def _one_by_one(engine: Engine, asked: str, codes: Mapping[str, Array]) -> Array:
    distinct, inverse = _distinct(codes)
    answers = [engine.posterior(asked, dict(zip(codes, case, strict=True))) for case in distinct]
    found: Array = np.array([list(answer.probs.values()) for answer in answers])[inverse]
    return found
