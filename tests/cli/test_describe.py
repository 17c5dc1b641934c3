from __future__ import annotations

import json
import re
import shlex

import pytest

import pbn
from pbn.network.graph import functions_of


def lines_of(shown):
    """Variable → its marks and the lines that say what it is."""
    part = shown[shown.index("variable ") : shown.index("✓ shown")]
    found, name = {}, ""
    for line in part.splitlines()[2:]:
        first, *rest = re.split(r" {2,}", line.strip()) if line[:1] != " " else ["", line.strip()]
        name = first or name
        found.setdefault(name, []).extend(rest)
    return found


def test_worlds_lists_what_ships(pbn_command):
    result = pbn_command("worlds")
    assert result.exit_code == 0
    listed = result.stdout.splitlines()[2:]
    assert [line.split()[0] for line in listed] == list(pbn.shipped_worlds())
    for line, name in zip(listed, pbn.shipped_worlds(), strict=True):
        world = pbn.load(name)
        assert world.title in line
        assert line.endswith(", ".join(world.levels))
        assert ", ".join(f"{q.name} ({q.kind})" for q in world.questions.values()) in line
    records = json.loads(pbn_command("worlds", "--json").stdout)
    assert [record["name"] for record in records] == list(pbn.shipped_worlds())


def test_a_world_that_does_not_load_leaves_the_others(pbn_command, broken_world, monkeypatch):
    from pathlib import Path

    files = {**pbn.shipped_worlds(), "broken": Path(broken_world)}
    monkeypatch.setattr("pbn.cli.worlds.shipped_worlds", lambda: files)
    result = pbn_command("worlds")
    assert result.exit_code == 2
    assert "credit_risk" in result.stdout
    assert "broken.yaml:" in result.stderr


@pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))
def test_marks_of_every_variable(pbn_command, name):
    world = pbn.load(name)
    listed = lines_of(pbn_command("describe", name).stdout)
    named = list(world.spec.variables)
    expanded = {}
    for row, (*cells, _) in listed.items():
        first, _, last = row.partition(" … ")
        for variable in named[named.index(first) : named.index(last or first) + 1]:
            expanded[variable] = cells
    assert list(expanded) == named
    for variable, cells in expanded.items():
        for mark, level in zip(cells, world.levels.values(), strict=False):
            known = functions_of(world.network, level.visible)
            assert mark == ("✓" if variable in level.visible else "=" if variable in known else "·")


def test_states_and_meaning(pbn_command):
    shown = pbn_command("describe", "credit_risk").stdout
    for said in (
        "0.0 to 100.0 % by 0.1",
        "whole numbers 10 to 5000",
        "random, given cash_generation",
        "rule: net_position + residual < 0",
        "looked up by cycle",
        "residual; random",
        "random within the level of customer_concentration; levels begin at 20, 50",
        "irrelevant; random count, lognormal with median 200",
        "random, all equally likely",
        "Cash that the operating business brings in over the year",
        "no, yes (positive)",
    ):
        assert said in shown
    shown = pbn_command("describe", "support_ticket").stdout
    for said in (
        "merges states of topic",
        "decision list over urgency",
        "hides topic, impact; shows topic_group",
        "choice",
        "score",
    ):
        assert said in shown


@pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))
def test_example_works(pbn_command, name):
    example = shlex.split(pbn_command("describe", name).stdout.splitlines()[-1])
    assert example[:3] == ["pbn", "query", name]
    assert len([word for word in example if "=" in word]) == 3
    result = pbn_command(*example[1:])
    assert result.exit_code == 0, result.stderr
    assert "P(" in result.stdout


def test_names_that_are_hard_to_print(pbn_command, odd_world):
    shown = pbn_command("describe", odd_world).stdout
    assert "A [bold]strange[/bold] wörld" in shown
    assert "[red]red[/red], très bleu, it's green, a=b" in shown
    assert "letter_1 … letter_3" in shown
    example = shlex.split(shown.splitlines()[-1])
    assert example[2] == odd_world
    assert pbn_command(*example[1:]).exit_code == 0


def test_many_levels_become_one_column(pbn_command, tmp_path):
    hidden = [", ".join(f"x_{j}" for j in range(1, k)) for k in range(1, 9)]
    levels = "".join(f"  level_number_{k}: {{hide: [{names}]}}\n" for k, names in enumerate(hidden, 1))
    path = tmp_path / "many.yaml"
    path.write_text(
        "name: many\ntitle: Many\nvariables:\n  x: {states: [a, b], repeat: 9}\n"
        "  y:\n    rule: x[9] == 'a'\n  z: {states: [a, b]}\n"
        "questions:\n  z: {asks: z, kind: choice, text: what}\nlevels:\n" + levels
    )
    shown = pbn_command("describe", str(path)).stdout
    listed = lines_of(shown)
    assert "visible at" in shown
    assert listed["x_1"][0] == "level_number_1"
    assert listed["y"][0] == ", ".join(f"=level_number_{k}" for k in range(1, 9))
    assert listed["z"][0] == "·"


@pytest.mark.parametrize("columns", [70, 80, 140])
def test_any_width(pbn_command, monkeypatch, columns):
    monkeypatch.setattr("pbn.cli.terminal.PIPED_WIDTH", columns)
    *listed, _ = pbn_command("describe", "support_ticket").stdout.splitlines()
    assert max(map(len, listed)) <= columns
    assert all(line == line.rstrip() for line in listed)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_rules_are_short_in_a_pipe_though_lines_are_long(pbn_process, encoding):
    shown = pbn_process("describe", "covert_transfer", env={"PYTHONIOENCODING": encoding}).stdout.splitlines()
    rules = [line for line in shown if line and set(line) <= {"-", "─"}]
    assert len(rules) == 3
    assert max(map(len, rules)) <= 120 < max(map(len, shown))
