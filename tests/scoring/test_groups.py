"""Groups of the cases of a truth: those of the world's own draws, and the errors over them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.cases.groups import groups_of
from pbn.scores import empirical_multicalibration, multicalibration
from pbn.scoring.groups import grouped
from pbn.scoring.scores import score_predictions
from pbn.scoring.truth import read_truth


@pytest.fixture(scope="module")
def visible(credit_data):
    """What the cases show at High, by identifier."""
    return pd.read_parquet(credit_data / "cases-high.parquet").set_index("id")


def test_members_are_told_by_what_the_cases_show(credit_data, credit_high, visible):
    known = grouped(credit_high.world, credit_high.draws)
    names, members = known.at("high").names, known.members("high", credit_high.draws)
    assert len(names) == 45
    cases = visible.loc[list(credit_high.ids)]
    for group, inside in zip(names, members.T, strict=True):
        wanted = np.ones(len(cases), dtype=bool)
        if " in " in group:
            name, _, interval = group.partition(" in ")
            low, high = (float(end) for end in interval[1:-1].split(","))
            numbers = cases[name].astype(float)
            wanted = ((numbers >= low) if interval[0] == "[" else (numbers > low)) & (numbers <= high)
        else:
            for part in group.split(", "):
                name, _, state = part.partition(" = ")
                wanted &= (cases[name].astype(str) == state).to_numpy()
        assert (inside == np.asarray(wanted)).all(), group


def test_scores_over_groups_are_those_of_the_arrays(credit_high, written):
    rng = np.random.default_rng(4)
    q = rng.random(len(credit_high.ids)).round(6)
    text = "id,p\n" + "".join(f"{name},{value}\n" for name, value in zip(credit_high.ids, q, strict=True))
    [group] = score_predictions(written(text, credit_high), credit_high).groups
    known = grouped(credit_high.world, credit_high.draws)
    names, members = known.at("high").names, known.members("high", credit_high.draws)
    p, y = credit_high.probs["default"][:, 1], credit_high.labels["default"]
    true, found = multicalibration(p, q, members, names), group["multicalibration"]
    assert found.value == pytest.approx(true.value, rel=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx(true.band, rel=1e-12)
    assert found.interval.method == "hoeffding"
    assert true.group in found.note
    assert found.id == "mc[10 equal-width, positive, absolute, 46 groups]"
    on_labels = empirical_multicalibration(y, q, members, names).value
    assert group["empirical_multicalibration"].value == pytest.approx(on_labels, rel=1e-12)


def test_only_what_a_level_shows_makes_groups():
    world = pbn.load("peer_review")
    hidden = next(name for name in world.level("low").visible if name not in world.level("high").visible)
    groups = groups_of(world, [hidden])
    from pbn.scoring.groups import Grouped

    known = Grouped(world=world, groups=groups)
    assert any(hidden in name for name in known.at("low").names)
    assert not any(hidden in name for name in known.at("high").names)
    assert known.at("no such level").names == ()


def test_rows_far_apart_and_of_several_seeds():
    world = pbn.load("credit_risk")
    from pbn.cases.identity import law_digest
    from pbn.cases.sample import rows
    from pbn.scoring.groups import Grouped

    known, law = Grouped(world=world, groups=groups_of(world)), law_digest(world)
    draws = [(law, 1, 10**9), (law, 2, 3), (law, 1, 5), (law, 1, 10**9 + 1), (law, 2, 3)]
    found = known.members("high", draws)
    for (_, seed, row), inside in zip(draws, found, strict=True):
        codes = rows(world, seed, row, 1, known.groups.needed)
        assert (inside == known.groups.members(codes)[0]).all()


def test_groups_are_not_guessed(credit_data, credit_high, tmp_path):
    assert grouped(None, credit_high.draws) is None
    assert grouped(credit_high.world, None) is None
    assert grouped(tmp_path / "no.yaml", credit_high.draws) is None
    other = tmp_path / "world.yaml"
    other.write_text(pbn.shipped_worlds()["peer_review"].read_text(encoding="utf-8"), encoding="utf-8")
    assert grouped(other, credit_high.draws) is None  # of another law
    other.write_text("nonsense: [", encoding="utf-8")
    assert grouped(other, credit_high.draws) is None


def test_several_classes_have_groups_of_their_top_label(ticket_data, written):
    truth = read_truth(ticket_data, level="low")
    states = truth.questions["queue"].states
    law = np.full(len(states), 1 / len(states))
    head = "id," + ",".join(f"p_{state}" for state in states) + "\n"
    text = head + "".join(f"{name},{','.join(map(repr, law.tolist()))}\n" for name in truth.ids)
    [group] = score_predictions(written(text, truth, question="queue"), truth).groups
    names = {score.name for score in group.scores}
    known = grouped(truth.world, truth.draws)
    assert ("multicalibration" in names) == (known is not None)
    if known is not None:
        assert "top-label" in group["multicalibration"].id
