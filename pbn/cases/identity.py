"""What a case is called: the digest of its law, and the identifier of a row at a level."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from pbn.cases.stream import checked_row, checked_seed
from pbn.network.digest import network_digest
from pbn.world import World


def law_digest(world: World) -> str:
    """SHA-256 of what decides a world's numbers; that of the network where there is no world file.

    What levels and questions are called, and all texts, make no difference.

    Examples
    --------
    >>> import pbn
    >>> world = pbn.load("credit_risk")
    >>> law_digest(world) == world.spec.law_digest
    True
    """
    if world.spec is not None:
        return world.spec.law_digest
    visible = [level.visible for level in world.levels.values()]
    return network_digest(world.network, visible, [question.asks for question in world.questions.values()])


def case_id(law_digest: str, seed: int, row: int, level: str | None = None) -> str:
    """The identifier of one row's case as a level shows it: 32 hexadecimal digits.

    BLAKE2b with 16 bytes over the JSON text of ``["pbn case", law_digest, seed, level]`` and the row's number in 8
    bytes, little end first. Two different cases share an identifier with a probability below 2^-64 in 10^9.

    Examples
    --------
    >>> case_id("00" * 32, 2032, 0, "high")
    '0939f38c462483bfe4bdde44e435d226'
    """
    return case_ids(law_digest, seed, [row], level)[0]


def case_ids(law_digest: str, seed: int, rows: Iterable[int], level: str | None = None) -> list[str]:
    """`case_id` of many rows at about a microsecond each.

    Raises
    ------
    QueryError
        ``cases/seed`` or ``cases/row``: no such seed or row.

    Examples
    --------
    >>> case_ids("00" * 32, 2032, range(2), "high")[0] == case_id("00" * 32, 2032, 0, "high")
    True
    """
    text = json.dumps(["pbn case", law_digest, checked_seed(seed), level], ensure_ascii=True, separators=(",", ":"))
    prefix = hashlib.blake2b(text.encode(), digest_size=16)
    if isinstance(rows, range):  # its ends speak for all of it
        for row in (*rows[:1], *rows[-1:]):
            checked_row(row)
        numbers: Iterable[int] = rows
    else:
        numbers = (checked_row(row) for row in rows)
    found = []
    for number in numbers:
        digest = prefix.copy()
        digest.update(number.to_bytes(8, "little"))
        found.append(digest.hexdigest())
    return found
