from __future__ import annotations

import io
import os
import re
import select
import signal
import sys
import time
from contextlib import suppress
from fractions import Fraction

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from pbn.cli.inquiry import COMMANDS, Inquiry, State
from pbn.cli.prompt import InquiryCompleter, run_prompt
from pbn.cli.terminal import show
from pbn.errors import BudgetError, Fault, PbnError


@pytest.fixture
def inquiry(credit):
    return Inquiry(credit, asked="default", level="high")


@pytest.fixture
def tell(inquiry, capsys):
    """Carry out a line and return what is printed."""

    def run(line):
        show(*inquiry.execute(line))
        return capsys.readouterr().out

    return run


def probability(shown, state="yes"):
    return Fraction(re.search(rf"^{state} .* (\d+(?:/\d+)?)$", shown, flags=re.MULTILINE)[1])


def test_every_change_prints_the_new_posterior(tell, credit):
    given = {}
    for line, change in [
        ("set sector=technology cycle=contraction", {"sector": "technology", "cycle": "contraction"}),
        ("cash_generation = weak", {"cash_generation": "weak"}),
        ("set cycle=steady", {"cycle": "steady"}),
    ]:
        given |= change
        assert probability(tell(line)) == credit.posterior(given, "high").exact["yes"]
    assert (
        probability(tell("clear sector"))
        == credit.posterior({"cycle": "steady", "cash_generation": "weak"}, "high").exact["yes"]
    )
    assert probability(tell("clear")) == credit.posterior().exact["yes"]


def test_level_ask_and_undo(tell, inquiry, credit):
    tell("sector=technology")
    tell("level none")
    hidden = {"sector": "technology", "cash_buffer": "limited"}
    assert probability(tell("cash_buffer=limited")) == credit.posterior(hidden).exact["yes"]
    assert probability(tell("ask cycle"), "steady") == credit.posterior(hidden, query="cycle").exact["steady"]
    assert inquiry.state == State(asked="cycle", level=None, evidence=hidden)
    assert probability(tell("undo")) == credit.posterior(hidden).exact["yes"]
    tell("undo")
    tell("undo")
    assert inquiry.state == State(asked="default", level="high", evidence={"sector": "technology"})
    tell("undo")
    with pytest.raises(PbnError, match="nothing-to-undo"):
        tell("undo")
    assert inquiry.state == State(asked="default", level="high")


@pytest.mark.parametrize(("line", "code"), [
    ("frob", "prompt/unknown-command"), ("sector", "prompt/unknown-command"), ("set", "prompt/nothing-to-set"),
    ("set sector", "cli/evidence"), ("=x", "cli/evidence"), ("sector=", "cli/evidence"),
    ("sector=tech", "query/unknown-state"), ("sectr=technology", "query/unknown-variable"),
    ("sector=technology and more", "query/unknown-state"), ("cash_buffer=limited", "query/hidden-evidence"),
    ("sector=technology sector=consumer", "cli/evidence"), ("clear sector", "prompt/not-given"),
    ("level", "prompt/which-level"),
    ("level deep", "query/unknown-level"), ("ask", "prompt/ask-what"), ("ask me", "query/unknown-variable"),
    ("sector='technology", "query/unknown-state"), ("cycle=steady refinancing_factor=1", "query/impossible-evidence"),
])  # fmt: skip
def test_a_mistake_changes_nothing(tell, inquiry, line, code):
    tell("cash_generation=weak")
    before = inquiry.state
    with pytest.raises(PbnError) as caught:
        tell(line)
    assert caught.value.code == code
    assert inquiry.state is before
    assert not inquiry.is_over


def test_a_level_that_hides_what_is_given_is_refused(credit, capsys):
    inquiry = Inquiry(credit, asked="default", level="low")
    show(*inquiry.execute("cash_buffer=limited"))
    with pytest.raises(PbnError, match="hidden-evidence"):
        show(*inquiry.execute("level medium"))
    assert inquiry.state.level == "low"


def test_states_of_several_words(review, capsys):
    inquiry = Inquiry(review, asked="accepted")
    for line in ("validity=serious flaw evidence=weak", "validity='serious flaw' evidence=\"weak\""):
        show(*inquiry.execute(line))
        assert dict(inquiry.state.evidence) == {"validity": "serious flaw", "evidence": "weak"}
        assert probability(capsys.readouterr().out) == 0


def test_help_names_every_command_and_blank_lines_do_nothing(tell):
    shown = tell("help")
    assert all(usage in shown for usage, _ in COMMANDS.values())
    assert "levels: low, medium, high" in shown
    assert tell("") == tell("   ") == ""


def test_showing_all_states(credit, capsys):
    inquiry = Inquiry(credit, asked="net_position")
    show(*inquiry.execute("show"))
    assert "show all shows them" in capsys.readouterr().out
    show(*inquiry.execute("show all"))
    assert "shows them" not in capsys.readouterr().out


# -- completion ----------------------------------------------------------------------------------


def offers(inquiry, text):
    document = Document(text, len(text))
    found = {}
    for completion in InquiryCompleter(inquiry).get_completions(document, CompleteEvent()):
        found[completion.text] = text[: len(text) + completion.start_position] + completion.text
    return found


def test_completion(inquiry, credit):
    assert {"set", "clear", "sector=", "cycle="} <= set(offers(inquiry, ""))
    assert "cash_buffer=" not in offers(inquiry, "")
    assert offers(inquiry, "set sec") == {"sector=": "set sector=", "sector_sensitivity=": "set sector_sensitivity="}
    assert list(offers(inquiry, "sector=")) == list(credit.network.variables["sector"].states)
    assert offers(inquiry, "set sector=tech") == {"technology": "set sector=technology"}
    assert offers(inquiry, "set sector=technology cyc") == {"cycle=": "set sector=technology cycle="}
    assert list(offers(inquiry, "level ")) == ["low", "medium", "high", "none"]
    assert "net_position" in offers(inquiry, "ask net")
    assert offers(inquiry, "undo ") == offers(inquiry, "nothing=x") == {}
    show(*inquiry.execute("sector=technology"))
    assert list(offers(inquiry, "clear ")) == ["sector"]
    show(*inquiry.execute("level none"))
    assert "cash_buffer=" in offers(inquiry, "set cash")


def test_completion_of_states_with_blanks(review):
    inquiry = Inquiry(review, asked="accepted")
    assert offers(inquiry, "validity=serious fl") == {"serious flaw": "validity=serious flaw"}
    assert offers(inquiry, "validity='serious fl") == {"serious flaw": "validity='serious flaw"}
    assert "evidence=" in offers(inquiry, "validity=serious flaw ev")


# -- the loop ------------------------------------------------------------------------------------


def talk(inquiry, keys, monkeypatch):
    """Send keys to the prompt; what it prints on stdout and stderr."""
    out, err = io.StringIO(), io.StringIO()
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            run_prompt(inquiry)
    return out.getvalue(), err.getvalue()


def test_prompt_goes_on_after_mistakes(inquiry, credit, monkeypatch):
    out, err = talk(inquiry, "sector=tech\rsector=technology\r\x04", monkeypatch)
    assert err.startswith("query/unknown-state: ")
    assert str(credit.posterior({"sector": "technology"}, "high").exact["yes"]) in out


def test_control_c_drops_the_line(inquiry, monkeypatch):
    talk(inquiry, "sector=techno\x03cycle=steady\rquit\r", monkeypatch)
    assert dict(inquiry.state.evidence) == {"cycle": "steady"}
    assert inquiry.is_over


@pytest.mark.parametrize("error", [BudgetError(Fault(code="exact/over-budget", message="much")), KeyboardInterrupt()])
def test_an_answer_that_cannot_be_had_leaves_the_prompt(inquiry, monkeypatch, error):
    def fails(state):
        raise error

    before = inquiry.state
    with monkeypatch.context() as patch:
        patch.setattr(inquiry, "_posterior", fails)
        out, err = talk(inquiry, "sector=technology\rshow\rexit\r", monkeypatch)
    assert inquiry.state is before
    assert ("exact/over-budget" in err) != ("interrupted" in out)


# -- a real terminal -----------------------------------------------------------------------------

pty = pytest.importorskip("pty", reason="no pseudo-terminals here")


class Terminal:
    """A command on a pseudo-terminal."""

    def __init__(self, environment, *arguments):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            settings = {"TERM": "xterm", "COLUMNS": "100", "LINES": "30", "PROMPT_TOOLKIT_NO_CPR": "1"}
            os.execve(sys.executable, [sys.executable, "-m", "pbn", *arguments], environment | settings)
        self.seen = ""
        self.has_ended = False

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def wait_for(self, text, seconds=30):
        """Read until the text was printed since it was last waited for."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{text!r} never came: {self.seen!r}")
            self._read()
        _, _, self.seen = self.seen.partition(text)

    def _read(self):
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            data = b""
        if not data:
            raise AssertionError(f"it ended: {self.seen!r}")
        self.seen += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data.decode(errors="replace"))

    def exit_code(self, keys=""):
        """Wait for the end; keys are typed again and again, for a line discipline between prompts may eat them."""
        for _ in range(60):
            with suppress(OSError):  # it may have ended
                os.write(self.fd, keys.encode())
            try:
                while select.select([self.fd], [], [], 0.5)[0]:
                    self._read()
            except AssertionError:
                self.has_ended = True
                return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        raise AssertionError(f"it never ended: {self.seen!r}")


@pytest.fixture
def terminal(environment):
    opened = []

    def start(*arguments):
        opened.append(Terminal(environment, *arguments))
        return opened[-1]

    yield start
    for one in opened:
        if not one.has_ended:
            os.kill(one.pid, signal.SIGKILL)
            os.waitpid(one.pid, 0)
        os.close(one.fd)


def test_on_a_terminal(terminal, credit):
    screen = terminal("query", "credit_risk", "--level", "high")
    prior, given = credit.posterior(), credit.posterior({"sector": "technology"}, "high")
    screen.wait_for(str(prior.exact["yes"]))
    screen.wait_for("credit_risk high>")
    screen.type("sector=nonsense\r")
    screen.wait_for("query/unknown-state")
    screen.wait_for("credit_risk high>")
    screen.type("sector=technology\r")
    screen.wait_for(str(given.exact["yes"]))
    screen.wait_for("credit_risk high>")
    screen.type("cycle=contr")
    screen.wait_for("contraction")  # the menu
    screen.type("\t\r")
    screen.wait_for(str(credit.posterior({"sector": "technology", "cycle": "contraction"}, "high").exact["yes"]))
    screen.wait_for("credit_risk high>")
    screen.type("half a line")
    screen.wait_for("line")
    screen.type("\x03")
    assert screen.exit_code("\x04") == 0


def test_evidence_on_a_terminal_asks_nothing(terminal, credit):
    screen = terminal("query", "credit_risk", "sector=technology")
    screen.wait_for(str(credit.posterior({"sector": "technology"}).exact["yes"]))
    assert screen.exit_code() == 0


def test_a_world_with_several_questions_opens_with_the_first(terminal, ticket):
    screen = terminal("query", "support_ticket")
    screen.wait_for("P(queue)")
    screen.wait_for("support_ticket>")
    screen.type("ask angry\r")
    screen.wait_for(str(ticket.posterior(question="angry").exact["yes"]))
    screen.wait_for("support_ticket>")
    screen.type("quit\r")
    assert screen.exit_code() == 0
