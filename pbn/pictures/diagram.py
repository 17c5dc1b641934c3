"""What a drawing of a world shows: nodes with their roles, and the edges between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from pbn.network.graph import functions_of, named_graph
from pbn.network.trails import Connection
from pbn.pictures.stacks import MEMO, Stack, stacks
from pbn.world import World

if TYPE_CHECKING:
    import networkx as nx

Role = Literal["visible", "implied", "hidden", "latent", "residual", "irrelevant", "rule", "outcome", "memo"]
Mark = Literal["active", "blocked", "blocks", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One box: a variable, several that are drawn as one, or the memo.

    ``deterministic`` variables are computed by a rule; ``listed`` says that the label names all
    ``members``, else several of them are one stack. ``mark`` says what part it has in a trail.
    """

    name: str
    label: str
    role: Role
    members: tuple[str, ...]
    deterministic: bool = False
    listed: bool = False
    mark: Mark | None = None

    @property
    def stacked(self) -> bool:
        """Whether it is drawn as a stack."""
        return len(self.members) > 1 and not self.listed


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An arrow: the child depends on the parent, or the memo tells of it."""

    parent: str
    child: str
    kind: Literal["depends", "memo"] = "depends"
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """The nodes in topological order and the edges of a drawing, with its title."""

    title: str
    subtitle: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    shown: str
    """What the visible variables are, for the legend."""


def world_diagram(
    world: World, level: str | None = None, *, rules: bool = False, connection: Connection | None = None
) -> Diagram:
    """What a drawing of a world shows at a level, or of all its attributes.

    Deterministic variables that no level shows and no question asks are left out, and what they
    depend on leads to what depends on them, unless ``rules`` asks for them. Members of a repeated variable that
    are alike are one node; so are the irrelevant ones. The trails of a ``connection`` are marked, and
    their variables are drawn one by one.

    Raises
    ------
    QueryError
        There is no such level.

    Examples
    --------
    >>> import pbn
    >>> diagram = world_diagram(pbn.load("covert_transfer"), "high")
    >>> [(node.label, node.role) for node in diagram.nodes if node.stacked]
    [('drawn × 16', 'latent'), ('identifier × 16', 'visible')]
    """
    visible = world.visible(level)
    roles = _roles(world, visible)
    kept = {node for trail in connection.trails for node in trail.nodes} if connection else set()
    if connection is not None:
        kept |= {connection.one, connection.other}
    graph = named_graph(world.network)
    if not rules:
        shown = {name for entry in world.levels.values() for name in entry.visible} | kept
        graph = _folded(graph, {name for name in graph if roles[name] == "rule" and name not in shown})
    telling = [name for name in memo_parents(world, level) if name in graph]
    alike = {name: (roles[name], name in telling) for name in graph}
    nodes = [_node(world, stack, roles) for stack in stacks(graph, world.families, alike, kept)]
    home = {member: node.name for node in nodes for member in node.members}
    edges = dict.fromkeys(Edge(parent=home[a], child=home[b]) for a, b in graph.edges)
    if telling:
        nodes.append(Node(name=MEMO, label="memo", role="memo", members=()))
        edges |= dict.fromkeys(Edge(parent=home[name], child=MEMO, kind="memo") for name in telling)
    diagram = Diagram(
        title=world.name,
        subtitle=" · ".join(_subtitle(world, level)),
        nodes=tuple(nodes),
        edges=tuple(edges),
        shown=f"shown at level {level}" if level else "attribute" if world.questions else "variable",
    )
    return _marked(diagram, home, connection) if connection else diagram


def _node(world: World, stack: Stack, roles: Mapping[str, Role]) -> Node:
    computed = any(world.network.variables[name].origin == "deterministic" for name in stack.members)
    return Node(
        name=stack.name,
        label=stack.label,
        role=roles[stack.members[0]],
        members=stack.members,
        deterministic=computed,
        listed=stack.listed,
    )


def _subtitle(world: World, level: str | None) -> Iterable[str]:
    if world.title != world.name:
        yield world.title
    if level is not None:
        yield f"level {level}"


def memo_parents(world: World, level: str | None = None) -> tuple[str, ...]:
    """Variables that the memo of a case depends on: what its template names at a level, without one all attributes.

    A world whose file has no memo has none.
    """
    if world.spec is None or world.spec.memo is None:
        return ()
    return world.visible() if level is None else world.memo(level).template.parents


def _roles(world: World, visible: Collection[str]) -> Mapping[str, Role]:
    """The role of each named variable."""
    asked = {question.asks for question in world.questions.values()}
    known = functions_of(world.network, visible)
    return {name: _role(world, name, name in asked, name in visible, name in known) for name in world.network.named}


def _role(world: World, name: str, asked: bool, visible: bool, known: bool) -> Role:
    variable = world.network.variables[name]
    if asked:
        return "outcome"
    if variable.role == "irrelevant":
        return "irrelevant"
    if visible:
        return "visible"
    if variable.role in ("latent", "residual"):
        return "latent" if variable.role == "latent" else "residual"
    if variable.origin == "deterministic" and name not in world.attributes:
        return "rule"
    return "implied" if known else "hidden"


def _folded(graph: nx.DiGraph[str], folded: Collection[str]) -> nx.DiGraph[str]:
    """The graph without some nodes; what leads into them leads to where they lead."""
    import networkx as nx

    smaller: nx.DiGraph[str] = nx.DiGraph()
    through: dict[str, dict[str, None]] = {}
    for name in graph:  # in topological order
        parents: dict[str, None] = {}
        for parent in graph.predecessors(name):
            parents.update(through.get(parent, {parent: None}))
        if name in folded:
            through[name] = parents
        else:
            smaller.add_node(name)
            smaller.add_edges_from((parent, name) for parent in parents)
    return smaller


def _marked(diagram: Diagram, home: Mapping[str, str], connection: Connection) -> Diagram:
    """The diagram with the trails of a connection."""
    mark: Mark = "blocked" if connection.separated else "active"
    edges = {(home[a], home[b]) for trail in connection.trails for a, b in trail.edges}
    marks: dict[str, Mark] = {home[node]: mark for trail in connection.trails for node in trail.nodes}
    closed = (junction for trail in connection.trails for junction in trail.junctions if not junction.open)
    marks |= {home[junction.node]: "blocks" for junction in closed}
    marks |= {home[connection.one]: "end", home[connection.other]: "end"}
    verdict = "separated" if connection.separated else "dependent"
    return replace(
        diagram,
        subtitle=" · ".join(filter(None, [diagram.subtitle, f"{connection.one} and {connection.other} are {verdict}"])),
        nodes=tuple(replace(node, mark=marks.get(node.name)) for node in diagram.nodes),
        edges=tuple(_marked_edges(diagram.edges, edges, mark)),
    )


def _marked_edges(edges: Iterable[Edge], marked: Collection[tuple[str, str]], mark: Mark) -> Iterable[Edge]:
    for edge in edges:
        yield replace(edge, mark=mark) if (edge.parent, edge.child) in marked and edge.kind == "depends" else edge
