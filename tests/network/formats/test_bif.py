"""BIF: dialects, faults with their places, and networks written and read again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pbn.errors import NetworkError
from pbn.network.formats.bif import parse_bif, read_bif, write_bif
from pbn.network.formats.draft import ReadNetwork
from pbn.network.formats.text import decoded
from pbn.network.model import IndexMap, Network, Table
from tests.network.formats.networks import assert_equal, laws, networks, odd_network, same_posteriors

VARIABLES = """\
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 3 ] { x, y, z }; }
variable c { type discrete [ 2 ] { t, f }; }
probability ( a ) { table .2, .8; }
probability ( b ) { table .5 .3 .2; }
"""
ROWS = """\
probability ( c | a, b ) {
  (yes, x) .1, .9;
  (yes, y) .2, .8;
  (yes, z) .3, .7;
  (no, x) .4, .6;
  (no, y) .5, .5;
  (no, z) .6, .4;
}
"""


def read(text: str, *, renormalise: bool = False) -> ReadNetwork:
    return parse_bif(decoded(text.encode("utf-8"), "net.bif"), renormalise=renormalise)


def c_of(text: str) -> list[Fraction]:
    cpd = read(VARIABLES + text).network.cpds["c"]
    assert isinstance(cpd, Table)
    assert (cpd.parents, cpd.numerators.shape) == (("a", "b"), (2, 3, 2))
    return [Fraction(int(value), cpd.denominator) for value in cpd.numerators[..., 0].ravel()]


SIX = [Fraction(k, 10) for k in range(1, 7)]


@pytest.mark.parametrize(
    "text",
    [
        ROWS,
        "probability ( c | a, b ) { table .1, .2, .3, .4, .5, .6, .9, .8, .7, .6, .5, .4; }",
        'probability("c" "a" "b"){table .1 .2 .3 .4 .5 .6 .9 .8 .7 .6 .5 .4;}',
        "probability (c a b) { (no z) .6 .4; default .1 .9; (no,y).5 .5;(no x) 4e-1 .6; (yes|z) 0.30 0.70;"
        "(yes,y) .2 .8; }",
        ROWS.replace("(yes, x)", '( "yes" , "x" )').replace("}", 'property "p (1, 2);" ; property q = (0;\n}'),
        ROWS.replace("\n", "\r\n").replace("(no, x)", '/* "a" ; } */ (no, x) // it\'s "odd } \r\n'),
    ],
)
def test_dialects(text):
    assert c_of(text) == SIX


def test_a_table_lists_the_child_slowest_as_the_rows_of_the_same_network_say(shared: Path):
    rows, table = (read_bif(shared / "networks" / file).network for file in ("asia.bif", "asia__bcause.bif"))
    assert set(rows.cpds["dysp"].parents) == set(table.cpds["dysp"].parents) == {"bronc", "either"}
    ours, theirs = laws(rows), laws(table)
    assert all(np.array_equal(ours[name], theirs[name]) for name in rows.variables)
    assert ours["dysp"].tolist() == [[[0.9, 0.1], [0.8, 0.2]], [[0.7, 0.3], [0.1, 0.9]]]


def test_names_states_and_order_are_kept():
    text = """network "My net" { property version 1; }
    probability (child | "the parent") { (<5) 1 0; (table) 0 1; ("a, b (c)") 1 0; }
    variable child { type discrete[2] { "default" 1.0 }; property label = "the \ufffd child"; }
    variable "the parent" { property x = 1; type discrete [3] { <5, table, "a, b (c)" }; }
    probability ("the parent") { default .25 .25 .5; }"""
    found = read(text)
    assert found.name == "My net"
    assert list(found.network.variables) == ["the parent", "child"]
    assert found.network.variables["the parent"].states == ("<5", "table", "a, b (c)")
    assert found.network.variables["child"].states == ("default", "1.0")
    cpd = found.network.cpds["child"]
    assert isinstance(cpd, IndexMap)
    assert cpd.index.tolist() == [0, 1, 0]


def test_bytes_that_are_not_utf8_are_latin_1_and_noted():
    found = parse_bif(decoded("// Jørgen\n".encode("latin-1") + VARIABLES.encode() + ROWS.encode(), "net.bif"))
    assert found.notes == ("byte 5 (0xf8) is not UTF-8: the file was read as Latin-1",)


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("variable c", "variable a", "unknown-variable", 6),
        ("{ t, f }", "{ t, t }", "states", 3),
        ("[ 2 ] { t", "[ 3 ] { t", "states", 3),
        ("[ 2 ] { t", "[ 1000000000 ] { t", "states", 3),
        ("type discrete [ 2 ] { t, f };", "type continuous;", "syntax", 3),
        ("type discrete [ 2 ] { t, f };", "", "syntax", 3),
        ("( c | a, b )", "( c | a, d )", "unknown-variable", 6),
        ("( c | a, b )", "( c | a, a )", "unknown-state", 7),
        ("( c | a, b )", "( c )", "row-states", 7),
        ("( c | a, b )", "( c | )", "row-states", 7),
        ("( c | a, b )", "( )", "syntax", 6),
        ("(yes, z) .3, .7;", "", "missing-row", 6),
        ("(yes, z)", "(yes, y)", "duplicate-row", 9),
        ("(yes, z)", "(yes, w)", "unknown-state", 9),
        ("(yes, z)", "(yes)", "row-states", 9),
        ("(yes, z) .3, .7;", "(yes, z) .3, .7, .1;", "shape", 9),
        ("(yes, z) .3, .7;", "(yes, z) .3 .7", "syntax", 9),
        ("(yes, z) .3, .7;", "(yes, z) .3 .8;", "row-sum", 9),
        ("(yes, z) .3, .7;", "(yes, z) -.3 1.3;", "probability", 9),
        ("(yes, z) .3, .7;", "(yes, z) .3 x;", "probability", 9),
        ("(yes, z) .3, .7;", "table .1 .9;", "shape", 9),
        ("(yes, z) .3, .7;", "default .1 .9; default .1 .9;", "duplicate-row", 9),
        ("probability ( b ) { table .5 .3 .2; }", "", "missing-cpd", 2),
        ("probability ( b ) { table .5 .3 .2; }", "probability ( b ) { }", "missing-row", 5),
        ("probability ( b ) {", "probability ( b | c ) {", "shape", 5),
        ("probability ( b ) {", "probability ( a ) {", "duplicate-cpd", 5),
        ("probability ( b ) { table .5 .3 .2; }", "probability ( b | c ) { default .5 .3 .2; }", "cycle", 2),
        ("probability ( b )", "decision ( b )", "syntax", 5),
        ("(no, z) .6, .4;\n}", "(no, z) .6, .4;", "syntax", 12),
        ("(no, z) .6, .4;\n}", "(no, z) .6, .4; property", "syntax", 12),
        ("(no, z) .6, .4;\n}", "(no, z) .6, .4; /* }", "syntax", 12),
        ("probability ( c", 'probability ( "c', "syntax", 6),
    ],
)
def test_faults_have_code_and_line(old, new, code, line):
    text = VARIABLES + ROWS
    assert old in text
    with pytest.raises(NetworkError) as caught:
        read(text.replace(old, new, 1))
    fault = caught.value.faults[0]
    assert (fault.code, fault.place and fault.place.line) == (f"network/{code}", line), str(caught.value)


def test_all_faults_of_the_tables_at_once():
    text = VARIABLES + ROWS.replace("(yes, x)", "(yes, q)").replace("(no, z) .6", "(no, z) .6, .1")
    with pytest.raises(NetworkError) as caught:
        read(text)
    assert [(fault.code, fault.place and fault.place.line) for fault in caught.value.faults] == [
        ("network/unknown-state", 7),
        ("network/shape", 12),
    ]


@pytest.mark.parametrize("text", ["", "network x { }", "// nothing\n"])
def test_a_file_without_variables(text):
    with pytest.raises(NetworkError) as caught:
        read(text)
    assert caught.value.code == "network/empty"


def test_a_file_that_is_not_there(tmp_path: Path):
    for path in (tmp_path / "none.bif", tmp_path):
        with pytest.raises(NetworkError) as caught:
            read_bif(path)
        assert caught.value.code == "network/unreadable"


@given(networks(ending=True))
@settings(max_examples=60, deadline=None)
def test_decimals_that_end_come_back_exactly(network: Network):
    written = write_bif(network)
    assert (written.notes, written.names, written.states) == ((), {}, {})
    again = read(written.text).network
    for name, law in laws(network).items():
        assert np.array_equal(law, laws(again)[name])
    assert write_bif(again).text == written.text
    assert_equal(again, read(write_bif(again).text).network)


@given(networks(ending=False))
@settings(max_examples=40, deadline=None)
def test_other_probabilities_come_back_to_1e_12(network: Network):
    again = read(write_bif(network).text)
    assert again.notes == ()
    same_posteriors(network, again.network, {}, 1e-12)


def test_odd_names_are_quoted_or_mapped():
    network = odd_network()
    written = write_bif(network, name='a "net"')
    assert written.names == {'say "hi"': "say _hi_", "new\nline": "new_line", "tab\tbed": "tab_bed"}
    again = read(written.text)
    assert again.name == "a _net_"
    assert list(again.network.variables) == [written.names.get(name, name) for name in network.variables]
    for name, variable in network.variables.items():
        states = written.states.get(name, {})
        assert again.network.variables[written.names.get(name, name)].states == tuple(
            states.get(state, state) for state in variable.states
        )
    same_posteriors(network, again.network, dict(written.names), 0)


def test_mapped_names_stay_distinct():
    states = ('"', "_", "\n", "__1")
    numbers = " ".join(["0.25"] * 4)
    text = f"variable v {{ type discrete [4] {{ s0 s1 s2 s3 }}; }} probability (v) {{ table {numbers}; }}"
    network = read(text).network
    variable = network.variables["v"]
    renamed = Network(variables={"v": type(variable)(name="v", states=states)}, cpds=network.cpds)
    again = read(write_bif(renamed).text).network
    assert len(set(again.variables["v"].states)) == 4
    assert again.variables["v"].states[1] == "_"


@pytest.mark.parametrize("file", ["asia.bif", "alarm__agrum.bif", "insurance.bif", "child.bif", "survey.bif"])
def test_pgmpy_and_pyagrum_read_what_we_write(file: str, shared: Path, tmp_path: Path):
    gum = pytest.importorskip("pyagrum")
    from pgmpy.readwrite import BIFReader

    network = read_bif(shared / "networks" / file, renormalise=True).network
    path = tmp_path / "net.bif"
    path.write_text(write_bif(network).text, encoding="utf-8")
    model, expected = BIFReader(str(path)).get_model(), laws(network)
    for name in network.variables:
        cpd = model.get_cpds(name)
        assert list(cpd.state_names[name]) == list(network.variables[name].states)
        assert tuple(cpd.variables[1:]) == network.parents(name)
        assert np.allclose(np.moveaxis(cpd.values, 0, -1), expected[name], rtol=0, atol=1e-12)
    if file != "child.bif":  # pyAgrum refuses the state 'Asy/Patch'
        inference = gum.LazyPropagation(gum.loadBN(str(path)))
        again = read_bif(path)
        assert again.notes == ()
        from pbn.exact.engine import Engine

        engine = Engine(network)
        for name in network.variables:
            ours = list(engine.posterior(name, {}, "float").probs.values())
            assert np.allclose(inference.posterior(name).tolist(), ours, rtol=0, atol=1e-6)
