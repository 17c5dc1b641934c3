"""Standard streams that survive characters their encoding lacks."""

from __future__ import annotations

import codecs
import io
import re
import sys
import unicodedata

_PLAIN = str.maketrans({
    "ε": "e", "✓": "+", "✗": "x", "·": ".", "—": "-", "–": "-", "−": "-", "…": "~", "×": "x", "→": ">",
    "≤": "<", "≈": "~", "█": "#", "─": "-", "│": "|", "━": "-",
})  # fmt: skip

UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
"""What a terminal obeys or does not show: controls, marks that turn the direction of text, invisible characters."""


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


def visible(text: str) -> str:
    r"""A text as a terminal may get it: characters that it would obey, or not show, stand as their escapes.

    Examples
    --------
    >>> print(visible("a\x1b]0;b\x07"), visible("two\nlines"))
    a\x1b]0;b\x07 two
    lines
    """
    return UNSEEN.sub(lambda match: ascii(match[0])[1:-1], text)
