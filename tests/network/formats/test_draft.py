"""Drafts become exact networks, or one error that lists every fault."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbn.errors import MOST_FOUND, MOST_SHOWN, Fault, NetworkError, Place
from pbn.network.formats.draft import NodeDraft, ReadNetwork, build_network
from pbn.network.formats.numbers import exact_decimals, rescaled, written_numbers
from pbn.network.model import IndexMap, Table

AB = ("a", "b")


def node(
    name: str,
    numbers: str | Sequence[str] | None,
    states: tuple[str, ...] = AB,
    parents: tuple[str, ...] = (),
    line: int = 1,
    certain: Sequence[int] | None = None,
) -> NodeDraft:
    listed = numbers.split() if isinstance(numbers, str) else numbers
    return NodeDraft(
        name=name,
        states=states,
        parents=parents,
        numbers=listed,
        certain=certain,
        place=Place(file="net", line=line, column=1),
    )


def build(*nodes: NodeDraft, renormalise: bool = False) -> ReadNetwork:
    return build_network(nodes, name="test", renormalise=renormalise)


def faults(*nodes: NodeDraft, renormalise: bool = False) -> list[Fault]:
    with pytest.raises(NetworkError) as caught:
        build(*nodes, renormalise=renormalise)
    return list(caught.value.faults)


def law(read: ReadNetwork, name: str) -> list[Fraction]:
    cpd = read.network.cpds[name]
    assert isinstance(cpd, Table)
    return [Fraction(int(value), cpd.denominator) for value in cpd.numerators.ravel()]


@pytest.mark.parametrize(
    ("numbers", "exact"),
    [
        (".5 0.50", ["1/2", "1/2"]),
        ("1e-3 .999", ["1/1000", "999/1000"]),
        ("5.0E-1 5E-1", ["1/2", "1/2"]),
        ("+0.25 00.75", ["1/4", "3/4"]),
        ("1. 0", ["1", "0"]),
        ("-0.0 1.0", ["0", "1"]),
        ("1e-30 0." + "9" * 30, [f"1/{10**30}", f"{10**30 - 1}/{10**30}"]),
        ("0e999999 1", None),
        ("10e-1 0", ["1", "0"]),
    ],
)
def test_numbers_are_read_exactly(numbers, exact):
    if exact is None:
        assert faults(node("x", numbers))[0].code == "network/probability"
    else:
        assert law(build(node("x", numbers)), "x") == list(map(Fraction, exact))


def test_denominators_are_reduced_and_large_ones_are_python_integers():
    read = build(node("x", "0.50000000000000000000000000 .5"), node("y", "1e-19 0.9999999999999999999"))
    x, y = (read.network.cpds[name] for name in "xy")
    assert isinstance(x, Table)
    assert isinstance(y, Table)
    assert (x.denominator, x.numerators.dtype, y.denominator, y.numerators.dtype) == (2, np.int64, 10**19, object)
    assert y.probabilities.tolist() == [1e-19, 1.0]


@pytest.mark.parametrize(
    "number",
    [
        "nan",
        "inf",
        "-inf",
        "1/2",
        "",
        ".",
        "e5",
        "0x1",
        "1_0",
        "٠.٥",
        "1e",
        "--1",
        "0.5a",
        "1e401",
        "1e-401",
        "1e-999999999999",
        "0." + "1" * 401,
    ],
)
def test_what_is_no_number_is_refused(number):
    (fault,) = faults(node("x", [number, ".5"], line=7))
    assert (fault.code, fault.place and fault.place.line, fault.found) == ("network/probability", 7, number[:60])


@pytest.mark.parametrize("number", ["1e401", "1e-401", "1e-999999999999"])
def test_exponents_that_are_out_of_reach_are_told_as_such(number):
    (fault,) = faults(node("x", [number, ".5"]))
    assert "has an exponent beyond 400" in fault.message


def test_negative_entries_and_entries_above_one_are_named_with_their_states():
    (first, second) = faults(node("x", ".5 .5"), node("y", "1.5 -.5 1 0", parents=("x",)))
    assert "greater than 1, first for y=a given x=a" in first.message
    assert "negative, first for y=b given x=a" in second.message


def test_rows_of_certainties_make_an_index_map():
    read = build(node("x", ".5 .5"), node("y", "1.0 0 0 1e0", parents=("x",)), node("z", "0 1"))
    cpd = read.network.cpds["y"]
    assert isinstance(cpd, IndexMap)
    assert cpd.index.tolist() == [0, 1]
    assert read.network.variables["y"].origin == "deterministic"
    assert isinstance(read.network.cpds["z"], Table)


def test_deterministic_drafts():
    read = build(node("y", None, parents=("x",), certain=[1, 0]), node("x", ".5 .5"), node("z", None, certain=[1]))
    assert list(read.network.variables) == ["x", "y", "z"]
    cpd = read.network.cpds["y"]
    assert isinstance(cpd, IndexMap)
    assert cpd.index.tolist() == [1, 0]
    assert law(read, "z") == [0, 1]
    assert faults(node("z", None, certain=[2]))[0].code == "network/index"


def test_parents_come_first_otherwise_the_order_of_the_file():
    names = ["d", "a", "c", "b"]
    nodes = [node(name, ["1"], ("s",), ("b",) if name == "d" else ()) for name in names]
    assert [n.name for n in nodes] == names
    assert list(build(*nodes).network.variables) == ["a", "c", "b", "d"]


def test_all_structural_faults_at_once():
    found = faults(
        node("x", ".5 .5", line=1),
        node("x", ".5 .5", line=2),
        node("y", ".5 .5", ("a", "a"), line=3),
        node("z", ".5 .5", parents=("w",), line=4),
        node("w2", None, line=5),
        node("v", ".5 .5 .1", line=6),
        node("u", ["1"] * 8, parents=("v", "v"), line=7),
        node("t", [], (), line=8),
    )
    assert [(fault.code.partition("/")[2], fault.place and fault.place.line) for fault in found] == [
        ("duplicate-node", 1),
        ("duplicate-node", 2),
        ("states", 3),
        ("unknown-parent", 4),
        ("missing-cpd", 5),
        ("shape", 6),
        ("duplicate-parent", 7),
        ("states", 8),
    ]
    assert found[3].hint is not None


def test_at_most_fifty_faults_are_listed():
    found = faults(*(node(f"x{k}", "-1 2") for k in range(90)))
    assert len(found) == MOST_SHOWN + 1
    assert found[-1].message == "130 more faults are not shown"


def test_a_file_with_very_many_faults_is_read_no_further():
    found = faults(*(node(f"x{k}", "-1 2") for k in range(2 * MOST_FOUND)))
    assert len(found) == MOST_SHOWN + 1
    assert found[-1].message == "at least 950 more faults are not shown"


@pytest.mark.parametrize(
    ("arcs", "cycle"), [({"a": "b", "b": "c", "c": "a"}, 3), ({"a": "a"}, 1), ({"a": "b", "b": "c", "c": "b"}, 2)]
)
def test_a_cycle_is_shown(arcs, cycle):
    nodes = [node(name, "1", ("s",), (parent,)) for name, parent in arcs.items()]
    (fault,) = faults(*nodes)
    assert fault.code == "network/cycle"
    path = (fault.found or "").split(" → ")
    assert path[0] == path[-1]
    assert len(path) == cycle + 1
    assert all(arcs[child] == parent for parent, child in itertools.pairwise(path))


def test_a_row_that_is_off_by_rounding():
    draft = [node("x", ".5 .5"), node("y", "0.3333333 0.6666666 .25 .75", parents=("x",), line=9)]
    (fault,) = faults(*draft)
    assert fault.code == "network/row-sum"
    assert (fault.found, fault.allowed, fault.place and fault.place.line) == ("0.9999999", "1", 9)
    assert "y given x=a" in fault.message
    assert "--renormalise" in (fault.hint or "")
    read = build(*draft, renormalise=True)
    assert read.notes == ("y: 1 row summed to 1 only within 1e-07 and was rescaled",)
    assert law(read, "y") == [
        Fraction(333333333333333333, 10**18),
        Fraction(666666666666666667, 10**18),
        Fraction(1, 4),
        Fraction(3, 4),
    ]


def test_a_row_that_is_off_by_more_stays_an_error():
    for numbers in ("0.5 0.4989", "0 0", "0.5 0.5011"):
        (fault,) = faults(node("x", numbers), renormalise=True)
        assert (fault.code, fault.hint) == ("network/row-sum", None)
    build(node("x", "0.5 0.499"), renormalise=True)
    assert faults(node("x", "0.5 0.499"))[0].code == "network/row-sum"


def test_printed_doubles_are_rescaled_and_noted():
    read = build(node("x", "0.1 0.2 0.7000000000000001", ("a", "b", "c")))
    assert read.notes == ("x: 1 row summed to 1 only within 1e-16 (printed doubles) and was rescaled",)
    assert sum(law(read, "x")) == 1
    build(node("x", "1.0000000000000002 0.0"))


def test_rescaling_keeps_small_probabilities():
    p = law(build(node("x", "1e-20 0.3333333 0.6666666", ("a", "b", "c")), renormalise=True), "x")
    assert sum(p) == 1
    assert p[0] > 0
    assert abs(p[0] / Fraction("1e-20") / (Fraction(1) / Fraction("0.9999999")) - 1) < Fraction(1, 10**10)


def test_rescaling_many_rows_keeps_one_small_denominator():
    rng = np.random.default_rng(5)
    tokens = [f"{p:.4f}" for row in rng.dirichlet(np.ones(7), size=500) for p in row]
    states = tuple(map(str, range(500)))
    read = build(node("x", ["0.002"] * 500, states), node("y", tokens, tuple("abcdefg"), ("x",)), renormalise=True)
    cpd = read.network.cpds["y"]
    assert isinstance(cpd, Table)
    assert cpd.denominator <= 10**18
    assert cpd.numerators.dtype == np.int64


@given(st.lists(st.integers(0, 10**30), min_size=1, max_size=8).filter(any), st.integers(0, 20))
def test_rescaled_rows_sum_and_stay_within_one_unit(weights, places):
    unit = 10**places
    (shares,) = rescaled(np.array([weights], dtype=object), unit)
    assert sum(shares) == unit
    for weight, share in zip(weights, shares, strict=True):
        exact = Fraction(weight * unit, sum(weights))
        assert abs(share - exact) < 1
        assert share == exact == 0 or weight > 0


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=6))
def test_written_numbers_are_read_again(weights):
    total = sum(weights)
    cpd = Table(parents=(), numerators=np.array(weights), denominator=total)
    written = written_numbers(cpd, len(weights))
    decimals = exact_decimals(written.tokens)
    values = [Fraction(decimals.scaled[token], 10**decimals.places) for token in written.tokens]
    assert sum(values) == 1
    for value, weight in zip(values, weights, strict=True):
        assert value == Fraction(weight, total) if written.exact else abs(value * total / weight - 1) < 1e-17


def test_declared_sizes_are_refused_before_anything_is_allocated():
    states = tuple(map(str, range(1000)))
    roots = [node(name, ["1"] + ["0"] * 999, states) for name in "pqr"]
    begun = time.perf_counter()
    found = faults(*roots, node("x", ["1"], parents=("p", "q", "r")))
    (fault,) = [fault for fault in found if "too-large" in fault.code]
    assert fault.found == "2,000,000,000 cells"
    assert time.perf_counter() - begun < 2


def test_ten_thousand_nodes_in_a_chain_listed_backwards():
    nodes = [node("x0", "1 0")] + [node(f"x{k}", ".5 .5 .25 .75", parents=(f"x{k - 1}",)) for k in range(1, 10_000)]
    begun = time.perf_counter()
    read = build(*reversed(nodes))
    assert time.perf_counter() - begun < 20
    assert list(read.network.variables)[:3] == ["x0", "x1", "x2"]
    assert read.network.parents("x1") == ("x0",)


def test_any_text_may_be_a_name():
    names = ["a:2", "a.1", "sum of b", "é", "table", '"', "{}", "a"]
    read = build(*(node(name, ".5 .5", tuple(names[:2])) for name in names))
    assert list(read.network.variables) == names
