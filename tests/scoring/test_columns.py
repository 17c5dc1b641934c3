"""Columns of predictions: all forms that are clear are read together, and none is dropped without a word."""

from __future__ import annotations

import numpy as np
import pytest

import pbn
from pbn.scoring.matching import match
from pbn.scoring.truth import Asked, Truth

NAMES = ["case-0", "case-1", "case-2", "case-3"]


def weather(*questions: str) -> Truth:
    """Four cases of one level: whether it rains, and how strong the wind is."""
    asked = {
        "rain": Asked(name="rain", states=("no", "yes"), positive="yes"),
        "wind": Asked(name="wind", states=("calm", "fresh", "storm"), positive="storm"),
    }
    asked = {name: asked[name] for name in questions or asked}
    return Truth(
        ids=NAMES,
        level=np.zeros(4, int),
        levels=("low",),
        row=np.arange(4),
        questions=asked,
        probs={name: np.full((4, len(one.states)), 1 / len(one.states)) for name, one in asked.items()},
        labels=None,
        draws=None,
    )


def refused(written, text, truth, **options):
    with pytest.raises(pbn.QueryError) as caught:
        written(text, truth, **options)
    return caught.value


# -- forms of columns --------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [
    "id,p_rain_no,p_rain_yes,decision\ncase-0,0.25,0.75,no\n",
    "id,p_no,p_yes,decision_rain\ncase-0,0.25,0.75,no\n",
    "id,p,decision_rain\ncase-0,0.75,no\n",
    "id,question,p_rain_no,p_rain_yes,decision\ncase-0,rain,0.25,0.75,no\n",
    "id,question,p_rain_yes,decision_rain\ncase-0,rain,0.75,no\n",
    "id,question,p_rain_yes,decision_rain\ncase-0,,0.75,no\n",
    "id,p,p_rain_no,p_rain_yes,decision,decision_rain\ncase-0,,0.25,0.75,,no\n",
])  # fmt: skip
@pytest.mark.parametrize("questions", [("rain",), ("rain", "wind")])
def test_probabilities_and_decisions_in_any_two_forms(written, text, questions):
    options = {} if "_rain" in text or "question" in text else {"question": "rain"}
    found = written(text, weather(*questions), **options).answers["rain"]
    assert found.probs.tolist() == [[0.25, 0.75]]
    assert found.decisions.tolist() == [0]


@pytest.mark.parametrize(("columns", "cells", "named"), [
    ("p,p_rain_no,p_rain_yes", "0.5,0.25,0.75", "p_rain_no, p_rain_yes, p"),
    ("p,p_rain_yes", "0.75,0.75", "p_rain_yes, p"),
    ("p_yes,p_rain_no", "0.75,0.25", "p_rain_no, p_yes"),
    ("p,probability_positive", "0.75,0.75", "p, probability_positive"),
    ("question,p,p_rain_yes,decision_rain", "rain,0.75,0.25,yes", "p_rain_yes, p"),
    ("decision,decision_rain", "yes,no", "decision_rain, decision"),
])  # fmt: skip
def test_two_forms_of_one_thing_are_refused(written, columns, cells, named):
    error = refused(written, f"id,{columns}\ncase-0,{cells}\n", weather("rain"))
    assert (error.code, error.faults[0].found) == ("predictions/two-forms", named)


def test_plain_columns_of_one_question_among_several(written):
    truth = weather()
    text = "id,p_wind_calm,p_wind_fresh,p_wind_storm,p_rain_yes,decision\ncase-0,0.5,0.25,0.25,0.75,storm\n"
    error = refused(written, text, truth)
    assert error.code == "predictions/question"
    assert error.faults[0].hint.endswith("for decision")
    found = written(text, truth, question="wind")
    assert list(found.answers) == ["wind"]
    assert found.answers["wind"].probs.tolist() == [[0.5, 0.25, 0.25]]
    assert found.answers["wind"].decisions.tolist() == [2]
    assert found.unused == ("p_rain_yes",)
    assert list(written(text.replace(",storm", ","), truth).answers) == ["rain", "wind"]  # an empty column says nothing


@pytest.mark.parametrize(("columns", "cells", "question", "unused"), [
    ("p_wind_calm,p_wind_fresh,p_wind_storm,p", "0.5,0.25,0.25,0.75", None, ("p",)),
    ("p_yes,p_calm,p_fresh,p_storm", "0.75,0.5,0.25,0.25", "wind", ("p_yes",)),
    ("decision,p_other,decisions", "storm,1,2", "wind", ("p_other", "decisions")),
    ("question,p_storm,decision,p", "wind,,storm,0.5", "wind", ("p",)),
])  # fmt: skip
def test_columns_that_are_not_read_are_named(written, columns, cells, question, unused):
    truth = weather()
    columns = columns.replace("p_storm,decision", "decision")
    cells = cells.replace("wind,,storm", "wind,storm")
    found = written(f"id,{columns}\ncase-0,{cells}\n", truth, question=question)
    assert list(found.answers) == ["wind"]
    assert found.unused == unused


def test_a_row_that_contradicts_its_question(written):
    text = "id,question,p_rain_yes,decision\ncase-0,rain,0.5,yes\ncase-1,wind,0.5,storm\n"
    error = refused(written, text, weather())
    assert error.code == "predictions/question"
    assert "row 2" in str(error)
    assert "answers wind and fills p_rain_yes" in str(error)


def test_rows_of_other_questions_are_counted_and_all_kinds_named(written):
    rows = ["rain,0.5", "colour,0.5", "colour,0.5", ",0.5"]
    text = "id,question,p\n" + "".join(f"{name},{row}\n" for name, row in zip(NAMES, rows, strict=True))
    found = written(text, weather())
    assert str(found.other_questions) == "3 (colour, no question)"


def test_nothing_that_answers(written):
    assert refused(written, "id,note\ncase-0,1\n", weather()).code == "predictions/column"
    assert "has no column that answers wind" in str(
        refused(written, "id,p_rain_yes\ncase-0,1\n", weather(), question="wind")
    )


# -- what to rename ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "hint"), [
    ("ID,p\ncase-0,1\n", "rename column 'ID' to 'id'"),
    ("case_id,p\ncase-0,1\n", "rename column 'case_id' to 'id'"),
    ("valid,p\ncase-0,1\n", "each prediction carries the id"),
    ("id,probability\ncase-0,1\n", "if column 'probability' holds it, rename it to 'probability_positive'"),
    ("id,decisoin\ncase-0,yes\n", "if column 'decisoin' holds it, rename it to 'decision'"),
])  # fmt: skip
def test_columns_that_another_name_would_make_right(written, text, hint):
    error = refused(written, text, weather("rain"))
    assert error.code == "predictions/column"
    assert hint in str(error)


def test_a_state_that_is_spelt_in_another_way(written):
    error = refused(written, "id,p_calm,p_fresh,p_Storm\ncase-0,1,0,0\n", weather("wind"))
    assert "mine.csv lack p_storm" in str(error)
    assert "if column 'p_Storm' holds it, rename it to 'p_storm'" in str(error)


# -- sums --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [2, 3, 6])
@pytest.mark.parametrize("states", [2, 3, 8, 12])
def test_rounded_probabilities_are_rescaled_and_counted(written, states, places):
    names = [f"s{k}" for k in range(states)]
    asked = Asked(name="many", states=tuple(names), positive=names[-1])
    ids = [f"case-{k}" for k in range(300)]
    truth = Truth(
        ids=ids, level=np.zeros(300, int), levels=("low",), row=np.arange(300), questions={"many": asked},
        probs={"many": np.full((300, states), 1 / states)}, labels=None, draws=None,
    )  # fmt: skip
    laws = np.random.default_rng(states).dirichlet(np.ones(states), 300)
    rows = [",".join([name, *(f"{p:.{places}f}" for p in law)]) for name, law in zip(ids, laws, strict=True)]
    [found] = match(truth, written("\n".join(["id," + ",".join(f"p_{name}" for name in names), *rows]), truth))
    sums = np.round(laws, places).sum(axis=1)
    off = np.abs(sums - 1)
    assert found.counts.n_invalid == 0
    assert found.counts.rescaled.count == (off > 5e-7).sum()
    assert found.counts.largest_off == pytest.approx(off.max() if found.counts.rescaled.count else 0)
    assert np.abs(found.q.sum(axis=1) - 1).max() <= 5e-7
    rescaled = off > 5e-7
    assert found.q[rescaled] == pytest.approx((np.round(laws, places) / sums[:, None])[rescaled])


@pytest.mark.parametrize(("sum_", "reason"), [(0.99, ""), (1.01, ""), (0.985, "sum is not 1"), (1.02, "sum is not 1")])
def test_the_sums_of_two_states_that_are_rescaled(written, sum_, reason):
    text = f"id,p_no,p_yes\ncase-0,{sum_ - 0.5:.3f},0.5\ncase-1,0.5,0.5\n"
    truth = weather("rain")
    [found] = match(truth, written(text, truth))
    assert list(found.counts.invalid_probabilities) == [reason] * bool(reason)
    assert found.counts.rescaled.count == (not reason)
    if reason:
        assert found.counts.invalid_probabilities[reason].example == f"a sum of {sum_:g}"


# -- counts, and files of which nothing can be scored ------------------------------------------------


@pytest.mark.parametrize(("text", "counts"), [
    ("id,p\ncase-0,0.5\ncase-1,70%\n", (4, 1, 1)),
    ("id,p,decision\ncase-0,0.5,no\ncase-1,0.5,maybe\ncase-2,x,\n", (4, 2, 1)),
    ("id,decision\ncase-0,unknown\ncase-1,Yes\ncase-2,no\n", (4, 2, 1)),
])  # fmt: skip
def test_counts_add_up(written, text, counts):
    truth = weather("rain")
    [found] = match(truth, written(text, truth))
    said = found.counts
    assert (said.n_total, said.n_scored, said.n_invalid) == counts
    assert said.n_scored + said.n_invalid + said.missing.count == said.n_total


@pytest.mark.parametrize(("column", "cells", "reason", "found", "allowed", "hint"), [
    ("decision", ["Yes", "No", "No"], "no such state in 3 of 3", "'No', for rain", "no, yes, unknown", "write 'no'"),
    ("decision", ["UNKNOWN"], "no such state", "'UNKNOWN'", "no, yes, unknown", "write 'unknown'"),
    ("decision", ["0", "1", "1"], "no such state", "'1'", "no, yes, unknown", "the name of a state"),
    ("decision", ["storm", "calm", "yess", "calm"], "no such state in 4", "'calm'", "no, yes", "give --question wind"),
    ("p", ["70%", "80%", ""], "percent sign in 2 of 3", "'70%', for rain", "0 to 1", "write 0.7 in place of 70%"),
    ("p", ["0,7"], "decimal comma", "'0,7'", "0 to 1", "write 0.7 in place of 0,7"),
    ("p", ["70", "80"], "above 1", "70,", "0 to 1", "percentages are divided by 100"),
    ("p_no,p_yes", ["0.5,0.6"], "sum is not 1", "a sum of 1.1", "0.99 to 1.01", "divide each row by its sum"),
    ("p_no,p_yes", ["0.5,"], "empty", "nothing in p_yes", "0 to 1", ""),
])  # fmt: skip
def test_a_file_of_which_nothing_can_be_scored(written, column, cells, reason, found, allowed, hint):
    rows = [f'{name},"{cell}"' if "," not in column else f"{name},{cell}" for name, cell in zip(NAMES, cells)]  # noqa: B905
    truth = weather()
    predictions = written("\n".join([f"id,{column}", *rows, ""]), truth, question="rain")
    with pytest.raises(pbn.QueryError) as caught:
        match(truth, predictions)
    fault = caught.value.faults[0]
    assert fault.code == "predictions/none-valid"
    assert reason in fault.message
    assert found in fault.found
    assert allowed in fault.allowed
    assert hint in (fault.hint or "")


def test_conflicts_alone(written):
    truth = weather("rain")
    with pytest.raises(pbn.QueryError, match="conflicting rows in 1 of 1"):
        match(truth, written("id,p\ncase-0,0.5\ncase-0,0.6\n", truth))


def test_one_valid_row_or_one_unknown_will_do(written):
    truth = weather("rain")
    for text in ("id,p\ncase-0,70%\ncase-1,0.5\n", "id,decision\ncase-0,Yes\ncase-1,unknown\n"):
        [found] = match(truth, written(text, truth))
        assert found.counts.n_scored == 1
    assert found.counts.invalid_decisions["no such state"].example == "'Yes'"
    assert str(found.counts.invalid_decisions["no such state"]) == "1 (case-0), such as 'Yes'"


# -- lines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "lines"), [
    ('id,p\ncase-0,0.5\ncase-1,"0.5\ncase-2,0.5\ncase-3,0.5\n', ["line 3", "line 4", "line 5"]),
    ('id,p\n"case-0,0.5\ncase-1,0.5\n"case-2",0.5\ncase-3,0.5\n', ["line 2", "line 3", "line 4"]),
    ('id,p\ncase-0,"0.5\ncase-1,0.5"\ncase-3,0.5\n', ["line 2", "line 3"]),
    ('id,p\ncase-0,"0.5"5\ncase-3,0.5\n', ["line 2"]),
    ('id,p,note\ncase-0,0.5,"two\nlines"\ncase-3,0.5,\n', []),
])  # fmt: skip
def test_lines_that_an_open_quote_swallows_are_counted(written, text, lines):
    found = written(text, weather("rain"))
    assert found.unreadable.count == len(lines)
    assert list(found.unreadable.first) == lines
    assert found.rows == found.unreadable.count + len(found.answers["rain"].ids)


@pytest.mark.parametrize(("name", "text", "said"), [
    ("mine.csv", "\nid,p\ncase-0,1\n", "the first line of"),
    ("mine.csv", "id,p\ncase-0\ncase-1\n", "as many cells as the first has names"),
    ("mine.jsonl", '[{"id": "case-0", "p": 1}, {"id": "case-1", "p": 1}]', "lines=True"),
    ("mine.jsonl", '[\n{"id": "case-0", "p": 1},\n{"id": "case-1", "p": 1}\n]', "lines=True"),
    ("mine.jsonl", '{\n"id": "case-0",\n"p": 1\n}\n', "is a JSON object"),
    ("mine.jsonl", "[" + '{"id": "case-0", "p": 1},' * 50_000 + "{}]", "lines=True"),
])  # fmt: skip
def test_files_whose_lines_are_no_rows(written, name, text, said):
    with pytest.raises(pbn.QueryError, match=said):
        written(text, weather("rain"), name)


def test_lines_that_are_no_row_have_a_limit(written, monkeypatch):
    monkeypatch.setattr("pbn.scoring.answers.MOST_ROWS", 20)
    with pytest.raises(pbn.QueryError, match="predictions/too-large"):
        written("id,p\n" + "x\n" * 30, weather("rain"))
