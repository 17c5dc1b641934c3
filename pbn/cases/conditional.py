"""Rows given evidence, drawn exactly from the posterior law; none is ever drawn and thrown away."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from pbn.cases.choice import Choices, code_type
from pbn.cases.identity import law_digest
from pbn.cases.sample import SCHEME, Codes, Node, cells, in_blocks, members, nodes_of, rows_at_once
from pbn.cases.stream import Streams, checked_rows, checked_seed
from pbn.evidence import evidence_codes
from pbn.exact.backward import Computing, Drawing, backward
from pbn.exact.eliminate import known_codes
from pbn.network.graph import ancestors
from pbn.network.model import Array, Network
from pbn.world import World

CONDITIONAL_SCHEME = "pbn conditional rows 1"
"""The name of this way to draw rows given evidence; it stands in the key of every stream."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Joint:
    """Variables that are drawn together, given others that are drawn before them."""

    drawing: Drawing
    choices: Choices

    @staticmethod
    def of(network: Network, drawing: Drawing) -> _Joint:
        codes = {name: codes.astype(code_type(network.size(name))) for name, codes in drawing.codes.items()}
        kept = Drawing(
            names=drawing.names, given=drawing.given, sizes=drawing.sizes, rows=drawing.rows, starts=drawing.starts,
            weights=drawing.weights, codes=codes,
        )  # fmt: skip
        return _Joint(drawing=kept, choices=Choices.of_rows(drawing.weights, drawing.starts))

    def codes(self, given: Codes, start: int, count: int, streams: Streams) -> dict[str, Array]:
        """Positions of the states of all variables drawn here."""
        names, cell = self.drawing.names, cells([given[name] for name in self.drawing.given], self.drawing.sizes)
        row = None if cell is None else self.drawing.rows.take(cell)
        words = streams.words(names, start, count)
        entry = self.choices.draw(words, row, lambda k, depth: streams.word(names, start + k, depth)).astype(np.int64)
        if row is not None:
            entry += self.drawing.starts.take(row)
        return {name: codes.take(entry) for name, codes in self.drawing.codes.items()}


@dataclass(frozen=True, eq=False)
class ConditionalSampler:
    """Draws rows of a world given evidence, with exactly the posterior probabilities P(· | evidence).

    The variables on which the evidence depends are drawn along an exact elimination walked backwards
    (`pbn.exact.backward`), all others given their parents as `RowSampler` does. Every row fits the evidence, be it
    ever so improbable. Row i depends on the digest of the world's law, the evidence, the seed and i alone, given
    the order in which this version of `pbn` eliminates. Without evidence the rows are those of `RowSampler`.

    Raises
    ------
    QueryError
        Unknown names or states; evidence of probability zero (conflicting values are named); ``cases/seed``.
    BudgetError
        The elimination, or the weights that are kept of it, would take more than the world's budget.

    Examples
    --------
    >>> import pbn
    >>> sampler = ConditionalSampler(pbn.load("credit_risk"), {"default": "yes", "cycle": "expansion"}, 2032)
    >>> drawn = sampler.codes(0, 1000, ["default", "cash_generation"])
    >>> set(drawn["default"].tolist()), drawn["cash_generation"].shape
    ({1}, (1000,))
    """

    world: World
    evidence: Mapping[str, object]
    seed: int
    law_digest: str = field(init=False)
    _streams: Streams = field(init=False, repr=False)
    _view: Network = field(init=False, repr=False)
    _known: Mapping[str, int] = field(init=False, repr=False)
    _steps: tuple[_Joint | Computing, ...] = field(init=False, repr=False)
    _drawn: frozenset[str] = field(init=False, repr=False)
    _nodes: dict[str, Node] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        seed, digest, engine = checked_seed(self.seed), law_digest(self.world), self.world.engine
        codes = evidence_codes(self.world.network, self.world.families, self.evidence)
        engine.evidence_probability(codes)
        plan = engine.plan((), codes)
        view = plan.network
        steps = backward(plan, codes, engine.budget)
        given = sorted([name, view.variables[name].states[code]] for name, code in codes.items())
        made = {
            "seed": seed,
            "law_digest": digest,
            "_streams": Streams(source=(CONDITIONAL_SCHEME, digest, given, seed) if given else (SCHEME, digest, seed)),
            "_view": view,
            "_known": known_codes(view, plan, codes),
            "_steps": tuple(_Joint.of(view, step) if isinstance(step, Drawing) else step for step in steps),
            "_drawn": frozenset(ancestors(view, codes)),
            "_nodes": {},
        }
        for name, value in made.items():
            object.__setattr__(self, name, value)

    def codes(self, start: int, stop: int, names: Collection[str] | None = None) -> dict[str, Array]:
        """Positions of the states of ``names`` in rows ``start`` to ``stop`` − 1, as `RowSampler.codes` gives them."""
        start, stop = checked_rows(start, stop)
        wanted = members(self.world, names)
        needed = ancestors(self._view, wanted) - self._known.keys() - self._drawn
        nodes = nodes_of(self._view, needed, self._nodes)
        used = self._drawn.union(needed, wanted)

        def draw(begin: int, end: int) -> Codes:
            return self._block(begin, end - begin, nodes)

        size = self._view.size
        return in_blocks(draw, start, stop, {n: size(n) for n in wanted}, rows_at_once(size(n) for n in used))

    def _block(self, start: int, count: int, nodes: Collection[Node]) -> Codes:
        found = {
            name: np.broadcast_to(np.asarray(code, dtype=code_type(self._view.size(name))), count)
            for name, code in self._known.items()
        }
        for step in self._steps:
            if isinstance(step, _Joint):
                found.update(step.codes(found, start, count, self._streams))
            else:
                cell = cells([found[name] for name in step.given], step.sizes)
                assert cell is not None, "a function of nothing is known"
                found[step.name] = step.index.take(cell).astype(code_type(self._view.size(step.name)))
        for node in nodes:
            found[node.name] = node.codes(found, start, count, self._streams)
        return found


def conditional_codes(
    world: World,
    evidence: Mapping[str, object],
    seed: int,
    start: int,
    count: int,
    names: Collection[str] | None = None,
) -> dict[str, Array]:
    """Positions of the states of ``names`` in ``count`` rows given evidence, as `ConditionalSampler.codes` gives them.

    Examples
    --------
    >>> import pbn
    >>> drawn = conditional_codes(pbn.load("peer_review"), {"evidence": "weak"}, 1, 0, 20_000, ["validity"])
    >>> abs((drawn["validity"] == 2).mean() - 6 / 17) < 0.01
    np.True_
    """
    start, count = checked_rows(start, start)[0], checked_rows(count, count)[0]
    return ConditionalSampler(world, evidence, seed).codes(start, start + count, names)
