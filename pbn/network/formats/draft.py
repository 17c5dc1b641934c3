"""What every reader of a network file yields, and how it becomes an exact network.

A reader only says what stands in the file: names, states, parents, and numbers as they are written.
Here the numbers become exact laws, or the file is refused with the node, the row and the line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbn.errors import Place
from pbn.network.model import Network


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeDraft:
    """A discrete chance node as a file states it.

    ``numbers`` are the CPD's entries as written, child axis last and parents in the order of
    ``parents`` (C order); a deterministic node has ``certain`` instead, the position of its state for
    each combination of parent states. ``label`` is what the file calls the node for people.
    """

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...]
    numbers: Sequence[str] | None = None
    certain: Sequence[int] | None = None
    label: str = ""
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadNetwork:
    """A network from a file, with ``notes`` on everything that was changed on the way.

    ``names`` maps names as the file has them to the network's, where they differ.
    """

    network: Network
    name: str
    notes: tuple[str, ...]
    names: dict[str, str]
