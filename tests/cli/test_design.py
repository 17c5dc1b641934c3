"""``pbn design``: the two routes, what is pasted, and what is refused."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest

import pbn
from pbn.loading import shipped_worlds


def test_the_routes_side_by_side(pbn_command):
    shown = pbn_command(
        "design", "support_ticket", "--question", "queue", "--level", "medium", "--target", "0.3"
    ).stdout
    assert re.search(r"^noise +0\.185668 +nothing +0\.300000 +0$", shown, re.M)
    assert re.search(r"^noise +57/307 +3/10$", shown, re.M)
    assert shown.count("no other set is nearer") == 2
    assert "parameters:\n  slip: 57/307\n" in shown
    assert "parameters:\n  slip: 0\nlevels:\n  medium: {hide: [" in shown


@pytest.mark.parametrize(("name", "question", "level", "target"), [
    ("support_ticket", "queue", "medium", "0.3"), ("support_ticket", "angry", "low", "0.19"),
])  # fmt: skip
def test_what_is_pasted_has_the_error_that_is_told(pbn_command, name, question, level, target):
    options = ["--question", question, "--level", level, "--target", target, "--json"]
    record = json.loads(pbn_command("design", name, *options).stdout)
    told = [record["noise"]["bayes_error"] for _ in record["noise"]["masses"]]
    for hiding in record["hiding"]:
        near = [hiding[side] for side in ("below", "above") if hiding[side]]
        told.append(min(near, key=lambda entry: abs(Fraction(entry["difference"]["exact"])))["bayes_error"])
    text = shipped_worlds()[name].read_text(encoding="utf-8")
    assert len(record["fragments"]) == len(told)
    for fragment, error in zip(record["fragments"], told, strict=True):
        pasted = text
        for line in fragment["yaml"].splitlines():
            key = line.partition(":")[0]
            pasted = re.sub(rf"^{key}:.*\S.*$", line, pasted, flags=re.MULTILINE) if line.startswith("  ") else pasted
        alone = re.sub(
            rf"^  (?!{level}:)\w+: *\{{hide.*$", "", pasted, flags=re.MULTILINE
        )  # others need not be nested now
        world = pbn.loads(alone)
        assert world.bayes_error(level, question=question).exact == Fraction(error["exact"])


def test_a_target_is_told_apart_from_errors_near_it(pbn_command):
    options = ["design", "credit_risk", "--level", "medium", "--route", "noise", "--target"]
    assert "ε* = 0.1079392; wanted 0.107939\n" in pbn_command(*options, "0.107939").stdout
    refused = pbn_command(*options, "0.0989921").stderr
    assert refused.startswith("design/out-of-reach: no mass of residual gives medium the Bayes error 0.0989921\n")
    assert "allowed: 0.0989925 to 0.129586" in refused


def test_one_route(pbn_command):
    noise = json.loads(pbn_command("design", "credit_risk", "--level", "low", "--target", "1/20", "--route", "noise",
                                   "--json").stdout)  # fmt: skip
    assert noise["hiding"] == []
    assert noise["noise"]["bayes_error"]["exact"] == "1/20"
    options = ["design", "credit_risk", "--level", "high", "--target", "0.17", "--route", "hiding"]
    hiding = pbn_command(*options, "--most", "5").stdout
    assert "noise:" not in hiding
    assert hiding.count("5 of 256 sets computed; others may be nearer") == 2


TOP = """
name: top
title: A residual whose error has a flat top
variables:
  place: {states: [a, b], p: [4/9, 5/9]}
  dice: {role: latent, states: 0..4}
  noise: {role: residual, states: [0, 1]}
  y: {rule: "noise == 1 and (place == 'a' or dice > 0)"}
questions: {q: {asks: y, kind: yes/no, text: Which?}}
levels: {all: {hide: []}}
"""


@pytest.fixture
def top(tmp_path):
    path = tmp_path / "top.yaml"
    path.write_text(TOP, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("target", "masses"), [
    ("4/9", [("1/2", "5/8")]), ("2/9", [("1/4", "1/4"), ("7/8", "7/8")]), ("1/9", [("1/8", "1/8"), ("1", "1")]),
    ("0", [("0", "0")]),
])  # fmt: skip
def test_all_masses_are_shown(pbn_command, top, target, masses):
    options = ["design", top, "--level", "all", "--route", "noise", "--target", target]
    shown = pbn_command(*options).stdout
    told = [first if first == last else f"{first} to {last}" for first, last in masses]
    assert re.findall(r"^noise +(\S+(?: to \S+)?) {2,}\d\S*$", shown, re.M) == told
    assert len(re.findall(r"^noise .* nothing ", shown, re.M)) == len(masses)
    assert (
        "noise: ε* rises from 0.000000 at the mass 0 to 0.444444 at the masses 0.5 to 0.625 and falls to 0.111111 at "
        "the mass 1" in shown
    )
    record = json.loads(pbn_command(*options, "--json").stdout)
    noise = record["noise"]
    assert [(span["first"]["exact"], span["last"]["exact"]) for span in noise["masses"]] == masses
    assert noise["mass"]["exact"] == masses[0][0]
    assert len(record["fragments"]) == len(masses)
    for fragment in record["fragments"]:
        (row,) = re.findall(r"p: (.*)", fragment["yaml"])
        pasted = pbn.loads(TOP.replace("states: [0, 1]}", f"states: [0, 1], p: {row}}}"))
        assert pasted.bayes_error("all").exact == Fraction(target)


@pytest.mark.parametrize(("target", "mass"), [("0.1", "4/5"), ("0.4", "1/5")])
def test_an_error_that_falls_with_the_noise(pbn_command, shared, target, mass):
    path = str(shared / "faults" / "engine" / "design_decreasing.yaml")
    options = ["design", path, "--level", "all", "--route", "noise", "--target", target]
    (reached,) = json.loads(pbn_command(*options, "--json").stdout)["noise"]["masses"]
    assert reached["first"]["exact"] == reached["last"]["exact"] == mass
    assert "noise: ε* falls from 0.500000 at the mass 0 to 0.000000 at the mass 1\n" in pbn_command(*options).stdout


def test_hiding_in_a_world_whose_residual_is_never_neutral(pbn_command, tmp_path):
    path = tmp_path / "pull.yaml"
    path.write_text(TOP.replace("states: [0, 1]}", "states: [2, 1]}"), encoding="utf-8")
    options = ["design", str(path), "--level", "all", "--target", "0.3"]
    assert pbn_command(*options, "--route", "hiding").exit_code == 0
    both = pbn_command(*options).stdout
    assert "noise: noise has no state whose number is 0" in both
    assert "hiding: 2 of 2 sets computed" in both
    alone = pbn_command(*options, "--route", "noise")
    assert alone.exit_code == 2
    assert alone.stderr.startswith("residual/neutral:")


def test_out_of_reach(pbn_command):
    result = pbn_command("design", "credit_risk", "--level", "medium", "--target", "0.15", "--route", "noise")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("design/out-of-reach: no mass of residual gives medium the Bayes error 0.15")
    assert "0.098992 to 0.129586" in result.stderr
    result = pbn_command("design", "credit_risk", "--level", "medium", "--target", "0.9", "--most", "10", "--json")
    record = json.loads(result.stdout)
    assert record["noise"]["mass"] is None
    assert record["hiding"][0]["above"] is None


@pytest.mark.parametrize(("world", "arguments", "status", "words"), [
    ("credit_risk", ["--target", "1.01"], 2, "design/target: '1.01' is not a Bayes error"),
    ("credit_risk", ["--target", "nan"], 2, "design/target"), ("credit_risk", ["--target", "-0.1"], 2, "design/target"),
    ("credit_risk", [], 2, "--target"), ("credit_risk", ["--target", "0.1", "--route", "x"], 2, "--route"),
    ("credit_risk", ["--target", "0.1", "--level", "lo"], 2, "did you mean 'low'?"),
    ("credit_risk", ["--target", "0.1", "--variable", "sector"], 2, "residual/unknown"),
    ("support_ticket", ["--target", "0.1"], 2, "query/which-question"),
    ("covert_transfer", ["--target", "0.1", "--route", "noise"], 2, "residual/none"),
    ("credit_risk", ["--target", "0.1", "--route", "noise", "--budget", "100kB"], 3, "exact/over-budget"),
    ("credit_risk", ["--target", "0.1", "--route", "hiding", "--most", "2", "--budget", "1kB"], 3, "exact/over-budget"),
])  # fmt: skip
def test_what_is_refused(pbn_command, world, arguments, status, words):
    result = pbn_command("design", world, *([] if "--level" in arguments else ["--level", "low"]), *arguments)
    assert result.exit_code == status
    assert words in result.stderr
