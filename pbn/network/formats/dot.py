"""DOT: the structure of a network, for Graphviz (write only).

Specification: https://graphviz.org/doc/info/lang.html. Identifiers are the names, quoted, with
``"`` escaped; labels show the text of a variable, or its name. Random variables are ellipses, deterministic ones boxes,
measured ones boxes with round corners, auxiliary ones points of a rule (diamonds); latent variables are
dashed, and residual ones dotted. Probabilities are not written.
"""

from __future__ import annotations

import re

from pbn.network.formats.definitions import distinct, written
from pbn.network.formats.draft import WrittenNetwork
from pbn.network.model import Network, Origin

_SHAPES: dict[Origin, str] = {
    "random": "shape=ellipse", "deterministic": "shape=box", "measured": 'shape=box, style="rounded"',
    "auxiliary": "shape=diamond",
}  # fmt: skip
_STYLES = {"latent": 'style="dashed"', "residual": 'style="dotted"', "irrelevant": 'color="gray"'}


def write_dot(network: Network) -> WrittenNetwork:
    """The graph of the network in the DOT language; rules stay one node each."""
    names = distinct(network.variables, legal)
    lines = ["digraph network {"]
    for node, variable in network.variables.items():
        looks = [_SHAPES[variable.origin], *([_STYLES[variable.role]] if variable.role in _STYLES else [])]
        tip = ", ".join(variable.states[:20]) + (", …" if variable.size > 20 else "")
        shown = label(variable.text or node)
        lines.append(f"  {quoted(names[node])} [label={shown}, {', '.join(looks)}, tooltip={label(tip)}];")
    for node, cpd in network.cpds.items():
        lines += [f"  {quoted(names[parent])} -> {quoted(names[node])};" for parent in cpd.parents]
    return written("\n".join([*lines, "}"]) + "\n", names, {}, ())


def legal(name: str) -> str:
    """The name without control characters and backslashes, which readers of DOT take differently."""
    return re.sub(r"[\x00-\x1f\x7f\\]", "_", name)


def quoted(name: str) -> str:
    """A name as an identifier of DOT; `legal` names only."""
    return '"' + name.replace('"', '\\"') + '"'


def label(text: str) -> str:
    """A text to be shown: escapes are read in labels, so a backslash is doubled."""
    return '"' + re.sub(r"[\x00-\x1f\x7f]", " ", text).replace("\\", "\\\\").replace('"', '\\"') + '"'
