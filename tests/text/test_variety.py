"""Variety: the choice of words depends on the position alone, and nothing on which rows stand beside a case."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.text import template as template_module
from tests.text.shipped import LEVELS, drawn, memo, world

NAME = "support_ticket"
SEVENTY = "\n".join(f"        s{k}: [Here is A{k}., There is B{k}.]" for k in range(70))
MANY = f"""\
name: many
title: Many phrasings
variables:
  v: {{states: [a, b]}}
  asked: {{rule: "v == 'a'"}}
questions: {{q: {{asks: asked, kind: yes/no, text: Is it?}}}}
levels: {{low: {{show: [v]}}}}
memo:
  paragraphs:
    - sentences:
{SEVENTY}
        last: ["In it, {{v}}.", "At last {{v}}."]
      orders: [[last, {", ".join(f"s{k}" for k in range(70))}]]
  phrases: {{v: {{a: [red wine, a red one], b: blue wine}}}}
"""


def frame(count=300):
    codes, network = drawn(NAME, count), world(NAME).network
    return pd.DataFrame({name: np.array(network.variables[name].states)[codes[name]] for name in network.named})


def choices(name, level, texts):
    return [dict(found.chosen) for found in memo(name, level).decoder.decode_all(texts)]


@pytest.mark.parametrize("level", LEVELS)
def test_cases_at_one_position_are_worded_alike(level):
    template = memo(NAME, level).template
    for position in (0, 1, 17, 2**40):
        texts = list(memo(NAME, level).texts(frame(80), positions=[position] * 80))
        found = choices(NAME, level, texts)
        for key in template.choices:
            if not key.startswith("phrase of"):  # a state may have one phrase, whatever is chosen
                assert len({chosen[key] for chosen in found}) == 1
        assert len(set(texts)) > 40


@pytest.mark.parametrize("level", LEVELS)
def test_every_choice_comes_up_about_as_often(level):
    template = memo(NAME, level).template
    assert template.choices
    found = template.chosen(np.arange(20_000))
    for key, size in template.choices.items():
        counts = np.bincount(found[key], minlength=size)
        assert len(counts) == size
        assert np.abs(counts - 20_000 / size).max() < 5 * np.sqrt(20_000 / size)
    columns = np.stack([column - column.mean() for column in found.values()])
    correlations = np.corrcoef(columns) - np.eye(len(columns))
    assert np.abs(correlations).max() < 5 / np.sqrt(20_000)


@pytest.mark.parametrize("level", LEVELS)
def test_a_row_alone_reads_as_in_the_batch(level, monkeypatch):
    held, cases = memo(NAME, level), frame()
    whole = list(held.texts(cases))
    assert [held.text(cases.iloc[k].to_dict(), position=k) for k in range(0, 300, 7)] == whole[::7]
    order = np.random.default_rng(1).permutation(300)
    assert list(held.texts(cases.iloc[order], positions=order)) == [whole[k] for k in order]
    for block in (1, 7, 299, 300):
        monkeypatch.setattr(template_module, "BLOCK", block)
        assert list(held.texts(cases)) == whole
    assert list(held.texts(cases[100:120], positions=range(100, 120))) == whole[100:120]


def test_the_choice_knows_nothing_of_levels():
    """A sentence that two levels show is phrased alike in both."""
    low, high = (memo(NAME, level).template for level in ("low", "high"))
    one, other = low.chosen(np.arange(500)), high.chosen(np.arange(500))
    shared = set(one) & set(other)
    assert len(shared) >= 4
    assert all(np.array_equal(one[key], other[key]) for key in shared)


def test_the_choice_is_pinned():
    """Data sets that are published are told by it: these numbers may never change."""
    found = memo(NAME, "low").template.chosen(np.array([0, 1, 2, 3, 10**12]))
    assert {key: column.tolist() for key, column in found.items()} == {
        "sentence opening": [0, 0, 1, 0, 0], "sentence topic": [0, 0, 0, 0, 0], "sentence arrival": [1, 1, 0, 1, 1],
        "order of paragraph 2": [1, 1, 1, 1, 0], "sentence scope": [0, 0, 1, 0, 1], "sentence tone": [0, 0, 1, 0, 1],
        "phrase of topic": [1, 1, 1, 0, 0], "phrase of tone": [1, 0, 1, 1, 0],
    }  # fmt: skip


def test_positions_that_are_none():
    held, cases = memo(NAME, "low"), frame(3)
    for positions in (
        [0, 1],
        [0, 1, 2, 3],
        [0.0, 1.0, 2.0],
        [-1, 0, 1],
        ["a", "b", "c"],
        [[0], [1], [2]],
        [2**62, 1, 2],
    ):
        with pytest.raises(pbn.QueryError) as caught:
            list(held.texts(cases, positions=positions))
        assert caught.value.code == "text/position"
    for position in (-1, 2**62, 0.0, "0", None):
        with pytest.raises(pbn.QueryError) as caught:
            held.text(cases.iloc[0].to_dict(), position=position)
        assert caught.value.code == "text/position"
    assert list(held.texts(cases[:0])) == []


def test_seventy_sentences_of_two_phrasings():
    """More layouts than a number holds: each sentence still reads as the position chooses, and little is kept."""
    held = pbn.loads(MANY).memo("low")
    template = held.template
    positions = np.arange(300)
    codes = {"v": positions % 2}
    chosen = template.chosen(positions)
    texts = list(template.render(codes, positions))
    for k, text in enumerate(texts):
        sentences = [("Here is A", "There is B")[chosen[f"sentence s{j}"][k]] + f"{j}." for j in range(70)]
        told = [["red wine", "a red one"], ["blue wine"] * 2][k % 2][chosen["phrase of v"][k]]
        last = ["In it, ", "At last "][chosen["sentence last"][k]] + told + "."
        order = [[*sentences, last], [last, *sentences]][chosen["order of paragraph 1"][k]]
        assert text == " ".join(order) + "\n\nIs it?"
    assert [found.attributes["v"] for found in held.decoder.decode_all(texts)] == ["a", "b"] * 150
    assert len(template._renderers[None]._columns) == 2 * 71
