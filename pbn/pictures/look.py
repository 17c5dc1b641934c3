"""How the roles look: a shape, an outline and colours for each, on light and on dark ground.

The hues are those of Okabe & Ito, Color Universal Design (2008), which colour-blind people tell apart; shape and
outline tell the roles apart without colour.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pbn.pictures.diagram import Mark, Role

Shape = Literal["round", "cut", "pill", "box", "hexagon", "note"]
Outline = Literal["solid", "dashed", "dotted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Shape and outline of a role, and what the legend says of it."""

    shape: Shape
    outline: Outline
    meaning: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """Colours of a role, as ``#rrggbb``."""

    fill: str
    line: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """All colours of a drawing."""

    ground: str
    text: str
    faint: str
    edge: str
    memo_edge: str
    roles: Mapping[Role, Paint]
    marks: Mapping[Mark, str]


FORMS: Mapping[Role, Form] = {
    "visible": Form(shape="round", outline="solid", meaning="shown", weight=1.4),
    "implied": Form(shape="round", outline="dashed", meaning="follows from what is shown", weight=1.2),
    "hidden": Form(shape="cut", outline="dashed", meaning="hidden", weight=1.4),
    "latent": Form(shape="pill", outline="dashed", meaning="latent", weight=1.2),
    "residual": Form(shape="pill", outline="dotted", meaning="residual", weight=1.6),
    "irrelevant": Form(shape="box", outline="solid", meaning="irrelevant", weight=0.8),
    "rule": Form(shape="box", outline="solid", meaning="step of a rule"),
    "outcome": Form(shape="hexagon", outline="solid", meaning="outcome", weight=2.2),
    "memo": Form(shape="note", outline="solid", meaning="text of the case", weight=1.2),
}
"""In the order of the legend; the meaning of ``visible`` depends on the level."""

LIGHT = Theme(
    ground="#ffffff",
    text="#1b1f24",
    faint="#57606a",
    edge="#6b7480",
    memo_edge="#a98a2d",
    roles={
        "visible": Paint(fill="#cfe5f5", line="#0072b2", text="#10222e"),
        "implied": Paint(fill="#f2f8fc", line="#0072b2", text="#10222e"),
        "hidden": Paint(fill="#fbe3c0", line="#a85a00", text="#2e1f08"),
        "latent": Paint(fill="#f3dfea", line="#9b4a7c", text="#2c1523"),
        "residual": Paint(fill="#f3dfea", line="#9b4a7c", text="#2c1523"),
        "irrelevant": Paint(fill="#f4f5f6", line="#9aa3ad", text="#4b535c"),
        "rule": Paint(fill="#d5eee5", line="#00785a", text="#0c261e"),
        "outcome": Paint(fill="#a83f00", line="#5e2300", text="#ffffff"),
        "memo": Paint(fill="#fbf5c4", line="#8a6d00", text="#2b2505"),
    },
    marks={"active": "#b0127b", "blocked": "#6a51a3", "blocks": "#c1121f", "end": "#1b1f24"},
)
DARK = Theme(
    ground="#14171b",
    text="#e8ebee",
    faint="#a3acb6",
    edge="#8d97a3",
    memo_edge="#8f7a35",
    roles={
        "visible": Paint(fill="#0f3d5c", line="#6dbdf0", text="#eef7fd"),
        "implied": Paint(fill="#182732", line="#6dbdf0", text="#e3f0f9"),
        "hidden": Paint(fill="#4f3206", line="#f0a73a", text="#fdf1dc"),
        "latent": Paint(fill="#46243a", line="#dd93bf", text="#fbeaf4"),
        "residual": Paint(fill="#46243a", line="#dd93bf", text="#fbeaf4"),
        "irrelevant": Paint(fill="#1e2329", line="#66707b", text="#b4bcc5"),
        "rule": Paint(fill="#0d3d31", line="#3fc79f", text="#e3f8f1"),
        "outcome": Paint(fill="#f08a4b", line="#ffd0b0", text="#1f0d03"),
        "memo": Paint(fill="#453c0c", line="#e6d04a", text="#fcf8dd"),
    },
    marks={"active": "#ff7ad1", "blocked": "#b7a3f0", "blocks": "#ff6b6b", "end": "#ffffff"},
)

MARK_MEANINGS: Mapping[Mark, str] = {
    "active": "on an active trail", "blocked": "on a blocked trail", "blocks": "blocks a trail", "end": "asked about",
}  # fmt: skip


def theme(dark: bool = False) -> Theme:
    """The colours on dark or on light ground."""
    return DARK if dark else LIGHT


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21, by WCAG 2.2.

    Examples
    --------
    >>> contrast("#000000", "#ffffff")
    21.0
    """
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def _luminance(colour: str) -> float:
    parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
