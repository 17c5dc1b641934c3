"""Probability tables: rows keyed by the states of the parents, every row exactly one."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field
from fractions import Fraction

from pbn.errors import listing
from pbn.spec.constants import Constants
from pbn.spec.names import unknown_state
from pbn.spec.nodes import Mapping, Node, Scalar, Sequence, kind_of
from pbn.spec.numerals import decimal
from pbn.spec.report import Report, shorten
from pbn.spec.states import keyed

MAX_BITS = 8_000

Rows = AbstractMapping[tuple[str, ...], tuple[Fraction, ...]]


def uniform(states: tuple[str, ...]) -> Rows:
    """The one row of a variable without parents whose states are equally likely."""
    return {(): (Fraction(1, len(states)),) * len(states)}


@dataclass
class TableReader:
    """Reads one ``p``: nested maps keyed by each parent's states in turn, a list or a map of cells at the end.

    ``parents`` maps each parent to its states. Rows may stand in any order; each must be there.
    """

    states: tuple[str, ...]
    parents: AbstractMapping[str, tuple[str, ...]]
    constants: Constants
    report: Report
    rows: dict[tuple[str, ...], tuple[Fraction, ...]] = field(default_factory=dict)

    def read(self, node: Node, key: Scalar) -> Rows | None:
        """The table, or None where something was wrong with it."""
        before = len(self.report)
        levels = [(name, {state: k for k, state in enumerate(states)}) for name, states in self.parents.items()]
        complete = self._descend(node, key, (), levels)
        return self.rows if complete and len(self.report) == before else None

    def _descend(
        self,
        node: Node,
        key: Scalar,
        prefix: tuple[str, ...],
        levels: list[tuple[str, dict[str, int]]],
    ) -> bool:
        if not levels:
            row = self._row(node, key, prefix)
            if row is not None:
                self.rows[prefix] = row
            return row is not None
        (parent, positions), *rest = levels
        if not isinstance(node, Mapping):
            self.report.add(
                "spec/wrong-shape",
                f"{_row_name(prefix)} is {kind_of(node)} where a map belongs",
                key.place,
                allowed=f"one row for each state of {parent}: {listing(positions)}",
            )
            return False
        complete = self._check_rows(node, key, prefix, parent, positions)
        known = [(positions[inner.text], inner, value) for inner, value in node.pairs if inner.text in positions]
        for _, inner, value in sorted(known, key=lambda row: row[0]):
            complete &= self._descend(value, inner, (*prefix, inner.text), rest)
        return complete

    def _check_rows(
        self,
        node: Mapping,
        key: Scalar,
        prefix: tuple[str, ...],
        parent: str,
        positions: dict[str, int],
    ) -> bool:
        """Report rows for states that the parent does not have, and states without a row."""
        unknown = [inner for inner, _ in node.pairs if inner.text not in positions]
        for inner in unknown:
            unknown_state(inner, parent, positions, self.report)
        missing = len(positions) - (len(node.pairs) - len(unknown))
        if missing > len(unknown):  # a misspelt row explains a missing one
            absent = next(state for state in positions if state not in node)
            where = f"row {_tuple((*prefix, absent))}"
            self.report.add(
                "spec/missing-row",
                f"{where} is missing" + (f", and {missing - 1} more" * (missing > 1)),
                key.place,
                allowed=f"one row for each state of {parent}: {listing(positions)}",
            )
        return not missing and not unknown

    def _row(self, node: Node, key: Scalar, prefix: tuple[str, ...]) -> tuple[Fraction, ...] | None:
        before = len(self.report)
        cells: list[Scalar] = []
        if isinstance(node, Mapping):
            cells = keyed(node, key, self.states, _row_name(prefix), self.report)
        elif isinstance(node, Sequence) and all(isinstance(item, Scalar) for item in node.items):
            cells = [item for item in node.items if isinstance(item, Scalar)]
            if len(cells) != len(self.states):
                self.report.add(
                    "spec/row-length",
                    f"{_row_name(prefix)} has {len(cells)} probabilities for {len(self.states)} states",
                    key.place,
                    allowed=listing(self.states),
                )
        else:
            self.report.add(
                "spec/wrong-shape",
                f"{_row_name(prefix)} is {kind_of(node)} where probabilities belong",
                key.place,
                allowed="a list in the order of the states, or a map keyed by state",
            )
        if len(self.report) > before:
            return None
        row = [self._probability(cell) for cell in cells]
        known = tuple(cell for cell in row if cell is not None)
        return known if len(known) == len(row) and self._sums_to_one(known, key, prefix) else None

    def _probability(self, cell: Scalar) -> Fraction | None:
        value = self.constants.number(cell, self.report, code="spec/probability")
        if value is None or 0 <= value <= 1:
            return value
        what = "negative" if value < 0 else "more than 1"
        shown = shorten(cell.text) + (f" = {decimal(value)}" if decimal(value) != cell.text else "")
        self.report.add("spec/probability", f"the probability {shown} is {what}", cell.place, allowed="from 0 to 1")
        return None

    def _sums_to_one(self, row: tuple[Fraction, ...], key: Scalar, prefix: tuple[str, ...]) -> bool:
        total = Fraction(0)
        for cell in row:
            total += cell
            if total.denominator.bit_length() > MAX_BITS:
                self.report.add(
                    "spec/too-large",
                    f"{_row_name(prefix)} has too many unrelated denominators",
                    key.place,
                    hint="write decimals, or fractions over one denominator",
                )
                return False
        if total != 1:
            rest = decimal(abs(1 - total))
            self.report.add(
                "spec/row-sum",
                f"{_row_name(prefix)} sums to {decimal(total)}, not 1",
                key.place,
                allowed="exactly 1",
                hint=f"{rest} is missing" if total < 1 else f"{rest} is too much",
            )
        return total == 1


def _tuple(prefix: tuple[str, ...]) -> str:
    return f"({', '.join(shorten(state, 30) for state in prefix)})"


def _row_name(prefix: tuple[str, ...]) -> str:
    return f"row {_tuple(prefix)}" if prefix else "p"
