"""The two conditions on a world's text, level by level: nothing leaks, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np

from pbn.check.report import Check, Finding, Part, passed_if
from pbn.errors import listing
from pbn.exact.sample import sample_codes
from pbn.network.model import Array
from pbn.text.invariance import Proof, Statement, complete, decodes, distinct, invariant, prove, separated
from pbn.text.memo import Memo
from pbn.world import World

MOST_CHARACTERS = 300


def text_checks(world: World, samples: int, seed: int) -> Iterator[Check]:
    """The checks of every level's text; none where the world's file has no memo."""
    if world.spec is None or world.spec.memo is None:
        return

    @cache
    def cases() -> dict[str, Array]:
        return text_cases(world, samples, seed)

    families: dict[str, Callable[[Memo], Statement]] = {
        "text_separated": separated,
        "text_invariant": lambda memo: invariant(memo, cases()),
        "text_complete": complete,
        "phrases_distinct": distinct,
        "text_decodes": lambda memo: decodes(memo, cases()),
    }
    for name, state in families.items():
        part: Part = "condition 1" if name in ("text_separated", "text_invariant") else "condition 2"
        for level in world.levels:
            yield Check(name=name, part=part, level=level, measure=partial(_found, world, level, state))


def text_cases(world: World, samples: int, seed: int) -> dict[str, Array]:
    """Drawn cases of all named variables, hidden ones too."""
    return sample_codes(world.network, world.network.named, samples, np.random.default_rng(seed))


def text_proof(world: World, level: str, *, samples: int, seed: int) -> Proof:
    """The proof of one level's text on drawn cases, to be printed."""
    return prove(world.memo(level), text_cases(world, samples, seed), world=world.name)


def _found(world: World, level: str, state: Callable[[Memo], Statement]) -> Finding:
    statement = state(world.memo(level))
    wrong = listing(statement.against, 3)
    if statement.witness is not None:
        witness = " ".join(str(statement.witness).split())
        wrong = "; ".join(filter(None, [wrong, witness]))
    shortened = wrong if len(wrong) <= MOST_CHARACTERS else f"{wrong[: MOST_CHARACTERS - 1]}…"
    return passed_if(statement.holds, statement.figure, wrong=shortened or statement.text)
