"""XMLBIF 0.3 and its dialects.

Specification: Fabio Cozman, *The Interchange Format for Bayesian Networks*, "XMLBIF 0.3": the table of a
``DEFINITION`` lists the numbers with the child (``FOR``) varying fastest and the parents (``GIVEN``) in
their order, the last of them fastest. Read as well, as the files themselves have it:

- the format before 0.3 (JavaBayes, "BIF-XML"): ``TYPE`` and ``VALUE`` elements, ``PROBABILITY`` instead of
  ``DEFINITION``, and tables with the child varying *slowest*;
- UnBBayes' own formats, which it calls XMLBIF too: see `pbn.network.formats.unbbayes`.

pgmpy 1.1 writes and reads XMLBIF 0.3 the same way, pyAgrum 3.3 too.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from pbn.errors import Fault, Faults, NetworkError
from pbn.network.formats.definitions import Definition, distinct, drafts_of, written
from pbn.network.formats.draft import NodeDraft, ReadNetwork, WrittenNetwork, as_tables, build_network
from pbn.network.formats.numbers import written_numbers
from pbn.network.formats.text import FileText
from pbn.network.formats.unbbayes import read_unbbayes
from pbn.network.formats.xml_tree import Element, xml_name, xml_tree
from pbn.network.model import Network


def parse_xmlbif(source: FileText, *, renormalise: bool = False) -> ReadNetwork:
    """The network of an XMLBIF text, exact to the last written digit.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The text is not well-formed XML, not XMLBIF, or holds decision or utility nodes.
    """
    root = xml_tree(source)
    networks = root.all("NETWORK", "network")
    if root.tag not in ("BIF", "XMLBIF") or not networks:
        raise _refusal("syntax", "this is no XMLBIF", root, f"<{root.tag}>", "<BIF> with a <NETWORK> in it")
    if len(networks) > 1:
        raise _refusal("unsupported", "the file has several networks", networks[1], f"{len(networks)}", "one")
    network = networks[0]
    if network.first("VARIABLES", "variables"):
        drafts, name = read_unbbayes(root, network)
        return build_network(drafts, name=name, renormalise=renormalise, notes=source.notes)
    faults = Faults(NetworkError, "network")
    variables = [_variable(element, faults) for element in network.all("VARIABLE")]
    definitions = [_definition(element, faults) for element in network.all("DEFINITION", "PROBABILITY")]
    faults.raise_any()
    return build_network(
        drafts_of(variables, definitions), name=_text(network, "NAME"), renormalise=renormalise, notes=source.notes
    )


def _refusal(code: str, message: str, element: Element, found: str, allowed: str) -> NetworkError:
    return NetworkError(
        Fault(code=f"network/{code}", message=message, place=element.place, found=found, allowed=allowed)
    )


def _text(element: Element, tag: str) -> str:
    child = element.first(tag)
    return child.text if child else ""


def _variable(element: Element, faults: Faults) -> NodeDraft:
    name = _text(element, "NAME")
    kind = element.attributes.get("TYPE") or _text(element, "TYPE") or "nature"
    if kind not in ("nature", "discrete"):
        faults.add("unsupported", f"{name} is a {kind} node", element.place, kind, "discrete chance nodes (nature)")
    states = tuple(outcome.text for outcome in element.all("OUTCOME", "VALUE"))
    return NodeDraft(name=name, states=states, parents=(), place=element.place)


def _definition(element: Element, faults: Faults) -> Definition:
    children = [child.text for child in element.all("FOR")]
    parents = tuple(parent.text for parent in element.all("GIVEN"))
    tables = element.all("TABLE")
    odd = [child.tag for child in element.children if child.tag not in ("FOR", "GIVEN", "TABLE", "PROPERTY")]
    if odd or len(children) != 1 or len(tables) != 1:
        found = f"<{odd[0]}>" if odd else f"{len(children)} <FOR>, {len(tables)} <TABLE>"
        faults.add(
            "unsupported",
            "this definition is no single table of one variable",
            element.place,
            found,
            "one <FOR>, any <GIVEN>, one <TABLE>",
        )
        return Definition(child="", parents=(), layout=(), numbers=(), place=element.place)
    child = children[0]
    layout = (child, *parents) if element.tag == "PROBABILITY" else (*parents, child)
    return Definition(
        child=child,
        parents=parents,
        layout=layout,
        numbers=tables[0].text.split(),
        place=element.place,
        locate=tables[0].word_place,
    )


_HEADER = """\
<?xml version="1.0" encoding="UTF-8"?>
<BIF VERSION="0.3">
<NETWORK>
"""


def write_xmlbif(network: Network, name: str = "network") -> WrittenNetwork:
    """The network as XMLBIF 0.3; names keep all that XML can hold.

    Raises
    ------
    BudgetError
        The network is too large for tables.
    """
    network = as_tables(network)
    names = distinct(network.variables, xml_name)
    states = {node: distinct(variable.states, xml_name) for node, variable in network.variables.items()}
    lines = [_HEADER, f"  <NAME>{escape(xml_name(name))}</NAME>\n"]
    for node, variable in network.variables.items():
        lines.append(f'\n  <VARIABLE TYPE="nature">\n    <NAME>{escape(names[node])}</NAME>\n')
        lines += [f"    <OUTCOME>{escape(states[node][state])}</OUTCOME>\n" for state in variable.states]
        lines.append("  </VARIABLE>\n")
    rounded = []
    for node, cpd in network.cpds.items():
        numbers = written_numbers(cpd, network.size(node))
        if not numbers.exact:
            rounded.append(node)
        lines.append(f"\n  <DEFINITION>\n    <FOR>{escape(names[node])}</FOR>\n")
        lines += [f"    <GIVEN>{escape(names[parent])}</GIVEN>\n" for parent in cpd.parents]
        size = network.size(node)
        rows = (" ".join(numbers.tokens[k : k + size]) for k in range(0, len(numbers.tokens), size))
        lines.append("    <TABLE>\n      " + "\n      ".join(rows) + "\n    </TABLE>\n  </DEFINITION>\n")
    lines.append("\n</NETWORK>\n</BIF>\n")
    return written("".join(lines), names, states, rounded)
