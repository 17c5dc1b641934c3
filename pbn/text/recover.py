"""The lenient reader: fixed phrases and numbers searched for in free text, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from pbn.spec.report import shorten
from pbn.text.template import MemoTemplate
from pbn.text.wording import CodeWording, PhraseWording

MOST_DIGITS = 40

_TOKEN = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?(?![0-9])|[0-9]+(?:\.[0-9]+)?|[^\W\d]\w*|[^\s]")
_INSIDE = frozenset(".,/:'·⁄")
"""Signs that can stand inside a number."""
_PLAIN = str.maketrans("‐‑‒–—−‘’“”", "------''\"\"")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """A phrase found in a text: of which state, or None for a number or code that is none of the variable's."""

    name: str
    state: str | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What a search found, by the names of slots.

    Attributes
    ----------
    told
        The visible attributes that a memo of the level tells.
    found
        Attributes that the text tells once or several times alike, and their states.
    missing
        Visible attributes that it tells nothing of.
    ambiguous
        Visible attributes that it tells in several ways, and the states.
    malformed
        Numbers and codes in the right words that are none of the variable's, as they stand.
    hidden
        Variables that the level hides and that the text tells something of, and the phrases.
    occurrences
        Every phrase that was found, in the order of the text.
    """

    told: tuple[str, ...]
    found: Mapping[str, str]
    missing: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    malformed: Mapping[str, tuple[str, ...]]
    hidden: Mapping[str, tuple[str, ...]]
    occurrences: Mapping[str, tuple[Occurrence, ...]]


@dataclass(slots=True)
class _Ending:
    """What a phrase means that ends at a node: a state, a number's state, or a code."""

    name: str
    state: str | None = None
    numbers: Mapping[Fraction, str] | None = None


@dataclass(slots=True)
class _Node:
    """A place in the tree of phrases: which token leads where, and which phrases end here."""

    next: dict[str, _Node] = field(default_factory=dict)
    number: _Node | None = None
    codes: list[tuple[CodeWording, _Node]] = field(default_factory=list)
    endings: list[_Ending] = field(default_factory=list)

    def after(self, path: Sequence[str]) -> _Node:
        """The node that tokens lead to, made where there is none."""
        node = self
        for token in path:
            node = node.next.setdefault(token, _Node())
        return node


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number or sign of a text, in lower case."""

    text: str
    start: int
    end: int


class Searcher:
    """Finds the phrases of a memo's variables, hidden ones included; the time is linear in the text.

    Case, line breaks, and the kinds of dashes and quotes make no difference.
    """

    def __init__(self, template: MemoTemplate) -> None:
        self.template = template
        self._root = _Node()
        self._has_codes = any(isinstance(wording, CodeWording) for wording in template.all_wordings.values())
        for wording in template.all_wordings.values():
            if isinstance(wording, CodeWording):
                node = _Node()
                self._root.after(normal(wording.before)).codes.append((wording, node))
                node.after(normal(wording.after)).endings.append(_Ending(wording.name))
            else:
                self._add_phrases(wording)

    def _add_phrases(self, wording: PhraseWording) -> None:
        numbers: dict[tuple[str, str], dict[Fraction, str]] = {}
        for reading in wording.readings:
            state = wording.variable.states[reading.state]
            if reading.number:
                numbers.setdefault((reading.before, reading.after), {})[Fraction(reading.own)] = state
            else:
                self._root.after(normal(reading.text)).endings.append(_Ending(wording.name, state))
        for (before, after), states in numbers.items():
            node = self._root.after(normal(before))
            node.number = node.number or _Node()
            node.number.after(normal(after)).endings.append(_Ending(wording.name, None, states))

    @property
    def told(self) -> tuple[str, ...]:
        """The visible attributes that a memo of the level tells."""
        visible = set(self.template.visible)
        return tuple(name for name, w in self.template.all_wordings.items() if set(w.members) <= visible)

    # -- searching -----------------------------------------------------------------------------------

    def search(self, text: str) -> Recovery:
        """What a text says of the level's attributes, and of hidden ones."""
        occurrences: dict[str, list[Occurrence]] = {}
        for occurrence in self.occurrences(text):
            occurrences.setdefault(occurrence.name, []).append(occurrence)
        return self._recovery({name: tuple(listed) for name, listed in occurrences.items()})

    def occurrences(self, text: str) -> Iterator[Occurrence]:
        """Every phrase of a text that stands in no longer one, in order."""
        listed = tokens(text)
        covered = 0
        runs = run_ends(listed) if self._has_codes else ()
        anywhere = self._root.number is not None or bool(self._root.codes)
        for k, token in enumerate(listed):
            best = self._longest(listed, runs, k) if anywhere or token.text in self._root.next else None
            if best is None:
                continue
            name, state, size = best
            end = listed[k + size - 1].end
            if end > covered:
                covered = end
                yield Occurrence(name=name, state=state, start=token.start, end=end, text=text[token.start : end])

    def _longest(self, listed: Sequence[Token], runs: Sequence[int], start: int) -> tuple[str, str | None, int] | None:
        """The longest phrase that begins at a token: its variable, state, and how many tokens it takes."""
        best: tuple[str, str | None, int] | None = None
        open_: list[tuple[_Node, int, str | None]] = [(self._root, start, None)]
        while open_:
            node, k, value = open_.pop()
            for ending in node.endings if k > start else ():
                if best is None or k - start > best[2]:
                    best = ending.name, _told(ending, value), k - start
            if k == len(listed):
                continue
            following = node.next.get(listed[k].text)
            if following is not None:
                open_.append((following, k + 1, value))
            if node.number is not None:
                number, size = _number_at(listed, k)
                open_ += [(node.number, k + size, number)] * bool(size)
            for wording, behind in node.codes:
                code, size = code_at(wording, listed, runs, k)
                open_ += [(behind, k + size, code)] * bool(code or (size and wording.before))
        return best

    def _recovery(self, occurrences: Mapping[str, tuple[Occurrence, ...]]) -> Recovery:
        told = self.told
        found, ambiguous, malformed = {}, {}, {}
        for name in told:
            states = tuple(dict.fromkeys(one.state for one in occurrences.get(name, ()) if one.state is not None))
            wrong = tuple(shorten(one.text) for one in occurrences.get(name, ()) if one.state is None)
            if len(states) > 1:
                ambiguous[name] = states
            elif states and not wrong:
                found[name] = states[0]
            if wrong:
                malformed[name] = wrong
        hidden = {
            name: tuple(dict.fromkeys(shorten(one.text) for one in listed))
            for name, listed in occurrences.items()
            if name not in told
        }
        return Recovery(
            told=told,
            found=found,
            missing=tuple(name for name in told if not occurrences.get(name)),
            ambiguous=ambiguous,
            malformed=malformed,
            hidden=hidden,
            occurrences=occurrences,
        )


def tokens(text: str) -> list[Token]:
    """Words, numbers and signs of a text, in lower case.

    Examples
    --------
    >>> [token.text for token in tokens("Rated 3.4 out of 5, by 1,200 people")]
    ['rated', '3.4', 'out', 'of', '5', ',', 'by', '1200', 'people']
    """
    plain = text if text.isascii() else text.translate(_PLAIN)
    return [Token(_word(match), match.start(), match.end()) for match in _TOKEN.finditer(plain)]


def normal(words: str) -> list[str]:
    """The tokens of a phrase."""
    return [token.text for token in tokens(words)]


def _word(match: re.Match[str]) -> str:
    text = match.group()
    return text.replace(",", "") if text[0].isdigit() and len(text) > 1 else text.casefold()


def _told(ending: _Ending, value: str | None) -> str | None:
    """The state that a phrase tells; None for a number or code that is none of the variable's."""
    if ending.numbers is not None:
        return ending.numbers.get(Fraction(value)) if value and len(value) <= MOST_DIGITS else None
    return ending.state if ending.state is not None else value or None


def _number_at(listed: Sequence[Token], k: int) -> tuple[str, int]:
    """A number at a token, with its sign, and how many tokens it takes; 0 where there is none.

    The end of something longer, as of 10,5 or 12 500 or 3-5, is a number of which nothing is known: an empty text.
    """
    signed = listed[k].text in ("+", "-") and k + 1 < len(listed) and listed[k].end == listed[k + 1].start
    number = listed[k + signed].text
    if not (number[0].isascii() and number[0].isdigit()):
        return "", 0
    if _is_cut(listed, k):
        return "", 1 + signed
    return ("-" if signed and listed[k].text == "-" else "") + number, 1 + signed


def _is_cut(listed: Sequence[Token], k: int) -> bool:
    """Whether a number or its sign follows directly on what belongs to it."""
    token, before = listed[k], listed[k - 1] if k else None
    if before is None:
        return False
    if before.end == token.start:
        if token.text in ("+", "-"):
            return before.text[-1].isalnum()
        further = listed[k - 2] if k > 1 and listed[k - 2].end == before.start else None
        return before.text in _INSIDE and further is not None and further.text[-1].isdigit()
    in_thousands = len(token.text.partition(".")[0]) == 3 and before.text.isdigit() and len(before.text) <= 3
    return in_thousands and before.end + 1 == token.start


def run_ends(listed: Sequence[Token]) -> list[int]:
    """For each token, the end of the row of letters, digits and hyphens without blanks that it stands in.

    It is the token's own position where it is neither.
    """
    found = list(range(len(listed)))
    for k in range(len(listed) - 1, -1, -1):
        if listed[k].text == "-" or listed[k].text.isalnum():
            joined = k + 1 < len(listed) and listed[k].end == listed[k + 1].start
            found[k] = max(k + 1, found[k + 1]) if joined else k + 1
    return found


def code_at(wording: CodeWording, listed: Sequence[Token], runs: Sequence[int], k: int) -> tuple[str, int]:
    """The code at a token and how many tokens it takes; an empty text for one that is malformed."""
    size = runs[k] - k if k < len(listed) else 0
    if not size or listed[runs[k] - 1].end - listed[k].start != wording.length:
        return "", size
    text = "".join(token.text for token in listed[k : runs[k]])
    plain = text.replace("-", "")
    alphabets = [{state.casefold(): state for state in variable.states} for variable in wording.variables]
    if len(plain) != len(alphabets) or text != wording.grouped(plain):
        return "", size
    letters = [alphabet.get(letter, "") for letter, alphabet in zip(plain, alphabets, strict=True)]
    return "".join(letters) if all(letters) else "", size
