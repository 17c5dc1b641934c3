"""What each command may load: a query must not wait for libraries that it does not use."""

from __future__ import annotations

import subprocess
import sys

import pytest
from click import Context

from pbn.cli.main import SUMMARIES, commands

HEAVY = {"pgmpy", "pandas", "scipy", "matplotlib", "torch"}
PROBE = "import sys; from pbn.cli.main import main; main({!r}); print(*sorted(sys.modules), file=sys.stderr)"


@pytest.fixture
def loaded(environment):
    """Names of the modules and packages that are loaded once some code was run."""

    def run(code: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
        return {name.partition(".")[0] for name in done.stderr.split()} | set(done.stderr.split())

    return run


def test_package_alone(loaded):
    assert not loaded("import pbn, sys; print(*sys.modules, file=sys.stderr)") & (HEAVY | {"networkx", "numpy"})


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["query", "--help"], ["worlds"], ["schema"]])
def test_light_commands(loaded, arguments):
    assert not loaded(PROBE.format(arguments)) & (HEAVY | {"networkx", "prompt_toolkit"})


def test_help_loads_no_command(loaded):
    modules = loaded(PROBE.format(["--help"]))
    assert not {f"pbn.cli.{name.replace('-', '_')}" for name in SUMMARIES} & modules
    assert not {"rich", "numpy", "pydantic"} & modules


@pytest.mark.parametrize("arguments", [
    ["query", "credit_risk", "sector=technology"],
    ["query", "credit_risk", "--level", "high", "--float"],
    ["bayes-error", "credit_risk"],
    ["describe", "credit_risk"],
    ["plan", "credit_risk"],
])  # fmt: skip
def test_answers_need_no_pgmpy(loaded, arguments):
    assert not loaded(PROBE.format(arguments)) & (HEAVY | {"prompt_toolkit"})


def test_summaries_are_the_commands_own():
    context = Context(commands)
    for name in commands.list_commands(context):
        command = commands.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.short_help == SUMMARIES[name]
    assert commands.get_command(context, "main") is None
