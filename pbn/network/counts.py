"""Laws of bounded counts: their location is solved for a median, their probabilities are k / 10**15.

A solved location is irrational, so a count's probabilities are *defined* as the solved law rounded to
multiples of 10**-15 by largest remainder, and every later number is exact for that law. The rounding
must then come out the same everywhere, which floating point does not promise (``exp`` and ``lgamma``
differ in their last bits from platform to platform). So nothing here is a float:

- The negative binomial's weights follow from one another by a rational factor; they span many orders
  of magnitude and are `decimal.Decimal` numbers of 50 digits, whose arithmetic is fully specified.
- The lognormal's weights are areas under exp(-t²/2). They come from its power series in fixed-point
  integers of 256 fractional bits. Normalising the law cancels the factor 1 / sqrt(2 pi).

Both are good to at least 8 digits beyond the 15 that are kept. Neither scipy nor mpmath is needed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from itertools import pairwise
from typing import NoReturn

from pbn.errors import Fault, NetworkError
from pbn.spec.model import Count

DENOMINATOR = 10**15
MAX_VALUES = 100_000

_CONTEXT = Context(prec=50, Emax=MAX_EMAX, Emin=MIN_EMIN)
_REMAINDERS = 10**8  # what tells remainders apart, in parts of a unit
_RELATIVE = Decimal("1e-42")  # how closely a negative binomial's location is solved
_BITS = 256
_ONE = 1 << _BITS
_SMALL = 1 << 96  # series stop at a term below 2**-160
_TAIL = 12 * _ONE  # the area beyond 12 standard deviations, 4e-33, is left out
_REACH = 6  # a lognormal's location may lie this many standard deviations outside the range


def count_law(count: Count) -> tuple[int, ...]:
    """Numerators, over 10**15, of the probabilities of ``count.start``, …, ``count.stop``.

    The base law is restricted to the range and renormalised. A positive ``count.zero`` puts that mass
    on 0 and the rest on the base law restricted to the positive numbers of the range. The location,
    the mean μ or the log-location m, then solves P(N < median) + P(N = median) / 2 = 1/2 for the whole law:

    - negative binomial of dispersion r: P(k) ∝ Γ(k + r) / k! · (μ / (μ + r))^k, with variance μ + μ²/r
    - lognormal of log-scale s: P(k) ∝ Φ((ln(k + ½) − m) / s) − Φ((ln(k − ½) − m) / s)

    Parameters
    ----------
    count
        A bounded count law; its range has at most 100,000 values.

    Returns
    -------
    tuple of int
        ``stop - start + 1`` numbers that sum to exactly 10**15. Before rounding, the equation holds to
        1e-20; after it, to one unit of 10**-15 for each value up to the median. A value whose
        probability is below half a unit may get 0.

    Raises
    ------
    NetworkError
        ``network/count-law`` for a law that is none; ``network/count-median`` if no location, or only
        an absurd one, reaches the median.

    Notes
    -----
    The laws are those of ProbabilityBench, appendix B; the rounding is pbn's own.

    Examples
    --------
    >>> from fractions import Fraction
    >>> sites = Count(family="negative_binomial", median=3, shape=Fraction(2), start=1, stop=40, zero=Fraction(0))
    >>> law = count_law(sites)
    >>> sum(law) == DENOMINATOR, law[:3]
    (True, (218532086116041, 200064529163827, 162806769440265))
    >>> round((sum(law[:2]) + law[2] / 2) / DENOMINATOR, 12)
    0.5
    """
    return _solve(count)[0]


def count_location(count: Count) -> float:
    """The solved location: the untruncated mean μ (negative binomial) or the log-location (lognormal).

    Examples
    --------
    >>> from fractions import Fraction
    >>> authors = Count(family="negative_binomial", median=4, shape=Fraction(6), start=1, stop=20, zero=Fraction(0))
    >>> round(count_location(authors), 6)
    4.257538
    """
    return _solve(count)[1]


@functools.lru_cache(maxsize=256)
def _solve(count: Count) -> tuple[tuple[int, ...], float]:
    _check(count)
    lowest = max(count.start, 1) if count.zero else count.start
    target = (Fraction(1, 2) - count.zero) / (1 - count.zero)
    solve = _negative_binomial if count.family == "negative_binomial" else _lognormal
    weights, location = solve(count, lowest, target)
    if count.zero:
        weights = _with_zero(weights, count.zero)
    return _round(weights), location


def _check(count: Count) -> None:
    if count.start < 0 or count.stop <= count.start or count.stop - count.start >= MAX_VALUES:
        _refuse("network/count-law", f"a count cannot run from {count.start} to {count.stop}", None,
                f"whole numbers from 0 on, at least 2 and at most {MAX_VALUES:,} of them")  # fmt: skip
    if count.shape <= 0:
        shape = "dispersion" if count.family == "negative_binomial" else "scale"
        _refuse("network/count-law", f"the {shape} of a count must be positive", str(count.shape), "a number above 0")
    if count.zero < 0 or (count.zero and count.start != 0):
        _refuse("network/count-law", "extra mass at zero needs a range from 0", f"zero: {count.zero}", "from: 0")
    if count.zero >= Fraction(1, 2):
        _refuse("network/count-median", "with half of the mass at zero the median is zero", f"zero: {count.zero}",
                "less than 1/2")  # fmt: skip
    if not count.start < count.median < count.stop:
        _refuse("network/count-median", f"the median must lie inside the range {count.start} to {count.stop}",
                str(count.median), f"{count.start + 1} to {count.stop - 1}")  # fmt: skip


def _refuse(code: str, message: str, found: str | None, allowed: str | None, hint: str | None = None) -> NoReturn:
    raise NetworkError(Fault(code=code, message=message, found=found, allowed=allowed, hint=hint))


def _refuse_median(count: Count) -> NoReturn:
    _refuse("network/count-median",
            f"no {count.family.replace('_', ' ')} law on {count.start} to {count.stop} has this median",
            f"median {count.median}, shape {count.shape}", None,
            "choose a median nearer the middle of the range, a wider range, or another shape")  # fmt: skip


def _negative_binomial(count: Count, lowest: int, target: Fraction) -> tuple[list[int], float]:
    """Weights c_k q^k with c_{k+1} / c_k = (k + r) / (k + 1) and q = μ / (μ + r), in units of 1e-45.

    The median's equation, multiplied out, is a polynomial in q whose coefficients are positive below
    the median and negative above it: by Descartes' rule of signs it has one positive root.
    """
    with localcontext(_CONTEXT):
        shape = Decimal(count.shape.numerator) / count.shape.denominator
        share = Decimal(target.numerator) / target.denominator
        factors = [Decimal(1)]
        for k in range(lowest, count.stop):
            factors.append(factors[-1] * (k + shape) / (k + 1))
        at = count.median - lowest
        equation = [factor * (1 - share) for factor in factors[:at]]
        equation += [factors[at] * (Decimal("0.5") - share)]
        equation += [-share * factor for factor in factors[at + 1 :]]
        equation.reverse()

        def too_low(q: Decimal) -> bool:
            total = Decimal(0)
            for coefficient in equation:
                total = total * q + coefficient
            return total > 0

        low, high = Decimal(0), Decimal(1)
        if too_low(high):
            _refuse_median(count)
        while high - low > high * _RELATIVE:
            middle = (low + high) / 2
            low, high = (middle, high) if too_low(middle) else (low, middle)
        if high == 1:
            _refuse_median(count)
        power, weights = Decimal(1), []
        for factor in factors:
            weights.append(factor * power)
            power *= high
        total = sum(weights)
        return [int(weight / total * Decimal("1e45")) for weight in weights], float(shape * high / (1 - high))


def _lognormal(count: Count, lowest: int, target: Fraction) -> tuple[list[int], float]:
    """Areas between the edges ln(k ± ½), in units of 2**-256; below ½ there is no edge."""
    edges = _log_edges(lowest, count.stop)
    scale, at = count.shape, count.median - lowest

    def area(edge: int, location: int) -> int:
        return _area((edge - location) * scale.denominator // scale.numerator)

    def too_low(location: int) -> bool:
        first, before, after, last = (area(edges[j], location) for j in (0, at, at + 1, -1))
        half = (before - first) * 2 + (after - before)
        return half * target.denominator > 2 * target.numerator * (last - first)

    reach = _REACH * scale.numerator * _ONE // scale.denominator
    low, high = edges[1 if lowest == 0 else 0] - reach, edges[-1] + reach
    if not too_low(low) or too_low(high):
        _refuse_median(count)
    location = _bisect(too_low, low, high)
    areas = [area(edge, location) for edge in edges]
    return [after - before for before, after in pairwise(areas)], location / _ONE


def _bisect(too_low: Callable[[int], bool], low: int, high: int) -> int:
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if too_low(middle) else (low, middle)
    return high


def _log_edges(lowest: int, stop: int) -> list[int]:
    """ln(lowest − ½), …, ln(stop + ½) in units of 2**-256; minus infinity, as good as, for −½.

    The first is a decimal logarithm; each next one follows by
    ln((2k + 1) / (2k − 1)) = 2 artanh(1 / 2k) = 2 Σ_j (2k)^−(2j+1) / (2j + 1).
    """
    edges = []
    if lowest == 0:
        edges.append(-_ONE << _BITS)
        lowest = 1
    with localcontext(_CONTEXT) as context:
        context.prec = 90
        edges.append(int((Decimal(2 * lowest - 1) / 2).ln() * _ONE))
    for k in range(lowest, stop + 1):
        power, total, odd = _ONE // k, 0, 1
        while power > _SMALL:
            total += power // odd
            power //= 4 * k * k
            odd += 2
        edges.append(edges[-1] + total)
    return edges


def _area(x: int) -> int:
    """Integral of exp(-t²/2) from 0 to x, that to 12 beyond 12; both in units of 2**-256.

    The power series Σ_i (−1)^i x^(2i+1) / (2^i i! (2i + 1)) alternates; at x = 12 its largest term is
    below 2**104, so that 150 of the 256 bits are still good.
    """
    if x < 0:
        return -_area(-x)
    return _series(x) if x < _TAIL else _whole_area()


@functools.cache
def _whole_area() -> int:
    return _series(_TAIL)


def _series(size: int) -> int:
    square = size * size >> _BITS
    term = total = size
    i = 0
    while term > _SMALL:
        i += 1
        term = (term * square >> _BITS) // (2 * i)
        total += -(term // (2 * i + 1)) if i % 2 else term // (2 * i + 1)
    return total


def _with_zero(weights: list[int], zero: Fraction) -> list[int]:
    """The law with mass ``zero`` put in front, the rest in the proportion of ``weights``."""
    rest = zero.denominator - zero.numerator
    return [zero.numerator * sum(weights), *(rest * weight for weight in weights)]


def _round(weights: list[int]) -> tuple[int, ...]:
    """Shares of 10**15 by largest remainder; equal remainders go to the smaller count.

    Weights are solved, and good to 8 digits beyond the 15: remainders that differ by less are equal.

    Examples
    --------
    >>> _round([1, 1, 1])
    (333333333333334, 333333333333333, 333333333333333)
    """
    total = sum(weights)
    parts = [divmod(weight * DENOMINATOR, total) for weight in weights]
    shares = [share for share, _ in parts]
    left = DENOMINATOR - sum(shares)
    remainders = [(rest * _REMAINDERS + total // 2) // total for _, rest in parts]
    for k in sorted(range(len(parts)), key=lambda k: (-remainders[k], k))[:left]:
        shares[k] += 1
    return tuple(shares)
