"""GeNIe's XDSL (read only).

Specification: the *SMILE* documentation of BayesFusion, "XDSL file format": ``cpt`` nodes list their
probabilities with the node's own state fastest and then the last parent; ``deterministic`` nodes list the
resulting state for each combination of parents; ids name nodes and states, the display names of the
``extensions`` become labels.

``noisymax`` nodes are expanded exactly. The states of a node run from the strongest to its neutral last one.
``strengths`` lists, for each parent, the parent's states from the strongest to the neutral one;
``parameters`` has a law of the node for each of them in that order, and last the leak. The node takes the
strongest of the states that its parents and the leak cause independently: P(node ≥ s | parents) is the
product of theirs, ≥ meaning "s or weaker". Two-state nodes (noisy-or) are confirmed by independently
computed posteriors. For several states those agree with this reading too, but were made from the same
documentation: no second program that reads ``noisymax`` was at hand (pgmpy 1.1 and pyAgrum 3.3 drop such nodes).
Where strengths are permuted it is by swaps only, which cannot tell a permutation from its inverse.

Equation, decision and utility nodes, noisy adders and dynamic networks are refused.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from pbn.errors import Fault, Faults, NetworkError
from pbn.figures import count_text
from pbn.network.formats.draft import NodeDraft, ReadNetwork, build_network, oversize
from pbn.network.formats.numbers import MAX_DIGITS, decimal_text, exact_decimals
from pbn.network.formats.text import FileText
from pbn.network.formats.xml_tree import Element, xml_tree
from pbn.network.model import Array

MAX_DIGITS_IN_ALL = 20_000_000
"""Digits that the exact table of one noisy-max node may have together."""


def parse_xdsl(source: FileText, *, renormalise: bool = False) -> ReadNetwork:
    """The network of an XDSL text, exact to the last written digit.

    With ``renormalise`` rows that sum to 1 only within 10^-3 are rescaled, which the notes record.

    Raises
    ------
    NetworkError
        The text is not well-formed XML, no XDSL, or holds other than discrete chance nodes.
    """
    root = xml_tree(source)
    nodes = root.first("nodes")
    if root.tag != "smile" or nodes is None:
        raise NetworkError(
            Fault(
                code="network/syntax",
                message="this is no XDSL",
                place=root.place,
                found=f"<{root.tag}>",
                allowed="<smile> with <nodes> in it",
            )
        )
    faults = Faults(NetworkError, "network")
    dynamic = root.first("dynamic")
    if dynamic is not None:
        faults.add("unsupported", "this is a dynamic network", dynamic.place, "<dynamic>", "<nodes>")
    labels = _labels(root)
    states = {node.attributes.get("id", ""): _states(node) for node in nodes.children}
    drafts = [_node(node, states, labels, faults) for node in nodes.children]
    faults.raise_any()
    return build_network(drafts, name=root.attributes.get("id", ""), renormalise=renormalise, notes=source.notes)


def _states(node: Element) -> tuple[str, ...]:
    return tuple(state.attributes.get("id", "") for state in node.all("state"))


def _labels(root: Element) -> dict[str, str]:
    """Display names by id, from the nodes of the extensions at any depth of their submodels."""
    found: dict[str, str] = {}
    waiting = root.all("extensions")
    while waiting:
        element = waiting.pop()
        waiting += element.children
        name = element.first("name")
        if element.tag == "node" and name is not None:
            found[element.attributes.get("id", "")] = name.text
    return found


def _words(node: Element, tag: str) -> list[str]:
    child = node.first(tag)
    return child.text.split() if child else []


def _node(node: Element, states: Mapping[str, tuple[str, ...]], labels: Mapping[str, str], faults: Faults) -> NodeDraft:
    name = node.attributes.get("id", "")
    draft = NodeDraft(
        name=name,
        states=states[name],
        parents=tuple(_words(node, "parents")),
        place=node.place,
        label=labels.get(name, ""),
    )
    if node.tag == "cpt":
        table = node.first("probabilities")
        return replace(draft, numbers=table.text.split(), locate=table.word_place) if table else draft
    if node.tag == "deterministic":
        return _deterministic(node, draft, faults)
    if node.tag == "noisymax":
        return _noisy_max(node, draft, states, faults)
    faults.add(
        "unsupported",
        f"{name} is a node of the kind {node.tag}",
        node.place,
        f"<{node.tag}>",
        "cpt, deterministic or noisymax",
    )
    return draft


def _deterministic(node: Element, draft: NodeDraft, faults: Faults) -> NodeDraft:
    results = node.first("resultingstates")
    if results is None:
        return draft
    codes = {state: k for k, state in enumerate(draft.states)}
    words = results.text.split()
    for k, word in enumerate(words):
        if word not in codes:
            faults.add(
                "unknown-state",
                f"{draft.name} has no state {word!r}",
                results.word_place(k),
                word,
                " ".join(draft.states),
            )
            break
    return replace(draft, certain=[codes.get(word, 0) for word in words], locate=results.word_place)


def _noisy_max(node: Element, draft: NodeDraft, states: Mapping[str, tuple[str, ...]], faults: Faults) -> NodeDraft:
    """The node with its whole table; without one where there is a fault."""
    if not draft.states or any(parent not in states for parent in draft.parents):
        return draft  # which `build_network` refuses
    sizes = [len(states[parent]) for parent in draft.parents]
    own, parameters = len(draft.states), _words(node, "parameters")
    ranks = _ranks(_words(node, "strengths"), sizes)
    wanted = own * (sum(sizes) + 1)
    if ranks is None or len(parameters) != wanted:
        faults.add(
            "noisy-max",
            f"the parameters of {draft.name} do not fit its parents",
            node.place,
            f"{len(parameters):,} parameters" if ranks else "strengths that do not permute each parent's states",
            f"{count_text(wanted)} parameters, and strengths that order each parent's states",
        )
        return draft
    decimals = exact_decimals(parameters, 1e-12)
    if decimals.bad:
        token, reason = next(iter(decimals.bad.items()))
        faults.add("probability", f"a parameter of {draft.name} {reason}", node.place, token[:60], "0 to 1")
        return draft
    places = decimals.places * (len(sizes) + 1)
    large = oversize(draft.name, [*sizes, own], node.place)
    if large is not None or places > MAX_DIGITS - 2 or places * math.prod(sizes) * own > MAX_DIGITS_IN_ALL:
        faults.add(
            "too-large",
            f"{draft.name} is too large to expand",
            node.place,
            f"{len(sizes)} parents, {decimals.places} digits each",
            f"tables of {MAX_DIGITS_IN_ALL:,} digits",
        )
        return draft
    laws = np.array([decimals.scaled[token] for token in parameters], dtype=object).reshape(-1, own)
    table = _expanded(laws, sizes, ranks)
    return replace(draft, numbers=[decimal_text(value, places) for value in table])


def _ranks(words: Sequence[str], sizes: Sequence[int]) -> list[list[int]] | None:
    """For each parent, the rank of each of its states; None where the strengths are no permutations."""
    ranks, at = [], 0
    for size in sizes:
        strengths = words[at : at + size]
        if sorted(strengths) != sorted(map(str, range(size))):
            return None
        ranks.append([strengths.index(str(state)) for state in range(size)])
        at += size
    return ranks if at == len(words) else None


def _expanded(laws: Array, sizes: Sequence[int], ranks: Sequence[Sequence[int]]) -> list[int]:
    """The table in C order from the laws of each parent's states, strongest first, and the leak's."""
    tails = np.cumsum(laws[:, ::-1], axis=1)[:, ::-1]  # P(own state k or weaker)
    product, at = tails[-1][None, :], 0
    for size, rank in zip(sizes, ranks, strict=True):
        by_state = tails[at : at + size][list(rank)]
        product = (product[:, None, :] * by_state[None, :, :]).reshape(-1, tails.shape[1])
        at += size
    product[:, :-1] -= product[:, 1:].copy()
    found: list[int] = product.ravel().tolist()
    return found
