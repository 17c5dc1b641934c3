"""World files written from networks: the way back into pbn's own format."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from pbn.errors import BudgetError, Fault
from pbn.figures import count_text
from pbn.network.chain import chained
from pbn.network.model import Array, IndexMap, Network, Table, number_text
from pbn.spec.model import Level, Question
from pbn.spec.names import MAX_NAME, is_variable_name
from pbn.spec.source import MAX_BYTES, MAX_NODES


def world_text(
    network: Network,
    questions: Mapping[str, Question],
    levels: Mapping[str, Level],
    *,
    name: str,
    title: str,
    notes: Sequence[str] = (),
) -> tuple[str, tuple[str, ...]]:
    """The text of a world file that says the network, and notes on names that had to change.

    Every probability is written exactly. Sums and other long rules are written as chains of look-ups.

    Raises
    ------
    BudgetError
        The text would be larger than a world file may be.
    """
    view = chained(network, ())
    _check_size(view)
    names = _names(view)
    renamed = [f"{old!r} is called {new}" for old, new in names.items() if old != new]
    lines = [f"name: {_identifier(name).lower()}", f"title: {_quoted(title)}"]
    if notes or renamed:
        lines += ["notes:", *(f"  - {_quoted(note)}" for note in (*notes, *renamed))]
    lines += ["variables:", *(line for node in view.variables for line in _variable(view, node, names)), "questions:"]
    for question in questions.values():
        positive = f", positive: {_quoted(question.positive)}" if question.positive is not None else ""
        lines.append(
            f"  {_label(question.name)}: {{asks: {names[question.asks]}, kind: {question.kind}{positive}, "
            f"text: {_quoted(question.text or f'What is {question.asks}?')}}}"
        )
    lines.append("levels:")
    lines += [
        f"  {_label(level.name)}: {{show: [{', '.join(names[node] for node in level.visible)}]}}"
        for level in levels.values()
    ]
    text = "\n".join(lines) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise _too_large(f"{len(text.encode()):,} bytes", f"{MAX_BYTES:,}")
    return text, tuple(renamed)


def _check_size(network: Network) -> None:
    values = sum(math.prod(network.size(n) for n in (node, *network.parents(node))) for node in network.variables)
    if values > MAX_NODES:
        raise _too_large(f"{count_text(values)} probabilities", f"{MAX_NODES:,}")


def _too_large(found: str, allowed: str) -> BudgetError:
    return BudgetError(
        Fault(
            code="network/world-too-large",
            message=f"the world file would have {found}",
            allowed=allowed,
            hint="load the network file itself: it needs no world file",
        )
    )


def _variable(network: Network, node: str, names: Mapping[str, str]) -> Iterator[str]:
    variable, cpd = network.variables[node], network.cpds[node]
    yield f"  {names[node]}:"
    if variable.text:
        yield f"    text: {_quoted(variable.text)}"
    if variable.role:
        yield f"    role: {variable.role}"
    yield f"    states: [{', '.join(map(_quoted, variable.states))}]"
    states = [network.variables[parent].states for parent in cpd.parents]
    if variable.values is not None and [number_text(value) for value in variable.values] != list(variable.states):
        yield f"    values: [{', '.join(map(number_text, variable.values))}]"
    if cpd.parents:
        yield f"    given: [{', '.join(names[parent] for parent in cpd.parents)}]"
    if isinstance(cpd, Table):
        rows = cpd.numerators.reshape(-1, variable.size)
        yield from _rows([_row(row, cpd.denominator) for row in rows], states)
    else:
        assert isinstance(cpd, IndexMap)
        certain = [", ".join("1" if k == code else "0" for k in range(variable.size)) for code in cpd.index.ravel()]
        yield from _rows(certain, states)


def _row(row: Array, denominator: int) -> str:
    return ", ".join(number_text(Fraction(int(numerator), denominator)) for numerator in row)


def _rows(rows: Sequence[str], states: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows of a table, nested by the states of the parents in turn."""
    if not states:
        yield f"    p: [{rows[0]}]"
        return
    yield "    p:"
    previous: tuple[str, ...] = ()
    for row, key in zip(rows, itertools.product(*states), strict=True):
        shared = next((k for k in range(len(previous)) if previous[k] != key[k]), 0)
        for depth in range(shared, len(key)):
            end = f" [{row}]" if depth == len(key) - 1 else ""
            yield f"{'  ' * (depth + 3)}{_quoted(key[depth])}:{end}"
        previous = key


def _names(network: Network) -> dict[str, str]:
    """Each node's name as an identifier, no two the same."""
    taken: dict[str, str] = {}
    for node in network.variables:
        wanted = node if is_variable_name(node) else _identifier(node)
        free = wanted
        for number in itertools.count(2):
            if free not in taken and is_variable_name(free):
                break
            free = f"{wanted}_{number}"
        taken[free] = node
    return {node: free for free, node in taken.items()}


def _identifier(text: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_")[: MAX_NAME - 10]
    return plain if plain[:1].isalpha() else f"v_{plain}"


def _label(text: str) -> str:
    return _quoted(re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_-") or "question")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
