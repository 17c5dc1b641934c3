"""What must hold of any world: its numbers, its rules, its levels, and what they never show."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise

from pbn.check.measured import each, judged
from pbn.check.report import Check, Finding, passed_if
from pbn.errors import listing
from pbn.network.chain import reachable
from pbn.network.graph import functions_of
from pbn.network.model import CPD, Array, Fold, IndexMap, Network, Table
from pbn.spec.model import Level
from pbn.world import World


def soundness_checks(world: World) -> Iterator[Check]:
    """Checks of the network itself and of what levels show."""
    yield Check(name="cpds_exact", part="soundness", measure=partial(_cpds_exact, world.network))
    yield Check(name="rules_total", part="soundness", measure=partial(_rules_total, world))
    levels = list(world.levels.values())
    for finer, coarser in pairwise(levels):
        yield Check(
            name="levels_nested",
            part="soundness",
            level=coarser.name,
            measure=partial(_nested, world.network, finer, coarser),
        )
    for level in levels:
        yield Check(
            name="never_visible", part="soundness", level=level.name, measure=partial(_never_visible, world, level)
        )


def _cpds_exact(network: Network) -> Finding:
    """Every row of every table sums to exactly 1 in integers; every deterministic node has one state a row."""
    wrong, rows = [], 0
    for name in network.variables:
        cpd = network.cpds[name]
        if isinstance(cpd, Table):
            rows += cpd.numerators.size // network.size(name)
        fault = _fault_of(network, name, cpd)
        if fault:
            wrong.append(f"{name}: {fault}")
    random = sum(isinstance(cpd, Table) for cpd in network.cpds.values())
    return passed_if(
        not wrong,
        f"{rows:,} rows sum to 1",
        wrong=listing(wrong),
        detail=f"{random} random, {len(network) - random} deterministic",
    )


def _fault_of(network: Network, name: str, cpd: CPD) -> str | None:
    if isinstance(cpd, Table):
        numerators = cpd.numerators.reshape(-1, network.size(name)).astype(object)
        return _fault_of_rows(numerators, cpd.denominator, cpd.probabilities.reshape(numerators.shape))
    if isinstance(cpd, IndexMap):
        codes = cpd.index
        outside = codes.size and (int(codes.min()) < 0 or int(codes.max()) >= network.size(name))
        return "a state that it does not have" if outside else None
    values = network.variables[name].values
    assert isinstance(cpd, Fold)
    missing = set(reachable(name, cpd.operation, cpd.terms)) - set(values or ())
    return f"no state for {listing(map(str, sorted(missing)))}" if missing else None


def _fault_of_rows(numerators: Array, denominator: int, probabilities: Array) -> str | None:
    for row, floats in zip(numerators.tolist(), probabilities.tolist(), strict=True):
        if not all(float(number).is_integer() and number >= 0 for number in row):
            return f"the row {listing(map(str, row))} has a number that is negative or not whole"
        if sum(map(int, row)) != denominator:
            return f"a row sums to {Fraction(sum(map(int, row)), denominator)}, not 1"
        if any(p != int(number) / denominator for p, number in zip(floats, row, strict=True)):
            return f"the floats of the row {listing(map(str, row))} are not the nearest to its fractions"
    return None


def _rules_total(world: World) -> Finding:
    """No rule is without a value in a state of positive probability, by Boolean elimination."""
    partial_rules = world.network.undefined
    possible, refused = each(lambda name: world.engine.is_possible({name: 1}), partial_rules)
    wrong = [name.removesuffix(".undefined") for name in possible if possible[name]]
    deterministic = sum(not isinstance(world.network.cpds[name], Table) for name in world.network.named)
    never = f"{len(partial_rules)} of them would fail in cases that never happen" if partial_rules else ""
    finding = passed_if(
        not wrong,
        f"none of {deterministic} can fail",
        detail=never,
        wrong=f"no value in some case that can happen: {listing(wrong)}",
    )
    untested = {name.removesuffix(".undefined"): why for name, why in refused.items()}
    return judged(finding, untested, "no other rule can fail" if deterministic > len(refused) else "")


def _nested(network: Network, finer: Level, coarser: Level) -> Finding:
    """Each variable that a level shows is computed from those of the level before it."""
    known = functions_of(network, finer.visible)
    extra = [name for name in coarser.visible if name not in known]
    computed = [name for name in coarser.visible if name not in finer.visible]
    return passed_if(
        not extra,
        f"a function of {finer.name}",
        wrong=f"{coarser.name} shows {listing(extra)}, which {finer.name} does not tell",
        detail=f"computed from {finer.name}: {listing(computed)}" if computed else "",
    )


def _never_visible(world: World, level: Level) -> Finding:
    """No latent or residual variable is shown, nor among the world's attributes."""
    variables = world.network.variables
    concealed = [name for name, variable in variables.items() if variable.role in ("latent", "residual")]
    shown = [name for name in dict.fromkeys([*level.visible, *world.attributes]) if name in concealed]
    return passed_if(
        not shown,
        f"{len(concealed)} never shown",
        wrong=f"{listing(f'{name} ({variables[name].role})' for name in shown)} can be seen",
        detail=listing(concealed, 3),
    )
