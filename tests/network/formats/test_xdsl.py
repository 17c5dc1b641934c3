"""GeNIe XDSL: deterministic and noisy-max nodes, display names, refusals."""

from __future__ import annotations

import itertools
from fractions import Fraction
from pathlib import Path

import pytest

from pbn.errors import NetworkError
from pbn.network.formats.files import read_network
from pbn.network.formats.text import FileText, decoded
from pbn.network.formats.xdsl import parse_xdsl
from tests.network.formats.cases import laws, one_answer

AB = """\
<smile version="1.0" id="net"><nodes>
<cpt id="A"><state id="x" /><state id="y" /><state id="z" /><probabilities>.5 .25 .25</probabilities></cpt>
<cpt id="B"><state id="t" /><state id="f" /><probabilities>.5 .5</probabilities></cpt>
{}
</nodes><extensions><genie><submodel><node id="A"><name>A, for people</name></node></submodel></genie></extensions>
</smile>
"""
DETERMINISTIC = (
    '<deterministic id="D"><state id="u"/><state id="v"/><parents>A B</parents>'
    "<resultingstates>u v u u v\nv</resultingstates></deterministic>"
)
NOISY = """<noisymax id="M"><state id="high"/><state id="low"/><state id="none"/><parents>A B</parents>
<strengths>{}</strengths><parameters>.5 .25 .25 .25 .25 .5 0 0 1 .2 .3 .5 0 0 1 .1 .1 .8</parameters></noisymax>"""


def read(extra: str) -> dict[str, tuple[tuple[str, ...], list[list[Fraction]]]]:
    return laws(parse_xdsl(FileText("x.xdsl", AB.format(extra))).network)


def test_the_id_is_the_name_and_the_display_name_the_label() -> None:
    network = parse_xdsl(FileText("x.xdsl", AB.format(DETERMINISTIC))).network
    assert network.variables["A"].text == "A, for people"
    assert network.variables["D"].origin == "deterministic"
    assert network.cpds["D"].index.tolist() == [[0, 1], [0, 0], [1, 1]]  # type: ignore[union-attr]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (2, 0, 1)])
def test_noisy_max_is_the_strongest_of_independent_causes(order: tuple[int, ...]) -> None:
    """By the definition: draw what each parent's state and the leak cause, and take the strongest."""
    columns = [[".5", ".25", ".25"], [".25", ".25", ".5"], ["0", "0", "1"]]
    of_a = {state: columns[rank] for rank, state in enumerate(order)}
    of_b = {0: [".2", ".3", ".5"], 1: ["0", "0", "1"]}
    expected = []
    for a, b in itertools.product(range(3), range(2)):
        row = [Fraction(0)] * 3
        for causes in itertools.product(range(3), repeat=3):
            tokens = [of_a[a][causes[0]], of_b[b][causes[1]], [".1", ".1", ".8"][causes[2]]]
            row[min(causes)] += Fraction(tokens[0]) * Fraction(tokens[1]) * Fraction(tokens[2])
        expected.append(row)
    assert read(NOISY.format(" ".join(map(str, order)) + " 0 1"))["M"] == (("A", "B"), expected)


@pytest.mark.parametrize(("extra", "code", "line"), [
    ('<equation id="E"/>', "network/unsupported", 4),
    ('<decision id="E"/>', "network/unsupported", 4),
    ('<noisyadder id="E"/>', "network/unsupported", 4),
    (DETERMINISTIC.replace("u v u", "u w u"), "network/unknown-state", 4),
    (DETERMINISTIC.replace("u v u", "u"), "network/shape", 4),
    (DETERMINISTIC.replace("A B", "A C"), "network/unknown-parent", 4),
    (NOISY.format("0 1 1 0 1"), "network/noisy-max", 4),
    (NOISY.format("0 1 2"), "network/noisy-max", 4),
    (NOISY.format("0 1 2 0 1").replace(".5", "-.5", 1), "network/probability", 4),
    (NOISY.format("0 1 2 0 1").replace(".5 .25", ".4 .25", 1), "network/row-sum", 4),
    ('<cpt id="A"/>', "network/duplicate-node", 2),
    ('<cpt id="C"><state id="x"/><state id="y"/></cpt>', "network/missing-cpd", 4),
])  # fmt: skip
def test_refused_with_code_and_line(extra: str, code: str, line: int) -> None:
    with pytest.raises(NetworkError) as caught:
        parse_xdsl(FileText("x.xdsl", AB.format(extra)))
    place = caught.value.faults[0].place
    assert (caught.value.code, place.line if place else 0) == (code, line)


def test_a_noisy_max_node_of_many_parents_is_refused_before_it_is_expanded() -> None:
    nodes = "".join(
        f'<cpt id="P{k}"><state id="t"/><state id="f"/><probabilities>.5 .5</probabilities></cpt>' for k in range(40)
    )
    parents, laws_ = " ".join(f"P{k}" for k in range(40)), ".123456789 .876543211 0 1 " * 40 + ".5 .5"
    many = (
        f'{nodes}<noisymax id="M"><state id="t"/><state id="f"/><parents>{parents}</parents>'
        f"<strengths>{'0 1 ' * 40}</strengths><parameters>{laws_}</parameters></noisymax>"
    )
    with pytest.raises(NetworkError, match="too large to expand"):
        parse_xdsl(FileText("x.xdsl", AB.format(many)))


@pytest.mark.parametrize("file", ["hepar2.xdsl", "cancermax__krzysztof.xdsl"])
def test_truncated_files_are_refused(file: str, shared: Path) -> None:
    text = decoded((shared / "networks" / file).read_bytes(), file).text
    for length in range(0, len(text.rstrip()), 1000):
        assert one_answer(parse_xdsl, text[:length]) is None


def test_nodes_may_share_a_display_name(shared: Path) -> None:
    network = read_network(shared / "networks" / "barley.xdsl", renormalise=True).network
    labels = [variable.text for variable in network.variables.values()]
    assert labels.count("Soil N") == 3
