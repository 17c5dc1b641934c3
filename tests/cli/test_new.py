from __future__ import annotations

import os
from pathlib import Path

import pytest

import pbn
from pbn.check import check_world


def test_the_world_passes_as_it_is(pbn_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = pbn_command("new", "triage.yaml")
    assert result.exit_code == 0
    assert "pbn check triage.yaml" in result.stdout
    assert os.listdir(tmp_path) == ["triage.yaml"]
    world = pbn.load("triage.yaml")
    assert (world.name, world.title) == ("triage", "Triage")
    assert "#" in Path("triage.yaml").read_text(encoding="utf-8")
    report = check_world(world)
    assert report.passed
    assert {result.name for result in report.results} >= {"strictly_nested", "engines_agree", "text_decodes"}
    assert pbn_command("check", "triage.yaml", "--samples", "5").exit_code == 0


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("My world-2.yml", "my_world_2"),
        ("2024.yaml", "world_2024"),
        ("null.yaml", "null"),
        ("Übung.YAML", "bung"),
        ("über.yaml", "ber"),
        ("雨.yaml", "world"),
        ("a: b #c.yaml", "a_b_c"),
        ("x" * 200 + ".yaml", "x" * 100),
    ],
)
def test_names_of_files_become_names_of_worlds(pbn_command, tmp_path, file, name):
    path = tmp_path / file
    result = pbn_command("new", str(path))
    assert result.exit_code == 0, result.stderr
    world = pbn.loads(path.read_text(encoding="utf-8"))
    assert world.name == name
    assert world.title


def test_a_file_that_exists_is_left_alone(pbn_command, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("precious")
    result = pbn_command("new", str(path))
    assert result.exit_code == 2
    assert "cli/file-exists" in result.stderr
    assert path.read_text() == "precious"
    assert os.listdir(tmp_path) == ["mine.yaml"]


def test_a_link_that_leads_nowhere_is_left_alone(pbn_command, tmp_path):
    (tmp_path / "link.yaml").symlink_to(tmp_path / "nowhere")
    assert pbn_command("new", str(tmp_path / "link.yaml")).exit_code == 2
    assert os.listdir(tmp_path) == ["link.yaml"]


@pytest.mark.parametrize(
    ("file", "code"),
    [("no/such/folder/x.yaml", "cli/no-folder"), ("world", "cli/new-file"), ("world.json", "cli/new-file")],
)
def test_files_that_cannot_be(pbn_command, tmp_path, monkeypatch, file, code):
    monkeypatch.chdir(tmp_path)
    result = pbn_command("new", file)
    assert result.exit_code == 2
    assert code in result.stderr
    assert not os.listdir(tmp_path)
