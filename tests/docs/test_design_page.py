"""The page on sweeps and designs lists the codes there are, and its limits are those of the code."""

from __future__ import annotations

import re

from pbn.tuning.crew import MOST_WORKERS
from pbn.tuning.values import MOST_VALUES
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")


def test_codes_and_limits() -> None:
    files = [
        *(ROOT / "pbn" / "tuning").glob("*.py"),
        ROOT / "pbn" / "cli" / "sweep.py",
        ROOT / "pbn" / "cli" / "design.py",
    ]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    codes = set(re.findall(r'code="((?:sweep|design|crew|residual)/[a-z-]+)"', source))
    for path, family in (("tuning/values.py", "sweep"), ("network/residual.py", "residual")):
        text = (ROOT / "pbn" / path).read_text(encoding="utf-8")
        codes |= {f"{family}/{code}" for code in re.findall(r'_fault\(\s*"([a-z-]+)"', text)}
    assert codes == set(re.findall(r"^\| `((?:sweep|design|crew|residual)/[a-z-]+)`", PAGE, re.MULTILINE))
    assert len(codes) > 18
    assert f"at most {MOST_VALUES:,} values" in PAGE
    assert f"more than {MOST_WORKERS}" in PAGE
