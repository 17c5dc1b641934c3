"""Drawings as files: the ending says in which format."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pbn.errors import BudgetError, Fault, QueryError, listing, nearest
from pbn.evidence import unknown_variable
from pbn.network.formats.files import write_bytes
from pbn.network.graph import named_graph
from pbn.network.trails import MOST_TRAILS, Connection, connection
from pbn.pictures.diagram import Diagram, world_diagram
from pbn.pictures.look import theme
from pbn.world import World

PICTURES, TEXTS = ("svg", "png", "pdf"), {"dot": "dot", "gv": "dot", "mmd": "mermaid", "mermaid": "mermaid"}
MOST_NODES, MOST_EDGES = 150, 600
"""What people can still read in a picture, and what is drawn in seconds; DOT and Mermaid have no such limit."""
MOST_LISTED = 100
"""Trails that may be asked for."""


def draw_world(
    world: World,
    path: Path | str,
    level: str | None = None,
    *,
    rules: bool = False,
    dark: bool = False,
    found: Connection | None = None,
) -> Diagram:
    """Draw a world into a file whose ending is .svg, .png, .pdf, .dot or .mmd, and return what is drawn.

    A file that is there is replaced at once when the new one is whole, or not at all.

    Parameters
    ----------
    level
        What is visible and hidden there; without one, all attributes are visible.
    rules
        Draw deterministic variables, too, that no level shows and no question asks.
    dark
        Light on dark.
    found
        A connection of `explain` whose trails are marked.

    Raises
    ------
    QueryError
        There is no such level, or no such format (``picture/format``).
    BudgetError
        A picture of more than `MOST_NODES` nodes or `MOST_EDGES` edges (``picture/too-many``).
    NetworkError
        The file system refuses (``network/unwritable``).

    Examples
    --------
    >>> import pbn, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     diagram = draw_world(pbn.load("credit_risk"), Path(folder, "graph.svg"), "medium")
    ...     size = Path(folder, "graph.svg").stat().st_size
    >>> len(diagram.nodes), size > 10_000
    (16, True)
    """
    path = Path(path)
    kind = drawing_format(path)
    diagram = world_diagram(world, level, rules=rules, connection=found)
    write_bytes(path, drawing(diagram, kind, dark=dark))
    return diagram


def drawing_format(path: Path) -> str:
    """The format that the ending of a path says: svg, png, pdf, dot or mermaid."""
    ending = path.suffix[1:].lower()
    if ending in PICTURES or ending in TEXTS:
        return TEXTS.get(ending, ending)
    known = [*PICTURES, *TEXTS]
    raise QueryError(
        Fault(
            code="picture/format",
            message=f"there are no drawings with the ending {path.suffix!r}"
            if ending
            else f"{path.name!r} has no ending, which would say its format",
            allowed=", ".join(f".{name}" for name in known),
            hint=nearest(ending, known),
        )
    )


def drawing(diagram: Diagram, kind: str, *, dark: bool = False) -> bytes:
    """The bytes of a drawing in a format of `drawing_format`."""
    if kind == "dot":
        from pbn.pictures.dot import dot_text

        return dot_text(diagram, theme(dark)).encode(errors="replace")
    if kind == "mermaid":
        from pbn.pictures.mermaid import mermaid_text

        return mermaid_text(diagram, theme(dark)).encode(errors="replace")
    edges = sum(edge.kind == "depends" for edge in diagram.edges)
    if len(diagram.nodes) > MOST_NODES or edges > MOST_EDGES:
        raise BudgetError(
            Fault(
                code="picture/too-many",
                message=f"a picture of {len(diagram.nodes)} nodes and {edges} edges could not be read",
                allowed=f"at most {MOST_NODES} nodes and {MOST_EDGES} edges",
                hint="write a .dot or .mmd file, which have no limit",
            )
        )
    from pbn.pictures.figure import picture

    return picture(diagram, theme(dark), "svg" if kind == "svg" else "png" if kind == "png" else "pdf")


def explain(world: World, one: str, other: str, level: str | None = None, most: int = MOST_TRAILS) -> Connection:
    """Whether two variables are d-separated by what a level shows, without one by all attributes, and why.

    The graph is that of the variables that the author named. A deterministic variable counts as any
    other, so variables may be independent that the graph does not separate.

    Raises
    ------
    QueryError
        No such variable or level, the same variable twice, or no number of trails from 1 to `MOST_LISTED`.

    Examples
    --------
    >>> import pbn
    >>> found = explain(pbn.load("credit_risk"), "cash_buffer", "default", "medium")
    >>> [str(trail) for trail in found.trails]
    ['cash_buffer → net_position → default']
    """
    _check_names(world, (one, other))
    if not 1 <= most <= MOST_LISTED:
        raise QueryError(
            Fault(code="picture/trails", message=f"cannot list {most} trails", allowed=f"1 to {MOST_LISTED}")
        )
    return connection(named_graph(world.network), one, other, world.visible(level), most)


def _check_names(world: World, names: Collection[str]) -> None:
    for name in names:
        if name in world.families:
            members = world.families[name]
            raise QueryError(
                Fault(
                    code="picture/repeated",
                    message=f"{name} stands for {len(members)} variables",
                    allowed=listing(members),
                    hint="name one of them",
                )
            )
        if name not in world.network.named:
            raise unknown_variable(name, world.network.named)
    if len(set(names)) == 1:
        raise QueryError(
            Fault(
                code="picture/same",
                message=f"{next(iter(names))} is named twice",
                hint="a trail joins two different variables",
            )
        )
