"""The entry point: commands that are imported when they are called, and errors that are one message."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import click

import pbn
from pbn.cli.arguments import SIZE
from pbn.cli.streams import prepare_streams, visible
from pbn.errors import BudgetError, Fault, PbnError

NO_OUTPUT, BAD_INPUT, OVER_BUDGET, INTERNAL, INTERRUPTED = 1, 2, 3, 70, 130

SUMMARIES: Mapping[str, str] = {
    "worlds": "List the worlds that ship with pbn.",
    "describe": "Show a world's variables, states, levels and questions.",
    "bayes-error": "Compute exact Bayes errors, beside the published ones.",
    "query": "Ask for the exact posterior of a variable, or open a prompt.",
    "memo": "Write a case as text, as a model would read it.",
    "decode": "Read a memo back: its attributes, and the posterior.",
    "verify-memo": "Test a memo that somebody else wrote.",
    "sample": "Draw a data set that carries its truth.",
    "publish": "Make data sets a folder for a data hub.",
    "verify": "Compute a data set again, and say what differs.",
    "score": "Score predictions against the truth of a data set.",
    "leak": "Test whether predictions have seen the labels.",
    "compare": "Compare two files of predictions on the same cases.",
    "plan": "Show how a Bayes error would be computed, and what it costs.",
    "draw": "Draw who depends on whom, or say why two variables do.",
    "convert": "Write a world or network in another file format.",
    "check": "Test every promise of a world.",
    "compare-levels": "Show what each hiding level leaves uncertain, and what hiding costs.",
    "sweep": "Show how Bayes errors change with one number of a world.",
    "design": "Find what gives a level a wanted Bayes error.",
    "reproduce": "Compute the published tables and figures again.",
    "new": "Write a small world to begin with.",
    "schema": "Print the JSON Schema of world files.",
}
"""Command → its first line of help, so that ``pbn --help`` imports none of them."""


class Refusal(click.ClickException):
    """A `PbnError` on its way out, shown as its own text."""

    exit_code = BAD_INPUT

    def __init__(self, error: PbnError) -> None:
        super().__init__(str(error))
        self.error = error

    def show(self, file: Any = None) -> None:
        """Print the error to stderr, in red on a terminal."""
        from pbn.cli.terminal import show_error

        show_error(self.error)


class OverBudget(Refusal):
    """An answer that would cost too much."""

    exit_code = OVER_BUDGET


class LazyGroup(click.Group):
    """A group whose commands live in modules of `pbn.cli` that are imported when a command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the help page."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command by its name."""
        if cmd_name not in SUMMARIES:
            return None
        stem = cmd_name.replace("-", "_")
        command = getattr(importlib.import_module(f"pbn.cli.{stem}"), f"{stem}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what pbn raises on purpose becomes a message and an exit code."""
        try:
            return super().invoke(ctx)
        except PbnError as error:
            raise (OverBudget if isinstance(error, BudgetError) else Refusal)(error) from error


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(pbn.__version__, prog_name="pbn", message="%(prog)s %(version)s")
@click.option("--budget", type=SIZE, metavar="SIZE", help="Memory that one answer may take, such as 4GB (default 2GB).")
def commands(budget: int | None) -> None:
    """Worlds with known probabilities: exact posteriors and Bayes errors from one readable file.

    A WORLD is the name of one that ships with pbn, or the path of a world file or a network file.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no error leaves it as a traceback.

    Set the environment variable ``PBN_TRACEBACK`` to see where an internal error comes from.
    """
    prepare_streams()
    try:
        result = commands.main(arguments, prog_name="pbn", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.ClickException as error:
        return _told(error)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing is left to flush when Python exits
        return NO_OUTPUT
    except OSError as error:
        return _told(Refusal(PbnError(Fault(code="cli/system", message=str(error)))), NO_OUTPUT)
    except Exception as error:
        if os.environ.get("PBN_TRACEBACK"):
            raise
        return _told(Refusal(_unforeseen(error)), INTERNAL)


def _told(error: click.ClickException, code: int | None = None) -> int:
    try:
        sys.stdout.flush()
        error.message = visible(error.message)  # type: ignore[misc]
        error.show()
    except OSError:  # nobody reads stderr either
        pass
    return error.exit_code if code is None else code


def _unforeseen(error: Exception) -> PbnError:
    if isinstance(error, MemoryError):
        return PbnError(
            Fault(code="cli/memory", message="the machine has no memory left", hint="give a --budget below what it has")
        )
    return PbnError(
        Fault(
            code="cli/internal",
            message=f"{type(error).__name__}: {error}",
            hint="this is a fault of pbn; PBN_TRACEBACK=1 shows where",
        )
    )
