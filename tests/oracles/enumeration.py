"""Every answer by enumeration of the whole joint law, in Fraction: slow, and hard to get wrong."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from fractions import Fraction

from pbn.network.model import Fold, IndexMap, Network, Table

FOLDS = {
    "+": lambda xs: sum(xs, Fraction(0)), "*": math.prod, "min": min, "max": max,
    "and": lambda xs: Fraction(all(xs)), "or": lambda xs: Fraction(any(xs)),
}  # fmt: skip


def joint_law(network: Network) -> dict[tuple[int, ...], Fraction]:
    """Probability of every combination of states that has any, in the order of the variables."""
    names = list(network.variables)
    law = {(): Fraction(1)}
    for k, name in enumerate(names):
        following = {}
        for prefix, probability in law.items():
            case = dict(zip(names[:k], prefix, strict=True))
            for code in range(network.size(name)):
                p = probability * _conditional(network, name, code, case)
                if p:
                    following[*prefix, code] = p
        law = following
    return law


def _conditional(network: Network, name: str, code: int, case: dict[str, int]) -> Fraction:
    cpd = network.cpds[name]
    where = tuple(case[parent] for parent in cpd.parents)
    if isinstance(cpd, Table):
        return Fraction(int(cpd.numerators[(*where, code)]), cpd.denominator)
    if isinstance(cpd, IndexMap):
        return Fraction(int(cpd.index[where] == code))
    assert isinstance(cpd, Fold)
    value = FOLDS[cpd.operation]([term[s] for term, s in zip(cpd.terms, where, strict=True)])
    return Fraction(int(network.variables[name].values[code] == value))


class Enumeration:
    """Marginals, posteriors and Bayes errors of one network."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.names = list(network.variables)
        self.law = joint_law(network)

    def given(self, names: list[str], target: str) -> dict[tuple[int, ...], list[Fraction]]:
        """Codes of the names → P(names, target = y) for each y; only possible codes occur."""
        where = [self.names.index(name) for name in names]
        at = self.names.index(target)
        found: dict[tuple[int, ...], list[Fraction]] = defaultdict(lambda: [Fraction(0)] * self.network.size(target))
        for case, p in self.law.items():
            row = found[tuple(case[k] for k in where)]
            row[case[at]] += p
        return dict(found)

    def bayes_error(self, target: str, visible: list[str]) -> Fraction:
        return 1 - sum((max(row) for row in self.given(visible, target).values()), Fraction(0))

    def entropy(self, target: str, visible: list[str]) -> float:
        rows = self.given(visible, target).values()
        return -math.fsum(float(p) * math.log(p / sum(row)) for row in rows for p in row if p)

    def all_cases(self, names: list[str]) -> itertools.product[tuple[int, ...]]:
        return itertools.product(*(range(self.network.size(name)) for name in names))
