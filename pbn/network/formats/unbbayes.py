"""The XML formats of UnBBayes (``XMLBIF`` 0.5 and 0.6, ``BIF`` 0), which are not XMLBIF.

Source: UnBBayes' own writer (``unbbayes.io.xmlbif.version6.XMLBIFIO``), which lists the parents in the order
of its tables, and its tables hold the owner fastest and the first parent next. The Asia network and the
human identification network in its examples agree with this. (One example, ``car_buyer``, has its parents in
the other order; it is an influence diagram and refused.)
"""

from __future__ import annotations

from dataclasses import dataclass

from pbn.errors import Faults, NetworkError
from pbn.network.formats.definitions import Definition, drafts_of
from pbn.network.formats.draft import NodeDraft
from pbn.network.formats.xml_tree import Element


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a version: elements, and the attributes that name things."""

    variables: str
    label: str
    state: str
    definitions: str
    owner: str
    parents: str
    parent: str
    table: str
    name: str
    kind: str


_OLD = _Words("VARIABLES", "LABEL", "STATENAME", "POTENTIAL", "PRIVATE", "CONDSET", "CONDLEM", "DPIS", "NAME", "TYPE")
_NEW = _Words(
    "variables",
    "description",
    "state",
    "conditionalDistributionSet",
    "owner",
    "parents",
    "parent",
    "CPT",
    "name",
    "type",
)


def read_unbbayes(root: Element, network: Element) -> tuple[list[NodeDraft], str]:
    """The drafts and the name of a network as UnBBayes writes it.

    Raises
    ------
    NetworkError
        Decision, utility and continuous nodes, and tables of unknown variables.
    """
    words = _NEW if network.first("variables") else _OLD
    faults = Faults(NetworkError, "network")
    variables = [
        _variable(element, words, faults) for group in network.all(words.variables) for element in group.children
    ]
    definitions = [
        _definition(element, words, faults) for group in network.all(words.definitions) for element in group.children
    ]
    faults.raise_any()
    header = root.first("header", "HEADER")
    title = header.first("name", "NAME") if header else None
    return drafts_of(variables, definitions), title.text if title else ""


def _name(element: Element | None, words: _Words) -> str:
    return element.attributes.get(words.name, "") if element else ""


def _variable(element: Element, words: _Words, faults: Faults) -> NodeDraft:
    name, kind = _name(element, words), element.attributes.get(words.kind, "")
    if kind not in ("discrete", "DiscreteProbabilistic"):
        faults.add("unsupported", f"{name} is a {kind} node", element.place, kind, "discrete chance nodes")
    states = tuple(_name(state, words) or state.text for state in element.all(words.state))
    label = element.first(words.label)
    return NodeDraft(name=name, states=states, parents=(), place=element.place, label=label.text if label else "")


def _definition(element: Element, words: _Words, faults: Faults) -> Definition:
    child = _name(element.first(words.owner), words)
    group, table = element.first(words.parents), element.first(words.table)
    given, cells = (group.children if group else []), (table.children if table else [])
    if words is _NEW:
        given, cells = _indexed(given, faults), _indexed(cells, faults)
    parents = tuple(_name(parent, words) for parent in given)
    return Definition(
        child=child,
        parents=parents,
        layout=(*reversed(parents), child),
        numbers=[cell.text for cell in cells],
        place=element.place,
        locate=lambda entry: cells[entry].place,
    )


def _indexed(elements: list[Element], faults: Faults) -> list[Element]:
    """The elements in the order of their indices, 0, 1, 2 and so on."""
    places = {element.attributes.get("index", ""): element for element in elements}
    try:
        return [places[str(k)] for k in range(len(elements))]
    except KeyError as missing:
        faults.add(
            "syntax",
            "the elements are not numbered from 0 without gaps",
            elements[0].place,
            f"no index {missing.args[0]}",
        )
        return elements
