"""Files of predictions, whoever wrote them: every value that is none has its reason, and nothing is dropped."""

from __future__ import annotations

import contextlib
import json
import math
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pbn
from pbn.scoring import answers, files
from pbn.scoring.matching import match
from pbn.scoring.predictions import read_predictions
from pbn.scoring.scores import score_predictions
from pbn.scoring.truth import Asked, Truth
from pbn.scoring.values import REASONS

NAMES = [f"case-{k:02d}" for k in range(10)]


def small(states=("no", "yes"), name="rain", positive="yes", **more) -> Truth:
    """Ten cases of one level; labels alternate."""
    probs = np.full((10, len(states)), 1 / len(states))
    return Truth(
        ids=NAMES,
        level=np.zeros(10, int),
        levels=("low",),
        row=np.arange(10),
        questions={name: Asked(name=name, states=tuple(states), positive=positive)},
        probs={name: probs},
        labels={name: np.arange(10) % len(states)},
        draws=None,
        **more,
    )


def reasons(found, name="rain"):
    answers = found.answers[name]
    return dict(zip(answers.ids, [REASONS[code] for code in answers.why.tolist()], strict=True))


VALUES = [
    ("0.25", ""), ("0", ""), ("1", ""), ("1e-3", ""), (" .5 ", ""), ("1.2", "above 1"), ("-0.1", "negative"),
    ("70%", "percent sign"), ("70 %", "percent sign"), ("0,7", "decimal comma"), ("", "empty"), ("NaN", "NaN"),
    ("nan", "NaN"), ("inf", "infinite"), ("-Infinity", "infinite"), ("likely", "no number"), ("0x1", "no number"),
    ("1_0", "no number"), ("½", "no number"), ("٠.٥", "no number"), ("1e999", "infinite"), ("-1e-400", ""),
    ("1.0000001", "above 1"), ("9" * 5000, "no number"), ("True", "no number"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "reason"), VALUES, ids=lambda value: value[:12])
def test_each_value_in_csv(written, value, reason):
    row = f'{NAMES[0]},"{value}"'
    assert reasons(written(f"id,p\n{row}\n{NAMES[1]},0.5\n", small()))[NAMES[0]] == reason


@pytest.mark.parametrize(("value", "reason"), [
    ("0.25", ""), ("1", ""), ("1.2", "above 1"), ("-1", "negative"), ("NaN", "NaN"), ("Infinity", "infinite"),
    ("-Infinity", "infinite"), ("null", "empty"), ('""', "empty"), ('"70%"', "percent sign"),
    ('"0,7"', "decimal comma"),
    ('"0.5"', ""), ("true", "no number"), ("[0.5]", "no number"), ("{}", "no number"), ("1" + "0" * 400, "above 1"),
    ("-1" + "0" * 400, "negative"),
])  # fmt: skip
def test_each_value_in_json_lines(written, value, reason):
    text = f'{{"id": "{NAMES[0]}", "p": {value}}}\n{{"id": "{NAMES[1]}", "p": 0.5}}\n'
    assert reasons(written(text, small(), "mine.jsonl"))[NAMES[0]] == reason


def test_each_value_in_parquet(tmp_path):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"id": NAMES[:6], "p": [0.25, math.nan, None, 1.2, -0.5, math.inf]}), path)
    found = reasons(read_predictions(path, small()))
    assert list(found.values()) == ["", "NaN", "empty", "above 1", "negative", "infinite"]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.int8(), pa.decimal128(5, 2), pa.string(),
                                  pa.large_string(), pa.dictionary(pa.int8(), pa.string())], ids=str)  # fmt: skip
def test_types_of_parquet(tmp_path, kind):
    path = tmp_path / "mine.parquet"
    values = pa.array([1, 0]) if pa.types.is_integer(kind) else pa.array(["1", "0"])
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = pa.array([1.0, 0.0], pa.float32())
    column = values.dictionary_encode() if pa.types.is_dictionary(kind) else values.cast(kind)
    pq.write_table(pa.table({"id": NAMES[:2], "p": column}), path)
    assert read_predictions(path, small()).answers["rain"].probs[:, 1].tolist() == [1, 0]


def test_integers_of_parquet_are_exact(tmp_path):
    path, ids = tmp_path / "mine.parquet", [2**53, 2**53 + 1, 2**63 + 1]
    truth = replace(small(), ids=[*map(str, ids), *NAMES[3:]])
    table = {"id": pa.array([*ids, None], pa.uint64()), "p": pa.array([1, 7, None, 0], pa.int64())}
    pq.write_table(pa.table(table), path)
    found = read_predictions(path, truth)
    assert found.without_id.count == 1
    assert reasons(found) == {str(ids[0]): "", str(ids[1]): "above 1", str(ids[2]): "empty"}
    assert "7" in found.answers["rain"].examples.values()


def test_rows_that_do_not_sum_to_one(written):
    text = "id,p_no,p_yes\ncase-00,0.5,0.5\ncase-01,0.5,0.4\ncase-02,0.9,0.9\ncase-03,0.3333333,0.6666666\n"
    assert list(reasons(written(text, small())).values()) == ["", "sum is not 1", "sum is not 1", ""]


def test_one_of_two_states_will_do(written):
    found = written("id,p_no\ncase-00,0.75\n", small()).answers["rain"]
    assert found.probs.tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize("column", ["p", "probability_positive", "p_yes"])
def test_the_positive_state(written, column):
    truth = small(states=("yes", "no"), positive="yes")
    assert written(f"id,{column}\ncase-00,0.75\n", truth).answers["rain"].probs.tolist() == [[0.75, 0.25]]


def test_duplicates_equal_and_in_conflict(written):
    text = "id,p\ncase-00,0.5\ncase-01,0.5\ncase-00,0.50\ncase-01,0.6\ncase-02,x\ncase-02,x\ncase-03,0.25\ncase-04,\n"
    truth = small()
    [found] = match(truth, written(text, truth))
    counts = found.counts
    assert counts.total == 10
    assert counts.scored == 2  # 00 and 03
    assert counts.repeated.first == ("case-00", "case-02")
    told = {reason: many.first for reason, many in counts.invalid_probabilities.items()}
    assert told == {"conflicting rows": ("case-01",), "no number": ("case-02",), "empty": ("case-04",)}
    assert counts.missing.count == 5
    assert counts.scored + sum(one.count for one in counts.invalid_probabilities.values()) + counts.missing.count == 10


def test_decisions(written):
    text = "id,decision\ncase-00,yes\ncase-01, no\ncase-02,unknown\ncase-03,maybe\ncase-04,\ncase-05,YES\n"
    truth = small()
    [found] = match(truth, written(text, truth))
    assert found.decisions[:6].tolist() == [1, 0, -1, -1, -1, -1]
    assert found.q is None
    assert (found.counts.decided, found.counts.unknown) == (3, 1)
    told = {reason: many.first for reason, many in found.counts.invalid_decisions.items()}
    assert told == {"no such state": ("case-03", "case-05"), "empty": ("case-04",)}


def test_decisions_beside_probabilities_win(written):
    truth = small()
    [found] = match(truth, written("id,p,decision\ncase-00,0.9,no\ncase-01,0.9,\n", truth))
    assert found.decisions[:2].tolist() == [0, -1]
    assert found.counts.scored == 2


def test_states_that_are_numbers_or_unknown(written, tmp_path):
    truth = small(states=("1", "2", "unknown"), positive="unknown")
    [found] = match(truth, written("id,decision\ncase-00,1\ncase-01,2.0\ncase-02,unknown\n", truth))
    assert found.decisions[:3].tolist() == [0, -1, 2]
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"id": NAMES[:3], "decision": [1, 2, 7]}), path)
    [found] = match(truth, read_predictions(path, truth))
    assert found.decisions[:3].tolist() == [0, 1, -1]


def test_rows_that_belong_nowhere_are_named(written):
    text = 'id,p\ncase-00,0.5\nother,0.5\n,0.5\n"case-01",0.5\nother-2,0.5\n'
    found = written(text, small())
    assert (found.strangers.count, found.strangers.first) == (2, ("other", "other-2"))
    assert found.without_id.first == ("row 3",)
    assert found.rows == 5


def test_lines_that_are_no_row_are_named(written):
    lines = ['{"id": "case-00", "p": 0.5}', "{", "[1]", "7", '{"id": "case-01", "p": 0.1, "p": 0.9}', "",
             '{"id": "case-02", "p": ' + "9" * 5000 + "}", "[" * 100_000]  # fmt: skip
    found = written("\n".join(lines), small(), "mine.jsonl")
    assert found.unreadable.count == 6
    assert found.unreadable.first == ("line 2", "line 3", "line 4", "line 5", "line 7")
    assert found.rows == 7
    found = written("id,p\ncase-00,0.5\ncase-01,0.5,0.5\ncase-02\n\ncase-03,1\n", small())
    assert found.unreadable.first == ("line 3", "line 4")


def test_formats_give_the_same(credit_high, credit_table, tmp_path):
    table = credit_table[credit_table.level == "high"]
    noise = np.random.default_rng(1).normal(0, 0.1, len(table))
    probs = np.clip(table.p_default_yes + noise, 0, 1)
    table = pd.DataFrame({"id": table.id, "p_no": 1 - probs, "p_yes": probs})
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_csv(tmp_path / "b.csv", index=False, sep=";", encoding="utf-8-sig", lineterminator="\r\n")
    table.to_parquet(tmp_path / "c.parquet")
    with open(tmp_path / "d.jsonl", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in table.to_dict("records"))
    table.sample(frac=1, random_state=3).to_parquet(tmp_path / "shuffled.parquet")
    found = []
    for path in sorted(tmp_path.iterdir()):
        scored = score_predictions(read_predictions(path, credit_high), credit_high)
        found.append(scored.groups)
    assert len(found) == 5
    assert all(one == found[0] for one in found)


def test_several_questions_by_column(written):
    truth = small()
    other = Asked(name="wind", states=("calm", "fresh", "storm"), positive="storm")
    truth = Truth(
        **{name: getattr(truth, name) for name in ("ids", "level", "levels", "row", "draws")},
        questions={**truth.questions, "wind": other},
        probs={**truth.probs, "wind": np.full((10, 3), 1 / 3)},
        labels=None,
    )
    text = (
        "id,question,p,p_calm,p_fresh,p_storm,decision\n"
        "case-00,rain,0.5,,,,\ncase-00,wind,,0.5,0.25,0.25,\ncase-01,wind,,1,0,,\ncase-01,snow,0.5,,,,\n"
    )
    found = written(text, truth)
    assert found.answers["rain"].probs.tolist() == [[0.5, 0.5]]
    assert reasons(found, "wind") == {"case-00": "", "case-01": "empty"}
    assert (found.other_questions.count, found.other_questions.first) == (1, ("snow",))
    assert list(written(text, truth, question="wind").answers) == ["wind"]
    with pytest.raises(pbn.QueryError, match="predictions/question"):
        written("id,p\ncase-00,0.5\n", truth)
    assert list(written("id,p\ncase-00,0.5\n", truth, question="rain").answers) == ["rain"]
    wide = written("id,p_rain_no,p_rain_yes,decision_wind\ncase-00,0.5,0.5,storm\n", truth)
    assert wide.answers["rain"].probs is not None
    assert wide.answers["wind"].decisions.tolist() == [2]


REFUSED = {
    "predictions/format": ("mine.txt", "id,p\ncase-00,1\n"),
    "predictions/empty": ("mine.csv", "id,p\n"),
    "predictions/column": ("mine.csv", "name,p\ncase-00,1\n"),
    "predictions/no-case": ("mine.csv", "id,p\nother,1\n"),
    "predictions/two-forms": ("mine.csv", "id,p,p_yes\ncase-00,1,1\n"),
    "predictions/unreadable": ("mine.csv", "id,p,p\ncase-00,1,1\n"),
}


@pytest.mark.parametrize("code", REFUSED)
def test_refused(written, code):
    name, text = REFUSED[code]
    with pytest.raises(pbn.QueryError) as caught:
        written(text, small(), name)
    assert caught.value.code == code


@pytest.mark.parametrize(("name", "data"), [
    ("mine.csv", b""), ("mine.jsonl", b""), ("mine.parquet", b""), ("mine.parquet", b"PAR1PAR1"),
    ("mine.csv", b"id,p\n\xff\xfe,1\n"), ("mine.jsonl", b"\xff"), ("mine.csv", b"\x00\x00"),
    ("mine.csv", b'id,p\n"case-00,1\n' + b"x" * 200_000), ("mine.jsonl", b"null\n"), ("mine.csv", b"PAR1"),
])  # fmt: skip
def test_files_that_are_none(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(pbn.QueryError) as caught:
        read_predictions(path, small())
    assert caught.value.code.startswith("predictions/")
    assert len(str(caught.value)) < 1500


def test_no_file(tmp_path):
    for path in (tmp_path / "none.csv", tmp_path / "folder.csv", tmp_path / "pipe.jsonl"):
        if path.stem == "folder":
            path.mkdir()
        if path.stem == "pipe":
            os.mkfifo(path)
        with pytest.raises(pbn.QueryError, match="predictions/no-file"):
            read_predictions(path, small())


@pytest.mark.parametrize("seed", range(40))
def test_damaged_parquet_is_one_error_or_the_same(tmp_path, seed):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"id": NAMES, "p": [0.5] * 10}), path)
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(seed)
    for _ in range(3):
        data[rng.integers(0, len(data))] = rng.integers(0, 256)
    path.write_bytes(bytes(data))
    with contextlib.suppress(pbn.QueryError):
        match(small(), read_predictions(path, small()))


def test_nested_columns_are_refused(tmp_path):
    path = tmp_path / "mine.parquet"
    pq.write_table(pa.table({"id": NAMES[:1], "p": [[0.5]]}), path)
    with pytest.raises(pbn.QueryError, match="holds list"):
        read_predictions(path, small())


def test_limits(written, tmp_path, monkeypatch):
    truth = small()
    text = "id,p\n" + "case-00,0.5\n" * 30
    monkeypatch.setattr(answers, "MOST_ROWS", 20)
    with pytest.raises(pbn.QueryError, match="predictions/too-large"):
        written(text, truth)
    monkeypatch.setattr(files, "MOST_BYTES", 100)
    with pytest.raises(pbn.QueryError, match="predictions/too-large"):
        written(text, truth)
    with pytest.raises(pbn.QueryError, match="predictions/too-large"):
        written("id,p\n" + "x" * (files.MOST_LINE + 5), truth)


def test_a_long_text_shared_by_many_rows_costs_little(tmp_path):
    path = tmp_path / "mine.parquet"
    codes = pa.array(np.zeros(200_000, dtype=np.int32))
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["x" * (files.MOST_LINE + 1)]))
    pq.write_table(pa.table({"id": texts, "p": np.full(200_000, 0.5)}), path)
    assert path.stat().st_size < 2**22
    with pytest.raises(pbn.QueryError, match="predictions/too-large"):
        read_predictions(path, small())


def test_columns_nearly_right_are_named(written):
    found = written("id,p_no,p_yse,note\ncase-00,0.5,0.5,hm\n", small())
    assert found.unused == ("p_yse",)
    with pytest.raises(pbn.QueryError, match="lack p_c"):
        written("id,p_a,p_b\ncase-00,0.5,0.5\n", small(states=("a", "b", "c"), positive="c"))


def test_nothing_that_a_terminal_obeys_is_shown(written):
    text = '{"id": "case-00", "p": 1, "p_\\u001b[2J": 1}\n{"id": "\\u001b[31m\\ud800", "p": 1}\n'
    found = written(text, small(), "mine.jsonl")
    assert found.strangers.first == ("?[31m?",)
    assert found.unused == ("p_?[2J",)


def test_a_question_that_is_no_text(written):
    rows = ['{"id": "case-00", "p": 1, "question": "rain"}', '{"id": "case-01", "p": 1, "question": [1]}',
            '{"id": "case-02", "p": 1}']  # fmt: skip
    found = written("\n".join(rows), small(), "mine.jsonl")
    assert list(found.answers["rain"].ids) == ["case-00"]
    assert (found.other_questions.count, found.other_questions.first) == (2, ("no text", "no question"))
