"""The page on data sets explains every error and states the limits of the code."""

from __future__ import annotations

import re

from pbn.cases.cluster import WORKER_SECONDS
from pbn.cases.plan import MOST_PART_ROWS, MOST_PARTS, PART_ROWS
from pbn.cases.schedulers import MOST_DEATHS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "data-sets.md").read_text(encoding="utf-8")
MODULES = (
    "records",
    "formats",
    "work",
    "plan",
    "manifest",
    "dataset",
    "disk",
    "verify",
    "schedulers",
    "cluster",
    "stream",
)


def test_every_code_is_explained() -> None:
    source = "".join((ROOT / "pbn" / "cases" / f"{name}.py").read_text(encoding="utf-8") for name in MODULES)
    source += (ROOT / "pbn" / "cli" / "sample.py").read_text(encoding="utf-8")
    codes = set(re.findall(r'"(cases/[a-z-]+)"', source)) - {"cases/level"}  # commands always name a level
    assert codes == set(re.findall(r"`(cases/[a-z-]+)`", PAGE))


def test_limits_are_those_of_the_code() -> None:
    assert f"parts of {PART_ROWS:,}" in PAGE
    assert (MOST_PART_ROWS, f"a data set {MOST_PARTS:,} parts" in PAGE) == (1_000_000, True)
    assert (MOST_DEATHS, f"for {WORKER_SECONDS} seconds" in PAGE) == (3, True)
