"""Small random networks for hypothesis: zeros, deterministic nodes, folds, single states."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pbn.network.chain import reachable
from pbn.network.model import CPD, Fold, IndexMap, Network, Variable, table

half_integers = st.integers(-3, 3).map(lambda k: Fraction(k, 2))


@st.composite
def rows(draw, size):
    weights = draw(st.lists(st.sampled_from([0, 0, 1, 2, 3]), min_size=size, max_size=size))
    if not any(weights):
        weights[draw(st.integers(0, size - 1))] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


@st.composite
def networks(draw, max_nodes=6, kinds=("table", "table", "map", "fold"), min_states=1):
    variables: dict[str, Variable] = {}
    cpds: dict[str, CPD] = {}
    for k in range(draw(st.integers(2, max_nodes))):
        name = f"v{k}"
        parents = draw(st.lists(st.sampled_from(list(variables)), unique=True, max_size=3)) if variables else []
        sizes = [variables[parent].size for parent in parents]
        kind = draw(st.sampled_from(kinds))
        size = draw(st.integers(min_states, 4))
        if kind == "map" and parents:
            index = draw(st.lists(st.integers(0, size - 1), min_size=math.prod(sizes), max_size=math.prod(sizes)))
            cpds[name] = IndexMap(parents=tuple(parents), index=np.array(index, dtype=np.intp).reshape(sizes))
            variables[name] = Variable(name=name, states=tuple(map(str, range(size))), origin="deterministic")
        elif kind == "fold" and len(parents) > 1:
            operation = draw(st.sampled_from(["+", "*", "min", "max", "and", "or"]))
            numbers = st.sampled_from([Fraction(0), Fraction(1)]) if operation in ("and", "or") else half_integers
            terms = tuple(tuple(draw(st.lists(numbers, min_size=s, max_size=s))) for s in sizes)
            values = reachable(name, operation, terms)
            cpds[name] = Fold(parents=tuple(parents), operation=operation, terms=terms)
            variables[name] = Variable(name=name, states=tuple(map(str, values)), values=values, origin="deterministic")
        else:
            probabilities = [p for _ in range(math.prod(sizes)) for p in draw(rows(size))]
            cpds[name] = table(parents, probabilities, (*sizes, size))
            variables[name] = Variable(name=name, states=tuple(map(str, range(size))))
    return Network(variables=variables, cpds=cpds)


@st.composite
def questions(draw, **options):
    """A network, a target, and a visible set that does not contain it."""
    network = draw(networks(**options))
    target = draw(st.sampled_from(list(network.variables)))
    others = [name for name in network.variables if name != target]
    visible = draw(st.lists(st.sampled_from(others), unique=True))
    return network, target, [name for name in others if name in visible]
