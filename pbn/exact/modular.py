"""Exact elimination in residues: the plan is run in float64 modulo word-size primes, and the integers are rebuilt.

Every cell of a factor is a probability: a sum, over variables whose own tables are all among the factors, of products
of conditional probabilities. So a numerator N over the plan's common denominator D, the product of the denominators
of its tables, has 0 ≤ N ≤ D, and its residues modulo distinct primes whose product M exceeds D determine it.

Residues r are kept in float64, balanced: |r| < 0.51 p for primes p < 2^23. A product of two is below 2^44.1, so a sum
of `_TERMS` of them, and of 2^30 residues, is below 2^53 and exact. To reduce such a v, q = rint(v / p) is computed as
rint(v · (1/p)): |v/p| < 2^31 and the two roundings are relative errors of 2^-53 each, so q is off from v / p by less
than 1/2 + 2^-20; q · p is an integer below 2^53 + p, and v − q · p is exact with |v − q · p| < 0.51 p.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from pbn.exact.arithmetic import MatrixArithmetic, Numbers, Scatter
from pbn.network.model import Array, Table

PRIME_BITS = 22
"""Bits of a numerator that one prime carries at least."""
_TERMS = 400
_SIEVED = 2**16
_DIGIT = 32


@cache
def primes(below: int = 2 ** (PRIME_BITS + 1), among: int = _SIEVED) -> Array:
    """The primes of so many numbers below one, the largest first: some 4,000 of the last 2^16 below 2^23."""
    start = below - among
    prime = np.ones(among, dtype=bool)
    for factor in range(2, math.isqrt(below) + 1):
        prime[-start % factor :: factor] = False
    found: Array = start + np.flatnonzero(prime)[::-1]
    return found


def primes_needed(denominator: int) -> int | None:
    """How many of the `primes` have a product above the denominator; None where there are too few."""
    count = denominator.bit_length() // PRIME_BITS + 1
    return count if count <= len(primes()) else None


class ModularArithmetic(MatrixArithmetic):
    """Residues modulo several primes at once: arrays have a first axis over the primes."""

    def __init__(self, moduli: Array) -> None:
        self.moduli = moduli
        self.lead = (len(moduli),)

    def _along(self, dimensions: int) -> Array:
        return self.moduli.astype(np.float64).reshape(-1, *(1,) * (dimensions - 1))

    def _reduce(self, array: Array) -> Array:
        """The balanced residues, in place: see the module's docstring for why they are exact."""
        moduli = self._along(array.ndim)
        multiples = array * (1 / moduli)
        np.rint(multiples, out=multiples)
        multiples *= moduli
        array -= multiples
        return array

    def table(self, table: Table) -> Numbers:
        digits = [
            ((table.numerators >> shift) & (2**_DIGIT - 1)).astype(np.float64)
            for shift in range(0, table.denominator.bit_length(), _DIGIT)
        ]
        base = self._reduce(self._along(1 + table.numerators.ndim) * 0 + 2.0**_DIGIT)
        residues = np.zeros((*self.lead, *table.numerators.shape))
        for digit in reversed(digits):
            residues = self._reduce(residues * base + digit if digit is not digits[-1] else residues + digit)
        return Numbers(array=residues, denominator=table.denominator)

    def indicator(self, mask: Array) -> Numbers:
        return Numbers(array=np.broadcast_to(mask.astype(np.float64), (*self.lead, *mask.shape)))

    def multiply(self, left: Numbers, right: Numbers) -> Numbers:
        return Numbers(array=self._reduce(left.array * right.array), denominator=left.denominator * right.denominator)

    def total(self, numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
        return numbers.with_array(self._reduce(numbers.array.sum(axis=axes))) if axes else numbers

    def scatter(self, numbers: Numbers, scatter: Scatter) -> Numbers:
        flat = numbers.array.reshape(*self.lead, -1)
        summed = [np.bincount(scatter.target, weights=row, minlength=scatter.size) for row in flat]
        return numbers.with_array(self._reduce(np.stack(summed).reshape(*self.lead, *scatter.shape)))

    def dot(self, left: Array, right: Array) -> Array:
        found = self._reduce(left[..., :_TERMS] @ right[..., :_TERMS, :])
        for start in range(_TERMS, left.shape[-1], _TERMS):
            found += self._reduce(left[..., start : start + _TERMS] @ right[..., start : start + _TERMS, :])
        return found if left.shape[-1] <= _TERMS else self._reduce(found)


def rebuilt(residues: Array, moduli: Array) -> Array:
    """The integers below the product M of the moduli with the given residues, one row for each modulus.

    N ≡ Σ_p s_p · (M/p) modulo M with s_p = r_p · (M/p)^-1 mod p. The sum is one product of matrices, with M/p cut into
    limbs of 16 bits where primes of b bits are so few that b + 16 bits and a sum of that many terms stay below 2^53
    (16,000 of 23 bits), else into limbs of 8 (16,000 of 31 bits).
    """
    moduli = moduli.astype(np.int64)
    known = moduli.tolist()
    limb = 16 if max(known) * len(known) < 2 ** (53 - 16) else 8
    whole = math.prod(known)
    others = [whole // p for p in known]
    words = -(-whole.bit_length() // 64)
    limbs = np.stack([np.frombuffer(other.to_bytes(8 * words, "little"), dtype=f"<u{limb // 8}") for other in others])
    inverses = np.array([pow(other, -1, p) for other, p in zip(others, known, strict=True)])
    scaled = residues.astype(np.int64).T % moduli * inverses % moduli
    found = np.empty(len(scaled), dtype=object)
    block = 2**20 // limbs.shape[1] + 1
    for start in range(0, len(scaled), block):
        sums = (scaled[start : start + block].astype(np.float64) @ limbs.astype(np.float64)).astype("<u8")
        for position, row in enumerate(sums, start):
            # limbs that are 64 bits apart are a number of words that do not overlap
            apart = 64 // limb
            parts = (int.from_bytes(row[k::apart].tobytes(), "little") << (limb * k) for k in range(apart))
            found[position] = sum(parts) % whole
    return found
