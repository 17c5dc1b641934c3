"""Variables that are drawn as one node: members of a repeated variable, irrelevant fields."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbn.errors import listing

if TYPE_CHECKING:
    import networkx as nx

MEMO = "memo:"
"""Name of the memo's node: no variable of a world file has a colon."""

MOST_LISTED = 30
"""Irrelevant variables that are named; of more, only the number is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Variables that are drawn as one node, often a single one; ``listed`` if the label names each."""

    name: str
    label: str
    members: tuple[str, ...]
    listed: bool = False


def stacks(
    graph: nx.DiGraph[str],
    families: Mapping[str, Sequence[str]],
    alike: Mapping[str, tuple[str, bool]],
    kept: Collection[str] = (),
) -> tuple[Stack, ...]:
    """The nodes of a drawing, in the order of their first members.

    Members of a repeated variable are one node where ``alike`` says the same of them and no edges run
    within the node or around through others; irrelevant variables without edges are one list.
    ``kept`` variables stay alone.
    """
    family = {member: name for name, members in families.items() for member in members}
    keys: dict[str, tuple[object, ...]] = {}
    for name in graph:
        if name in kept:
            keys[name] = (name,)
        elif alike[name][0] == "irrelevant" and not graph.degree(name):
            keys[name] = ("irrelevant", alike[name])
        elif name in family:
            keys[name] = ("family", family[name], alike[name])
        else:
            keys[name] = (name,)
    _split_cycles(graph, keys)
    groups: dict[tuple[object, ...], list[str]] = {}
    for name, key in keys.items():
        groups.setdefault(key, []).append(name)
    found = [_stack(members, families, family) for members in groups.values()]
    return tuple(_ordered(graph, found))


def _split_cycles(graph: nx.DiGraph[str], keys: dict[str, tuple[object, ...]]) -> None:
    """Draw one by one the members of stacks that lead back to themselves."""
    import networkx as nx

    while True:
        quotient: nx.DiGraph[tuple[object, ...]] = nx.DiGraph()
        quotient.add_edges_from((keys[a], keys[b]) for a, b in graph.edges)
        circles = {key for part in nx.strongly_connected_components(quotient) if len(part) > 1 for key in part}
        circles |= {key for key in quotient if quotient.has_edge(key, key)}
        if not circles:
            return
        keys.update({name: (name,) for name, key in keys.items() if key in circles})


def _stack(members: Sequence[str], families: Mapping[str, Sequence[str]], family: Mapping[str, str]) -> Stack:
    first = members[0]
    if len(members) == 1:
        return Stack(name=first, label=first, members=(first,))
    if first not in family or any(family.get(member) != family[first] for member in members):
        return Stack(name=first, label=listing(members, MOST_LISTED), members=tuple(members), listed=True)
    whole = families[family[first]]
    label = f"{family[first]} × {len(members)}" + (f" of {len(whole)}" if len(whole) > len(members) else "")
    return Stack(name=first, label=label, members=tuple(members))


def _ordered(graph: nx.DiGraph[str], found: Sequence[Stack]) -> Iterable[Stack]:
    """In topological order, and within it in the order given."""
    import networkx as nx

    home = {member: k for k, stack in enumerate(found) for member in stack.members}
    quotient: nx.DiGraph[int] = nx.DiGraph()
    quotient.add_nodes_from(range(len(found)))
    quotient.add_edges_from((home[a], home[b]) for a, b in graph.edges)
    return (found[k] for k in nx.lexicographical_topological_sort(quotient))


def broken(label: str, width: int = 24) -> tuple[str, ...]:
    """The label in lines of about ``width`` characters, broken after blanks, underscores and hyphens.

    Examples
    --------
    >>> broken("probability_of_default_within_the_next_year")
    ('probability_of_default_', 'within_the_next_year')
    >>> broken("sites, departments, report_pages", 20)
    ('sites, departments,', 'report_pages')
    """
    words = re.findall(r"[^ _\-]*[ _\-]|[^ _\-]+", printable(label))
    pieces = [part for word in words for part in _cut(word, width)]
    lines = [""]
    for piece in pieces:
        if lines[-1] and len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return tuple(line.rstrip(" ") for line in lines)


def printable(text: str) -> str:
    """The text with blanks for characters that no picture can show and no XML may contain."""
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]", " ", text)


def _cut(piece: str, width: int) -> Iterable[str]:
    return (piece[k : k + width] for k in range(0, len(piece), width))
