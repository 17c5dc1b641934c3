"""``pbn verify``: a data set computed again, and what differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import RenderableType
from rich.text import Text

from pbn.cases.manifest import plan_of, read_manifest
from pbn.cases.published import read_publication, verify_publication
from pbn.cases.verify import MOST_DIFFERENCES, Verified, verify_dataset
from pbn.cli.arguments import PATH, budget_option, json_option
from pbn.cli.sample import local_scheduler, workers_option
from pbn.cli.terminal import progress, show, show_json, waiting
from pbn.exact.plan import DEFAULT_BUDGET

FAILED = 1


@click.command("verify", short_help="Compute a data set again, and say what differs.")
@click.argument("root", type=PATH, metavar="DIR")
@workers_option
@budget_option
@json_option
@click.pass_context
def verify_command(context: click.Context, root: Path, workers: int | None, budget: int | None, as_json: bool) -> None:
    """Compute everything in a data set, or in a published folder, again from its world file and seed.

    Each file is compared with the manifest's SHA-256 and, value by value, with what the world gives. The exit code
    is 1 where anything differs; the first 50 differences are told.
    """
    publication = read_publication(root)
    if publication is not None:
        with waiting(f"{root}"):
            published = verify_publication(root, publication, budget=DEFAULT_BUDGET if budget is None else budget)
        _tell(context, root, published, as_json)
        return
    plan = plan_of(read_manifest(root), "", budget=DEFAULT_BUDGET if budget is None else budget)
    with progress() as shown:
        total = plan.stop - plan.start
        task = shown.add_task(f"{root}", total=total)
        found = verify_dataset(
            root,
            scheduler=local_scheduler(workers, plan.part_count),
            budget=plan.budget,
            advance=lambda done: shown.advance(task, done),
        )
    _tell(context, root, found, as_json)


def _tell(context: click.Context, root: Path, found: Verified, as_json: bool) -> None:
    if as_json:
        show_json(_record(found))
    else:
        show(*_display(root, found))
    if not found.passed:
        context.exit(FAILED)


def _display(root: Path, found: Verified) -> Iterator[RenderableType]:
    for difference in found.differences:
        yield Text(f"✗ {difference}", style="bold red")
    if found.other_bytes:
        files = len(found.other_bytes)
        what = "1 file holds" if files == 1 else f"{files} files hold"
        said = f"{what} the same values in other bytes, as another version of pyarrow writes them"
        yield Text(f"– {said}", style="yellow")
    if found.passed:
        yield Text(f"{root}: all {found.files} files are as {found.world} and the seed say", style="green")
    else:
        count = len(found.differences)
        many = f"{count} differences or more" if count >= MOST_DIFFERENCES else f"{count} differences"
        yield Text(f"{root}: {'1 difference' if count == 1 else many}", style="bold red")


def _record(found: Verified) -> dict[str, object]:
    return {
        "world": found.world, "passed": found.passed, "files": found.files, "rows": found.rows,
        "differences": [
            {"path": one.path, "what": one.what, "row": one.row, "column": one.column, "found": one.found,
             "expected": one.expected}
            for one in found.differences],
        "other_bytes": list(found.other_bytes),
    }  # fmt: skip
