from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import pytest

from pbn.cli.numerals import decimal


def rows(shown):
    """State → (probability, exact) of a printed posterior."""
    found = re.findall(r"^(\S.*?) {2,}(\d\S*(?: - \S+)?)(?: {2,}(\d+(?:/\d+)?))?$", shown, flags=re.MULTILINE)
    return {state: (number, exact and Fraction(exact)) for state, number, exact in found}


HIGH = {"sector": "technology", "cycle": "contraction", "cash_generation": "weak"}


def words(evidence):
    return [f"{name}={state}" for name, state in evidence.items()]


def test_partial_evidence_at_a_level(pbn_command, credit):
    result = pbn_command("query", "credit_risk", "--level", "high", *words(HIGH))
    answer = credit.posterior(HIGH, "high")
    assert result.exit_code == 0
    assert rows(result.stdout) == {s: (decimal(p), p) for s, p in answer.exact.items()}
    probability = answer.evidence_probability
    assert f"probability {decimal(probability)} = {probability}" in result.stdout
    assert f"by {answer.route}, exact" in result.stdout
    assert "given " + ", ".join(words(HIGH)) in result.stdout


def test_any_node_given_any(pbn_command, review):
    result = pbn_command("query", "peer_review", "--ask", "validity", "evidence=weak", "robustness=fragile")
    answer = review.posterior({"evidence": "weak", "robustness": "fragile"}, query="validity")
    assert {state: exact for state, (_, exact) in rows(result.stdout).items()} == answer.exact
    assert "P(validity | given)" in result.stdout


def test_json_is_the_answer(pbn_command, credit):
    record = json.loads(pbn_command("query", "credit_risk", "--level", "high", *words(HIGH), "--json").stdout)
    answer = credit.posterior(HIGH, "high")
    assert {s: Fraction(cell["exact"]) for s, cell in record["posterior"].items()} == answer.exact
    assert {s: cell["value"] for s, cell in record["posterior"].items()} == dict(answer.probs)
    assert Fraction(record["evidence_probability"]["exact"]) == answer.evidence_probability
    assert record["evidence"] == HIGH
    assert (record["level"], record["query"], record["decision"]) == ("high", "default", answer.decision)
    assert (record["tie"], record["route"]) == (answer.tie, answer.route)


def test_complete_case_is_a_lookup(pbn_command, credit):
    visible = credit.visible("high")
    case = {name: credit.network.variables[name].states[0] for name in visible}
    record = json.loads(pbn_command("query", "credit_risk", "--level", "high", *words(case), "--json").stdout)
    assert record["route"] == credit.posterior(case, "high").route
    assert "look-up" in record["route"]


def test_no_evidence_and_no_terminal_is_the_prior(pbn_command, pbn_process, credit):
    assert rows(pbn_command("query", "credit_risk").stdout)["yes"][1] == credit.posterior().exact["yes"]
    done = pbn_process("query", "credit_risk")
    assert rows(done.stdout)["yes"][1] == credit.posterior().exact["yes"]
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_questions(pbn_command, ticket):
    assert "query/which-question" in pbn_command("query", "support_ticket", "topic=outage").stderr
    shown = pbn_command("query", "support_ticket", "topic=outage", "--question", "queue").stdout
    assert {state: exact for state, (_, exact) in rows(shown).items()} == ticket.posterior(
        {"topic": "outage"}, question="queue"
    ).exact
    twice = pbn_command("query", "support_ticket", "--question", "queue", "--ask", "wait")
    assert twice.exit_code == 2
    assert "cli/ask-twice" in twice.stderr


def test_float_says_so(pbn_command, credit):
    shown = pbn_command("query", "credit_risk", "--float", *words(HIGH)).stdout
    assert "in float64" in shown
    assert "/" not in shown
    record = json.loads(pbn_command("query", "credit_risk", "--float", "--json", *words(HIGH)).stdout)
    assert record["posterior"]["yes"]["exact"] is None
    assert math.isclose(record["posterior"]["yes"]["value"], credit.posterior(HIGH).probs["yes"], rel_tol=1e-12)


def test_pgmpy_says_the_same(pbn_process, review):
    done = pbn_process("query", "peer_review", "--ask", "validity", "evidence=weak", "--engine", "pgmpy", "--json")
    record = json.loads(done.stdout)
    for state, exact in review.posterior({"evidence": "weak"}, query="validity").exact.items():
        assert math.isclose(record["posterior"][state]["value"], exact, rel_tol=1e-9)
    assert "pgmpy" in record["route"]
    assert done.stderr == ""


def test_states_with_signs_and_repeated_variables(pbn_command, odd_world):
    record = json.loads(pbn_command("query", odd_world, "colour=a=b", "letter=abca", "--json").stdout)
    assert record["evidence"] == {"colour": "a=b", "letter": "abca"}
    assert record["posterior"]["yes"]["exact"] == "1"
    listed = json.loads(pbn_command("query", odd_world, "letter=a, b,c,a", "--json").stdout)
    assert listed["posterior"] == record["posterior"]
    shown = pbn_command("query", odd_world, "--ask", "colour").stdout
    assert list(rows(shown)) == ["[red]red[/red]", "très bleu", "it's green", "a=b"]


def test_tie_is_told(pbn_command, odd_world):
    shown = pbn_command("query", odd_world, "--ask", "coin").stdout
    assert "tie: heads, tails are equally probable; the Bayes decision is the first, heads" in shown
    assert "tie" not in pbn_command("query", odd_world, "--ask", "colour").stdout


def test_many_states_are_cut_unless_all_are_wanted(pbn_command, credit):
    prior = credit.posterior(query="net_position").exact
    shown = rows(pbn_command("query", "credit_risk", "--ask", "net_position").stdout)
    assert {state: exact for state, (_, exact) in shown.items()}.items() <= prior.items()
    assert min(prior[state] for state in shown) >= max(p for state, p in prior.items() if state not in shown)
    rest = decimal(1 - sum(prior[state] for state in shown))
    text = pbn_command("query", "credit_risk", "--ask", "net_position").stdout
    assert f"and {len(prior) - len(shown)} states no more probable than these, together {rest}" in text
    every = rows(pbn_command("query", "credit_risk", "--ask", "net_position", "--all").stdout)
    assert {state: exact for state, (_, exact) in every.items()} == prior


@pytest.mark.parametrize(("evidence", "code"), [
    (["sector"], "cli/evidence"), (["=technology"], "cli/evidence"), (["sector="], "cli/evidence"),
    (["="], "cli/evidence"), ([""], "cli/evidence"), (["sector=technology", "sector=technology"], "cli/evidence"),
    (["sector=tech"], "query/unknown-state"), (["sectr=technology"], "query/unknown-variable"),
    (["cash_buffer=limited"], "query/hidden-evidence"), (["--ask", "nobody"], "query/unknown-variable"),
    (["debt_repricing_share=12.34"], "query/off-grid"), (["debt_repricing_share=200"], "query/out-of-range"),
    (["cycle=steady", "refinancing_factor=1"], "query/impossible-evidence"),
    (["--question", "nothing"], "query/unknown-question"),
])  # fmt: skip
def test_bad_evidence_is_one_message(pbn_command, evidence, code):
    result = pbn_command("query", "credit_risk", "--level", "high", *evidence)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(f"{code}: ")
    assert len(result.stderr.splitlines()) <= 4


def test_over_budget(pbn_command):
    result = pbn_command("query", "credit_risk", "--budget", "1kB")
    assert result.exit_code == 3
    assert result.stderr.startswith("exact/over-budget: ")
