"""The text of a rule before it is parsed: its limits, and how its problems are told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

MAX_CHARACTERS = 20_000
MAX_DEPTH = 60
MAX_DIGITS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong with an expression; ``offset`` counts characters of its text from 0."""

    code: str
    message: str
    offset: int = 0
    allowed: str | None = None
    hint: str | None = None


class InvalidExpression(Exception):
    """Raised by `parse` and `evaluate_constant`; carries one `Problem`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def fail(code: str, message: str, offset: int, allowed: str | None = None, hint: str | None = None) -> NoReturn:
    """Raise `InvalidExpression` with one problem."""
    raise InvalidExpression(Problem(code=code, message=message, offset=offset, allowed=allowed, hint=hint))


def check_text(text: str) -> None:
    """Refuse, before `ast` sees them, long texts, deep brackets, endless numbers and comments."""
    if len(text) > MAX_CHARACTERS:
        fail("rule/too-large", f"the expression has {len(text):,} characters, {MAX_CHARACTERS:,} are allowed", 0)
    depth, digits = 0, 0
    for offset, character, quoted in characters(text):
        digits = digits + 1 if character.isdigit() and not quoted else 0
        if quoted:
            continue
        if digits > MAX_DIGITS:
            fail(
                "rule/number",
                f"the number {text[offset - MAX_DIGITS :][:20]}… is too large",
                offset - MAX_DIGITS,
                f"decimal numbers of at most {MAX_DIGITS} digits",
            )
        if character == "#":
            fail("rule/syntax", "a comment cannot stand inside an expression", offset)
        if character in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                fail("rule/too-deep", f"brackets are nested more than {MAX_DEPTH} deep", offset)
        elif character in ")]}":
            depth -= 1


def characters(text: str) -> Iterator[tuple[int, str, bool]]:
    """Each character with its offset, and whether it belongs to a quoted state."""
    quote, escaped = "", False
    for offset, character in enumerate(text):
        inside = bool(quote)
        if inside:
            quote = "" if character == quote and not escaped else quote
            escaped = character == "\\" and not escaped
        elif character in "'\"":
            quote, inside = character, True
        yield offset, character, inside
