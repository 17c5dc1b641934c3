"""How a case reads as text: sentences with slots, and a phrase for each state."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping as AbstractMapping
from collections.abc import Sequence as AbstractSequence

from pbn.errors import listing
from pbn.spec.model import Count, Measurement, MemoSpec, Paragraph, Phrase, Sentence, Slot, Wording
from pbn.spec.names import check_label, is_variable_name, unknown_state
from pbn.spec.nodes import Mapping, Node, Scalar, Sequence
from pbn.spec.numerals import numeral
from pbn.spec.report import Report, shorten
from pbn.spec.structure import Path
from pbn.spec.variables import Resolver

MAX_SENTENCES = 1_000
MAX_VARIETY = 20
"""Phrasings of one sentence or state, and orders of one paragraph."""
MAX_PHRASE = 1_000
MAX_SENTENCE = 10_000

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+")
_BLANKS = re.compile(r"\s+")
BY, ELSE, CODE, GROUPS = "by", "else", "code", "groups"


def read_memo(root: Mapping, broken: frozenset[Path], resolver: Resolver, report: Report) -> MemoSpec | None:
    """The file's memo, or None where it has none or its shape is faulty."""
    body = root.mapping("memo")
    if body is None or any(path[:1] == ("memo",) for path in broken):
        return None
    reader = _MemoReader(resolver, report)
    section = body.get("paragraphs")
    assert isinstance(section, Sequence)
    paragraphs = tuple(reader.paragraph(part) for part in section.items if isinstance(part, Mapping))
    phrases = body.mapping("phrases")
    wordings = dict(reader.wordings(phrases)) if phrases else {}
    for name, slot in reader.slots.items():
        if name in reader.families and name not in wordings:
            wordings[name] = Wording(by=None, phrases={None: {None: (Phrase(before="", after="", place=slot.place),)}})
            reader.check_code(name, slot)
    return MemoSpec(paragraphs=paragraphs, wordings=wordings)


class _MemoReader:
    def __init__(self, resolver: Resolver, report: Report) -> None:
        self.resolver = resolver
        self.report = report
        self.families = resolver.declarations.families
        self.labels: set[str] = set()
        self.slots: dict[str, Scalar] = {}
        self.unread = False  # a sentence could not be read, so that slots may be missing here

    # -- sentences ---------------------------------------------------------------------------------

    def paragraph(self, body: Mapping) -> Paragraph:
        section = body.mapping("sentences")
        assert section is not None
        sentences: dict[str, Sentence] = {}
        well_named = True
        for key, node in section.pairs:
            well_named = check_label(key, "sentence", self.report) and well_named
            if key.text in self.labels:
                self.report.add("spec/duplicate-key", f"the sentence {key.text!r} stands twice", key.place)
            self.labels.add(key.text)
            if len(self.labels) > MAX_SENTENCES:
                most = f"at most {MAX_SENTENCES:,}"
                self.report.add("spec/too-large", "the memo has too many sentences", key.place, allowed=most)
                self.report.raise_any()
            before, texts = len(self.report), self._phrasings(node, key)
            pieces = tuple(tuple(self._pieces(text)) for text in texts)
            if len(self.report) > before:
                self.unread = True
            else:
                self._check_same_slots(key, texts, pieces)
            sentences[key.text] = Sentence(label=key.text, phrasings=pieces)
        orders = self._orders(body, tuple(sentences)) if well_named else ()
        return Paragraph(sentences=tuple(sentences.values()), orders=orders)

    def _phrasings(self, node: Node, key: Scalar) -> tuple[Scalar, ...]:
        texts = node.items if isinstance(node, Sequence) else (node,)
        scalars = tuple(text for text in texts if isinstance(text, Scalar))
        if not scalars:
            self.report.add("spec/memo-text", f"{shorten(key.text)} has no text", key.place)
        if len(scalars) > MAX_VARIETY:
            self.report.add(
                "spec/too-large",
                f"{shorten(key.text)} has {len(scalars)} phrasings",
                key.place,
                allowed=f"at most {MAX_VARIETY}",
            )
        return scalars

    def _pieces(self, scalar: Scalar) -> Iterator[str | Slot]:
        """Fixed words and slots; blanks at the ends are cut, others are single."""
        if self._is_too_long(scalar, MAX_SENTENCE):
            return
        words = ""
        for match in _PIECE.finditer(scalar.text.strip()):
            piece, inner = match.group(), match.group(1)
            if inner is None:
                if piece in ("{", "}"):
                    self._brace(scalar, match.start())
                words += {"{{": "{", "}}": "}"}.get(piece, piece)
                continue
            slot = self._slot(inner.strip(), scalar, match.start())
            if slot:
                yield from [_composed(words)] * bool(words)
                words = ""
                yield slot
        yield from [_composed(words)] * bool(words)

    def _is_too_long(self, scalar: Scalar, most: int) -> bool:
        unseen = next((k for k, one in enumerate(scalar.text) if unicodedata.category(one) == "Cf"), None)
        if not scalar.text.strip():
            self.report.add("spec/memo-text", "a text of the memo is empty", scalar.place)
        elif unseen is not None:
            message = f"an invisible character, U+{ord(scalar.text[unseen]):04X}, which no reader could tell"
            self.report.add("spec/memo-text", message, scalar.place_of(unseen), hint="remove it")
        elif len(scalar.text) > most:
            self.report.add(
                "spec/too-large",
                f"a text of the memo has {len(scalar.text):,} characters",
                scalar.place,
                allowed=f"at most {most:,}",
            )
        else:
            return False
        return True

    def _brace(self, scalar: Scalar, offset: int) -> None:
        self.report.add(
            "spec/memo-brace",
            "a brace that opens or closes no slot",
            scalar.place_of(offset),
            found=shorten(scalar.text),
            hint="a slot is {variable}; a brace itself is written {{ or }}",
        )

    def _slot(self, name: str, scalar: Scalar, offset: int) -> Slot | None:
        place = scalar.place_of(offset)
        known = self.resolver.declarations
        if not is_variable_name(name):
            message, hint = f"a slot holds {shorten(name)!r}, which names no variable", "a slot is {variable}"
            self.report.add("spec/memo-brace", message, place, hint=hint)
            return None
        if name not in self.families and name not in known.by_member:
            known.find(Scalar(text=name, quoted=False, place=place), self.report)
            return None
        self.slots.setdefault(name, Scalar(text=name, quoted=False, place=place))
        return Slot(name=name, place=place)

    def _check_same_slots(
        self, key: Scalar, texts: tuple[Scalar, ...], phrasings: tuple[tuple[str | Slot, ...], ...]
    ) -> None:
        """All phrasings of one sentence tell the same, so that a level shows all of them or none."""
        told = [sorted(piece.name for piece in pieces if isinstance(piece, Slot)) for pieces in phrasings]
        for text, names in zip(texts, told, strict=True):
            if names != told[0]:
                self.report.add(
                    "spec/memo-phrasings",
                    f"this phrasing of {key.text} tells {listing(names) or 'nothing'}",
                    text.place,
                    allowed=f"{listing(told[0]) or 'nothing'}, as the first phrasing does",
                )

    def _orders(self, body: Mapping, labels: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
        position = {label: k for k, label in enumerate(labels)}
        orders = [tuple(range(len(labels)))]
        node = body.get("orders")
        items = node.items if isinstance(node, Sequence) else ()
        if len(items) >= MAX_VARIETY:
            most = f"at most {MAX_VARIETY - 1}"
            self.report.add("spec/too-large", f"{len(items)} orders", body.key("orders").place, allowed=most)
            return tuple(orders)
        for item in items:
            assert isinstance(item, Sequence)
            found = [label.text for label in item.items if isinstance(label, Scalar)]
            if sorted(found) != sorted(labels):
                self.report.add(
                    "spec/memo-order",
                    f"an order of sentences {_wrong_order(found, labels)}",
                    item.place,
                    found=listing(found) or "no sentence",
                    allowed=f"each of {listing(labels)}, once",
                    hint=next((self.report.suggest(label, labels) for label in found if label not in position), None),
                )
                continue
            order = tuple(position[label] for label in found)
            if order in orders:
                self.report.add("spec/memo-order", "this order stands twice", item.place)
            orders.append(order)
        return tuple(orders)

    # -- phrases -----------------------------------------------------------------------------------

    def wordings(self, section: Mapping) -> Iterator[tuple[str, Wording]]:
        for key, node in section.pairs:
            name = key.text
            if name not in self.families and name not in self.resolver.declarations.by_member:
                self.resolver.declarations.find(key, self.report)
            elif name not in self.slots and self.unread:
                continue  # its slot may be the one that could not be read
            elif name not in self.slots:
                self.report.add(
                    "spec/memo-phrases",
                    f"no sentence has a slot for {name}",
                    key.place,
                    allowed=listing(self.slots),
                    hint=f"write {{{name}}} in a sentence, or remove its phrases",
                )
            elif name in self.families:
                yield name, self._code(key, node)
            else:
                yield name, self._wording(key, node)

    def _wording(self, key: Scalar, node: Node) -> Wording:
        states = self._states(key.text)
        if not isinstance(node, Mapping) or BY not in node or (states is not None and BY in states):
            return Wording(by=None, phrases={None: self._table(key, node)})
        other = node.scalar(BY)
        by = self.resolver.declarations.find(other, self.report) if other else None
        if other is None:
            self.report.add("spec/wrong-shape", "'by' names one variable", node.key(BY).place)
        phrases: dict[str | None, AbstractMapping[str | None, tuple[Phrase, ...]]] = {}
        for state, table in node.pairs:
            if state.text == BY:
                continue
            which = self._state(by, state) if by else state.text
            phrases[which] = self._table(key, table)
        return Wording(by=by, phrases=phrases)

    def _table(self, key: Scalar, node: Node) -> dict[str | None, tuple[Phrase, ...]]:
        """Own state → its phrasings; None → those of all states that are not named."""
        if not isinstance(node, Mapping):
            return {None: self._phrases(key, node)}
        return {self._state(key.text, state): self._phrases(state, value) for state, value in node.pairs}

    def _phrases(self, key: Scalar, node: Node) -> tuple[Phrase, ...]:
        if isinstance(node, Mapping):
            self.report.add(
                "spec/wrong-shape",
                f"{shorten(key.text)} is a map where a phrase belongs",
                node.place,
                hint="wording that depends on another variable begins with 'by: …'",
            )
            return ()
        return tuple(phrase for text in self._phrasings(node, key) if (phrase := self._phrase(text)))

    def _phrase(self, scalar: Scalar) -> Phrase | None:
        if self._is_too_long(scalar, MAX_PHRASE):
            return None
        parts = [""]
        for match in _PIECE.finditer(scalar.text.strip()):
            piece, inner = match.group(), match.group(1)
            if inner is not None and not inner.strip() and len(parts) == 1:
                parts.append("")
                continue
            if inner is not None or piece in ("{", "}"):
                self.report.add(
                    "spec/memo-brace",
                    "in a phrase, {} stands once for the state's own text",
                    scalar.place_of(match.start()),
                    found=shorten(scalar.text),
                    hint="a brace itself is written {{ or }}",
                )
                return None
            parts[-1] += {"{{": "{", "}}": "}"}.get(piece, piece)
        before, *after = map(_composed, parts)
        return Phrase(before=before, after=after[0] if after else None, place=scalar.place)

    def _state(self, name: str, scalar: Scalar) -> str | None:
        """A state of the variable, or None for ``else``; what is no state is reported."""
        states = self._states(name)
        if scalar.text == ELSE and (states is None or ELSE not in states):
            return None
        if states is not None and scalar.text not in states:
            unknown_state(scalar, name, states, self.report)
        elif states is None and not self._is_number_of(name, scalar.text):
            unknown_state(scalar, name, ("a number of its grid",), self.report)
        return scalar.text

    def _states(self, name: str) -> tuple[str, ...] | None:
        meaning = self.resolver.meanings.get(name)
        return meaning.states if meaning else None

    def _is_number_of(self, name: str, text: str) -> bool:
        """Whether a text names a number of a grid or count; True of variables whose states only a rule tells."""
        meaning = self.resolver.meanings.get(name)
        source = meaning.source if meaning else None
        number = numeral(text)
        if isinstance(source, Count):
            return number is not None and number.denominator == 1 and source.start <= number <= source.stop
        if isinstance(source, Measurement):
            on_grid = number is not None and ((number - source.start) / source.step).denominator == 1
            return number is not None and on_grid and source.start <= number <= source.stop
        return True

    # -- repeated variables ------------------------------------------------------------------------

    def _code(self, key: Scalar, node: Node) -> Wording:
        """The wording of a repeated variable: its states in a row, in groups where the file says so."""
        self.check_code(key.text, key)
        before, groups, text = len(self.report), None, node if isinstance(node, Scalar) else None
        if isinstance(node, Mapping):
            text, keys = node.scalar(CODE), (CODE, GROUPS)
            for inner, _ in node.pairs:
                if inner.text not in keys:
                    self.report.add(
                        "spec/unknown-key",
                        f"there is no key {shorten(inner.text)!r} here: {key.text} is repeated, and told as one code",
                        inner.place,
                        allowed=listing(keys),
                        hint=self.report.suggest(inner.text, keys),
                    )
            groups = self._groups(node.scalar(GROUPS), len(self.families[key.text])) if GROUPS in node else None
        phrase = self._phrase(text) if text else None
        if phrase is None or phrase.after is None:
            if len(self.report) == before:
                self.report.add(
                    "spec/memo-phrases",
                    f"{key.text} is repeated: its phrase is one text with {{}} for the whole row",
                    key.place,
                    hint=f'write {key.text}: {{code: "the code is {{}}", groups: 4}}',
                )
            return Wording(by=None, phrases={})
        return Wording(by=None, phrases={None: {None: (phrase,)}}, groups=groups)

    def _groups(self, scalar: Scalar | None, members: int) -> int | None:
        text = scalar.text if scalar else ""
        if text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= members:
            return int(text)
        if scalar:
            allowed = f"a whole number from 1 to {members}"
            self.report.add("spec/memo-phrases", f"groups of {shorten(text)!r}", scalar.place, allowed=allowed)
        return None

    def check_code(self, name: str, key: Scalar) -> None:
        """Members of a repeated variable can stand in a row where each state is one letter or digit."""
        for member in self.families[name]:
            states = self._states(member)
            if states is None or any(len(state) != 1 or not state.isalnum() for state in states):
                self.report.add(
                    "spec/memo-phrases",
                    f"the states of {name} are not single letters or digits, so they cannot stand in a row",
                    key.place,
                    hint=f"give its members slots of their own, as in {{{member}}}",
                )
                return


def _wrong_order(found: AbstractSequence[str], labels: AbstractSequence[str]) -> str:
    """What an order of sentences does instead of naming each of its paragraph once."""
    times, known = Counter(found), set(labels)
    lacking = [label for label in labels if label not in times]
    again = [label for label in labels if times[label] > 1]
    others = [label for label in times if label not in known]
    parts = (("leaves out", lacking, ""), ("repeats", again, ""), ("names", others, ", not in this paragraph"))
    return " and ".join(f"{verb} {shorten(listing(names, 5))}{where}" for verb, names, where in parts if names)


def _composed(words: str) -> str:
    """Words with single blanks, letters and their accents as one character each."""
    return unicodedata.normalize("NFC", _BLANKS.sub(" ", words))
