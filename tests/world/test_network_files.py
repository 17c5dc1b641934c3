"""Network files as worlds: options, the file beside them, estimates, and world files written from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import pbn
from pbn.exact import eliminate
from pbn.exact.engine import Engine
from pbn.from_network import world_of_network
from pbn.network.formats.bif import parse_bif
from pbn.network.formats.text import decoded
from pbn.network.formats.world_file import world_text
from tests.networks import networks, questions
from tests.oracles.enumeration import Enumeration

ASIA = """network lungs { }
variable smoke { type discrete [ 2 ] { yes, no }; }
variable cancer { type discrete [ 2 ] { yes, no }; }
variable cough { type discrete [ 3 ] { none, some, much }; }
probability ( smoke ) { table 0.5, 0.5; }
probability ( cancer | smoke ) { (yes) 0.1, 0.9; (no) 0.01, 0.99; }
probability ( cough | cancer, smoke ) {
  (yes, yes) 0.1, 0.2, 0.7; (yes, no) 0.2, 0.2, 0.6; (no, yes) 0.5, 0.4, 0.1; (no, no) 0.9, 0.08, 0.02;
}
"""


@pytest.fixture
def lungs(tmp_path):
    path = tmp_path / "lungs.bif"
    path.write_text(ASIA)
    return path


def test_any_node_can_be_asked_of_a_network_without_questions(lungs):
    world = pbn.load(lungs)
    assert (
        world.posterior({"smoke": "yes"}, query="cancer").exact["yes"]
        == pbn.load(lungs).posterior({"smoke": "yes"}, question="cancer").exact["yes"]
    )
    with pytest.raises(pbn.QueryError) as caught:
        world.posterior({"smoke": "yes"})
    assert caught.value.code == "query/which-question"


def test_options_say_what_is_asked_and_shown(lungs):
    world = pbn.load(lungs, question="cancer", levels={"all": ["smoke", "cough"], "cough": ["cough"]})
    oracle = Enumeration(world.network)
    assert world.bayes_error("all").exact == oracle.bayes_error("cancer", ["smoke", "cough"])
    assert world.bayes_error("cough").exact == oracle.bayes_error("cancer", ["cough"])
    assert world.bayes_error(show=["smoke"]).exact == oracle.bayes_error("cancer", ["smoke"])
    assert world.bayes_error(question="cough", show=["smoke"]).exact == oracle.bayes_error("cough", ["smoke"])


def test_the_file_beside_a_network_file_makes_a_world_of_it(lungs):
    lungs.with_name("lungs.bif.yaml").write_text(
        "title: Lungs\nquestions:\n  ill: {asks: cancer, kind: yes/no, positive: yes, text: Cancer?}\n"
        "levels:\n  both: {hide: []}\n  cough: {hide: [smoke]}\n"
    )
    world = pbn.load(lungs)
    assert (world.title, world.question().positive) == ("Lungs", "yes")
    assert world.level("both").visible == ("smoke", "cough")
    assert world.bayes_error("cough").exact == Enumeration(world.network).bayes_error("cancer", ["cough"])


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("question: {}\n", "spec/unknown-key", 1),
        ("questions:\n  ill: {asks: cancr, kind: yes/no}\n", "spec/question-asks", 2),
        ("questions:\n  ill: {asks: cancer, kind: yes/no, positive: maybe}\n", "spec/unknown-state", 2),
        ("questions:\n  ill: {asks: cough, kind: yes/no, positive: much}\n", "spec/question-kind", 2),
        ("questions:\n  ill: {asks: cancer, kind: no/yes}\n", "spec/unknown-word", 2),
        ("questions:\n  ill: {kind: choice}\n", "spec/missing-key", 2),
        ("levels:\n  a: {show: [cogh]}\n", "spec/unknown-variable", 2),
        ("questions: [a]\n", "spec/wrong-shape", 1),
        ("renormalise: perhaps\n", "spec/unknown-word", 1),
        ("- a\n", "spec/wrong-shape", 1),
    ],
)
def test_faults_of_the_file_beside_it_have_their_place(lungs, text, code, line):
    lungs.with_name("lungs.bif.yaml").write_text(text)
    with pytest.raises(pbn.SpecError) as caught:
        pbn.load(lungs)
    assert [fault.code for fault in caught.value.faults] == [code]
    assert caught.value.faults[0].place.line == line


def test_levels_of_the_file_beside_it_must_be_nested(lungs):
    lungs.with_name("lungs.bif.yaml").write_text("levels:\n  a: {show: [cough]}\n  b: {show: [smoke]}\n")
    with pytest.raises(pbn.NetworkError) as caught:
        pbn.load(lungs)
    assert caught.value.code == "network/level"


def test_a_world_file_takes_no_network_options():
    with pytest.raises(pbn.QueryError) as caught:
        pbn.load("credit_risk", renormalise=True)
    assert caught.value.code == "query/world-options"


def test_rows_off_by_rounding_need_to_be_accepted(lungs):
    lungs.write_text(ASIA.replace("0.01, 0.99", "0.01, 0.9899"))
    with pytest.raises(pbn.NetworkError) as caught:
        pbn.load(lungs)
    assert caught.value.code == "network/row-sum"
    world = pbn.load(lungs, renormalise=True)
    assert world.notes
    assert sum(world.posterior({"smoke": "no"}, query="cancer").exact.values()) == 1


@given(networks())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_a_world_file_written_from_a_network_says_the_same_law(network):
    names = list(network.variables)
    world = world_of_network(network, question=names[0])
    text, _ = world_text(network, world.questions, world.levels, name="copy", title="A copy")
    again = pbn.loads(text)
    for name in names:
        states = network.variables[name].states
        ours, theirs = (w.posterior(query=name).exact for w in (world, again))
        assert [ours[state] for state in states] == list(theirs.values())
    assert again.bayes_error("full").exact == world.bayes_error("full").exact


def test_names_that_a_world_file_cannot_hold_are_mapped():
    text = ASIA.replace("cough", '"bad cough?"').replace("smoke", '"if"')
    read = parse_bif(decoded(text.encode(), "x.bif"))
    world = world_of_network(read.network, question="cancer")
    text, notes = world_text(read.network, world.questions, world.levels, name="A b", title="x")
    assert len(notes) == 2
    assert pbn.loads(text).bayes_error("full").exact == world.bayes_error("full").exact


def test_an_estimate_holds_the_exact_value_and_says_what_it_is():
    world = pbn.load("credit_risk")
    covered = 0
    for seed in range(5):
        found = world.estimate_bayes_error("high", samples=400, seed=seed)
        covered += found.low <= world.bayes_error("high").value <= found.high
        assert (found.confidence, found.samples) == (0.95, 400)
        assert found == world.estimate_bayes_error("high", samples=400, seed=seed)
    assert covered == 5  # a 95% interval that is this conservative


def test_an_estimate_of_a_certain_outcome_is_zero_with_an_upper_bound():
    world = pbn.loads(
        "name: w\ntitle: w\nvariables:\n  a: {states: [no, yes]}\n  b: {rule: \"a == 'yes'\"}\n"
        "questions: {b: {asks: b, kind: yes/no, text: B?}}\nlevels: {all: {hide: []}}\n"
    )
    found = world.estimate_bayes_error("all", samples=100)
    assert found.value == found.low == 0 < found.high < 0.2


@given(questions())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_going_through_a_product_in_slices_changes_nothing(question):
    network, target, visible = question
    whole = Engine(network).statistic(target, visible).bayes_error()
    block, eliminate.BLOCK = eliminate.BLOCK, 2
    try:
        sliced = Engine(network).statistic(target, visible)
        assert sliced.bayes_error().exact == whole.exact
        assert sliced.bayes_error("float").value == pytest.approx(whole.value, abs=1e-13)
    finally:
        eliminate.BLOCK = block


def test_evidence_too_rare_for_floats_is_answered_exactly():
    rows = "{no: [1/1000000, 999999/1000000], yes: [1/2000000, 1999999/2000000]}"
    lines = [f"  x{k}: {{states: [0, 1], given: y, p: {rows}}}" for k in range(60)]
    world = pbn.loads(
        "\n".join(
            [
                "name: rare",
                "title: Rare",
                "variables:",
                "  y: {states: [no, yes]}",
                *lines,
                "questions: {y: {asks: y, kind: yes/no, text: Y?}}",
                "levels: {all: {hide: []}}",
            ]
        )
    )
    answer = world.posterior({f"x{k}": 0 for k in range(60)}, arithmetic="float")
    assert answer.probs["no"] == pytest.approx(2**60 / (2**60 + 1), abs=1e-15)
    assert np.isclose(sum(answer.probs.values()), 1)
