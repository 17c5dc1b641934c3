"""``pbn publish``, and ``pbn verify`` of what it made."""

from __future__ import annotations

import json

import pytest

from pbn.cases.terms import LICENCES


@pytest.fixture
def data(pbn_command, tmp_path):
    root = tmp_path / "data"
    made = pbn_command("sample", "support_ticket", "-n", "12", "--start", "995", "--seed", "7", "-o", str(root))
    assert made.exit_code == 0
    return root


def test_publishing_tells_what_was_made(pbn_command, data, tmp_path):
    hub = tmp_path / "new" / "hub"
    done = pbn_command("publish", str(data), "-o", str(hub))
    assert done.exit_code == 0
    first, *configs, last = done.output.splitlines()
    assert first == f"{hub}: 36 cases in 5 configurations, 13 files"
    assert configs[0] == "  support_ticket-low: train, test"
    assert len(configs) == 5
    assert "croissant.json" in last
    assert pbn_command("publish", str(data), "-o", str(hub)).output == done.output


def test_what_was_published_can_be_verified(pbn_command, data, tmp_path):
    hub = tmp_path / "hub"
    pbn_command("publish", str(data), "-o", str(hub))
    found = pbn_command("verify", str(hub))
    assert (found.exit_code, found.output.rstrip().count("\n")) == (0, 0)
    assert "all 13 files" in found.output
    with (hub / "README.md").open("a") as card:
        card.write("more")
    found = pbn_command("verify", str(hub), "--json")
    assert found.exit_code == 1
    (difference,) = json.loads(found.output)["differences"]
    assert difference["path"] == "README.md"
    (hub / "manifest.json").write_text('{"format": "pbn publication 1", "files": 3}')
    found = pbn_command("verify", str(hub))
    assert found.exit_code == 2
    assert "publish/manifest" in found.output


def test_the_terms_are_said(pbn_command, data, tmp_path):
    hub = tmp_path / "hub"
    options = ["--license", "cc0-1.0", "--title", "Tickets", "--creator", "A. Person", "--date", "2026-01-31",
               "--url", "https://example.org/tickets", "--version", "2.0.0", "--language", "de"]  # fmt: skip
    assert pbn_command("publish", str(data), "-o", str(hub), *options).exit_code == 0
    card = (hub / "README.md").read_text()
    assert card.startswith("---\npretty_name: Tickets\nlicense: cc0-1.0\nlanguage:\n- de\n")
    assert "\n# Tickets\n" in card
    assert "--license CC0-1.0" in card
    assert "author = {{A. Person}}" in card
    terms = json.loads((hub / "manifest.json").read_text())["terms"]
    assert terms["url"] == "https://example.org/tickets"
    assert (terms["version"], terms["date"]) == ("2.0.0", "2026-01-31")


def test_one_message_for_what_is_wrong(pbn_command, data, tmp_path):
    hub = str(tmp_path / "hub")
    for arguments, code in (
        ([str(tmp_path / "none")], "cases/no-data"),
        ([str(data), str(data)], "publish/overlap"),
        ([str(data), "--license", "GPL-3.0"], "publish/terms"),
    ):
        found = pbn_command("publish", *arguments, "-o", hub)
        assert found.exit_code == 2
        assert found.output.startswith(f"{code}: ")
    assert pbn_command("publish", "-o", hub).exit_code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


def test_a_publication_is_no_data_set(pbn_command, data, tmp_path):
    hub = tmp_path / "hub"
    pbn_command("publish", str(data), "-o", str(hub))
    before = sorted(path for path in tmp_path.rglob("*"))
    for command in (
        ["publish", str(hub), "-o", str(tmp_path / "other")],
        ["sample", "support_ticket", "-n", "9", "-o", str(hub)],
    ):
        found = pbn_command(*command)
        assert found.exit_code == 2
        assert found.output.startswith(f"cases/manifest: {hub} is a publication, not a data set\n")
    assert sorted(path for path in tmp_path.rglob("*")) == before


def test_help_names_the_licences(pbn_command):
    text = "".join(pbn_command("publish", "--help").output.split())  # without line breaks
    assert all(name in text for name in LICENCES)
