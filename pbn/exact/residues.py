"""Exact non-negative integers as their remainders by many primes: vectorised, and of one size whatever their length.

Sums and products are taken modulo each prime; an integer below the product of the primes is found again from its
remainders (Garner, 1959). Two integers whose difference is smaller than the product are equal exactly where all
their remainders are.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pbn.network.model import Array

PRIME_BITS = 31


@lru_cache(maxsize=1)
def _all_primes() -> tuple[int, ...]:
    """The primes from 2^31 − 2^20 to 2^31, largest first: some 48,000, enough for 1.5 million bits."""
    low, high = 2**PRIME_BITS - 2**20, 2**PRIME_BITS
    root = int(high**0.5) + 1
    small = np.ones(root + 1, dtype=bool)
    small[:2] = False
    for k in range(2, int(root**0.5) + 1):
        if small[k]:
            small[k * k :: k] = False
    sieve = np.ones(high - low, dtype=bool)
    for prime in np.flatnonzero(small).tolist():
        sieve[(-low) % prime :: prime] = False
    return tuple((np.flatnonzero(sieve)[::-1] + low).tolist())


def primes_for(bits: int) -> Array:
    """Primes whose product exceeds 2^bits, three at least, as a column of shape (count, 1)."""
    count = max(3, bits // (PRIME_BITS - 1) + 1)  # each is above 2^30
    return np.array(_all_primes()[:count], dtype=np.uint64)[:, None]


def remainders(numbers: Array, primes: Array) -> Array:
    """The integers' remainders, shape (primes, *numbers.shape)."""
    column = primes.reshape(-1, *([1] * numbers.ndim))
    if numbers.dtype == object:
        flat = [[int(n) % int(p) for n in numbers.ravel().tolist()] for p in primes.ravel()]
        return np.array(flat, dtype=np.uint64).reshape(len(primes), *numbers.shape)
    found: Array = numbers.astype(np.uint64)[None] % column
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


def integers_of(residues: Array, primes: Array) -> Array:
    """The integers from 0 to the product of the primes with these remainders, as Python integers; shape (n,)."""
    digits: list[Array] = []
    for k, prime in enumerate(primes.ravel().tolist()):
        p = np.uint64(prime)
        value = np.zeros(residues.shape[1], dtype=np.uint64)
        scale = 1
        for digit, earlier in zip(digits, primes.ravel().tolist(), strict=False):
            value = (value + digit % p * np.uint64(scale % prime)) % p
            scale = scale * earlier % prime
        inverse = np.uint64(pow(scale, -1, prime))
        digits.append((residues[k] + p - value) % p * inverse % p)
    total = np.zeros(residues.shape[1], dtype=object)
    for digit, prime in zip(reversed(digits), reversed(primes.ravel().tolist()), strict=True):
        total = total * prime + digit.astype(object)
    return total
