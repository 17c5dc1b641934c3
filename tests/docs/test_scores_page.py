"""The page on scores names every score, reason, limit and error code that there is."""

from __future__ import annotations

import re

from pbn.scoring import answers, files, truth
from pbn.scoring.items import MOST_RESAMPLED, RESAMPLES
from pbn.scoring.scores import TITLES
from pbn.scoring.values import REASONS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "scores.md").read_text(encoding="utf-8")
SOURCES = [*sorted((ROOT / "pbn" / "scoring").glob("*.py")), *(ROOT / "pbn" / "cli" / f"{name}.py" for name in (
    "scored", "score", "leak", "compare"))]  # fmt: skip


def first_cells(text: str) -> list[str]:
    return re.findall(r"^\| (`.*?`) \|", text, re.MULTILINE)


def test_scores_and_reasons_are_those_of_the_code():
    cells = [cell.strip("`") for cell in first_cells(PAGE)]
    assert [cell for cell in cells if cell in TITLES] == list(TITLES)
    assert [cell for cell in cells if cell in REASONS] == list(REASONS[1:])


def test_codes_are_those_of_the_code():
    told = set(re.findall(r"`((?:predictions|truth|cli)/[a-z-]+)`", PAGE))
    raised = set()
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        raised |= set(re.findall(r'"((?:predictions|truth|cli)/[a-z-]+)"', text))
        kinds = {name: ["truth"] for name in ("truth", "layout", "labels", "cells")}
        kinds |= {"predictions": ["predictions"], "answers": ["predictions"]}
        for kind in kinds.get(path.stem, ["predictions", "truth"]):
            for code in re.findall(r'refuse\(\s*"([a-z-]+)",', text):
                raised.add(f"{kind}/{code}")
    assert raised <= told, raised - told
    assert told - raised <= {"truth/format", "predictions/no-file", "truth/no-file", "predictions/unreadable"}


def test_limits_are_those_of_the_code():
    for number in (answers.MOST_ROWS, answers.MOST_CELLS, truth.MOST_ROWS, RESAMPLES, MOST_RESAMPLED):
        assert f"{number:,}" in PAGE
    assert files.MOST_BYTES == 10**9
    assert files.MOST_LINE == 10**6
