"""The documentation says what is so: its examples load, its commands print what stands below them."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

import pbn
from pbn.network import chain, counts, parts
from pbn.network.model import number_text
from pbn.spec import (
    declarations,
    expression,
    levels,
    limits,
    measures,
    memo,
    names,
    numerals,
    questions,
    rule_text,
    source,
    states,
)
from tests.docs.pages import ROOT, Block, Page, blocks, folder, run

DOCS = sorted((ROOT / "docs").glob("*.md"))
PAGES = [*DOCS, ROOT / "README.md"]
FORBIDDEN = re.compile(r"/(?:home|Users|tmp)/", re.IGNORECASE)


def examples(page: str) -> list[Block]:
    """The YAML blocks of a page that are world files or parts of one."""
    return [block for block in blocks(ROOT / "docs" / page) if block.language == "yaml"]


def completed(text: str) -> str:
    """A part of a world file with the sections that it leaves out."""
    sections = set(re.findall(r"^(\w+):", text, re.MULTILINE))
    if "name" not in sections:
        text = "name: example\ntitle: An example\n" + text
    if "questions" not in sections:
        text = text.replace("variables:\n", "variables:\n  something: {states: [no, yes]}\n", 1)
        text += "questions: {something: {asks: something, kind: yes/no, text: Is it?}}\n"
    if "levels" not in sections:
        text += "levels: {all: {hide: []}}\n"
    return text


@pytest.mark.parametrize(
    "block", [*examples("world-file.md"), *examples("rule-language.md")], ids=lambda block: f"line-{block.line}"
)
def test_yaml_examples_load(block: Block) -> None:
    code = block.options.get("error")
    if code is None:
        assert pbn.loads(completed(block.text)).levels
        return
    with pytest.raises(pbn.PbnError) as caught:
        pbn.loads(completed(block.text))
    assert {fault.code for fault in caught.value.faults} == {code}


def tables(page: str, *heads: str) -> list[list[str]]:
    """The rows of the tables of a page that begin with these headings."""
    rows, reading = [], False
    for line in (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and cells[: len(heads)] == list(heads):
            reading = True
        elif not line.startswith("|"):
            reading = False
        elif reading and not line.startswith("|--"):
            rows.append(cells)
    return rows


def _code(cell: str) -> str:
    assert cell.startswith("`"), cell
    return cell.split("`")[1]


def _case(page: str) -> dict[str, str]:
    """The case that a page takes as given: ``name=state`` in its line that begins with 'The case:'."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    line = re.search(r"^The case: (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    assert line
    return dict(pair.split("=") for pair in re.findall(r"`([^`]*=[^`]*)`", line[1]))


def _with_rules(rules: list[str]) -> pbn.World:
    world = completed(examples("rule-language.md")[0].text)
    lines = "".join(f"  example_{k}:\n    rule: >-\n      {rule}\n" for k, rule in enumerate(rules))
    return pbn.loads(world.replace("variables:\n", "variables:\n" + lines, 1))


def test_expressions_have_the_values_that_the_page_says() -> None:
    rows = tables("rule-language.md", "Expression", "Value")
    assert len(rows) >= 40
    world = _with_rules([_code(row[0]) for row in rows])
    case = _case("rule-language.md")
    wrong = []
    for k, (text, value, *_) in enumerate(rows):
        answer = world.posterior(case, query=f"example_{k}")
        assert answer.exact is not None
        (state,) = [state for state, p in answer.exact.items() if p == 1]
        said = {"true": "yes", "false": "no"}.get(_code(value), _code(value).strip("'"))
        if state != said and state != _number(said):
            wrong.append(f"{text} is {state}, the page says {said}")
    assert not wrong, "\n".join(wrong)


def _number(text: str) -> str:
    try:
        return number_text(Fraction(text))
    except ValueError:
        return text


@pytest.mark.parametrize("row", tables("rule-language.md", "Expression", "Error"), ids=lambda row: row[0])
def test_expressions_are_refused_as_the_page_says(row: list[str]) -> None:
    with pytest.raises(pbn.PbnError) as caught:
        _with_rules([_code(row[0])])
    assert caught.value.code == _code(row[1])


@pytest.mark.parametrize("row", tables("exact-answers.md", "World", "Level"), ids=lambda row: "-".join(row[:2]))
def test_the_statistics_are_those_that_the_page_says(row: list[str]) -> None:
    world, level, nodes, values = row
    found = pbn.load(_code(world)).statistic(level).statistic
    assert ", ".join(f"`{node}`" for node in found.nodes) == nodes
    assert f"{math.prod(map(found.network.size, found.nodes)):,}" == values


def test_the_table_of_statistics_is_complete() -> None:
    rows = tables("exact-answers.md", "World", "Level")
    assert [(_code(row[0]), row[1]) for row in rows] == [
        (world, level) for world in ("credit_risk", "peer_review") for level in ("low", "medium", "high")
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_python_print_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    told = Page(page)
    with folder(tmp_path):
        told.run_all()
    assert not told.wrong, "\n\n".join(told.wrong)
    if page.name in ("first-world.md", "exact-answers.md"):
        assert told.ran, "the page shows commands"


def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    lines = re.findall(r"^    (.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    shown = [line.split(" && ")[-1].replace(".venv/bin/", "") for line in lines if ".venv/bin/pbn" in line]
    assert len(shown) >= 2
    with folder(tmp_path):
        for command in shown:
            output = run(command)
            assert "exact" in output or command.startswith("pbn memo "), output
            assert not re.search(r"^[a-z]+/[a-z-]+:", output, re.MULTILINE), output


def test_limits_are_those_of_the_code() -> None:
    told = {row[0]: row[1] for page in ("world-file.md", "rule-language.md") for row in tables(page, "What", "At most")}
    numbers = {
        what: [int(number.replace(",", "")) for number in re.findall(r"\d[\d,]*", text)] for what, text in told.items()
    }
    work = limits._WORK
    assert numbers == {
        "size of the file": [source.MAX_BYTES, source.MAX_DEPTH],
        "variables, repeated ones counted": [limits.MAX_VARIABLES],
        "states of one variable, numbers of a grid, numbers of a count": [numerals.MAX_STATES],
        "states in the file": [work["states"]],
        "cells of one probability table, and of all": [limits.MAX_CELLS],
        "edges of the graph": [work["dependencies"]],
        "members of a repeated variable": [declarations.MAX_REPEAT],
        "questions": [questions.MAX_QUESTIONS],
        "levels": [levels.MAX_LEVELS],
        "sentences of a memo": [memo.MAX_SENTENCES],
        "phrasings of a sentence or state, and orders of a paragraph": [memo.MAX_VARIETY],
        "characters of a sentence, of a phrase": [memo.MAX_SENTENCE, memo.MAX_PHRASE],
        "characters of a name, of a state, of a number": [names.MAX_NAME, states.MAX_CHARACTERS, 40],
        "characters of an expression": [rule_text.MAX_CHARACTERS],
        "parts of an expression": [expression.MAX_NODES],
        "parts inside one another (the terms of a sum or product do not count)": [rule_text.MAX_DEPTH],
        "digits of a number; its exponent": [rule_text.MAX_DIGITS, rule_text.MAX_DIGITS],
        "exponent of `**`": [expression.MAX_POWER],
        "size of a constant": [expression.MAX_BITS],
        "combinations of states that one part of a rule reads": [parts.MAX_CELLS],
        "combinations of the values of a partial result with the next term": [4 * chain.MAX_STATES],
        "combinations in all rules of a world": [parts.MAX_EFFORT],
    }
    assert measures.MAX_POINTS == numerals.MAX_STATES == counts.MAX_VALUES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        other = (page.parent / path).resolve() if path else page
        assert other.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", other.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
            assert anchor in anchors, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_speak_of_the_project_alone(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not FORBIDDEN.findall(text)
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    long = [line for line in prose.splitlines() if len(line) > 120 and not line.startswith("|")]
    assert not long
