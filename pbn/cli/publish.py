"""``pbn publish``: data sets as a folder for a data hub."""

from __future__ import annotations

from pathlib import Path

import click
from rich.text import Text

from pbn.cases.publish import plan_publication, publish
from pbn.cases.terms import DEFAULT_LANGUAGE, DEFAULT_LICENCE, DEFAULT_VERSION, LICENCES, Terms
from pbn.cli.arguments import PATH
from pbn.cli.terminal import progress, show

EXAMPLES = """\b
Examples:
  pbn publish data/ -o hub/
  pbn publish seed-2032/ seed-2033/ --license CC0-1.0 --creator "A. Person" -o hub/"""


@click.command("publish", short_help="Make data sets a folder for a data hub.", epilog=EXAMPLES)
@click.argument("roots", nargs=-1, required=True, type=PATH, metavar="DIR...")
@click.option("-o", "--out", type=PATH, required=True, metavar="DIR", help="The new folder.")
@click.option(
    "--license",
    "licence",
    default=DEFAULT_LICENCE,
    show_default=True,
    metavar="SPDX",
    help=f"Licence of the data: {', '.join(LICENCES)}.",
)
@click.option("--title", metavar="TEXT", help="Name for people (default: the world's title).")
@click.option("--creator", metavar="TEXT", help="Who publishes it.")
@click.option("--url", metavar="URL", help="Where it is published.")
@click.option("--date", metavar="DAY", help="When it is published, as 2026-01-31.")
@click.option("--version", default=DEFAULT_VERSION, show_default=True, metavar="X.Y.Z", help="Its version.")
@click.option("--language", default=DEFAULT_LANGUAGE, show_default=True, metavar="CODE", help="Language of the memos.")
def publish_command(
    roots: tuple[Path, ...],
    out: Path,
    licence: str,
    title: str | None,
    creator: str | None,
    url: str | None,
    date: str | None,
    version: str,
    language: str,
) -> None:
    """Publish finished data sets, of one world or several, as a folder that can be put on the Hugging Face hub.

    The folder holds the rows by configuration (world and level, labels, truth) and split, a data card, a Croissant
    description, the world files, and a manifest with the SHA-256 of every file. It appears whole or not at all, and
    the same data sets give the same bytes.
    """
    terms = Terms(licence=licence, title=title, creator=creator, url=url, date=date, version=version, language=language)
    planned = plan_publication(roots, terms)
    total = sum(piece.rows for piece in planned.pieces if piece.kind == "cases")
    with progress() as shown:
        task = shown.add_task(f"{out}", total=total)
        manifest = publish(roots, out, terms, advance=lambda rows: shown.advance(task, rows))
    files = manifest["files"]
    show(
        Text(f"{out}: {total:,} cases in {len(manifest['configs'])} configurations, {len(files)} files"),
        *(Text(f"  {name}: {', '.join(splits)}", style="dim") for name, splits in manifest["configs"].items()),
        Text("  README.md is the card, croissant.json the Croissant description; manifest.json lists all", style="dim"),
    )
