"""What the tables say: to a model what its level shows and nothing else; the labels and the exact truth beside it."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow
import pyarrow.parquet as parquet
import pytest

import pbn
from pbn.cases import formats
from pbn.cases.formats import decode, encode, values
from pbn.cases.records import Contents, Records, States, numbers_of
from pbn.cases.sample import RowSampler
from pbn.exact.arithmetic import integers
from pbn.network.model import Variable
from tests.cases.datasets import KIOSK, lines, made, plan_for
from tests.cases.reference import p_value
from tests.world.cases import fault_of

WORLDS = {name: pbn.load(name) for name in pbn.shipped_worlds()} | {"kiosk": pbn.loads(KIOSK)}
LEVELS = [(name, level) for name, world in WORLDS.items() for level in world.levels]
each_world = pytest.mark.parametrize("name", WORLDS)
each_level = pytest.mark.parametrize(("name", "level"), LEVELS)
SEED, START, STOP = 2032, 1000, 1200
HIDDEN = {name: Records(world, SEED, Contents(levels=tuple(world.levels), memo=True)) for name, world in WORLDS.items()}
TABLES = {name: {(kind, level): t for kind, level, t in r.tables(START, STOP)} for name, r in HIDDEN.items()}


def evidence(world, codes, k, level):
    """A row's visible attributes, as `World.posterior` takes them."""
    return {name: world.network.variables[name].states[codes[name][k]] for name in world.level(level).visible}


# -- what a model may see ----------------------------------------------------------------------------


@each_level
def test_cases_hold_the_identifier_what_the_level_shows_and_the_memo(name, level):
    world, table = WORLDS[name], TABLES[name]["cases", level]
    codes = RowSampler(world, SEED).codes(START, STOP)
    columns = list(table)
    assert (columns[0], columns[-1]) == ("id", "memo")
    shown = {}
    for column in columns[1:-1]:
        family = world.families.get(column)
        for k, member in enumerate(family or [column]):
            shown[member] = [value[k] if family else value for value in values(table[column])]
    assert sorted(shown) == sorted(world.level(level).visible)
    for member, found in shown.items():
        states = world.network.variables[member].states
        told = [states[code] for code in codes[member]]
        assert [str(value) for value in found] == told or [Fraction(str(value)) for value in found] == [
            Fraction(text) for text in told
        ]


@each_level
def test_the_memo_is_the_text_of_the_row(name, level):
    world, memos = WORLDS[name], TABLES[name]["cases", level]["memo"]
    codes, memo = RowSampler(world, SEED).codes(START, STOP), world.memo(level)
    for k in range(0, STOP - START, 29):
        assert memos[k] == memo.text(evidence(world, codes, k, level), position=START + k)


@each_world
def test_a_memo_may_end_with_one_question(name):
    world = WORLDS[name]
    for question in world.questions.values():
        contents = Contents(levels=tuple(world.levels)[:1], memo=True, question=question.name)
        table = next(iter(Records(world, SEED, contents).tables(START, START + 3)))[2]
        assert all(memo.endswith(question.text) for memo in table["memo"])


@pytest.mark.parametrize("form", formats.FORMATS)
@each_level
def test_nothing_hidden_stands_in_a_file_for_models(name, level, form):
    """Neither in its bytes, dictionaries and metadata included, nor in its values."""
    world, table = WORLDS[name], TABLES[name]["cases", level]
    data = encode(table, form, {"seed": SEED})
    if form == "parquet":
        arrow = parquet.ParquetFile(pyarrow.BufferReader(data)).read()
        said = str(arrow.schema) + json.dumps({k.decode(): v.decode() for k, v in arrow.schema.metadata.items()})
        for column in arrow.column_names:
            unified = arrow.column(column).combine_chunks()
            if pyarrow.types.is_dictionary(unified.type):
                assert column in world.level(level).visible
                assert set(unified.dictionary.to_pylist()) <= set(world.network.variables[column].states)
    else:
        said = " ".join({key for line in data.decode().splitlines() for key in json.loads(line)})
        assert len(data.decode().splitlines()) == STOP - START
    hidden = set(world.network.named) - set(world.level(level).visible)
    families = {family for family, its in world.families.items() if hidden.issuperset(its)}
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in said).split())
    assert not words & (hidden | families | set(world.questions))
    assert not [word for word in words if word.startswith(("label_", "p_", "hidden_"))]
    truth = TABLES[name]["truth", None]
    for column in truth:
        if column.startswith("p_"):  # no probability stands in a text, as a number of its length would
            told = {repr(p) for p in truth[column].tolist() if len(repr(p)) > 6}
            assert not any(p in data.decode("utf-8", "replace") for p in told)


@each_world
def test_the_same_case_at_every_level(name):
    world = WORLDS[name]
    for one, other in itertools.combinations(world.levels, 2):
        left, right = TABLES[name]["cases", one], TABLES[name]["cases", other]
        for column in (set(left) & set(right)) - {"id", "memo"}:
            assert values(left[column]) == values(right[column])


# -- identifiers -------------------------------------------------------------------------------------


@each_world
def test_every_case_has_one_line_of_labels_and_one_of_truth(name):
    world, tables = WORLDS[name], TABLES[name]
    ids = [one for level in world.levels for one in tables["cases", level]["id"]]
    assert len(set(ids)) == len(ids) == len(world.levels) * (STOP - START)
    for kind in ("labels", "truth"):
        table = tables[kind, None]
        assert table["id"] == ids
        assert values(table["level"]) == [level for level in world.levels for _ in range(STOP - START)]
        assert values(table["row"]) == list(range(START, STOP)) * len(world.levels)


# -- labels and truth --------------------------------------------------------------------------------


@each_world
def test_labels_are_the_outcomes_of_the_row_at_every_level(name):
    world, codes = WORLDS[name], RowSampler(WORLDS[name], SEED).codes(START, STOP)
    table = TABLES[name]["labels", None]
    assert list(table) == ["id", "level", "row", *(f"label_{question}" for question in world.questions)]
    for question in world.questions.values():
        states = world.network.variables[question.asks].states
        told = [states[code] for code in codes[question.asks]]
        assert values(table[f"label_{question.name}"]) == told * len(world.levels)


@each_level
def test_truth_is_the_exact_posterior(name, level):
    """The float nearest to the fraction, on rows taken here and there."""
    world, truth = WORLDS[name], TABLES[name]["truth", None]
    codes = RowSampler(world, SEED).codes(START, STOP)
    first = list(world.levels).index(level) * (STOP - START)
    for k in range(0, STOP - START, 67):
        for question in world.questions.values():
            exact = world.posterior(evidence(world, codes, k, level), level=level, question=question.name).exact
            for state, share in exact.items():
                assert truth[f"p_{question.name}_{state}"][first + k] == float(share)


@pytest.mark.parametrize(("name", "level"), [("kiosk", "far"), ("support_ticket", "high")])
def test_truth_is_what_pgmpy_says(name, level):
    world, truth = WORLDS[name], TABLES[name]["truth", None]
    codes = RowSampler(world, SEED).codes(START, STOP)
    first = list(world.levels).index(level) * (STOP - START)
    for question in world.questions.values():
        case = evidence(world, codes, 5, level)
        told = world.posterior(case, level=level, question=question.name, engine="pgmpy").probs
        for state, share in told.items():
            assert truth[f"p_{question.name}_{state}"][first + 5] == pytest.approx(share, abs=1e-9)


@each_world
def test_truth_has_every_variable_that_a_level_hides(name):
    world, truth = WORLDS[name], TABLES[name]["truth", None]
    asked = {question.asks for question in world.questions.values()}
    everywhere = set.intersection(*(set(level.visible) for level in world.levels.values()))
    hidden = set(world.network.named) - everywhere - asked
    columns = {column.removeprefix("hidden_") for column in truth if column.startswith("hidden_")}
    assert hidden == {member for column in columns for member in world.families.get(column, (column,))}


@each_world
def test_labels_follow_the_exact_prior(name):
    """Chi-square on 100,000 rows; for another seed the chance that a world fails is one in 10,000."""
    world, found = WORLDS[name], []
    for question in world.questions.values():
        numbers = world.engine.joint((question.asks,), {}, "exact")
        law = (integers(numbers) / numbers.denominator).astype(float).ravel()
        codes = RowSampler(world, 5).codes(0, 100_000, [question.asks])[question.asks]
        found.append(p_value(np.bincount(codes, minlength=len(law)), law))
    assert min(found) > 1e-4 / len(found)


@pytest.mark.slow
def test_ten_million_rows_follow_the_law_and_their_truth_is_calibrated():
    """Marginals of every variable, and outcomes within each value of p*; one seed in 10,000 would fail."""
    world = WORLDS["credit_risk"]
    records = Records(world, 31, Contents(levels=tuple(world.levels), memo=False))
    counts = {name: np.zeros(world.network.size(name), dtype=np.int64) for name in world.network.named}
    cells = {level: {} for level in world.levels}
    for start in range(0, 10**7, 10**6):
        codes = records.sampler.codes(start, start + 10**6)
        for name, code in codes.items():
            counts[name] += np.bincount(code, minlength=len(counts[name]))
        for level in world.levels:
            p = records.posteriors(level, "default", codes, 10**6)[:, 1]
            shares, place = np.unique(p, return_inverse=True)
            defaults = np.bincount(place, weights=codes["default"])
            for share, total, hit in zip(shares, np.bincount(place), defaults, strict=True):
                before = cells[level].get(share, (0, 0))
                cells[level][share] = before[0] + total, before[1] + hit
    found = []
    for name, count in counts.items():
        numbers = world.engine.joint((name,), {}, "exact")
        found.append(p_value(count, (integers(numbers) / numbers.denominator).astype(float).ravel()))
    for level, shares in cells.items():
        z = []
        for share, (total, hit) in shares.items():
            if share in (0.0, 1.0):
                assert hit == share * total
            elif total * share * (1 - share) > 25:
                z.append((hit - total * share) ** 2 / (total * share * (1 - share)))
        from scipy import stats

        found.append(float(stats.chi2.sf(sum(z), len(z))))
        assert z, level
    assert min(found) > 1e-4 / len(found)
    medians = {"employees": 200, "sites": 3, "departments": 5, "report_pages": 20, "report_charts": 5}
    for name, median in medians.items():
        numbers = [int(state) for state in world.network.variables[name].states]
        ordered = np.argsort(numbers)
        below = np.cumsum(counts[name][ordered])
        k = [numbers[j] for j in ordered].index(median)
        at = counts[name][ordered][k]
        assert abs((below[k] - at / 2) / 10**7 - 0.5) < 0.001  # P(N < m) + P(N = m)/2 = 1/2


# -- names and types ---------------------------------------------------------------------------------


@pytest.mark.parametrize("taken", ["id", "memo", "row", "level", "label_sold", "p_sold_no", "hidden_stock"])
def test_a_variable_that_is_called_like_a_column(taken):
    source = KIOSK.replace("  guests:", f"  {taken}:", 1).replace('guests: "{guests}', f'{taken}: "{{{taken}}}')
    world = pbn.loads(source)
    fault = fault_of(Records, world, 1, Contents(levels=("near", "far"), memo=True))
    assert (fault.code, taken in fault.message, fault.hint) == ("cases/name", True, "rename the variable")


def test_a_hidden_variable_may_be_called_anything():
    world = pbn.loads(KIOSK.replace("stock", "row"))
    table = [t for *_, t in Records(world, 1, Contents(levels=("far",), memo=False)).tables(0, 3)][-1]
    assert "hidden_row" in table


def test_questions_whose_probabilities_would_share_a_column():
    source = KIOSK.replace("  mood: {asks", "  sold_no: {asks").replace("fair", "x")
    source = source.replace("['no', 'yes']", "['no', 'no_x']").replace("positive: 'yes'", "positive: 'no_x'")
    fault = fault_of(Records, pbn.loads(source), 1, Contents(levels=("near",), memo=False))
    assert (fault.code, "p_sold_no_x" in fault.message) == ("cases/name", True)


@pytest.mark.parametrize(
    ("states", "kind"),
    [
        (("0", "1", "25"), np.int32), (("-2147483647", "5"), np.int32), (("3000000000", "5"), np.int64),
        (("0.5", "1"), np.float64), (("9007199254740992.5", "9007199254740993.5"), None), (("1", "1.0"), None),
        (("1" + "0" * 400, "1"), None), (("low", "high"), None),
    ],
)  # fmt: skip
def test_numbers_where_nothing_is_lost(states, kind):
    numbers = None if kind is None and not states[0][0].isdigit() else tuple(Fraction(s) for s in states)
    found = numbers_of(Variable(name="x", states=states, values=numbers))
    assert (found is None) if kind is None else (found.dtype == kind and found.tolist() == [float(n) for n in numbers])


def test_values_that_the_states_do_not_say_stay_words():
    assert numbers_of(Variable(name="x", states=("low", "high"), values=(Fraction(1), Fraction(2)))) is None


def test_columns_of_parquet_files_are_typed_and_say_where_they_come_from(tmp_path):
    root = made(tmp_path / "d", plan_for(form="parquet", part_rows=100))
    near = parquet.ParquetFile(root / "cases-near.parquet").schema_arrow
    labels, truth = (parquet.ParquetFile(root / f"{kind}.parquet").schema_arrow for kind in ("labels", "truth"))
    coded = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    expected = {"id": "large_string", "stock": coded, "badge": "large_string", "heat": "double",
                "guests": "int32", "memo": "large_string"}  # fmt: skip
    assert {name: near.field(name).type for name in near.names} == {
        name: pyarrow.type_for_alias(kind) if isinstance(kind, str) else kind for name, kind in expected.items()
    }
    assert [labels.field(name).type for name in ("level", "row", "label_sold")] == [coded, pyarrow.int64(), coded]
    assert truth.field("p_mood_bright").type == pyarrow.float64()
    world = pbn.loads(KIOSK)
    assert json.loads(near.metadata[b"pbn"]) == {
        "world": "kiosk", "law_digest": world.spec.law_digest, "seed": 7, "kind": "cases", "level": "near",
        "rows": [0, 40],
    }  # fmt: skip


def test_pandas_reads_a_file_and_a_folder_of_parts(tmp_path):
    one = made(tmp_path / "one", plan_for(form="parquet", part_rows=100))
    four = made(tmp_path / "four", plan_for(form="parquet"))
    frame = pd.read_parquet(one / "cases-far.parquet")
    assert frame.equals(pd.read_parquet(four / "cases-far.parquet"))
    joined = frame.merge(pd.read_parquet(one / "truth.parquet"), on="id", validate="one_to_one")
    assert len(joined) == 40
    assert set(joined["level"]) == {"far"}


# -- JSON Lines --------------------------------------------------------------------------------------


def test_floats_round_trip_exactly_and_no_text_breaks_a_line():
    odd = ["a\nb", "c\rd", "e\u2028f", "g\u2029h", "i\u0085j", 'k"\\l', "été", "\U0001f600", "m\x0bn", ""]
    numbers = np.array([0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 0.0, 1.0, 2 / 3, 1e-17, 0.30000000000000004, 1e22])
    codes = States(np.arange(10) % 2, ("no\u2028", "ja ü"))
    data = encode({"text": odd, "p": numbers, "state": codes}, "jsonl", {})
    assert len(data.decode().splitlines()) == 10
    found, _ = decode(data, "jsonl", 10)
    assert found == {"text": odd, "p": numbers.tolist(), "state": values(codes)}
    assert "été".encode() in data


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{}", b'{"a": 1}', b'{"a": 1}\n', b'{"a": 1}\n{"b": 1}\n', b'{"a": 1}\n{"a": 1, "b": 2}\n', b"[1]\n[2]\n",
        b'{"a": 1, "a": 1}\n{"a": 1, "a": 1}\n', b'{"a": 1}\n{"a": 1', b"\xff\n\xff\n", b"[" * 100_000 + b"\n1\n",
        b'{"a": 1}\n1\n', b'{"a": 1}\n{"a": ' + b"9" * 5000 + b"}\n",
    ],
    ids=lambda data: data[:30].decode("latin-1"),
)  # fmt: skip
def test_lines_that_are_no_table_of_two_rows(data):
    with pytest.raises(ValueError, match=r"rows|whole|columns"):
        decode(data, "jsonl", 2)


def test_json_lines_need_no_pyarrow_and_parquet_says_so(tmp_path):
    script = (
        "import sys; sys.modules['pyarrow'] = None; from pbn.cli.main import main\n"
        "codes = [main(['sample', 'support_ticket', '-n', '9', '--format', form, '-o', sys.argv[1] + form])\n"
        "         for form in ('jsonl', 'parquet')]\n"
        "codes.append(main(['verify', sys.argv[1] + 'jsonl'])); print(codes)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "data-")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[0, 2, 0]"
    assert done.stderr.startswith("cases/extra: Parquet files need pyarrow")
    assert len(lines(tmp_path / "data-jsonl" / "labels.jsonl")) == 27
    assert not (tmp_path / "data-parquet").exists()
