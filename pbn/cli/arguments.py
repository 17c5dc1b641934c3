"""What commands take: worlds, levels, evidence, sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from click.shell_completion import CompletionItem

from pbn.errors import Fault, QueryError

if TYPE_CHECKING:
    from pbn.world import World

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(I?)B?", re.IGNORECASE | re.ASCII)
_MOST = 10**18

_RENORMALISE = "pbn.renormalise"

Command = TypeVar("Command", bound=Callable[..., Any])


class Size(click.ParamType):  # type: ignore[type-arg]
    """An amount of memory in bytes: ``4GB``, ``500 MB``, ``1.5GiB``, ``2000000000``."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Bytes that the text stands for."""
        if isinstance(value, int):
            return value
        match = _SIZE.fullmatch(str(value).strip())
        number, unit, binary = match.groups() if match else ("0", "", "")
        if match and not (binary and not unit):
            size = int(float(number) * (_BINARY if binary else _UNITS)[unit.upper()])
            if 1 <= size <= _MOST:
                return size
        self.fail(f"{str(value)[:40]!r} is no amount of memory; write 4GB, 500MB or 1.5GiB", param, ctx)


class WorldName(click.ParamType):  # type: ignore[type-arg]
    """The name of a shipped world or the path of a world file."""

    name = "world"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Shipped worlds, then files."""
        from pbn.loading import shipped_worlds

        names = [CompletionItem(name) for name in shipped_worlds() if name.startswith(incomplete)]
        return names or [CompletionItem(incomplete, type="file")]


class FilePath(click.Path):
    """The path of a file or folder; an empty text is none, though Python takes it for the current folder."""

    def __init__(self, *, folder: bool = False) -> None:
        super().__init__(path_type=Path, file_okay=not folder)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        if value == "":
            self.fail("an empty text names no file or folder; a dot stands for the current folder", param, ctx)
        return super().convert(value, param, ctx)


SIZE = Size()
WORLD = WorldName()
PATH, FOLDER = FilePath(), FilePath(folder=True)


def _budget(ctx: click.Context, param: click.Parameter, value: int | None) -> int | None:
    """A command's own budget, or the one given before the command."""
    found = ctx.find_root().params.get("budget") if value is None else value
    return found if isinstance(found, int) else None


def world_argument(command: Command) -> Command:
    """The argument WORLD."""
    return renormalise_option(click.argument("world_name", type=WORLD, metavar="WORLD")(command))


def renormalise_option(command: Command) -> Command:
    """``--renormalise``, which `load_world` looks up."""

    def keep(ctx: click.Context, param: click.Parameter, value: bool) -> None:
        ctx.meta[_RENORMALISE] = value

    return click.option(
        "--renormalise",
        is_flag=True,
        expose_value=False,
        callback=keep,
        help="Rescale rows of a network file that are off by rounding.",
    )(command)


def names_option(name: str, description: str) -> Callable[[Command], Command]:
    """An option that takes names, separated by commas or given several times."""

    def split(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(part.strip() for names in value for part in names.split(",") if part.strip())

    return click.option(name, multiple=True, metavar="A,B", callback=split, help=description)


def visible_options(command: Command) -> Command:
    """``--hide A,B`` and ``--show A,B``."""
    show = names_option("--show", "Show these variables, in place of a level's.")
    return names_option("--hide", "Attributes to hide besides.")(show(command))


def check_show_and_level(show: Sequence[str], level: str | None) -> None:
    """Raise `QueryError` where both say what is visible."""
    if show and level:
        message = "--show and --level both say what is visible"
        raise QueryError(Fault(code="cli/show-and-level", message=message, hint="give one of them"))


def visible_text(level: str | None, hide: Sequence[str], show: Sequence[str] | None) -> str:
    """What is visible, in words; nothing where it is all attributes.

    Examples
    --------
    >>> visible_text("low", ["sector"], None), visible_text(None, [], ["sector", "cycle"])
    ('low without sector', 'given sector, cycle')
    """
    shown = f"given {', '.join(show)}" if show else ""
    hidden = f"without {', '.join(hide)}" if hide else ""
    return " ".join(filter(None, (level, shown, hidden)))


def budget_option(command: Command) -> Command:
    """``--budget SIZE``, by default what stood before the command."""
    return click.option(
        "--budget",
        type=SIZE,
        callback=_budget,
        metavar="SIZE",
        help="Memory that one answer may take, such as 4GB (default 2GB).",
    )(command)


def question_option(command: Command) -> Command:
    """``--question NAME``."""
    return click.option("--question", metavar="NAME", help="One of the world's questions.")(command)


def level_option(command: Command) -> Command:
    """``--level NAME``."""
    return click.option("--level", metavar="NAME", help="One of the world's hiding levels.")(command)


def float_option(command: Command) -> Command:
    """``--float``: float64 in place of exact arithmetic."""
    return click.option(
        "--float", "in_float", is_flag=True, help="Compute in float64: faster, about 15 digits, no fractions."
    )(command)


def json_option(command: Command) -> Command:
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON; fractions are strings.")(command)


def load_world(name: str, budget: int | None) -> World:
    """The world of a name or path, under a budget."""
    from pbn.exact.plan import DEFAULT_BUDGET
    from pbn.loading import NETWORK_SUFFIXES, load

    context = click.get_current_context(silent=True)
    renormalise = bool(context and context.meta.get(_RENORMALISE)) and name.lower().endswith(NETWORK_SUFFIXES)
    return load(name, renormalise=renormalise, budget=DEFAULT_BUDGET if budget is None else budget)


def parse_evidence(items: Iterable[str]) -> dict[str, str]:
    """Evidence written as ``variable=state``.

    Raises
    ------
    QueryError
        An item has no ``=``, nothing on one side of it, or a variable that came before.

    Examples
    --------
    >>> parse_evidence(["sector=technology", "rating = 4.5"])
    {'sector': 'technology', 'rating': '4.5'}
    >>> parse_evidence(["sector"])
    Traceback (most recent call last):
    pbn.errors.QueryError: cli/evidence: 'sector' says nothing about a state
      hint: evidence is written variable=state
    """
    found: dict[str, str] = {}
    for item in items:
        name, sign, state = (part.strip() for part in item.partition("="))
        if not sign:
            _refuse(f"{item[:60]!r} says nothing about a state")
        if not name:
            _refuse(f"{item[:60]!r} names no variable")
        if not state:
            _refuse(f"{item[:60]!r} names no state")
        if name in found:
            _refuse(f"{name[:60]} is given twice, as {found[name][:60]!r} and {state[:60]!r}")
        found[name] = state
    return found


def _refuse(message: str) -> NoReturn:
    raise QueryError(Fault(code="cli/evidence", message=message, hint="evidence is written variable=state"))


def family_values(world: World, evidence: dict[str, str]) -> dict[str, object]:
    """Evidence in which a repeated variable may be given as one text or as a list with commas."""
    values: dict[str, object] = {}
    for name, state in evidence.items():
        members = world.families.get(name)
        listed = members is not None and "," in state and len(state) != len(members)
        values[name] = [part.strip() for part in state.split(",")] if listed else state
    return values
