"""The row sampler: rows that depend on their number alone, and that have exactly the world's law."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pbn
from pbn.cases import sample, stream
from pbn.cases.identity import law_digest
from pbn.cases.sample import SCHEME, RowSampler, rows
from pbn.exact.arithmetic import integers
from pbn.from_network import world_of_network
from pbn.network.chain import chained
from pbn.network.model import Table
from tests.cases.reference import Given, p_value, row_of, word
from tests.networks import networks
from tests.world.cases import FARM, SMALL, fault_of

WORLDS = {name: pbn.load(name) for name in pbn.shipped_worlds()}
CREDIT = WORLDS["credit_risk"]
each_world = pytest.mark.parametrize("name", WORLDS)
brief = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


def equal(one, other):
    assert one.keys() == other.keys()
    return all(np.array_equal(one[name], other[name]) and one[name].dtype == other[name].dtype for name in one)


# -- a row is a function of its number -----------------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(sample, "MOST_ROWS", 37)


@given(cuts=st.lists(st.integers(0, 400), max_size=6), order=st.randoms())
@brief
@pytest.mark.usefixtures("small_blocks")
def test_any_slices_in_any_order_are_the_same_rows(cuts, order):
    ends = sorted({0, 400, *cuts})
    slices = list(itertools.pairwise(ends))
    order.shuffle(slices)
    whole = RowSampler(FARM, 5).codes(0, 400)
    for start, stop in slices:
        part = RowSampler(FARM, 5).codes(start, stop)
        assert equal(part, {name: codes[start:stop] for name, codes in whole.items()})


@given(step=st.integers(1, 200))
@brief
def test_the_size_of_a_block_does_not_matter(step):
    expected = RowSampler(FARM, 5).codes(0, 300)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "MOST_ROWS", step)
        assert equal(RowSampler(FARM, 5).codes(0, 300), expected)


@given(names=st.sets(st.sampled_from(CREDIT.network.named), min_size=1))
@brief
def test_asking_for_fewer_variables_changes_none(names):
    whole = RowSampler(CREDIT, 1).codes(10, 60)
    assert equal(RowSampler(CREDIT, 1).codes(10, 60, names), {name: whole[name] for name in names})


def test_a_repeated_variable_stands_for_its_members():
    drawn = rows(FARM, 0, 0, 3, ["plot", "crop"])
    assert list(drawn) == [*FARM.families["plot"], "crop"]
    assert equal(rows(FARM, 0, 0, 3, "crop"), {"crop": drawn["crop"]})


def test_far_rows_can_be_reached_at_once():
    last = stream.MAX_ROW
    far = RowSampler(CREDIT, 3).codes(last - 7, last)
    assert len(far["default"]) == 7
    assert equal(RowSampler(CREDIT, 3).codes(last - 3, last), {name: codes[-3:] for name, codes in far.items()})
    assert all(len(codes) == 0 for codes in rows(CREDIT, 3, last, 0).values())


def test_another_seed_gives_other_rows():
    one, other = (rows(CREDIT, seed, 0, 100, ["employees"])["employees"] for seed in (1, 2))
    assert (one == other).mean() < 0.1


SCRIPT = """
import hashlib, sys, pbn
from pbn.cases.conditional import conditional_codes
from pbn.cases.sample import RowSampler
farm = pbn.load(sys.argv[1])
drawn = [RowSampler(world, 7).codes(90, 200) for world in (farm, pbn.load("credit_risk"), pbn.load(sys.argv[2]))]
drawn.append(conditional_codes(farm, {"sold": "yes", "crop": "oats"}, 7, 0, 90))
digest = hashlib.sha256()
for codes in drawn:
    for name in codes:
        digest.update(f"{name} {codes[name].dtype}".encode() + codes[name].tobytes())
print(digest.hexdigest())
"""
LATE = """
network late {}
variable sky {type discrete [2] {clear, rain};}
variable late {type discrete [2] {no, yes};}
probability (sky) {table 0.7, 0.3;}
probability (late | sky) {(clear) 0.9, 0.1; (rain) 0.4, 0.6;}
"""


def test_rows_are_the_same_in_every_process(tmp_path):
    farm, late = tmp_path / "small.yaml", tmp_path / "late.bif"
    farm.write_text(SMALL)
    late.write_text(LATE)
    command = [sys.executable, "-c", SCRIPT, str(farm), str(late)]
    processes = []
    for seed in ("0", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        processes.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    found = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert len(found[0].strip()) == 64
    assert found[0] == found[1]


def test_a_pickled_sampler_draws_the_same_rows():
    sampler = RowSampler(FARM, 9)
    expected = sampler.codes(0, 20)
    assert equal(pickle.loads(pickle.dumps(sampler)).codes(0, 20), expected)


def test_chains_for_other_visible_sets_give_the_same_rows():
    expected = rows(CREDIT, 4, 0, 500)
    for level in CREDIT.levels:
        view = chained(CREDIT.network, CREDIT.visible(level))
        world = world_of_network(view)
        sampler = RowSampler(world, 4)
        object.__setattr__(sampler, "_streams", RowSampler(CREDIT, 4)._streams)
        assert equal(sampler.codes(0, 500), expected)


@each_world
def test_no_part_of_a_rule_is_random(name):
    network = WORLDS[name].network
    random = [node for node, cpd in network.cpds.items() if isinstance(cpd, Table)]
    assert set(random) <= set(network.named)


# -- what decides the rows, and what does not ----------------------------------------------------------


def test_what_levels_and_questions_are_called_does_not_matter_and_a_probability_does():
    expected = rows(FARM, 1, 0, 200)
    renamed = pbn.loads(SMALL.replace("fine:", "all:").replace("  sold: {asks", "  sale: {asks").replace("Small", "S"))
    assert equal(rows(renamed, 1, 0, 200), expected)
    changed = pbn.loads(SMALL.replace("[.75, .25]", "[.74, .26]"))
    assert not np.array_equal(rows(changed, 1, 0, 200, ["plot"])["plot_1"], expected["plot_1"])


def test_pinned_rows():
    """These rows never change while the law is the same: data sets are named by seed and row."""
    assert law_digest(CREDIT) == "0b2959ca29c342969e92d908f89d6543c951a7233cc23466f4c0eb2bce90d29c"
    drawn = rows(CREDIT, 2032, 0, 6)
    shown = {name: codes.tolist() for name, codes in drawn.items()}
    assert {name: shown[name] for name in PINNED} == PINNED
    far = rows(CREDIT, 2**63 - 1, 10**12, 3, ["sector", "employees", "default"])
    assert {name: codes.tolist() for name, codes in far.items()} == FAR


PINNED = {
    "sector": [2, 0, 3, 1, 0, 1],
    "cycle": [1, 0, 2, 2, 2, 2],
    "cash_buffer": [0, 1, 2, 1, 0, 1],
    "principal_due": [0, 1, 0, 0, 0, 1],
    "funding_rate_exposure": [1, 0, 0, 0, 0, 1],
    "default": [0, 0, 0, 0, 1, 0],
    "employees": [297, 186, 215, 99, 38, 3218],
}
FAR = {"sector": [2, 0, 2], "employees": [11, 389, 79], "default": [1, 0, 0]}


# -- exactly the law -----------------------------------------------------------------------------------


@given(network=networks(), seed=st.integers(0, 2**63 - 1))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_equal_those_drawn_in_fractions(network, seed):
    world = world_of_network(network)
    drawn = RowSampler(world, seed).codes(2, 8)
    source = (SCHEME, law_digest(world), seed)
    for row in range(2, 8):
        case = row_of(network, lambda name, depth, row=row: word(source, name, row, depth))
        assert {name: codes[row - 2] for name, codes in drawn.items()} == case


@each_world
def test_rows_of_shipped_worlds_equal_those_drawn_in_fractions(name):
    world = WORLDS[name]
    drawn = RowSampler(world, 17).codes(0, 12)
    source = (SCHEME, law_digest(world), 17)
    for row in range(12):
        case = row_of(world.network, lambda name, depth, row=row: word(source, name, row, depth))
        assert all(codes[row] == case[node] for node, codes in drawn.items())


def boundary_words(network, rows_, choice):
    """For each random variable and row a word on or next to a bound, or any; and further words."""
    words = {}
    for name, cpd in network.cpds.items():
        if isinstance(cpd, Table):
            sums = np.cumsum(cpd.numerators.astype(object), axis=-1).ravel()
            bounds = sorted(
                {min(max((int(s) << 64) // cpd.denominator + d, 0), 2**64 - 1) for s in sums for d in (-1, 0, 1)}
            )
            words[name] = [bounds[choice(len(bounds))] for _ in range(rows_)]
    return words


@given(network=networks(), data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_words_on_a_bound_are_decided_by_further_words(network, data):
    choice = np.random.default_rng(data.draw(st.integers(0, 2**32))).integers
    world, start, count = world_of_network(network), 5, 30
    first = boundary_words(network, start + count, choice)
    further = [0, 1, 2**63, 2**64 - 1, 2**64 // 3, 2 * 2**64 // 3]
    later = {name: choice(len(further), size=(start + count, 4)) for name in first}

    def digit(name, row, depth):
        if depth == 0:
            return first[name][row]
        return further[later[name][row, depth - 1]] if depth <= 4 else word(("later",), name, row, depth)

    sampler = RowSampler(world, 0)
    object.__setattr__(sampler, "_streams", Given(digit))
    drawn = sampler.codes(start, start + count)
    for k in range(count):
        case = row_of(network, lambda name, depth, row=start + k: digit(name, row, depth))
        assert {name: codes[k] for name, codes in drawn.items()} == case


@given(name=st.text(max_size=9), row=st.integers(0, 9), depth=st.integers(0, 3), seed=st.integers(0, 2**63 - 1))
@brief
def test_words_are_those_of_philox_under_a_hashed_key(name, row, depth, seed):
    source = (SCHEME, "ab", seed)
    streams = stream.Streams(source=source)
    assert streams.word(name, row, depth) == word(source, name, row, depth)
    assert streams.words(name, row, 2).tolist() == [word(source, name, row), word(source, name, row + 1)]


@each_world
def test_frequencies_follow_the_law(name):
    """Chi-square on 400,000 rows; for another seed the chance that this test fails is one in 10,000."""
    world, count = WORLDS[name], 400_000
    drawn = RowSampler(world, 20).codes(0, count)
    asked = next(iter(world.questions.values())).asks
    p_values = []
    for variable in world.network.named:
        names = (variable,) if variable == asked else (variable, asked)
        numbers = world.engine.joint(names, {}, "exact")
        law = (integers(numbers) / numbers.denominator).astype(float).ravel()
        cell = drawn[variable].astype(int)
        if variable != asked:
            cell = cell * world.network.size(asked) + drawn[asked]
        p_values.append(p_value(np.bincount(cell, minlength=len(law)), law))
    assert min(p_values) > 1e-4 / len(p_values)


# -- refusals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**63, True, np.True_, 1.0, "1", None, pytest.param(10**5000, id="huge")])
def test_seeds_that_are_refused(seed):
    assert fault_of(RowSampler, FARM, seed).code == "cases/seed"


@pytest.mark.parametrize(
    ("start", "stop"), [(-1, 2), (0, 2**62 + 1), (3, 2), (0.0, 1), (False, 1), pytest.param(0, 10**5000, id="huge")]
)
def test_rows_that_are_refused(start, stop):
    assert fault_of(RowSampler(FARM, 0).codes, start, stop).code == "cases/row"


def test_seeds_and_rows_of_numpy_are_taken():
    assert equal(rows(FARM, np.int32(4), np.uint8(3), np.int64(5)), rows(FARM, 4, 3, 5))


def test_unknown_names_and_parts_of_rules_are_refused():
    fault = fault_of(rows, FARM, 0, 0, 1, ["corp"])
    assert (fault.code, fault.hint) == ("query/unknown-variable", "did you mean 'crop'?")
    parts = [name for name in CREDIT.engine.view(()).variables if name not in CREDIT.network.named]
    assert fault_of(rows, CREDIT, 0, 0, 1, parts[:1]).code == "query/unknown-variable"
