"""``pbn draw``: files by their ending, explanations, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

MANY = """
name: many
title: Many
variables:
{}
  y: {{states: [no, yes]}}
questions: {{y: {{asks: y, kind: yes/no, text: Y?}}}}
levels: {{all: {{hide: []}}}}
"""


@pytest.mark.parametrize(("ending", "start"), [
    (".svg", b"<?xml"), (".png", b"\x89PNG"), (".PDF", b"%PDF"), (".dot", b"digraph"), (".gv", b"digraph"),
    (".mmd", b"---\ntitle"), (".mermaid", b"---\ntitle"),
])  # fmt: skip
def test_the_ending_says_the_format(pbn_command, tmp_path, ending, start):
    target = tmp_path / f"graph{ending}"
    result = pbn_command("draw", "covert_transfer", "--level", "low", "-o", str(target))
    assert result.exit_code == 0
    assert result.stdout == f"wrote {target}\n"
    assert target.read_bytes().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_options_change_the_drawing(pbn_command, tmp_path):
    seen = set()
    for k, options in enumerate([[], ["--rules"], ["--dark"], ["--level", "high"], ["--path", "sector", "default"]]):
        target = tmp_path / f"{k}.dot"
        assert pbn_command("draw", "credit_risk", "-o", str(target), *options).exit_code == 0
        seen.add(target.read_text())
    assert len(seen) == 5
    assert "exposure_cost" not in (tmp_path / "0.dot").read_text()
    assert "exposure_cost" in (tmp_path / "1.dot").read_text()


def test_a_file_that_exists(pbn_command, tmp_path):
    target = tmp_path / "graph.dot"
    target.write_text("mine")
    result = pbn_command("draw", "credit_risk", "-o", str(target))
    assert (result.exit_code, target.read_text()) == (2, "mine")
    assert result.stderr.startswith("cli/file-exists")
    assert pbn_command("draw", "credit_risk", "--force", "-o", str(target)).exit_code == 0
    assert target.read_text().startswith("digraph")


@pytest.mark.parametrize(("arguments", "code", "words"), [
    (["-o", "graph.gif"], "picture/format", ".svg, .png"),
    (["-o", "graph"], "picture/format", "no ending"),
    (["-o", "graph.pngg"], "picture/format", "did you mean 'png'?"),
    (["-o", "graph.svg", "--level", "lo"], "query/unknown-level", "did you mean 'low'?"),
    (["-o", "no/such/folder/graph.dot"], "network/unwritable", "No such file"),
    ([], "cli/draw-nothing", "--path"),
    (["-o", "graph.svg", "--json"], "cli/draw-option", "add --path A B"),
    (["-o", "graph.svg", "--trails", "3"], "cli/draw-option", "--trails does nothing without --path"),
    (["-o", "graph.svg", "--trails", "5"], "cli/draw-option", "--trails"),
    (["--path", "sector", "default", "--dark"], "cli/draw-option", "--dark does nothing without -o"),
    (["--path", "sectr", "default"], "query/unknown-variable", "did you mean 'sector'?"),
    (["--path", "sector", "net_position:1"], "query/unknown-variable", ""),
    (["--path", "sector", "sector"], "picture/same", "two different"),
    (["--path", "sector", "default", "--trails", "0"], "picture/trails", "1 to 100"),
])  # fmt: skip
def test_what_is_refused(pbn_command, tmp_path, monkeypatch, arguments, code, words):
    monkeypatch.chdir(tmp_path)
    result = pbn_command("draw", "credit_risk", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{code}: ")
    assert words in result.stderr
    assert result.stdout == ""
    assert not os.listdir(tmp_path)


def test_a_repeated_variable_is_no_end_of_a_trail(pbn_command):
    result = pbn_command("draw", "covert_transfer", "--path", "identifier", "tag")
    assert result.exit_code == 2
    assert result.stderr.startswith("picture/repeated: identifier stands for 16 variables")


def test_too_many_nodes_for_a_picture(pbn_command, tmp_path):
    path = tmp_path / "many.yaml"
    path.write_text(MANY.format("\n".join(f"  x{k}: {{states: [a, b]}}" for k in range(160))))
    result = pbn_command("draw", str(path), "-o", str(tmp_path / "many.svg"))
    assert result.exit_code == 3
    assert result.stderr.startswith("picture/too-many: a picture of 161 nodes and 0 edges")
    assert not (tmp_path / "many.svg").exists()
    for ending in ("dot", "mmd"):
        assert pbn_command("draw", str(path), "-o", str(tmp_path / f"many.{ending}")).exit_code == 0


def test_large_network_files(pbn_command, tmp_path, shared):
    for name in ("andes.bif", "munin.net"):
        target = tmp_path / f"{name}.dot"
        assert pbn_command("draw", str(shared / "networks" / name), "--renormalise", "-o", str(target)).exit_code == 0
        assert target.stat().st_size > 20_000


def test_active_trails(pbn_command):
    result = pbn_command("draw", "credit_risk", "--level", "medium", "--path", "cash_buffer", "default")
    lines = result.stdout.splitlines()
    assert lines[0].split("  ") == ["credit_risk", "cash_buffer and default, level medium"]
    assert lines[1].startswith("dependent, given 17 variables: sector, cycle, ")
    assert lines[-1].split("   ") == ["cash_buffer → net_position → default", "net_position: chain, not given"]


def test_blocked_trails(pbn_command):
    result = pbn_command("draw", "credit_risk", "--level", "high", "--path", "principal_due", "cash_buffer")
    assert "separated, given 16 variables" in result.stdout
    assert "principal_due → net_position ← cash_buffer " in result.stdout
    assert "net_position: collider, neither it nor a descendant is given" in result.stdout
    assert "cash_generation: fork, given" in result.stdout


def test_ends_that_are_shown_and_trails_that_are_not_there(pbn_command):
    result = pbn_command("draw", "credit_risk", "--path", "sector", "employees")
    assert "sector is shown itself" in result.stdout
    assert "employees is shown itself" in result.stdout
    assert result.stdout.endswith("no trail joins them\n")


def test_more_trails_than_are_listed(pbn_command):
    few = pbn_command("draw", "covert_transfer", "--path", "identifier_5", "identifier_9", "--trails", "1").stdout
    assert "the shortest; there are more" in few
    assert few.count("identifier_5 ←") == 1


def test_long_trails_are_told_in_short(pbn_command, tmp_path):
    steps = "\n".join(
        f"  x{k}: {{states: [a, b], given: x{k - 1}, p: {{a: [.5, .5], b: [.1, .9]}}}}" for k in range(1, 12)
    )
    path = tmp_path / "chain.yaml"
    path.write_text(MANY.format("  x0: {states: [a, b]}\n" + steps))
    result = pbn_command("draw", str(path), "--path", "x0", "x11")
    assert result.stdout.count("chain, given") == 6
    assert result.stdout.endswith("… and 4 more nodes\n")


def test_json(pbn_command, tmp_path):
    target = tmp_path / "graph.dot"
    arguments = ["--level", "medium", "--path", "cash_buffer", "default", "--json", "-o", str(target)]
    record = json.loads(pbn_command("draw", "credit_risk", *arguments).stdout)
    assert (record["one"], record["other"], record["level"]) == ("cash_buffer", "default", "medium")
    assert record["separated"] is record["more"] is False
    assert record["file"] == str(target)
    (trail,) = record["trails"]
    assert trail["text"] == "cash_buffer → net_position → default"
    assert trail["edges"] == [["cash_buffer", "net_position"], ["net_position", "default"]]
    assert trail["active"] is True
    assert trail["junctions"] == [
        {"node": "net_position", "kind": "chain", "open": True, "given": None, "why": "chain, not given"}
    ]
    assert len(record["given"]) == 17
    assert 'color="#b0127b"' in target.read_text()


def test_a_network_file_without_questions(pbn_command, tmp_path, shared):
    asia = str(shared / "networks" / "asia.bif")
    target = tmp_path / "asia.svg"
    assert pbn_command("draw", asia, "-o", str(target)).exit_code == 0
    assert ">smoke<" in target.read_text()
    assert pbn_command("draw", asia, "--level", "full", "-o", str(tmp_path / "full.svg")).exit_code == 0
    result = pbn_command("draw", asia, "--path", "asia", "smoke")
    assert result.exit_code == 0
    assert "asia is shown itself" in result.stdout


def test_odd_worlds(pbn_command, tmp_path, odd_world):
    for ending in ("svg", "dot", "mmd"):
        target = tmp_path / f"odd.{ending}"
        assert pbn_command("draw", odd_world, "--level", "coarse", "-o", str(target)).exit_code == 0
        assert "wörld" in target.read_text(encoding="utf-8")
    assert "[bold]strange[/bold]" in (tmp_path / "odd.svg").read_text(encoding="utf-8")


def test_help_is_light_and_drawings_need_no_pgmpy(pbn_process, tmp_path):
    target = Path(tmp_path, "graph.dot")
    done = pbn_process("draw", "credit_risk", "-o", str(target))
    assert (done.returncode, done.stderr) == (0, "")
