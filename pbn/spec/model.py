"""What a world file says, resolved and valid: the values that `pbn.network` compiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from pbn.errors import Place
from pbn.spec.expression import Expression
from pbn.spec.nodes import Node

Role = Literal["latent", "residual", "irrelevant"]
Kind = Literal["yes/no", "choice", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A random variable: one row of exact probabilities for each combination of parent states."""

    parents: tuple[str, ...]
    rows: Mapping[tuple[str, ...], tuple[Fraction, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A deterministic variable: an expression over other variables."""

    expression: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionList:
    """A deterministic variable: the state of the first condition that holds, else ``otherwise``."""

    cases: tuple[tuple[Expression, str], ...]
    otherwise: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A deterministic variable: each state of one other variable has its own result.

    Both ``of`` + ``values`` and ``merge`` + ``into`` of a file become this.
    """

    of: str
    results: Mapping[str, str]
    merges: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """A number on a grid, uniform within the interval that belongs to the state of ``of``.

    The grid is ``start, start + step, …, stop``; ``cuts[j]`` is the first number of interval ``j + 1``.
    """

    of: str
    unit: str
    start: Fraction
    stop: Fraction
    step: Fraction
    cuts: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A whole number from ``start`` to ``stop``: a law truncated to that range, its median fixed.

    ``shape`` is the negative binomial's dispersion r (variance μ + μ²/r) or the lognormal's
    log-scale standard deviation; ``zero`` is extra mass at 0, taken from the rest.
    """

    family: Literal["negative_binomial", "lognormal"]
    median: int
    shape: Fraction
    start: int
    stop: int
    zero: Fraction


Source = Table | Rule | DecisionList | Lookup | Measurement | Count


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableSpec:
    """One variable: its states (None where a rule or a measurement makes them), numbers, role and source.

    ``parents`` are the variables that it names, in order of first use; a rule may turn out not to
    depend on all of them. ``index`` is the position, from 1, of a member of a repeated variable.
    """

    name: str
    states: tuple[str, ...] | None
    values: tuple[Fraction, ...] | None
    role: Role | None
    source: Source
    parents: tuple[str, ...]
    text: str
    index: int | None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A typed question about one variable; ``positive`` is the state counted as yes."""

    name: str
    asks: str
    kind: Kind
    positive: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A hiding level: the variables that are visible at it, in file order.

    ``closed_forms`` maps a question to the variable that claims to be P(positive | visible) there.
    """

    name: str
    visible: tuple[str, ...]
    closed_forms: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure from a publication, kept as written (``"0.211"``), with its source."""

    quantity: Literal["prior", "bayes_error"]
    question: str
    level: str | None
    state: str | None
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A place in a sentence that tells a variable, or all members of a repeated one."""

    name: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A sentence of a memo: its phrasings, each made of fixed words and slots."""

    label: str
    phrasings: tuple[tuple[str | Slot, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Sentences and the orders they may stand in, as positions; the first order is the file's own."""

    sentences: tuple[Sentence, ...]
    orders: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """Fixed words, or words around the state's own text where ``after`` is not None."""

    before: str
    after: str | None
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """How a variable's states read: ``phrases[state of by][own state]`` are the phrasings; None stands for all others.

    A repeated variable's states stand in a row, in hyphenated groups of ``groups`` where that is not None.
    """

    by: str | None
    phrases: Mapping[str | None, Mapping[str | None, tuple[Phrase, ...]]]
    groups: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoSpec:
    """How a case reads as text; a variable without a wording reads as its state's own name."""

    paragraphs: tuple[Paragraph, ...]
    wordings: Mapping[str, Wording]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """A whole world file, resolved: names exist, rows sum to one, levels are nested.

    ``variables`` come in file order with repeated ones expanded; ``families`` maps a repeated name
    to its members. ``attributes`` are the variables that a level shows unless it hides them.
    ``law_digest`` covers variables, probabilities, rules and levels; ``digest`` the whole file.
    ``tree`` is the file itself, from which the world can be read again with other parameters; None where what is said
    here is no longer what the file says.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    parameters: Mapping[str, Fraction]
    variables: Mapping[str, VariableSpec]
    families: Mapping[str, tuple[str, ...]]
    attributes: tuple[str, ...]
    questions: Mapping[str, Question]
    levels: Mapping[str, Level]
    claims: tuple[str, ...]
    published: tuple[Published, ...]
    memo: MemoSpec | None
    law_digest: str
    digest: str
    tree: Node | None = field(default=None, repr=False, compare=False)
