"""Groups of the cases of a truth: those of the world's own draws, and the errors over them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pbn
from pbn.cases.groups import groups_of
from pbn.cases.identity import law_digest
from pbn.cases.sample import RowSampler, rows
from pbn.scores import empirical_multicalibration, multicalibration
from pbn.scoring.groups import Grouped, grouped
from pbn.scoring.scores import score_predictions
from pbn.scoring.truth import read_truth


@pytest.fixture(scope="module")
def visible(credit_data):
    """What the cases show at High, by identifier."""
    return pd.read_parquet(credit_data / "cases-high.parquet").set_index("id")


def test_members_are_told_by_what_the_cases_show(credit_data, credit_high, visible):
    known = grouped(credit_high.world, credit_high.draws)
    names, members = known.members("high", credit_high.draws)
    assert len(names) == 45
    assert members.flags.f_contiguous
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
    names, members = known.members("high", credit_high.draws)
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
    known = Grouped(world=world, groups=groups)
    assert any(hidden in name for name in known.at("low").names)
    assert not any(hidden in name for name in known.at("high").names)
    assert known.at("no such level").names == ()
    assert known.members("no such level", [("", 1, 2)]) is None


def test_rows_far_apart_and_of_several_seeds():
    world = pbn.load("credit_risk")
    known, law = Grouped(world=world, groups=groups_of(world)), law_digest(world)
    draws = [(law, 1, 10**9), (law, 2, 3), (law, 1, 5), (law, 1, 10**9 + 1), (law, 2, 3), (law, 2**63 - 1, 2**62 - 1)]
    _, found = known.members("high", draws)
    for (_, seed, row), inside in zip(draws, found, strict=True):
        codes = rows(world, seed, row, 1, known.groups.needed)
        assert (inside == known.groups.members(codes)[0]).all()


def test_runs_of_rows_are_bounded(monkeypatch):
    world = pbn.load("credit_risk")
    known, asked = Grouped(world=world, groups=groups_of(world)), []
    codes = RowSampler.codes

    def noted(self, start, stop, names):
        asked.append(stop - start)
        return codes(self, start, stop, names)

    draws = [("", 1, row) for row in range(0, 400_000, 4000)]
    monkeypatch.setattr(RowSampler, "codes", noted)
    _, found = known.members("high", draws)
    assert max(asked) <= 2**16
    assert len(asked) == 7
    assert (found == known.groups.members({name: column[::4000] for name, column in RowSampler(world, 1).codes(
        0, 400_000, known.groups.needed).items()})).all()  # fmt: skip


def test_groups_are_not_guessed(credit_high, tmp_path):
    draws, other = credit_high.draws, tmp_path / "world.yaml"
    assert "does not say the law" in grouped(credit_high.world, None)
    for absent in (None, tmp_path / "no.yaml", tmp_path):
        assert "no world file" in grouped(absent, draws)
    other.write_text(pbn.shipped_worlds()["peer_review"].read_text(encoding="utf-8"), encoding="utf-8")
    assert "of another law" in grouped(other, draws)
    other.write_text("nonsense: [", encoding="utf-8")
    assert "is not read" in grouped(other, draws)
    law = draws[0][0]
    assert isinstance(grouped(credit_high.world, [(law, seed, 0) for seed in range(1000)]), Grouped)
    assert "more than 1,000 seeds" in grouped(credit_high.world, [(law, seed, 0) for seed in range(1001)])


def test_a_report_says_why_there_are_no_groups(credit_high, written):
    head, name = "id,p\n", credit_high.ids[0]
    absent = replace(credit_high, world=None)
    told = score_predictions(written(f"{head}{name},0.5\n", absent), absent).notes
    assert told == ("multicalibration is left out: there is no world file beside the truth",)
    decided = written(f"id,decision\n{name},yes\n", absent)
    assert score_predictions(decided, absent).notes == ()  # without probabilities there is no calibration at all
    elsewhere = replace(credit_high, levels=("unseen",))
    [told] = score_predictions(written(f"{head}{name},0.5\n", elsewhere), elsewhere).notes
    assert told == "multicalibration is left out: no groups are visible at level unseen"
    assert score_predictions(written(f"{head}{name},0.5\n", credit_high), credit_high).notes == ()


def test_a_world_without_groups_is_said(tmp_path):
    text = (Path(pbn.__file__).parent / "cli" / "new_world.yaml").read_text(encoding="utf-8")
    parts = text.partition("  # A field that has nothing"), text.partition("questions:\n")
    file = tmp_path / "world.yaml"
    file.write_text(parts[0][0] + (parts[1][1] + parts[1][2]).partition("claims:")[0], encoding="utf-8")
    assert "has no context and no irrelevant fields" in grouped(file, [(law_digest(pbn.load(file)), 1, 0)])


def test_several_classes_have_groups_of_their_top_label(ticket_data, written):
    truth = read_truth(ticket_data, level="low")
    states = truth.questions["queue"].states
    law = np.full(len(states), 1 / len(states))
    head = "id," + ",".join(f"p_{state}" for state in states) + "\n"
    text = head + "".join(f"{name},{','.join(map(repr, law.tolist()))}\n" for name in truth.ids)
    [group] = score_predictions(written(text, truth, question="queue"), truth).groups
    names = {score.name for score in group.scores}
    assert "multicalibration" in names
    assert "top-label" in group["multicalibration"].id
