"""The memos of a world at one hiding level: attributes to text, and text back to attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pbn.errors import Fault, QueryError, listing
from pbn.evidence import column_codes, evidence_codes
from pbn.network.model import Array, IndexMap, Network
from pbn.spec.model import Level, WorldSpec
from pbn.text.decode import Decoded, Decoder, attributes_of
from pbn.text.recover import Recovery, Searcher
from pbn.text.template import MemoTemplate

if TYPE_CHECKING:
    import pandas as pd

MOST_POSITION = 2**62


class Memo:
    """The memos of a world at one level.

    Examples
    --------
    >>> import pbn
    >>> world = pbn.load("covert_transfer")
    >>> memo = world.memo("medium")
    >>> text = memo.text({"identifier": "kqzvabcdkqzvabcd", "report": "error report", "tag_range": "a-d",
    ...     "attachments": 2, "team_size": 4, "shift": "night", "storage": "mirror", "format": "table",
    ...     "urgency": "routine", "language": "French", "reviewer_desk": "first desk"})
    >>> "kqzv-abcd-kqzv-abcd" in text
    True
    >>> memo.decode(text)["tag_range"]
    'a-d'
    """

    def __init__(self, template: MemoTemplate) -> None:
        self.template = template

    @cached_property
    def searcher(self) -> Searcher:
        """Finds the phrases of the world's memos in any text."""
        return Searcher(self.template)

    @cached_property
    def decoder(self) -> Decoder:
        """Reads the memos of this level."""
        return Decoder(self.template, self.searcher)

    # -- attributes to text --------------------------------------------------------------------------

    def text(self, attributes: Mapping[str, object], *, position: int = 0, question: str | None = None) -> str:
        """The memo of one case.

        Parameters
        ----------
        attributes
            Variable → state, as `World.posterior` takes them. What the level hides is left out; what follows
            from other attributes (a merged one) need not be given.
        position
            The case's position, from 0; it chooses among phrasings and orders, where the file has any.
        question
            The question at the end; all of the world's by default.

        Raises
        ------
        QueryError
            An attribute is missing or unknown, or has no such state.
        """
        template = self.template
        if not isinstance(position, (int, np.integer)) or not 0 <= position < MOST_POSITION:
            raise QueryError(
                Fault(
                    code="text/position",
                    message=f"{str(position)[:40]} is no position",
                    allowed="a whole number, at least 0",
                )
            )
        codes = self.with_functions(evidence_codes(template.network, template.families, attributes))
        missing = self._families([name for name in template.parents if name not in codes])
        if missing:
            known = [name for name in missing if name in template.families or name in template.visible]
            hint = (
                "give every attribute that the level shows" if known else "pbn check says what is wrong with the memo"
            )
            message = f"a memo of level {template.level} tells {listing(missing)} too"
            raise QueryError(Fault(code="text/missing-attribute", message=message, hint=hint))
        rows = {name: np.array([codes[name]]) for name in template.parents}
        return next(template.render(rows, np.array([position]), question=question))

    def attributes(self, case: Mapping[str, object]) -> dict[str, str]:
        """What the level shows of a case, as `decode` gives it back."""
        template = self.template
        codes = self.with_functions(evidence_codes(template.network, template.families, case))
        return attributes_of(template, {name: codes[name] for name in template.visible if name in codes})

    def texts(
        self, cases: pd.DataFrame, *, positions: Sequence[int] | Array | None = None, question: str | None = None
    ) -> Iterator[str]:
        """The memos of many cases, one for each row of a frame that has a column for each variable told.

        Positions are 0, 1, 2, … by default.

        Raises
        ------
        QueryError
            A missing column or value, an unknown state, or positions that are none.
        """
        missing = [name for name in self.template.parents if name not in cases.columns]
        if missing:
            raise QueryError(Fault(code="query/missing-column", message=f"the cases have no column {listing(missing)}"))
        variables = self.template.network.variables
        codes = {name: column_codes(variables[name], cases[name]) for name in self.template.parents}
        where = np.arange(len(cases)) if positions is None else _checked(positions, len(cases))
        return self.template.render(codes, where, question=question)

    def with_functions(self, codes: dict[str, int]) -> dict[str, int]:
        """States' positions, with those of what follows from them: merged attributes, look-ups."""
        network = self.template.network
        for name, cpd in network.cpds.items():
            if not isinstance(cpd, IndexMap) or not all(parent in codes for parent in cpd.parents):
                continue
            follows = int(cpd.index[tuple(codes[parent] for parent in cpd.parents)])
            if codes.setdefault(name, follows) != follows:
                states, parents = network.variables[name].states, listing(self._families(cpd.parents))
                message = f"{name}={states[codes[name]]} does not go with {parents}"
                raise QueryError(Fault(code="text/contradiction", message=message, allowed=f"{name}={states[follows]}"))
        return codes

    def _families(self, names: Sequence[str]) -> list[str]:
        owner = {member: family for family, members in self.template.families.items() for member in members}
        return list(dict.fromkeys(owner.get(name, name) for name in names))

    # -- text to attributes --------------------------------------------------------------------------

    def decode(self, text: str, *, file: str = "memo") -> dict[str, str]:
        """The attributes that a memo tells, read strictly: the text must be a memo of this level to the last byte.

        Raises
        ------
        QueryError
            A value is missing, repeated, malformed, out of range or off its grid, or the text was edited. The
            error names the attribute, the line and the column in ``file``.
        """
        return dict(self.decoded(text, file=file).attributes)

    def decoded(self, text: str, *, file: str = "memo") -> Decoded:
        """What `decode` finds, with the states' positions, the phrasings used and the question at the end."""
        return self.decoder.decode(text, file)

    def recover(self, text: str) -> Recovery:
        """What a text by anybody says of the attributes: phrases and numbers searched for, in any order."""
        if not isinstance(text, str):
            raise QueryError(Fault(code="text/not-text", message="only text is searched", found=type(text).__name__))
        return self.searcher.search(text)


def _checked(positions: Sequence[int] | Array, count: int) -> Array:
    """Positions as an array, one for each case."""
    found: Array = np.asarray(positions)
    right = found.shape == (count,) and (found.dtype.kind in "iu" or not count)
    if not right or (count and not 0 <= int(found.min()) <= int(found.max()) < MOST_POSITION):
        raise QueryError(
            Fault(
                code="text/position",
                message="these are no positions of the cases",
                found=f"shape {found.shape} of {found.dtype}",
                allowed=f"{count:,} whole numbers, at least 0",
            )
        )
    return found


def memo_of(spec: WorldSpec | None, network: Network, levels: Mapping[str, Level], level: str, world: str) -> Memo:
    """The memos of one level of a world.

    Raises
    ------
    QueryError
        The world has no file, or its file no memo.
    """
    if spec is None or spec.memo is None:
        message, hint = f"{world} has no memo", "a world file says in its section 'memo' how a case reads"
        raise QueryError(Fault(code="text/no-memo", message=message, hint=hint))
    anywhere = frozenset(name for entry in levels.values() for name in entry.visible)
    asked = {question.name: question.text for question in spec.questions.values()}
    visible = levels[level].visible
    return Memo(MemoTemplate(spec.memo, network, spec.families, visible, anywhere, asked, level))
