"""The law of a sum of unequal yes/no outcomes in exact and in 60-digit arithmetic: what ours is held against."""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from itertools import accumulate

CONTEXT = Context(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX)


def exact_pmf(odds):
    """P(S = j) as fractions, of few trials given by (success, failure)."""
    pmf = [Fraction(1)]
    for success, failure in odds:
        p = Fraction(success) / (Fraction(success) + Fraction(failure))
        pmf = [a * (1 - p) + b * p for a, b in zip([*pmf, 0], [0, *pmf], strict=True)]
    return pmf


def decimal_pmf(odds):
    """P(S = j) with 60 digits, of up to some thousands of trials: every term is positive, so no digit is lost."""
    add, times = CONTEXT.add, CONTEXT.multiply
    pmf = [Decimal(1)]
    for success, failure in odds:
        total = Fraction(success) + Fraction(failure)
        p, q = (ratio(Fraction(part) / total) for part in (success, failure))
        inner = [add(times(a, q), times(b, p)) for a, b in zip(pmf[1:], pmf[:-1], strict=True)]
        pmf = [times(pmf[0], q), *inner, times(pmf[-1], p)]
    return pmf


def ratio(number):
    return CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator))


def binomial_pmf(n, p):
    """P(S = j) of n equal trials with 60 digits, from the ratios of its neighbours."""
    odds, j = ratio(Fraction(p) / (1 - Fraction(p))), int(n * p)
    middle = CONTEXT.multiply(
        Decimal(math.comb(n, j)),
        CONTEXT.multiply(
            CONTEXT.power(ratio(Fraction(p)), j),
            CONTEXT.power(ratio(1 - Fraction(p)), n - j),
        ),
    )
    up = accumulate(
        range(j, n),
        lambda term, i: CONTEXT.divide(CONTEXT.multiply(CONTEXT.multiply(term, odds), n - i), i + 1),
        initial=middle,
    )
    down = accumulate(
        range(j, 0, -1),
        lambda term, i: CONTEXT.divide(CONTEXT.multiply(term, i), CONTEXT.multiply(odds, n - i + 1)),
        initial=middle,
    )
    return [*list(down)[:0:-1], *up]


def log_tails(pmf):
    """Two functions of k, log P(S ≥ k) and log P(S ≤ k), as floats."""
    add = CONTEXT.add if isinstance(pmf[0], Decimal) else lambda a, b: a + b
    below, above = list(accumulate(pmf, add)), list(accumulate(pmf[::-1], add))[::-1]
    zero = pmf[0] * 0

    def upper(k):
        return log(above[k], below[k - 1] if k else zero)

    def lower(k):
        return log(below[k], above[k + 1] if k < len(pmf) - 1 else zero)

    return upper, lower


def log(number, rest):
    """log of a number, given 1 − number."""
    if rest < number:
        return math.log1p(-float(rest))
    if number == 0:
        return -math.inf
    return float(CONTEXT.ln(ratio(number) if isinstance(number, Fraction) else number))
