"""The picture on the page is the one that its command draws, and the page names the limits and codes there are.

After a change of the world or of the drawings:

    pbn draw credit_risk --level medium --force -o docs/pictures/credit_risk.svg
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pbn
from pbn.cli.draw import draw_command
from pbn.network.trails import MOST_TRAILS
from pbn.pictures.diagram import world_diagram
from pbn.pictures.draw import MOST_EDGES, MOST_LISTED, MOST_NODES, drawing
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "drawings.md").read_text(encoding="utf-8")


def content(picture: bytes) -> tuple[list[str], list[str]]:
    """The texts of an SVG and the colours of its shapes, in order: the same with every version of matplotlib."""
    root = ET.fromstring(picture)
    texts = ["".join(node.itertext()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    return texts, re.findall(r"(?:fill|stroke): (#\w{6})", picture.decode())


def test_the_picture_is_what_the_command_draws() -> None:
    committed = (ROOT / "docs" / "pictures" / "credit_risk.svg").read_bytes()
    assert content(committed) == content(drawing(world_diagram(pbn.load("credit_risk"), "medium"), "svg"))


def test_numbers_and_codes() -> None:
    assert f"at most {MOST_NODES} nodes and {MOST_EDGES} edges" in PAGE
    assert f"more than {MOST_NODES} nodes or {MOST_EDGES} edges" in PAGE
    assert f"between 1 and {MOST_LISTED}" in PAGE
    assert MOST_TRAILS == 5
    assert draw_command.name == "draw"
    source = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "pbn" / "pictures").glob("*.py")))
    codes = set(re.findall(r'code="(picture/[a-z-]+)"', source))
    assert codes == set(re.findall(r"^\| `(picture/[a-z-]+)`", PAGE, re.MULTILINE))
