"""Diagrams that the tests of drawings share."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import pytest

import pbn
from pbn.pictures.diagram import Diagram, world_diagram
from pbn.pictures.draw import explain
from pbn.pictures.layout import Layout, laid_out
from pbn.pictures.outlines import box_size
from pbn.world import World

PATHS = {
    "credit_risk": ("cash_buffer", "default"),
    "peer_review": ("novelty", "validity"),
    "covert_transfer": ("identifier_3", "encoding"),
    "support_ticket": ("wait", "angry"),
}


LEVELS = (None, "low", "medium", "high")


@functools.cache
def world(name: str) -> World:
    return pbn.load(name)


@functools.cache
def network_world(path: Path) -> World:
    return pbn.load(path, renormalise=True)


@functools.cache
def diagram(name: str, level: str | None, rules: bool, path: bool = False) -> Diagram:
    found = explain(world(name), *PATHS[name], level) if path else None
    return world_diagram(world(name), level, rules=rules, connection=found)


def placed(drawn: Diagram) -> Layout:
    return laid_out(drawn, {node.name: box_size(node) for node in drawn.nodes})


def shipped() -> list[Any]:
    """Names of diagrams: world, level, folded or not, with trails or not; `diagram` makes them."""
    found = []
    for name in PATHS:
        for level in LEVELS:
            for rules, path in ((False, False), (True, False), (False, True)):
                shape = "path" if path else "rules" if rules else "folded"
                found.append(pytest.param((name, level, rules, path), id=f"{name}-{level}-{shape}"))
    return found
