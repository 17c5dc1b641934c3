"""A digest of a network's law, for worlds that come without a world file."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from pbn.network.model import CPD, Array, IndexMap, Network, Table

_WIDE = 2**62


def network_digest(network: Network, visible: Iterable[Sequence[str]] = (), asked: Iterable[str] = ()) -> str:
    """SHA-256 of what decides the numbers: variables, states, CPDs, what each level shows, what is asked.

    The same in every process. How the probabilities are held (as integers of which size, over which common
    denominator) makes no difference, and neither do texts, roles and units. The order of the variables does.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from pbn.network.model import Variable, table
    >>> coin = Variable(name="coin", states=("heads", "tails"))
    >>> fair = Network(variables={"coin": coin}, cpds={"coin": table((), [Fraction(1, 2)] * 2, (2,))})
    >>> network_digest(fair)[:16]
    'c13b695617420f1c'
    """
    digest = hashlib.sha256()
    for name, variable in network.variables.items():
        values = variable.values and [_number(value) for value in variable.values]
        _feed(digest, [name, variable.states, values])
        _feed_cpd(digest, network.cpds[name])
    _feed(digest, [list(level) for level in visible])
    _feed(digest, list(asked))
    return digest.hexdigest()


def _feed(digest: hashlib._Hash, part: object) -> None:
    digest.update(json.dumps(part, ensure_ascii=True, separators=(",", ":")).encode())
    digest.update(b"\n")


def _feed_cpd(digest: hashlib._Hash, cpd: CPD) -> None:
    if isinstance(cpd, Table):
        numerators, denominator = _lowest_terms(cpd)
        _feed(digest, ["table", cpd.parents, numerators.shape, f"{denominator:x}"])
        if denominator < _WIDE:
            digest.update(numerators.astype("<i8").tobytes())
        else:
            _feed(digest, [f"{int(cell):x}" for cell in numerators.ravel()])
    elif isinstance(cpd, IndexMap):
        _feed(digest, ["map", cpd.parents, cpd.index.shape])
        digest.update(cpd.index.astype("<i8").tobytes())
    else:
        _feed(digest, ["fold", cpd.parents, cpd.operation, [[_number(n) for n in term] for term in cpd.terms]])


def _lowest_terms(table: Table) -> tuple[Array, int]:
    """The numerators and the denominator without their common divisor."""
    dtype = "int64" if table.denominator < _WIDE else object
    numerators = table.numerators.astype(dtype)
    divisor = math.gcd(table.denominator, *(int(cell) for cell in np.unique(numerators)))
    return numerators // divisor, table.denominator // divisor


def _number(value: Fraction) -> str:
    return f"{value.numerator:x}/{value.denominator:x}"
