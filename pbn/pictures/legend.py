"""The legend: what occurs in a drawing, and only that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pbn.pictures.diagram import Diagram, Mark, Role
from pbn.pictures.look import FORMS, MARK_MEANINGS

Sign = Literal["computed", "stack", "depends", "memo edge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One sign of the legend: a role, a mark of a trail, or another sign, and what it means."""

    text: str
    role: Role | None = None
    mark: Mark | None = None
    sign: Sign | None = None


def legend(diagram: Diagram) -> tuple[Entry, ...]:
    """The signs that occur in a diagram: roles, then what is said of nodes, then edges and trails.

    Examples
    --------
    >>> import pbn
    >>> from pbn.pictures.diagram import world_diagram
    >>> [entry.text for entry in legend(world_diagram(pbn.load("support_ticket"), "low"))]
    ['shown at level low', 'follows from what is shown', 'residual', 'irrelevant', 'step of a rule', 'outcome',
     'text of the case', 'computed by a rule', 'leads to', 'told by the text']
    """
    occurring = {node.role for node in diagram.nodes}
    entries = [
        Entry(role=role, text=diagram.shown if role == "visible" else form.meaning)
        for role, form in FORMS.items()
        if role in occurring
    ]
    if any(node.deterministic and node.role != "rule" for node in diagram.nodes):
        entries.append(Entry(sign="computed", text="computed by a rule"))
    if any(node.stacked for node in diagram.nodes):
        entries.append(Entry(sign="stack", text="repeated variable"))
    kinds = {edge.kind for edge in diagram.edges}
    if "depends" in kinds:
        entries.append(Entry(sign="depends", text="leads to"))
    if "memo" in kinds:
        entries.append(Entry(sign="memo edge", text="told by the text"))
    marks = {node.mark for node in diagram.nodes} | {edge.mark for edge in diagram.edges}
    entries += [Entry(mark=mark, text=text) for mark, text in MARK_MEANINGS.items() if mark in marks]
    return tuple(entries)
