"""Variables and tables that a file states apart from each other, joined into drafts.

XMLBIF and Hugin NET declare the variables first and their tables later, in the order of axes that the
format has; a draft has the node with its table, child axis last.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pbn.errors import Faults, NetworkError, Place, listing, nearest
from pbn.network.formats.draft import NodeDraft, WrittenNetwork, oversize


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """The table of one node: ``numbers`` in C order over the variables of ``layout``.

    ``shape`` is what the file's own brackets say about the axes, where it has brackets.
    """

    child: str
    parents: tuple[str, ...]
    layout: tuple[str, ...]
    numbers: Sequence[str]
    place: Place
    locate: Callable[[int], Place] | None = None
    shape: tuple[int, ...] | None = None


def drafts_of(variables: Sequence[NodeDraft], definitions: Iterable[Definition]) -> list[NodeDraft]:
    """The variables, each with its table in C order over its parents and itself.

    Raises
    ------
    NetworkError
        Tables of unknown variables, several tables of one, and tables whose brackets do not fit the states.
    """
    sizes = {variable.name: len(variable.states) for variable in variables}
    faults = Faults(NetworkError, "network")
    found: dict[str, Definition] = {}
    for definition in definitions:
        if definition.child not in sizes:
            faults.add(
                "unknown-variable",
                f"the table is for {definition.child!r}, which is no variable",
                definition.place,
                hint=nearest(definition.child, sizes),
            )
        elif definition.child in found:
            faults.add(
                "duplicate-cpd",
                f"{definition.child} has two tables",
                definition.place,
                allowed=f"one table; the first is at {found[definition.child].place}",
            )
        else:
            found[definition.child] = definition
            _check_shape(definition, sizes, faults)
    faults.raise_any()
    return [
        _joined(variable, found[variable.name], sizes) if variable.name in found else variable for variable in variables
    ]


def _check_shape(definition: Definition, sizes: Mapping[str, int], faults: Faults) -> None:
    """A fault where the brackets of a table are others than its axes; a flat list fits any axes."""
    if definition.shape is None or len(definition.shape) < 2 or not all(name in sizes for name in definition.layout):
        return
    if definition.shape != tuple(sizes[name] for name in definition.layout):
        faults.add(
            "shape",
            f"the brackets in the table of {definition.child} do not fit its states",
            definition.place,
            " × ".join(map(str, definition.shape)),
            " × ".join(f"{sizes[name]} ({name})" for name in definition.layout),
        )


def _joined(variable: NodeDraft, definition: Definition, sizes: Mapping[str, int]) -> NodeDraft:
    """The variable with its table; a table of the wrong size is left as it is, for `build_network` to refuse."""
    numbers, locate = definition.numbers, definition.locate
    axes = (*definition.parents, definition.child)
    if definition.layout != axes and len(set(axes)) == len(axes) and all(name in sizes for name in axes):
        shape = [sizes[name] for name in definition.layout]
        large = oversize(definition.child, shape, definition.place)
        if large is not None:
            raise NetworkError(large)
        if math.prod(shape) == len(numbers):
            layout = [name for name in definition.layout if sizes[name] > 1]
            places = np.arange(len(numbers)).reshape([sizes[name] for name in layout])
            order = places.transpose([layout.index(name) for name in axes if sizes[name] > 1]).ravel().tolist()
            numbers = [numbers[k] for k in order]
            locate = _reordered(locate, order)
    return replace(variable, parents=definition.parents, numbers=numbers, locate=locate)


def _reordered(locate: Callable[[int], Place] | None, order: Sequence[int]) -> Callable[[int], Place] | None:
    return (lambda entry: locate(order[entry])) if locate else None


def distinct(names: Iterable[str], legal: Callable[[str], str]) -> dict[str, str]:
    """A legal name for each name, all different; a name that is legal stays as it is.

    Examples
    --------
    >>> distinct(["a", "b c", "b_c", "b-c"], identifier)
    {'a': 'a', 'b c': 'b_c_2', 'b_c': 'b_c', 'b-c': 'b_c_3'}
    """
    names = list(names)
    taken = {name for name in names if legal(name) == name}
    tried: dict[str, int] = {}
    found = {}
    for name in names:
        new = legal(name)
        if new != name:
            stem, number = new, tried.get(new, 1)
            while new in taken:
                number += 1
                new = f"{stem}_{number}"
            tried[stem] = number
            taken.add(new)
        found[name] = new
    return found


def identifier(name: str) -> str:
    """The name with ``_`` for what no C identifier holds.

    Examples
    --------
    >>> identifier("age group"), identifier("5-12"), identifier("größe")
    ('age_group', '_5_12', 'gr__e')
    """
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return plain if plain and not plain[0].isdigit() else f"_{plain}"


def written(
    text: str, names: Mapping[str, str], states: Mapping[str, Mapping[str, str]], rounded: Sequence[str]
) -> WrittenNetwork:
    """A written network with the names and states that differ, and a note on tables that had to be rounded."""
    renamed = {node: {old: new for old, new in own.items() if old != new} for node, own in states.items()}
    notes = [f"rounded to 17 digits or more, since their decimals do not end: {listing(rounded)}"] if rounded else []
    return WrittenNetwork(
        text=text,
        notes=tuple(notes),
        names={old: new for old, new in names.items() if old != new},
        states={node: own for node, own in renamed.items() if own},
    )
