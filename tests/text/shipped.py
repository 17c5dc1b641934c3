"""Memos of the worlds that ship: templates loaded once, and cases drawn from the worlds."""

from __future__ import annotations

from functools import cache

import numpy as np

import pbn
from pbn.exact.sample import sample_codes
from pbn.text.decode import attributes_of

WORLDS = tuple(sorted(pbn.shipped_worlds()))
LEVELS = ("low", "medium", "high")
EACH = tuple((name, level) for name in WORLDS for level in LEVELS)


@cache
def world(name):
    return pbn.load(name)


def memo(name, level):
    return world(name).memo(level)


@cache
def drawn(name, count=200, seed=5):
    """Codes of all named variables of drawn cases."""
    network = world(name).network
    return sample_codes(network, network.named, count, np.random.default_rng(seed))


def attributes(name, level, codes, row):
    """What a level shows of a row, as people give it."""
    template = memo(name, level).template
    return attributes_of(template, {key: int(codes[key][row]) for key in template.visible})


@cache
def a_case(name, level, row=3):
    return attributes(name, level, drawn(name), row)


@cache
def a_memo(name, level, row=3):
    return memo(name, level).text(a_case(name, level, row), position=row)
