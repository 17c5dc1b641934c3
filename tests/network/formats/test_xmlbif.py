"""XMLBIF: its dialects, hostile texts, and round trips through other libraries."""

from __future__ import annotations

import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbn.errors import NetworkError
from pbn.exact.engine import Engine
from pbn.network.formats.bif import read_bif
from pbn.network.formats.files import read_network, write_network
from pbn.network.formats.text import FileText, decoded
from pbn.network.formats.xmlbif import parse_xmlbif, write_xmlbif
from pbn.network.model import Table
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
<BIF VERSION="0.3"><NETWORK><NAME>n</NAME>
<VARIABLE TYPE="nature"><NAME>rain</NAME><OUTCOME>no</OUTCOME><OUTCOME>yes</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>wet</NAME><OUTCOME>dry</OUTCOME><OUTCOME>damp</OUTCOME><OUTCOME>wet</OUTCOME></VARIABLE>
<DEFINITION><FOR>rain</FOR><TABLE>.75 <!-- none
--> .25</TABLE></DEFINITION>
<DEFINITION><FOR>wet</FOR><GIVEN>rain</GIVEN><TABLE>.5 .25 .25 0 .5 .5</TABLE></DEFINITION>
</NETWORK></BIF>
"""


def refusal(text: str) -> tuple[str, int]:
    with pytest.raises(NetworkError) as caught:
        parse_xmlbif(FileText("x.xml", text))
    place = caught.value.faults[0].place
    return caught.value.code, place.line if place else 0


def test_the_child_varies_fastest() -> None:
    assert laws(parse_xmlbif(FileText("x.xml", RAIN)).network)["wet"] == (
        ("rain",),
        [[Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], [Fraction(0), Fraction(1, 2), Fraction(1, 2)]],
    )


def test_before_0_3_the_child_varies_slowest() -> None:
    old = (
        RAIN.replace("DEFINITION>", "PROBABILITY>")
        .replace("OUTCOME>", "VALUE>")
        .replace(' TYPE="nature"', "")
        .replace("</NAME><VALUE>", "</NAME><TYPE>discrete</TYPE><VALUE>")
        .replace(' VERSION="0.3"', "")
        .replace(".5 .25 .25 0 .5 .5", ".5 0 .25 .5 .25 .5")
    )
    new = parse_xmlbif(FileText("x.xml", RAIN)).network
    assert laws(parse_xmlbif(FileText("x.xml", '<?XML VERSION="1.0"?>\n' + old)).network) == laws(new)


@pytest.mark.parametrize(("old", "new", "code", "line"), [
    ('"nature"><NAME>wet', '"decision"><NAME>wet', "network/unsupported", 3),
    ("<FOR>wet</FOR>", "<FOR>rain</FOR>", "network/duplicate-cpd", 6),
    ("<FOR>wet</FOR>", "<FOR>wets</FOR>", "network/unknown-variable", 6),
    ("<FOR>wet</FOR>", "<FOR>wet</FOR><FOR>rain</FOR>", "network/unsupported", 6),
    ("<GIVEN>rain", "<GIVEN>ran", "network/unknown-parent", 3),
    (".25</TABLE>", ".3</TABLE>", "network/row-sum", 4),
    ("--> .25", "--> -.25", "network/probability", 5),
    ("</NETWORK>", "", "network/syntax", 7),
    ("<TABLE>.75", "<TABLE>&rain; .75", "network/syntax", 4),
    ("<BIF", "<HTML", "network/syntax", 7),
])  # fmt: skip
def test_refused_with_code_and_line(old: str, new: str, code: str, line: int) -> None:
    assert refusal(RAIN.replace(old, new, 1)) == (code, line)


@pytest.mark.parametrize("declared", [
    '<!ENTITY a "x"><!ENTITY b "&a;&a;">', '<!ENTITY e SYSTEM "file:///etc/hostname">', '<!ENTITY % p "x">',
])  # fmt: skip
def test_entities_are_refused_before_they_expand(declared: str) -> None:
    text = f"<!DOCTYPE BIF [\n{declared}]>\n" + RAIN.replace("<NAME>n<", "<NAME>&b;<")
    assert refusal(text) == ("network/entity", 2)


def test_an_external_document_type_is_not_fetched_and_its_entities_are_refused() -> None:
    doctype = '<!DOCTYPE BIF SYSTEM "http://127.0.0.1:9/x.dtd">\n'
    assert len(parse_xmlbif(FileText("x.xml", doctype + RAIN)).network) == 2
    assert refusal(doctype + RAIN.replace("<NAME>n<", "<NAME>&b;<"))[0] == "network/entity"


def test_defaults_of_a_document_type_do_not_multiply() -> None:
    many = "".join(f'<!ATTLIST BIF a{k} CDATA "{"x" * 100}">' for k in range(2000))
    assert refusal(f"<!DOCTYPE BIF [{many}]>{RAIN}") == ("network/too-large", 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "<",
        "<BIF/>",
        "<BIF>" * 100_000,
        "<a/>" * 10,
        "<BIF><NETWORK/></BIF>",
        RAIN.replace("<TABLE>.5", "<TABLE>" + "1 " * 500_000),
    ],
)
def test_hostile_texts(text: str) -> None:
    assert one_answer(parse_xmlbif, text) is None


def test_a_declaration_of_10_9_cells_costs_nothing() -> None:
    states = "".join(f"<OUTCOME>{k}</OUTCOME>" for k in range(1000))
    nodes = "".join(f"<VARIABLE><NAME>{name}</NAME>{states}</VARIABLE>" for name in "abc")
    tables = "".join(f"<PROBABILITY><FOR>{name}</FOR><TABLE>1</TABLE></PROBABILITY>" for name in "ab")
    given = "<PROBABILITY><FOR>c</FOR><GIVEN>a</GIVEN><GIVEN>b</GIVEN><TABLE>1</TABLE></PROBABILITY>"
    tracemalloc.start()
    assert refusal(f"<BIF><NETWORK>{nodes}{tables}{given}</NETWORK></BIF>")[0] == "network/too-large"
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_ten_thousand_nodes() -> None:
    nodes = "".join(
        f"<VARIABLE><NAME>v{k}</NAME><OUTCOME>a</OUTCOME><OUTCOME>b</OUTCOME></VARIABLE>"
        f"<DEFINITION><FOR>v{k}</FOR><TABLE>.5 .5</TABLE></DEFINITION>"
        for k in range(10_000)
    )
    read = one_answer(parse_xmlbif, f"<BIF><NETWORK>{nodes}</NETWORK></BIF>")
    assert read is not None
    assert len(read.network) == 10_000


@pytest.mark.parametrize("file", ["dog.xml", "asia__javabayes.xml", "wetgrass_xmlbif6__unbbayes.xml"])
def test_truncated_files_are_refused(file: str, shared: Path) -> None:
    text = decoded((shared / "networks" / file).read_bytes(), file).text
    for length in range(0, len(text.rstrip()), 1000):
        assert one_answer(parse_xmlbif, text[:length]) is None


@settings(max_examples=150, deadline=None)
@given(st.integers(0, len(RAIN) - 1), st.integers(0, 255))
def test_flipped_bytes_give_one_answer(position: int, byte: int) -> None:
    data = bytearray(RAIN.encode())
    data[position] = byte
    one_answer(parse_xmlbif, decoded(bytes(data), "x.xml").text)


@pytest.mark.parametrize("name", ["asia", "dog-problem"])
def test_javabayes_files_say_what_their_bif_twins_say(name: str, shared: Path) -> None:
    old = read_network(shared / "networks" / f"{name}__javabayes.xml").network
    twin = read_bif(shared / "networks" / f"{name}__javabayes.bif").network
    sole = {node.lower().replace("-", "_"): law for node, law in laws(old).items()}
    for node, (parents, rows) in laws(twin).items():
        mine, own = sole[node.lower().replace("-", "_")]
        assert (tuple(p.lower().replace("-", "_") for p in parents), rows) == (
            tuple(p.lower().replace("-", "_") for p in mine),
            own,
        )


def test_the_files_without_references_are_read(shared: Path) -> None:
    networks = shared / "networks"
    for name, nodes in (("cancer", 5), ("car-starts", 18), ("hailfinder25", 56), ("john-mary-call", 5)):
        assert len(read_network(networks / f"{name}__javabayes.xml").network) == nodes
    for version in "56":
        read = read_network(networks / f"wetgrass_xmlbif{version}__unbbayes.xml", renormalise=True)
        wet = read.network.cpds["Wet"]
        assert isinstance(wet, Table)
        assert wet.probabilities[0, 0].tolist() == pytest.approx([0.99, 0.01], abs=1e-6)


def test_unbbayes_has_the_first_parent_next_to_the_owner(shared: Path) -> None:
    networks = shared / "networks"
    asia = laws(read_network(networks / "asiadescricao__unbbayes.xml").network)
    assert [10 * row[0] for row in asia["Dyspnoea"][1]] == [9, 7, 8, 1]
    human = read_network(networks / "humanidentification__unbbayes.xml", renormalise=True).network
    net = read_network(networks / "humanidentification_eng__unbbayes.net", renormalise=True).network
    mine, theirs = human.cpds["AgeGroup"], net.cpds["ageGroup"]
    assert (mine.parents, theirs.parents) == (("gender", "glabella"), ("glabella", "gender"))
    assert isinstance(mine, Table)
    assert isinstance(theirs, Table)
    assert mine.probabilities == pytest.approx(theirs.probabilities.transpose(1, 0, 2), abs=1e-6)


def test_what_is_written_is_read_again() -> None:
    network = decimal_network()
    written = write_xmlbif(network)
    assert (written.notes, written.names) == ((), {})
    assert laws(parse_xmlbif(FileText("x.xml", written.text)).network) == laws(network)
    odd = odd_network()
    written = write_xmlbif(odd)
    read = parse_xmlbif(FileText("x.xml", written.text)).network
    assert written.names == {}
    assert {name: v.states for name, v in read.variables.items()} == {n: v.states for n, v in odd.variables.items()}
    assert_close(odd, read, {}, Fraction(1, 10**17))


def test_pgmpy_reads_what_is_written(tmp_path: Path, shared: Path) -> None:
    from pgmpy.readwrite import XMLBIFReader

    network = read_network(shared / "networks" / "asia.bif").network
    write_network(network, tmp_path / "asia.xml")
    model = XMLBIFReader(str(tmp_path / "asia.xml")).get_model()
    assert pgmpy_posterior(model, "lung", dysp="yes", smoke="no") == pytest.approx(
        dict(Engine(network).posterior("lung", {"dysp": 0, "smoke": 1}).probs), abs=1e-9
    )


@pytest.mark.parametrize("file", ["asia.bif", "sachs.bif", "child.bif"])
def test_pyagrum_reads_what_is_written(file: str, tmp_path: Path, shared: Path) -> None:
    network = read_network(shared / "networks" / file, renormalise=True).network
    write_network(network, tmp_path / "x.bifxml")
    last, first = list(network.variables)[-1], next(iter(network.variables))
    theirs = pyagrum_posterior(tmp_path / "x.bifxml", first, {last: network.variables[last].states[0]})
    assert theirs == pytest.approx(list(Engine(network).posterior(first, {last: 0}).probs.values()), abs=1e-9)
