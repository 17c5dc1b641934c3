"""Pictures: what stands in them, and that they can be read."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from itertools import combinations, pairwise
from pathlib import Path

import pytest

import pbn
from pbn.pictures.diagram import Diagram, Edge, Node, world_diagram
from pbn.pictures.draw import drawing
from pbn.pictures.figure import _settings, drawn, picture
from pbn.pictures.legend import legend
from pbn.pictures.look import DARK, FORMS, LIGHT, contrast
from pbn.pictures.outlines import front, label_lines
from tests.pictures.cases import diagram, placed, shipped

SVG = "{http://www.w3.org/2000/svg}"
SAMPLE = [("credit_risk", "medium", True), ("covert_transfer", "high", False), ("support_ticket", "low", False)]


@pytest.mark.parametrize("case", shipped())
def test_the_legend_names_what_occurs_and_nothing_else(case):
    shown = diagram(*case)
    entries = legend(shown)
    assert {entry.role for entry in entries if entry.role} == {node.role for node in shown.nodes}
    marks = {node.mark for node in shown.nodes} | {edge.mark for edge in shown.edges}
    assert {entry.mark for entry in entries if entry.mark} == marks - {None}
    signs = {entry.sign for entry in entries if entry.sign}
    assert ("stack" in signs) is any(node.stacked for node in shown.nodes)
    assert ("computed" in signs) is any(node.deterministic and node.role != "rule" for node in shown.nodes)
    assert ("memo edge" in signs) is any(edge.kind == "memo" for edge in shown.edges)
    assert len({entry.text for entry in entries}) == len(entries)


@pytest.mark.parametrize("arguments", [*SAMPLE, ("credit_risk", "high", False, True)])
def test_texts_fit_and_lie_on_nothing(arguments):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    shown = diagram(*arguments)
    layout = placed(shown)
    with _settings():
        figure = drawn(shown, layout, LIGHT)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        scale = 72 / figure.dpi
        page = figure.bbox
        texts = {}
        for text in figure.axes[0].texts:
            extent = text.get_window_extent()
            assert extent.x0 >= 0
            assert extent.x1 <= page.x1
            assert extent.y0 >= 0
            assert extent.y1 <= page.y1
            texts[text] = extent
        for (one, a), (other, b) in combinations(texts.items(), 2):
            apart = a.x1 <= b.x0 or b.x1 <= a.x0 or a.y1 <= b.y0 + 1 or b.y1 <= a.y0 + 1
            assert apart, (one.get_text(), other.get_text())
        widths = {}
        for text, extent in texts.items():
            widths.setdefault(text.get_text(), []).append(extent.width * scale)
    for node in shown.nodes:
        box = front(node, layout.boxes[node.name])
        lines = label_lines(node)
        assert len(lines) * 11 < box.height
        for line in lines:
            assert min(widths[line]) + 10 < box.width, line


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(theme):
    assert contrast(theme.text, theme.ground) >= 7
    assert contrast(theme.faint, theme.ground) >= 4.5
    for role, paint in theme.roles.items():
        assert contrast(paint.text, paint.fill) >= 4.5, role
        assert contrast(paint.line, theme.ground) >= (2.4 if role == "irrelevant" else 3), role
    assert contrast(theme.edge, theme.ground) >= 4.5
    assert contrast(theme.memo_edge, theme.ground) >= 3
    assert all(contrast(colour, theme.ground) >= 4.5 for colour in theme.marks.values())
    assert set(theme.roles) == set(FORMS)


def test_roles_differ_without_colour():
    looks = {(form.shape, form.outline, role == "rule") for role, form in FORMS.items()}
    assert len(looks) == len(FORMS)


@pytest.mark.parametrize("arguments", SAMPLE)
def test_texts_of_an_svg_stay_texts(arguments):
    shown = diagram(*arguments)
    root = ET.fromstring(picture(shown, LIGHT, "svg"))
    texts = ["".join(node.itertext()) for node in root.iter(f"{SVG}text")]
    assert shown.title in texts
    assert {line for node in shown.nodes for line in label_lines(node)} <= set(texts)
    assert {entry.text for entry in legend(shown)} <= set(texts)
    assert all("sans-serif" in node.get("style") for node in root.iter(f"{SVG}text"))


def test_formats_are_what_they_say_and_always_the_same():
    shown = diagram("covert_transfer", None, False)
    for kind, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
        data = picture(shown, LIGHT, kind)
        assert data.startswith(start)
        assert data == picture(shown, LIGHT, kind)
    assert picture(shown, DARK, "svg") != picture(shown, LIGHT, "svg")


def test_another_process_draws_the_same_bytes():
    code = (
        "import hashlib, pbn; from pbn.pictures.diagram import world_diagram; from pbn.pictures.look import LIGHT;"
        "from pbn.pictures.figure import picture;"
        "print(hashlib.sha256(picture(world_diagram(pbn.load('covert_transfer'), 'low'), LIGHT, 'svg')).hexdigest())"
    )
    root = str(Path(pbn.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": root},
    )
    here = hashlib.sha256(picture(diagram("covert_transfer", "low", False), LIGHT, "svg")).hexdigest()
    assert done.stdout.strip() == here


def test_settings_of_the_user_are_left_alone_and_do_not_matter():
    import matplotlib as mpl

    shown = diagram("covert_transfer", "low", False)
    plain = picture(shown, LIGHT, "svg")
    with mpl.rc_context({"font.size": 30, "svg.fonttype": "path", "lines.linewidth": 9, "text.color": "red"}):
        assert picture(shown, LIGHT, "svg") == plain
        assert mpl.rcParams["font.size"] == 30


@pytest.mark.filterwarnings("error")
def test_strange_titles_and_names():
    text = """
name: strange
title: "漢字 $x^2$ & <b>bold</b> \\\\alpha"
variables:
  a_name_that_goes_on_and_on_and_on_until_it_has_a_hundred_characters_and_then_it_stops_at_last: {states: [a, b]}
  b: {states: ["$", "<"]}
questions: {b: {asks: b, kind: choice, text: B?}}
levels: {all: {hide: []}}
"""
    shown = world_diagram(pbn.loads(text), "all")
    for kind in ("svg", "png", "pdf"):
        assert picture(shown, LIGHT, kind)
    root = ET.fromstring(picture(shown, LIGHT, "svg"))
    assert any("漢字 $x^2$ & <b>bold</b>" in "".join(node.itertext()) for node in root.iter(f"{SVG}text"))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", ["svg", "png", "pdf", "dot", "mermaid"])
def test_names_that_no_picture_can_show(kind):
    names = ("bell\x07", "half \ud83d", "line\nbreak", "nul\x00", "\uffff", " ", "漢" * 60)
    nodes = tuple(Node(name=name, label=name, role="hidden", members=(name,)) for name in names)
    edges = tuple(Edge(parent=a, child=b) for a, b in pairwise(names))
    data = drawing(Diagram(title="t\x07", subtitle="\x1b[31m", nodes=nodes, edges=edges, shown="shown"), kind)
    if kind == "svg":
        ET.fromstring(data)
    assert b"\x07" not in data or kind in ("png", "pdf")
