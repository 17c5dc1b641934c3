"""Networks and texts that are hard on a format, and what must come of them."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from pbn.errors import PbnError
from pbn.network.formats.draft import ReadNetwork
from pbn.network.formats.text import FileText
from pbn.network.model import IndexMap, Network, Table, Variable, table

SECONDS = 10.0
"""What no reading of a small hostile text may exceed."""

NAMES = [
    "default",
    "table",
    "a, b",
    'say "yes"',
    "(1|2)",
    "[x]{y}",
    "two words",
    "größe",
    "日本",
    "R&D <5>",
    "%;",
    "a\\b",
]


def odd_network() -> Network:
    """Node and state names that formats use as words of their own, with thirds and certain rows."""
    variables, cpds = {}, {}
    parent = ""
    for k, name in enumerate(NAMES):
        states = (name, f"{name} too", *(["third"] if k % 3 == 0 else []))
        size = len(states)
        variables[name] = Variable(name=name, states=states, origin="deterministic" if k == 5 else "random")
        rows = variables[parent].size if parent else 1
        given = [parent] if parent else []
        law = [
            Fraction(1 + (row + j) % 4, sum(1 + (row + i) % 4 for i in range(size)))
            for row in range(rows)
            for j in range(size)
        ]
        cpds[name] = (
            IndexMap(parents=(parent,), index=np.arange(rows) % size)
            if k == 5
            else table(given, law, (*([rows] if parent else []), size))
        )
        parent = name
    return Network(variables=variables, cpds=cpds)


def decimal_network() -> Network:
    """Probabilities of one to thirty decimals, tiny ones among them."""
    tiny = Fraction("1e-30")
    variables = {name: Variable(name=name, states=("no", "yes", "maybe")) for name in "ab"}
    rows = [
        Fraction("0.1"),
        Fraction("0.30000000000000004"),
        Fraction("0.59999999999999996"),
        tiny,
        1 - tiny,
        Fraction(0),
        Fraction(1, 4),
        Fraction(1, 2),
        Fraction(1, 4),
    ]
    return Network(
        variables=variables,
        cpds={
            "a": table([], [Fraction("0.2"), Fraction("0.7"), Fraction("0.1")], (3,)),
            "b": table(["a"], rows, (3, 3)),
        },
    )


def one_answer(parse: Callable[[FileText], ReadNetwork], text: str, file: str = "file") -> ReadNetwork | None:
    """The network, or None where the reader refuses with an error of ours; anything else fails, and so does time."""
    begun = time.monotonic()
    try:
        return parse(FileText(file, text))
    except PbnError as error:
        if not error.faults or len(str(error)) > 20_000:
            raise AssertionError("not one clear error") from error
        return None
    finally:
        assert time.monotonic() - begun < SECONDS


def laws(network: Network) -> dict[str, tuple[tuple[str, ...], list[list[Fraction]]]]:
    """The exact rows of each node, with its parents."""
    found = {}
    for name, cpd in network.cpds.items():
        size = network.size(name)
        if isinstance(cpd, IndexMap):
            rows = [[Fraction(int(state == code)) for state in range(size)] for code in cpd.index.ravel().tolist()]
        else:
            assert isinstance(cpd, Table)
            flat = [Fraction(int(value), cpd.denominator) for value in cpd.numerators.ravel().tolist()]
            rows = [flat[k : k + size] for k in range(0, len(flat), size)]
        found[name] = (cpd.parents, rows)
    return found


def assert_close(first: Network, second: Network, names: dict[str, str], tolerance: Fraction) -> None:
    """Both have the same laws to a tolerance, the second under its own names."""
    one, two = laws(first), laws(second)
    assert [names.get(name, name) for name in one] == list(two)
    for name, (parents, rows) in one.items():
        other, others = two[names.get(name, name)]
        assert tuple(names.get(parent, parent) for parent in parents) == other
        assert all(
            abs(p - q) <= tolerance
            for row, mate in zip(rows, others, strict=True)
            for p, q in zip(row, mate, strict=True)
        )


def pgmpy_posterior(model: Any, target: str, **evidence: str) -> dict[str, float]:
    """What pgmpy answers on a model that it has read."""
    from pgmpy.inference import VariableElimination

    law = VariableElimination(model).query([target], evidence=evidence, show_progress=False)
    return dict(zip(law.state_names[target], law.values.tolist(), strict=True))


def pyagrum_posterior(path: Path, target: str, evidence: dict[str, str]) -> list[float]:
    """What pyAgrum answers on a file that it reads."""
    import pyagrum

    inference = pyagrum.LazyPropagation(pyagrum.loadBN(str(path)))
    inference.setEvidence(evidence)
    inference.makeInference()
    found: list[float] = inference.posterior(target).tolist()
    return found
