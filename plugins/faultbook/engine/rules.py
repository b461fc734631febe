"""What the engine knows apart from entries: prefixes of lines, words of failures, phrases; as data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

TRACEBACK = "Traceback (most recent call last)"
"""How Python begins to tell of an exception."""
LOOK = 4096
"""Characters of a line in which signs of failure are looked for; a hostile line must cost no more."""


def compiled(pattern: str) -> re.Pattern[str]:
    """A pattern of the rules; their groups are written as JavaScript writes them."""
    return re.compile(re.sub(r"\(\?<(?=[a-z])", "(?P<", pattern), re.DOTALL)


@dataclass(frozen=True, eq=False)
class Prefix:
    """A prefix that a launcher, a logger or a collector puts before a line."""

    name: str
    pattern: re.Pattern[str]
    again: bool
    """Whether it may be taken off more than once."""
    trust: int
    """How much its rank is worth beside ranks of other prefixes."""
    vote: float
    """The share of the first lines that must have it, else it is taken for words of the message; 0 for no vote."""
    names: bool
    """Whether the vote also asks for few different names."""
    kernel: bool
    """Whether the kernel printed the line."""


class Rules:
    """The rules of an index, with their patterns compiled when they are first wanted."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data

    def pattern(self, name: str) -> re.Pattern[str]:
        """The pattern of that name."""
        found = self._patterns.get(name)
        if found is None:
            found = self._patterns[name] = compiled(self.data[name])
        return found

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def alarms(self) -> Sequence[str]:
        """Texts that make a line worth keeping although no template may match it."""
        return list(self.data["alarms"])

    @cached_property
    def prefixes(self) -> Sequence[Prefix]:
        """All prefixes in the order in which they are tried."""
        return [
            Prefix(
                row["name"],
                compiled(row["pattern"]),
                row.get("again", False),
                row.get("trust", 0),
                row.get("vote", 0),
                row.get("names", False),
                row.get("kernel", False),
            )
            for row in self.data["prefixes"]
        ]

    @cached_property
    def by_first(self) -> Mapping[str, Sequence[Prefix]]:
        """The prefixes by what they can start with: ``a`` is a letter, ``0`` a digit, others stand for themselves."""
        table: dict[str, list[Prefix]] = {}
        for row, prefix in zip(self.data["prefixes"], self.prefixes, strict=True):
            for kind in row["first"]:
                table.setdefault(kind, []).append(prefix)
        return table

    def starting(self, text: str) -> Sequence[Prefix]:
        """The prefixes that the first character of a text allows."""
        first = text[:1]
        if "0" <= first <= "9":
            first = "0"
        elif "A" <= first <= "Z" or "a" <= first <= "z" or first == "_":
            first = "a"
        return self.by_first.get(first, ())


def compiled_bytes(pattern: str) -> re.Pattern[bytes]:
    """A pattern of the rules that is applied to bytes."""
    return re.compile(pattern.encode("ascii"))
