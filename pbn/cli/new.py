"""``pbn new``: a small commented world to begin with."""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from importlib import resources
from pathlib import Path

import click

from pbn.cli.arguments import PATH
from pbn.cli.terminal import show
from pbn.errors import Fault, QueryError

SUFFIXES = (".yaml", ".yml")
MAX_NAME = 100


@click.command("new", short_help="Write a small world to begin with.")
@click.argument("path", type=PATH, metavar="FILE.yaml")
def new_command(path: Path) -> None:
    """Write a small commented world to FILE.yaml, named after the file; it passes `pbn check` as it is.

    A file that exists is left alone.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise QueryError(
            Fault(
                code="cli/new-file",
                message=f"{path} does not end like a world file",
                allowed=" or ".join(SUFFIXES),
                hint=f"pbn new {shlex.quote(f'{path}.yaml')}",
            )
        )
    name = world_name(path.stem)
    template = resources.files("pbn.cli").joinpath("new_world.yaml").read_text(encoding="utf-8")
    text = template.replace("name: new_world", f"name: {name}", 1).replace(
        "title: New world", f"title: {name.replace('_', ' ').capitalize()}", 1
    )
    write_new(path, text)
    quoted = shlex.quote(str(path))
    show(
        f"wrote {path}, the world {name}\n  pbn check {quoted}        tests what it promises\n"
        f"  pbn bayes-error {quoted}  says how uncertain it is"
    )


def world_name(stem: str) -> str:
    """The name of a world after the name of its file.

    Examples
    --------
    >>> world_name("triage"), world_name("My world-2"), world_name("2024 Übung")
    ('triage', 'my_world_2', 'world_2024_bung')
    """
    plain = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    return (plain if plain[:1].isalpha() else f"world_{plain}".rstrip("_"))[:MAX_NAME].rstrip("_")


def write_new(path: Path, text: str) -> None:
    """Write a file that must not exist yet, whole or not at all.

    Raises
    ------
    QueryError
        There is such a file, or no folder for it.
    """
    if not path.parent.is_dir():
        raise QueryError(Fault(code="cli/no-folder", message=f"there is no folder {path.parent}", hint="make it first"))
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".pbn-new-") as folder:
        draft = Path(folder, "world.yaml")
        draft.write_text(text, encoding="utf-8")
        try:
            os.link(draft, path)  # fails where there is a file, unlike a rename
        except FileExistsError:
            raise QueryError(
                Fault(
                    code="cli/file-exists",
                    message=f"there is a file {path} already",
                    hint="choose another name, or move it away",
                )
            ) from None
