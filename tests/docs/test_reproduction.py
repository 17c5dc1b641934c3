"""The page on published figures lists the studies there are, and the error codes they have."""

from __future__ import annotations

from pbn.studies.catalogue import NAMES
from tests.docs.test_docs import tables


def test_every_study_is_listed() -> None:
    assert [row[0].strip("`") for row in tables("reproduction.md", "Study")] == list(NAMES)
