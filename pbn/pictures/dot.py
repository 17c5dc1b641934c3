"""DOT of a diagram, for Graphviz: the shapes and colours of our own pictures.

Specification: https://graphviz.org/doc/info/lang.html. `pbn.network.formats.dot` writes a network as it is
computed with, auxiliary nodes included; this module writes a diagram, whose nodes people know.
"""

from __future__ import annotations

from collections.abc import Iterator

from pbn.network.formats.definitions import distinct
from pbn.network.formats.dot import label, legal, quoted
from pbn.pictures.diagram import Diagram, Edge, Node
from pbn.pictures.look import FORMS, Shape, Theme
from pbn.pictures.stacks import broken

_SHAPES: dict[Shape, str] = {
    "round": "box", "cut": "octagon", "pill": "ellipse", "box": "box", "hexagon": "hexagon", "note": "note",
}  # fmt: skip


def dot_text(diagram: Diagram, theme: Theme) -> str:
    """The diagram in the DOT language; a node bears the name of its first variable.

    Examples
    --------
    >>> import pbn
    >>> from pbn.pictures.diagram import world_diagram
    >>> from pbn.pictures.look import theme
    >>> text = dot_text(world_diagram(pbn.load("credit_risk"), "low"), theme())
    >>> [line.strip() for line in text.splitlines() if line.strip().endswith('-> "refinancing";')]
    ['"cycle" -> "refinancing";']
    """
    names = distinct([node.name for node in diagram.nodes], legal)
    title = "\\n".join(label(line)[1:-1] for line in (diagram.title, diagram.subtitle) if line)
    lines = [
        "digraph world {",
        f'  graph [rankdir=LR, bgcolor="{theme.ground}", fontcolor="{theme.text}", fontname="sans-serif",'
        f' labelloc=t, label="{title}"];',
        '  node [fontname="sans-serif", fontsize=11];',
        f'  edge [color="{theme.edge}"];',
        *(f"  {quoted(names[node.name])} [{', '.join(_looks(node, theme))}];" for node in diagram.nodes),
    ]
    for edge in diagram.edges:
        looks = ", ".join(_edge_looks(edge, theme))
        ends = f"{quoted(names[edge.parent])} -> {quoted(names[edge.child])}"
        lines.append(f"  {ends} [{looks}];" if looks else f"  {ends};")
    return "\n".join([*lines, "}"]) + "\n"


def _looks(node: Node, theme: Theme) -> Iterator[str]:
    form, paint = FORMS[node.role], theme.roles[node.role]
    styles = ["filled", *(["rounded"] if form.shape == "round" else [])]
    styles += [form.outline] if form.outline != "solid" else []
    text = "\\n".join(label(line)[1:-1] for line in broken(node.label, 46 if node.listed else 24))
    yield f'label="{text}"'
    yield f"shape={_SHAPES[form.shape]}"
    yield f'style="{",".join(styles)}"'
    yield f'fillcolor="{paint.fill}"'
    yield f'color="{theme.marks[node.mark] if node.mark else paint.line}"'
    yield f'fontcolor="{paint.text}"'
    yield f"penwidth={2.6 if node.mark else form.weight:g}"
    if node.deterministic or node.stacked:
        yield f"peripheries={1 + node.deterministic + 2 * node.stacked}"


def _edge_looks(edge: Edge, theme: Theme) -> Iterator[str]:
    if edge.kind == "memo":
        yield f'color="{theme.memo_edge}", style=dotted, arrowsize=0.6'
    elif edge.mark is not None:
        yield f'color="{theme.marks[edge.mark]}", penwidth=2.4'
