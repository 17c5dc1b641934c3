"""The law of a sufficient statistic and the outcome: Bayes errors, entropies and posteriors are read off it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from pbn.errors import BudgetError, Fault, listing
from pbn.exact.arithmetic import EXACT, FLOAT, Numbers, integers
from pbn.exact.choice import by_diagram
from pbn.exact.eliminate import BoundPlan, bind, joint, known_codes
from pbn.exact.law import DiagramLaw, Law
from pbn.exact.order import Order
from pbn.exact.statistic import Statistic
from pbn.figures import count_text
from pbn.network.model import Array, Network, read_only

ArithmeticName = Literal["exact", "float"]

SMALL_TABLE = 10**5
"""Cells up to which a table of all cases is computed to answer one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BayesError:
    """The least error that any predictor can have: ε* = 1 − Σ_f max_y P(F = f, Y = y).

    ``value`` is the float nearest to ``exact``; ``exact`` is None where float arithmetic was asked for.
    ``entropy`` is H(Y | visible) in nats (float64, relative error below 1e-12). ``statistic`` names
    the nodes F whose values are all that the visible set says about the outcome, or the posterior itself where a
    decision diagram gave its classes.
    """

    value: float
    exact: Fraction | None
    entropy: float
    statistic: tuple[str, ...]


class BoundStatistic:
    """A statistic together with the joint law P(F, Y), computed when first asked for.

    The law comes from an elimination over the statistic's nodes, or from a decision diagram, whose classes of
    histories take the place of the nodes' values.
    """

    def __init__(self, statistic: Statistic, budget: int, whole: Network | None = None) -> None:
        self.statistic = statistic
        self.budget = budget
        self.whole = whole
        self._joints: dict[str, Numbers] = {}
        self._laws: dict[str, Law | BudgetError | None] = {}

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of the statistic."""
        return self.statistic.nodes

    def route(self, arithmetic: ArithmeticName) -> str:
        """How a look-up finds an answer, in words; a partial result is said to be one."""
        law = self.law(arithmetic)
        if law is not None:
            return f"look-up in the {len(law.weights):,} classes of a decision diagram"
        if not self.nodes:
            return "the prior: what is shown says nothing about it"
        variables = [self.statistic.network.variables[node] for node in self.nodes]
        shown = [f"{v.name} ({v.text})" if v.origin == "auxiliary" else v.name for v in variables]
        return f"look-up in the table over {', '.join(shown)}"

    def is_worth_it(self, arithmetic: ArithmeticName) -> bool:
        """Whether one case should be looked up: the table is there already, or it is small."""
        small = arithmetic in self._joints or self.statistic.plan.largest <= SMALL_TABLE
        return small and self.is_affordable(arithmetic)

    def is_affordable(self, arithmetic: ArithmeticName) -> bool:
        """Whether the joint law, and the place of each case in it, can be computed within the budget."""
        try:
            law = self.law(arithmetic)
        except BudgetError:
            return False
        return law is None or law.moves is not None

    def law(self, arithmetic: ArithmeticName) -> Law | None:
        """The law by decision diagram where that is the better way in this arithmetic, None where elimination is.

        Raises
        ------
        BudgetError
            Neither is within the limits.
        """
        if arithmetic not in self._laws:
            try:
                self._laws[arithmetic] = self._found(exact=arithmetic == "exact")
            except BudgetError as error:
                self._laws[arithmetic] = error
        law = self._laws[arithmetic]
        if isinstance(law, BudgetError):
            raise law
        return law

    def _found(self, *, exact: bool) -> Law | None:
        statistic, whole = self.statistic, self.whole
        if whole is None:
            statistic.plan.check_budget(self.budget, exact=exact)
            return None

        def diagram(order: Order) -> DiagramLaw:
            return DiagramLaw(whole, (statistic.target,), self.needed, budget=self.budget, order=order)

        return by_diagram(statistic.plan, diagram, self.budget, exact=exact)

    @cached_property
    def needed(self) -> tuple[str, ...]:
        """The visible variables that determine the statistic."""
        return self.statistic.needed()

    @cached_property
    def bound(self) -> BoundPlan:
        """The plan of P(F, Y) with its index maps evaluated, ready for any arithmetic."""
        return bind(self.statistic.plan, {})

    def joint(self, arithmetic: ArithmeticName) -> Numbers:
        """P(F, Y) as a matrix: a row for each combination of the statistic's states, a column for each state of Y."""
        if arithmetic not in self._joints:
            law = self.law(arithmetic)
            if law is not None:
                shaped = law.numbers(exact=arithmetic == "exact")
            else:
                self._check_matrix()
                shaped = self.shaped(joint(self.bound, EXACT if arithmetic == "exact" else FLOAT))
            self._joints[arithmetic] = shaped.with_array(read_only(shaped.array))
        return self._joints[arithmetic]

    def _check_matrix(self) -> None:
        """The matrix may be larger than the plan's result: constants and a visible outcome get their axes back."""
        size, target = self.statistic.network.size, self.statistic.target
        cells = math.prod(size(node) for node in (*self.nodes, target))
        if 8 * cells > self.budget:
            raise BudgetError(
                Fault(
                    code="exact/over-budget",
                    message=f"the law of {target} and {listing(self.nodes)} has {count_text(cells)} cells",
                    allowed=f"{count_text(self.budget // 8)} cells (the budget)",
                    hint=f"give {target} fewer states, or raise the budget",
                )
            )

    def shaped(self, numbers: Numbers) -> Numbers:
        """The plan's result as a matrix, as `joint` gives it."""
        plan = self.statistic.plan
        size = self.statistic.network.size
        target = self.statistic.target
        array = numbers.array
        if plan.known.intersection(plan.targets):
            array = self._with_known(array)
        if target in self.nodes:
            return numbers.with_array(np.diag(array.ravel()))
        return numbers.with_array(array.reshape(-1, size(target)))

    def _with_known(self, array: Array) -> Array:
        """Targets that are constant get their axis back, all mass at their one possible state."""
        plan, network = self.statistic.plan, self.statistic.network
        codes = known_codes(network, plan, {})
        full = np.zeros([network.size(name) for name in plan.targets], dtype=array.dtype)
        full[tuple(codes[name] if name in plan.known else slice(None) for name in plan.targets)] = array
        return full

    def rows(self, codes: Mapping[str, Array], arithmetic: ArithmeticName = "exact") -> Array:
        """Row of `joint` for each case, from the codes of the visible variables that it needs."""
        law = self.law(arithmetic)
        if law is not None:
            return law.classes_of(codes)
        found = np.zeros(next(iter(codes.values())).shape if codes else (), dtype=np.intp)
        for node, code in zip(self.nodes, self.statistic.codes(codes), strict=True):
            found = found * self.statistic.network.size(node) + code
        return found

    def row(self, codes: Mapping[str, int], arithmetic: ArithmeticName) -> list[int] | list[float]:
        """P(F = f, Y = y) of one case, for each y."""
        arrays = {name: np.asarray(code) for name, code in codes.items()}
        numbers = self.joint(arithmetic)
        return weights_of(numbers.with_array(numbers.array[int(self.rows(arrays, arithmetic))]), arithmetic)

    def posteriors(self) -> Array:
        """P(Y | F = f) for each f, shape (rows, states); NaN where F = f is impossible."""
        array = integers(self.joint("exact"))
        totals = array.sum(axis=1, keepdims=True)
        possible = (totals != 0).ravel()
        found = np.full(array.shape, np.nan)
        found[possible] = (array[possible] / totals[possible]).astype(np.float64)
        return found

    def bayes_error(self, arithmetic: ArithmeticName = "exact") -> BayesError:
        """ε* and H(Y | visible) from the joint law."""
        by_classes = self.law(arithmetic) is not None
        nodes = (f"P({self.statistic.target} | shown)",) if by_classes else self.nodes
        return error_of(self.joint(arithmetic), nodes, arithmetic)

    def columns(self, rows: Array) -> dict[str, Array]:
        """What rows of the exact `joint` stand for: a state of each node, or the number of a class."""
        if self.law("exact") is not None:
            return {"class": rows}
        if not self.nodes:
            return {}
        network = self.statistic.network
        grid = np.unravel_index(rows, [network.size(node) for node in self.nodes])
        states = [np.array(network.variables[node].states, dtype=object) for node in self.nodes]
        return {node: texts[code] for node, texts, code in zip(self.nodes, states, grid, strict=True)}


def error_of(numbers: Numbers, nodes: tuple[str, ...], arithmetic: ArithmeticName) -> BayesError:
    """The Bayes error and conditional entropy of a joint law P(F, Y), rows F."""
    exact = None
    if arithmetic == "exact":
        array = integers(numbers)
        wrong = int(array.sum() - array.max(axis=1).sum())
        exact = Fraction(wrong, numbers.denominator)
        probabilities = (array / numbers.denominator).astype(np.float64)
        value = float(exact)
    else:
        probabilities = numbers.array
        value = float((probabilities.sum(axis=1) - probabilities.max(axis=1)).sum())
    rows = np.broadcast_to(probabilities.sum(axis=1, keepdims=True), probabilities.shape)
    positive = probabilities > 0
    p, row = probabilities[positive], rows[positive]
    entropy = abs(math.fsum((p * np.log(p / row)).tolist()))
    return BayesError(value=value, exact=exact, entropy=entropy, statistic=nodes)


def weights_of(numbers: Numbers, arithmetic: ArithmeticName) -> list[int] | list[float]:
    """The numerators as integers, or the floats, in one list."""
    flat = np.atleast_1d(integers(numbers) if arithmetic == "exact" else numbers.array).ravel()
    return [int(v) for v in flat] if arithmetic == "exact" else [float(v) for v in flat]
