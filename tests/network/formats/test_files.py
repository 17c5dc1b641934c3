"""Reading and writing by extension: what is refused, and that no half-written file is left."""

from __future__ import annotations

import os
from fractions import Fraction
from pathlib import Path

import pytest

from pbn.errors import NetworkError
from pbn.network.formats import text as text_module
from pbn.network.formats.files import READABLE, WRITABLE, read_network, write_network
from tests.network.formats.cases import assert_close, decimal_network, odd_network


@pytest.mark.parametrize("extension", sorted(set(READABLE) & set(WRITABLE) - {"uai"}))
@pytest.mark.parametrize("make", [decimal_network, odd_network])
def test_round_trip(extension: str, make: object, tmp_path: Path) -> None:
    network = make()  # type: ignore[operator]
    path = tmp_path / f"x.{extension}"
    notes = write_network(network, path)
    read = read_network(path).network
    names = dict(zip(network.variables, read.variables, strict=True))
    assert_close(network, read, names, Fraction(0) if make is decimal_network else Fraction(1, 10**17))
    for old, new in names.items():
        assert old == new or any(repr(old) in note and repr(new) in note for note in notes)
    kept = all(read.variables[names[node]].states == v.states for node, v in network.variables.items())
    assert kept or any("the state" in note for note in notes)


@pytest.mark.parametrize("extension", sorted(WRITABLE))
def test_every_format_can_be_written(extension: str, tmp_path: Path) -> None:
    write_network(decimal_network(), tmp_path / f"x.{extension}")
    assert (tmp_path / f"x.{extension}").stat().st_size > 100
    assert [path.name for path in tmp_path.iterdir()] == [f"x.{extension}"]


@pytest.mark.parametrize("name", ["a.dne", "a.dnet", "a.dsc", "a.dsl", "a.oobn", "a.txt", "noextension", "a.graphml"])
def test_unknown_extensions_are_one_clear_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(NetworkError) as caught:
        read_network(tmp_path / name)
    assert caught.value.code == "network/format"
    assert ".bif, .xml" in str(caught.value)


@pytest.mark.parametrize("suffix", ["dne", "dnet", "dsc", "dsl"])
def test_the_other_formats_of_the_folder_are_refused(suffix: str, shared: Path) -> None:
    for path in (shared / "networks").glob(f"*.{suffix}"):
        with pytest.raises(NetworkError, match="cannot be read"):
            read_network(path)


def test_sizes_and_missing_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NetworkError, match="network/unreadable"):
        read_network(tmp_path / "none.bif")
    (tmp_path / "large.xml").write_text("<BIF>" * 100)
    monkeypatch.setattr(text_module, "MAX_BYTES", 99)
    with pytest.raises(NetworkError, match="network/too-large"):
        read_network(tmp_path / "large.xml")


def test_latin_1_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "x.net"
    text = "% Søren\nnode a { states = (größe b); }\npotential (a) { data = (.5 .5); }\n"
    path.write_bytes(text.encode("latin-1"))
    read = read_network(path)
    assert "Latin-1" in read.notes[0]
    assert read.network.variables["a"].states == ("größe", "b")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.xml"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(NetworkError, match="No space left"):
        write_network(decimal_network(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="network/unwritable"):
        write_network(decimal_network(), tmp_path / "none" / "x.net")
