"""The memo of a case at one hiding level: which sentences are shown, and their text for many cases at once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.network.model import Array, Network
from pbn.spec.model import MemoSpec, Slot
from pbn.text.paragraphs import ShownParagraph, ShownSentence
from pbn.text.render import Renderer
from pbn.text.wording import SlotWording, slot_wordings

BLOCK = 8192
"""Cases that are rendered at a time."""


class MemoTemplate:
    """The text of cases at one hiding level: T = r(x_vis, I), I the case's position.

    Parameters
    ----------
    families
        Repeated variables and their members.
    visible
        What the level shows.
    shown_somewhere
        What any level shows: a sentence is left out where the level hides what it tells, but a slot that no
        level shows stays, and breaks condition 1.
    questions
        The texts that end the memo, by name.
    """

    def __init__(
        self,
        memo: MemoSpec,
        network: Network,
        families: Mapping[str, Sequence[str]],
        visible: Sequence[str],
        shown_somewhere: frozenset[str],
        questions: Mapping[str, str],
        level: str,
    ) -> None:
        self.memo = memo
        self.network = network
        self.families = families
        self.visible = tuple(visible)
        self.questions = dict(questions)
        self.level = level
        self.all_wordings: Mapping[str, SlotWording] = slot_wordings(memo, network, families)
        self.shown_somewhere = shown_somewhere
        self.paragraphs = tuple(self._shown_paragraphs())
        self._renderers: dict[str | None, Renderer] = {}

    # -- what is told ------------------------------------------------------------------------------

    def _shown_paragraphs(self) -> Iterator[ShownParagraph]:
        for number, paragraph in enumerate(self.memo.paragraphs):
            kept = [k for k, sentence in enumerate(paragraph.sentences) if self._is_shown(sentence.phrasings[0])]
            position = {k: j for j, k in enumerate(kept)}
            orders = dict.fromkeys(tuple(position[k] for k in order if k in position) for order in paragraph.orders)
            sentences = tuple(
                ShownSentence(label=paragraph.sentences[k].label, phrasings=paragraph.sentences[k].phrasings)
                for k in kept
            )
            if sentences:
                yield ShownParagraph(name=f"paragraph {number + 1}", sentences=sentences, orders=tuple(orders))

    def _is_shown(self, pieces: Sequence[str | Slot]) -> bool:
        told = {member for piece in pieces if isinstance(piece, Slot) for member in self._members(piece.name)}
        hidden = told - set(self.visible)
        return hidden.isdisjoint(self.shown_somewhere)

    def _members(self, name: str) -> tuple[str, ...]:
        return tuple(self.families.get(name, (name,)))

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The slots that the level shows, in the file's order; each sentence's first phrasing counts."""
        return tuple(
            piece
            for paragraph in self.paragraphs
            for sentence in paragraph.sentences
            for piece in sentence.phrasings[0]
            if isinstance(piece, Slot)
        )

    @cached_property
    def wordings(self) -> Mapping[str, SlotWording]:
        """The wording of each slot that the level shows."""
        return {slot.name: self.all_wordings[slot.name] for slot in self.slots}

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """The variables that the text depends on: those of its slots, and those that choose their wording."""
        named = {source for wording in self.wordings.values() for source in wording.sources}
        return tuple(name for name in self.network.variables if name in named)

    @cached_property
    def choices(self) -> Mapping[str, int]:
        """What the position chooses: orders, phrasings of sentences, phrasings of states; each with how many."""
        found = {}
        for paragraph in self.paragraphs:
            found[f"order of {paragraph.name}"] = len(paragraph.orders)
            for sentence in paragraph.sentences:
                found[f"sentence {sentence.label}"] = len(sentence.phrasings)
        for name, wording in self.wordings.items():
            found[f"phrase of {name}"] = wording.variety
        return {key: size for key, size in found.items() if size > 1}

    # -- text ----------------------------------------------------------------------------------------

    def ending(self, question: str | None = None) -> str:
        """The last paragraph: the text of one question, or of all."""
        if question is None:
            return " ".join(self.questions.values())
        if question not in self.questions:
            raise QueryError(
                Fault(
                    code="query/unknown-question",
                    message=f"there is no question {question[:60]!r}",
                    allowed=listing(self.questions),
                )
            )
        return self.questions[question]

    def chosen(self, positions: Array) -> dict[str, Array]:
        """What each position chooses: for each choice, numbers from 0; they depend on the position alone."""
        return {key: _mixed(positions, key) % size for key, size in self.choices.items()}

    def render(
        self,
        codes: Mapping[str, Array],
        positions: Array,
        *,
        question: str | None = None,
        chosen: Mapping[str, Array] | None = None,
    ) -> Iterator[str]:
        """The memos of many cases, one after the other; a block of them is held at a time.

        Parameters
        ----------
        codes
            For each variable of `parents`, the positions of its states, shape (n,).
        positions
            The cases' positions, shape (n,), from 0; they choose among phrasings and orders, where there are any.
        question
            The question at the end; all of them by default.
        chosen
            Choices in place of those that positions make.

        Raises
        ------
        QueryError
            A state has no phrase.
        """
        if question not in self._renderers:
            self._renderers[question] = Renderer(self.paragraphs, self.wordings, self.ending(question))
        renderer = self._renderers[question]
        positions = np.asarray(positions)
        for start in range(0, len(positions), BLOCK):
            part = slice(start, start + BLOCK)
            block = {name: codes[name][part] for name in self.parents}
            picked = self.chosen(positions[part]) if chosen is None else {k: v[part] for k, v in chosen.items()}
            yield from renderer.texts(block, picked, len(positions[part]))


def _mixed(positions: Array, key: str) -> Array:
    """Numbers that look random and depend on the position and the choice alone (SplitMix64's finaliser)."""
    salt = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "little")
    mixed = np.asarray(positions, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(salt)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    found: Array = (mixed ^ (mixed >> np.uint64(31))).astype(np.uint64) >> np.uint64(1)
    return found.astype(np.int64)
