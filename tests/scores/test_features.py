"""Cases as rows of numbers: one-hot, and scaled by the declared support."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pbn
from pbn.cases.encoding import features, field_of
from pbn.cases.sample import RowSampler
from pbn.errors import QueryError
from pbn.scores.features import Category, Number, encode
from pbn.scores.inputs import ScoreError

CREDIT = pbn.load("credit_risk")


def test_numbers_are_scaled_by_their_declared_support_and_not_by_the_sample_s_range():
    field = Number(lower=0, upper=100)
    assert encode([[40, 41]], [field]).tolist() == [[0.4], [0.41]]
    wide = encode([[40, 41, 0, 100]], [field])
    assert wide[:2].tolist() == [[0.4], [0.41]]
    assert encode([[-5.0, 5.0]], [Number(lower=-5, upper=5)]).tolist() == [[0], [1]]
    assert encode([[3, 3]], [Number(lower=3, upper=3)]).tolist() == [[0], [0]]


def test_categories_are_one_hot_also_where_the_sample_lacks_a_state():
    found = encode([[1, 3]], [Category(states=4)])
    assert found.tolist() == [[0, 1, 0, 0], [0, 0, 0, 1]]
    assert np.linalg.norm(found[0] - found[1]) == math.sqrt(2)


@pytest.mark.parametrize(("columns", "fields", "code"), [
    ([[0, 4]], [Category(states=4)], "scores/outcome"), ([[0.5]], [Category(states=4)], "scores/outcome"),
    ([[0, 101]], [Number(lower=0, upper=100)], "scores/support"),
    ([[math.nan]], [Number(lower=0, upper=100)], "scores/support"),
    ([["a"]], [Number(lower=0, upper=100)], "scores/number"), ([[]], [Category(states=4)], "scores/empty"),
    ([], [], "scores/shape"), ([[0], [1]], [Category(states=4)], "scores/shape"),
    ([[0], [1, 2]], [Category(states=4), Number(lower=0, upper=3)], "scores/shape"),
])  # fmt: skip
def test_what_does_not_fit_its_field_is_refused(columns, fields, code):
    with pytest.raises(ScoreError) as caught:
        encode(columns, fields)
    assert caught.value.code == code


def test_fields_that_are_none_are_refused():
    for ends in ((1, 0), (0, math.inf), (math.nan, 1)):
        with pytest.raises(ScoreError, match="scores/support"):
            Number(lower=ends[0], upper=ends[1])
    with pytest.raises(ScoreError, match="scores/count"):
        Category(states=0)


def test_fields_of_a_world():
    fields = {name: field_of(CREDIT.network.variables[name]) for name in CREDIT.level("low").visible}
    assert fields["employees"] == Number(lower=10, upper=5000)
    assert fields["report_pages"] == Number(lower=5, upper=80)
    assert fields["debt_repricing_share"] == Number(lower=0, upper=100)
    assert fields["sector"] == Category(states=4)
    assert fields["cycle"] == Category(states=3)


def test_rows_of_a_world():
    shown = CREDIT.level("low").visible
    codes = RowSampler(CREDIT, 2032).codes(0, 500, shown)
    found = features(CREDIT, codes, shown)
    assert found.shape[0] == 500
    assert (found.min(), found.max()) == (0, 1)
    again = features(CREDIT, {name: values[:7] for name, values in codes.items()}, shown)
    assert (again == found[:7]).all()
    sizes = features(CREDIT, codes, ["employees"])[:, 0]
    states = np.array(CREDIT.network.variables["employees"].states, dtype=float)[codes["employees"]]
    assert sizes == pytest.approx((states - 10) / 4990)
    with pytest.raises(QueryError, match="query/unknown-variable"):
        features(CREDIT, codes, ["employes"])


def test_a_repeated_variable_stands_for_its_letters():
    world = pbn.load("covert_transfer")
    family = next(iter(world.families))
    codes = RowSampler(world, 1).codes(0, 3, [family])
    assert features(world, codes, [family]).shape == (3, 26 * len(world.families[family]))
