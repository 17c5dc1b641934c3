"""Values to sweep over, as people write them."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from pbn.errors import Fault, QueryError
from pbn.spec.numerals import Number, decimal, exact, not_exact

MOST_VALUES = 10_000
"""Values of one sweep."""


def swept_values(text: str) -> tuple[Fraction, ...]:
    """The values of ``first:last:step``, the last included where a step meets it, or of a list with commas.

    Raises
    ------
    QueryError
        A part is no number (``sweep/number``), the range is none (``sweep/range``), or there are more than
        `MOST_VALUES` values (``sweep/too-many``).

    Examples
    --------
    >>> [str(value) for value in swept_values("0:0.3:0.1")]
    ['0', '1/10', '1/5', '3/10']
    >>> [str(value) for value in swept_values("1/3, 0.5")]
    ['1/3', '1/2']
    """
    parts = text.split(":")
    if len(parts) == 1:
        return checked_values(part.strip() for part in text.split(",") if part.strip())
    if len(parts) != 3:
        raise _fault("range", f"{text[:60]!r} is no range", "write first:last:step, or values with commas between them")
    first, last, step = (_number(part.strip()) for part in parts)
    if step <= 0:
        raise _fault("range", f"the range {text[:60]!r} has the step {decimal(step)}", "a step is more than 0")
    if last < first:
        message = f"the range {text[:60]!r} begins with {decimal(first)} and ends with {decimal(last)}"
        raise _fault("range", message, "write first:last:step, the last not below the first")
    count = (last - first) // step + 1
    _check_count(count)
    return tuple(first + k * step for k in range(count))


def checked_values(values: Iterable[Number]) -> tuple[Fraction, ...]:
    """The values as exact numbers, each once."""
    found = tuple(dict.fromkeys(_number(value) for value in values))
    if not found:
        raise _fault("range", "there is no value to sweep over", "write first:last:step, or values with commas")
    _check_count(len(found))
    return found


def _number(value: Number) -> Fraction:
    number = exact(value)
    if number is None:
        raise _fault("number", not_exact(value), "a number is 0.48, 3/4 or 1e-3")
    return number


def _check_count(count: int) -> None:
    if count > MOST_VALUES:
        told = f"{count:,}" if count < 10**15 else "more than 10^15"
        raise _fault("too-many", f"a sweep over {told} values", f"at most {MOST_VALUES:,}: take larger steps")


def _fault(code: str, message: str, hint: str) -> QueryError:
    return QueryError(Fault(code=f"sweep/{code}", message=message, hint=hint))
