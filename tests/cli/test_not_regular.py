"""Pipes, sockets, devices and folders under the name of a file: refused at once, whichever command reads it."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

import pbn
from pbn.network.formats.files import READABLE
from pbn.regular import NotRegularError, open_regular

WORLD = """
name: umbrella
title: Does it rain?
variables:
  rain: {states: [no, yes]}
  sky: {states: [clear, grey], given: rain, p: {no: [.9, .1], yes: [.2, .8]}}
questions:
  rain: {asks: rain, kind: yes/no, text: Will it rain?}
levels:
  all: {hide: []}
"""


def put(kind: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Something that not a regular file, at a path."""
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "endless":
        path.symlink_to("/dev/zero")
    else:
        monkeypatch.chdir(path.parent)  # the name of a socket is short
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)


every_kind = pytest.mark.parametrize("kind", ["folder", "pipe", "endless", "socket"])


@every_kind
def test_one_place_refuses(kind, tmp_path, monkeypatch):
    put(kind, tmp_path / "it", monkeypatch)
    with pytest.raises(NotRegularError, match="not a regular file"):
        open_regular(tmp_path / "it")


def test_a_link_to_a_file_is_the_file(tmp_path):
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "link").symlink_to("file")
    with open_regular(tmp_path / "link") as file:
        assert file.read() == b"text"


@every_kind
@pytest.mark.parametrize("ending", ["yaml", "yml", *READABLE])
def test_worlds_and_networks(kind, ending, tmp_path, monkeypatch, pbn_command):
    path = tmp_path / f"it.{ending}"
    put(kind, path, monkeypatch)
    for command in (["describe"], ["query"], ["convert", str(tmp_path / "out.json")]):
        result = pbn_command(command[0], str(path), *command[1:])
        assert result.exit_code == 2
        assert result.stderr.split(": ")[0 if ending in READABLE else 1] in ("network/unreadable", "spec/not-a-file")
        assert "not a regular file" in result.stderr


@every_kind
def test_a_file_beside_a_network(kind, tmp_path, monkeypatch):
    (tmp_path / "n.bif").write_text(
        "network n { }\nvariable a { type discrete [ 2 ] { x, y }; }\nprobability ( a ) { table 0.5, 0.5; }\n"
    )
    put(kind, tmp_path / "n.bif.yaml", monkeypatch)
    with pytest.raises(pbn.SpecError, match="not a regular file"):
        pbn.load(tmp_path / "n.bif")


@every_kind
def test_texts_and_data_sets(kind, tmp_path, monkeypatch, pbn_command):
    world = tmp_path / "umbrella.yaml"
    world.write_text(WORLD)
    put(kind, tmp_path / "it.jsonl", monkeypatch)
    odd = str(tmp_path / "it.jsonl")
    data = tmp_path / "data"
    sample = ["sample", str(world), "-n", "20", "--no-memo", "--format", "jsonl", "-o", str(data)]
    assert pbn_command(*sample).exit_code == 0
    assert pbn_command("decode", "credit_risk", odd, "--level", "low").exit_code == 2
    assert pbn_command("verify-memo", "credit_risk", odd, "--level", "low").exit_code == 2
    assert pbn_command("score", odd, "--truth", str(data)).exit_code == 2
    assert pbn_command("leak", odd, "--truth", str(data)).exit_code == 2
    assert pbn_command("score", str(data / "truth.jsonl"), "--truth", odd).exit_code == 2
    for name in ("manifest.json", "world.yaml"):
        kept = (data / name).read_bytes()
        (data / name).unlink()
        put(kind, data / name, monkeypatch)
        assert pbn_command("verify", str(data)).exit_code in (1, 2)
        assert pbn_command("publish", str(data), "-o", str(tmp_path / "hub")).exit_code == 2
        (data / name).rmdir() if kind == "folder" else (data / name).unlink()
        (data / name).write_bytes(kept)
