"""The prompt: reads lines with completion, prints answers, survives every mistake."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from rich.text import Text

from pbn.cli.inquiry import COMMANDS, Inquiry
from pbn.cli.terminal import show, show_error
from pbn.errors import PbnError

MOST_STATES = 200

_OPEN_PAIR = re.compile(r"""(?:^|\s)([^\s=]+)\s*=\s*["']?([^=]*)$""")


def run_prompt(inquiry: Inquiry) -> None:
    """Answer line after line until ``quit`` or Ctrl-D; Ctrl-C drops the line."""
    lines: PromptSession[str] = PromptSession(completer=InquiryCompleter(inquiry), complete_while_typing=True)
    others = len(inquiry.world.questions) > 1
    show(*inquiry.execute("show"))
    show(
        Text(
            "variable=state gives evidence; "
            + ("ask turns to another question; " if others else "")
            + "help lists all commands; Ctrl-D leaves",
            style="dim",
        )
    )
    while not inquiry.is_over:
        try:
            if not _answer_line(inquiry, lines):
                break
        except KeyboardInterrupt:
            show(Text("interrupted; nothing was changed", style="yellow"))


def _answer_line(inquiry: Inquiry, lines: PromptSession[str]) -> bool:
    """Read a line and answer it; False at the end of input."""
    try:
        line = lines.prompt(_message(inquiry))
    except KeyboardInterrupt:
        return True
    except EOFError:
        return False
    try:
        show(*inquiry.execute(line))
    except PbnError as error:
        show_error(error)
    return True


def _message(inquiry: Inquiry) -> str:
    level = f" {inquiry.state.level}" if inquiry.state.level else ""
    return f"{inquiry.world.name}{level}> "


class InquiryCompleter(Completer):
    """Commands, then the names and states that fit where the cursor stands."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """What may stand at the cursor."""
        text = document.text_before_cursor
        words = text.split()
        blank = not text or text[-1].isspace()
        typed = "" if blank else words[-1]
        first = not words or (len(words) == 1 and not blank)
        world, state = self.inquiry.world, self.inquiry.state
        if not first and words[0] in ("ask", "level", "clear"):
            choices: Iterable[str] = {
                "ask": [*world.network.named, *world.questions],
                "level": [*world.levels, "none"],
                "clear": state.evidence,
            }[words[0]]
            yield from _matching(dict.fromkeys(choices), typed)
            return
        pair = _OPEN_PAIR.search(text)
        if pair:
            yield from _matching(self._states(pair[1]), pair[2])
        if first:
            yield from _matching(COMMANDS, typed)
        elif words[0] in COMMANDS and words[0] != "set":
            return
        if "=" not in typed and not (pair and not pair[2]):
            yield from self._names(typed)

    def _states(self, name: str) -> tuple[str, ...]:
        network = self.inquiry.world.network
        if name not in network:
            return ()
        return network.variables[name].states

    def _names(self, typed: str) -> Iterator[Completion]:
        variables = self.inquiry.world.network.variables
        for name in self.inquiry.known_names():
            if name.startswith(typed):
                text = variables[name].text if name in variables else ""
                yield Completion(f"{name}=", -len(typed), display=name, display_meta=text)


def _matching(choices: Iterable[str], typed: str) -> Iterator[Completion]:
    found = [choice for choice in choices if choice.startswith(typed)]
    for choice in found[:MOST_STATES]:
        yield Completion(choice, -len(typed))
