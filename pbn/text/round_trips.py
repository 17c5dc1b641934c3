"""Round trips h(r(x)) = x: cases that reach every phrase, rendered and read back by both readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pbn.errors import QueryError
from pbn.network.model import Array
from pbn.text.decode import attributes_of
from pbn.text.memo import Memo
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, PhraseWording

MOST_SEARCHED = 500
"""Memos of one kind that are also searched as free text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """A memo that was not read back right: its case, its text, and what happened."""

    codes: Mapping[str, int]
    text: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cases:
    """Cases of a level: states' positions of what the text tells, and what positions choose."""

    codes: Mapping[str, Array]
    chosen: Mapping[str, Array]
    count: int

    def __len__(self) -> int:
        return self.count

    def where(self, kept: Array) -> Cases:
        """The cases that a mask keeps."""
        return Cases(
            codes={name: codes[kept] for name, codes in self.codes.items()},
            chosen={key: chosen[kept] for key, chosen in self.chosen.items()},
            count=int(np.count_nonzero(kept)),
        )


def has_phrases(template: MemoTemplate, codes: Mapping[str, Array], count: int) -> Array:
    """Which of so many cases the memo has words for."""
    kept = np.ones(count, dtype=bool)
    for name, wording in template.wordings.items():
        if isinstance(wording, PhraseWording):
            by = np.asarray(codes[wording.by.name]) if wording.by is not None else 0
            kept &= ~wording.gaps[by, np.asarray(codes[name]), 0]
    return kept


def every_phrase(template: MemoTemplate) -> Cases:
    """Cases in which every phrase, every letter at every place of a code, every order and phrasing occurs."""
    base = dict.fromkeys(template.parents, 0)
    alone: list[tuple[dict[str, int], dict[str, int]]] = [({}, {})]  # what differs from the base, and what is chosen
    together: list[list[tuple[dict[str, int], dict[str, int]]]] = []
    for name, wording in template.wordings.items():
        if isinstance(wording, CodeWording):
            sizes = [variable.size for variable in wording.variables]
            letters = [
                [(k + step * j) % size for j, size in enumerate(sizes)] for k in range(max(sizes)) for step in (0, 1)
            ]
            together.append([(dict(zip(wording.members, row, strict=True)), {}) for row in letters])
            continue
        readings = wording.readings
        base[name] = readings[0].state if readings else 0
        if wording.by is not None:
            alone += [({wording.by.name: r.by, name: r.state}, {f"phrase of {name}": r.phrasing}) for r in readings]
        elif readings:
            together.append([({name: r.state}, {f"phrase of {name}": r.phrasing}) for r in readings])
    alone += [({}, {key: k}) for key, size in template.choices.items() for k in range(size)]
    for k in range(max(map(len, together), default=0)):
        row: tuple[dict[str, int], dict[str, int]] = ({}, {})
        for part in together:
            row[0].update(part[k % len(part)][0])
            row[1].update(part[k % len(part)][1])
        alone.append(row)
    rows = [({**base, **different}, chosen) for different, chosen in alone]
    codes = {name: np.array([row[name] for row, _ in rows], dtype=np.intp) for name in template.parents}
    chosen = {key: np.array([picked.get(key, 0) for _, picked in rows]) for key in template.choices}
    return Cases(codes=codes, chosen=chosen, count=len(rows))


def failed_trips(memo: Memo, cases: Cases) -> Iterator[Trip]:
    """The cases whose memo is not read back as it was: by the strict reader, or by a search of the text."""
    template = memo.template
    positions = np.zeros(len(cases), dtype=np.int64)
    texts = list(template.render(cases.codes, positions, chosen=cases.chosen))
    rows = {name: codes.tolist() for name, codes in cases.codes.items()}
    told = [name for name in template.visible if name in rows]
    searched = set(np.linspace(0, len(texts) - 1, min(len(texts), MOST_SEARCHED)).astype(int).tolist())
    for k, found in enumerate(_read(memo, texts)):
        codes = {name: rows[name][k] for name in template.parents}
        reason = found if isinstance(found, str) else _difference(found, codes, told)
        if not reason and k in searched:
            reason = _search_differs(memo, texts[k], codes)
        if reason:
            yield Trip(codes=codes, text=texts[k], reason=reason)


def _read(memo: Memo, texts: Sequence[str]) -> Iterator[Mapping[str, int] | str]:
    """What each memo is read as, or why it cannot be read."""
    try:
        yield from [found.codes for found in memo.decoder.decode_all(texts)]
        return
    except QueryError:
        pass
    for text in texts:
        try:
            yield memo.decoder.decode(text).codes
        except QueryError as error:
            fault = error.faults[0]
            yield f"{fault.code}: {fault.message}"


def _difference(found: Mapping[str, int], codes: Mapping[str, int], told: Sequence[str]) -> str:
    wrong = [name for name in told if found.get(name) != codes[name]]
    return f"read back with another {wrong[0]}" if wrong else ""


def _search_differs(memo: Memo, text: str, codes: Mapping[str, int]) -> str:
    recovery = memo.recover(text)
    expected = attributes_of(memo.template, {name: codes[name] for name in memo.template.visible if name in codes})
    if recovery.hidden:
        return f"a search finds hidden {next(iter(recovery.hidden))}"
    wrong = [name for name, state in expected.items() if recovery.found.get(name) != state]
    return f"a search does not find {wrong[0]} as it is" if wrong else ""
