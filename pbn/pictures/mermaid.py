"""Mermaid of a diagram, which many sites draw from text in Markdown: the roles by shape and colour.

Syntax: https://mermaid.js.org/syntax/flowchart.html.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from pbn.pictures.diagram import Diagram, Edge, Role
from pbn.pictures.look import FORMS, Shape, Theme
from pbn.pictures.stacks import broken, printable

_BRACKETS: dict[Shape, tuple[str, str]] = {
    "round": ("(", ")"), "cut": ("[/", "/]"), "pill": ("([", "])"), "box": ("[", "]"), "hexagon": ("{{", "}}"),
    "note": (">", "]"),
}  # fmt: skip
_DASHES = {"solid": "", "dashed": ",stroke-dasharray:5 3", "dotted": ",stroke-dasharray:1 3"}


def mermaid_text(diagram: Diagram, theme: Theme) -> str:
    """The diagram as a flowchart of Mermaid; what a rule computes has a double line where its shape has one.

    Examples
    --------
    >>> import pbn
    >>> from pbn.pictures.diagram import world_diagram
    >>> from pbn.pictures.look import theme
    >>> text = mermaid_text(world_diagram(pbn.load("credit_risk"), "low", rules=True), theme())
    >>> [line.strip() for line in text.splitlines() if "net_position" in line]
    ['n18[["net_position"]]']
    """
    title = " · ".join(filter(None, [diagram.title, diagram.subtitle]))
    number = {node.name: f"n{k}" for k, node in enumerate(diagram.nodes)}
    lines = ["---", f"title: {json.dumps(printable(title), ensure_ascii=False)}", "---", "flowchart LR"]
    for node in diagram.nodes:
        opening, closing = ("[[", "]]") if node.role == "rule" else _BRACKETS[FORMS[node.role].shape]
        text = "<br/>".join(map(_escaped, broken(node.label, 46 if node.listed else 24)))
        lines.append(f'  {number[node.name]}{opening}"{text}"{closing}')
    for edge in diagram.edges:
        arrow = "-.->" if edge.kind == "memo" else "-->"
        lines.append(f"  {number[edge.parent]} {arrow} {number[edge.child]}")
    lines += _classes(diagram, number, theme)
    lines += _links(diagram, theme)
    return "\n".join(lines) + "\n"


def _classes(diagram: Diagram, number: dict[str, str], theme: Theme) -> Iterator[str]:
    members: dict[Role, list[str]] = {}
    for node in diagram.nodes:
        members.setdefault(node.role, []).append(number[node.name])
    for role, names in members.items():
        paint, form = theme.roles[role], FORMS[role]
        colours = f"fill:{paint.fill},stroke:{paint.line},color:{paint.text}"
        yield f"  classDef {role} {colours},stroke-width:{form.weight:g}px{_DASHES[form.outline]}"
        yield f"  class {','.join(names)} {role}"
    for node in diagram.nodes:
        if node.mark:
            yield f"  style {number[node.name]} stroke:{theme.marks[node.mark]},stroke-width:3px"


def _links(diagram: Diagram, theme: Theme) -> Iterator[str]:
    def looks(edge: Edge) -> str | None:
        if edge.mark is not None:
            return f"stroke:{theme.marks[edge.mark]},stroke-width:3px"
        return f"stroke:{theme.memo_edge}" if edge.kind == "memo" else None

    groups: dict[str, list[str]] = {}
    for k, edge in enumerate(diagram.edges):
        look = looks(edge)
        if look:
            groups.setdefault(look, []).append(str(k))
    yield from (f"  linkStyle {','.join(numbers)} {look}" for look, numbers in groups.items())


def _escaped(text: str) -> str:
    """A text within quotes: what Mermaid, HTML or Markdown would read as a sign is written as its number."""
    return re.sub(r"""[#"&<>`*\\\[\]{}|]""", lambda match: f"#{ord(match[0])};", printable(text))
