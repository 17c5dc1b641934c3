"""Worlds made of networks that somebody already has: a file, or a model of pgmpy."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pbn.errors import Fault, NetworkError
from pbn.evidence import unknown_variable
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.network.graph import functions_of
from pbn.network.model import Network
from pbn.spec.model import Level, Question
from pbn.world import World, question_about


def world_of_network(
    network: Network,
    *,
    question: str | None = None,
    levels: Mapping[str, Collection[str]] | None = None,
    name: str = "network",
    title: str = "",
    budget: int = DEFAULT_BUDGET,
) -> World:
    """A world of a network, asked about one of its nodes or, without ``question``, about any.

    Parameters
    ----------
    levels
        Level → the nodes it shows, finest first; by default one level, ``full``, that shows all but
        the asked one.

    Raises
    ------
    QueryError
        There is no such node.
    NetworkError
        A level shows the asked node, or what a finer level hides.
    """
    if question is not None and question not in network.named:
        raise unknown_variable(question, network.named)
    questions = {} if question is None else {question: question_about(network, question)}
    if levels is None:
        levels = {"full": [node for node in _seen(network) if node != question]}
    shown = {level: Level(name=level, visible=tuple(map(str, nodes))) for level, nodes in levels.items()}
    return _world(network, questions, shown, name, title, budget)


def _seen(network: Network) -> Iterator[str]:
    """The nodes that a level may show: all but the latent and residual ones of a world."""
    return (node for node in network.named if network.variables[node].role not in ("latent", "residual"))


def _world(
    network: Network, questions: Mapping[str, Question], levels: Mapping[str, Level], name: str, title: str, budget: int
) -> World:
    asked = {question.asks for question in questions.values()}
    finer: Collection[str] = network.named
    for level in levels.values():
        for node in level.visible:
            if node not in network.named:
                raise unknown_variable(node, network.named)
            role = network.variables[node].role
            hidden = role in ("latent", "residual")
            if node in asked or hidden or node not in finer:
                reason = "is asked" if node in asked else f"is {role}" if hidden else "a finer level hides"
                message = f"level {level.name} shows {node}, which {reason}"
                raise NetworkError(Fault(code="network/level", message=message))
        finer = functions_of(network, level.visible)
    return World(
        name=name,
        title=title or name,
        network=network,
        questions=questions,
        levels=levels,
        budget=budget,
        attributes=tuple(node for node in _seen(network) if node not in asked),
    )


def from_pgmpy(
    model: Any,
    *,
    question: str,
    levels: Mapping[str, Collection[str]] | None = None,
    name: str = "network",
    budget: int = DEFAULT_BUDGET,
) -> World:
    """A world of a pgmpy ``DiscreteBayesianNetwork`` that asks for one of its nodes.

    Parameters
    ----------
    question
        The node that is asked.
    levels
        Level → the nodes it shows, finest first; by default one level, ``full``, that shows all others.

    Raises
    ------
    NetworkError
        A CPD is missing or a row does not sum to 1; a level shows what a finer one hides.
    """
    from pbn.network.formats.pgmpy import network_from_pgmpy

    return world_of_network(network_from_pgmpy(model), question=question, levels=levels, name=name, budget=budget)


def load_network(
    path: Path,
    *,
    question: str | None = None,
    levels: Mapping[str, Collection[str]] | None = None,
    renormalise: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> World:
    """A world of a network file; what is not given is looked up in the file ``PATH.yaml`` beside it.

    Raises
    ------
    NetworkError
        The file cannot be read as a network; each fault with its line.
    SpecError
        The file beside it names what the network does not have.
    """
    from pbn.network.formats.files import read_network
    from pbn.spec.sidecar import read_sidecar

    beside = path.with_name(path.name + ".yaml")
    sidecar = read_sidecar(beside) if beside.exists() else None
    read = read_network(path, renormalise=renormalise or (sidecar is not None and sidecar.renormalise))
    network = read.network
    title = path.stem if read.name in ("", "unknown") else read.name
    if sidecar is None or question is not None:
        world = world_of_network(network, question=question, levels=levels, name=path.stem, title=title, budget=budget)
    else:
        asked, shown = sidecar.resolve({node: network.variables[node].states for node in network.named})
        named = {level: Level(name=level, visible=tuple(nodes)) for level, nodes in (levels or {}).items()} or shown
        rest = {question.asks for question in asked.values()}
        full = {"full": Level(name="full", visible=tuple(n for n in _seen(network) if n not in rest))}
        world = _world(network, asked, named or full, path.stem, sidecar.title or title, budget)
    return replace(world, notes=read.notes)
