"""Values that people give, matched to states: names, numbers, whole repeated variables, columns."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pbn.errors import Fault, QueryError, listing, nearest
from pbn.network.model import Array, Network, Variable, number_text
from pbn.spec.numerals import exact, not_exact, numeral

if TYPE_CHECKING:
    import pandas as pd


FLOAT_NOISE, FLOAT32_NOISE = 1e-12, 1e-6
"""Relative distance at which a float still stands for the number of a grid."""


class _States:
    """The states of one variable, found by text or by number."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.by_text = {state: k for k, state in enumerate(variable.states)}

    @cached_property
    def by_number(self) -> dict[Fraction, int]:
        """Position of the first state of each number."""
        values = self.variable.values or ()
        return {value: k for k, value in reversed(list(enumerate(values)))}

    def code(self, value: object) -> int:
        plain, text = _plain(value), _text(value)
        for spelt in (plain, text):
            if spelt in self.by_text:
                return self.by_text[spelt]
        number = exact(text)
        if number is not None and number in self.by_number:
            return self.by_number[number]
        near = self._near(value)
        if near is not None:
            return near
        raise QueryError(_unknown_state(self.variable, text, number))

    def _near(self, value: object) -> int | None:
        """Position of the grid number that a float stands for: 0.1 + 0.2 is 0.3, and so is float32's 0.3."""
        values = self.variable.values
        if self.variable.origin != "measured" or not values or not isinstance(value, (float, np.floating)):
            return None
        if not np.isfinite(value):
            return None
        tolerance = FLOAT32_NOISE if isinstance(value, np.floating) and value.itemsize < 8 else FLOAT_NOISE
        number = Fraction(float(value))  # exact, since a grid may lie beyond what floats reach
        step = values[1] - values[0] if len(values) > 1 else Fraction(1)
        near = round((number - values[0]) / step)
        if not 0 <= near < len(values):
            return None
        return near if abs(number - values[near]) <= Fraction(tolerance) * max(step, abs(number)) else None


def state_code(variable: Variable, value: object) -> int:
    """Position of the state that a value names: its text, or a number equal to the state's.

    Raises
    ------
    QueryError
        No such state: the nearest name is offered, or the range and grid of a number.
    """
    return _States(variable).code(value)


def _plain(value: object) -> str:
    try:
        return str(value)
    except ValueError:
        return "a number of thousands of digits"  # Python does not print those


def _text(value: object) -> str:
    """The value as text, a whole number without its idle decimal."""
    return _plain(value).removesuffix(".0") if isinstance(value, numbers.Real) else _plain(value)


def _unknown_state(variable: Variable, text: str, number: Fraction | None) -> Fault:
    name, values, shown = variable.name, variable.values, text[:60]
    if variable.origin == "measured" and values is not None:
        unit = f" {variable.unit}" if variable.unit else ""
        step = number_text(values[1] - values[0])
        allowed = f"{variable.states[0]} to {variable.states[-1]}{unit} in steps of {step}"
        if number is None:
            message = f"{name} is a number, and {not_exact(text)}"
            return Fault(code="query/not-a-number", message=message, allowed=allowed)
        if not values[0] <= number <= values[-1]:
            return Fault(code="query/out-of-range", message=f"{name} cannot be {shown}", allowed=allowed)
        below = max(k for k, value in enumerate(values) if value <= number)
        return Fault(
            code="query/off-grid",
            message=f"{name} cannot be {shown}",
            allowed=allowed,
            hint=f"the numbers next to it are {variable.states[below]} and {variable.states[below + 1]}",
        )
    counts = values is not None and all(numeral(state) is not None for state in variable.states)
    hint = _next_numbers(variable, number) if counts and number is not None else nearest(text, variable.states)
    return Fault(
        code="query/unknown-state",
        message=f"{name} has no state {shown!r}",
        allowed=listing(variable.states),
        hint=hint,
    )


def _next_numbers(variable: Variable, number: Fraction) -> str:
    """A hint that names the states on either side of a number that is none of them."""
    ordered = sorted(zip(variable.values or (), variable.states, strict=True))
    below = [state for value, state in ordered if value < number][-1:]
    above = [state for value, state in ordered if value > number][:1]
    if below and above:
        return f"the numbers next to it are {below[0]} and {above[0]}"
    return f"the largest is {below[0]}" if below else f"the smallest is {above[0]}"


def unknown_variable(name: object, known: Sequence[str]) -> QueryError:
    """The error for a name that is no variable of the world.

    Examples
    --------
    >>> print(unknown_variable("lat", ["hours", "late", "late"]))
    query/unknown-variable: there is no variable 'lat'
      allowed: hours, late
      hint: did you mean 'late'?
    """
    text = _text(name)
    return QueryError(
        Fault(
            code="query/unknown-variable",
            message=f"there is no variable {text[:60]!r}",
            allowed=listing(dict.fromkeys(known)),
            hint=nearest(text, known),
        )
    )


def evidence_codes(
    network: Network, families: Mapping[str, Sequence[str]], evidence: Mapping[str, object]
) -> dict[str, int]:
    """Evidence as positions of states; a repeated variable takes one value for each member.

    ``identifier="kqzv…"`` gives each member one letter, ``x=["a", "b", "c"]`` one state each.
    """
    if not isinstance(evidence, Mapping):
        raise QueryError(
            Fault(
                code="query/not-a-mapping",
                message="evidence maps variables to states",
                found=repr(evidence)[:60],
                allowed='a mapping such as {"sector": "technology"}',
            )
        )
    codes: dict[str, int] = {}
    for name, value in evidence.items():
        if name in families:
            members = families[name]
            values = list(value) if isinstance(value, (str, list, tuple)) else [value]
            if len(values) != len(members):
                raise QueryError(
                    Fault(
                        code="query/length", message=f"{name} has {len(members)} members", found=f"{len(values)} values"
                    )
                )
            pairs = list(zip(members, values, strict=True))
        else:
            pairs = [(name, value)]
        for member, single in pairs:
            if member not in network or network.variables[member].origin == "auxiliary":
                raise unknown_variable(member, [*network.named, *families])
            if member in codes and codes[member] != state_code(network.variables[member], single):
                raise QueryError(Fault(code="query/twice", message=f"{member} is given two values"))
            codes[member] = state_code(network.variables[member], single)
    return codes


def column_codes(variable: Variable, column: pd.Series[Any]) -> Array:
    """Codes of a column of cases; each distinct value is looked up once.

    Raises
    ------
    QueryError
        A value is missing or names no state; the error says in which row first.
    """
    import pandas as pd

    positions, distinct = pd.factorize(column)
    if (positions < 0).any():
        row = column.index[int(np.argmax(positions < 0))]
        raise QueryError(Fault(code="query/missing-value", message=f"column {variable.name} has no value in row {row}"))
    codes = np.empty(len(distinct), dtype=np.intp)
    states = _States(variable)
    for k, value in enumerate(distinct):
        try:
            codes[k] = states.code(value)
        except QueryError as error:
            row = column.index[int(np.argmax(positions == k))]
            fault = error.faults[0]
            raise QueryError(
                Fault(code=fault.code, message=f"row {row}: {fault.message}", allowed=fault.allowed, hint=fault.hint)
            ) from None
    found: Array = codes[positions]
    return found
