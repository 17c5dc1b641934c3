"""The proof that P(Y | T) = P(Y | x_vis): the text T leaks nothing of what is hidden, and loses nothing of what is not.

Condition 1: T is separated from everything hidden given what is visible, in the graph with T and the position I in
it, and the renderer's bytes depend on nothing else. Condition 2: the visible attributes can be read back from T.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np

from pbn.errors import listing
from pbn.network.model import Array
from pbn.text.clashes import MOST_PHRASES, Clash, phrase_table, table_clashes, uncovered
from pbn.text.decode import attributes_of
from pbn.text.memo import Memo
from pbn.text.round_trips import Cases, Trip, every_phrase, failed_trips, has_phrases
from pbn.text.seams import seam_clashes

TEXT, POSITION = "text", "position"
"""Names of T and I in statements."""
WIDTH = 100
"""Columns after which the names in a statement go on in the next line."""
MOST_FAILED = 20
"""Memos that are not read back, after which no more are tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """What speaks against a condition: two cases with the one text they have, or each with its own."""

    what: str
    cases: tuple[str, ...]
    texts: tuple[str, ...]

    def __str__(self) -> str:
        shown = [f"    | {line}" for text in self.texts[:1] for line in text.split("\n")]
        if len(self.texts) < len(self.cases):
            return "\n".join([self.what, *(f"  {case}" for case in self.cases), *shown])
        lines = [self.what]
        for case, text in zip(self.cases, self.texts, strict=True):
            lines += [f"  {case}", *(f"    | {line}" for line in text.split("\n"))]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One part of the proof: what was tested, whether it holds, and what speaks against it."""

    name: str
    condition: int
    holds: bool
    text: str
    figure: str
    against: tuple[str, ...] = ()
    witness: Witness | None = None

    def __str__(self) -> str:
        mark = "holds" if self.holds else "FAILS"
        lines = [f"{self.name}: {mark}", *(f"  {line}" for line in self.text.split("\n"))]
        lines += [f"  against: {reason}" for reason in self.against]
        lines += [f"  {line}" for line in str(self.witness).split("\n")] if self.witness else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """All parts of the proof for one level; printed, it can be read."""

    world: str
    level: str
    statements: tuple[Statement, ...]

    @property
    def holds(self) -> bool:
        """Whether both conditions do."""
        return all(statement.holds for statement in self.statements)

    def __str__(self) -> str:
        titles = {1: "Condition 1, nothing leaks", 2: "Condition 2, nothing is lost"}
        lines = [f"{self.world}, level {self.level}: P(Y | text) = P(Y | what is visible)"]
        for condition, title in titles.items():
            lines += ["", title]
            for statement in self.statements:
                lines += [f"  {line}" for line in str(statement).split("\n") if statement.condition == condition]
        return "\n".join(lines)


def prove(memo: Memo, cases: Mapping[str, Array], *, world: str = "") -> Proof:
    """The proof for one level, its tests run on given cases.

    Parameters
    ----------
    cases
        Positions of the states of all of the network's named variables, hidden ones too, each of shape (n,).

    Examples
    --------
    >>> import numpy as np, pbn
    >>> from pbn.exact.sample import sample_codes
    >>> world = pbn.load("peer_review")
    >>> cases = sample_codes(world.network, world.network.named, 20, np.random.default_rng(0))
    >>> prove(world.memo("high"), cases).holds
    True
    """
    statements = (separated(memo), invariant(memo, cases), complete(memo), distinct(memo), decodes(memo, cases))
    return Proof(world=world, level=memo.template.level, statements=statements)


# -- condition 1 -------------------------------------------------------------------------------------


def separated(memo: Memo) -> Statement:
    """T ⊥ everything hidden | x_vis by d-separation in the graph with T and I in it, and I ⊥ every variable."""
    import networkx as nx

    template = memo.template
    network, visible = template.network, set(template.visible)
    graph: Any = nx.DiGraph(network.graph)
    text, position = ("memo", TEXT), ("memo", POSITION)  # no variable of a file can be called so
    graph.add_edges_from((name, text) for name in template.parents)
    graph.add_edge(position, text)
    hidden = set(network.variables) - visible
    holds = not hidden or bool(nx.is_d_separator(graph, {text}, hidden, visible))
    apart = bool(nx.is_d_separator(graph, {position}, set(network.variables), set()))
    wrong = [name for name in template.parents if name not in visible]
    against = [reason for name in wrong for reason in _naming(memo, name)]
    shown = [name for name in network.named if name in hidden]
    told_by = [*_in_families(memo, template.parents), *[POSITION] * bool(template.choices)]
    lines = [
        *_wrapped(f"{TEXT} ← ", f"{', '.join(told_by)}, where {POSITION} has no parent"),
        *_independence(_in_families(memo, shown), _in_families(memo, template.visible)),
        f"{POSITION} ⊥ every variable",
        "d-separation, tested by networkx",
    ]
    return Statement(
        name="text_separated",
        condition=1,
        holds=holds and apart,
        text="\n".join(lines),
        figure=f"{TEXT} ⊥ {len(shown)} hidden" if holds else f"{listing(wrong, 3)} told",
        against=tuple(against),
    )


def _naming(memo: Memo, name: str) -> Iterator[str]:
    """Where the template names a variable that it must not."""
    template = memo.template
    hides = f"which level {template.level} hides" if name in template.shown_somewhere else "which no level shows"
    for slot in template.slots:
        wording = template.wordings[slot.name]
        if name in wording.members:
            yield f"line {slot.place.line}, column {slot.place.column}: {{{slot.name}}} tells {name}, {hides}"
        elif wording.by is not None and wording.by.name == name:
            yield f"the wording of {slot.name} (line {slot.place.line}) depends on {name}, {hides}"


def invariant(memo: Memo, cases: Mapping[str, Array]) -> Statement:
    """Equal x_vis and position, every hidden variable and label changed: the renderer's bytes are the same."""
    template = memo.template
    variables = template.network.variables
    count = len(next(iter(cases.values())))
    changed, hidden = dict(cases), []
    for k, name in enumerate(template.network.named):
        if name not in template.visible and variables[name].size > 1:
            step = 1 + (np.arange(count) + k) % (variables[name].size - 1)
            changed[name] = (cases[name] + step) % variables[name].size
            hidden.append(name)
    rows = np.flatnonzero(has_phrases(template, cases, count) & has_phrases(template, changed, count))
    one_set, other_set = ({name: codes[rows] for name, codes in some.items()} for some in (cases, changed))
    witness, different = None, 0
    pairs = zip(template.render(one_set, rows), template.render(other_set, rows), strict=True)
    for row, (one, other) in zip(rows.tolist(), pairs, strict=True):
        different += one != other
        if one != other and witness is None:
            witness = _two_texts(memo, cases, changed, row, one, other)
    shown = f"{len(rows):,} pairs of equal bytes" if len(rows) else "no case has all its phrases"
    return Statement(
        name="text_invariant",
        condition=1,
        holds=not different and len(rows) > 0,
        text=f"{len(rows):,} cases rendered twice, {len(hidden)} hidden variables changed in each: "
        f"{f'{different:,} texts differ' if different else 'equal bytes'}",
        figure=f"{different:,} of {len(rows):,} texts differ" if different else shown,
        witness=witness,
    )


def _two_texts(
    memo: Memo, cases: Mapping[str, Array], changed: Mapping[str, Array], row: int, one: str, other: str
) -> Witness:
    template = memo.template
    wrong = [name for name in template.parents if name not in template.visible]
    told = tuple(_case(memo, {name: int(codes[name][row]) for name in wrong}) for codes in (cases, changed))
    visible = _case(memo, {name: int(cases[name][row]) for name in template.visible})
    return Witness(what=f"two texts for one case ({visible}), at one position:", cases=told, texts=(one, other))


# -- condition 2 -------------------------------------------------------------------------------------


def complete(memo: Memo) -> Statement:
    """Every visible attribute has one slot, and every state of it a phrase."""
    reasons = tuple(uncovered(memo.template))
    told = sum(len(wording.members) for wording in memo.template.wordings.values())
    return Statement(
        name="text_complete",
        condition=2,
        holds=not reasons,
        text=f"each of {len(memo.template.visible)} visible variables has one slot, and each state of it a phrase",
        figure=f"{told} variables told" if not reasons else f"{len(reasons)} not told",
        against=reasons,
    )


def distinct(memo: Memo) -> Statement:
    """No phrase is another, stands inside another, or in the words around it."""
    template = memo.template
    table = phrase_table(template.all_wordings)
    if len(table) > MOST_PHRASES:
        text = f"{len(table):,} phrases are too many to compare, at most {MOST_PHRASES:,} are"
        return Statement(name="phrases_distinct", condition=2, holds=False, text=text, figure="too many phrases")
    clashes = list(table_clashes(table))
    witness = next((found for clash in clashes if (found := _one_text(memo, clash)) is not None), None)
    if not clashes:
        clashes = list(seam_clashes(template, memo.searcher))
    return Statement(
        name="phrases_distinct",
        condition=2,
        holds=not clashes,
        text=f"{len(table):,} phrases compared: no two states have one, and none stands inside another, in fixed words "
        "or across a seam"
        if not clashes
        else f"{len(table):,} phrases compared with each other and with the words around them",
        figure=f"{len(clashes)} clash{'es' if len(clashes) > 1 else ''}"
        if clashes
        else f"{len(table):,} phrases apart",
        against=tuple(map(str, clashes)),
        witness=witness,
    )


def decodes(memo: Memo, cases: Mapping[str, Array]) -> Statement:
    """Both readers give back what was rendered: for every phrase, and for the given cases."""
    template = memo.template
    count = len(next(iter(cases.values())))
    drawn = Cases(
        codes={name: np.asarray(cases[name]) for name in template.parents},
        chosen=template.chosen(np.arange(count)),
        count=count,
    )
    designed = every_phrase(template)
    drawn, left_out = drawn.where(has_phrases(template, drawn.codes, count)), count
    designed = designed.where(has_phrases(template, designed.codes, len(designed)))
    left_out -= len(drawn)
    failed = list(islice(chain(failed_trips(memo, designed), failed_trips(memo, drawn)), MOST_FAILED))
    gap = (f"{left_out:,} of {count:,} drawn cases have a state without a phrase",) if left_out else ()
    reasons = (*gap, *dict.fromkeys(trip.reason for trip in failed))
    total = len(designed) + len(drawn)
    witness = _same_text(memo, failed) if failed else None
    cut = f"; stopped at {MOST_FAILED} that are not read back" if len(failed) == MOST_FAILED else ""
    return Statement(
        name="text_decodes",
        condition=2,
        holds=not reasons,
        text=f"{total:,} memos {'rendered and read' if failed else 'read back'}: {len(designed):,} that reach every "
        f"phrase, and {len(drawn):,} drawn{cut}",
        figure=f"{'at least ' * (len(failed) == MOST_FAILED)}{len(failed) + left_out:,} of {total + left_out:,} "
        "not read back"
        if reasons
        else f"{total:,} memos read back",
        against=reasons,
        witness=witness,
    )


def _same_text(memo: Memo, failed: Sequence[Trip]) -> Witness:
    """Two different cases with one text, where there are; else a case whose text is not read back."""
    first: dict[str, Trip] = {}
    for trip in failed:
        other = first.setdefault(trip.text, trip)
        if other.codes != trip.codes:
            told = (_case(memo, other.codes), _case(memo, trip.codes))
            return Witness(what="one text for two cases:", cases=told, texts=(trip.text,))
    trip = failed[0]
    return Witness(what=f"{trip.reason}:", cases=(_case(memo, trip.codes),), texts=(trip.text,))


def _one_text(memo: Memo, clash: Clash) -> Witness | None:
    """Two cases that differ in one state and have one text, where two states have one phrase."""
    template = memo.template
    if clash.name != clash.other or clash.name not in template.wordings or clash.name not in template.visible:
        return None
    states = template.network.variables[clash.name].states
    if clash.state is None or clash.other_state is None or clash.state == clash.other_state:
        return None
    base = {name: codes[:1] for name, codes in every_phrase(template).codes.items()}
    cases = [{**base, clash.name: np.array([states.index(state)])} for state in (clash.state, clash.other_state)]
    texts = [next(template.render(case, np.zeros(1, dtype=np.int64))) for case in cases]
    if texts[0] != texts[1]:
        return None
    told = tuple(_case(memo, {name: int(codes[0]) for name, codes in case.items()}) for case in cases)
    return Witness(what="one text for two cases:", cases=told, texts=(texts[0],))


# -- words -------------------------------------------------------------------------------------------


def _case(memo: Memo, codes: Mapping[str, int]) -> str:
    attributes = attributes_of(memo.template, codes)
    variables = memo.template.network.variables
    others = {name: variables[name].states[code] for name, code in codes.items() if name not in memo.template.visible}
    return ", ".join(f"{name}={state}" for name, state in {**attributes, **others}.items())


def _independence(hidden: Sequence[str], given: Sequence[str]) -> list[str]:
    """That the text is independent of what is hidden, given the rest; every name is there."""
    head, left, right = f"{TEXT} ⊥ ", f"{{{', '.join(hidden)}}}", f"{{{', '.join(given)}}}"
    if len(line := f"{head}{left} | {right}") <= WIDTH:
        return [line]
    return [*_wrapped(head, left), *_wrapped("| ".rjust(len(head)), right)]


def _wrapped(head: str, text: str) -> list[str]:
    """Lines of at most `WIDTH` columns, those after the first below the text."""
    indent = " " * len(head)
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _in_families(memo: Memo, names: Iterable[str]) -> list[str]:
    """Names, the members of a repeated variable as one where all are there."""
    listed = list(names)
    whole = {family: members for family, members in memo.template.families.items() if set(members) <= set(listed)}
    owner = {member: family for family, members in whole.items() for member in members}
    return list(dict.fromkeys(owner.get(name, name) for name in listed))
