"""The parts of a data card that say how to use it: loading, not training on it, where it comes from, verifying."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import pbn
from pbn.cases.layout import Piece, configs
from pbn.cases.plan import PART_ROWS
from pbn.cases.protocol import DEMONSTRATIONS
from pbn.cases.sources import Source
from pbn.cases.terms import Terms
from pbn.cases.wording import code, table, worlds_of

MOST = max(DEMONSTRATIONS)
"""The largest number of demonstrations: a draw that holds these rows holds all smaller sets."""


def use_part(sources: Sequence[Source], pieces: Sequence[Piece]) -> str:
    """Loading a configuration, joining it with its truth, taking demonstrations."""
    first = pieces[0]
    splits = configs(pieces)[first.config]
    split = "test" if "test" in splits else next(iter(splits))
    form = sources[0].plan.form
    files = {piece.kind: piece.path for piece in reversed(pieces) if piece.split == split and piece.world == first.world
             and piece.level in (first.level, None)}  # fmt: skip
    read = "pd.read_parquet({})" if form == "parquet" else "pd.read_json({}, lines=True)"
    cases, labels, truth = (read.format(f'"{files[kind]}"') for kind in ("cases", "labels", "truth"))
    parts = [
        "## How to use it",
        "With `datasets`, where `path` is this folder or the name of its repository on the hub:",
        "```python\nfrom datasets import load_dataset\n\n"
        f'cases = load_dataset(path, "{first.config}")  # what a model may see: {", ".join(splits)}\n'
        f'labels = load_dataset(path, "{first.world}-labels")  # sampled outcomes, by id\n'
        f'truth = load_dataset(path, "{first.world}-truth")  # true probabilities, by id\n```',
        "With pandas, in this folder:",
        f"```python\nimport pandas as pd\n\ncases = {cases}\nlabels = {labels}\ntruth = {truth}\n"
        'joined = cases[["id"]].merge(labels, on="id").merge(truth, on=["id", "level", "seed", "row"])\n```',
    ]
    whole = [one.seed for one in sources if one.name == first.world and not one.plan.start and one.plan.stop >= MOST]
    if whole:
        parts.append(_demonstrations(first, form, whole[0]))
    return "\n\n".join(parts)


def _demonstrations(first: Piece, form: str, seed: int) -> str:
    numbers = ", ".join(str(count) for count in DEMONSTRATIONS[:-1]) + f" or {DEMONSTRATIONS[-1]}"
    kind = "parquet" if form == "parquet" else "json"
    return (
        f"Demonstrations before a question are the first {numbers} rows of the training pool of one seed, so that "
        "each set holds the smaller ones; join their labels by `id`:\n\n"
        "```python\n"
        f'files = f"{{path}}/data/{first.config}/train-seed-{seed}-*"\n'
        f'pool = load_dataset("{kind}", data_files=files, split="train")\n'
        f"demonstrations = pool.select(range({DEMONSTRATIONS[-2]}))\n```"
    )


def warning_part(sources: Sequence[Source]) -> str:
    """Not to train on it, and the strings that tell whether somebody did."""
    rows = [[code(source.name), str(source.seed), code(source.canary)] for source in _draws(sources)]
    return (
        "## Do not train on the test rows\n\n"
        "A model that has read the labels of `test`, or the truth, cannot be measured with them any more. Keep the "
        "`-labels` and `-truth` configurations out of training corpora. Each draw has a canary, a name that stands "
        "nowhere else, a UUID made of the law's digest and the seed: a corpus or a model that contains it has seen "
        "this publication. The canaries stand in this "
        "card, in `manifest.json` and in the metadata of Parquet files, but not in the memos, which tell what their "
        "level shows and nothing else.\n\n"
        + table(["world", "seed:", "canary GUID"], rows)
        + "\n\nFresh rows that nobody has seen can be drawn at any time: take another seed."
    )


def _draws(sources: Sequence[Source]) -> list[Source]:
    """One data set for each law and seed."""
    return list({source.canary: source for source in reversed(sources)}.values())[::-1]


def provenance_part(sources: Sequence[Source], terms: Terms) -> str:
    """Digests, versions, and the commands that check and make the whole again."""
    rows = [
        [code(source.name), str(source.seed), f"{source.plan.start:,} – {source.plan.stop - 1:,}"] for source in sources
    ]
    digests = [
        f"- {code(source.name)}: law {code(source.manifest['law_digest'])}, "
        f"world file {code(source.manifest['world_digest'])}"
        for source in worlds_of(sources)
    ]
    made = dict.fromkeys(
        " and ".join(f"{name} {version}" for name, version in source.manifest["made_with"].items())
        for source in sources
    )
    return (
        "## Provenance\n\n"
        + table(["world", "seed:", "rows:"], rows)
        + "\n\nThe digests, SHA-256:\n\n"
        + "\n".join(digests)
        + f"\n\nThe rows were drawn with {', with '.join(made)}, and published with pbn {pbn.__version__}. A row "
        "depends on the law's digest, the seed and its number alone. The world files, in `worlds/`, say in their "
        "notes what is published elsewhere and what is reconstructed or our own; the notes are repeated above.\n\n"
        "`manifest.json` lists every file with its SHA-256. With `pbn` installed, the first line below computes every "
        "row of this folder again and says what differs. The others draw the same rows anew and publish them again; "
        "with the same versions the bytes are the same:\n\n"
        f"```console\n{_commands(sources, terms)}\n```"
    )


def _commands(sources: Sequence[Source], terms: Terms) -> str:
    lines, roots = ["$ pbn verify ."], []
    for source in sources:
        plan, contents = source.plan, source.plan.contents
        root = f"../drawn/{source.name}-{source.seed}" + (f"-from-{plan.start}" if plan.start else "")
        roots.append(root)
        words = ["pbn", "sample", f"worlds/{source.name}.yaml", "--level", ",".join(contents.levels)]
        words += ["-n", str(plan.stop - plan.start), "--seed", str(plan.seed)]
        words += ["--start", str(plan.start)] if plan.start else []
        words += ["--question", contents.question] if contents.question is not None else []
        words += ["--no-memo"] if not contents.memo else []
        words += ["--format", plan.form] if plan.form != "parquet" else []
        words += ["--part-rows", str(plan.part_rows)] if plan.part_rows != PART_ROWS else []
        lines.append(f"$ {shlex.join([*words, '-o', root])}")
    options = [word for name, value in terms.options.items() for word in (f"--{name}", value)]
    return "\n".join([*lines, f"$ {shlex.join(['pbn', 'publish', *roots, *options, '-o', '../again'])}"])
