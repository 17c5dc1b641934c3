"""One posterior in published networks: `pbn` exactly and in float64, pgmpy and pyAgrum, in one run.

The networks are loaded before; what is timed is all that one question takes, with findings that no program has seen
before. pgmpy is asked where our plans are small: elsewhere it takes minutes.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pytest

from pbn.errors import BudgetError
from pbn.exact.engine import Engine
from pbn.exact.sample import sample_codes
from pbn.network.formats.files import read_network
from pbn.network.formats.pgmpy import to_pgmpy
from pbn.network.model import Network
from tests.exact.test_oracles import fill

pytestmark = pytest.mark.benchmark

FILES = [
    "asia.bif", "child.bif", "insurance.bif", "water.bif", "mildew.bif", "alarm.bif", "barley.bif", "hailfinder.bif",
    "hepar2.net", "win95pts.net", "andes.bif", "diabetes.bif", "pigs.bif", "munin1.bif",
]  # fmt: skip
FINDINGS = (0, 5, 20)
QUESTIONS = 5
EASY = 10**5
"""Cells that our plan of a question holds, up to which pgmpy is asked it."""

Question = tuple[str, dict[str, int]]
HEADER = ("network", "nodes", "findings", "pbn exact", "pbn float", "pyAgrum", "pgmpy", "pgmpy / pbn float")
PROGRAMS = HEADER[3:7]


def questions(network: Network, count: int, rng: np.random.Generator) -> list[Question]:
    """A query about one node, given a case drawn from the network for ``count`` others."""
    found = []
    for _ in range(QUESTIONS):
        query, *others = rng.permutation(list(network.variables)).tolist()[: count + 1]
        drawn = sample_codes(network, others, 1, rng)
        found.append((query, {name: int(drawn[name][0]) for name in others}))
    return found


def pyagrum_answers(gum: Any, network: Network) -> Callable[[Question], list[float]]:
    graph = gum.BayesNet()
    fill(gum, graph, graph.add, network)

    def answer(question: Question) -> list[float]:
        query, findings = question
        inference = gum.LazyPropagation(graph)
        inference.setTargets({query})
        inference.setEvidence(findings)
        inference.makeInference()
        return list(inference.posterior(query).tolist())

    return answer


def pgmpy_answers(network: Network) -> Callable[[Question], list[float]]:
    from pgmpy.inference import VariableElimination

    model = to_pgmpy(network, 10**10)

    def answer(question: Question) -> list[float]:
        query, findings = question
        evidence = {name: network.variables[name].states[code] for name, code in findings.items()}
        factor = VariableElimination(model).query([query], evidence=evidence, show_progress=False)
        return [float(factor.get_value(**{query: state})) for state in network.variables[query].states]

    return answer


def seconds(answer: Callable[[Question], list[float]], question: Question) -> tuple[float, list[float]]:
    start = time.perf_counter()
    found = answer(question)
    return time.perf_counter() - start, found


def ours(network: Network, arithmetic: Any) -> Callable[[Question], list[float]]:
    """Answers by an engine that keeps nothing from one question to the next."""
    return lambda question: list(Engine(network).posterior(*question, arithmetic).probs.values())


def measured(network: Network, programs: dict[str, Callable[[Question], list[float]]], count: int) -> dict[str, float]:
    """Median seconds of each program; their answers agree. What we refuse is left out."""
    times: dict[str, list[float]] = {name: [] for name in programs}
    for question in questions(network, count, np.random.default_rng(count)):
        query, findings = question
        plan = Engine(network).plan((query,), findings)
        try:
            plan.check_budget(2 * 10**9, exact=True)
        except BudgetError:
            continue
        exact: list[float] = []
        for name, answer in programs.items():
            if name == "pgmpy" and plan.cells > EASY:
                continue
            took, found = seconds(answer, question)
            exact = exact or found
            assert found == pytest.approx(exact, abs=1e-6), (name, question)
            times[name].append(took)
    asked = len(times["pbn exact"])
    return {name: median(took) for name, took in times.items() if asked and len(took) == asked}


def row(file: str, network: Network, count: int, found: dict[str, float]) -> list[str]:
    """A line of the table, in milliseconds."""
    cells = [f"{found[name] * 1e3:,.2f}" if name in found else "" for name in PROGRAMS]
    ratio = f"{found['pgmpy'] / found['pbn float']:.1f}" if "pgmpy" in found else ""
    return [file.partition(".")[0], f"{len(network)}", f"{count}", *cells, ratio]


def markdown(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "| " + " | ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 1) + ":" for width in widths) + "|", *lines[1:]])


def test_one_posterior_against_pyagrum_and_pgmpy(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gum = pytest.importorskip("pyagrum")
    rows, against_pgmpy = [list(HEADER)], []
    for file in FILES:
        network = read_network(shared / "networks" / file, renormalise=True).network
        programs = {
            "pbn exact": ours(network, "exact"), "pbn float": ours(network, "float"),
            "pyAgrum": pyagrum_answers(gum, network), "pgmpy": pgmpy_answers(network),
        }  # fmt: skip
        for count in FINDINGS:
            if count < len(network):
                found = measured(network, programs, count)
                rows.append(row(file, network, count, found))
                against_pgmpy += [found["pgmpy"] / found["pbn float"]] if "pgmpy" in found else []
    with capsys.disabled():
        print(f"\nmedian milliseconds of one posterior\n\n{markdown(rows)}")
    assert len(against_pgmpy) > 20
    assert median(against_pgmpy) > 2
    assert min(against_pgmpy) > 0.5
