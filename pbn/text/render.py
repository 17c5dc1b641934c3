"""Many memos at once: neighbouring slots are looked up together in tables of finished text."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from pbn.errors import Fault, QueryError
from pbn.network.model import Array
from pbn.spec.model import Slot
from pbn.text.paragraphs import ShownParagraph, ShownSentence
from pbn.text.wording import CodeWording, PhraseWording, SlotWording

MOST_ENTRIES = 2048
"""Texts in one table, unless a single slot has more."""
MOST_LAYOUTS = 64
"""Layouts of one paragraph whose tables are kept; a paragraph that has more is put together from its sentences."""

Codes = Mapping[str, Array]
Piece = str | Slot


class Chunk:
    """Fixed words and slots whose texts stand in one table, indexed by all variables of the slots at once."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        self.pieces: list[str | PhraseWording] = []
        self._table: Array | None = None
        self._has_gaps = False

    def size_with(self, wording: PhraseWording) -> int:
        """Entries of the table if the slot joins."""
        sizes = {**self.sizes, **_sizes(wording)}
        return int(np.prod(list(sizes.values()), dtype=float))

    def add(self, piece: str | PhraseWording) -> None:
        """Put words or a slot at the end."""
        self.pieces.append(piece)
        if not isinstance(piece, str):
            self.sizes.update(_sizes(piece))

    def texts(self, codes: Codes, choices: Codes, count: int) -> list[str]:
        """The chunk's text of each case."""
        if self._table is None:
            self._table = self._build()
        index: Array = np.zeros(count, dtype=np.intp)
        for source, size in self.sizes.items():
            index = index * size + (codes[source] if source in codes else choices.get(source, 0))
        found: list[str] = self._table[index].tolist()
        if self._has_gaps and None in found:
            self._refuse(codes, found.index(None))  # type: ignore[arg-type]
        return found

    def _build(self) -> Array:
        if not self.sizes:
            return np.array(["".join(piece for piece in self.pieces if isinstance(piece, str))], dtype=object)
        axes = list(self.sizes)
        shape = tuple(self.sizes.values())
        table = np.full(shape, "", dtype=object)
        gaps = np.zeros(shape, dtype=bool)
        for piece in self.pieces:
            if isinstance(piece, str):
                table = table + piece
                continue
            own = _sizes(piece)
            order = [list(own).index(source) for source in sorted(own, key=axes.index)]
            others = tuple(k for k, source in enumerate(axes) if source not in own)

            def spread(
                array: Array, own: dict[str, int] = own, order: list[int] = order, others: Any = others
            ) -> Array:
                return np.expand_dims(array.reshape(list(own.values())).transpose(order), others)

            table = table + spread(piece.texts)
            gaps |= spread(piece.gaps)
        table[gaps] = None
        self._has_gaps = bool(gaps.any())
        return table.ravel()

    def _refuse(self, codes: Codes, row: int) -> None:
        for piece in self.pieces:
            if isinstance(piece, PhraseWording):
                by = int(codes[piece.by.name][row]) if piece.by else 0
                state = int(codes[piece.name][row])
                if piece.gaps[by, state, 0]:
                    raise no_phrase(piece, state)
        raise AssertionError


def no_phrase(wording: PhraseWording, state: int) -> QueryError:
    """The error for a state that the memo has no words for."""
    return QueryError(
        Fault(
            code="text/no-phrase",
            message=f"the memo has no phrase for {wording.name}={wording.variable.states[state]}",
            hint="the world file's section 'memo' says how states read",
        )
    )


def _sizes(wording: PhraseWording) -> dict[str, int]:
    """What indexes a slot's texts, each with its size: its variables, and the position's choice where it has one."""
    sizes = {wording.by.name: wording.by.size} if wording.by else {}
    sizes[wording.name] = wording.variable.size
    if wording.variety > 1:
        sizes[f"phrase of {wording.name}"] = wording.variety
    return sizes


Column = Callable[[Codes, Codes, int], list[str]]


def columns(pieces: Sequence[Piece], wordings: Mapping[str, SlotWording]) -> list[Column]:
    """The columns of text that make up a sequence of words and slots."""
    found: list[Column] = []
    chunk = Chunk()
    for piece in pieces:
        wording = wordings[piece.name] if isinstance(piece, Slot) else None
        if isinstance(wording, CodeWording):
            found += [chunk.texts] * bool(chunk.pieces)
            found.append(_code_column(wording))
            chunk = Chunk()
        elif wording is not None:
            if chunk.sizes and chunk.size_with(wording) > MOST_ENTRIES:
                found.append(chunk.texts)
                chunk = Chunk()
            chunk.add(wording)
        else:
            assert isinstance(piece, str)
            chunk.add(piece)
    return [*found, *[chunk.texts] * bool(chunk.pieces)]


def _code_column(wording: CodeWording) -> Column:
    def texts(codes: Codes, choices: Codes, count: int) -> list[str]:
        return wording.codes([codes[member] for member in wording.members])

    return texts


class Renderer:
    """The memos of one level and ending."""

    def __init__(self, paragraphs: Sequence[ShownParagraph], wordings: Mapping[str, SlotWording], ending: str) -> None:
        self.paragraphs = paragraphs
        self.wordings = wordings
        self.ending = ending
        self._columns: dict[tuple[object, ...], list[Column]] = {}

    def texts(self, codes: Codes, choices: Codes, count: int) -> Iterator[str]:
        """The memo of each case of a block."""
        last = "\n\n" * bool(self.paragraphs) + self.ending if self.ending else ""
        if all(_is_fixed(paragraph) for paragraph in self.paragraphs):
            pieces: list[Piece] = []
            for paragraph in self.paragraphs:
                pieces += ["\n\n"] * bool(pieces)
                pieces += paragraph.pieces(*next(paragraph.layouts()))
            made = [column(codes, choices, count) for column in self._made(("all",), [*pieces, *[last] * bool(last)])]
            yield from map("".join, zip(*made, strict=True)) if made else [""] * count
            return
        parts = [self._paragraph(paragraph, codes, choices, count) for paragraph in self.paragraphs]
        yield from map("\n\n".join, zip(*parts, *[[self.ending] * count] * bool(self.ending), strict=True))

    def _made(self, key: tuple[object, ...], pieces: Sequence[Piece]) -> list[Column]:
        if key not in self._columns:
            self._columns[key] = columns(pieces, self.wordings)
        return self._columns[key]

    def _paragraph(self, paragraph: ShownParagraph, codes: Codes, choices: Codes, count: int) -> list[str]:
        """The paragraph of each case."""
        if _layout_count(paragraph) <= MOST_LAYOUTS:
            return self._by_layout(paragraph, codes, choices, count)
        sentences = [self._by_layout(_alone(sentence), codes, choices, count) for sentence in paragraph.sentences]
        orders = np.broadcast_to(choices.get(f"order of {paragraph.name}", 0), count).tolist()
        return [
            " ".join([row[position] for position in paragraph.orders[order]])
            for order, row in zip(orders, zip(*sentences, strict=True), strict=True)
        ]

    def _by_layout(self, paragraph: ShownParagraph, codes: Codes, choices: Codes, count: int) -> list[str]:
        """Cases of one layout are made together."""
        layout: Array = np.broadcast_to(choices.get(f"order of {paragraph.name}", 0), count)
        for sentence in paragraph.sentences:
            layout = layout * len(sentence.phrasings) + choices.get(f"sentence {sentence.label}", 0)
        texts = np.empty(count, dtype=object)
        found, inverse = np.unique(layout, return_inverse=True)
        for k, number in enumerate(found.tolist()):
            rows = np.flatnonzero(inverse == k)
            pieces = paragraph.pieces(*_layout(paragraph, number))
            some = {name: column[rows] for name, column in codes.items()}
            picked = {name: np.broadcast_to(column, count)[rows] for name, column in choices.items()}
            made = [column(some, picked, len(rows)) for column in self._made((paragraph.name, number), pieces)]
            texts[rows] = list(map("".join, zip(*made, strict=True)))
        return texts.tolist()


def _layout_count(paragraph: ShownParagraph) -> int:
    return len(paragraph.orders) * math.prod(len(sentence.phrasings) for sentence in paragraph.sentences)


def _alone(sentence: ShownSentence) -> ShownParagraph:
    return ShownParagraph(name=f"sentence {sentence.label}", sentences=(sentence,), orders=((0,),))


def _is_fixed(paragraph: ShownParagraph) -> bool:
    return len(paragraph.orders) == 1 and all(len(sentence.phrasings) == 1 for sentence in paragraph.sentences)


def _layout(paragraph: ShownParagraph, number: int) -> tuple[tuple[int, ...], list[int]]:
    """The order and phrasings of a layout's number."""
    phrasings = []
    for sentence in reversed(paragraph.sentences):
        number, phrasing = divmod(number, len(sentence.phrasings))
        phrasings.append(phrasing)
    return paragraph.orders[number], phrasings[::-1]
