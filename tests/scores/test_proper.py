"""Proper scores: published floors, values by hand, splits that add up, and scikit-learn's numbers."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import pbn
from pbn.scores.inputs import ScoreError
from pbn.scores.proper import (
    brier,
    clipped_rows,
    conditional_entropy,
    expected_brier,
    expected_log_loss,
    kl_divergence,
    l1_distance,
    log_loss,
    squared_distance,
)

FLOORS = {  # nats, at Low, Medium and High
    "peer_review": (".000314", ".000228", ".000079"),
    "credit_risk": (".000575", ".000360", ".000058"),
    "covert_transfer": (".000481", ".000426", ".000355"),
}
ENTROPIES = {"peer_review": (0.117449, 0.216333, 0.275543), "credit_risk": (0.091299, 0.211639, 0.373255)}


def laws(rng, n, classes):
    return rng.dirichlet(np.full(classes, 0.5), n)


@pytest.mark.parametrize("name", FLOORS)
def test_floors_and_entropies(name):
    world = pbn.load(name)
    for k, level in enumerate(world.levels):
        table = world.table(level)
        p, weight = table.iloc[:, -2:].to_numpy(), table["probability"].to_numpy()
        floor = kl_divergence(p, p, weight)
        assert f"{floor.value:.6f}" == "0" + FLOORS[name][k]
        assert floor.unclipped == 0
        assert floor.clipped == np.count_nonzero((p[:, 1] < 0.001) | (p[:, 1] > 0.999))
        one_column = kl_divergence(p[:, 1], p[:, 1], weight)
        assert one_column.value == pytest.approx(floor.value, abs=1e-15)
        if name in ENTROPIES:
            assert conditional_entropy(p, weight) == pytest.approx(ENTROPIES[name][k], abs=5e-7)


def test_divergence_is_equation_2():
    rng = np.random.default_rng(0)
    p, q = rng.random(200), rng.random(200) ** 8
    p[:3], q[:4] = (0, 1, 0.5), (0, 0, 1, 1)
    by_hand = 0.0
    for true, predicted in zip(p.tolist(), q.tolist(), strict=True):
        kept = min(max(predicted, 0.001), 0.999)
        by_hand += true * math.log(true / kept) if true else 0
        by_hand += (1 - true) * math.log((1 - true) / (1 - kept)) if true < 1 else 0
    found = kl_divergence(p, q)
    assert found.value == pytest.approx(by_hand / 200, rel=1e-13)
    assert found.clipped == np.count_nonzero((q < 0.001) | (q > 0.999))
    assert found.unclipped is None  # p = 1 meets q = 0
    assert kl_divergence(p[4:], q[4:], clip=0).value == kl_divergence(p[4:], q[4:]).unclipped


def test_bounds_themselves_are_not_clipped():
    assert kl_divergence([0.5, 0.5], [0.001, 0.999]).clipped == 0
    assert kl_divergence([0.5], [0.0009]).clipped == 1
    assert kl_divergence([0.5], [0.2], clip=0.25).clipped == 1


def test_clipping_of_many_classes():
    rows, changed = clipped_rows(np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]), 0.01)
    assert rows[0].tolist() == pytest.approx([0.98, 0.01, 0.01])
    assert rows[1].tolist() == pytest.approx([0.5 / 1.01, 0.5 / 1.01, 0.01 / 1.01])
    assert rows[2].tolist() == [0.2, 0.3, 0.5]
    assert changed.tolist() == [True, True, False]


@given(st.integers(0, 2**32), st.integers(2, 6), st.sampled_from([0.0, 0.001, 0.05]))
def test_parts_add_up(seed, classes, clip):
    rng = np.random.default_rng(seed)
    p, q, weight = laws(rng, 40, classes), laws(rng, 40, classes), rng.random(40)
    p[0] = np.eye(classes)[0]
    losses = expected_log_loss(p, q, weight, clip=clip)
    assert losses.value == pytest.approx(losses.avoidable + losses.irreducible, rel=1e-12)
    assert losses.avoidable == pytest.approx(kl_divergence(p, q, weight, clip=clip).value, abs=1e-15)
    assert losses.irreducible == pytest.approx(conditional_entropy(p, weight), abs=1e-15)
    squares = expected_brier(p, q, weight)
    assert squares.value == pytest.approx(squares.avoidable + squares.irreducible, rel=1e-12)
    assert min(losses.avoidable, squares.avoidable, l1_distance(p, q, weight)) >= 0


def test_expected_scores_are_means_over_labels():
    p, q = np.array([[0.2, 0.3, 0.5]]), np.array([[0.6, 0.3, 0.1]])
    weight = p[0]
    assert expected_brier(p, q).value == pytest.approx(weight @ [brier([y], q) for y in range(3)])
    assert expected_log_loss(p, q).value == pytest.approx(weight @ [log_loss([y], q).value for y in range(3)])
    assert expected_brier([0.3], [0.6]).value == pytest.approx(0.3 * brier([1], [0.6]) + 0.7 * brier([0], [0.6]))


@pytest.mark.parametrize("classes", [2, 4])
def test_against_scikit_learn(classes):
    rng = np.random.default_rng(classes)
    q, y = laws(rng, 500, classes), rng.integers(0, classes, 500)
    weight = rng.random(500)
    expected = metrics.log_loss(y, q, sample_weight=weight, labels=range(classes))
    assert log_loss(y, q, weight, clip=0).value == pytest.approx(expected, rel=1e-9)
    if classes > 2:
        by_hand = ((q - np.eye(classes)[y]) ** 2).sum(axis=1)
        assert brier(y, q, weight) == pytest.approx(np.average(by_hand, weights=weight), rel=1e-12)
    else:
        theirs = metrics.brier_score_loss(y, q[:, 1], sample_weight=weight)
        assert brier(y, q, weight) == pytest.approx(theirs, rel=1e-12)
        assert log_loss(y, q[:, 1]).value == pytest.approx(log_loss(y, q).value, abs=1e-14)
        assert brier(y, q[:, 1], weight) == pytest.approx(theirs, rel=1e-12)


def test_certain_predictions():
    assert log_loss([1, 0], [1.0, 0.0]).unclipped == 0
    assert log_loss([1, 0], [1.0, 0.0]).value == pytest.approx(-math.log(0.999))
    assert log_loss([1], [[1, 0, 0]]).unclipped is None
    assert str(log_loss([1], [1.0], clip=0).value) == "0.0"
    assert conditional_entropy([0.0, 1.0]) == 0
    assert kl_divergence([0.3], [0.3], clip=0).value == 0


def scores(p, q, y, weight=None):
    yield kl_divergence(p, q, weight).value
    yield expected_log_loss(p, q, weight).value
    yield expected_brier(p, q, weight).value
    yield squared_distance(p, q, weight)
    yield l1_distance(p, q, weight)
    yield conditional_entropy(p, weight)
    yield log_loss(y, q, weight).value
    yield brier(y, q, weight)


def test_rows_in_another_order_doubled_or_relabelled():
    """To 1e-12, not to the bit: sums are taken in another order."""
    rng = np.random.default_rng(3)
    p, q, y = laws(rng, 300, 3), laws(rng, 300, 3), rng.integers(0, 3, 300)
    weight = rng.random(300)
    plain = list(scores(p, q, y, weight))
    order = rng.permutation(300)
    assert list(scores(p[order], q[order], y[order], weight[order])) == pytest.approx(plain, abs=1e-12)
    twice = [np.repeat(a, 2, axis=0) for a in (p, q, y, weight)]
    assert list(scores(*twice)) == pytest.approx(plain, abs=1e-12)
    names = rng.permutation(3)
    relabelled = scores(p[:, names], q[:, names], np.argsort(names)[y], weight)
    assert list(relabelled) == pytest.approx(plain, abs=1e-12)
    equal = list(scores(p, q, y, np.full(300, 7.0)))
    assert equal == pytest.approx(list(scores(p, q, y)), abs=1e-12)


@pytest.mark.parametrize("classes", [2, 3])
def test_rows_of_weight_0_count_for_nothing(classes):
    """Not even where their loss is infinite, or where they are clipped."""
    rng = np.random.default_rng(4)
    p, q, y, weight = laws(rng, 20, classes), laws(rng, 20, classes), rng.integers(0, classes, 20), rng.random(20)
    certain, wrong = np.eye(classes)[[0, 1]], np.eye(classes)[[1, 0]]
    more = [np.concatenate(pair) for pair in ((p, certain), (q, wrong), (y, [0, 1]), (weight, [0, 0]))]
    for clip in (0, 0.001):
        for score in (kl_divergence, expected_log_loss):
            plain, found = score(p, q, weight, clip=clip), score(more[0], more[1], more[3], clip=clip)
            assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(plain), rel=1e-12)
        plain, found = log_loss(y, q, weight, clip=clip), log_loss(more[2], more[1], more[3], clip=clip)
        assert dataclasses.astuple(found) == pytest.approx(dataclasses.astuple(plain), rel=1e-12)
    assert list(scores(*more)) == pytest.approx(list(scores(p, q, y, weight)), rel=1e-12)


@pytest.mark.parametrize(("call", "code", "says"), [
    (lambda: kl_divergence([], []), "scores/empty", "no rows"),
    (lambda: log_loss([], []), "scores/empty", "no rows"),
    (lambda: brier([], [0.5]), "scores/empty", "no rows"),
    (lambda: brier([1], 0.5), "scores/shape", "no rows"),
    (lambda: kl_divergence([0.5, 0.5], [0.5, math.nan]), "scores/probability", "row 1 of the predictions"),
    (lambda: kl_divergence([0.5, -0.1], [0.5, 0.5]), "scores/probability", "row 1 of the true probabilities"),
    (lambda: brier([0, 1], [[0.5, 0.5], [0.5, 0.6]]), "scores/sum", "row 1"),
    (lambda: brier([0, 1], [[0.5, 0.5], [1.5, -0.5]]), "scores/probability", "row 1"),
    (lambda: brier([0], [[1.0]]), "scores/shape", "wrong shape"),
    (lambda: kl_divergence([0.5], [[0.2, 0.3, 0.5]]), "scores/shape", "another shape"),
    (lambda: brier([0, 2], [0.5, 0.5]), "scores/outcome", "row 1 of the outcomes"),
    (lambda: brier([0.5, 1], [0.5, 0.5]), "scores/outcome", "row 0 of the outcomes"),
    (lambda: brier([0, math.nan], [0.5, 0.5]), "scores/outcome", "row 1 of the outcomes"),
    (lambda: brier(["a", "b"], [0.5, 0.5]), "scores/number", "not numbers"),
    (lambda: brier([1], [0.5, 0.5]), "scores/shape", "outcomes"),
    (lambda: brier([1, 0], [0.5, 0.5], [1, -1]), "scores/weight", "row 1 of the weights"),
    (lambda: brier([1, 0], [0.5, 0.5], [0, 0]), "scores/weight", "all weights are 0"),
    (lambda: brier([1, 0], [0.5, 0.5], [1]), "scores/shape", "weights"),
    (lambda: log_loss([1], [0.5], clip=0.5), "scores/clip", "bound"),
])  # fmt: skip
def test_what_cannot_be_scored(call, code, says):
    with pytest.raises(ScoreError) as caught:
        call()
    assert caught.value.code == code
    assert says in str(caught.value)
