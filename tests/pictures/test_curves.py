"""Pictures of sweeps: every level and question is there, told apart without colour, and the bytes are reproducible."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

import pbn
from pbn.pictures.curves import DARK, LIGHT, MARKERS, MOST_PANELS, STYLES, sweep_picture
from pbn.pictures.look import contrast, theme
from pbn.tuning.sweeps import sweep
from tests.docs.pages import ROOT

MANY = "\n".join(f"  q{k}: {{asks: a, kind: choice, text: Which?}}" for k in range(MOST_PANELS + 1))
WORLD = f"""
name: odd
title: "Sums of $5 and $6 & <more>"
parameters: {{share: .2}}
variables:
  a: {{states: [x, y], p: [share, 1 - share]}}
questions:
{MANY}
levels: {{none: {{hide: []}}}}
"""


def texts(picture: bytes) -> list[str]:
    return ["".join(node.itertext()) for node in ET.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]


def test_the_picture_on_the_page_is_what_the_command_draws():
    found = sweep("credit_risk", [f"{k}/20" for k in range(13)])
    drawn = sweep_picture(found, theme(), "svg")
    committed = (ROOT / "docs" / "pictures" / "noise.svg").read_bytes()
    assert texts(drawn) == texts(committed)
    colours = [re.findall(r"(?:fill|stroke): (#\w{6})", picture.decode()) for picture in (drawn, committed)]
    assert colours[0] == colours[1]
    assert sweep_picture(found, theme(), "svg") == drawn


def test_what_it_says():
    found = sweep("support_ticket", [0, 1], variable="clerical_slip")
    told = texts(sweep_picture(found, theme(True), "svg", dark=True))
    for words in (*found.levels, "own value", "nothing shown", "non-zero mass of clerical_slip (probability)"):
        assert words in told
    for question in found.questions:
        assert f"Bayes error ε* of {question} (probability)" in told
    assert told.count("nothing shown") == 1  # for the yes/no question


def test_a_parameter_and_odd_texts():
    world = pbn.loads(WORLD)
    found = sweep(world, ["0.1", "0.9"], parameter="share", question="q0")
    told = texts(sweep_picture(found, theme(), "svg"))
    assert "odd · Sums of $5 and $6 & <more>" in told
    assert "parameter share" in told
    with pytest.raises(pbn.BudgetError, match="picture/too-many"):
        sweep_picture(sweep(world, [0, 1], parameter="share"), theme(), "png")


def test_refused_answers_leave_a_gap():
    found = sweep(pbn.load("credit_risk", budget=1_000_000), [0, "1/2", 1])
    assert "medium" in texts(sweep_picture(found, theme(), "svg"))
    nothing = replace(found, rows=tuple(replace(row, error=None, prior=None) for row in found.rows))
    assert sweep_picture(nothing, theme(), "png").startswith(b"\x89PNG")


def test_lines_are_told_apart_without_colour():
    assert len(set(STYLES)) == len(set(MARKERS)) == len(LIGHT) == len(DARK) == 6
    for dark, colours in ((False, LIGHT), (True, DARK)):
        assert all(contrast(colour, theme(dark).ground) >= 4.5 for colour in colours)
