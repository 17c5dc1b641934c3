"""The page on memos names the codes and limits there are, and the checks that are made."""

from __future__ import annotations

import re

from pbn.check.text import text_checks
from pbn.cli.files import MOST_BYTES
from pbn.loading import load
from pbn.spec.memo import MAX_PHRASE, MAX_SENTENCE, MAX_SENTENCES, MAX_VARIETY
from pbn.text.clashes import MOST_PHRASES
from pbn.text.round_trips import MOST_SEARCHED
from pbn.text.wording import MOST_PHRASINGS
from tests.docs.pages import ROOT
from tests.docs.test_docs import tables

PAGE = (ROOT / "docs" / "memos.md").read_text(encoding="utf-8")


def test_every_code_is_explained() -> None:
    files = [*(ROOT / "pbn" / "text").glob("*.py"), ROOT / "pbn" / "world.py"]
    source = "".join(path.read_text(encoding="utf-8") for path in files)
    codes = set(re.findall(r'"(text/[a-z-]+)"', source))
    assert codes == set(re.findall(r"^\| `(text/[a-z-]+)`", PAGE, re.MULTILINE))


def test_limits_are_those_of_the_code() -> None:
    numbers = [int(n.replace(",", "")) for row in tables("memos.md", "What") for n in re.findall(r"\d[\d,]*", row[1])]
    assert numbers == [MAX_SENTENCES, MAX_VARIETY, MAX_SENTENCE, MAX_PHRASE, MOST_PHRASINGS, MOST_PHRASES, MOST_BYTES]
    assert f"at most {MOST_SEARCHED} of the memos" in PAGE


def test_every_check_is_told() -> None:
    names = list(dict.fromkeys(check.name for check in text_checks(load("support_ticket"), 1, 0)))
    for page in ("memos.md", "checking.md"):
        told = [row[0].strip("`") for row in tables(page, "Check", "Condition")]
        assert told == names, page
