"""Two digests of a world: of its law, and of its whole file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from fractions import Fraction

from pbn.spec.model import Count, DecisionList, Level, Lookup, Measurement, Question, Rule, Source, Table, VariableSpec
from pbn.spec.nodes import Node, Scalar, Sequence
from pbn.spec.rule_text import characters


def law_digest(
    parameters: Mapping[str, Fraction],
    variables: Mapping[str, VariableSpec],
    levels: Iterable[Level],
    questions: Iterable[Question],
) -> str:
    """SHA-256 of what decides the numbers: parameters, variables with their sources, levels, what is asked.

    How a number is spelt, the order of a table's rows, blanks in rules, what levels and questions are called, and all
    texts make no difference.
    """
    digest = hashlib.sha256()
    _feed(digest, [[name, _number(value)] for name, value in parameters.items()])
    rows: dict[int, list[object]] = {}  # members of a repeated variable share one table
    for variable in variables.values():
        values = variable.values and [_number(value) for value in variable.values]
        _feed(digest, [variable.name, variable.index, variable.states, values, _source(variable.source, rows)])
    _feed(digest, [level.visible for level in levels])
    _feed(digest, [question.asks for question in questions])
    return digest.hexdigest()


def file_digest(root: Node, law: str) -> str:
    """SHA-256 of everything a file says, its texts included; comments and layout make no difference."""
    digest = hashlib.sha256()
    _feed(digest, [law, _tree(root)])
    return digest.hexdigest()


def normalise(text: str) -> str:
    """An expression without the blanks that mean nothing: the same for all ways of spacing it.

    Examples
    --------
    >>> normalise("score  + 1 if topic == 'data  access' else 0")
    "score+1 if topic=='data  access'else 0"
    """
    pieces: list[str] = []
    blank = False
    for _, character, quoted in characters(text.strip()):
        if not quoted and character.isspace():
            blank = True
            continue
        if blank and _is_word(pieces[-1]) and _is_word(character):
            pieces.append(" ")
        pieces.append(character)
        blank = False
    return "".join(pieces)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _feed(digest: hashlib._Hash, part: object) -> None:
    digest.update(json.dumps(part, ensure_ascii=True, separators=(",", ":")).encode())
    digest.update(b"\n")


def _number(value: Fraction) -> str:
    return f"{value.numerator:x}/{value.denominator:x}"


def _source(source: Source, rows: dict[int, list[object]]) -> list[object]:
    match source:
        case Table():
            known = rows.get(id(source.rows))
            if known is None:
                known = [[key, [_number(cell) for cell in row]] for key, row in source.rows.items()]
                rows[id(source.rows)] = known
            return ["table", source.parents, known]
        case Rule():
            return ["rule", normalise(source.expression.text)]
        case DecisionList():
            cases = [[normalise(test.text), state] for test, state in source.cases]
            return ["first", cases, source.otherwise]
        case Lookup():
            return ["lookup", source.of, list(source.results.items())]
        case Measurement():
            numbers = (source.start, source.stop, source.step, *source.cuts)
            return ["measured", source.of, [_number(number) for number in numbers]]
        case Count():
            whole = [source.median, source.start, source.stop]
            return ["count", source.family, whole, _number(source.shape), _number(source.zero)]


def _tree(node: Node) -> object:
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [_tree(item) for item in node.items]
    return {"map": [[key.text, _tree(value)] for key, value in node.pairs]}
