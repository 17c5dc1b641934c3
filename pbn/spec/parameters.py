"""A world file with other values of its parameters, as if it had been written so."""

from __future__ import annotations

from collections.abc import Mapping as AbstractMapping
from dataclasses import replace

from pbn.errors import Fault, QueryError, listing, nearest
from pbn.spec.nodes import Mapping, Node, Scalar
from pbn.spec.numerals import Number, exact, not_exact, numeral, numeral_text


def with_values(root: Node, parameters: AbstractMapping[str, Number]) -> Node:
    """The tree of a file in which the parameters have these values.

    Raises
    ------
    QueryError
        There is no such parameter (``query/unknown-parameter``), or a value is no number
        (``query/parameter-value``).

    Examples
    --------
    >>> from pbn.spec.source import read_text
    >>> root = with_values(read_text("parameters: {share: .2, rest: 1 - share}"), {"share": 0.25})
    >>> [node.text for _, node in root.mapping("parameters").pairs]
    ['0.25', '1 - share']
    """
    section = root.mapping("parameters") if isinstance(root, Mapping) else None
    broken = not isinstance(root, Mapping) or (section is None and "parameters" in root)
    if not parameters or broken:
        return root  # a broken file is told by those who read it
    declared = [key.text for key, _ in section.pairs] if section else []
    for name in parameters:
        if name not in declared:
            raise unknown_parameter(str(name), declared)
    assert isinstance(root, Mapping)
    assert section is not None
    changed = replace(
        section,
        pairs=tuple(
            (key, _scalar(key.text, node, parameters[key.text]) if key.text in parameters else node)
            for key, node in section.pairs
        ),
    )
    return replace(root, pairs=tuple((key, changed if node is section else node) for key, node in root.pairs))


def unknown_parameter(name: str, declared: list[str]) -> QueryError:
    """The error that names a parameter which a file does not have."""
    return QueryError(
        Fault(
            code="query/unknown-parameter",
            message=f"there is no parameter {name[:60]!r}",
            allowed=listing(declared) or "the world has no parameters",
            hint=nearest(name, declared),
        )
    )


def _scalar(name: str, node: Node, number: Number) -> Scalar:
    value = exact(number)
    if value is None:
        raise QueryError(
            Fault(
                code="query/parameter-value",
                message=f"no value for the parameter {name}: {not_exact(number)}",
                allowed="a number such as 0.48, 3/4 or 1e-3",
            )
        )
    if isinstance(node, Scalar) and numeral(node.text) == value:
        return node
    text = numeral_text(value)
    return Scalar(text=text, quoted=False, place=node.place, raw=text)
