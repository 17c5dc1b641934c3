"""The sentences that a level shows, and the orders and phrasings they may have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from pbn.spec.model import Slot


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSentence:
    """A sentence that a level shows."""

    label: str
    phrasings: tuple[tuple[str | Slot, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownParagraph:
    """The sentences of a paragraph that a level shows, and the distinct orders of them."""

    name: str
    sentences: tuple[ShownSentence, ...]
    orders: tuple[tuple[int, ...], ...]

    def layouts(self) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
        """Every order with every choice of phrasings: (order, phrasing of each sentence)."""
        choices = [range(len(sentence.phrasings)) for sentence in self.sentences]
        for order in self.orders:
            for phrasings in product(*choices):
                yield order, phrasings

    def pieces(self, order: Sequence[int], phrasings: Sequence[int]) -> list[str | Slot]:
        """Fixed words and slots of one layout, blanks between sentences included."""
        found: list[str | Slot] = []
        for k, position in enumerate(order):
            found += [" "] * bool(k)
            found += self.sentences[position].phrasings[phrasings[position]]
        return found
