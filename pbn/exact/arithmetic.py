"""Ways to compute with the same plan: exact integers, float64, and possible-or-not; `modular` has a fourth."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
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
    """How probabilities are represented, multiplied and added.

    Arrays have the axes ``lead`` before those of a factor's scope; ``axes`` to sum over are counted from the end.
    """

    lead: tuple[int, ...] = ()

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

    def product(self, parts: Sequence[Numbers], shape: tuple[int, ...]) -> Numbers:
        """The product of parts that broadcast to ``shape``, over all of it."""
        product = parts[0]
        for part in parts[1:]:
            product = self.multiply(product, part)
        whole = (*self.lead, *shape)
        return product if product.array.shape == whole else product.with_array(np.broadcast_to(product.array, whole))

    def contract(self, parts: Sequence[Numbers], shape: tuple[int, ...], axes: tuple[int, ...]) -> Numbers:
        """The product of the parts, summed over axes."""
        return self.total(self.product(parts, shape), axes)

    def room(self, _parts: Sequence[Numbers], shape: tuple[int, ...]) -> int:
        """Cells that `contract` multiplies out."""
        return math.prod((*self.lead, *shape))


FEW = 2**10
"""A product of no more cells is multiplied out and summed: for so few that is faster than a product of matrices."""


class MatrixArithmetic(Arithmetic):
    """Arithmetic on plain arrays of numbers, where a sum of products is a product of matrices.

    Of the parts of a product, one is set aside: that without which the product of the others is smallest. It is
    multiplied with theirs and summed over in one go, and the whole product is never held.
    """

    def dot(self, left: Array, right: Array) -> Array:
        """Products of matrices, over the last two axes."""
        product: Array = left @ right
        return product

    def contract(self, parts: Sequence[Numbers], shape: tuple[int, ...], axes: tuple[int, ...]) -> Numbers:
        split = self._apart(parts, shape)
        if split is None:
            return super().contract(parts, shape, axes)
        apart, others = split
        right = parts[apart]
        left = self.product([part for k, part in enumerate(parts) if k != apart], others)
        return Numbers(array=_summed_product(self, left, right, axes), denominator=left.denominator * right.denominator)

    def room(self, parts: Sequence[Numbers], shape: tuple[int, ...]) -> int:
        split = self._apart(parts, shape)
        return super().room(parts, shape if split is None else split[1])

    def _apart(self, parts: Sequence[Numbers], shape: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
        """The part to set aside and the shape of the others' product; None where all are multiplied out."""
        if len(parts) < 2 or math.prod(shape) <= FEW:
            return None
        first = len(self.lead)
        sizes = [part.array.shape[first:] for part in parts]
        if np.broadcast_shapes(*sizes) != shape:
            return None
        without = [
            np.broadcast_shapes(*(size for k, size in enumerate(sizes) if k != skip)) for skip in range(len(sizes))
        ]
        apart = min(range(len(parts)), key=lambda skip: math.prod(without[skip]))
        return None if without[apart] == shape else (apart, without[apart])


class FloatArithmetic(MatrixArithmetic):
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


def _summed_product(arithmetic: MatrixArithmetic, left: Numbers, right: Numbers, axes: tuple[int, ...]) -> Array:
    """Σ over axes of the product of two arrays of the same dimensions, each of which may lack some axes (size 1)."""
    dimensions = left.array.ndim
    summed = {axis + dimensions for axis in axes}

    def without(mine: Numbers, other: Numbers) -> Array:
        """Summed over what the other lacks."""
        alone = tuple(a - dimensions for a in summed if mine.array.shape[a] > 1 and other.array.shape[a] == 1)
        total = arithmetic.total(mine, alone).array
        return np.expand_dims(total, tuple(a + dimensions for a in alone))

    one, other = without(left, right), without(right, left)
    kept = [a for a in range(dimensions) if a not in summed]
    inner = [a for a in summed if one.shape[a] > 1]
    both = [a for a in kept if one.shape[a] > 1 and other.shape[a] > 1]
    rows = [a for a in kept if a not in both and one.shape[a] > 1]
    columns = [a for a in kept if a not in both and one.shape[a] == 1]

    def matrix(array: Array, outer: list[int], inside: list[int]) -> Array:
        gone = tuple(a for a in range(dimensions) if a not in (*both, *outer, *inside))
        order = [*both, *outer, *inside, *gone]
        sizes = [math.prod(array.shape[a] for a in group) for group in (outer, inside)]
        return array.transpose(order).reshape(*(array.shape[a] for a in both), *sizes)

    product = arithmetic.dot(matrix(one, rows, inner), matrix(other, inner, columns))
    order = [*both, *rows, *columns]
    shape = [max(one.shape[a], other.shape[a]) for a in order]
    return product.reshape(shape).transpose([order.index(a) for a in kept])


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
