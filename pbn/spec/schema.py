"""The shape of a world file: which keys stand where, for checking it and for editors.

The file's scalars stay text here; what they mean is read by `pbn.spec.load`. Tags of unions begin with NUL, which no
key of a file can.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import islice
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, RootModel, Tag, TypeAdapter, WithJsonSchema

from pbn.errors import closest
from pbn.spec.model import Kind, Role

SOURCE_KEYS = ("p", "rule", "first", "of", "merge", "measured", "count")
GOES_WITH = {"given": "p", "else": "first", "into": "merge", "unit": "measured", "from": "measured", "to": "measured",
             "step": "measured", "cuts": "measured"}  # fmt: skip

Text = Annotated[str, WithJsonSchema({"type": ["string", "number", "boolean"]})]
Number = Annotated[
    str,
    WithJsonSchema(
        {"type": ["number", "string"], "description": "A number, a fraction such as 3/4, or arithmetic over parameters"}
    ),
]
Whole = Annotated[str, WithJsonSchema({"type": ["integer", "string"]})]
Quantity = Literal["prior", "bayes_error"]
Claim = Literal[
    "strictly_nested", "positive_bayes_error", "every_factor_matters", "irrelevant_fields", "published_values"
]
WORDS: dict[str, tuple[str, ...]] = {
    "role": get_args(Role),
    "kind": get_args(Kind),
    "quantity": get_args(Quantity),
    "claims": get_args(Claim),
}
Condition = Annotated[list[Text], Field(min_length=2, max_length=2)]


def _shape(value: Any) -> str:
    return "\0map" if isinstance(value, dict) else "\0text" if isinstance(value, str) else "\0list"


def _shape_or_list(value: Any) -> str:
    return "\0text" if isinstance(value, str) else "\0list"


def _shape_or_map(value: Any) -> str:
    return "\0list" if isinstance(value, list) else "\0map"


Texts = Annotated[Annotated[Text, Tag("\0text")] | Annotated[list[Text], Tag("\0list")], Discriminator(_shape_or_list)]
Names = Annotated[Annotated[str, Tag("\0text")] | Annotated[list[str], Tag("\0list")], Discriminator(_shape_or_list)]
Numbers = Annotated[
    Annotated[list[Number], Tag("\0list")] | Annotated[dict[str, Number], Tag("\0map")], Discriminator(_shape_or_map)
]


class Cell(RootModel[Annotated[
        Annotated[Number, Tag("\0text")] | Annotated[list[Number], Tag("\0list")]
        | Annotated[dict[str, "Cell"], Tag("\0map")], Discriminator(_shape)]]):  # fmt: skip
    """A probability, a row of them, or rows of the next parent."""


Rows = Annotated[
    Annotated[list[Number], Tag("\0list")] | Annotated[dict[str, Cell], Tag("\0map")], Discriminator(_shape_or_map)
]


def _keys(model: type[BaseModel]) -> list[str]:
    return [field.alias or name for name, field in model.model_fields.items()]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Variable(_Part):
    """What every variable may say, whatever its source."""

    text: Text = Field(default="", description="What the variable is, for people")
    role: Role | None = Field(
        default=None, description="latent and residual variables are never shown; irrelevant ones decide nothing"
    )
    repeat: Whole | None = Field(
        default=None, description="Makes this many variables, name_1, name_2, …; rules may use the index i"
    )


class RandomVariable(_Variable):
    """A random variable: `states` with `p`, a row for each combination of `given` states; uniform without `p`."""

    states: Texts = Field(description="The states: a list, or a range such as a..z or -5..5")
    values: Numbers | None = Field(default=None, description="The number behind each state")
    given: Names | None = Field(default=None, description="The variables that the probabilities depend on")
    p: Rows | None = Field(default=None, description="Probabilities; each row sums to exactly 1")


class RuleVariable(_Variable):
    """A deterministic variable: an expression over other variables."""

    rule: Text = Field(description="An expression; states are quoted in it")
    states: Texts | None = Field(default=None, description="The order of the states; for true or false: [no, yes]")
    values: Numbers | None = Field(default=None, description="The number behind each state")


class DecisionListVariable(_Variable):
    """A deterministic variable: the state of the first condition that holds."""

    states: Texts = Field(description="The states")
    values: Numbers | None = Field(default=None, description="The number behind each state")
    first: list[Condition] = Field(min_length=1, description="Pairs of a condition and the state it gives")
    else_: Text = Field(alias="else", description="The state where no condition holds")


class LookupVariable(_Variable):
    """A deterministic variable: the result for each state of one other variable."""

    of: str = Field(description="The variable that is looked up")
    values: dict[str, Text] = Field(description="The result for each of its states")
    states: Texts | None = Field(default=None, description="The order of the results")


class MergeVariable(_Variable):
    """A deterministic variable: each state is several states of one other variable, merged."""

    merge: str = Field(description="The variable whose states are merged")
    into: dict[str, Texts] = Field(description="The old states, or a range of them, for each new state")


class MeasuredVariable(_Variable):
    """A number on a grid, uniform within the interval that belongs to the state of another variable."""

    measured: str = Field(description="The variable whose states are the intervals")
    unit: Text = Field(default="", description="The unit of the number")
    from_: Number = Field(alias="from", description="The smallest number")
    to: Number = Field(description="The largest number")
    step: Number = Field(description="The distance of neighbouring numbers")
    cuts: list[Number] = Field(description="The first number of each interval but the lowest")


class NegativeBinomial(_Part):
    """A negative binomial law with a given median; its variance is μ + μ²/dispersion."""

    median: Whole
    dispersion: Number


class Lognormal(_Part):
    """A rounded lognormal law with a given median; `scale` is the standard deviation of the logarithm."""

    median: Whole
    scale: Number


class CountLaw(_Part):
    """A law of whole numbers, cut to a range."""

    negative_binomial: NegativeBinomial | None = None
    lognormal: Lognormal | None = None
    from_: Whole = Field(alias="from", description="The smallest number")
    to: Whole = Field(description="The largest number")
    zero: Number | None = Field(default=None, description="Extra mass at 0, taken from the rest")


class CountVariable(_Variable):
    """A whole number with a bounded count law."""

    count: CountLaw


def sources_of(keys: Collection[str]) -> list[str]:
    """The source keys among a variable's keys; allowing for a slip in the spelling where there is none.

    Examples
    --------
    >>> sources_of(["states", "p"]), sources_of(["states"]), sources_of(["mrege", "into"]), sources_of(["text"])
    (['p'], ['p'], ['merge'], [])
    """
    named = [key for key in SOURCE_KEYS if key in keys]
    if named:
        return named
    guesses = [closest(key, SOURCE_KEYS) for key in islice(keys, 20) if key not in VARIABLE_KEYS]
    guesses += [GOES_WITH[key] for key in keys if key in GOES_WITH and "states" not in keys]
    guess = next((key for key in guesses if key), None)
    return [guess or "p"] if guess or "states" in keys else []


def _source_tag(value: Any) -> str:
    sources = sources_of(value) if isinstance(value, dict) else ["p"]
    return f"\0{sources[0]}" if len(sources) == 1 else "\0unclear"


Variable = Annotated[
    Annotated[RandomVariable, Tag("\0p")] | Annotated[RuleVariable, Tag("\0rule")]
    | Annotated[DecisionListVariable, Tag("\0first")] | Annotated[LookupVariable, Tag("\0of")]
    | Annotated[MergeVariable, Tag("\0merge")] | Annotated[MeasuredVariable, Tag("\0measured")]
    | Annotated[CountVariable, Tag("\0count")],
    Discriminator(_source_tag)]  # fmt: skip
_BY_SOURCE: dict[str, type[BaseModel]] = {
    "p": RandomVariable, "rule": RuleVariable, "first": DecisionListVariable, "of": LookupVariable,
    "merge": MergeVariable, "measured": MeasuredVariable, "count": CountVariable}  # fmt: skip


class QuestionPart(_Part):
    """A typed question about one variable."""

    asks: str = Field(description="The variable that is asked about")
    kind: Kind
    positive: Text | None = Field(default=None, description="The state that counts as yes; yes where there is one")
    text: Text = Field(description="The question in words")


class LevelPart(_Part):
    """A hiding level: the attributes less those it hides, and what it shows besides; or just what it shows."""

    hide: list[str] | None = Field(default=None, description="Attributes that this level hides")
    show: list[str] | None = Field(default=None, description="Variables that this level shows")
    closed_form: dict[str, str] | None = Field(
        default=None, description="For a yes/no question, the variable that claims to be its exact probability here"
    )


class PublishedPart(_Part):
    """A figure from a publication, which this world should reproduce."""

    quantity: Quantity
    question: str
    level: str | None = None
    state: Text | None = None
    value: Number
    source: Text


class Wordings(RootModel[Annotated[
        Annotated[Text, Tag("\0text")] | Annotated[list[Text], Tag("\0list")]
        | Annotated[dict[str, "Wordings"], Tag("\0map")], Discriminator(_shape)]]):  # fmt: skip
    """A phrase, several phrasings, or phrases for each state; {} in a phrase is the state's own text."""


class ParagraphPart(_Part):
    """Sentences in order, and further orders of them; slots are names in braces."""

    sentences: dict[str, Texts] = Field(min_length=1, description="Each sentence, or several phrasings of it")
    orders: list[list[str]] = Field(default=[], description="Further orders; each names every sentence once")


class MemoPart(_Part):
    """How a case reads as text; a sentence is left out where a level hides what it tells."""

    paragraphs: list[ParagraphPart] = Field(min_length=1)
    phrases: dict[str, Wordings] = Field(default={}, description="How the states of each variable read")


class WorldFile(_Part):
    """A world: variables with exact probabilities, rules, questions, and what each hiding level shows."""

    name: str = Field(description="Lower-case identifier", json_schema_extra={"pattern": "^[a-z][a-z0-9_]*$"})
    title: Text
    notes: list[Text] = Field(default=[], description="Where the numbers come from")
    parameters: dict[str, Number] = Field(default={}, description="Named constants, usable in p and in rules")
    variables: dict[str, Variable] = Field(min_length=1)
    questions: dict[str, QuestionPart] = Field(min_length=1)
    levels: dict[str, LevelPart] = Field(min_length=1, description="Hiding levels, finest first")
    claims: list[Claim] = Field(default=[], description="What the world promises; each is tested")
    published: list[PublishedPart] = Field(default=[])
    memo: MemoPart | None = Field(default=None, description="How a case reads as text")


WORLD = TypeAdapter(WorldFile)
_BY_SECTION: dict[str, type[BaseModel]] = {
    "questions": QuestionPart, "levels": LevelPart, "published": PublishedPart, "count": CountLaw,
    "memo": MemoPart, "paragraphs": ParagraphPart, "negative_binomial": NegativeBinomial,
    "lognormal": Lognormal}  # fmt: skip
VARIABLE_KEYS = frozenset(key for model in _BY_SOURCE.values() for key in _keys(model))


def keys_at(location: tuple[str | int, ...]) -> list[str]:
    """The keys that may stand where pydantic's location of a misplaced key points."""
    parent = str(location[-2]) if len(location) > 1 else ""
    if parent.startswith("\0"):
        return _keys(_BY_SOURCE[parent[1:]])
    section = str(location[0])
    if section == "variables" or location[:2] == ("memo", "paragraphs"):
        section = parent if section == "variables" else "paragraphs"
    return _keys(_BY_SECTION[section] if len(location) > 1 else WorldFile)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of world files, for editors and other programs.

    Examples
    --------
    >>> sorted(json_schema()["required"])
    ['levels', 'name', 'questions', 'title', 'variables']
    """
    schema = _without_null(WORLD.json_schema(by_alias=True))
    assert isinstance(schema, dict)
    schema["title"] = "A world of pbn"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _without_null(part: object) -> object:
    """A schema without the null that pydantic adds to what may be left out: a file leaves it out."""
    if isinstance(part, list):
        return [_without_null(item) for item in part]
    if not isinstance(part, dict):
        return part
    part = {key: _without_null(value) for key, value in part.items()}
    choices = part.get("anyOf")
    if isinstance(choices, list) and {"type": "null"} in choices:
        rest = {key: value for key, value in part.items() if key not in ("anyOf", "default")}
        return {**next(choice for choice in choices if choice != {"type": "null"}), **rest}
    return {key: value for key, value in part.items() if not (key == "default" and value is None)}
