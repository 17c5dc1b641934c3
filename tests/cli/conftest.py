"""What the tests of the command line share."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import pbn
from pbn.cli.main import commands
from pbn.exact.plan import DEFAULT_BUDGET

ODD_WORLD = """
name: odd
title: "A [bold]strange[/bold] wörld"
variables:
  colour: {states: ["[red]red[/red]", "très bleu", "it's green", "a=b"], p: [.1, .2, .3, .4]}
  letter: {states: [a, b, c], repeat: 4}
  coin: {states: [heads, tails], p: [1/2, 1/2]}
  total: {rule: "(coin == 'heads') + (letter[1] == 'a')"}
  won: {rule: total >= 1}
questions:
  won: {asks: won, kind: yes/no, text: "Is it [b]won[/b]?"}
levels:
  fine: {hide: []}
  coarse: {hide: [colour, letter_4]}
published:
  - {quantity: prior, question: won, state: yes, value: 0.67, source: "a [bold]book[/bold]"}
  - {quantity: prior, question: won, state: no, value: 0.34, source: "a [bold]book[/bold]"}
  - {quantity: bayes_error, question: won, level: fine, value: 0, source: "a [bold]book[/bold]"}
"""

load = pbn.load


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as wide as a pipe's, whatever terminal the tests run in."""
    monkeypatch.delenv("COLUMNS", raising=False)


@functools.cache
def shipped(name: str, budget: int) -> pbn.World:
    """A world that ships, loaded once for all tests."""
    return load(name, budget=budget)


def load_once(name: str, *, budget: int = DEFAULT_BUDGET, **options: Any) -> pbn.World:
    """Load a world, one that ships only once."""
    return shipped(name, budget) if name in pbn.shipped_worlds() else load(name, budget=budget, **options)


@pytest.fixture(scope="session")
def environment() -> dict[str, str]:
    """Environment of a process that runs this package, without settings of whoever runs the tests."""
    odd = ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "PBN_TRACEBACK")
    kept = {name: value for name, value in os.environ.items() if name not in odd}
    return kept | {"PYTHONPATH": str(Path(pbn.__file__).parents[1])}


@pytest.fixture
def pbn_command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command in this process; a failure that is no message is raised here."""
    monkeypatch.setattr("pbn.loading.load", load_once)

    def run(*arguments: str) -> Result:
        result = CliRunner(env={"COLUMNS": None}).invoke(commands, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def pbn_process(environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in a process of its own, stdin closed."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pbn", *arguments],
            stdin=subprocess.DEVNULL,
            text=True,
            capture_output=True,
            timeout=60,
            env=environment | options.pop("env", {}),
            **options,
        )

    return run


@pytest.fixture
def odd_world(tmp_path: Path) -> str:
    """A file whose names, states and texts are hard to print."""
    path = tmp_path / "odd world.yaml"
    path.write_text(ODD_WORLD, encoding="utf-8")
    return str(path)


@pytest.fixture
def broken_world(tmp_path: Path) -> str:
    """A file with two faults."""
    path = tmp_path / "broken.yaml"
    path.write_text(ODD_WORLD.replace(".1, .2", ".1, .3").replace("total >= 1", "totl >= 1"), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="session")
def credit() -> pbn.World:
    return load_once("credit_risk")


@pytest.fixture(scope="session")
def review() -> pbn.World:
    return load_once("peer_review")


@pytest.fixture(scope="session")
def ticket() -> pbn.World:
    return load_once("support_ticket")
