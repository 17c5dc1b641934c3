"""What the prompt holds and understands: evidence, a level, what is asked, and commands that change them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from rich.console import RenderableType
from rich.text import Text

from pbn.cli.answer import answer_parts
from pbn.cli.arguments import family_values, parse_evidence
from pbn.cli.terminal import table
from pbn.errors import Fault, QueryError, listing, nearest
from pbn.exact.answers import ArithmeticName
from pbn.exact.engine import Posterior
from pbn.network.graph import functions_of
from pbn.world import EngineName, World

COMMANDS: Mapping[str, tuple[str, str]] = {
    "set": ("set a=b [c=d ...]", "give evidence; a=b alone does the same"),
    "clear": ("clear [a ...]", "take evidence back, all of it without a name"),
    "ask": ("ask VARIABLE", "ask for another variable, or for one of the questions"),
    "level": ("level NAME", "accept only what this level shows; level none accepts everything"),
    "undo": ("undo", "go back by one change"),
    "show": ("show [all]", "print the posterior again, all its states"),
    "help": ("help", "print this"),
    "quit": ("quit", "leave; so does Ctrl-D"),
}

_PAIR = re.compile(r"""\s*([^\s=]+)\s*=\s*("[^"]*"|'[^']*'|.*?)\s*(?=$|\s[^\s=]+\s*=)""")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What is asked, given what, at which level."""

    asked: str
    level: str | None
    evidence: Mapping[str, str] = field(default_factory=dict)


class Inquiry:
    """A world under questioning; each command that changes something answers with the new posterior.

    A change that has no answer (an unknown state, hidden or impossible evidence) is not made.
    """

    def __init__(
        self,
        world: World,
        *,
        asked: str,
        level: str | None = None,
        engine: EngineName = "pbn",
        arithmetic: ArithmeticName = "exact",
    ) -> None:
        self.world = world
        self.engine: EngineName = engine
        self.arithmetic: ArithmeticName = arithmetic
        self.state = State(asked=asked, level=level)
        self.is_over = False
        self._answer = self._posterior(self.state)
        self._before: list[tuple[State, Posterior]] = []
        self._names: dict[str | None, list[str]] = {}

    def execute(self, line: str) -> Iterator[RenderableType]:
        """Carry out one line and yield what is to be printed.

        Raises
        ------
        PbnError
            The line says nothing that can be done; everything stays as it was.
        """
        words = line.split(maxsplit=1)
        if not words:
            return
        word, rest = words[0], words[1] if len(words) > 1 else ""
        if word not in COMMANDS and word != "exit":
            if "=" not in line:
                raise QueryError(
                    Fault(
                        code="prompt/unknown-command",
                        message=f"there is no command {word[:60]!r}",
                        allowed=listing(COMMANDS),
                        hint=nearest(word, COMMANDS) or self._meant(word),
                    )
                )
            word, rest = "set", line
        actions: Mapping[str, Callable[[str], Iterator[RenderableType]]] = {
            "set": self._set,
            "clear": self._clear,
            "ask": self._ask,
            "level": self._level,
            "undo": self._undo,
            "show": self._show,
            "help": self._help,
            "quit": self._quit,
            "exit": self._quit,
        }
        yield from actions[word](rest)

    def _meant(self, word: str) -> str | None:
        network = self.world.network
        return f"give it a state: {word}=…" if word in network and word in network.named else None

    # -- commands --------------------------------------------------------------------------------

    def _set(self, rest: str) -> Iterator[RenderableType]:
        if not rest:
            raise QueryError(
                Fault(code="prompt/nothing-to-set", message="set needs evidence", hint="set variable=state")
            )
        return self._change(evidence={**self.state.evidence, **parse_evidence(split_pairs(rest))})

    def _clear(self, rest: str) -> Iterator[RenderableType]:
        names = rest.replace(",", " ").split()
        for name in names:
            if name not in self.state.evidence:
                raise QueryError(
                    Fault(
                        code="prompt/not-given",
                        message=f"{name[:60]!r} is not given",
                        allowed=listing(self.state.evidence) or "nothing is given",
                        hint=nearest(name, self.state.evidence),
                    )
                )
        kept = {name: state for name, state in self.state.evidence.items() if names and name not in names}
        return self._change(evidence=kept)

    def _ask(self, rest: str) -> Iterator[RenderableType]:
        if not rest.strip():
            raise QueryError(Fault(code="prompt/ask-what", message="ask needs a variable", hint="ask VARIABLE"))
        return self._change(asked=rest.strip())

    def _level(self, rest: str) -> Iterator[RenderableType]:
        name = rest.strip()
        if not name:
            raise QueryError(
                Fault(
                    code="prompt/which-level",
                    message="level needs a name",
                    allowed=listing([*self.world.levels, "none"]),
                )
            )
        return self._change(level=None if name == "none" and name not in self.world.levels else name)

    def _undo(self, rest: str) -> Iterator[RenderableType]:
        if not self._before:
            raise QueryError(Fault(code="prompt/nothing-to-undo", message="nothing was changed yet"))
        self.state, self._answer = self._before.pop()
        return self._show("")

    def _show(self, rest: str) -> Iterator[RenderableType]:
        return answer_parts(
            self.world,
            self._answer,
            self.state.evidence,
            self.state.level,
            every_state=rest.strip() == "all",
            show_all="show all",
        )

    def _help(self, rest: str) -> Iterator[RenderableType]:
        listed = table("command", "what it does")
        for usage, meaning in COMMANDS.values():
            listed.add_row(usage, meaning)
        yield listed
        yield Text(
            f"variables: {', '.join(self.known_names())}\nquestions: {', '.join(self.world.questions)}\n"
            f"levels: {', '.join(self.world.levels)}",
            style="dim",
        )

    def _quit(self, rest: str) -> Iterator[RenderableType]:
        self.is_over = True
        return iter(())

    # -- answers ---------------------------------------------------------------------------------

    def _change(self, **changes: object) -> Iterator[RenderableType]:
        state = replace(self.state, **changes)  # type: ignore[arg-type]
        answer = self._posterior(state)
        self._before.append((self.state, self._answer))
        self.state, self._answer = state, answer
        return self._show("")

    def _posterior(self, state: State) -> Posterior:
        evidence = family_values(self.world, dict(state.evidence))
        return self.world.posterior(
            evidence, state.level, query=state.asked, engine=self.engine, arithmetic=self.arithmetic
        )

    # -- names, for completion -------------------------------------------------------------------

    def known_names(self) -> list[str]:
        """Variables that may be given: all, or those that are functions of what the level shows."""
        level = self.state.level
        if level not in self._names:
            names = list(self.world.network.named)
            if level is not None:
                known = functions_of(self.world.network, self.world.level(level).visible)
                names = [name for name in names if name in known]
            self._names[level] = [*names, *self.world.families]
        return self._names[level]


def split_pairs(text: str) -> list[str]:
    """Evidence of one line, item by item; a state goes on to the next ``variable=``, or stands in quotes.

    Examples
    --------
    >>> split_pairs("validity=serious flaw evidence = weak")
    ['validity=serious flaw', 'evidence=weak']
    >>> split_pairs("validity='serious flaw'")
    ['validity=serious flaw']
    """
    items, position = [], 0
    while position < len(text):
        match = _PAIR.match(text, position)
        if match is None:
            items.append(text[position:].strip())
            break
        name, state = match.groups()
        if len(state) > 1 and state[0] == state[-1] and state[0] in "'\"":
            state = state[1:-1]
        items.append(f"{name}={state}")
        position = match.end()
    return [item for item in items if item]
