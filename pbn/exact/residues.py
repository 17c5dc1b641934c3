"""Exact non-negative integers as their remainders by primes near 2^31, in whole numbers of 64 bits.

Sums and products are taken modulo each prime; an integer below the product of the primes is found again from its
remainders (`pbn.exact.modular.rebuilt`). Two integers whose difference is smaller than the product are equal exactly
where all their remainders are.
"""

from __future__ import annotations

import numpy as np

from pbn.exact.modular import primes
from pbn.network.model import Array

PRIME_BITS = 31
_SIEVED = 2**18
"""Numbers below 2^31 among which there are some 12,000 primes, enough for 360,000 bits."""


def primes_for(bits: int) -> Array | None:
    """Primes whose product exceeds 2^bits, three at least, shape (count, 1); None where there are too few of them."""
    known = primes(2**PRIME_BITS, _SIEVED)
    count = max(3, bits // (PRIME_BITS - 1) + 1)  # each is above 2^30
    return known[:count].astype(np.uint64)[:, None] if count <= len(known) else None


def remainders(numbers: Array, primes: Array) -> Array:
    """The integers' remainders, shape (primes, n)."""
    whole = object if numbers.dtype == object else np.uint64
    found: Array = (numbers.astype(whole)[None] % primes.astype(whole)).astype(np.uint64)
    return found


def inverses(numbers: Array, primes: Array) -> Array:
    """Inverses modulo each prime, 0 for 0: the power p − 2 (Fermat)."""
    result = np.ones_like(numbers)
    power = numbers.copy()
    exponents = (primes - np.uint64(2)).astype(np.uint64)
    for bit in range(PRIME_BITS):
        odd = (exponents >> np.uint64(bit)) & np.uint64(1)
        result = np.where(odd == 1, result * power % primes, result)
        power = power * power % primes
    return result
