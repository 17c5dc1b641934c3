"""Memos at scale: against one precompiled template applied row by row to the same phrases, and in flat memory."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import pbn
from pbn.cases.sample import RowSampler
from pbn.spec.model import Slot
from tests.benchmarks.test_speed import seconds, show  # noqa: F401

pytestmark = pytest.mark.benchmark
MILLION = 10**6


def template_and_phrases(template):
    """The whole memo as one text with %s for each slot, and the list of phrases of each slot."""
    pieces = []
    for number, paragraph in enumerate(template.paragraphs):
        pieces += ["\n\n"] * bool(number)
        pieces += paragraph.pieces(paragraph.orders[0], [0] * len(paragraph.sentences))
    text = "".join("%s" if isinstance(piece, Slot) else piece.replace("%", "%%") for piece in pieces)
    names = [piece.name for piece in pieces if isinstance(piece, Slot)]
    return f"{text}\n\n{template.ending()}", names, [template.wordings[name].texts[0, :, 0].tolist() for name in names]


def exhaust(texts):
    """The characters of all texts; none of them is kept."""
    return sum(map(len, texts))


def test_a_million_memos_against_one_template(show):  # noqa: F811
    template = pbn.load("credit_risk").memo("low").template
    codes = RowSampler(pbn.load("credit_risk"), 1).codes(0, MILLION, template.parents)
    codes = {name: np.asarray(column) for name, column in codes.items()}
    positions = np.arange(MILLION)
    whole, names, phrases = template_and_phrases(template)
    columns = [codes[name].tolist() for name in names]

    def theirs():
        rows = zip(*columns, strict=True)
        return (whole % tuple([told[code] for told, code in zip(phrases, row, strict=True)]) for row in rows)

    def ours():
        return template.render(codes, positions)

    assert all(one == other for one, other, _ in zip(theirs(), ours(), range(1000), strict=False))
    slow = seconds(lambda: exhaust(theirs()), repeat=2)
    fast = seconds(lambda: exhaust(ours()), repeat=2)
    show(
        f"a million memos of credit risk, low: one %-template row by row {slow:.2f} s, ours {fast:.2f} s "
        f"({slow / fast:.1f} times faster)"
    )
    assert slow / fast >= 2


MEMORY = """
import resource
import sys
import numpy as np
import pbn
template = pbn.load("credit_risk").memo("low").template
variables = template.network.variables
count = int(sys.argv[1])
rng = np.random.default_rng(1)
codes = {name: rng.integers(0, variables[name].size, 10**6).astype(np.int16) for name in template.parents}
positions = np.arange(10**6)
texts = template.render({name: column[:count] for name, column in codes.items()}, positions[:count])
print(sum(map(len, texts)), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory_does_not_grow_with_the_rows(show):  # noqa: F811
    """Both processes hold codes of a million rows; one renders a tenth of them."""

    def run(count):
        shown = subprocess.run([sys.executable, "-c", MEMORY, str(count)], capture_output=True, text=True, check=True)
        return tuple(map(int, shown.stdout.split()))

    (few, small), (many, large) = run(MILLION // 10), run(MILLION)
    show(f"{few / 1e6:,.0f} million characters in {small} MB, {many / 1e6:,.0f} million in {large} MB")
    assert many > 9 * few
    assert large - small < 20


def test_decoding(show):  # noqa: F811
    memo = pbn.load("credit_risk").memo("low")
    codes = RowSampler(pbn.load("credit_risk"), 1).codes(0, 5000, memo.template.parents)
    texts = list(memo.template.render({k: np.asarray(v) for k, v in codes.items()}, np.arange(5000)))
    strict = seconds(lambda: memo.decoder.decode_all(texts), repeat=3) / len(texts)
    alone = seconds(lambda: [memo.decode(text) for text in texts[:500]], repeat=3) / 500
    searched = seconds(lambda: [memo.recover(text) for text in texts[:500]], repeat=3) / 500
    show(
        f"a memo of credit risk decoded in {strict * 1e6:.0f} µs of many, {alone * 1e6:.0f} µs alone, "
        f"searched in {searched * 1e6:.0f} µs"
    )
