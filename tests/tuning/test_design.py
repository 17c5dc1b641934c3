"""Designs: solved masses computed afresh, the search against every subset, and what is pasted into a file."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pbn
from pbn.loading import shipped_worlds
from pbn.tuning.curve import Masses
from pbn.tuning.design import design
from pbn.tuning.fragment import level_lines, mass_lines, mass_parameter
from pbn.tuning.hiding import hideable
from pbn.tuning.worlds import world_with_residual_mass
from tests.tuning.worlds import NOISY, noisy

REPEATED = """
name: repeated
title: Dice, a merge, and a residual that no parameter moves
parameters: {half: .05, weight: 1}
variables:
  die: {repeat: 3, states: 1..4}
  big: {merge: die_1, into: {low: [1, 2], high: [3, 4]}}
  cheat: {states: [no, yes], p: [.7, .3]}
  idle: {states: [a, b]}
  noise: {role: residual, states: [-2, 0, 2], p: [half, 1 - 2 * half, half]}
  won: {rule: "weight * sum(die) + 3 * (cheat == 'yes') + noise > 8"}
questions: {won: {asks: won, kind: yes/no, text: Won?}}
levels: {all: {hide: []}, some: {hide: [die_1], show: [big]}}
"""


def nearest_by_hand(world, level, question, target):
    """The nearest ε* up to the target and from there on over all subsets, the smallest and first of them."""
    names = hideable(world, level, question)
    sets = [hidden for size in range(len(names) + 1) for hidden in itertools.combinations(names, size)]
    errors = [(world.bayes_error(level, question=question, hide=hidden).exact, hidden) for hidden in sets]
    below = max([e for e, _ in errors if e <= target], default=None)
    above = min([e for e, _ in errors if e >= target], default=None)
    first = dict(reversed(errors))
    return [None if error is None else (first[error], error) for error in (below, above)]


@pytest.mark.parametrize(("name", "level", "target"), [
    ("credit_risk", "medium", "0.12"), ("credit_risk", "low", "0.05"), ("peer_review", "low", "0.1"),
])  # fmt: skip
def test_the_mass_is_exact_when_the_file_is_loaded_afresh(name, level, target):
    found = design(name, level, target, route="noise")
    again = pbn.load(name, parameters={"residual_mass": found.noise.mass})
    assert again.bayes_error(level).exact == Fraction(target) == found.noise.error
    text = shipped_worlds()[name].read_text(encoding="utf-8")
    (line,) = mass_lines(pbn.load(name), "residual", found.noise.mass)[1:]
    pasted = pbn.loads(re.sub(r"^  residual_mass:.*$", line, text, flags=re.MULTILINE))
    assert pasted.bayes_error(level).exact == Fraction(target)


def test_the_worlds_own_error_gives_its_own_mass():
    world = pbn.load("credit_risk")
    for level in world.levels:
        masses = design(world, level, world.bayes_error(level).exact, route="noise").noise.masses
        assert masses == (Masses(Fraction(24, 100), Fraction(24, 100)),)


@settings(deadline=None, max_examples=8)
@given(
    st.fractions(0, "1/2", max_denominator=200),
    st.sampled_from(["ill", "treated"]),
    st.sampled_from(["fine", "coarse"]),
)
def test_the_search_finds_what_going_through_all_sets_finds(target, question, level):
    world = noisy()
    found = design(world, level, target, question)
    masses = [Fraction(0), Fraction(1, 5)] if question == "treated" else [None]
    assert [hiding.mass for hiding in found.hiding] == masses
    for hiding in found.hiding:
        one = world if hiding.mass is None else world_with_residual_mass(world, hiding.mass)
        got = [entry and (entry.hidden, entry.error) for entry in (hiding.below, hiding.above)]
        assert got == nearest_by_hand(one, level, question, target)
        assert hiding.exhaustive
        assert all(level in hiding.proposals for level in (hiding.below, hiding.above) if level)


@pytest.mark.parametrize("level", ["all", "some"])
@pytest.mark.parametrize("target", ["0.1", "0.2", "0.3"])
def test_a_repeated_variable_is_hidden_as_a_whole(level, target):
    world = pbn.loads(REPEATED)
    (still, own) = design(world, level, target, route="hiding").hiding
    wanted = ("die", "cheat") if level == "all" else ("die_2", "die_3", "big", "cheat")
    assert set(own.attributes) == set(wanted)
    got = [entry and (entry.hidden, entry.error) for entry in (own.below, own.above)]
    assert got == nearest_by_hand(world, level, "won", Fraction(target))
    for proposal in (*still.proposals, *own.proposals):
        lines = level_lines(world, level, proposal.hidden)
        old = next(line for line in REPEATED.splitlines() if line.startswith("levels"))
        text = REPEATED.replace(old, "\n".join(lines))
        mass = Fraction(1, 10) if proposal in own.proposals else Fraction(0)
        pasted = world_with_residual_mass(pbn.loads(text), mass)
        assert pasted.bayes_error(level).exact == proposal.error


# the outcome follows a hidden coin, or with the noise a shown one; with a third state, neither
TURNED = """
name: turned
title: Noise that tells the outcome
parameters: {{mass: {mass}}}
variables:
  hidden: {{role: latent, states: [no, yes]}}
  seen: {{states: [no, yes]}}
  noise: {{role: residual, states: [0, 1, 2], p: [1 - mass, mass * {share}, mass * (1 - {share})]}}
  y: {{rule: "hidden == 'yes' if noise == 0 else seen == 'yes' if noise == 1 else seen == 'no'"}}
questions: {{q: {{asks: y, kind: yes/no, text: Which?}}}}
levels: {{all: {{hide: []}}}}
"""


@settings(deadline=None, max_examples=30)
@given(st.fractions(0, 1, max_denominator=12), st.fractions(0, "1/2", max_denominator=12))
def test_noise_that_lowers_the_error(share, target):
    """ε* is 1/2 − r |share − 1/2| here: it falls, or stays as it is."""
    world = pbn.loads(TURNED.format(mass="1/3", share=share))
    noise = design(world, "all", target, route="noise").noise
    slope = abs(share - Fraction(1, 2))
    whole = (Masses(Fraction(0), Fraction(1)),) if target == Fraction(1, 2) else ()
    mass = (Fraction(1, 2) - target) / slope if slope else None
    assert noise.masses == (whole if mass is None else (Masses(mass, mass),) if mass <= 1 else ())
    assert (noise.still, noise.noisy, noise.most) == (Fraction(1, 2), Fraction(1, 2) - slope, Fraction(1, 2))
    assert noise.least == noise.noisy
    for masses in noise.masses:
        again = pbn.loads(TURNED.format(mass=masses.last, share=share))
        assert again.bayes_error("all").exact == target == noise.error


# which residuals cannot be turned down: none, one without a neutral state, one with parents, two, one that never rests
UNSCALED = {
    "residual/none": "noise: {role: latent, states: [-1, 1]}",
    "residual/neutral": "noise: {role: residual, states: [-1, 1], p: [.3, .7]}",
    "residual/parents": "noise: {role: residual, states: [-1, 0], given: a, p: {0: [.1, .9], 1: [.2, .8]}}",
    "residual/which": "noise: {role: residual, states: [-1, 0]}\n  other: {role: residual, states: [0, 1]}",
    "rule/undefined": "noise: {role: residual, states: [0, 1], p: [0, 1]}",
}
TWO = """
name: two
title: Two factors and what is left out
variables:
  a: {{states: [0, 1]}}
  b: {{states: [0, 1], p: [.3, .7]}}
  {noise}
  won: {{rule: {rule} > 1}}
questions: {{won: {{asks: won, kind: yes/no, text: Won?}}}}
levels: {{all: {{hide: []}}}}
"""


def unscaled(code):
    rules = {"residual/which": "a + b + noise + other", "rule/undefined": "a + b / noise"}
    return pbn.loads(TWO.format(noise=UNSCALED[code], rule=rules.get(code, "a + b + noise")))


@pytest.mark.parametrize("code", UNSCALED)
@pytest.mark.parametrize("target", ["0", "0.1", "0.2", "0.5"])
def test_hiding_needs_no_residual_that_could_be_scaled(code, target):
    world = unscaled(code)
    (found,) = design(world, "all", target, route="hiding").hiding
    assert found.mass == (1 if code == "rule/undefined" else None)
    got = [entry and (entry.hidden, entry.error) for entry in (found.below, found.above)]
    assert got == nearest_by_hand(world, "all", "won", Fraction(target))


@pytest.mark.parametrize("code", UNSCALED)
def test_why_there_is_no_noise(code):
    world = unscaled(code)
    if code == "residual/which":
        with pytest.raises(pbn.QueryError, match=code):
            design(world, "all", "0.1")
        return
    found = design(world, "all", "0.1")
    assert (found.noise.why_not.code, found.noise.masses) == (code, ())
    assert found.hiding == design(world, "all", "0.1", route="hiding").hiding


def test_processes_and_bounds():
    world = pbn.load("support_ticket")
    one = design(world, "medium", "0.25", "queue", route="hiding", most=10)
    assert one == design(world, "medium", "0.25", "queue", route="hiding", most=10, workers=2)
    assert [hiding.exhaustive for hiding in one.hiding] == [False, False]
    assert all(hiding.evaluated == 10 for hiding in one.hiding)


def test_over_the_budget():
    found = design(pbn.load("credit_risk", budget=100_000), "high", "0.17", most=8)
    assert found.own_error is None
    assert found.noise.why_not.code == "exact/over-budget"
    assert all(hiding.refused and not hiding.exhaustive for hiding in found.hiding)


def test_targets_out_of_reach():
    found = design("credit_risk", "medium", "0.15", route="noise").noise
    assert (found.masses, found.mass, found.error) == ((), None, None)
    assert found.most_at == Masses(Fraction(1), Fraction(1))
    assert (
        (found.least, found.most)
        == (found.still, found.noisy)
        == tuple(
            pbn.load("credit_risk", parameters={"residual_mass": mass}).bayes_error("medium").exact for mass in (0, 1)
        )
    )
    low = design(noisy(), "fine", 0, "ill")
    assert low.noise.why_not.code == "residual/none"
    (hiding,) = low.hiding
    assert hiding.below is None
    assert (hiding.above.hidden, hiding.above.error) == ((), hiding.least)
    (hiding,) = design(noisy(), "fine", 1, "ill").hiding
    assert hiding.above is None
    assert hiding.below.error == hiding.most


def test_residuals_that_lead_to_the_question():
    assert design("support_ticket", "low", "0.2", "queue", route="noise").variable == "clerical_slip"
    assert design("support_ticket", "low", "0.2", "priority", route="noise").variable == "duty_judgement"
    assert design("support_ticket", "low", "0.2", "angry", route="noise").variable is None
    still = noisy(mass="0")
    found = design(still, "fine", "0.1", "treated")
    assert found.noise.why_not.code == "residual/shape"
    assert [hiding.mass for hiding in found.hiding] == [0]


def test_parameters_that_are_the_mass_are_recognised():
    assert mass_parameter(noisy(), "slip") == "mass"
    assert mass_parameter(pbn.load("credit_risk"), "residual") == "residual_mass"
    assert mass_parameter(pbn.load("support_ticket"), "duty_judgement") == "judgement"
    world = pbn.loads(REPEATED)  # half the mass is not the mass
    assert mass_parameter(world, "noise") is None
    assert mass_lines(world, "noise", Fraction(1, 3)) == ["variables:", "  noise:", "    p: [1/6, 2/3, 1/6]"]
    for text in (  # used by a rule, by another parameter, by another variable
        NOISY.replace("slip > 1", "slip > 1 - mass"),
        NOISY.replace("{{mass: {mass}, ", "{{mass: {mass}, third: mass / 3, "),
        NOISY.replace("p: [1 - sick, sick]", "p: [1 - mass, mass]"),
    ):
        assert mass_parameter(pbn.loads(text.format(mass=".2", sick=".1")), "slip") is None


@pytest.mark.parametrize(("arguments", "options", "code"), [
    (("fine", "1.5"), {}, "design/target"), (("fine", "nan"), {}, "design/target"), (("fine", -1), {}, "design/target"),
    (("fine", "some"), {}, "design/target"), (("fin", "0.1"), {}, "query/unknown-level"),
    (("fine", "0.1"), {"question": "x"}, "query/unknown-question"), (("fine", "0.1"), {"question": None},
    "query/which-question"), (("fine", "0.1"), {"route": "nois"}, "design/route"),
    (("fine", "0.1"), {"most": 1}, "design/most"), (("fine", "0.1"), {"variable": "ill"}, "residual/unknown"),
    (("fine", "0.1"), {"workers": 99}, "crew/workers"),
])  # fmt: skip
def test_what_is_refused(arguments, options, code):
    with pytest.raises(pbn.QueryError) as caught:
        design(noisy(), *arguments, **({"question": "treated"} | options))
    assert caught.value.code == code
