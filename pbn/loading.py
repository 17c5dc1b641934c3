"""Finding and loading worlds: shipped names, world files, network files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from pbn.errors import Fault, QueryError, listing, nearest
from pbn.exact.plan import DEFAULT_BUDGET
from pbn.network.compile import compile_network
from pbn.spec.load import load_spec, parse_spec, respecified
from pbn.spec.model import WorldSpec
from pbn.spec.numerals import Number
from pbn.spec.parameters import unknown_parameter
from pbn.world import World

NETWORK_SUFFIXES = (".bif", ".xml", ".bifxml", ".xmlbif", ".net", ".xdsl", ".uai", ".json")
"""Endings of the network files that can be loaded as worlds."""


def world_of(spec: WorldSpec, budget: int = DEFAULT_BUDGET) -> World:
    """The world that a resolved file says."""
    return World(
        name=spec.name,
        title=spec.title,
        network=compile_network(spec),
        questions=spec.questions,
        levels=spec.levels,
        attributes=spec.attributes,
        families=spec.families,
        published=spec.published,
        notes=spec.notes,
        spec=spec,
        budget=budget,
    )


def shipped_worlds() -> dict[str, Path]:
    """Names and files of the worlds that come with pbn."""
    here = Path(__file__).parent
    folder = here / "worlds" if (here / "worlds").is_dir() else here.parent / "worlds"
    return {path.stem: path for path in sorted(folder.glob("*.yaml"))}


def find_world(name: str | Path) -> Path:
    """The file of a shipped world's name or of a path."""
    shipped = shipped_worlds()
    if str(name) in shipped:
        return shipped[str(name)]
    path = Path(name)
    if path.suffix in (".yaml", ".yml") or path.exists():
        return path
    raise QueryError(
        Fault(
            code="query/unknown-world",
            message=f"there is no world or file {str(name)[:200]!r}",
            allowed=listing(shipped),
            hint=nearest(str(name), shipped),
        )
    )


def load(
    name: str | Path,
    *,
    parameters: Mapping[str, Number] | None = None,
    question: str | None = None,
    levels: Mapping[str, Collection[str]] | None = None,
    renormalise: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> World:
    """Load a world by its shipped name, by the path of its file, or from a network file.

    Parameters
    ----------
    parameters
        For a world file only: other values of its named ``parameters``, exactly as if the file said so.
        A float stands for its shortest decimal text: 0.3 is 3/10.
    question, levels, renormalise
        For a network file only: the node that is asked, what each level shows (finest first), and
        whether rows that are off by rounding are rescaled. A file ``alarm.bif.yaml`` beside
        ``alarm.bif`` may say the same.

    Raises
    ------
    SpecError
        The file does not say a world; all its faults at once.
    NetworkError
        The network file is not one, or a row of it does not sum to 1.
    QueryError
        There is no such world, or it has no such parameter.

    Examples
    --------
    >>> import pbn
    >>> sorted(pbn.load("credit_risk").levels)
    ['high', 'low', 'medium']
    >>> pbn.load("credit_risk", parameters={"residual_mass": 0}).bayes_error("low").exact
    Fraction(0, 1)
    """
    path = find_world(name)
    if path.suffix.lower() in NETWORK_SUFFIXES:
        if parameters:
            raise unknown_parameter(str(next(iter(parameters))), [])
        from pbn.from_network import load_network

        return load_network(path, question=question, levels=levels, renormalise=renormalise, budget=budget)
    if question is not None or levels is not None or renormalise:
        raise QueryError(
            Fault(
                code="query/world-options",
                message=f"{name} is a world file: it says itself what is asked and shown",
                hint="question, levels and renormalise go with network files",
            )
        )
    return world_of(load_spec(path, parameters), budget)


def with_parameters(world: World, parameters: Mapping[str, Number]) -> World:
    """The world that the same file would say with other values of its parameters; see `load`.

    Examples
    --------
    >>> import pbn
    >>> world = pbn.load("support_ticket")
    >>> float(with_parameters(world, {"slip": "0.12"}).bayes_error("low", question="queue").exact)
    0.115776
    """
    if world.spec is None or world.spec.tree is None:
        raise unknown_parameter(str(next(iter(parameters), "")), [])
    return world_of(respecified(world.spec, parameters), world.budget)


def write_world(world: World, path: Path, *, level: str | None = None, question: str | None = None) -> tuple[str, ...]:
    """Write a world as a world file or a network file, by the ending of the path; returns what had to change.

    Parameters
    ----------
    level
        Partial sums take this level's visible terms first; a network file keeps no levels.
    question
        For a world file of a network that asks nothing by itself: the node that it asks.

    Raises
    ------
    QueryError
        A world file needs a question and none is known.
    """
    from pbn.network.chain import chained
    from pbn.network.formats.files import write_network, write_text
    from pbn.network.formats.world_file import world_text

    visible = () if level is None else world.level(level).visible
    if path.suffix.lower() not in (".yaml", ".yml"):
        return write_network(chained(world.network, visible), path)
    if world.spec is not None:
        raise QueryError(
            Fault(
                code="query/world-file",
                message=f"{world.name} comes from a world file already",
                hint="copy that file, or convert to a network file",
            )
        )
    questions = world.questions
    if question is not None or not questions:
        asked = world.question(question)
        questions = {asked.name: asked}
    asks = {entry.asks for entry in questions.values()}
    levels = {
        entry.name: replace(entry, visible=tuple(n for n in entry.visible if n not in asks))
        for entry in world.levels.values()
    }
    text, notes = world_text(
        chained(world.network, visible), questions, levels, name=path.stem, title=world.title, notes=world.notes
    )
    write_text(path, text)
    return notes


def loads(text: str, *, parameters: Mapping[str, Number] | None = None, budget: int = DEFAULT_BUDGET) -> World:
    """Load a world from the text of a world file, with other values of its ``parameters`` where some are given."""
    return world_of(parse_spec(text, parameters=parameters), budget)
