"""What the tests share: the folder of reference data that may lie beside the checkout."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder ../shared; a test that asks for it is skipped where there is none.

    `.ci/run` fails if such a test was skipped although the folder is there: it knows by the reason.
    """
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not folder.is_dir():
        pytest.skip("needs the reference data in ../shared")
    return folder
