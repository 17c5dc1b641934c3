from __future__ import annotations

import json

import pytest

from tests.text.shipped import LEVELS, WORLDS, memo
from tests.text.test_strict_reader import COVERT, CREDIT

ONE_LEVEL = """
name: single
title: One level
variables:
  v: {states: [a, b]}
  c: {repeat: 2, states: [x, z]}
  asked: {rule: "v == 'a'"}
questions: {q: {asks: asked, kind: yes/no, text: "Is [b]it[/x]?"}}
levels: {only: {show: [v, c]}}
memo:
  paragraphs:
    - sentences: {s: ["It [/x] is {v} in [bold]{c}.", "[red]So {v} in {c}."]}
  phrases: {v: {a: "red [/red]", b: "[/] blue"}, c: "code {}"}
"""


def words(case):
    return [f"{name}={state}" for name, state in case.items()]


@pytest.fixture
def single(tmp_path):
    path = tmp_path / "single.yaml"
    path.write_text(ONE_LEVEL, encoding="utf-8")
    return str(path)


def test_a_drawn_row(pbn_command):
    result = pbn_command("memo", "credit_risk", "--level", "medium", "--seed", "2032", "--row", "7")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith("?\n")
    assert memo("credit_risk", "medium").decode(result.stdout[:-1])
    assert pbn_command("memo", "credit_risk", "--level", "medium", "--row", "7").stdout == result.stdout
    assert pbn_command("memo", "credit_risk", "--level", "medium", "--row", "8").stdout != result.stdout


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("row", [0, 9])
def test_a_row_is_the_same_at_every_level(pbn_command, name, row):
    told = {}
    for level in LEVELS:
        record = json.loads(pbn_command("memo", name, "--level", level, "--row", str(row), "--json").stdout)
        assert (record["world"], record["level"], record["row"]) == (name, level, row)
        assert memo(name, level).decode(record["memo"]) == record["attributes"]
        told[level] = record["attributes"]
    for finer, coarser in (("low", "medium"), ("medium", "high"), ("low", "high")):
        shared = told[finer].keys() & told[coarser].keys()
        assert len(shared) >= 5
        assert {key: told[finer][key] for key in shared} == {key: told[coarser][key] for key in shared}


def test_given_attributes_and_what_is_left_out(pbn_command):
    result = pbn_command("memo", "credit_risk", "--level", "medium", *words(CREDIT))
    assert result.exit_code == 0
    assert result.stdout == memo("credit_risk", "medium").text(CREDIT) + "\n"
    assert result.stderr == "left out, since level medium does not show it: cash_buffer\n"
    low = pbn_command("memo", "credit_risk", "--level", "low", *words(CREDIT))
    assert (low.exit_code, low.stderr) == (0, "")


def test_a_merged_attribute_follows_from_another(pbn_command):
    case = {name: state for name, state in COVERT.items() if name not in ("tag_range", "tag_block")}
    result = pbn_command("memo", "covert_transfer", "--level", "high", *words(case))
    assert "a letter somewhere from a to h" in result.stdout
    assert result.stderr == "left out, since level high does not show it: tag\n"


def test_the_only_level_needs_no_name(pbn_command, single):
    result = pbn_command("memo", single, "v=a", "c=xz", "asked=yes")
    assert result.stdout == "[red]So red [/red] in code xz.\n\nIs [b]it[/x]?\n"
    assert result.stderr == "left out, since level only does not show it: asked\n"
    members = pbn_command("memo", single, "v=a", "c_1=x", "c_2=z")
    assert (members.stdout, members.stderr) == (result.stdout, "")


def test_position_and_question(pbn_command, single):
    texts = {
        pbn_command("memo", single, "v=a", "c=xz", "--position", str(position)).stdout.split("\n")[0]
        for position in range(12)
    }
    assert texts == {"It [/x] is red [/red] in [bold]code xz.", "[red]So red [/red] in code xz."}
    for question, text in (("queue", "Which team should take this ticket?"), ("angry", "Is the customer angry?")):
        shown = pbn_command("memo", "support_ticket", "--level", "high", "--row", "3", "--question", question).stdout
        assert shown.endswith(f"\n\n{text}\n")


@pytest.mark.parametrize(("arguments", "code"), [
    (["--level", "low"], "cli/which-case"),
    (["--level", "low", "--row", "3", "sector=technology"], "cli/which-case"),
    (["--level", "low", "--seed", "3", "sector=technology"], "cli/which-case"),
    (["--level", "low", "--row", "3", "--position", "4"], "cli/which-case"),
    (["--row", "3"], "cli/which-level"),
    (["--level", "lo", "--row", "3"], "query/unknown-level"),
    (["--level", "low", "--row", "3", "--question", "defalt"], "query/unknown-question"),
    (["--level", "low", "sector=technology"], "text/missing-attribute"),
    (["--level", "low", "sektor=technology"], "query/unknown-variable"),
    (["--level", "low", "sector=tech"], "query/unknown-state"),
    (["--level", "low", *words(CREDIT), "--position", str(2**62)], "text/position"),
    (["--level", "low", "--row", str(2**70)], "cases/row"),
])  # fmt: skip
def test_what_is_no_memo(pbn_command, arguments, code):
    result = pbn_command("memo", "credit_risk", *arguments)
    assert result.exit_code == 2
    assert code in result.stderr
    assert result.stdout == ""


def test_a_world_without_a_memo(pbn_command, odd_world):
    result = pbn_command("memo", odd_world, "--level", "fine", "--row", "1")
    assert result.exit_code == 2
    assert "text/no-memo" in result.stderr


def test_the_proof_is_printed_and_names_every_part(pbn_command, single):
    result = pbn_command("check", single, "--samples", "5", "--proof")
    assert result.exit_code == 0
    assert result.stdout.count("single, level only: P(Y | text) = P(Y | what is visible)") == 1
    for part in ("text_separated", "text_invariant", "text_complete", "phrases_distinct", "text_decodes"):
        assert result.stdout.count(f"{part}: holds") == 1
    assert "P(Y | text)" not in pbn_command("check", single, "--samples", "5").stdout


@pytest.mark.slow
def test_a_proof_names_every_variable_on_lines_of_a_readable_length(pbn_command, credit):
    printed = pbn_command("check", "credit_risk", "--samples", "5", "--proof").stdout.split("P(Y | text)")[1:]
    assert len(printed) == len(LEVELS)
    for level, proof in zip(credit.levels.values(), printed, strict=True):
        assert "…" not in proof
        statement = proof[proof.index("text ⊥ ") : proof.index("position ⊥")]
        assert max(map(len, statement.split("\n"))) <= 104
        told = " ".join(statement.split()).removeprefix("text ⊥ ")
        hidden, given = (part.strip("{}").split(", ") for part in told.split(" | "))
        assert given == list(level.visible)
        assert sorted([*hidden, *given]) == sorted(credit.network.named)


def test_a_proof_that_fails_shows_its_witness(pbn_command, tmp_path):
    path = tmp_path / "clash.yaml"
    path.write_text(ONE_LEVEL.replace('b: "[/] blue"', 'b: "red [/red]"'), encoding="utf-8")
    result = pbn_command("check", str(path), "--samples", "5", "--proof")
    assert result.exit_code == 1
    assert "phrases_distinct: FAILS" in result.stdout
    assert "one text for two cases:" in result.stdout
    assert "| It [/x] is red [/red] in [bold]code xz." in result.stdout
