"""Standard streams that survive characters their encoding lacks."""

from __future__ import annotations

import codecs
import io
import sys
import unicodedata

_PLAIN = str.maketrans({
    "ε": "e", "✓": "+", "✗": "x", "·": ".", "—": "-", "–": "-", "−": "-", "…": "~", "×": "x", "→": ">",
    "≤": "<", "≈": "~", "█": "#", "─": "-", "│": "|", "━": "-",
})  # fmt: skip


def _plainer(error: UnicodeError) -> tuple[str, int]:
    """A stand-in of the same width for each character that an encoding lacks."""
    assert isinstance(error, UnicodeEncodeError)
    plain = []
    for character in error.object[error.start : error.end]:
        near = unicodedata.normalize("NFKD", character.translate(_PLAIN))[0]
        plain.append(near if near.isascii() else "?")
    return "".join(plain), error.end


def prepare_streams() -> None:
    """Let stdout and stderr replace what their encoding cannot say, where they would fail on it."""
    codecs.register_error("pbn-plainer", _plainer)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="pbn-plainer")
