"""The joint law of posterior classes and outcomes by decision diagram, where tables over all states are too large.

The diagram is never larger than an enumeration of the random variables that matter, whose size is known before
anything is computed. Where that is small the answer is certain to come. Where it is not, structure may still keep
the diagram small: that is tried up to a limit. A diagram that would not fit is gone through in one pass that keeps
one layer at a time; a layer that would not fit is cut into parts, each followed to its end (classes of histories
add up: ε* = Σ over all of them).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pbn.exact.arithmetic import Numbers
from pbn.exact.beliefs import Entries, Move, Pass, follow
from pbn.exact.diagram import Diagram, DiagramBuilder, Frontier, Layer, TooLargeError
from pbn.exact.modular import rebuilt
from pbn.exact.order import Order, variable_order
from pbn.exact.quotient import Quotient, quotient
from pbn.exact.residues import primes_for
from pbn.network.model import Array, Network

TRIED_STATES = 2**19
"""States of a diagram that are tried where the size is not known to be within the limit."""
TRIED_STEPS = 22 * 10**6
"""Steps that are tried where their number is not known beforehand, some seconds."""
KEPT_STATES = 2**21
"""A diagram of at most so many states is kept whole, and minimized."""
ENTRY_BYTES, REMAINDER_BYTES = 160, 40
"""What an entry takes with all that is made of it on the way, and each of its remainders besides."""
LEAST_ROWS = 4096
"""A budget that does not hold so many entries at once is too small for a diagram."""
MOST_STEPS = 4 * 10**8
"""Steps from a state to a following one, of float64: a minute or two. Each remainder counts as half of one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Law:
    """P(class, outcome): float64 and remainders, shapes (classes, outcomes) and (primes, classes, outcomes).

    ``moves`` lead from a case's codes to its class, where they were recorded; ``merged`` are the states of what is
    shown that they take for one.
    """

    weights: Array
    residues: Array
    primes: Array
    denominator: int
    moves: tuple[Move, ...] | None
    merged: Mapping[str, Array]
    states: int

    @property
    def is_possible(self) -> bool:
        """Whether anything is left that can happen."""
        return len(self.weights) > 0

    def classes_of(self, codes: Mapping[str, Array]) -> Array:
        """The class of each case from the codes of what is shown, −1 where the case is impossible."""
        assert self.moves is not None
        read = {move.name for move in self.moves if move.name is not None}
        return follow(self.moves, {name: self.merged[name][codes[name]] for name in read})

    def numbers(self, *, exact: bool) -> Numbers:
        """The law as a matrix of floats, or of numerators over the common denominator."""
        if not exact:
            return Numbers(array=self.weights)
        shape = self.weights.shape
        flat = rebuilt(self.residues.reshape(len(self.primes), -1), self.primes.ravel())
        divisor = math.gcd(self.denominator, *flat.tolist())
        return Numbers(array=(flat // divisor).reshape(shape), denominator=self.denominator // divisor)


class DiagramLaw:
    """The law of ``targets`` given what is ``shown``, or given ``evidence``, by decision diagram.

    ``bound`` is how many states an enumeration or the open parts of the rules allow, all layers together.
    """

    def __init__(
        self,
        network: Network,
        targets: Sequence[str],
        shown: Collection[str] = (),
        evidence: Mapping[str, int] | None = None,
        *,
        budget: int,
        order: Order = variable_order,
    ) -> None:
        self.network, self.targets, self.budget, self.order = network, tuple(targets), budget, order
        self.evidence = dict(evidence or {})
        self.shown = tuple(name for name in shown if name not in self.targets)

    @cached_property
    def quotient(self) -> Quotient:
        """The binary network behind the diagram."""
        names = (*self.targets, *self.shown, *self.evidence)
        return quotient(self.network, self.order(self.network, names), {*self.targets, *self.evidence}, self.shown)

    @cached_property
    def builder(self) -> DiagramBuilder:
        """What builds the diagram."""
        return DiagramBuilder(self.quotient, self.targets, self.shown, self.evidence)

    @cached_property
    def bound(self) -> int:
        """A bound on the states of all layers."""
        return sum(self.builder.bounds())

    @cached_property
    def denominator(self) -> int:
        """The common denominator of everything."""
        nodes = self.quotient.nodes
        return math.prod(nodes[k].denominator for k in self.quotient.order)

    @property
    def combinations(self) -> int:
        """States that an enumeration of the variables goes through; there are never more beliefs and states."""
        return math.prod(self.quotient.nodes[k].size for k in self.quotient.order)

    def bits(self) -> int:
        """Digits that remainders must have: proportional beliefs are told by products of two numbers."""
        return 2 * self.denominator.bit_length() + 2

    def most_steps(self, *, exact: bool) -> int:
        """Steps that may be taken in this arithmetic."""
        primes = self.bits() // 30 + 1 if exact else 3
        return int(MOST_STEPS / (1 + primes / 2))

    def is_certain(self, *, exact: bool) -> bool:
        """Whether the bound alone says that the answer is within the limit."""
        width = max((self.quotient.nodes[k].size for k in self.quotient.order), default=1)
        return self.bound * width <= self.most_steps(exact=exact)

    def solve(self, *, exact: bool) -> Law:
        """The law.

        Raises
        ------
        TooLargeError
            There are more states or beliefs than the limits allow.
        """
        primes = primes_for(self.bits() if exact else 1)
        if primes is None:
            raise TooLargeError
        return _Solver(self, primes, exact).law()


class TooManyBeliefsError(TooLargeError):
    """Histories lead to more beliefs than there may be."""


class _Solver:
    def __init__(self, law: DiagramLaw, primes: Array, exact: bool) -> None:
        self.of, self.builder, self.primes = law, law.builder, primes
        self.certain = law.is_certain(exact=exact)
        most = law.most_steps(exact=exact)
        self.left = most if law.combinations <= most else int(TRIED_STEPS / (1 + len(primes) / 5))
        self.rows = max(2, law.budget // (ENTRY_BYTES + REMAINDER_BYTES * len(primes)))
        self.width = math.prod(law.network.size(name) for name in law.targets)
        self.states = 0
        self.walk = Pass(primes, record=bool(law.shown))
        self.parts: list[tuple[Array, Array]] = []

    def law(self) -> Law:
        if self.rows < LEAST_ROWS:
            raise TooLargeError
        self._check_room(1)
        try:
            diagram = self.builder.build(most=KEPT_STATES if self.certain else TRIED_STATES)
        except TooLargeError:
            if not self.certain:
                raise
            layers: list[Layer] = []
            frontier = self.builder.begin(layers)
            entries = self._through(self.walk.start(), layers)
            self._stream(frontier, 0, entries)
        else:
            self.states = diagram.states
            self._follow(diagram, 0, self.walk.start())
        weights = np.concatenate([part[0] for part in self.parts])
        residues = np.concatenate([part[1] for part in self.parts], axis=1)
        if not self.of.shown and len(weights) > 1:  # parts of one belief
            weights = weights.sum(axis=0, keepdims=True)
            residues = residues.sum(axis=1, keepdims=True) % self.primes[:, :, None]
        moves = tuple(self.walk.moves) if self.walk.record or not self.of.shown else None
        return Law(weights=weights, residues=residues, primes=self.primes, denominator=self.of.denominator,
                   moves=moves, merged=self._merged(), states=self.states)  # fmt: skip

    def _merged(self) -> dict[str, Array]:
        quotient = self.of.quotient
        nodes = {name: quotient.nodes[quotient.position[name]] for name in self.of.shown}
        return {name: node.classes for name, node in nodes.items() if node.classes is not None}

    def _through(self, entries: Entries, layers: Sequence[Layer]) -> Entries:
        for layer in layers:
            before = self.walk.steps
            entries = self.walk.advance(entries, layer)
            # Where the diagram's size is certain, only the steps of further beliefs count.
            self.left -= self.walk.steps - before
            self.left += min(self.walk.steps - before, int((layer.next >= 0).sum())) if self.certain else 0
            if self.left < 0:
                raise TooManyBeliefsError
        return entries

    def _follow(self, diagram: Diagram, position: int, entries: Entries) -> None:
        """Carry entries through the rest of a diagram, in parts where they become too many."""
        for k in range(position, len(diagram.layers)):
            if len(entries) > self.rows:
                for part in self._split(entries):
                    self._follow(diagram, k, part)
                return
            entries = self._through(entries, diagram.layers[k : k + 1])
        self._finish(entries, diagram.outcome)

    def _stream(self, frontier: Frontier, position: int, entries: Entries) -> None:
        """The same without a diagram: one layer at a time is made and forgotten."""
        for k in range(position, len(self.builder.order)):
            if max(len(entries), frontier.count) > self.rows:
                for part in self._split(entries):
                    states, part.state = np.unique(part.state, return_inverse=True)
                    part.state = part.state.ravel().astype(np.int32)
                    self._stream(frontier.taken(states), k, part)
                return
            layers, frontier = self.builder.step(frontier, k)
            self.states += frontier.count
            entries = self._through(entries, layers)
        self._finish(entries, self.builder.outcome(frontier))

    def _split(self, entries: Entries) -> Iterator[Entries]:
        """The entries in parts of whole beliefs; those about one single history may be cut anywhere."""
        self.walk.record = False
        order = np.argsort(entries.belief, kind="stable")
        belief = entries.belief[order]
        size = max(1, min(self.rows // 4, (len(entries) + 1) // 2))
        if belief[0] == belief[-1] and not self.of.shown:
            cuts = np.arange(0, len(order), size)
        else:
            starts = np.flatnonzero(np.r_[True, belief[1:] != belief[:-1]])
            if len(starts) == 1:
                raise TooLargeError
            cuts = np.unique(starts[np.searchsorted(starts, np.arange(0, len(order), size), side="right") - 1])
        for start, stop in zip(cuts, [*cuts[1:], len(order)], strict=True):
            part = entries.taken(order[start:stop])
            part.belief = np.unique(part.belief, return_inverse=True)[1].ravel().astype(np.int64)
            yield part

    def _check_room(self, classes: int) -> None:
        """The law itself, over all outcomes, is held within the budget."""
        if 8 * (len(self.primes) + 1) * classes * self.width > self.of.budget:
            raise TooManyBeliefsError

    def _finish(self, entries: Entries, outcome: Array) -> None:
        classes, width = int(entries.belief.max(initial=-1)) + 1, self.width
        self._check_room(classes)
        weights = np.zeros((classes, width))
        residues = np.zeros((len(self.primes), classes, width), dtype=np.uint64)
        where = entries.belief, outcome[entries.state]
        np.add.at(weights, where, entries.weight)
        residues[:, where[0], where[1]] = entries.residues
        self.parts.append((weights, residues))
