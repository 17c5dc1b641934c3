"""Our own JSON: everything that a `Network` holds, exactly.

A document is an object ``{"format": "pbn-network", "version": 1, "name": …, "variables": […], "undefined":
[…]}``, the variables in topological order. Each has ``name``, ``states``, ``origin`` and ``cpd``, and where
they are not empty ``values``, ``role``, ``text`` and ``unit``. ``cpd`` is one of

- ``{"kind": "table", "parents": […], "denominator": d, "numerators": […]}``: P = n / d in C order, child last;
- ``{"kind": "index", "parents": […], "index": […]}``: the position of the child's state, C order;
- ``{"kind": "fold", "parents": […], "operation": "+", "terms": [[…], …]}``: one number for each parent's state.

Whole numbers from 2^53 on are strings, since many readers of JSON would round them; ``values`` and
``terms`` are strings such as ``"11.5"`` or ``"1/3"``. JSON itself is RFC 8259.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from pbn.errors import MOST_SHOWN, Fault, Faults, NetworkError, PbnError
from pbn.figures import count_text
from pbn.network.formats.draft import MAX_CELLS, ReadNetwork, WrittenNetwork, oversize
from pbn.network.formats.numbers import INT64_MAX
from pbn.network.formats.text import FileText, file_text
from pbn.network.model import (
    CPD,
    Fold,
    IndexMap,
    Network,
    Operation,
    Origin,
    Table,
    Variable,
    held_parents,
    number_text,
)

FORMAT = "pbn-network"
VERSION = 1
_SAFE = 2**53

Whole = Annotated[int, Field(ge=0, strict=True)] | Annotated[str, StringConstraints(pattern=r"^[0-9]{1,600}$")]
Text = Annotated[str, AfterValidator(lambda text: text.encode("utf-8").decode("utf-8"))]
Number = Annotated[str, StringConstraints(pattern=r"^-?[0-9]{1,600}(\.[0-9]{1,600}|/0*[1-9][0-9]{0,599})?$")]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Table(_Record):
    kind: Literal["table"]
    parents: list[str]
    denominator: Whole
    numerators: list[Whole]


class _Index(_Record):
    kind: Literal["index"]
    parents: list[str]
    index: list[Annotated[int, Field(ge=0)]]


class _Fold(_Record):
    kind: Literal["fold"]
    parents: list[str]
    operation: Operation
    terms: list[list[Number]]


class _Variable(_Record):
    name: Annotated[Text, StringConstraints(min_length=1)]
    states: Annotated[list[Text], Field(min_length=1)]
    origin: Origin
    values: list[Number] | None = None
    role: Text | None = None
    text: Text = ""
    unit: Text = ""
    cpd: Annotated[_Table | _Index | _Fold, Field(discriminator="kind")]


class _Document(_Record):
    format: Literal["pbn-network"]
    version: Literal[1]
    name: Text = ""
    variables: Annotated[list[_Variable], Field(min_length=1)]
    undefined: list[str] = []


def read_json(path: Path | str) -> ReadNetwork:
    """The network of a file that `write_json` made, equal to the one written.

    Raises
    ------
    NetworkError
        The file is no JSON (``network/syntax``, with line), not this format (``network/json``, with the path
        to the value), or says no network.
    """
    return parse_json(file_text(path))


def parse_json(source: FileText) -> ReadNetwork:
    """The network of a JSON text, as `read_json` gives it."""
    try:
        data = json.loads(source.text, object_pairs_hook=_distinct, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise source.error("syntax", f"this is not JSON: {error.msg}", error.pos) from None
    except (ValueError, RecursionError) as error:
        message = str(error) if isinstance(error, ValueError) else "it is nested too deeply"
        raise source.error("syntax", f"this is not JSON that can be read: {message}", 0) from None
    try:
        document = _Document.model_validate(data)
    except ValidationError as error:
        raise NetworkError(*_faults(source, error)) from None
    return ReadNetwork(network=_network(source, document), name=document.name, notes=source.notes, names={})


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def _faults(source: FileText, error: ValidationError) -> list[Fault]:
    found = error.errors(include_url=False, include_context=False)
    faults = []
    for fault in found[:MOST_SHOWN]:
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
        faults.append(
            source.fault("json", f"{path or 'the document'}: {fault['msg']}", 0, found=repr(fault["input"])[:60])
        )
    return faults


def _network(source: FileText, document: _Document) -> Network:
    """The network of a document whose fields have the right types."""
    sizes: dict[str, int] = {}
    faults = Faults(NetworkError, "network")
    place = source.place(0)
    total = 0
    for k, record in enumerate(document.variables):
        where = f"variables[{k}] ({record.name})"
        if record.name in sizes:
            faults.add("duplicate-node", f"{where}: the name is given to two nodes", place)
        unknown = [parent for parent in record.cpd.parents if parent not in sizes]
        for parent in unknown:
            faults.add(
                "unknown-parent",
                f"{where} has the parent {parent!r}, which does not come before it",
                place,
                hint=faults.suggest(parent, sizes),
            )
        sizes[record.name] = len(record.states)
        if not unknown:
            shape = [sizes[parent] for parent in record.cpd.parents]
            total += _check_record(where, record, shape, faults, source)
    if total > MAX_CELLS:
        faults.add("too-large", "the tables are too large together", place, f"{total:,}", f"{MAX_CELLS:,} cells")
    _check_names(document, sizes, faults, source)
    faults.raise_any()
    variables = {record.name: _variable(record) for record in document.variables}
    try:
        cpds = {record.name: _cpd(record, sizes) for record in document.variables}
        return Network(variables=variables, cpds=cpds, undefined=tuple(document.undefined))
    except PbnError as error:
        fault = error.faults[0]
        raise source.error(fault.code.partition("/")[2], fault.message, 0) from None


def _check_record(where: str, record: _Variable, shape: list[int], faults: Faults, source: FileText) -> int:
    """Faults of one variable; returns the cells of its table."""
    cpd, size, place = record.cpd, len(record.states), source.place(0)
    if len(set(record.states)) < size:
        faults.add("states", f"{where} needs distinct states", place)
    if len(set(cpd.parents)) < len(cpd.parents):
        faults.add("duplicate-parent", f"{where} has a parent twice", place)
    if record.values is not None and len(record.values) != size:
        faults.add("values", f"{where} needs a value for each state", place, f"{len(record.values)}", f"{size}")
    if isinstance(cpd, _Fold):
        _check_fold(where, record, cpd, shape, faults, source)
        return 0
    full = [*shape, size] if isinstance(cpd, _Table) else shape
    large = oversize(record.name, full, place)
    entries = len(cpd.numerators) if isinstance(cpd, _Table) else len(cpd.index)
    if large is not None:
        faults.keep(large)
    elif entries != math.prod(full):
        faults.add(
            "shape",
            f"the table of {where} has the wrong number of entries",
            place,
            f"{entries:,}",
            count_text(math.prod(full)),
        )
    elif isinstance(cpd, _Index) and any(state >= size for state in cpd.index):
        faults.add("index", f"{where} maps to a state that it does not have", place)
    if isinstance(cpd, _Table) and int(cpd.denominator) == 0:
        faults.add("denominator", f"the denominator of {where} is 0", place)
    elif isinstance(cpd, _Table) and entries == math.prod(full):
        _check_rows(where, cpd, size, faults, source)
    return entries


def _check_rows(where: str, cpd: _Table, size: int, faults: Faults, source: FileText) -> None:
    """A fault for a row that does not sum to 1, in whole numbers of any length."""
    numerators, denominator = list(map(int, cpd.numerators)), int(cpd.denominator)
    for start in range(0, len(numerators), size):
        total = sum(numerators[start : start + size])
        if total != denominator:
            faults.add(
                "row-sum",
                f"row {start // size + 1} of {where} does not sum to its denominator",
                source.place(0),
                count_text(total),
                count_text(denominator),
            )
            return


def _check_fold(where: str, record: _Variable, cpd: _Fold, shape: list[int], faults: Faults, source: FileText) -> None:
    place = source.place(0)
    if not cpd.parents or [len(term) for term in cpd.terms] != shape:
        faults.add(
            "shape",
            f"{where} needs a number for each state of each parent",
            place,
            str([len(term) for term in cpd.terms])[:60],
            str(shape)[:60],
        )
        return
    if record.values is None:
        faults.add("values", f"{where} needs the values that its operation can reach", place)
        return
    from pbn.network.chain import reachable

    terms = [[Fraction(number) for number in term] for term in cpd.terms]
    missing = set(reachable(record.name, cpd.operation, terms)) - {Fraction(number) for number in record.values}
    if missing:
        faults.add(
            "values", f"{where} has no state for a value that its operation reaches", place, number_text(min(missing))
        )


def _check_names(document: _Document, sizes: Mapping[str, int], faults: Faults, source: FileText) -> None:
    """A fold ``score`` becomes the links ``score:2``, ``score:3``, …: nothing else may be called that."""
    for record in document.variables:
        taken = [f"{record.name}:{k}" for k in range(2, len(record.cpd.parents)) if isinstance(record.cpd, _Fold)]
        for name in taken:
            if name in sizes:
                faults.add(
                    "name",
                    f"{name!r} is what a part of {record.name} is called",
                    source.place(0),
                    hint="give the variable another name",
                )
    for name in document.undefined:
        if name not in sizes:
            faults.add("unknown-variable", f"undefined names {name!r}, which is no variable", source.place(0))


def _variable(record: _Variable) -> Variable:
    values = None if record.values is None else tuple(map(Fraction, record.values))
    return Variable(
        name=record.name,
        states=tuple(record.states),
        values=values,
        origin=record.origin,
        role=record.role,
        text=record.text,
        unit=record.unit,
    )


def _cpd(record: _Variable, sizes: Mapping[str, int]) -> CPD:
    cpd = record.cpd
    if isinstance(cpd, _Fold):
        terms = tuple(tuple(map(Fraction, term)) for term in cpd.terms)
        return Fold(parents=tuple(cpd.parents), operation=cpd.operation, terms=terms)
    parents, shape = held_parents(cpd.parents, [sizes[parent] for parent in cpd.parents])
    if isinstance(cpd, _Index):
        return IndexMap(parents=parents, index=np.array(cpd.index, dtype=np.intp).reshape(shape))
    denominator = int(cpd.denominator)
    numerators = [int(numerator) for numerator in cpd.numerators]
    small = denominator < INT64_MAX and max(numerators) <= denominator
    array = np.array(numerators, dtype=np.int64 if small else object).reshape(*shape, sizes[record.name])
    return Table(parents=parents, numerators=array, denominator=denominator)


def write_json(network: Network, *, name: str = "") -> WrittenNetwork:
    """The network as JSON, from which `read_json` makes an equal one: CPDs, states, values, roles, units."""
    variables = [
        json.dumps(_record(variable, network.cpds[node]), ensure_ascii=True)
        for node, variable in network.variables.items()
    ]
    head = json.dumps({"format": FORMAT, "version": VERSION, "name": name})
    undefined = f',\n "undefined": {json.dumps(list(network.undefined))}' if network.undefined else ""
    return WrittenNetwork(text=f'{head[:-1]}, "variables": [\n  ' + ",\n  ".join(variables) + f"\n]{undefined}}}\n")


def _record(variable: Variable, cpd: CPD) -> dict[str, Any]:
    record: dict[str, Any] = {"name": variable.name, "states": list(variable.states), "origin": variable.origin}
    if variable.values is not None:
        record["values"] = list(map(number_text, variable.values))
    record |= {key: text for key in ("role", "text", "unit") if (text := getattr(variable, key))}
    parents = list(cpd.parents)
    if isinstance(cpd, Table):
        record["cpd"] = {
            "kind": "table",
            "parents": parents,
            "denominator": _whole(cpd.denominator),
            "numerators": [_whole(int(value)) for value in cpd.numerators.ravel().tolist()],
        }
    elif isinstance(cpd, IndexMap):
        record["cpd"] = {"kind": "index", "parents": parents, "index": cpd.index.ravel().tolist()}
    else:
        record["cpd"] = {
            "kind": "fold",
            "parents": parents,
            "operation": cpd.operation,
            "terms": [list(map(number_text, term)) for term in cpd.terms],
        }
    return record


def _whole(number: int) -> int | str:
    return number if number < _SAFE else str(number)
