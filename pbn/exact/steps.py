"""The steps of an elimination and what they cost, known before anything is allocated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from pbn.errors import BudgetError, Fault, listing
from pbn.exact.modular import primes_needed
from pbn.figures import count_text, size_text
from pbn.network.model import Network, Table

DEFAULT_BUDGET = 2 * 10**9
"""Bytes that an elimination may hold at once."""

BLOCK = 2**22
"""Cells of a product that are multiplied out at once, where it is summed and not scattered."""
MAX_FLOAT_OPERATIONS = 10**11
"""Operations of an elimination in float64, some minutes; more are refused."""
MAX_EXACT_SECONDS = 250
"""The same for exact arithmetic, by the estimate of `ExactCost`."""
BEYOND = 2**62
"""Cells that no machine holds: planning ends there."""

Scope = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """An input of an elimination: a dense array over ``scope``, or a map from ``scope`` to ``child``."""

    key: int
    scope: Scope
    child: str | None = None

    @property
    def names(self) -> Scope:
        """All variables that the factor mentions."""
        return self.scope if self.child is None else (*self.scope, self.child)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: multiply ``dense`` over ``domain``, read ``maps``, sum or scatter into ``result``.

    A substitution (``dense`` and ``maps`` are rewritten one by one, nothing is summed) has
    ``substitutes`` set to the map that is put in for the eliminated variable.
    """

    eliminates: Scope
    dense: tuple[Factor, ...]
    maps: tuple[Factor, ...]
    domain: Scope
    result: tuple[Factor, ...]
    substitutes: Factor | None = None

    @property
    def used(self) -> tuple[Factor, ...]:
        """The factors that the step reads and replaces."""
        return (*self.dense, *self.maps, *((self.substitutes,) if self.substitutes else ()))

    def written(self) -> Iterator[tuple[Factor, Factor | None]]:
        """Each result, in a substitution with the factor that it is a rewriting of."""
        if self.substitutes is None:
            yield self.result[0], None
            return
        dense = [factor for factor in self.result if factor.child is None]
        maps = [factor for factor in self.result if factor.child is not None]
        yield from zip((*dense, *maps), (*self.dense, *self.maps), strict=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """An elimination of everything but ``targets``, given values of ``evidence``.

    ``largest`` is the number of cells of the largest table, over ``largest_scope``; ``operations``
    counts multiplications and additions; ``cells`` is the most that is held at once; ``bits`` bounds the
    length of the integers of exact arithmetic. Planning ends where more than `BEYOND` cells would be held: such a
    plan lacks its last steps, and every budget refuses it.
    """

    network: Network
    targets: Scope
    evidence: Scope
    known: frozenset[str]
    factors: tuple[Factor, ...]
    sources: tuple[str, ...]
    steps: tuple[Step, ...]
    rest: tuple[Factor, ...]
    largest: int
    largest_scope: Scope
    operations: int
    cells: int
    bits: int

    @cached_property
    def exact(self) -> ExactCost:
        """What exact arithmetic costs."""
        return _exact_cost(self)

    def bytes_needed(self, *, exact: bool) -> int:
        """Memory that the elimination holds at once: 8 bytes a cell in float, as much as they need as integers."""
        return self.exact.memory if exact else 8 * self.cells

    def check_budget(self, budget: int, *, exact: bool) -> None:
        """Refuse the plan where it needs more than ``budget`` bytes, or too long."""
        needed = self.bytes_needed(exact=exact)
        table = f"a table of {count_text(self.largest)} cells over {listing(self.largest_scope, 8)}"
        if needed > budget or self.cells > BEYOND:
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    message=f"the elimination needs {table} ({size_text(needed)} in all)",
                    allowed=f"{size_text(budget)} (the budget)",
                    hint=_advice(self, budget, exact),
                )
            )
        if exact and self.exact.seconds > MAX_EXACT_SECONDS:
            needs = f"{count_text(self.operations)} operations on integers of some {self.bits:,} bits"
            found, most = f"{needs}, about {self.exact.seconds:,.0f} seconds", f"{MAX_EXACT_SECONDS:,} seconds"
        elif not exact and self.operations > MAX_FLOAT_OPERATIONS:
            found, most = f"{count_text(self.operations)} operations", f"{MAX_FLOAT_OPERATIONS:,} operations"
        else:
            return
        raise BudgetError(
            Fault(
                code="exact/too-long",
                message=f"the elimination needs {found}, and {table}",
                allowed=most,
                hint=_advice(self, budget, exact),
            )
        )


def _advice(plan: Plan, budget: int, exact: bool) -> str:
    if exact and plan.bytes_needed(exact=False) <= budget and plan.operations <= MAX_FLOAT_OPERATIONS:
        return "ask for float arithmetic, or raise the budget"
    last = plan.largest_scope[-1] if plan.largest_scope else ""
    return (
        f"show or hide fewer variables, give evidence on {last}, break its rule into smaller parts, or raise the budget"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactCost:
    """What an elimination costs in exact arithmetic, done in the way that is estimated to be the faster.

    ``moduli`` is the number of primes that it computes modulo, ``together`` of them at a time; 0 where it computes
    with whole integers. ``seconds`` is an estimate for a processor of 2024.
    """

    moduli: int
    together: int
    seconds: float
    memory: int


_ROOM = 2**23
"""Cells that a step may read and make, over all primes that are taken at a time."""
_MOST_TOGETHER = 16
_START, _START_RESIDUES = 10e-6, 60e-6
"""Seconds that one step, or the reading of one table, takes for any arrays: whole integers, and residues."""
_FLOAT, _DENSE, _SCATTERED = 2e-9, 0.2e-9, 5e-9
"""Seconds for one operation: in float64 below 2^53; with residues, as products of matrices or by index maps."""


def _integer_seconds(bits: float) -> float:
    return 60e-9 + bits * 0.08e-9


def _cell_bytes(bits: float) -> int:
    """Bytes of a numerator: float64 below 2^53, else a pointer and a Python integer of 30 bits for every 4 bytes."""
    return 8 if bits < 53 else 48 + math.ceil(bits / 7.5)


def _exact_cost(plan: Plan) -> ExactCost:
    network = plan.network
    if plan.cells > BEYOND:
        return ExactCost(moduli=0, together=0, seconds=math.inf, memory=8 * plan.cells)

    def cells(scope: Iterable[str]) -> int:
        return math.prod(network.size(name) for name in scope)

    denominators = [cpd.denominator if isinstance(cpd := network.cpds[n], Table) else 1 for n in plan.sources]
    bits = {factor.key: math.log2(whole) for factor, whole in zip(plan.factors, denominators, strict=True)}
    held = {factor.key: cells(factor.scope) * _cell_bytes(bits[factor.key]) for factor in plan.factors}
    total = memory = sum(held.values())
    whole, residues, widest = 0.0, 0.0, 1
    for step in plan.steps:
        work = cells(step.domain) if step.substitutes is None else 0
        operations = work * (len(step.dense) + 1)
        together = sum(bits[factor.key] for factor in step.dense)
        for factor, source in step.written():
            bits[factor.key] = together if source is None else bits[source.key]
            held[factor.key] = cells(factor.scope) * _cell_bytes(bits[factor.key])
        made = sum(held[factor.key] for factor in step.result)
        temporaries = 3 * work if step.maps or step.substitutes else 2 * min(work, BLOCK)
        memory = max(memory, total + made + temporaries * _cell_bytes(together))
        total += made - sum(held[factor.key] for factor in step.used)
        whole += _START + operations * (_FLOAT if together < 53 else _integer_seconds(together))
        read = sum(cells(factor.scope) for factor in (*step.used, *step.result))
        widest = max(widest, read + (work if step.maps else 0))
        residues += operations * (_SCATTERED if step.maps else _DENSE)
    count = primes_needed(math.prod(denominators)) if whole > 3e-3 else None
    if count is None:
        return ExactCost(moduli=0, together=0, seconds=whole, memory=memory)
    several = max(1, min(_MOST_TOGETHER, count, _ROOM // widest))
    starts = math.ceil(count / several) * _START_RESIDUES * (len(plan.sources) + len(plan.steps))
    rebuilt = sum(cells(factor.scope) for factor in plan.rest)
    seconds = starts + count * (residues + rebuilt * (count * 0.3e-9 + 1e-8))
    if whole <= seconds and memory <= DEFAULT_BUDGET:
        return ExactCost(moduli=0, together=0, seconds=whole, memory=memory)
    memory = 8 * several * plan.cells + rebuilt * (8 * count + _cell_bytes(sum(bits[f.key] for f in plan.rest)))
    return ExactCost(moduli=count, together=several, seconds=seconds, memory=memory)
