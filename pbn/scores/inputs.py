"""What every score demands of its arrays: shapes, ranges, sums; the first row that is wrong is named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pbn.errors import Fault, PbnError

Array = NDArray[Any]

UNKNOWN = -1
"""The decision of a predictor that declines to decide."""
SUM_TOLERANCE = 1e-6
"""How far the sum of a row of probabilities may be from 1."""


class ScoreError(PbnError):
    """Predictions, labels or weights that cannot be scored."""


def wrong(code: str, message: str, **details: str | None) -> ScoreError:
    """The error with one fault, its code in ``scores/``."""
    return ScoreError(Fault(code=f"scores/{code}", message=message, **details))  # type: ignore[arg-type]


def real(array: ArrayLike, name: str) -> Array:
    """The array as float64 with at least one row, and nothing of it masked."""
    found = as_array(array, name, np.float64)
    if found.ndim == 0:
        raise wrong("shape", f"{name} have no rows", found="one number", allowed="an array with a row for each case")
    if len(found) == 0:
        raise wrong("empty", f"{name} have no rows", hint="a score of nothing is not a number")
    return found


def as_array(array: ArrayLike, name: str, dtype: type[np.float64] | None = None) -> Array:
    """The array as NumPy holds it, or ``scores/number``: no array of numbers, or one with a mask over some of it."""
    if isinstance(array, np.ma.MaskedArray) and np.ma.is_masked(array):
        hidden = np.atleast_1d(np.ma.getmaskarray(array))
        row = int(np.argmax(hidden.reshape(len(hidden), -1).any(axis=1)))
        raise wrong("number", f"row {row} of the {name} is masked", hint="leave masked rows out, or fill them")
    if isinstance(array, np.ndarray) and array.dtype.kind == "c":
        raise wrong("number", f"{name} are complex numbers")
    try:
        return np.asarray(array, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise wrong("number", f"{name} are not numbers", found=str(error)[:80]) from None


def matrix(array: ArrayLike, columns: int | None = None) -> Array:
    """Features of cases, shape (n, d), finite, d ≥ 1 or as many as are asked for.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``; ``scores/number``: a row with something that is not finite.

    Examples
    --------
    >>> matrix([[0, 1], [1, 0]], 3)
    Traceback (most recent call last):
    pbn.scores.inputs.ScoreError: scores/shape: the features have the wrong shape
      found: (2, 2)
      allowed: (n, 3)
    """
    found = real(array, "features")
    if found.ndim != 2 or found.shape[1] == 0 or columns not in (None, found.shape[1]):
        allowed = "(n, d)" if columns is None else f"(n, {columns})"
        raise wrong("shape", "the features have the wrong shape", found=str(found.shape), allowed=allowed)
    if not np.isfinite(found).all():
        raise wrong("number", f"row {int(np.argmax(~np.isfinite(found).all(axis=1)))} of the features is not finite")
    return found


def probabilities(array: ArrayLike, name: str = "predictions", like: Array | None = None) -> Array:
    """Probabilities of K classes, shape (n, K), each row a law; (n,) stands for P(class 1) of two classes.

    Parameters
    ----------
    array
        Shape (n, K) with K ≥ 2, or (n,).
    name
        What an error calls them.
    like
        Probabilities whose shape these must have.

    Raises
    ------
    ScoreError
        ``scores/empty``, ``scores/shape``, ``scores/number``; ``scores/probability``: a value that is NaN or
        outside [0, 1]; ``scores/sum``: a row that sums to something else than 1. The first such row is named.

    Examples
    --------
    >>> probabilities([0.25, 1.0])
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    >>> probabilities([0.25, 1.5])
    Traceback (most recent call last):
    pbn.scores.inputs.ScoreError: scores/probability: row 1 of the predictions is no probability
      found: 1.5
      allowed: numbers from 0 to 1
    """
    found = real(array, name)
    in_unit_interval(found, name)
    if found.ndim == 1:
        classes = np.empty((2, len(found)))
        np.subtract(1, found, out=classes[0])
        classes[1] = found
        found = classes.T
    elif found.ndim != 2 or found.shape[1] < 2:
        raise wrong("shape", f"the {name} have the wrong shape", found=str(found.shape), allowed="(n, K), K ≥ 2; (n,)")
    else:
        off = np.abs(found.sum(axis=1) - 1) > SUM_TOLERANCE
        if off.any():
            row = int(np.argmax(off))
            raise wrong("sum", f"row {row} of the {name} does not sum to 1", found=repr(float(found[row].sum())))
    if like is not None and found.shape != like.shape:
        raise wrong("shape", f"the {name} have another shape", found=str(found.shape), allowed=str(like.shape))
    return np.asfortranarray(found)  # a class in one piece: sums over classes are many times faster


def positive(array: ArrayLike, name: str = "predictions") -> Array:
    """P(class 1) of two classes, shape (n,), from (n,) or (n, 2); errors as in `probabilities`.

    Examples
    --------
    >>> positive([[0.75, 0.25], [0.5, 0.5]])
    array([0.25, 0.5 ])
    """
    found = real(array, name)
    if found.ndim == 1:
        in_unit_interval(found, name)
        return found
    found = probabilities(found, name)
    if found.shape[1] != 2:
        raise wrong("shape", f"the {name} are of {found.shape[1]} classes", allowed="two classes: (n,) or (n, 2)")
    return found[:, 1]


def positive_pair(p: ArrayLike, q: ArrayLike) -> tuple[Array, Array]:
    """True probabilities and predictions of class 1 of two classes, (n,) each."""
    predicted, truth = positive(q), positive(p, "true probabilities")
    if truth.shape != predicted.shape:
        raise wrong("shape", "true probabilities of other rows", found=str(len(truth)), allowed=str(len(predicted)))
    return truth, predicted


def in_unit_interval(found: Array, name: str) -> None:
    """Nothing, if all numbers are in [0, 1]; else an error that names the first row where one is not."""
    if found.min(initial=0) >= 0 and found.max(initial=0) <= 1:  # False where there is a NaN
        return
    bad = ~((found >= 0) & (found <= 1)).reshape(len(found), -1)
    row = int(np.argmax(bad.any(axis=1)))
    value = float(found.reshape(len(found), -1)[row, int(np.argmax(bad[row]))])
    raise wrong(
        "probability", f"row {row} of the {name} is no probability", found=repr(value), allowed="numbers from 0 to 1"
    )


def outcomes(array: ArrayLike, rows: int, classes: int, *, name: str = "outcomes", least: int = 0) -> Array:
    """Positions of the classes that came out (or that were decided, from ``least`` on), shape (n,).

    Raises
    ------
    ScoreError
        ``scores/empty``; ``scores/number``; ``scores/shape``: not (n,); ``scores/outcome``: no whole number from
        ``least`` to K − 1.

    Examples
    --------
    >>> outcomes([0, 2, 1], 3, 3)
    array([0, 2, 1])
    >>> outcomes([0, 2, 1], 3, 2)
    Traceback (most recent call last):
    pbn.scores.inputs.ScoreError: scores/outcome: row 1 of the outcomes is no class
      found: 2
      allowed: whole numbers from 0 to 1
    """
    given = as_array(array, name)
    found = given if given.dtype.kind in "iub" and given.ndim else real(array, name)
    if len(found) == 0:
        raise wrong("empty", f"{name} have no rows", hint="a score of nothing is not a number")
    if found.shape != (rows,):
        raise wrong("shape", f"the {name} have the wrong shape", found=str(found.shape), allowed=str((rows,)))
    if found.dtype.kind == "f":
        whole = np.isfinite(found)
        whole[whole] = found[whole] == np.floor(found[whole])
    else:
        whole = np.ones(1, dtype=bool)
    if not (whole.all() and found.min() >= least and found.max() < classes):
        row = int(np.argmax(~(whole & (found >= least) & (found < classes))))
        allowed = f"whole numbers from {least} to {classes - 1}"
        raise wrong("outcome", f"row {row} of the {name} is no class", found=f"{found[row]:g}", allowed=allowed)
    return found.astype(np.intp, copy=False)


def weights(array: ArrayLike | None, rows: int) -> Array | None:
    """Weights that sum to 1, shape (n,); None, which stands for equal ones, stays None.

    Raises
    ------
    ScoreError
        ``scores/shape``; ``scores/weight``: a weight that is negative or not finite; all of them 0.
    """
    if array is None:
        return None
    found = real(array, "weights")
    if found.shape != (rows,):
        raise wrong("shape", "the weights have the wrong shape", found=str(found.shape), allowed=str((rows,)))
    bad = ~(np.isfinite(found) & (found >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise wrong("weight", f"row {row} of the weights is no weight", found=repr(float(found[row])), allowed="≥ 0")
    if not found.any():
        raise wrong("weight", "all weights are 0")
    scaled: Array = np.ldexp(found, -np.frexp(found.max())[1])  # the greatest is about 1, so that the sum is finite
    scaled /= scaled.sum()
    return scaled


def mean(values: Array, weight: Array | None) -> float:
    """Σ w·v of checked weights, or the plain mean; a row of weight 0 counts for nothing, be its value infinite."""
    found = values.mean() if weight is None else np.where(weight > 0, values, 0.0) @ weight
    return float(found) + 0.0  # never -0.0


def count(rows: Array, weight: Array | None) -> int:
    """How many of the rows that are marked, (n,), have a weight above 0."""
    return int(np.count_nonzero(rows if weight is None else rows & (weight > 0)))


def whole(number: int, name: str, least: int = 1, most: int = 10**9) -> int:
    """A whole number in a range, or ``scores/count``."""
    if isinstance(number, (int, np.integer)) and not isinstance(number, bool) and least <= number <= most:
        return int(number)
    raise wrong("count", f"{name} must be a whole number", found=repr(number)[:40], allowed=f"{least} to {most}")


def number(value: object) -> float:
    """The number as it is, NaN in place of what is none, so that no comparison holds for it.

    Examples
    --------
    >>> number(0.5), number("0.5"), number(True)
    (0.5, nan, nan)
    """
    known = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return value if known else math.nan  # type: ignore[return-value]


def confident(confidence: float) -> float:
    """A confidence above 0 and below 1, or ``scores/confidence``."""
    if 0 < number(confidence) < 1:
        return float(confidence)
    raise wrong("confidence", "a confidence is between 0 and 1", found=repr(confidence)[:40])


def generator(rng: np.random.Generator) -> np.random.Generator:
    """What draws, or ``scores/generator``: a seed is none."""
    if isinstance(rng, np.random.Generator):
        return rng
    hint = "pass numpy.random.default_rng(seed)"
    raise wrong("generator", "rng is no Generator of NumPy's", found=repr(rng)[:40], hint=hint)


def choice(name: str, value: str, allowed: tuple[str, ...]) -> None:
    """Nothing, if the value is one of those allowed; else ``scores/option``."""
    if not isinstance(value, str) or value not in allowed:
        raise wrong("option", f"there is no {name} {str(value)[:40]!r}", allowed=", ".join(allowed))
