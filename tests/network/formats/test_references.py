"""Every real network file of a format that we read: the right answers, or a refusal with code and line.

`READERS` says which formats are tried. A file whose reader refuses it stands in `REFUSED`, a query that the
plan refuses in `OVER_BUDGET`; there is none now.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pbn.errors import NetworkError
from pbn.exact.engine import Engine
from pbn.network.formats.bif import read_bif
from pbn.network.formats.draft import ReadNetwork
from pbn.network.formats.files import read_network
from pbn.network.formats.uai import read_uai

NETWORKS = Path(__file__).resolve().parents[4] / "shared" / "networks"

READERS: dict[str, Callable[..., ReadNetwork]] = {
    ".bif": read_bif, ".uai": read_uai, ".xml": read_network, ".bifxml": read_network, ".net": read_network,
    ".xdsl": read_network}  # fmt: skip

REFUSED = {  # file → code and line of the first fault
    "alarm_unlearned__aiassn.bif": ("network/probability", 156),
    "bifreader_file1__agrum.bif": ("network/empty", 5),
    "bifreader_file3__agrum.bif": ("network/shape", 58),
    "alarm__cis410.uai": ("network/uai-type", 1),
    "bnuaireader_file3__agrum.uai": ("network/row-sum", 36),
    "grid4x4__pgmpy.uai": ("network/uai-type", 1),
    "hw5test__cis410.uai": ("network/uai-type", 1),
    "markov_example__agrum.uai": ("network/uai-type", 4),
    "modeltesta_1__bcause.uai": ("network/uai-type", 1),
    "alarm__javabayes.xml": ("network/syntax", 585),  # a 0x7F stands where a slash should: <0x7F>FOR>
    "bnbifxmlreader_file3__agrum.bifxml": ("network/row-sum", 98),  # its author wrote a table child slowest
    "car_buyer_xmlbif6__unbbayes.xml": ("network/unsupported", 44),  # decision and utility nodes
    "car_buyer__unbbayes.net": ("network/unsupported", 52),
    "mildew3-2__unbbayes.net": ("network/unsupported", 86),
    "example__amidst.net": ("network/unsupported", 52),  # continuous nodes
    "exampledbn__amidst.net": ("network/unsupported", 6),
    "huginnetworkfromamidst__amidst.net": ("network/unsupported", 18),
    "x_y__causaliq.xdsl": ("network/unsupported", 5),
    "test1__agrum.net": ("network/row-sum", 86),  # counts
    "football__unbbayes.net": ("network/row-sum", 173),
    "pathfinder__unbbayes.net": ("network/probability", 2751),  # -1.19E-7
}
NEGATIVE = {"pathfinder__unbbayes.net"}
"""Refused for their negative numbers, although answers exist: those of somebody's repair."""
OVER_BUDGET: set[tuple[str, str, str]] = set()  # file, target, evidence


@cache
def sources() -> dict[str, dict[str, str]]:
    """What SOURCES.tsv says of each file."""
    with (NETWORKS / "SOURCES.tsv").open(encoding="utf-8", newline="") as lines:
        return {row["file"]: row for row in csv.DictReader(lines, delimiter="\t")}


def files() -> list[str]:
    """The files of the formats that are tried, none where the reference data is not there."""
    return [file for file in sources() if Path(file).suffix in READERS] if NETWORKS.is_dir() else []


def answered() -> list[str]:
    """The files that have reference answers; the others that can be read are tried in the format's own tests."""
    return [file for file in files() if not sources()[file]["reference"].startswith("none")]


def reference(file: str) -> dict[str, Any]:
    """The reference answers of a file."""
    found: dict[str, Any] = json.loads((NETWORKS / "refs" / sources()[file]["reference"]).read_text(encoding="utf-8"))
    return found


def queries(answers: dict[str, Any]) -> Iterator[tuple[str, dict[str, str], list[str], list[float], float]]:
    """Target, evidence, states, probabilities and P(evidence) of each reference answer."""
    for target, law in answers["priors"].items():
        yield target, {}, law["states"], law["p"], 1.0
    for query in answers["posteriors"]:
        yield query["target"], query["evidence"], query["states"], query["p"], query["p_evidence"]


def check_answers(file: str, read: ReadNetwork) -> int:
    """Compare the answers with the references; returns their number."""
    engine, variables = Engine(read.network), read.network.variables
    named = {name: read.names.get(name, name) for name in (*read.names, *variables)}
    done = 0
    for target, evidence, states, expected, likelihood in queries(reference(file)):
        key = (file, target, ", ".join(sorted(evidence)))
        if key in OVER_BUDGET:
            continue
        assert list(variables[named[target]].states) == states
        codes = {named[name]: variables[named[name]].states.index(state) for name, state in evidence.items()}
        posterior = engine.posterior(named[target], codes, arithmetic="float")
        assert list(posterior.probs.values()) == pytest.approx(expected, abs=1e-9), key
        assert float(posterior.evidence_probability) == pytest.approx(likelihood, rel=1e-6, abs=1e-9), key
        done += 1
    return done


LARGE = ("barley", "diabetes", "mildew", "munin", "link", "pathfinder", "pigs", "health")


def by_size(files: list[str]) -> list[object]:
    """Each file as a parameter; the large ones belong to the slow tests."""
    return [pytest.param(file, marks=pytest.mark.slow if file.startswith(LARGE) else ()) for file in files]


@pytest.mark.parametrize("file", by_size([file for file in answered() if file not in REFUSED]))
def test_right_answers(file: str, shared: Path) -> None:
    source, read_file = sources()[file], READERS[Path(file).suffix]
    deviation = float(source["max_rowsum_dev"])
    if deviation > 1e-12:
        with pytest.raises(NetworkError) as caught:
            read_file(NETWORKS / file)
        assert {fault.code for fault in caught.value.faults} <= {"network/row-sum", "network/more"}
        assert all("--renormalise" in (fault.hint or "") for fault in caught.value.faults if fault.place)
    read = read_file(NETWORKS / file, renormalise=deviation > 1e-12)
    assert read.notes or deviation <= 1e-12
    assert len(read.network) == int(source["nodes"])
    assert sum(len(read.network.parents(name)) for name in read.network.variables) == int(source["arcs"])
    assert check_answers(file, read) > 0


@pytest.mark.parametrize("file", sorted(file for file in REFUSED if Path(file).suffix in READERS))
def test_refused_with_code_and_line(file: str, shared: Path) -> None:
    with pytest.raises(NetworkError) as caught:
        READERS[Path(file).suffix](NETWORKS / file, renormalise=True)
    place = caught.value.faults[0].place
    assert place is not None
    assert (caught.value.code, place.line, place.file) == (*REFUSED[file], file)


def test_no_file_with_reference_answers_is_refused(shared: Path) -> None:
    assert {file for file in REFUSED if not sources()[file]["reference"].startswith("none")} == NEGATIVE
    assert set(READERS) <= {Path(file).suffix for file in files()}
