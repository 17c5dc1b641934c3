"""Rows of a pgmpy model that floats do not sum to 1 become exact laws over a small common denominator."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from pbn.network.formats.pgmpy import network_from_pgmpy
from pbn.network.model import Table


def test_many_rescaled_rows_share_a_power_of_ten():
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    rows = np.random.default_rng(3).dirichlet(np.ones(9), size=400)
    model = DiscreteBayesianNetwork([("x", "y")])
    model.add_cpds(
        TabularCPD("x", 400, np.full((400, 1), 1 / 400)),
        TabularCPD("y", 9, rows.T, evidence=["x"], evidence_card=[400]),
    )
    cpd = network_from_pgmpy(model).cpds["y"]
    assert isinstance(cpd, Table)
    off = sum(1 for row in rows.tolist() if sum(map(Fraction, map(repr, row))) != 1)
    assert off > 100
    assert 10**25 % cpd.denominator == 0
    assert np.allclose(cpd.probabilities, rows, rtol=1e-12, atol=0)


def test_proportions_of_small_numbers_stay_exact():
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork()
    model.add_node("x")
    model.add_cpds(TabularCPD("x", 3, [[1 / 3], [1 / 3], [1 / 3]]))
    cpd = network_from_pgmpy(model).cpds["x"]
    assert isinstance(cpd, Table)
    assert (cpd.numerators.tolist(), cpd.denominator) == ([1, 1, 1], 3)
