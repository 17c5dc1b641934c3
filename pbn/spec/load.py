"""Reading world files: from text to a `WorldSpec`, or to one error that holds every fault of the file."""

from __future__ import annotations

import re
from collections.abc import Mapping as AbstractMapping
from os import PathLike

from pbn.spec.constants import Constants, read_parameters
from pbn.spec.declarations import read_declarations
from pbn.spec.digest import file_digest, law_digest
from pbn.spec.drafts import read_drafts
from pbn.spec.levels import Visibility, read_levels
from pbn.spec.limits import Limits
from pbn.spec.memo import read_memo
from pbn.spec.model import WorldSpec
from pbn.spec.names import distinct
from pbn.spec.nodes import Mapping, Node
from pbn.spec.numerals import Number
from pbn.spec.parameters import with_values
from pbn.spec.questions import asked_variables, read_published, read_questions
from pbn.spec.report import Report, shorten
from pbn.spec.source import read_file, read_text
from pbn.spec.structure import Path, check_structure
from pbn.spec.variables import Resolver

_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")


def load_spec(path: str | PathLike[str], parameters: AbstractMapping[str, Number] | None = None) -> WorldSpec:
    """The world that a file says, or would say with other values of its ``parameters``.

    Raises
    ------
    SpecError
        The file can't be read, or does not say a world; all its faults at once, each with its place.

    Examples
    --------
    >>> load_spec("no/such/world.yaml")
    Traceback (most recent call last):
    pbn.errors.SpecError: spec/no-file: there is no file no/such/world.yaml
    """
    return _world(with_values(read_file(path), parameters or {}))


def parse_spec(
    text: str | bytes, file: str = "<string>", parameters: AbstractMapping[str, Number] | None = None
) -> WorldSpec:
    """The world that a text says; ``file`` is what faults call it.

    Raises
    ------
    SpecError
        The text does not say a world; all its faults at once, each with its place.

    Examples
    --------
    >>> world = parse_spec('''
    ... name: coin
    ... title: Which side is up?
    ... variables:
    ...   bent: {states: [no, yes], p: [.9, .1]}
    ...   side: {states: [heads, tails], given: bent, p: {no: [1/2, 1/2], yes: [2/3, 1/3]}}
    ... questions:
    ...   side: {asks: side, kind: choice, text: Which side is up?}
    ... levels:
    ...   seen: {hide: []}
    ...   blind: {hide: [bent]}
    ... ''')
    >>> world.variables["side"].source.rows[("yes",)]
    (Fraction(2, 3), Fraction(1, 3))
    >>> world.levels["seen"].visible, world.levels["blind"].visible
    (('bent',), ())
    """
    return _world(with_values(read_text(text, file=file), parameters or {}))


def respecified(spec: WorldSpec, parameters: AbstractMapping[str, Number]) -> WorldSpec:
    """The world that the same file would say with other values of its parameters.

    Raises
    ------
    QueryError
        There is no such parameter, or a value is no number.
    SpecError
        With these values the file does not say a world.
    """
    assert spec.tree is not None
    return _world(with_values(spec.tree, parameters))


def _world(root: Node) -> WorldSpec:
    report = Report()
    broken = check_structure(root, report)
    if not isinstance(root, Mapping) or broken & {("variables",), ("parameters",)}:
        report.raise_any()
    assert isinstance(root, Mapping)
    _check_title(root, report)
    constants = read_parameters(root, broken, report)
    resolver = _resolve(root, broken, constants, report)
    visibility = Visibility(resolver, asked_variables(root))
    questions = read_questions(root, broken, resolver, report)
    levels = read_levels(root, broken, visibility, questions, report)
    claims = distinct(root.scalars("claims"), "the claim", report, "spec/duplicate-claim")
    published = read_published(root, broken, questions, resolver, report)
    memo = read_memo(root, broken, resolver, report)
    report.raise_any()
    variables = {name: variable for name in visibility.names if (variable := resolver.variable(name))}
    assert len(variables) == len(visibility.names)
    law = law_digest(constants.values, variables, levels.values(), questions.values())
    return WorldSpec(
        name=_text(root, "name"),
        title=_text(root, "title"),
        notes=tuple(note.text for note in root.scalars("notes")),
        parameters=dict(constants.values),
        variables=variables,
        families=resolver.declarations.families,
        attributes=visibility.attributes,
        questions=questions,
        levels=levels,
        claims=tuple(claim.text for claim in claims),
        published=published,
        memo=memo,
        law_digest=law,
        digest=file_digest(root, law),
        tree=root,
    )


def _resolve(root: Mapping, broken: frozenset[Path], constants: Constants, report: Report) -> Resolver:
    limits = Limits(report)
    declarations = read_declarations(root, broken, constants, report, limits)
    drafts = read_drafts(declarations, constants, report, limits)
    resolver = Resolver(declarations, drafts, constants, report, limits)
    resolver.run()
    return resolver


def _check_title(root: Mapping, report: Report) -> None:
    name, title = root.scalar("name"), root.scalar("title")
    if name and not _NAME.fullmatch(name.text):
        report.add(
            "spec/name",
            f"{shorten(name.text)!r} cannot be the name of a world",
            name.place,
            allowed="lower-case letters, digits and _, beginning with a letter",
        )
    if title and not title.text.strip():
        report.add("spec/wrong-shape", "the title is empty", root.key("title").place)


def _text(root: Mapping, key: str) -> str:
    scalar = root.scalar(key)
    assert scalar is not None
    return scalar.text
