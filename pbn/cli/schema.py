"""``pbn schema``: the JSON Schema of world files."""

from __future__ import annotations

import click

from pbn.cli.terminal import show_json


@click.command("schema", short_help="Print the JSON Schema of world files.")
def schema_command() -> None:
    """Print the JSON Schema of world files, for editors and other programs."""
    from pbn.spec.schema import json_schema

    show_json(json_schema())
