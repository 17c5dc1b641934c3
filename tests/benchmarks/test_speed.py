"""Speed against what a user would do instead: both sides in one process, the ratio asserted and shown."""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.exact.answers import error_of
from pbn.exact.arithmetic import EXACT, FLOAT
from pbn.exact.eliminate import joint
from pbn.exact.sample import sample_codes

pytestmark = pytest.mark.benchmark


def seconds(work, repeat=5):
    """The least time of several runs, after one that is not counted."""
    work()
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


@pytest.fixture
def show(capsys):
    def say(text):
        with capsys.disabled():
            print(f"\n  {text}", end="")

    return say


def axis(values, k, axes):
    return np.asarray(values, dtype=float).reshape([-1 if j == k else 1 for j in range(axes)])


THREE = [0.48, 0.27, 0.25]


def enumerate_credit_risk():
    """ε* of all levels from all 393,660 states, by broadcasting: the plain way in numpy, and a fast one."""

    def on(values, k):
        return axis(values, k, 11)

    buffer = np.array([[0.51, 0.27, 0.22], [0.48, 0.27, 0.25], [0.45, 0.27, 0.28]]).reshape(1, 1, 3, 3, *[1] * 7)
    access = np.array([[0.44, 0.27, 0.29], [0.48, 0.27, 0.25], [0.52, 0.27, 0.21]]).reshape(1, 3, 1, 1, 3, *[1] * 6)
    mass = on([0.25] * 4, 0) * on([0.3, 0.4, 0.3], 1) * on(THREE, 2) * buffer * access
    for k in range(5, 10):
        mass = mass * on(THREE, k)
    mass = mass * on([0.03, 0.09, 0.76, 0.09, 0.03], 10)
    fall = on([0, 0, 1], 1) * (1 + (0.75 + on([0.25, 0.5, 0.75, 0], 0)) * on([0, 1, 2], 8) - 0.5 * on([0, 1, 2], 9))
    net = on([3, 5, 7], 2) - fall + on([1, 3, 5], 3) + on([0, 2, 4], 4) * on([1, 0.75, 0.4], 1)
    net = net - on([1, 2, 3], 5) - on([0, 0.25, 0.75], 1) * on([0, 1, 2], 7) - on([1, 3, 6], 6)
    positive = np.where(net + on([-3, -1, 0, 1, 3], 10) < -1e-9, mass, 0)
    return [least_errors(mass, positive, hidden) for hidden in ((10,), (3, 10), (3, 6, 10))]


def enumerate_peer_review():
    """The same for all 216,513 states of peer review."""

    def on(values, k):
        return axis(values, k, 10)

    evidence = np.array([[0.85, 0.13, 0.02], [0.5, 0.3, 0.2], [0.33, 0.29, 0.38]]).reshape(1, 1, 1, 3, 3, *[1] * 5)
    robust = np.array([[0.515, 0.27, 0.215], [0.48, 0.27, 0.25], [0.445, 0.27, 0.285]])
    mass = on([1 / 3] * 3, 0) * on([0.15, 0.35, 0.5], 3) * evidence * robust.reshape(1, 1, 1, 3, 1, 1, 3, 1, 1, 1)
    for k in (1, 2, 5, 7, 8):
        mass = mass * on(THREE, k)
    mass = mass * on([0.001, 0.004, 0.015, 0.03, 0.09, 0.72, 0.09, 0.03, 0.015, 0.004, 0.001], 9)
    weights = np.array([[2, 1, 2, 1.5, 1, 0.5, 1, 1], [1, 1, 1.5, 2, 2, 0.5, 1, 1], [1, 2, 1, 2, 1, 1.5, 0.5, 1]])
    score = sum(on(weights[:, k - 1], 0) * on([0, 1, 2], k) for k in range(1, 9))
    score = score + 0.6 * on([0, 0, 1], 4) * on([0, 0, 1], 5) + 0.6 * on([0, 0, 1], 3) * on([0, 0, 1], 6)
    accepted = (score + on(range(-5, 6), 9) > 11.5 - 1e-9) & (on([0, 1, 1], 3) > 0)
    positive = np.where(accepted, mass, 0)
    return [least_errors(mass, positive, hidden) for hidden in ((9,), (1, 9), (1, 3, 9))]


def least_errors(mass, positive, hidden):
    whole, part = mass.sum(axis=hidden), positive.sum(axis=hidden)
    return float(np.minimum(part, whole - part).sum())


def compiled_statistics():
    worlds = [pbn.load("peer_review"), pbn.load("credit_risk")]
    return [world.statistic(level) for world in worlds for level in world.levels]


def all_errors(statistics, arithmetic, name):
    """ε* and H of each level from the compiled plan, every probability multiplied and added afresh."""
    return [
        error_of(statistic.shaped(joint(statistic.bound, arithmetic)), statistic.nodes, name)
        for statistic in statistics
    ]


def test_bayes_errors_of_the_factor_worlds_against_enumeration(show):
    statistics = compiled_statistics()
    theirs = seconds(lambda: (enumerate_peer_review(), enumerate_credit_risk()))
    floats = seconds(lambda: all_errors(statistics, FLOAT, "float"))
    exacts = seconds(lambda: all_errors(statistics, EXACT, "exact"))
    cold = seconds(lambda: [s.bayes_error() for s in compiled_statistics()], repeat=1)
    expected = [*enumerate_peer_review(), *enumerate_credit_risk()]
    assert [e.value for e in all_errors(statistics, EXACT, "exact")] == pytest.approx(expected, abs=1e-12)
    show(
        f"six ε*: enumeration {theirs * 1e3:.1f} ms, float {floats * 1e3:.1f} ms ({theirs / floats:.1f} times faster), "
        f"exact {exacts * 1e3:.1f} ms ({theirs / exacts:.1f} times); files, networks and plans too: {cold * 1e3:.0f} ms"
    )
    assert theirs / floats >= 3
    assert theirs / exacts >= 1


def sample(network, names, n, rng):
    """Cases with a column of states for each name."""
    codes = sample_codes(network, names, n, rng)
    return pd.DataFrame({name: np.array(network.variables[name].states, dtype=object)[codes[name]] for name in names})


def test_look_ups_in_a_batch_against_one_pgmpy_query(show):
    from pgmpy.inference import VariableElimination

    world = pbn.load("credit_risk")
    visible = [name for name in world.level("high").visible if world.network.variables[name].role != "irrelevant"]
    frame = sample(world.network, visible, 20_000, np.random.default_rng(7))
    frame = pd.concat([frame] * 50, ignore_index=True)
    ours = seconds(lambda: world.posteriors(frame, "high"), repeat=2) / len(frame)
    inference = VariableElimination(world.to_pgmpy("high"))
    case = frame.iloc[0].to_dict()
    answer = inference.query(["default"], evidence=case, show_progress=False)
    assert answer.get_value(default="yes") == pytest.approx(world.posteriors(frame[:1], "high")[0, 1], abs=1e-12)
    theirs = seconds(lambda: inference.query(["default"], evidence=case, show_progress=False))
    show(
        f"a million look-ups: {ours * 1e6:.2f} µs each; one pgmpy query {theirs * 1e3:.1f} ms "
        f"({theirs / ours:,.0f} times)"
    )
    assert theirs / ours >= 500


def many_factors(n):
    """n ternary factors, weights in tenths, two pair interactions and a dependent factor, as peer review has."""
    weights = np.random.default_rng(n).integers(5, 21, n)
    lines = [f"  x{k}: {{states: [0, 1, 2], p: [.48, .27, .25]}}" for k in range(n) if k != 3]
    lines.append("  x3: {states: [0, 1, 2], given: x0, p: {0: [.85, .13, .02], 1: [.5, .3, .2], 2: [.33, .29, .38]}}")
    terms = [f"{weight / 10} * x{k}" for k, weight in enumerate(weights)]
    terms += ["(0.6 if x3 == '2' and x4 == '2' else 0)", f"(0.6 if x1 == '2' and x{n - 1} == '2' else 0)"]
    threshold = round(0.77 * weights.sum() / 10, 1)
    return (
        pbn.loads(
            "\n".join(
                [
                    "name: many",
                    "title: Many factors",
                    "variables:",
                    *lines,
                    "  residual: {states: [-3, -1, 0, 1, 3], p: [.03, .09, .76, .09, .03], role: residual}",
                    f'  y: {{rule: "{" + ".join(terms)} + residual >= {threshold}"}}',
                    "questions: {y: {asks: y, kind: yes/no, text: Over the threshold?}}",
                    f"levels: {{some: {{hide: [{', '.join(f'x{k}' for k in range(n - n // 4, n))}]}}}}",
                ]
            )
        ),
        weights,
        threshold,
    )


def enumerate_factors(n, weights, threshold):
    """ε* of `many_factors` from all 5 · 3^n states, by broadcasting."""

    def on(values, k):
        return axis(values, k, n + 1)

    dependent = np.array([[0.85, 0.13, 0.02], [0.5, 0.3, 0.2], [0.33, 0.29, 0.38]]).reshape(3, 1, 1, 3, *[1] * (n - 3))
    mass = on([0.03, 0.09, 0.76, 0.09, 0.03], n) * dependent
    score = on([-3, -1, 0, 1, 3], n)
    for k in range(n):
        mass = mass * on(THREE, k) if k != 3 else mass
        score = score + on([0, weights[k] / 10, 2 * weights[k] / 10], k)
    top = [0, 0, 1]
    score = score + 0.6 * on(top, 3) * on(top, 4) + 0.6 * on(top, 1) * on(top, n - 1)
    positive = np.where(score > threshold - 1e-9, mass, 0)
    return least_errors(mass, positive, (*range(n - n // 4, n), n))


def test_many_factors_against_enumerating_fourteen(show):
    small, weights, threshold = many_factors(14)
    assert small.bayes_error("some").value == pytest.approx(enumerate_factors(14, weights, threshold), abs=1e-12)
    theirs = seconds(lambda: enumerate_factors(14, weights, threshold), repeat=1)
    times = {}
    for n in (20, 40, 60, 80, 100):
        world = many_factors(n)[0]
        start = time.perf_counter()
        world.bayes_error("some")  # the view, the statistic, the plan and the exact elimination
        times[n] = time.perf_counter() - start
    rows = ", ".join(f"{n}: {t:.2f} s" for n, t in times.items())
    show(f"enumerating 14 factors {theirs:.2f} s; exact ε* of n factors, {rows}")
    assert times[40] <= 2 * theirs
    assert times[100] <= 10 * theirs
