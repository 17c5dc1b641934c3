"""The notebook runs, and prints today what is printed in it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.docs.pages import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:
    """The notebook of a file."""
    return nbformat.read(path, as_version=4)


def printed(notebook: Any) -> list[list[str]]:
    """The texts that each code cell puts out; of a figure, that there is one."""
    return [[_text(output) for output in cell.outputs] for cell in notebook.cells if cell.cell_type == "code"]


def _text(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text)
    if output.output_type == "error":
        return f"{output.ename}: {output.evalue}"
    return "a figure" if "image/png" in output.data else str(output.data["text/plain"])


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_prints_what_stands_in_it(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    committed = read(path)
    again = read(path)
    for cell in again.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(again, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    assert printed(again) == printed(committed)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_is_committed_with_its_figures(path: Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    assert all(cell.execution_count for cell in notebook.cells if cell.cell_type == "code"), "a cell was not run"
    pictures = [
        base64.b64decode(output.data["image/png"])
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert len(pictures) >= 3
    assert all(picture.startswith(b"\x89PNG") for picture in pictures)


def test_there_is_a_notebook() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["exact-uncertainty"]
