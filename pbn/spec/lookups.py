"""Look-up tables and merges: one result for each state of one other variable."""

from __future__ import annotations

from pbn.spec.model import Lookup
from pbn.spec.names import unknown_state
from pbn.spec.nodes import Mapping, Scalar, Sequence
from pbn.spec.numerals import BadRange, expand
from pbn.spec.report import Report, shorten


def read_lookup(body: Mapping, of: str, old: tuple[str, ...], own: tuple[str, ...], report: Report) -> Lookup | None:
    """The variable that ``of`` and ``values`` say; every state of ``of`` has exactly one result."""
    values, key = body.mapping("values"), body.key("values")
    assert values is not None
    before = len(report)
    allowed = frozenset(own)
    results: dict[str, str] = {}
    for state, result in values.pairs:
        assert isinstance(result, Scalar)
        results[state.text] = result.text
        if result.text not in allowed:
            unknown_state(result, "this variable", own, report)
    _check_complete(results, {state.text: state for state, _ in values.pairs}, of, old, key, report)
    ordered = {state: results[state] for state in old if state in results}
    return Lookup(of=of, results=ordered, merges=False) if len(report) == before else None


def read_merge(body: Mapping, of: str, old: tuple[str, ...], own: tuple[str, ...], report: Report) -> Lookup | None:
    """The variable that ``merge`` and ``into`` say; every old state goes into exactly one new state."""
    into, key = body.mapping("into"), body.key("into")
    assert into is not None
    before = len(report)
    allowed = frozenset(own)
    results: dict[str, str] = {}
    places: dict[str, Scalar] = {}
    for new, node in into.pairs:
        if new.text not in allowed:
            unknown_state(new, "this variable", own, report)
        items = node.items if isinstance(node, Sequence) else (node,)
        for item in items:
            assert isinstance(item, Scalar)
            for state in _expand(item, report):
                if state in results:
                    report.add(
                        "spec/duplicate-state",
                        f"the state {shorten(state)!r} of {of} goes into two: "
                        f"{shorten(results[state])!r} and {shorten(new.text)!r}",
                        item.place,
                    )
                results[state] = new.text
                places[state] = item
    _check_complete(results, places, of, old, key, report)
    ordered = {state: results[state] for state in old if state in results}
    return Lookup(of=of, results=ordered, merges=True) if len(report) == before else None


def _expand(item: Scalar, report: Report) -> tuple[str, ...]:
    try:
        return expand(item)
    except BadRange as error:
        report.add(
            "spec/range",
            f"{shorten(item.text)}: {error}",
            item.place,
            hint="quote the text if it is one state and no range",
        )
        return ()


def _check_complete(
    results: dict[str, str], places: dict[str, Scalar], of: str, old: tuple[str, ...], key: Scalar, report: Report
) -> None:
    """Report states that ``of`` does not have, and those without a result."""
    allowed = frozenset(old)
    unknown = [state for state in results if state not in allowed]
    told: set[int] = set()
    for state in unknown:
        scalar = places[state]
        if id(scalar) not in told:
            told.add(id(scalar))
            unknown_state(Scalar(text=state, quoted=True, place=scalar.place), of, old, report)
    missing = len(old) - (len(results) - len(unknown))
    if missing > len(unknown):
        absent = next(state for state in old if state not in results)
        report.add(
            "spec/missing-row",
            f"nothing is said for the state {shorten(absent)!r} of {of}"
            + (f", and {missing - 1} more" * (missing > 1)),
            key.place,
            allowed="each state exactly once",
        )
