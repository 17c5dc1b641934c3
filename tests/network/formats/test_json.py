"""Our own JSON brings every network back exactly, and says what is wrong with what is none."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

import pbn
from pbn.errors import NetworkError
from pbn.network.formats.bif import read_bif
from pbn.network.formats.draft import ReadNetwork
from pbn.network.formats.json import parse_json, read_json, write_json
from pbn.network.formats.text import decoded
from pbn.network.model import Fold, Network
from tests.network.formats.networks import assert_equal, networks, odd_network

TABLE: dict[str, Any] = {"kind": "table", "parents": [], "denominator": 10, "numerators": [3, "7"]}
INDEX: dict[str, Any] = {"kind": "index", "parents": ["x"], "index": [1, 0]}
FOLD: dict[str, Any] = {
    "kind": "fold",
    "parents": ["x", "y", "x2"],
    "operation": "+",
    "terms": [["0", "1/3"], ["0", "0.5"], ["0", "1"]],
}


def document(**changes: Any) -> dict[str, Any]:
    """A document with each kind of CPD; ``changes`` replaces top-level keys."""
    values = sorted(
        {
            a + b + c
            for a in (Fraction(0), Fraction(1, 3))
            for b in (Fraction(0), Fraction(1, 2))
            for c in (Fraction(0), Fraction(1))
        }
    )
    variables = [
        {"name": "x", "states": ["a", "b"], "origin": "random", "cpd": dict(TABLE), "role": "latent", "unit": "%"},
        {"name": "x2", "states": ["a", "b"], "origin": "random", "cpd": dict(TABLE), "text": "second"},
        {"name": "y", "states": ["a", "b"], "origin": "deterministic", "cpd": dict(INDEX), "values": ["1/3", "-2.5"]},
        {
            "name": "z",
            "states": [str(v) for v in values],
            "origin": "deterministic",
            "cpd": dict(FOLD),
            "values": [str(v) for v in values],
        },
    ]
    return {"format": "pbn-network", "version": 1, "name": "net", "variables": variables, **changes}


def read(data: Any) -> ReadNetwork:
    text = data if isinstance(data, str) else json.dumps(data)
    return parse_json(decoded(text.encode("utf-8"), "net.json"))


def test_all_kinds_of_cpds_are_read():
    found = read(document())
    assert found.name == "net"
    network = found.network
    assert network.variables["y"].values == (Fraction(1, 3), Fraction(-5, 2))
    assert (network.variables["x"].role, network.variables["x"].unit, network.variables["x2"].text) == (
        "latent",
        "%",
        "second",
    )
    fold = network.cpds["z"]
    assert isinstance(fold, Fold)
    assert fold.terms[0] == (0, Fraction(1, 3))
    assert_equal(network, read(write_json(network, name="net").text).network)


@given(networks(ending=False))
@settings(max_examples=60, deadline=None)
def test_networks_come_back_equal(network: Network):
    assert_equal(network, read(write_json(network).text).network)


@pytest.mark.parametrize("name", ["credit_risk", "peer_review", "support_ticket"])
def test_worlds_come_back_equal_with_their_folds_values_and_roles(name: str, tmp_path: Path):
    network = pbn.load(name).network
    path = tmp_path / "net.json"
    path.write_text(write_json(network, name=name).text, encoding="utf-8")
    found = read_json(path)
    assert found.name == name
    assert_equal(network, found.network)


@pytest.mark.parametrize("file", ["munin1.bif", "health_pgmpy__farehm.bif", "link.bif"])
def test_real_networks_come_back_equal(file: str, shared: Path):
    network = read_bif(shared / "networks" / file, renormalise=True).network
    assert_equal(network, read(write_json(network).text).network)


def test_odd_names_come_back_equal():
    assert_equal(odd_network(), read(write_json(odd_network()).text).network)


def variable(k: int, **changes: Any) -> dict[str, Any]:
    """The document with one variable changed."""
    data = document()
    data["variables"][k] |= changes
    return data


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("", "syntax"),
        ("{", "syntax"),
        ("[" * 100_000, "syntax"),
        ('{"a": 1, "a": 2}', "syntax"),
        ('{"a": NaN}', "syntax"),
        ('{"a": ' + "9" * 5000 + "}", "syntax"),
        ("[]", "json"),
        ("3", "json"),
        ("{}", "json"),
        (document(version=2), "json"),
        (document(format="other"), "json"),
        (document(more=1), "json"),
        (document(variables=[]), "json"),
        (document(undefined=["w"]), "unknown-variable"),
        (variable(0, name="x2"), "duplicate-node"),
        (variable(0, states=[]), "json"),
        (variable(0, name=""), "json"),
        (variable(0, states=["a", "a"]), "states"),
        (variable(0, states=["a", "b", "c"]), "shape"),
        (variable(0, values=["1"]), "values"),
        (variable(0, values=["1", "1/0"]), "json"),
        (variable(0, values=["1", "x"]), "json"),
        (variable(0, values=[1, 2]), "json"),
        (variable(0, origin="odd"), "json"),
        (variable(0, cpd={**TABLE, "parents": ["z"]}), "unknown-parent"),
        (variable(0, cpd={**TABLE, "parents": ["x"]}), "unknown-parent"),
        (variable(2, cpd={**INDEX, "parents": ["x", "x"]}), "duplicate-parent"),
        (variable(0, cpd={**TABLE, "denominator": 0}), "denominator"),
        (variable(0, cpd={**TABLE, "denominator": 11}), "row-sum"),
        (variable(0, cpd={**TABLE, "numerators": [11, -1]}), "json"),
        (variable(0, cpd={**TABLE, "numerators": [3.0, 7]}), "json"),
        (variable(0, cpd={**TABLE, "numerators": [True, 9]}), "json"),
        (variable(0, cpd={**TABLE, "numerators": [3, "-7"]}), "json"),
        (variable(0, cpd={**TABLE, "numerators": [3, str(10**30)]}), "row-sum"),
        (variable(2, cpd={**INDEX, "index": [0, 2]}), "index"),
        (variable(2, cpd={**INDEX, "index": [0]}), "shape"),
        (variable(2, cpd={**INDEX, "kind": "map"}), "json"),
        (variable(3, values=None), "values"),
        (variable(3, cpd={**FOLD, "terms": [["0"], ["0"], ["0"]]}), "shape"),
        (variable(3, cpd={**FOLD, "terms": [["0", "9"], ["0", "1"], ["0", "1"]]}), "values"),
        (variable(3, cpd={**FOLD, "operation": "-"}), "json"),
        (variable(0, states=["a", "\ud800"]), "json"),
    ],
)
def test_faults(data, code):
    text = data if isinstance(data, str) else json.dumps(data)
    with pytest.raises(NetworkError) as caught:
        read(text)
    assert f"network/{code}" in [fault.code for fault in caught.value.faults], str(caught.value)
    assert all(fault.place and fault.place.file == "net.json" for fault in caught.value.faults)


def test_a_fault_of_json_itself_has_its_line():
    with pytest.raises(NetworkError) as caught:
        read('{"format": "pbn-network",\n "version" 1}')
    place = caught.value.faults[0].place
    assert place is not None
    assert (place.line, place.column) == (2, 12)


def test_no_variable_may_be_called_like_a_part_of_a_fold():
    data = document()
    data["variables"][1]["name"] = "z:2"
    data["variables"][3]["cpd"] = {**FOLD, "parents": ["x", "y", "z:2"]}
    with pytest.raises(NetworkError) as caught:
        read(data)
    assert caught.value.code == "network/name"


def test_a_declared_size_is_refused_before_anything_is_allocated():
    states = [str(k) for k in range(1000)]
    roots = [
        {
            "name": name,
            "states": states,
            "origin": "random",
            "cpd": {**TABLE, "denominator": 1, "numerators": [1] + [0] * 999},
        }
        for name in "pqr"
    ]
    child = {"name": "c", "states": ["a"], "origin": "random", "cpd": {**TABLE, "parents": ["p", "q", "r"]}}
    with pytest.raises(NetworkError) as caught:
        read(document(variables=[*roots, child]))
    assert caught.value.code == "network/too-large"
