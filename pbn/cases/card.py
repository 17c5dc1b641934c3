"""The data card of a publication: ``README.md`` with the YAML head that the Hugging Face hub reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from pbn.cases.card_use import provenance_part, use_part, warning_part
from pbn.cases.card_world import world_part
from pbn.cases.layout import SPLITS, Piece, configs
from pbn.cases.sources import Source
from pbn.cases.terms import Terms
from pbn.cases.wording import case_count, citation, code, prose, summary, table, title_of, worlds_of
from pbn.loading import shipped_worlds

SIZES = ((10**3, "n<1K"), (10**4, "1K<n<10K"), (10**5, "10K<n<100K"), (10**6, "100K<n<1M"), (10**7, "1M<n<10M"),
         (10**8, "10M<n<100M"), (10**9, "100M<n<1B"))  # fmt: skip
LARGEST = "n>1B"
TAGS = ("calibration", "uncertainty", "probability", "bayes-error", "bayesian-network", "synthetic", "croissant")


def card(sources: Sequence[Source], terms: Terms, pieces: Sequence[Piece]) -> str:
    """The text of the card; the same data sets and terms give the same text."""
    parts = [
        f"---\n{front_matter(sources, terms, pieces)}---",
        f"# {prose(title_of(sources, terms))}",
        summary(sources),
        _contents(sources, pieces),
        use_part(sources, pieces),
        *(part for source in worlds_of(sources) for part in world_part(source)),
        _truth_part(),
        warning_part(sources),
        provenance_part(sources, terms),
        _licence_part(sources, terms),
        "## Citation\n\n" + f"```bibtex\n{citation(sources, terms)}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def front_matter(sources: Sequence[Source], terms: Terms, pieces: Sequence[Piece]) -> str:
    """The YAML head of the card."""
    has_memo = any(source.plan.contents.memo for source in sources)
    head: dict[str, Any] = {
        "pretty_name": title_of(sources, terms),
        "license": terms.data_licence.hub,
        "language": [terms.language],
        "task_categories": [*["text-classification"] * has_memo, "tabular-classification"],
        "size_categories": [size_category(case_count(sources))],
        "tags": [*TAGS, *dict.fromkeys(source.name for source in sources)],
        "configs": [
            {"config_name": name, "data_files": [{"split": split, "path": glob} for split, glob in splits.items()]}
            for name, splits in configs(pieces).items()
        ],
    }
    return str(yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=10_000))


def size_category(count: int) -> str:
    """The hub's word for a number of cases.

    Examples
    --------
    >>> size_category(4500), size_category(10**9)
    ('1K<n<10K', 'n>1B')
    """
    return next((name for size, name in SIZES if count < size), LARGEST)


def _contents(sources: Sequence[Source], pieces: Sequence[Piece]) -> str:
    """What each configuration holds, and how many rows of which split."""
    used = [split for split in SPLITS if any(piece.split == split for piece in pieces)]
    rows = []
    for name, splits in configs(pieces).items():
        here = [piece for piece in pieces if piece.config == name]
        counts = [sum(piece.rows for piece in here if piece.split == split) for split in used]
        rows.append(
            [code(name), _what(here[0]), *(f"{n:,}" if s in splits else "–" for s, n in zip(used, counts, strict=True))]
        )
    listed = table(["configuration", "what a row is", *(f"{split}:" for split in used)], rows)
    return "\n\n".join(["## What is in it", listed, *_split_notes(sources, used)])


def _what(piece: Piece) -> str:
    if piece.kind == "cases":
        return f"a case as level {code(piece.level or '')} shows it; no label"
    return "the outcome of a case" if piece.kind == "labels" else "the true probabilities of a case, and what is hidden"


def _split_notes(sources: Sequence[Source], used: Sequence[str]) -> Iterator[str]:
    said = {"train": "`train` is rows 0–999 of a draw", "test": "`test` is rows 1000–1499",
            "further": "`further` is every row from 1500 on"}  # fmt: skip
    runs = "; ".join(said[split] for split in used)
    yield (
        f"The split goes by the number of the row alone: {runs}. A row is the same draw of the world at every level. "
        "The labels and the truth stand apart, so that no file that a model reads holds an answer; they have a row "
        "for each case and level, and the column `id` joins them."
    )
    whole = {"train": 1000, "test": 500}
    partly = [split for split in used if split in whole and any(_covered(source, split) for source in sources)]
    if partly:
        names = " and ".join(code(split) for split in partly)
        yield f"Not every draw here reaches through all of {names}: the rows of each are under *Provenance*."


def _covered(source: Source, split: str) -> bool:
    """Whether a draw holds some rows of a split but not all."""
    first, after = SPLITS[split]
    assert after is not None
    count = min(source.plan.stop, after) - max(source.plan.start, first)
    return 0 < count < after - first


def _truth_part() -> str:
    return (
        "## How the truth was computed\n\n"
        "A world is a Bayesian network with rules: a file that states every probability and every rule. From it `pbn` "
        "computes P(Y | x_vis), the probability of each answer given exactly the attributes that a level shows, by "
        "variable elimination over whole numbers; nothing is estimated from samples. The truth files hold the float64 "
        "nearest to each exact fraction. The Bayes error ε\\* is the share of cases that even the best predictor gets "
        "wrong, Σ P(x_vis) · (1 − max P(y | x_vis)), and H(Y \\| X_vis) is the entropy that is left, in nats; both are "
        "of the whole world and not of the rows drawn here. Outcomes were drawn with exactly these probabilities, so "
        "an accuracy on a finite split may exceed 1 − ε\\* by chance."
    )


def _licence_part(sources: Sequence[Source], terms: Terms) -> str:
    licence = terms.data_licence
    shipped = [source for source in worlds_of(sources) if _ships(source)]
    own = " and its world files" if len(shipped) < len(worlds_of(sources)) else ""
    which = f", and so {'are' if len(shipped) > 1 else 'is'} {_files(shipped)}, which it ships" if shipped else ""
    return (
        "## License\n\n"
        f"This data set{own} and this card are under [{licence.name}]({licence.url}) (`{licence.spdx}`). "
        f"The software that made them, `pbn`, is under the MIT License{which}."
    )


def _ships(source: Source) -> bool:
    """Whether the world file is one of those that come with pbn, word for word."""
    path = shipped_worlds().get(source.name)
    return path is not None and path.read_text(encoding="utf-8") == source.plan.source


def _files(sources: Sequence[Source]) -> str:
    return ", ".join(code(f"worlds/{source.name}.yaml") for source in sources)
