"""Memos of the worlds that ship, read back: every state, drawn cases, lengths, and nothing hidden."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest

from pbn.text.wording import CodeWording
from tests.text.shipped import EACH, attributes, drawn, memo, world

EVERY = pytest.mark.parametrize(("name", "level"), EACH)


def cases_with_every_state(name, level):
    """For each attribute and each of its states, a drawn case in which the attribute has that state.

    Of thousands of numbers that read alike, the coarser levels take the first hundred, and then every tenth.
    """
    template, codes = memo(name, level).template, drawn(name)
    variables = template.network.variables
    rows = []
    for attribute in template.visible:
        size = variables[attribute].size
        for state in range(size) if level == "low" else [*range(min(size, 100)), *range(100, size, 10)]:
            row = len(rows) % 200
            rows.append({key: int(codes[key][row]) for key in template.visible} | {attribute: state})
    return {key: np.array([row[key] for row in rows]) for key in template.visible}


def rendered(name, level, codes, positions=None):
    template = memo(name, level).template
    count = len(next(iter(codes.values())))
    return list(template.render(codes, np.arange(count) if positions is None else positions))


@EVERY
def test_every_state_of_every_attribute_comes_back(name, level):
    codes = cases_with_every_state(name, level)
    texts = rendered(name, level, codes)
    found = memo(name, level).decoder.decode_all(texts)
    for row, decoded in enumerate(found):
        assert decoded.codes == {key: codes[key][row] for key in codes}
        assert decoded.attributes == attributes(name, level, codes, row)
    assert len(set(texts)) == len({tuple(decoded.attributes.values()) + tuple(decoded.chosen.values())
                                   for decoded in found})  # fmt: skip


@EVERY
def test_drawn_cases_come_back_from_a_search(name, level):
    codes = drawn(name)
    for row, text in enumerate(itertools.islice(rendered(name, level, codes), 60)):
        recovery = memo(name, level).recover(text)
        assert recovery.found == attributes(name, level, codes, row)
        assert not {**recovery.hidden, **recovery.ambiguous, **recovery.malformed}
        assert not recovery.missing
        assert all(len(found) == 1 for found in recovery.occurrences.values())


@pytest.mark.slow
@EVERY
def test_ten_thousand_cases_come_back(name, level):
    codes = drawn(name, 10_000, 11)
    texts = rendered(name, level, codes)
    found = memo(name, level).decoder.decode_all(texts)
    for key in memo(name, level).template.visible:
        assert np.array_equal([decoded.codes[key] for decoded in found], codes[key])
    for row in range(0, 10_000, 10):
        assert memo(name, level).recover(texts[row]).found == attributes(name, level, codes, row)


@EVERY
def test_a_memo_has_120_to_260_words(name, level):
    """The least and the most over every phrase, phrasing and question: sums of what each part can have."""
    template = memo(name, level).template
    questions = [len(question.text.split()) for question in world(name).questions.values()]
    least, most = min(questions), sum(questions)
    for paragraph in template.paragraphs:
        for sentence in paragraph.sentences:
            lengths = [bounds_of(template, pieces) for pieces in sentence.phrasings]
            least += min(low for low, _ in lengths)
            most += max(high for _, high in lengths)
    assert 120 <= least <= most <= 260


def bounds_of(template, pieces):
    """Fewest and most words of a phrasing; slots stand between blanks, so that their words add up."""
    shortest = longest = ""
    for piece in pieces:
        texts = [piece] if isinstance(piece, str) else phrases(template.wordings[piece.name])
        shortest += min(texts, key=lambda text: len(text.split()))
        longest += max(texts, key=lambda text: len(text.split()))
    return len(shortest.split()), len(longest.split())


def phrases(wording):
    if isinstance(wording, CodeWording):
        return wording.codes([np.array([0])] * len(wording.members))
    return [reading.text for reading in wording.readings]


@EVERY
def test_a_memo_has_none_of_the_phrases_of_what_is_hidden(name, level):
    template = memo(name, level).template
    hidden = [wording for key, wording in template.all_wordings.items() if key not in template.wordings]
    assert hidden or level == "low"
    told = [phrase for wording in hidden for phrase in phrases(wording)]
    for text in rendered(name, level, drawn(name))[:100]:
        assert not [phrase for phrase in told if re.search(rf"\b{re.escape(phrase)}\b", text)]


@pytest.mark.parametrize("name", sorted({name for name, _ in EACH}))
def test_a_memo_does_not_name_variables_or_latent_states(name):
    """No identifier of the file with an underscore, and no word for what decides the outcome."""
    network = world(name).network
    text = "\n".join(rendered(name, "low", drawn(name, 50)))
    assert not [variable for variable in network.named if "_" in variable and variable in text]
    assert not re.search(r"\b(residual|latent|hidden|net position)\b", text)


@EVERY
def test_a_level_reads_as_the_finer_one_without_what_it_hides(name, level):
    """Sentences that two levels share are the same in both, for the same position."""
    codes = drawn(name, 30)
    fine, coarse = rendered(name, "low", codes), rendered(name, level, codes)
    for one, other in zip(fine, coarse, strict=True):
        left = other
        for sentence in re.split(r"(?<=[.?]) |\n\n", one):
            left = left.replace(sentence, "", 1)
        replaced = 1 if name in ("covert_transfer", "support_ticket") and level != "low" else 0
        assert len(re.findall(r"[.?]", left)) <= replaced
