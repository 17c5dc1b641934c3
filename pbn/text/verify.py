"""Memos that somebody else wrote: whether a search of the text gives exactly the attributes it was to tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pbn.errors import Fault, QueryError, listing
from pbn.text.memo import Memo

CAUTION = (
    "That no phrase of a hidden attribute occurs does not prove that the text leaks nothing: it may tell of it in "
    "other words. Condition 1 is proved of pbn's own memos alone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a search of a text finds, beside what the text was to tell.

    Attributes
    ----------
    expected, found
        Visible attributes and their states: as given, and as the text tells them.
    different
        Attributes that it tells otherwise: the state given, and the state found.
    missing, ambiguous, malformed
        Attributes of which it tells nothing, several states, or numbers and codes that are none.
    hidden
        Variables that the level hides and of which a phrase occurs, with the phrases.
    """

    expected: Mapping[str, str]
    found: Mapping[str, str]
    different: Mapping[str, tuple[str, str]]
    missing: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    malformed: Mapping[str, tuple[str, ...]]
    hidden: Mapping[str, tuple[str, ...]]

    @property
    def agrees(self) -> bool:
        """Whether the text tells exactly the given attributes."""
        return dict(self.found) == dict(self.expected)

    @property
    def passed(self) -> bool:
        """Whether it does, and no phrase of a hidden attribute occurs; this is no proof of condition 1."""
        return self.agrees and not self.hidden


def verify(memo: Memo, text: str, attributes: Mapping[str, object]) -> Verification:
    """Search a text by anybody for what it should tell.

    Parameters
    ----------
    attributes
        Variable → state; what the level hides is left out.

    Raises
    ------
    QueryError
        An attribute is missing or unknown, or has no such state; the text is no text.

    Examples
    --------
    >>> import pbn
    >>> memo = pbn.load("support_ticket").memo("high")
    >>> told = {"topic_group": "money", "scope": "one person", "earlier_contacts": 0, "tone": "curt",
    ...     "channel": "chat", "attachments": 0, "display_theme": "dark"}
    >>> verify(memo, memo.text(told), told).passed
    True
    >>> verify(memo, memo.text(told).replace("wastes no words on courtesies", "stays friendly"), told).different
    {'tone': ('curt', 'friendly')}
    """
    expected = memo.attributes(attributes)
    lacking = [name for name in memo.searcher.told if name not in expected]
    if lacking:
        raise QueryError(
            Fault(
                code="text/missing-attribute",
                message=f"the attributes say nothing of {listing(lacking)}",
                hint="give every attribute that the level shows",
            )
        )
    expected = {name: state for name, state in expected.items() if name in memo.searcher.told}
    recovery = memo.recover(text)
    return Verification(
        expected=expected,
        found=recovery.found,
        different={
            name: (state, recovery.found[name])
            for name, state in expected.items()
            if recovery.found.get(name, state) != state
        },
        missing=recovery.missing,
        ambiguous=recovery.ambiguous,
        malformed=recovery.malformed,
        hidden=recovery.hidden,
    )
