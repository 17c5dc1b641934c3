"""``pbn worlds``: the worlds that ship."""

from __future__ import annotations

from pathlib import Path

import click

from pbn.cli.arguments import json_option
from pbn.cli.terminal import show, show_json, table
from pbn.errors import Fault, PbnError
from pbn.loading import shipped_worlds
from pbn.spec.load import load_spec
from pbn.spec.model import WorldSpec


@click.command("worlds", short_help="List the worlds that ship with pbn.")
@json_option
def worlds_command(as_json: bool) -> None:
    """List the worlds that ship with pbn: what each asks, and its hiding levels from fine to coarse."""
    specs, faults = _read(shipped_worlds())
    if as_json:
        show_json([_record(spec) for spec in specs])
    else:
        listed = table("world", "title", "questions", "levels", narrow=["world"])
        for spec in specs:
            questions = ", ".join(f"{question.name} ({question.kind})" for question in spec.questions.values())
            listed.add_row(spec.name, spec.title, questions, ", ".join(spec.levels))
        show(listed)
    if faults:
        raise PbnError(*faults)


def _read(files: dict[str, Path]) -> tuple[list[WorldSpec], list[Fault]]:
    """The files that say a world, and the faults of the others."""
    specs: list[WorldSpec] = []
    faults: list[Fault] = []
    for path in files.values():
        try:
            specs.append(load_spec(path))
        except PbnError as error:
            faults += error.faults
    return specs, faults


def _record(spec: WorldSpec) -> dict[str, object]:
    return {
        "name": spec.name,
        "title": spec.title,
        "questions": {
            question.name: {"asks": question.asks, "kind": question.kind, "text": question.text}
            for question in spec.questions.values()
        },
        "levels": list(spec.levels),
        "attributes": list(spec.attributes),
    }
