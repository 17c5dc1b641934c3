"""``pbn reproduce``: what it prints and writes, and how it ends."""

from __future__ import annotations

from pbn.studies.catalogue import NAMES


def test_a_study(pbn_command, tmp_path):
    result = pbn_command("reproduce", "settings", "-o", str(tmp_path / "out"), "--workers", "1")
    assert result.exit_code == 0
    assert "0.241" in result.output
    assert "not in our source" in result.output
    assert "8 of 8 comparisons that can be tested agree" in result.output
    assert (tmp_path / "out" / "index.html").exists()
    again = pbn_command("reproduce", "settings", "-o", str(tmp_path / "out"))
    assert "finished before" in again.output


def test_a_figure_that_is_not_met_is_told(pbn_command, tmp_path, monkeypatch):
    monkeypatch.setattr("pbn.studies.settings.PUBLISHED_PRIORS", {"credit_risk": "0.212"})
    monkeypatch.setattr("pbn.studies.settings.plot_files", lambda *a, **k: {"pdf": b"%PDF", "png": b"PNG"})
    result = pbn_command("reproduce", "settings", "-o", str(tmp_path), "--workers", "1")
    assert result.exit_code == 1
    assert "NO" in result.output
    assert "6 of 7" in result.output


def test_an_unknown_study(pbn_process, tmp_path):
    done = pbn_process("reproduce", "boundz", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'bounds'?" in done.stderr
    assert not list(tmp_path.iterdir())


def test_help_names_every_study(pbn_command):
    result = pbn_command("reproduce", "--help")
    assert all(name in result.output for name in NAMES)
