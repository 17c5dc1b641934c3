"""What must hold in every world: names, orders and hash seeds decide nothing, and seeing less never helps."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from fractions import Fraction

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from tests.world.cases import CREDIT, FARM, WORLDS
from tests.world.worlds import bayes_error, by_visible, entropy, file_of, plain_name, sketches

thorough = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
PUBLIC = [
    "BayesError", "BudgetError", "Fault", "Network", "NetworkError", "PbnError", "Place", "Posterior",
    "QueryError", "SpecError", "World", "check_world", "compare_levels", "from_pgmpy", "load", "loads",
    "shipped_worlds",
]  # fmt: skip


def seen_through(sketch, names):
    """Each drawn variable as a case can show it: a measurement where there is one."""
    return [f"n{name[1:]}" if f"n{name[1:]}" in sketch.measured else name for name in names]


def everything(sketch):
    return seen_through(sketch, sketch.drawn)


@st.composite
def sketches_and_visible(draw):
    sketch = draw(sketches())
    shown = draw(st.lists(st.sampled_from(sketch.drawn), unique=True))
    return sketch, seen_through(sketch, [name for name in sketch.drawn if name in shown])


def load(sketch, visible, **options):
    levels = {"fine": everything(sketch), "coarse": visible} if visible else {"fine": everything(sketch)}
    return pbn.loads(file_of(sketch, levels, **options))


def answers(world, sketch, names=plain_name):
    """ε* and every posterior of the asked condition given one state, in terms of the sketch."""
    found = {"errors": [(e.exact, round(e.entropy, 12)) for e in map(world.bayes_error, world.levels)]}
    states = world.network.variables["asked"].states
    for name in sketch.drawn:
        for state in range(sketch.sizes[name]):
            if world.posterior(query=name).exact[names(name, state)]:
                answer = world.posterior({name: names(name, state)})
                found[name, state] = [answer.exact[asked] for asked in states], answer.tie, answer.evidence_probability
    return found


# -- a file against going through every case -------------------------------------------------------------


@given(sketches_and_visible())
@thorough
def test_a_file_answers_as_going_through_every_case_does(drawn):
    sketch, visible = drawn
    world = load(sketch, visible)
    for level, shown in world.levels.items():
        found = world.bayes_error(level)
        assert found.exact == bayes_error(sketch, shown.visible)
        assert found.entropy == pytest.approx(entropy(sketch, shown.visible), abs=1e-12)
    drawn_visible = [name for name in sketch.drawn if name in visible]
    for case, row in by_visible(sketch, drawn_visible).items():
        evidence = {name: plain_name(name, state) for name, state in zip(drawn_visible, case, strict=True)}
        answer = world.posterior(evidence)
        assert answer.evidence_probability == sum(row.values())
        assert answer.exact["yes"] == row[True] / sum(row.values())


# -- names and orders ------------------------------------------------------------------------------------


@given(sketches_and_visible(), st.data())
@thorough
def test_names_and_orders_of_states_decide_nothing(drawn, data):
    sketch, visible = drawn
    orders = {name: data.draw(st.permutations(range(size))) for name, size in sketch.sizes.items()}
    orders |= {name: data.draw(st.permutations(range(2))) for name in sketch.merges}

    def other_name(variable, state):
        return f"z{(7 * state + 3) % 11} of {variable}"

    wanted = answers(load(sketch, visible), sketch)
    assert answers(load(sketch, visible, names=other_name), sketch, other_name) == wanted
    assert answers(load(sketch, visible, names=other_name, orders=orders), sketch, other_name) == wanted


@given(sketches_and_visible(), st.randoms(use_true_random=False))
@thorough
def test_the_order_of_variables_in_a_file_decides_nothing(drawn, random):
    sketch, visible = drawn
    shuffled = load(sketch, visible, shuffle=lambda entries: random.sample(entries, len(entries)))
    assert answers(shuffled, sketch) == answers(load(sketch, visible), sketch)


NOT_STATES = {"by", "given", "of", "merge", "measured", "text", "role", "unit", "cuts", "from", "to", "step"}


def renamed(node, states, rename):
    """A part of a file with its states renamed wherever they stand, in rules too."""
    if isinstance(node, list):
        return [renamed(item, states, rename) for item in node]
    if isinstance(node, dict):
        return {
            rename(key) if key in states else key: value if key in NOT_STATES else renamed(value, states, rename)
            for key, value in node.items()
        }
    quoted = re.sub("'([^']*)'", lambda match: f"'{rename(match[1])}'", node)
    return rename(node) if node in states else quoted


@pytest.mark.parametrize("name", WORLDS)
def test_renaming_the_states_of_a_shipped_world_changes_its_words_only(name):
    world = WORLDS[name]
    states = {
        state
        for variable in world.network.named
        for state in world.network.variables[variable].states
        if not re.fullmatch(r"-?[\d./]+", state)
    }
    tree = yaml.load(pbn.shipped_worlds()[name].read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    new = {state: f"{state[::-1]} {k}" for k, state in enumerate(sorted(states))}
    tree["variables"] = renamed(tree["variables"], new, new.get)
    tree["memo"]["phrases"] = renamed(tree["memo"]["phrases"], new, new.get)
    for question in tree["questions"].values():
        if "positive" in question:
            question["positive"] = new[question["positive"]]
    for figure in tree.get("published", ()):
        figure["state"] = new[figure["state"]]
    other = pbn.loads(yaml.safe_dump(tree, sort_keys=False, width=10_000))
    for level in world.levels:
        for question in world.questions:
            assert other.bayes_error(level, question=question) == world.bayes_error(level, question=question)
    visible = [variable for variable in world.visible() if world.network.variables[variable].states[0] in new]
    for k in range(len(visible)):
        evidence = {one: world.network.variables[one].states[k % 2] for one in visible[: k + 1]}
        for question in world.questions:
            wanted = world.posterior(evidence, question=question)
            found = other.posterior({one: new[state] for one, state in evidence.items()}, question=question)
            assert found.exact == {new[state]: p for state, p in wanted.exact.items()}
            assert found.evidence_probability == wanted.evidence_probability
            assert found.decision == new[wanted.decision]
    assert other.spec.law_digest != world.spec.law_digest


# -- seeing less -----------------------------------------------------------------------------------------


@given(sketches(), st.data())
@thorough
def test_merging_or_hiding_never_lowers_the_bayes_error(sketch, data):
    shown = data.draw(st.lists(st.sampled_from(sketch.drawn), unique=True, min_size=1))
    coarser = data.draw(st.sampled_from(shown))
    rest = seen_through(sketch, [name for name in shown if name != coarser])
    levels = {
        "whole": [*seen_through(sketch, [coarser]), *rest],
        "level": [coarser, *rest],
        "merged": [f"m{coarser[1:]}", *rest],
        "hidden": rest or [f"m{coarser[1:]}"],
    }
    world = pbn.loads(file_of(sketch, levels))
    whole, level, merged, hidden = (world.bayes_error(name) for name in levels)
    assert whole.exact == level.exact <= merged.exact <= hidden.exact
    assert whole.entropy == pytest.approx(level.entropy, abs=1e-12)
    assert level.entropy <= merged.entropy + 1e-12
    assert merged.entropy <= hidden.entropy + 1e-12
    assert hidden.exact <= 1 - max(world.posterior().exact.values())


@pytest.mark.parametrize("name", WORLDS)
def test_hiding_one_more_attribute_never_lowers_the_bayes_error_of_a_shipped_world(name):
    world = WORLDS[name]
    for question in world.questions:
        for level in world.levels:
            before = world.bayes_error(level, question=question)
            for attribute in world.visible(level):
                after = world.bayes_error(level, question=question, hide=[attribute])
                assert after.exact >= before.exact
                assert after.entropy >= before.entropy - 1e-12


# -- the same everywhere -----------------------------------------------------------------------------------

REPORT = """
import json, sys, pbn
found = {}
for name in ("credit_risk", "peer_review", "support_ticket"):
    world = pbn.load(name)
    found[name] = [world.spec.law_digest, world.spec.digest, list(world.network.variables), world.attributes]
    for question in world.questions:
        for level in world.levels:
            error = world.bayes_error(level, question=question)
            statistic = world.statistic(level, question=question).statistic
            plans = [[route, nodes, plan.largest, plan.largest_scope, plan.operations, plan.cells,
                      [[step.eliminates, step.domain] for step in plan.steps]]
                     for route, nodes, plan in statistic.considered]
            found[name] += [str(error), plans, {k: v for k, v in statistic.attributes.items()}]
        visible = world.visible()
        case = {v: world.network.variables[v].states[0] for v in visible[::2]}
        found[name].append(str(world.posterior(case, question=question)))
for bad in ("credit_rsik", "x"):
    try:
        pbn.load(bad)
    except pbn.PbnError as error:
        found[bad] = str(error)
try:
    pbn.load("credit_risk").posterior({"cycle": "steady", "rate_cost": 0, "exposure_cost": 0.5, "sector": "consumer"})
except pbn.PbnError as error:
    found["conflict"] = str(error)
print(json.dumps(found))
"""


def output_of(*arguments, seed):
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
        env=environment,
        stdin=subprocess.DEVNULL,
    ).stdout


def test_hash_seeds_change_no_answer_digest_or_plan():
    first, *others = (output_of("-c", REPORT, seed=seed) for seed in (0, 1, 2))
    assert json.loads(first)["credit_risk"][0] == CREDIT.spec.law_digest
    assert others == [first, first]


def test_hash_seeds_change_no_printed_plan():
    first, *others = (output_of("-m", "pbn", "plan", "peer_review", "--level", "high", seed=seed) for seed in (0, 1, 2))
    assert "score" in first
    assert others == [first, first]


# -- the public interface ------------------------------------------------------------------------------------


def test_the_public_names_are_pinned():
    assert pbn.__all__ == PUBLIC
    assert set(PUBLIC) <= set(dir(pbn))
    for name in PUBLIC:
        assert getattr(pbn, name).__doc__
    with pytest.raises(AttributeError):
        pbn.simulate  # noqa: B018


def test_importing_the_package_loads_nothing_heavy():
    heavy = ["numpy", "scipy", "pandas", "networkx", "matplotlib", "pgmpy", "pydantic", "yaml", "torch", "click"]
    probe = "import sys, {}; print([name for name in {} if name in sys.modules])"
    assert output_of("-c", probe.format("pbn", heavy), seed=0).strip() == "[]"
    asked = "pbn; world = pbn.load('credit_risk'); world.bayes_error('high'); world.posterior({'cycle': 'steady'})"
    heavy = ["scipy", "pandas", "matplotlib", "pgmpy", "torch", "click"]
    assert output_of("-c", probe.format(asked, heavy).replace("print", "import sys; print"), seed=0).strip() == "[]"


def raised():
    """One error of each class, with one fault and with several, by asking for what does not exist."""
    credit = pbn.shipped_worlds()["credit_risk"].read_text(encoding="utf-8")
    small = pbn.load("credit_risk", budget=10)
    asks = [
        lambda: pbn.loads(REPORT),
        lambda: pbn.loads("name: [\n"),
        lambda: pbn.load("none"),
        lambda: pbn.load("no.yaml"),
        lambda: FARM.posterior({"sesaon": 1}, question="crop"),
        lambda: FARM.bayes_error(),
        lambda: FARM.posterior({"season": "wet", "height": 0}, question="sold"),
        lambda: small.bayes_error(),
        lambda: small.to_pgmpy(),
        lambda: pbn.loads(credit.replace("rank(funding", "1 / rank(funding")),
    ]
    for ask in asks:
        with pytest.raises(pbn.PbnError) as caught:
            ask()
        yield caught.value


def test_every_error_survives_pickling():
    kinds = set()
    for error in raised():
        kinds.add(type(error))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            back = pickle.loads(pickle.dumps(error, protocol))
            assert type(back) is type(error)
            assert (back.faults, back.code, str(back)) == (error.faults, error.code, str(error))
    assert kinds == {pbn.SpecError, pbn.QueryError, pbn.BudgetError, pbn.NetworkError}


def test_answers_survive_pickling():
    error, answer = CREDIT.bayes_error("high"), CREDIT.posterior({"cycle": "steady"})
    assert pickle.loads(pickle.dumps(error)) == error
    back = pickle.loads(pickle.dumps(answer))
    assert back == answer
    assert isinstance(back.exact["yes"], Fraction)
