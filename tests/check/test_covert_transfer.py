"""Covert transfer: the formula, the node's law, and elimination at full size say the same."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import pbn
from pbn.check.cases import distinct_cases
from pbn.check.closed_forms import separator_law
from pbn.exact.sample import sample_codes

WORLD = pbn.load("covert_transfer")
PARTS = {"low": [1] * 26, "medium": [4] * 6 + [2], "high": [8, 8, 8, 2]}
ERRORS = {"low": Fraction(1, 52), "medium": Fraction(25, 338), "high": Fraction(49, 338)}
EACH = pytest.mark.parametrize("level", list(PARTS))


@EACH
def test_by_the_formula(level: str) -> None:
    assert sum(PARTS[level]) == 26
    assert sum((Fraction(m * m, 2 * 26**2) for m in PARTS[level]), Fraction(0)) == ERRORS[level]


@EACH
def test_by_the_law_of_the_node(level: str) -> None:
    node = WORLD.level(level).closed_forms["encoding"]
    found = WORLD.bayes_error(level)
    assert found.statistic == (node,)
    assert found.exact == ERRORS[level]
    claimed = WORLD.network.variables[node].values
    law = WORLD.posterior(query=node).exact
    assert sum(p * min(c, 1 - c) for p, c in zip(law.values(), claimed, strict=True)) == ERRORS[level]


@EACH
def test_by_elimination_over_the_separator_at_full_size(level: str) -> None:
    node = WORLD.level(level).closed_forms["encoding"]
    law, view, denominator = separator_law(WORLD, WORLD.level(level), WORLD.question(), node)
    totals = law.sum(axis=(1, 2))
    assert law.sum() == denominator
    assert int((totals > 0).sum()) == {"low": 1_370_928, "medium": 369_096, "high": 210_912}[level]
    least = law.sum(axis=1).min(axis=1).sum()
    assert Fraction(int(least), denominator) == ERRORS[level]
    values = view.variables[node].values
    for code, claimed in enumerate(values):
        part = law[:, code]
        rows = part[part.any(axis=1)]
        assert (rows[:, 1] * (claimed.denominator - claimed.numerator) == rows[:, 0] * claimed.numerator).all()


@EACH
def test_a_thousand_posteriors(level: str) -> None:
    node = WORLD.level(level).closed_forms["encoding"]
    visible = WORLD.visible(level)
    values = WORLD.network.variables[node].values
    cases = distinct_cases(WORLD.network, (*visible, node), 1000, seed=5)
    assert len(cases) == 1000
    seen = set()
    for case in cases:
        claimed = values[case.pop(node)]
        answer = WORLD.engine.posterior("encoding", case)
        assert answer.route == "variable elimination"
        assert answer.exact["yes"] == claimed
        seen.add(claimed)
    assert seen == set(values)


def test_a_frame_of_cases_has_the_values_of_the_formula() -> None:
    import pandas as pd

    for level, parts in PARTS.items():
        codes = sample_codes(WORLD.network, WORLD.visible(level), 2000, np.random.default_rng(3))
        frame = pd.DataFrame(
            {name: np.array(WORLD.network.variables[name].states, dtype=object)[code] for name, code in codes.items()}
        )
        found = set(np.round(WORLD.posteriors(frame, level)[:, 1], 12))
        assert found == {0.0, *(round(26 / (26 + m), 12) for m in parts)}


def test_an_ordinary_query_needs_no_large_table() -> None:
    engine, letters = WORLD.engine, WORLD.families["identifier"]
    for ranged in ([], ["tag"], ["tag_range"], ["tag_block"]):
        for evidence in ([*letters, "report", *ranged], [*letters, *ranged], [letters[8], "report", *ranged], ranged):
            assert engine.plan(("encoding",), evidence).largest < 10**5, evidence
    for asked in ("report", "tag", "encoding", *letters, *WORLD.families["drawn"]):
        assert engine.plan((asked,), ()).largest < 10**5, asked


def test_the_query_of_the_readme() -> None:
    answer = WORLD.posterior(
        {"report": "experiment result", "tag_range": "e-h", "identifier": "kqzvabcdehijklmn"}, "medium"
    )
    assert answer.exact["yes"] == Fraction(26, 30)
    answer = WORLD.posterior(
        {"report": "experiment result", "tag_range": "a-d", "identifier": "kqzvabcdehijklmn"}, "medium"
    )
    assert answer.exact["yes"] == 0
