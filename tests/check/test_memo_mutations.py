"""One thing wrong in the memo of a shipped world: the checks of the condition that it breaks fail, and no others."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

import pbn
from pbn.check.text import text_checks, text_proof
from tests.check.mutations import source_of

LEAKS = ("text_separated", "text_invariant")
LOST = ("text_complete", "phrases_distinct", "text_decodes")


@dataclass(frozen=True)
class Mutation:
    """A passage of a file and what stands in its place; ``caught`` are the checks that fail, ``told`` their words."""

    world: str
    what: str
    old: str
    new: str
    caught: tuple[str, ...]
    told: tuple[str, ...]
    levels: tuple[str, ...] = ("low", "medium", "high")

    def text(self) -> str:
        source = source_of(self.world)
        assert source.count(self.old) == 1, self
        return lighter(source.replace(self.old, self.new))

    @property
    def line(self) -> int:
        """The line where the new passage begins."""
        return 1 + source_of(self.world).split(self.old)[0].count("\n")


def lighter(source: str) -> str:
    """A file whose counts and measurements have fewer numbers, each of which is a memo to read back."""
    fewer = source.replace("{median: 200, scale: 1}, from: 10, to: 5000", "{median: 30, scale: 1}, from: 10, to: 49")
    return fewer.replace("step: 0.1\n    cuts: [25, 60]", "step: 5\n    cuts: [25, 60]").replace(
        "step: 0.1\n    cuts: [20, 50]", "step: 5\n    cuts: [20, 50]"
    )


MUTATIONS = [
    # -- condition 2: something is lost
    Mutation("credit_risk", "a state without a phrase", "contraction: in a phase of contraction", "",
             ("text_complete", "text_decodes"), ("cycle=contraction has no phrase",)),
    Mutation("peer_review", "a state without a phrase where another has one",
             "      else:\n        fragile: the findings break down once the conditions are changed\n", "      else:\n",
             ("text_complete", "text_decodes"),
             ("robustness=fragile has no phrase where contribution_type is empirical",)),
    Mutation("support_ticket", "a state without a phrase", "dark: dark colours", "",
             ("text_complete", "text_decodes"), ("display_theme=dark has no phrase",)),
    Mutation("credit_risk", "one text for two cases", "steady:      in a steady phase",
             "steady:      in a phase of expansion", ("phrases_distinct", "text_decodes"),
             ("'in a phase of expansion' (cycle=steady) is also the phrase of 'in a phase of expansion'",
              "one text for two cases:")),
    Mutation("covert_transfer", "one text for two cases", "mirror: kept in the mirror store",
             "mirror: kept in the main store", ("phrases_distinct", "text_decodes"),
             ("'kept in the main store' (storage=mirror) is also the phrase of", "one text for two cases:")),
    Mutation("peer_review", "one text for two cases", "major:    one of major importance",
             "major:    one of minor importance", ("phrases_distinct", "text_decodes"),
             ("(significance=major) is also the phrase of 'one of minor importance' (significance=minor)",
              "one text for two cases:")),
    Mutation("support_ticket", "one text for two cases", "blocked: work has come to a standstill",
             "blocked: work goes on as usual", ("phrases_distinct", "text_decodes"),
             ("(impact=blocked) is also the phrase of 'work goes on as usual' (impact=none)",
              "one text for two cases:")),
    Mutation("credit_risk", "a phrase that is part of another", "high:     a high degree of freedom to cut costs",
             "high:     freedom to cut costs", ("phrases_distinct",),
             ("'freedom to cut costs' (operating_flexibility=high) stands inside",)),
    Mutation("support_ticket", "a phrase that is part of another's alternative",
             "matter-of-fact: [sticks to the facts,", "matter-of-fact: [sticks to the facts, strikes a sharp note now,",
             ("phrases_distinct",), ("'strikes a sharp note' (tone=sharp) stands inside",)),
    Mutation("credit_risk", "a phrase in fixed words", "This memo was", "In a steady phase this memo was",
             ("phrases_distinct", "text_decodes"), ("'In a steady phase' (cycle) stands in the words",)),
    Mutation("peer_review", "a hidden attribute's phrase in fixed words", "What it offers beyond",
             "Though an incremental step, what it offers beyond", ("phrases_distinct", "text_decodes"),
             ("'an incremental step' (novelty) stands in the words",), ("low",)),
    Mutation("covert_transfer", "a phrase across a seam", "urgency:       {routine: marked as routine,",
             "urgency:       {routine: in the hands of,", ("phrases_distinct", "text_decodes"),
             ("'in the hands of' (urgency) stands in the words",)),
    Mutation("credit_risk", "a phrase across the seam of another and the words behind it", "light: a light load",
             "light: \"a weak flow of cash. What\"", ("phrases_distinct", "text_decodes"),
             ("'a weak flow of cash' (cash_generation=weak) stands inside",)),
    Mutation("credit_risk", "one attribute told twice", "the economy as a whole is {cycle}.",
             "the economy as a whole is {cycle}, truly {cycle}.", ("text_complete",), ("cycle has several slots",)),
    Mutation("support_ticket", "one attribute told in two sentences", "customer's account is on {customer_tier}.",
             "customer's account is on {customer_tier}, written {channel}.", ("text_complete",),
             ("channel has several slots",), ("low", "medium")),
    # -- condition 1: something leaks
    Mutation("credit_risk", "the outcome told", "the economy as a whole is {cycle}.",
             "the economy as a whole is {cycle}, default {default}.", LEAKS,
             ("{default} tells default, which no level shows",)),
    Mutation("credit_risk", "the residual told", "the economy as a whole is {cycle}.",
             "the economy as a whole is {cycle}, give or take {residual} units.", LEAKS,
             ("{residual} tells residual, which no level shows",)),
    Mutation("credit_risk", "what the rule computes told", "the economy as a whole is {cycle}.",
             "the economy as a whole is {cycle}, with a shortfall of {cash_shortfall} units.", LEAKS,
             ("{cash_shortfall} tells cash_shortfall, which no level shows",)),
    Mutation("covert_transfer", "a latent letter told", "Taken from the file name,",
             "Taken from the file name and drawn as {drawn_3} at first,", LEAKS,
             ("{drawn_3} tells drawn_3, which no level shows",)),
    Mutation("covert_transfer", "the outcome told", "Having been {urgency},", "Having been {urgency} ({encoding}),",
             LEAKS, ("{encoding} tells encoding, which no level shows",)),
    Mutation("peer_review", "the outcome told", "Correspondence that", "Being {accepted}, correspondence that", LEAKS,
             ("{accepted} tells accepted, which no level shows",)),
    Mutation("support_ticket", "an answer told", "the customer had the display", "the {queue} had the display", LEAKS,
             ("{queue} tells queue, which no level shows",)),
    Mutation("credit_risk", "wording by what a level hides",
             "debt_service:   {light: a light load, moderate: a moderate load, heavy: a heavy load}",
             "debt_service: {by: cash_buffer, limited: {light: little load, moderate: some load, heavy: much load}, "
             "else: {light: a light load, moderate: a moderate load, heavy: a heavy load}}", LEAKS,
             ("the wording of debt_service", "depends on cash_buffer, which level medium hides"), ("medium", "high")),
    Mutation("support_ticket", "wording by what two levels hide",
             "scope:\n      one person:    one person only\n      one team:      a single team\n"
             "      whole company: the whole company\n",
             "scope:\n      by: impact\n      none: {one person: just one person, one team: just one team, "
             "whole company: just the whole firm}\n      else: {one person: one person only, one team: a single team, "
             "whole company: the whole company}\n", LEAKS,
             ("the wording of scope", "depends on impact, which level medium hides"), ("medium", "high")),
]  # fmt: skip


def results(world, samples=5, names=(*LEAKS, *LOST)):
    return [check.run() for check in text_checks(world, samples, 1) if check.name in names]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: f"{mutation.world}: {mutation.what}")
def test_a_mutation_is_caught_by_the_checks_of_its_condition(mutation):
    tried = LEAKS if mutation.caught == LEAKS else (*LEAKS, *LOST)  # what leaks may use words that are told already
    failed = [r for r in results(pbn.loads(mutation.text()), names=tried) if r.outcome == "fail"]
    names = {result.name for result in failed}
    assert mutation.caught[0] in names
    assert names <= set(mutation.caught), failed
    if mutation.caught == LEAKS:
        assert names == set(LEAKS)
    first = [result for result in failed if result.name == mutation.caught[0]]
    assert tuple(result.level for result in first) == mutation.levels
    details = " ".join(result.detail for result in failed)
    assert all(words in details for words in mutation.told), details
    assert all(result.detail for result in failed)
    condition = "condition 1" if mutation.caught == LEAKS else "condition 2"
    assert first[0].part == condition


@pytest.mark.parametrize("mutation", [m for m in MUTATIONS if m.caught == LEAKS and "tells" in m.told[0]],
                         ids=lambda mutation: f"{mutation.world}: {mutation.what}")  # fmt: skip
def test_a_leak_is_named_with_its_line(mutation):
    failed = results(pbn.loads(mutation.text()), 5, ["text_separated"])
    slot = mutation.told[0].split("}")[0] + "}"
    line = mutation.text().split("\n")[mutation.line - 1]
    assert all(f"line {mutation.line}, column {line.index(slot) + 1}: {slot} tells" in r.detail for r in failed)


@pytest.mark.parametrize("name", sorted(pbn.shipped_worlds()))
def test_every_sentence_with_a_slot_is_needed(name):
    """Each such sentence left out in turn: the level that showed it no longer tells all."""
    world = pbn.load(name)
    memo = world.spec.memo
    for number, paragraph in enumerate(memo.paragraphs):
        for k, sentence in enumerate(paragraph.sentences):
            told = [piece.name for piece in sentence.phrasings[0] if not isinstance(piece, str)]
            kept = tuple(other for j, other in enumerate(paragraph.sentences) if j != k)
            fewer = replace(paragraph, sentences=kept, orders=(tuple(range(len(kept))),))
            paragraphs = (*memo.paragraphs[:number], fewer, *memo.paragraphs[number + 1 :])
            without = replace(world, spec=replace(world.spec, memo=replace(memo, paragraphs=paragraphs)))
            complete = results(without, 2, ["text_complete"])
            failed = [result for result in complete if result.outcome == "fail"]
            assert bool(failed) == bool(told)
            assert all(any(slot in result.detail for slot in told) for result in failed)


def test_the_witness_is_two_cases_with_one_text():
    mutation = next(m for m in MUTATIONS if m.what == "one text for two cases")
    world = pbn.loads(mutation.text())
    proof = text_proof(world, "low", samples=5, seed=1)
    assert not proof.holds
    (statement,) = [s for s in proof.statements if s.name == "phrases_distinct"]
    one, other = statement.witness.cases
    assert "cycle=expansion" in other
    assert one == other.replace("cycle=expansion", "cycle=steady")
    assert "in a phase of expansion" in statement.witness.texts[-1]
    assert "one text for two cases:" in str(proof)
