"""The proof against brute force: in worlds drawn at random, every memo of every case is written by a second hand.

Where the proof holds, each of those texts must be read back as its own case by both readers. Where two cases have a
text in common, the proof must not hold.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, event, given, settings

import pbn
from pbn.exact.sample import sample_codes
from pbn.text.invariance import prove
from tests.text.drawn import cases_of, drafts, file_of, texts_of, with_merged

MOST_TEXTS = 600
RELAXED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])


def loaded(draft):
    try:
        return pbn.loads(file_of(draft))
    except pbn.SpecError as error:
        raise AssertionError(f"{error}\n{file_of(draft)}") from None


def proof_of(world, level):
    """The proof on few cases, so that it cannot rest on having tried them all."""
    cases = sample_codes(world.network, world.network.named, 3, np.random.default_rng(1))
    return prove(world.memo(level), cases)


def every_text(draft, level):
    """(case, text) of a level, as many as are tried."""
    told = ((case, text) for case in cases_of(draft, level) for text in texts_of(draft, level, case) or ())
    return list(itertools.islice(told, MOST_TEXTS))


def check_against_brute_force(draft):
    world = loaded(draft)
    for level in draft.levels:
        proof, told = proof_of(world, level), every_text(draft, level)
        owners = {}
        for case, text in told:
            owners.setdefault(text, []).append(case)
        shared = [text for text, cases in owners.items() if any(case != cases[0] for case in cases)]
        event(f"proof {proof.holds}, shared {bool(shared)}")
        if shared:
            assert not proof.holds, (shared[0], owners[shared[0]], file_of(draft))
        if not proof.holds:
            continue
        assert told
        memo, shown = world.memo(level), set(draft.levels[level])
        for case, text in told:
            assert memo.decode(text) == case, (text, file_of(draft))
            recovery = memo.recover(text)
            assert recovery.found == case, (text, recovery, file_of(draft))
            assert not recovery.hidden
            assert not recovery.ambiguous
            assert set(recovery.told) == shown
    return world


@settings(RELAXED, max_examples=25)
@given(drafts())
def test_the_proof_is_sound(draft):
    check_against_brute_force(draft)


@pytest.mark.slow
@settings(RELAXED, max_examples=600)
@given(drafts())
def test_the_proof_is_sound_in_many_worlds(draft):
    check_against_brute_force(draft)


@settings(RELAXED, max_examples=15)
@given(drafts(clean=True))
def test_phrases_that_cannot_clash_are_proved_apart(draft):
    world = loaded(draft)
    for level in draft.levels:
        text = str(proof_of(world, level))
        assert "phrases_distinct: holds" in text, text + file_of(draft)


@settings(RELAXED, max_examples=20)
@given(drafts())
def test_the_bytes_are_those_of_the_format(draft):
    world = loaded(draft)
    for level in draft.levels:
        memo = world.memo(level)
        for k, case in enumerate(itertools.islice(cases_of(draft, level), 12)):
            expected = texts_of(draft, level, case, most=10**6)
            if expected is None:
                with pytest.raises(pbn.QueryError) as caught:
                    memo.text(case)
                assert caught.value.code == "text/missing-attribute"
                continue
            found = memo.text(case, position=k)
            assert found in expected
            if not draft.has_variety:
                assert len(expected) == 1 + (len(draft.questions) > 1) * len(draft.questions)
                assert found == expected[0]
            assert memo.text(with_merged(draft, case), position=k) == found


@settings(RELAXED, max_examples=15)
@given(drafts(clean=True))
def test_every_variant_comes_up(draft):
    assume(draft.has_variety)
    world = loaded(draft)
    for level in draft.levels:
        template = world.memo(level).template
        chosen = template.chosen(np.arange(2000))
        assert all(set(column.tolist()) == set(range(template.choices[key])) for key, column in chosen.items())


NOTHING_TOLD = """\
name: bare
title: Nothing told
variables:
  v: {states: [a, b]}
  asked: {rule: "v == 'a'"}
questions: {q: {asks: asked, kind: yes/no, text: Is it?}}
levels: {low: {show: [v]}, none: {show: []}}
memo:
  paragraphs: [{sentences: {MORE s: "It is {v}."}}]
  phrases: {v: {a: red, b: blue}}
"""


@pytest.mark.parametrize(("more", "text"), [("", "Is it?"), ("t: Well., ", "Well.\n\nIs it?")])
def test_a_level_that_tells_nothing(more, text):
    world = pbn.loads(NOTHING_TOLD.replace("MORE ", more))
    memo = world.memo("none")
    assert memo.text({}) == text
    assert memo.decode(text) == {}
    assert memo.recover(text + " It is red.").hidden == {"v": ("red",)}
    proof = proof_of(world, "none")
    assert proof.holds, str(proof)
    assert "memos read back" in proof.statements[-1].figure
    with pytest.raises(pbn.QueryError):
        memo.decode("\n\n" + text)
