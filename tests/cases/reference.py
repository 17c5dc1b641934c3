"""Rows drawn one by one in Fraction, from the same words found the plain way."""

from __future__ import annotations

import hashlib
import itertools
import json
from fractions import Fraction

import numpy as np
from scipy import stats

from pbn.network.model import Fold, IndexMap, Table
from tests.oracles.enumeration import FOLDS


def word(source, name, row, depth=0):
    """Output ``row`` of Philox under the key that SHA-256 makes of the source, the name and the depth."""
    text = json.dumps([*source, name, depth], separators=(",", ":"))
    key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
    return int(np.random.Philox(key=key).random_raw(row + 1)[row])


def choose(probabilities, digit):
    """The k with C(k) ≤ u < C(k + 1), from digits of u to the base 2^64, as many as it takes."""
    low, width = Fraction(0), Fraction(1)
    for depth in itertools.count():
        width /= 2**64
        low += digit(depth) * width
        sums = [Fraction(0), *itertools.accumulate(probabilities)]
        for k in range(len(probabilities)):
            if sums[k] <= low and low + width <= sums[k + 1]:
                return k


def row_of(network, digit):
    """One case: the position of each variable's state, ``digit(name, depth)`` being its words."""
    case = {}
    for name, cpd in network.cpds.items():
        where = tuple(case[parent] for parent in cpd.parents)
        if isinstance(cpd, Table):
            shares = [Fraction(int(cell), cpd.denominator) for cell in cpd.numerators[where]]
            case[name] = choose(shares, lambda depth, name=name: digit(name, depth))
        elif isinstance(cpd, IndexMap):
            case[name] = int(cpd.index[where])
        else:
            assert isinstance(cpd, Fold)
            value = FOLDS[cpd.operation]([term[s] for term, s in zip(cpd.terms, where, strict=True)])
            case[name] = network.variables[name].values.index(value)
    return case


class Given:
    """Streams of given words."""

    def __init__(self, digit):
        self.digit = digit

    def words(self, name, start, count):
        return np.array([self.digit(name, row, 0) for row in range(start, start + count)], dtype=np.uint64)

    def word(self, name, row, depth=0):
        return self.digit(name, row, depth)


def p_value(counts, probabilities):
    """The chi-square p-value of counts; outcomes that are expected less than ten times are taken together."""
    counts, expected = np.asarray(counts, float).ravel(), np.asarray(probabilities, float).ravel() * np.sum(counts)
    assert not counts[expected == 0].any(), "an impossible outcome was drawn"
    rare = expected < 10
    counts, expected = (
        [*a[~rare], *([a[rare].sum()] if expected[rare].sum() >= 1 else [])] for a in (counts, expected)
    )
    if len(counts) < 2:
        return 1.0
    statistic = sum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True))
    return float(stats.chi2.sf(statistic, len(counts) - 1))
