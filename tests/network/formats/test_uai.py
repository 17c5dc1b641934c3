"""UAI: the order of scopes and tables, faults with their places, and networks written and read again."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pbn.errors import NetworkError
from pbn.network.formats.bif import read_bif
from pbn.network.formats.draft import ReadNetwork
from pbn.network.formats.text import decoded
from pbn.network.formats.uai import parse_uai, read_uai, write_uai
from pbn.network.model import Network, Table
from tests.network.formats.networks import laws, networks, odd_network, same_posteriors

TEXT = """\
# three variables
BAYES
3
2 3 2
3
1 0
1 1
3 1 0 2 # the child comes last

2
.2 .8
3
.5 .3 .2
12
.1 .9  .2 .8  .3 .7  .4 .6  5e-1 .5  .6 .4
"""


def read(text: str) -> ReadNetwork:
    return parse_uai(decoded(text.encode("utf-8"), "net.uai"))


def test_the_child_is_last_and_changes_fastest():
    for text in (TEXT, TEXT.replace("\n", "\r\n"), " ".join(line.split("#")[0] for line in TEXT.splitlines())):
        network = read(text).network
        assert list(network.variables) == ["0", "1", "2"]
        assert network.variables["1"].states == ("0", "1", "2")
        cpd = network.cpds["2"]
        assert isinstance(cpd, Table)
        assert cpd.parents == ("1", "0")
        assert [Fraction(int(n), cpd.denominator) for n in cpd.numerators[..., 0].ravel()] == [
            Fraction(k, 10) for k in range(1, 7)
        ]


@pytest.mark.parametrize(
    ("old", "new", "code", "line"),
    [
        ("BAYES", "MARKOV", "uai-type", 2),
        ("BAYES", "CAUSAL", "uai-type", 2),
        ("BAYES", "bayes", "uai-type", 2),
        (TEXT, "", "uai-type", 1),
        (TEXT, "# nothing", "uai-type", 1),
        ("\n3\n2 3 2", "\n0\n2 3 2", "empty", 3),
        ("\n3\n2 3 2", "\n1000000000\n2 3 2", "states", 6),
        ("2 3 2", "2 1000000000 2", "too-large", 7),
        ("2 3 2", "1000000000 1000000000 2", "too-large", 6),
        ("2 3 2", "2 0 2", "states", 4),
        ("2 3 2", "2 -3 2", "syntax", 4),
        ("2 3 2\n3", "2 3 2\n4", "shape", 5),
        ("1 1", "1 7", "unknown-variable", 7),
        ("1 1", "1 0", "duplicate-cpd", 7),
        ("1 1", "0 1", "shape", 7),
        ("1 1", "2 1 1", "shape", 12),
        ("3 1 0 2", "3 1 1 2", "shape", 14),
        ("\n2\n.2", "\n3\n.2", "shape", 10),
        (".2 .8", ".2 .9", "row-sum", 11),
        (".2 .8", ".2 x", "probability", 11),
        ("5e-1 .5", "5e-1 .6", "row-sum", 15),
        (" .6 .4\n", " .6\n", "syntax", 15),
        (" .6 .4\n", " .6 .4 7\n", "syntax", 15),
    ],
)
def test_faults_have_code_and_line(old, new, code, line):
    assert old in TEXT
    with pytest.raises(NetworkError) as caught:
        read(TEXT.replace(old, new, 1))
    fault = caught.value.faults[0]
    assert (fault.code, fault.place and fault.place.line) == (f"network/{code}", line), str(caught.value)


def test_a_cycle_and_a_node_that_is_its_own_parent():
    for text in ("BAYES 2 1 1 2 2 1 0 2 0 1 1 1 1 1", "BAYES 2 2 1 2 2 0 0 1 1 4 1 0 1 0 1 1"):
        with pytest.raises(NetworkError) as caught:
            read(text)
        assert caught.value.code == "network/cycle"


@given(networks(ending=True))
@settings(max_examples=60, deadline=None)
def test_decimals_that_end_come_back_exactly(network: Network):
    written = write_uai(network)
    again = read(written.text).network
    assert written.notes == ()
    for name, law in laws(network).items():
        assert np.array_equal(law, laws(again)[written.names[name]])
    assert write_uai(again).text == written.text


@given(networks(ending=False))
@settings(max_examples=40, deadline=None)
def test_other_probabilities_come_back_to_1e_12(network: Network):
    written = write_uai(network)
    again = read(written.text)
    assert again.notes == ()
    same_posteriors(network, again.network, dict(written.names), 1e-12)


def test_numbers_stand_for_names_and_states():
    network = odd_network()
    written = write_uai(network)
    assert set(written.names) == set(network.variables)
    assert written.names["two words"] == str(list(network.variables).index("two words"))
    assert all(
        code == str(k)
        for name, variable in network.variables.items()
        for k, state in enumerate(variable.states)
        if (code := written.states[name][state])
    )
    same_posteriors(network, read(written.text).network, dict(written.names), 0)


@pytest.mark.parametrize("file", ["asia__agrum.uai", "dog__agrum.uai", "uai-test-model__merlin.uai"])
def test_a_file_written_again_says_the_same(file: str, shared: Path):
    network = read_uai(shared / "networks" / file).network
    again = read(write_uai(network).text).network
    ours, theirs = laws(network), laws(again)
    written = write_uai(network)
    assert all(np.array_equal(ours[name], theirs[written.names.get(name, name)]) for name in ours)


def test_pyagrum_reads_what_we_write(shared: Path, tmp_path: Path):
    """Only tables with one parent: pyAgrum 3.3 reverses the order of several parents."""
    gum = pytest.importorskip("pyagrum")
    from pbn.exact.engine import Engine

    network = read_bif(shared / "networks" / "asia.bif").network
    kept = ["asia", "tub", "smoke", "lung", "bronc"]
    order = [name for name in network.variables if name in kept]
    small = Network(
        variables={name: network.variables[name] for name in order}, cpds={name: network.cpds[name] for name in order}
    )
    written = write_uai(small)
    path = tmp_path / "net.uai"
    path.write_text(written.text, encoding="utf-8")
    inference, engine = gum.LazyPropagation(gum.loadBN(str(path))), Engine(small)
    for name in small.variables:
        ours = list(engine.posterior(name, {}, "float").probs.values())
        assert np.allclose(inference.posterior(written.names[name]).tolist(), ours, rtol=0, atol=1e-6)
