"""What whoever publishes a data set says of it: title, licence, language, creator, address, date, version."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pbn.errors import Fault, QueryError, listing, nearest

MOST_CHARACTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """A licence for data: its SPDX identifier, what the Hugging Face hub calls it, its name and its address."""

    spdx: str
    hub: str
    name: str
    url: str


LICENCES: Mapping[str, Licence] = {
    spdx: Licence(spdx=spdx, hub=hub, name=name, url=url)
    for spdx, hub, name, url in (
        ("CC-BY-4.0", "cc-by-4.0", "Creative Commons Attribution 4.0 International",
         "https://creativecommons.org/licenses/by/4.0/"),
        ("CC-BY-SA-4.0", "cc-by-sa-4.0", "Creative Commons Attribution-ShareAlike 4.0 International",
         "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("CC0-1.0", "cc0-1.0", "Creative Commons Zero 1.0 Universal",
         "https://creativecommons.org/publicdomain/zero/1.0/"),
        ("ODC-By-1.0", "odc-by", "Open Data Commons Attribution License 1.0",
         "https://opendatacommons.org/licenses/by/1-0/"),
        ("ODbL-1.0", "odbl", "Open Data Commons Open Database License 1.0",
         "https://opendatacommons.org/licenses/odbl/1-0/"),
        ("PDDL-1.0", "pddl", "Open Data Commons Public Domain Dedication and License 1.0",
         "https://opendatacommons.org/licenses/pddl/1-0/"),
        ("MIT", "mit", "MIT License", "https://spdx.org/licenses/MIT.html"),
        ("Apache-2.0", "apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"),
    )
}  # fmt: skip
"""Open licences that the hub knows, by their SPDX identifiers."""

DEFAULT_LICENCE, DEFAULT_LANGUAGE, DEFAULT_VERSION = "CC-BY-4.0", "en", "1.0.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What cannot be computed from the data: it is said by whoever publishes, or left out.

    Parameters
    ----------
    title
        Name for people; by default the title of the world, or the names of several.
    licence
        An SPDX identifier out of `LICENCES`.
    language
        Code of the memos' language, such as ``en``.
    creator, url, date, version
        Who published it, where, on which day (``2026-01-31``), and as which version (``1.0.0``).

    Raises
    ------
    QueryError
        ``publish/terms``: one of them is not of its form.

    Examples
    --------
    >>> Terms(licence="cc0-1.0").licence
    'CC0-1.0'
    >>> Terms(date="yesterday")
    Traceback (most recent call last):
    pbn.errors.QueryError: publish/terms: the date cannot be 'yesterday'
      allowed: a day, such as 2026-01-31
    """

    title: str | None = None
    licence: str = DEFAULT_LICENCE
    language: str = DEFAULT_LANGUAGE
    creator: str | None = None
    url: str | None = None
    date: str | None = None
    version: str = DEFAULT_VERSION

    def __post_init__(self) -> None:
        spdx = {name.lower(): name for name in LICENCES}.get(self.licence.lower())
        if spdx is None:
            _refuse("licence", self.licence, listing(LICENCES), nearest(self.licence, LICENCES))
        object.__setattr__(self, "licence", spdx)
        for name, (test, allowed) in _FORMS.items():
            value = getattr(self, name)
            if value is not None and not (len(value) <= MOST_CHARACTERS and test(value)):
                _refuse(name, value, allowed)

    @property
    def data_licence(self) -> Licence:
        """The licence of the data."""
        return LICENCES[self.licence]

    @property
    def said(self) -> dict[str, Any]:
        """The terms as a manifest keeps them."""
        return {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) is not None}

    @property
    def options(self) -> dict[str, str]:
        """The options of ``pbn publish`` that say these terms, but for those that are so by default."""
        defaults = Terms()
        return {
            {"licence": "license"}.get(name, name): value
            for name, value in self.said.items()
            if value != getattr(defaults, name)
        }


def _is_line(text: str) -> bool:
    return bool(text.strip()) and text.isprintable()


def _is_date(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _matches(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text) is not None


_FORMS: Mapping[str, tuple[Callable[[str], bool], str]] = {
    "title": (_is_line, f"a line of at most {MOST_CHARACTERS} characters"),
    "creator": (_is_line, f"a line of at most {MOST_CHARACTERS} characters"),
    "language": (_matches(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"), "a language code, such as en"),
    "url": (_matches(r"https?://[!-~]+"), "an address that begins with https://"),
    "date": (_is_date, "a day, such as 2026-01-31"),
    "version": (_matches(r"\d{1,9}\.\d{1,9}\.\d{1,9}"), "three numbers, such as 1.0.0"),
}


def _refuse(name: str, value: str, allowed: str, hint: str | None = None) -> None:
    message = f"the {name} cannot be {value[:80]!r}"
    raise QueryError(Fault(code="publish/terms", message=message, allowed=allowed, hint=hint))
