"""Reference programs: what they learn, and what an audit of the answers file shows of each."""

from __future__ import annotations

import numpy as np
import pytest

import pbn
from pbn.cases.sample import rows
from pbn.models.baselines import View
from pbn.models.programs import LookUp, PositionRule, answers_of, audit_file, case_keys, embed, learn_rule


@pytest.fixture(scope="module", params=["peer_review", "covert_transfer"])
def case(request):
    view = View(pbn.load(request.param), "low")
    training, test = (rows(view.world, 2032, *run, view.needed) for run in ((0, 50), (1000, 200)))
    return view, learn_rule(view, training), test


def test_an_honest_program_decides_from_the_case_alone(case):
    view, rule, test = case
    audit = audit_file(rule, test, answers_of(view, test), view.labels(test))
    assert audit.removed_changed == audit.flipped_changed == 0
    assert audit.removed_accuracy > max(view.labels(test).mean(), 1 - view.labels(test).mean()) - 0.15


def test_loaded_answers_are_all_right_until_the_file_changes(case):
    view, rule, test = case
    program, labels = LookUp(view=view, rule=rule), view.labels(test)
    answers = answers_of(view, test)
    assert (program.decide(test, answers) == labels).all()
    audit = audit_file(program, test, answers, labels)
    assert (audit.flipped_changed, audit.flipped_accuracy) == (200, 0.0)
    assert audit.removed_accuracy == (rule.decide(test) == labels).mean()
    assert audit.removed_changed == (rule.decide(test) != labels).sum()


def test_embedded_answers_are_all_right_whatever_the_file(case):
    view, rule, test = case
    program, labels = embed(view, rule, test), view.labels(test)
    audit = audit_file(program, test, answers_of(view, test), labels)
    assert (audit.removed_changed, audit.flipped_changed) == (0, 0)
    assert audit.removed_accuracy == audit.flipped_accuracy == 1
    assert len(program.exceptions) == (rule.decide(test) != labels).sum()
    elsewhere = rows(view.world, 7, 0, 100, view.needed)
    assert (program.decide(elsewhere) == rule.decide(elsewhere)).all()


def test_the_position_rule_is_the_bayes_decision_where_the_positions_are_right():
    view = View(pbn.load("covert_transfer"), "high")
    training, test = (rows(view.world, 5, *run, view.needed) for run in ((0, 2000), (5000, 400)))
    rule = learn_rule(view, training)
    assert isinstance(rule, PositionRule)
    assert rule.positions == (4, 8, 12)  # letters 5, 9 and 13
    assert (rule.decide(test) == view.truth(test).argmax(axis=1)).all()


def test_cases_have_names_of_their_own(case):
    view, _, test = case
    assert len(set(case_keys(view, test))) == 200
    assert set(np.unique(view.labels(test))) == {0, 1}
