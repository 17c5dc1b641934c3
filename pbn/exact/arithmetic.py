"""Three ways to compute with the same plan: exact integers, float64, and possible-or-not."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pbn.network.model import Array, Table

_EXACT_IN_FLOAT = 2**53


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """An array of numerators over one common denominator (1 outside exact arithmetic)."""

    array: Array
    denominator: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.array, np.ndarray):  # arithmetic on arrays without axes yields bare numbers
            dtype = object if type(self.array) is int else None
            object.__setattr__(self, "array", np.array(self.array, dtype=dtype))

    def with_array(self, array: Array) -> Numbers:
        """The same denominator with other numerators."""
        return Numbers(array=array, denominator=self.denominator)


@dataclass(frozen=True, kw_only=True, eq=False)
class Scatter:
    """Where each cell of a flat array goes: to ``target[cell]`` in the flattened ``shape``."""

    target: Array
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of cells of the result."""
        return math.prod(self.shape)

    @cached_property
    def runs(self) -> tuple[Array, Array, Array]:
        """Cells sorted by target, where each target's run starts, and the targets that occur."""
        order = np.argsort(self.target, kind="stable")
        targets, starts = np.unique(self.target[order], return_index=True)
        return order, starts, targets


class Arithmetic(ABC):
    """How probabilities are represented, multiplied and added."""

    @abstractmethod
    def table(self, table: Table) -> Numbers:
        """The numbers of a CPD."""

    @abstractmethod
    def indicator(self, mask: Array) -> Numbers:
        """One where the mask holds, zero elsewhere."""

    @abstractmethod
    def multiply(self, left: Numbers, right: Numbers) -> Numbers:
        """Product, cell by cell, with broadcasting."""

    @abstractmethod
    def total(self, numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
        """Sum over axes."""

    @abstractmethod
    def scatter(self, numbers: Numbers, scatter: Scatter) -> Numbers:
        """Sum of the cells that go to each target."""


class FloatArithmetic(Arithmetic):
    """float64: each answer carries a relative error of about 1e-15 for each step."""

    def table(self, table: Table) -> Numbers:
        return Numbers(array=table.probabilities)

    def indicator(self, mask: Array) -> Numbers:
        return Numbers(array=mask.astype(np.float64))

    def multiply(self, left: Numbers, right: Numbers) -> Numbers:
        return Numbers(array=left.array * right.array)

    def total(self, numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
        return Numbers(array=numbers.array.sum(axis=axes)) if axes else numbers

    def scatter(self, numbers: Numbers, scatter: Scatter) -> Numbers:
        summed = np.bincount(scatter.target, weights=numbers.array.ravel(), minlength=scatter.size)
        return Numbers(array=summed.reshape(scatter.shape))


class ExactArithmetic(Arithmetic):
    """Integers over one common denominator.

    No cell of a factor exceeds 1, so numerators are bounded by the denominator: while that is below
    2^53 they are kept in float64, which is exact there, and after that as Python's integers.
    """

    def table(self, table: Table) -> Numbers:
        return self._fit(table.numerators, table.denominator)

    def indicator(self, mask: Array) -> Numbers:
        return Numbers(array=mask.astype(np.float64))

    def multiply(self, left: Numbers, right: Numbers) -> Numbers:
        denominator = left.denominator * right.denominator
        if denominator < _EXACT_IN_FLOAT:
            return Numbers(array=left.array * right.array, denominator=denominator)
        return Numbers(array=_integers(left.array) * _integers(right.array), denominator=denominator)

    def total(self, numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
        return numbers.with_array(numbers.array.sum(axis=axes)) if axes else numbers

    def scatter(self, numbers: Numbers, scatter: Scatter) -> Numbers:
        flat = numbers.array.ravel()
        if flat.dtype != object:
            summed = np.bincount(scatter.target, weights=flat, minlength=scatter.size)
        else:
            order, starts, targets = scatter.runs
            summed = np.zeros(scatter.size, dtype=object)
            summed[targets] = np.add.reduceat(flat[order], starts)
        return numbers.with_array(summed.reshape(scatter.shape))

    @staticmethod
    def _fit(numerators: Array, denominator: int) -> Numbers:
        dtype = np.float64 if denominator < _EXACT_IN_FLOAT else object
        return Numbers(array=numerators.astype(dtype), denominator=denominator)


def _integers(array: Array) -> Array:
    return array if array.dtype == object else array.astype(np.int64).astype(object)


def integers(numbers: Numbers) -> Array:
    """The numerators as Python integers."""
    return _integers(numbers.array)


class BooleanArithmetic(Arithmetic):
    """Possible or not: whether a probability is positive, whatever its size."""

    def table(self, table: Table) -> Numbers:
        return Numbers(array=table.numerators > 0)

    def indicator(self, mask: Array) -> Numbers:
        return Numbers(array=mask)

    def multiply(self, left: Numbers, right: Numbers) -> Numbers:
        return Numbers(array=left.array & right.array)

    def total(self, numbers: Numbers, axes: tuple[int, ...]) -> Numbers:
        return numbers.with_array(np.asarray(numbers.array.any(axis=axes))) if axes else numbers

    def scatter(self, numbers: Numbers, scatter: Scatter) -> Numbers:
        summed = np.zeros(scatter.size, dtype=bool)
        summed[scatter.target[np.broadcast_to(numbers.array.ravel(), scatter.target.shape)]] = True
        return Numbers(array=summed.reshape(scatter.shape))


FLOAT = FloatArithmetic()
EXACT = ExactArithmetic()
BOOLEAN = BooleanArithmetic()
