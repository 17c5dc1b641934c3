"""Sentences about a publication that its card and its Croissant description share, and Markdown that breaks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pbn.cases.sources import Source
from pbn.cases.terms import Terms


def worlds_of(sources: Iterable[Source]) -> list[Source]:
    """The first data set of each world."""
    return list({source.name: source for source in reversed(list(sources))}.values())[::-1]


def title_of(sources: Sequence[Source], terms: Terms) -> str:
    """The title: as the publisher says, or of one world its own, or of several their names."""
    worlds = worlds_of(sources)
    if terms.title:
        return terms.title
    if len(worlds) == 1:
        return worlds[0].world.title
    return "Cases with known probabilities: " + ", ".join(source.name for source in worlds)


def case_count(sources: Iterable[Source]) -> int:
    """How many cases there are: rows times levels."""
    return sum((source.plan.stop - source.plan.start) * len(source.plan.contents.levels) for source in sources)


def summary(sources: Sequence[Source]) -> str:
    """What the publication is, in three sentences.

    The outcome's exact probability is what tells it from other data sets.
    """
    worlds = worlds_of(sources)
    kinds = "one synthetic world" if len(worlds) == 1 else f"{len(worlds)} synthetic worlds"
    return (
        f"{case_count(sources):,} cases of {kinds} ({', '.join(source.name for source in worlds)}), drawn from laws "
        "that are known exactly. Every case comes with its true probability P(Y | x_vis), given what its hiding level "
        "shows, beside the sampled outcome. So a model's probabilities can be scored against the probabilities "
        "themselves, and its accuracy against the exact Bayes error."
    )


def citation(sources: Sequence[Source], terms: Terms) -> str:
    """A BibTeX entry."""
    key = re.sub(r"[^a-z0-9_]", "", "_".join(source.name for source in worlds_of(sources)))[:60]
    fields = {
        "title": title_of(sources, terms),
        "author": terms.creator and f"{{{_tex(terms.creator)}}}",
        "year": terms.date and terms.date[:4],
        "version": terms.version,
        "url": terms.url,
        "note": "Data set with exact probabilities, drawn with pbn",
    }
    lines = [
        f"  {name} = {{{value if name in ('author', 'url') else _tex(value)}}}"
        for name, value in fields.items()
        if value
    ]
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


def _tex(text: str) -> str:
    return re.sub(r"([#$%&_{}])", r"\\\1", text.replace("\\", "")).replace("~", r"\~{}").replace("^", r"\^{}")


# -- Markdown ----------------------------------------------------------------------------------------


def prose(text: str) -> str:
    r"""A text of the world file in Markdown: one line in which nothing is markup.

    Examples
    --------
    >>> prose("a [bold]*claim* of <b>\nx_vis | y")
    'a \\[bold\\]\\*claim\\* of &lt;b&gt; x\\_vis \\| y'
    """
    line = " ".join(text.split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~])", r"\\\1", line)


def code(text: str) -> str:
    r"""A name or state as code, in a table or out of it.

    Examples
    --------
    >>> code("cash_buffer"), code("a|b"), code("it`s")
    ('`cash_buffer`', '`a\\|b`', '``it`s``')
    """
    fence = "``" if "`" in text else "`"
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}".replace("|", "\\|")


def codes(names: Iterable[str], most: int = 12) -> str:
    """Names as code in a row, cut after ``most``.

    Examples
    --------
    >>> codes(["no", "yes"]), codes("abcd", 3)
    ('`no`, `yes`', '`a`, `b`, `c`, … (4 in all)')
    """
    names = list(names)
    shown = ", ".join(code(name) for name in names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a head that ends in ``:`` stands above numbers, which are set to the right."""
    rules = ["--:" if head.endswith(":") else "---" for head in heads]
    lines = [[head.rstrip(":") for head in heads], rules, *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def folded(title: str, body: str) -> str:
    """A part that opens when its title is clicked."""
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"
