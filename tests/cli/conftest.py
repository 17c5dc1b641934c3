"""What the tests of the command line share."""

from __future__ import annotations

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

TYPICAL = os.environ | {"PYTHONPATH": str(Path(pbn.__file__).parents[1])}
for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "PBN_TRACEBACK"):
    TYPICAL.pop(name, None)


@pytest.fixture
def pbn_command() -> Callable[..., Result]:
    """Run a command in this process; a failure that is no message is raised here."""

    def run(*arguments: str) -> Result:
        result = CliRunner(env={"COLUMNS": None}).invoke(commands, arguments)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def pbn_process() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command in a process of its own, stdin closed."""

    def run(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
        environment = TYPICAL | options.pop("env", {})
        return subprocess.run([sys.executable, "-m", "pbn", *arguments], stdin=subprocess.DEVNULL, env=environment,
                              capture_output=True, text=True, timeout=60, **options)

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
    return pbn.load("credit_risk")


@pytest.fixture(scope="session")
def review() -> pbn.World:
    return pbn.load("peer_review")


@pytest.fixture(scope="session")
def ticket() -> pbn.World:
    return pbn.load("support_ticket")
