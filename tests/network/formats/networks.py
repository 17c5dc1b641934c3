"""Networks that writers and readers are tried on, and what makes two networks the same."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pbn.errors import Place
from pbn.exact.engine import Engine
from pbn.network.formats.draft import NodeDraft, build_network
from pbn.network.model import Fold, IndexMap, Network, Table, Variable

ODD_NAMES = (
    "default",
    "table",
    "a,b",
    'say "hi"',
    "(x)",
    "[y]",
    "{z}",
    "two words",
    "Größe",
    "变量",
    "a|b",
    "1.0",
    "<5",
    "Asy/Patch",
    "a//b",
    "/*c*/",
    "x;y",
    " padded ",
    "new\nline",
    "a:2",
    "a.1",
    "-",
    "e=mc",
    "&amp;",
    "tab\tbed",
    "",
)


def laws(network: Network) -> dict[str, np.ndarray]:
    """Each node's probabilities as floats, index maps as certainties."""
    found = {}
    for name, cpd in network.cpds.items():
        if isinstance(cpd, Table):
            found[name] = cpd.probabilities
        else:
            assert isinstance(cpd, IndexMap)
            found[name] = (cpd.index[..., None] == np.arange(network.size(name))).astype(float)
    return found


def assert_equal(ours: Network, theirs: Network) -> None:
    """The same variables in the same order with the same exact laws."""
    assert dict(ours.variables) == dict(theirs.variables)
    assert list(ours.variables) == list(theirs.variables)
    assert ours.undefined == theirs.undefined
    for name, cpd in ours.cpds.items():
        assert_same_cpd(cpd, theirs.cpds[name])


def assert_same_cpd(one: object, other: object) -> None:
    """The same kind of CPD with the same entries."""
    assert type(one) is type(other)
    if isinstance(one, Table) and isinstance(other, Table):
        assert (one.parents, one.denominator) == (other.parents, other.denominator)
        assert np.array_equal(one.numerators, other.numerators)
        assert one.numerators.dtype == other.numerators.dtype
    elif isinstance(one, IndexMap) and isinstance(other, IndexMap):
        assert one.parents == other.parents
        assert np.array_equal(one.index, other.index)
    elif isinstance(one, Fold) and isinstance(other, Fold):
        assert (one.parents, one.operation, one.terms) == (other.parents, other.operation, other.terms)


def same_posteriors(network: Network, other: Network, names: dict[str, str], tolerance: float) -> None:
    """Priors of all nodes, and posteriors given each state of the last, agree by position of the state."""
    ours, theirs = Engine(network), Engine(other)
    last = list(network.variables)[-1]
    prior = list(ours.posterior(last, {}, "float").probs.values())
    for name in network.variables:
        for evidence in ({}, *({last: code} for code, p in enumerate(prior) if p > 0)):
            mapped = {names.get(node, node): code for node, code in evidence.items()}
            one = ours.posterior(name, evidence, "float").probs.values()
            two = theirs.posterior(names.get(name, name), mapped, "float").probs.values()
            assert np.allclose(list(one), list(two), rtol=0, atol=tolerance), (name, evidence)


def odd_network() -> Network:
    """Names and states that a format may be unable to hold."""
    place = Place(file="odd", line=1, column=1)
    names = [name for name in ODD_NAMES if name]
    drafts = [
        NodeDraft(name=names[0], states=ODD_NAMES[:-1], parents=(), place=place, numbers=[".04"] * (len(ODD_NAMES) - 1))
    ]
    for k, name in enumerate(names[1:], 1):
        rows = len(drafts[-1].states)
        numbers = [text for row in range(rows) for text in (f"0.{row + 10}", f"0.{100 - row - 10}")]
        drafts.append(
            NodeDraft(name=name, states=(names[k], names[k - 1]), parents=(names[k - 1],), place=place, numbers=numbers)
        )
    return build_network(drafts, name="odd", renormalise=False).network


@st.composite
def networks(draw: st.DrawFn, *, ending: bool) -> Network:
    """Small random networks; with ``ending`` all probabilities are decimals that end."""
    count = draw(st.integers(1, 5))
    variables: dict[str, Variable] = {}
    cpds: dict[str, Table | IndexMap] = {}
    for k in range(count):
        name = f"v{k}"
        parents = tuple(draw(st.lists(st.sampled_from(list(variables)), max_size=2, unique=True))) if variables else ()
        size = draw(st.integers(1, 3))
        shape = tuple(variables[parent].size for parent in parents)
        rows = int(np.prod(shape))
        certain = bool(parents) and draw(st.booleans())
        if certain:
            index = draw(st.lists(st.integers(0, size - 1), min_size=rows, max_size=rows))
            cpds[name] = IndexMap(parents=parents, index=np.array(index, dtype=np.intp).reshape(shape))
        else:
            unit = 10 ** draw(st.sampled_from([2, 9, 20])) if ending else draw(st.integers(2, 10**6)) * 3
            cuts = [
                sorted(draw(st.lists(st.integers(0, unit), min_size=size - 1, max_size=size - 1))) for _ in range(rows)
            ]
            table = [[b - a for a, b in zip([0, *cut], [*cut, unit], strict=True)] for cut in cuts]
            cpds[name] = Table(
                parents=parents,
                denominator=unit,
                numerators=np.array(table, dtype=np.int64 if unit < 2**62 else object).reshape(*shape, size),
            )
        variables[name] = Variable(
            name=name, states=tuple(f"s{k}" for k in range(size)), origin="deterministic" if certain else "random"
        )
    return Network(variables=variables, cpds=cpds)
