"""Hugin NET: what programs write beyond the manual, hostile texts, and round trips through other libraries."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.errors import NetworkError
from pbn.exact.engine import Engine
from pbn.network.formats.files import read_network, write_network
from pbn.network.formats.net import parse_net, write_net
from pbn.network.formats.text import FileText, decoded
from tests.network.formats.cases import (
    assert_close,
    decimal_network,
    laws,
    odd_network,
    one_answer,
    pgmpy_posterior,
    pyagrum_posterior,
)

RAIN = """\
net { name = "n"; tree = "()%;"; node_size = (80 40); }
node 0 { label = "rain ( %"; states = (no yes); }
discrete node wet { states = ("a b" "say \\"x\\"" "%"); }
potential (0) { data = ( .75 % none ;
 .25 ); experience = ( 3 ); }
potential (wet | 0) {
  data = (( .5 .25 .25 )
          ( 0 .5 .5 ));
}
"""


def refusal(text: str) -> tuple[str, int]:
    with pytest.raises(NetworkError) as caught:
        parse_net(FileText("x.net", text), renormalise=True)
    place = caught.value.faults[0].place
    return caught.value.code, place.line if place else 0


def test_the_child_varies_fastest_and_comments_and_quotes_are_read() -> None:
    read = parse_net(FileText("x.net", RAIN))
    assert read.name == "n"
    assert read.network.variables["wet"].states == ("a b", 'say "x"', "%")
    assert read.network.variables["0"].text == "rain ( %"
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert laws(read.network)["wet"] == (("0",), [[half, quarter, quarter], [Fraction(0), half, half]])


@pytest.mark.parametrize(("old", "new", "code", "line"), [
    ("discrete node", "continuous node", "network/unsupported", 3),
    ("discrete node", "decision", "network/unsupported", 3),
    ("discrete node", "utility", "network/unsupported", 3),
    ("net {", "class X {", "network/unsupported", 1),
    ("potential (wet | 0)", "potential (wet 0)", "network/unsupported", 6),
    ("potential (wet | 0)", "potential (wet | 1)", "network/unknown-parent", 3),
    ("potential (wet | 0)", "potential (0 | wet)", "network/duplicate-cpd", 6),
    ("potential (wet | 0)", "potential (w | 0)", "network/unknown-variable", 6),
    (".75", "75", "network/row-sum", 4),
    (".75", ".7", "network/row-sum", 4),
    (".75", "normal", "network/probability", 4),
    ("( 0 .5 .5 )", "( 0 .5 -1E-7 )", "network/probability", 8),
    ("( 0 .5 .5 )", "( 0 .5 ) .5", "network/shape", 6),
    (".25 .25 )\n          (", ".25 .25\n", "network/shape", 6),
    (' "%");', ' "%);', "network/syntax", 3),
    ("data = ((", "data = (", "network/syntax", 8),
    ("data = ( .75", "data ( .75", "network/syntax", 4),
    ("node 0", "node (", "network/syntax", 2),
    ("discrete node wet", "node 0", "network/duplicate-node", 2),
])  # fmt: skip
def test_refused_with_code_and_line(old: str, new: str, code: str, line: int) -> None:
    if code == "network/duplicate-node":
        assert refusal("node a { states = (x); }\nnode a { states = (x); }\npotential (a) { data = (1); }") == (code, 1)
        return
    assert refusal(RAIN.replace(old, new, 1)) == (code, line)


def test_counts_are_refused_with_their_sum(shared: Path) -> None:
    with pytest.raises(NetworkError) as caught:
        read_network(shared / "networks" / "test1__agrum.net", renormalise=True)
    assert "C4 sums to 100" in str(caught.value)
    assert "divide each row by its sum" in str(caught.value)


@pytest.mark.parametrize("text", [
    "", "\0", "net", "net {", '"' * 99_999, '"' + "\\" * 100_001, "(" * 500_000, "%" * 500_000,
    "node a { x = " + "(" * 900,
    "potential (a) { data = " + "(" * 999_999, "potential (" + "a " * 99_999, "net { a = " + "b " * 99_999,
])  # fmt: skip
def test_hostile_texts(text: str) -> None:
    assert one_answer(parse_net, text) is None


def test_a_declaration_of_10_9_cells_costs_nothing() -> None:
    states = " ".join(map(str, range(1000)))
    nodes = "".join(f"node {name} {{ states = ({states}); }}\n" for name in "abc")
    tables = "potential (c | a b) { data = (1); }\npotential (a) { data = (1); }"
    with pytest.raises(NetworkError) as caught:
        parse_net(FileText("x.net", nodes + tables))
    assert "network/too-large" in [fault.code for fault in caught.value.faults]


def test_ten_thousand_nodes() -> None:
    text = "".join(f"node v{k} {{ states = (a b); }}\npotential (v{k}) {{ data = (.5 .5); }}\n" for k in range(10_000))
    read = one_answer(parse_net, text)
    assert read is not None
    assert len(read.network) == 10_000


@pytest.mark.parametrize("file", ["alarm.net", "golf.net", "humanidentification_eng__unbbayes.net"])
def test_truncated_files_are_refused(file: str, shared: Path) -> None:
    text = decoded((shared / "networks" / file).read_bytes(), file).text
    for length in range(0, len(text.rstrip()), 1000):
        assert one_answer(parse_net, text[:length]) is None


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(RAIN) - 1), st.integers(0, 255))
def test_flipped_bytes_give_one_answer(position: int, byte: int) -> None:
    data = bytearray(RAIN.encode())
    data[position] = byte
    one_answer(parse_net, decoded(bytes(data), "x.net").text)


def test_what_is_written_is_read_again() -> None:
    network = decimal_network()
    assert laws(parse_net(FileText("x.net", write_net(network).text)).network) == laws(network)
    odd = odd_network()
    written = write_net(odd)
    read = parse_net(FileText("x.net", written.text)).network
    assert written.names["a, b"] == "a__b"
    assert "default" not in written.names
    assert [v.states for v in read.variables.values()] == [v.states for v in odd.variables.values()]
    assert_close(odd, read, dict(written.names), Fraction(1, 10**17))


@pytest.mark.parametrize("file", ["asia.bif", "sachs.bif", "child.bif"])
def test_others_read_what_is_written(file: str, tmp_path: Path, shared: Path) -> None:
    """PyAgrum reads NET in single precision, so it is held to 1e-6, and pgmpy to 1e-9."""
    from pgmpy.readwrite import NETReader

    network = read_network(shared / "networks" / file, renormalise=True).network
    write_network(network, tmp_path / "x.net")
    last, first = list(network.variables)[-1], next(iter(network.variables))
    evidence = {last: network.variables[last].states[0]}
    ours = Engine(network).posterior(first, {last: 0}).probs
    assert pyagrum_posterior(tmp_path / "x.net", first, evidence) == pytest.approx(list(ours.values()), abs=1e-6)
    model = NETReader(str(tmp_path / "x.net")).get_model()
    assert pgmpy_posterior(model, first, **evidence) == pytest.approx(dict(ours), abs=1e-9)
