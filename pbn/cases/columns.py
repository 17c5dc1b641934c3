"""What the columns of a published data set mean, from the world file: their texts, units, states and ranges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pbn.cases.records import ID, LEVEL, MEMO, ROW, Column, Kind, States
from pbn.cases.slices import SEED
from pbn.cases.sources import Source
from pbn.errors import listing
from pbn.network.model import Variable, number_text
from pbn.spec.model import Measurement, VariableSpec
from pbn.world import World

ColumnType = Literal["text", "int32", "int64", "float64"]
HIDDEN, POSTERIOR, LABEL = "hidden_", "p_", "label_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """A column: what it is in words, its type, and its values: states in their order, or a range with its unit."""

    name: str
    type: ColumnType
    text: str
    values: str = ""
    states: tuple[str, ...] = ()


def described(source: Source, kind: Kind, level: str | None) -> list[Described]:
    """The columns of the published files of one kind and level, in their order.

    Examples
    --------
    >>> import pbn, tempfile
    >>> from pathlib import Path
    >>> from pbn.cases.dataset import make_dataset
    >>> from pbn.cases.plan import DatasetPlan
    >>> from pbn.cases.records import Contents
    >>> from pbn.cases.sources import read_sources
    >>> plan = DatasetPlan(source=pbn.shipped_worlds()["credit_risk"].read_text(), seed=1, start=0, stop=2,
    ...                    form="jsonl", contents=Contents(levels=("high",), memo=True))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = make_dataset(plan, Path(folder))
    ...     [source] = read_sources([Path(folder)])
    >>> cycle = described(source, "cases", "high")[2]
    >>> cycle.name, cycle.text, cycle.states
    ('cycle', 'The state of the economy', ('expansion', 'steady', 'contraction'))
    """
    table = source.samples[kind, level]
    found = []
    for name, column in table.items():
        found.append(_described(source.world, kind, name, column))
        if name == LEVEL and kind != "cases":
            found.append(Described(name=SEED, type="int64", text="The seed of the row's draw"))
    return found


def _described(world: World, kind: Kind, name: str, column: Column) -> Described:
    own = _OWN.get(name) if (kind == "cases" and name in (ID, MEMO)) or kind != "cases" else None
    if own is not None:
        states = column.states if isinstance(column, States) else ()
        return Described(name=name, type=_type(column), text=own, states=states)
    if kind == "labels":
        question = world.questions[name.removeprefix(LABEL)]
        states = world.network.variables[question.asks].states
        return Described(name=name, type="text", text=f"The outcome: {question.text}", states=states)
    if kind == "truth" and not name.startswith(HIDDEN):
        return Described(name=name, type="float64", text=_posterior_text(world, name), values="0 – 1")
    return _variable(world, name, name.removeprefix(HIDDEN) if kind == "truth" else name, column)


_OWN: Mapping[str, str] = {
    ID: "Identifier of the case, the same in all configurations of its level",
    MEMO: "The case as text, as a model would read it",
    LEVEL: "The hiding level that the case is shown at",
    ROW: "Number of the row in its draw, from 0",
}


def _posterior_text(world: World, name: str) -> str:
    for question in world.questions.values():
        for state in world.network.variables[question.asks].states:
            if name == f"{POSTERIOR}{question.name}_{state}":
                return f"P({question.asks} = {state}) given all that the level shows"
    raise AssertionError(name)


def _variable(world: World, column: str, name: str, sample: Column) -> Described:
    """A column that is a variable, or all members of a repeated one in a row."""
    members = world.families.get(name, (name,))
    variable = world.network.variables[members[0]]
    assert world.spec is not None
    spec = world.spec.variables[members[0]]
    if len(members) > 1:
        values = f"{len(members)} characters out of {_span(variable.states)}"
        return Described(name=column, type="text", text=spec.text, values=values)
    if isinstance(sample, States):
        return Described(name=column, type="text", text=spec.text, states=variable.states)
    return Described(name=column, type=_type(sample), text=spec.text, values=_range(variable, spec))


def _span(states: Sequence[str]) -> str:
    letters = [ord(state) for state in states]
    in_order = letters == list(range(letters[0], letters[0] + len(letters)))
    return f"{states[0]}–{states[-1]}" if in_order and len(states) > 3 else listing(states)


def _range(variable: Variable, spec: VariableSpec) -> str:
    assert variable.values is not None
    if isinstance(spec.source, Measurement):
        measure = spec.source
        start, stop, step = (number_text(number) for number in (measure.start, measure.stop, measure.step))
        unit = f" {measure.unit}" if measure.unit else ""
        return f"{start} – {stop}{unit} by {step}"
    numbers = sorted(variable.values)
    if len(numbers) <= 6:
        return listing(number_text(number) for number in numbers)
    return f"{number_text(numbers[0])} – {number_text(numbers[-1])}"


def _type(column: Column) -> ColumnType:
    if isinstance(column, States | list):
        return "text"
    name = column.dtype.name
    assert name in ("int32", "int64", "float64")
    found: ColumnType = name  # type: ignore[assignment]
    return found
