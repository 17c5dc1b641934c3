"""Worlds whose tables have more cells than Python writes digits: an answer or a coded refusal from every command."""

from __future__ import annotations

import pytest

from pbn.cli.numerals import count_text, size_text

HEAD = "name: huge\ntitle: Huge\nvariables:\n"
TAIL = "questions: {q: {asks: y, kind: choice, text: Which?}}\nlevels: {full: {hide: []}}\n"
NAIVE = "{repeat: %d, states: [%s], given: y, p: {no: [%s], yes: [%s]}}\n"


def naive(count: int, size: int) -> str:
    """A yes/no variable and many features of it, all of them seen."""
    states = ", ".join(f"s{k}" for k in range(size))
    uniform = ", ".join([f"1/{size}"] * size)
    certain = ", ".join(["1"] + ["0"] * (size - 1))
    return HEAD + "  y: {states: [no, yes]}\n  x: " + NAIVE % (count, states, certain, uniform) + TAIL


WORLDS = {
    "many": naive(600, 3),
    "wide": naive(250, 26),
    "sum": HEAD + "".join(f"  x{k}: {{repeat: 1000, states: 0..99}}\n" for k in range(3))
    + "  s: {rule: sum(x0) + sum(x1) + sum(x2)}\n  y: {states: [no, yes]}\n" + TAIL,
}  # fmt: skip
COMMANDS = [
    ["describe"], ["plan"], ["bayes-error"], ["bayes-error", "--float"], ["query", "--ask", "y"], ["compare-levels"],
    ["sample", "-n", "3", "--no-memo", "-o", "OUT/data"], ["draw", "-o", "OUT/d.dot"], ["memo", "--row", "1"],
    ["sweep", "--residual", "0:0.2:0.1"], ["convert", "OUT/o.json"], ["convert", "OUT/o.bif"],
    ["query", "--ask", "y", "--engine", "pgmpy"],
]  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_every_command(name, tmp_path, pbn_command):
    path = tmp_path / "huge.yaml"
    path.write_text(WORLDS[name])
    for command, *rest in COMMANDS:
        result = pbn_command(command, str(path), *(word.replace("OUT", str(tmp_path)) for word in rest))
        assert result.exit_code in (0, 1, 2, 3), (command, result.output)
        assert max(map(len, result.stderr.split()), default=0) < 200, "no number of hundreds of digits"


@pytest.mark.parametrize("digits", [1, 20, 400, 4299, 4301, 20_000])
def test_sizes_of_any_length(digits):
    for write in (count_text, size_text):
        assert len(write(10 ** (digits - 1) * 9)) < 30
    assert count_text(10**digits) == (f"{10**digits:,}" if digits < 15 else f"1.00e+{digits}")
