"""Parents before children: the order in which variables can be resolved, and cycles where there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heapify, heappop, heappush

Parents = Mapping[str, tuple[str, ...]]


def parents_first(parents: Parents) -> list[str]:
    """The names in an order in which parents come first, else as given; names on or behind a cycle are left out.

    Examples
    --------
    >>> parents_first({"c": ("a", "b"), "a": (), "b": ("a",), "x": ("x",)})
    ['a', 'b', 'c']
    """
    position = {name: k for k, name in enumerate(parents)}
    names = list(parents)
    waiting = {name: len(own) for name, own in parents.items()}
    children: dict[str, list[str]] = {name: [] for name in parents}
    for name, own in parents.items():
        for parent in own:
            children[parent].append(name)
    ready = [position[name] for name, count in waiting.items() if not count]
    heapify(ready)
    order = []
    while ready:
        name = names[heappop(ready)]
        order.append(name)
        for child in children[name]:
            waiting[child] -= 1
            if not waiting[child]:
                heappush(ready, position[child])
    return order


def cycles(parents: Parents, ordered: list[str]) -> Iterator[list[str]]:
    """One cycle for each knot that keeps names out of the order; a cycle begins and ends with the same name.

    Examples
    --------
    >>> knot = {"a": ("b",), "b": ("c",), "c": ("a",), "behind": ("a",)}
    >>> list(cycles(knot, parents_first(knot)))
    [['a', 'b', 'c', 'a']]
    """
    done = set(ordered)
    for start in parents:
        path: dict[str, None] = {}
        name: str | None = start
        while name is not None and name not in done and name not in path:
            path[name] = None
            name = next((parent for parent in parents[name] if parent in path or parent not in done), None)
        if name in path:
            walked = list(path)
            yield [*walked[walked.index(name) :], name]
        done.update(path)
