"""Take prefixes off lines: those of launchers, loggers and collectors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from faultbook.engine.clock import read_time
from faultbook.engine.rules import LOOK, Prefix, Rules

_FEWEST_VOTES = 4
_MOST_PREFIXES = 32


class Peeler:
    """Takes prefixes off lines; those that look like words of a message only if most lines of a sample have them."""

    def __init__(self, rules: Rules, sample: Sequence[str]) -> None:
        self.rules = rules
        outside = rules.pattern("outside")
        # Launchers and schedulers print some lines themselves, which never have the prefixes of the job.
        voters = [text for text in sample if not outside.search(text[:LOOK])]
        self.elected = {prefix.name: _elected(prefix, voters) for prefix in rules.prefixes if prefix.vote}

    def peeled(self, text: str) -> tuple[str, dict[str, Any]]:
        """A text without its prefixes, and what these say: ``rank``, ``node``, ``level``, ``time`` and more."""
        found: dict[str, Any] = {}
        used: set[str] = set()
        trust = -1
        for _ in range(_MOST_PREFIXES):
            taken = self._next(text, used)
            if taken is None:
                break
            prefix, groups, text = taken
            used.add(prefix.name)
            if groups.get("rank") is not None and prefix.trust > trust:
                found["rank"], trust = groups["rank"], prefix.trust
            for key in ("local", "node", "pid"):
                if groups.get(key) is not None:
                    found.setdefault(key, groups[key])
            if groups.get("level"):
                found["level"] = self.rules.data["levels"][groups["level"]]
            if "time" not in found and (time := read_time(groups, self.rules)):
                found["time"] = time
            if prefix.kernel or groups.get("unit") == "kernel":
                found["kernel"] = True
        return text, found

    def _next(self, text: str, used: set[str]) -> tuple[Prefix, Mapping[str, str | None], str] | None:
        for prefix in self.rules.starting(text):
            forms = self.elected.get(prefix.name, frozenset())
            if forms is None or (prefix.name in used and not prefix.again):
                continue
            found = prefix.pattern.match(text)
            if found and found.end() and (not prefix.names or _form(found) in forms):
                return prefix, found.groupdict(), text[found.end() :].lstrip(" ")
        return None


def _elected(prefix: Prefix, sample: Sequence[str]) -> frozenset[str] | None:
    """The forms of the names that two lines or more have, if enough lines have the prefix."""
    found = [match for match in map(prefix.pattern.match, sample) if match]
    if len(sample) < _FEWEST_VOTES or len(found) < prefix.vote * len(sample):
        return None
    if not prefix.names:
        return frozenset()
    if len({match["node"] for match in found}) > max(64, len(found) // 3):
        return None
    return frozenset(form for form, count in Counter(map(_form, found)).items() if count > 1)


def _form(found: re.Match[str]) -> str:
    """A name with its digits masked, since hosts that differ by a number are alike."""
    return re.sub("[0-9]+", "#", found["node"])
