"""Data sets that the tests of scoring share, drawn once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import pbn
from pbn.cases.dataset import make_dataset
from pbn.cases.plan import DatasetPlan
from pbn.cases.records import Contents
from pbn.scoring.predictions import Predictions, read_predictions
from pbn.scoring.truth import Truth, read_truth

Draw = Callable[..., Path]


@pytest.fixture(scope="session")
def draw(tmp_path_factory: pytest.TempPathFactory) -> Draw:
    """Draw a data set; the same arguments give the same folder."""
    made: dict[str, Path] = {}

    def drawn(world: str = "credit_risk", seed: int = 2032, rows: int = 400, form: str = "parquet", **plan) -> Path:
        key = json.dumps([world, seed, rows, form, plan], default=str)
        if key not in made:
            root = tmp_path_factory.mktemp("data") / world
            contents = Contents(levels=("low", "medium", "high"), memo=False)
            source = pbn.shipped_worlds()[world].read_text(encoding="utf-8")
            options = {"start": 0, "stop": rows} | plan
            make_dataset(DatasetPlan(source=source, seed=seed, contents=contents, form=form, **options), root)
            made[key] = root
        return made[key]

    return drawn


@pytest.fixture(scope="session")
def credit_data(draw: Draw) -> Path:
    return draw()


@pytest.fixture(scope="session")
def ticket_data(draw: Draw) -> Path:
    return draw("support_ticket")


@pytest.fixture(scope="session")
def credit_high(credit_data: Path) -> Truth:
    return read_truth(credit_data, level="high")


@pytest.fixture(scope="session")
def credit_table(credit_data: Path) -> pd.DataFrame:
    """Truth and labels of all levels in one table."""
    truth = pd.read_parquet(credit_data / "truth.parquet")
    return truth.merge(pd.read_parquet(credit_data / "labels.parquet")[["id", "label_default"]], on="id")


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., Predictions]:
    """Write a text as a file of predictions and read it."""

    def read(text: str, truth: Truth, name: str = "mine.csv", **options) -> Predictions:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return read_predictions(path, truth, **options)

    return read
