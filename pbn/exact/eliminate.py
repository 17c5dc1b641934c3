"""Variable elimination by a plan: multiply, sum out, and push mass through index maps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pbn.exact.arithmetic import EXACT, Arithmetic, Numbers, Scatter
from pbn.exact.modular import ModularArithmetic, primes, rebuilt
from pbn.exact.steps import BLOCK, Factor, Plan, Scope, Step
from pbn.network.model import Array, IndexMap, Network, Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Input:
    """How a step reads a factor over its domain: by index arrays, or with its axes moved to the domain's."""

    key: int
    index: tuple[Array, ...] | None = None
    axes: tuple[int, ...] = ()
    shape: tuple[int, ...] = ()

    def read(self, array: Array) -> Array:
        """The factor's array, broadcastable over the domain; a bare number where it has no axes."""
        if self.index is None:
            lead = array.ndim - len(self.axes)
            axes = (*range(lead), *(lead + axis for axis in self.axes))
            return array.transpose(axes).reshape((*array.shape[:lead], *self.shape))
        where: tuple[Any, ...] = (..., *self.index)
        read: Array = array[where]
        return read


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Gather:
    """A bound substitution: the input read by index arrays becomes the result."""

    input: Input
    result: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Product:
    """A bound step: how each input is read over the domain, and where the product goes."""

    inputs: tuple[Input, ...]
    shape: tuple[int, ...]
    axes: tuple[int, ...]
    scatter: Scatter | None
    result: int


Watch = Callable[[Product, Numbers], None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundPlan:
    """A plan with its index maps evaluated for given evidence; run it in any arithmetic."""

    plan: Plan
    tables: tuple[tuple[int, Table, tuple[slice | int, ...]], ...]
    indicators: tuple[tuple[int, Array], ...]
    operations: tuple[Product | Gather, ...]
    maps: Mapping[int, Array]


def known_codes(network: Network, plan: Plan, evidence: Mapping[str, int]) -> dict[str, int]:
    """Positions of the states of everything that the evidence determines."""
    codes = dict(evidence)
    for name in network.variables:
        if name in plan.known and name not in codes:
            cpd = network.cpds[name]
            codes[name] = (
                int(cpd.index[tuple(codes[p] for p in cpd.parents)])
                if (isinstance(cpd, IndexMap) and all(p in codes for p in cpd.parents))
                else 0
            )
    return codes


def bind(plan: Plan, evidence: Mapping[str, int]) -> BoundPlan:
    """Evaluate everything of a plan that depends on index maps and evidence but not on probabilities."""
    network = plan.network
    codes = known_codes(network, plan, evidence)
    tables, indicators = [], []
    maps: dict[int, Array] = {}
    for factor, name in zip(plan.factors, plan.sources, strict=True):
        cpd = network.cpds[name]
        where: tuple[slice | int, ...] = tuple(codes.get(parent, slice(None)) for parent in cpd.parents)
        if isinstance(cpd, Table):
            tables.append((factor.key, cpd, (*where, codes.get(name, slice(None)))))
        else:
            assert isinstance(cpd, IndexMap)
            index = cpd.index[where]
            if factor.child is None:
                indicators.append((factor.key, np.asarray(index == codes[name])))
            else:
                maps[factor.key] = index
    operations: list[Product | Gather] = []
    for step in plan.steps:
        if step.substitutes is None:
            operations.append(_bind_product(network, step, maps))
        else:
            operations += _bind_substitution(network, step, maps)
    return BoundPlan(
        plan=plan, tables=tuple(tables), indicators=tuple(indicators), operations=tuple(operations), maps=maps
    )


def _axis(position: int, size: int, dimensions: int) -> Array:
    """Coordinates along one axis, shaped so that they broadcast over the domain."""
    shape = [1] * dimensions
    shape[position] = size
    return np.arange(size).reshape(shape)


def coordinates(
    network: Network, domain: Scope, maps: Sequence[Factor], arrays: Mapping[int, Array]
) -> dict[str, Array]:
    """Each variable's code as a broadcastable array over the domain; derived ones through their maps."""
    found = {name: _axis(k, network.size(name), len(domain)) for k, name in enumerate(domain)}
    for factor in maps:
        assert factor.child is not None
        found[factor.child] = arrays[factor.key][tuple(found[name] for name in factor.scope)]
    return found


def _bind_product(network: Network, step: Step, arrays: Mapping[int, Array]) -> Product:
    domain = step.domain
    found = coordinates(network, domain, step.maps, arrays)
    inputs = []
    for factor in step.dense:
        if set(factor.scope) <= set(domain):
            order = tuple(sorted(range(len(factor.scope)), key=lambda k: domain.index(factor.scope[k])))
            shape = tuple(network.size(name) if name in factor.scope else 1 for name in domain)
            inputs.append(Input(key=factor.key, axes=order, shape=shape))
        else:
            inputs.append(Input(key=factor.key, index=tuple(found[name] for name in factor.scope)))
    shape = tuple(network.size(name) for name in domain)
    (result,) = step.result
    if set(result.scope) <= set(domain):
        kept = [name for name in domain if name in result.scope]
        if tuple(kept) == result.scope:
            axes = tuple(k for k, name in enumerate(domain, -len(domain)) if name not in result.scope)
            return Product(inputs=tuple(inputs), shape=shape, axes=axes, scatter=None, result=result.key)
    target = np.zeros((1,) * len(domain), dtype=np.int64)
    for name in result.scope:
        target = target * network.size(name) + found[name]
    flat = np.broadcast_to(target, shape).ravel()
    scatter = Scatter(target=flat, shape=tuple(network.size(name) for name in result.scope))
    return Product(inputs=tuple(inputs), shape=shape, axes=(), scatter=scatter, result=result.key)


def _bind_substitution(network: Network, step: Step, arrays: dict[int, Array]) -> list[Gather]:
    own = step.substitutes
    assert own is not None
    operations = []
    for result, factor in step.written():
        assert factor is not None
        found = {name: _axis(k, network.size(name), len(result.scope)) for k, name in enumerate(result.scope)}
        found[step.eliminates[0]] = arrays[own.key][tuple(found[name] for name in own.scope)]
        index = tuple(found[name] for name in factor.scope)
        if factor.child is None:
            operations.append(Gather(input=Input(key=factor.key, index=index), result=result.key))
        else:
            arrays[result.key] = arrays[factor.key][index]
    return operations


def run(bound: BoundPlan, arithmetic: Arithmetic, watch: Watch | None = None) -> dict[int, Numbers]:
    """Carry out a bound plan; returns the dense factors that are left, by key.

    ``watch`` is shown each product over its whole domain before anything is summed out. Each is then held whole,
    which the plan's cost does not reckon with.
    """
    held: dict[int, Numbers] = {}
    for key, table, where in bound.tables:
        numbers = arithmetic.table(table)
        held[key] = numbers.with_array(numbers.array[(..., *where)])
    for key, mask in bound.indicators:
        held[key] = arithmetic.indicator(mask)
    for operation in bound.operations:
        parts = []
        for part in operation.inputs if isinstance(operation, Product) else (operation.input,):
            numbers = held.pop(part.key)
            parts.append(numbers.with_array(part.read(numbers.array)))
        if isinstance(operation, Product):
            one = np.ones((1,) * len(operation.shape), dtype=bool)
            parts = [_product(operation, parts or [arithmetic.indicator(one)], arithmetic, watch)]
        held[operation.result] = parts[0]
    return held


def _product(operation: Product, parts: list[Numbers], arithmetic: Arithmetic, watch: Watch | None) -> Numbers:
    parts.sort(key=lambda numbers: numbers.array.size)
    if operation.scatter is None and watch is None:
        return _sum_of_products(parts, operation.shape, operation.axes, arithmetic)
    whole = arithmetic.product(parts, operation.shape)
    if watch is not None:
        watch(operation, whole)
    if operation.scatter is None:
        return arithmetic.total(whole, operation.axes)
    return arithmetic.scatter(whole, operation.scatter)


def _sum_of_products(
    parts: list[Numbers], shape: tuple[int, ...], axes: tuple[int, ...], arithmetic: Arithmetic
) -> Numbers:
    """The product summed over axes; a large domain is gone through slice by slice and never held whole."""
    if arithmetic.room(parts, shape) <= BLOCK:
        return arithmetic.contract(parts, shape, axes)
    cut = max(range(-len(shape), 0), key=lambda axis: (shape[axis] > 1 and axis not in axes, shape[axis]))
    after = (slice(None),) * (-1 - cut)
    rest = tuple(size for axis, size in enumerate(shape, -len(shape)) if axis != cut)
    rest_axes = tuple(axis + (axis < cut) for axis in axes if axis != cut)
    slices: list[Numbers] = []
    for position in range(shape[cut]):
        part = [
            numbers.with_array(numbers.array[(..., min(position, numbers.array.shape[cut] - 1), *after)])
            for numbers in parts
        ]
        found = _sum_of_products(part, rest, rest_axes, arithmetic)
        if cut in axes and slices:  # the cut axis is summed: add up as we go
            both = np.stack([slices[0].array, found.array], axis=-1)
            found = arithmetic.total(found.with_array(both), (-1,))
            slices = []
        slices.append(found)
    if cut in axes:
        return slices[0]
    kept = sum(1 for axis in range(cut + 1, 0) if axis not in axes)
    return slices[0].with_array(np.stack([numbers.array for numbers in slices], axis=-1 - kept))


def joint(bound: BoundPlan, arithmetic: Arithmetic) -> Numbers:
    """The table over the plan's free targets, in their order, from a plan that combines them."""
    (factor,) = bound.plan.rest
    if arithmetic is EXACT and bound.plan.exact.moduli:
        return _modular_joint(bound, factor)
    return run(bound, arithmetic)[factor.key]


def _modular_joint(bound: BoundPlan, factor: Factor) -> Numbers:
    """The same from residues, as many primes at a time as the plan says."""
    cost = bound.plan.exact
    moduli = primes()[: cost.moduli]
    found = [
        run(bound, ModularArithmetic(moduli[start : start + cost.together]))[factor.key]
        for start in range(0, cost.moduli, cost.together)
    ]
    residues = np.concatenate([numbers.array for numbers in found])
    cells = rebuilt(residues.reshape(len(moduli), -1), moduli)
    return Numbers(array=cells.reshape(residues.shape[1:]), denominator=found[0].denominator)
