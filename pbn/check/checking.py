"""All checks of a world, in order, and their report."""

from __future__ import annotations

from dataclasses import replace

from pbn.check.agreement import agreement_checks
from pbn.check.claims import claim_checks
from pbn.check.closed_forms import closed_form_checks
from pbn.check.report import Check, Report
from pbn.check.soundness import soundness_checks
from pbn.check.text import text_checks
from pbn.errors import Fault, QueryError
from pbn.world import World

SAMPLES = 200
"""Cases drawn for each check that draws any."""
SEED = 2032


def planned_checks(world: World, *, seed: int = SEED, samples: int = SAMPLES) -> tuple[Check, ...]:
    """Every promise of the world that can be tested, none of them tested yet.

    Raises
    ------
    QueryError
        ``samples`` is below 1, or ``seed`` below 0.
    """
    if samples < 1 or seed < 0:
        raise QueryError(
            Fault(
                code="check/samples",
                message=f"cannot draw {samples} cases with seed {seed}",
                allowed="at least one case, and a seed from 0",
            )
        )
    return (
        *soundness_checks(world),
        *closed_form_checks(world, samples, seed),
        *agreement_checks(world, samples, seed),
        *text_checks(world, samples, seed),
        *claim_checks(world, samples, seed),
    )


def check_world(world: World, *, seed: int = SEED, samples: int = SAMPLES, budget: int | None = None) -> Report:
    """Test every promise of a world: soundness, and what its file claims.

    Parameters
    ----------
    seed, samples
        Cases are drawn from the world by ``numpy.random.default_rng(seed)``, ``samples`` for each check.
    budget
        Bytes that one check may hold; the world's own budget by default. What costs more is skipped.

    Examples
    --------
    >>> import pbn
    >>> report = check_world(pbn.load("support_ticket"), samples=5)
    >>> report.passed
    True
    >>> [result.figure for result in report.results if result.name == "strictly_nested"][:2]
    ['ε* +0.134088', 'ε* +0.062378']
    """
    held = world if budget is None else replace(world, budget=budget)
    checks = planned_checks(held, seed=seed, samples=samples)
    return Report(
        world=world.name, title=world.title, seed=seed, samples=samples, results=tuple(check.run() for check in checks)
    )
