"""Violations: places that break a rule of the corpus, and their printed forms."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum


class Level(str, Enum):
    """How much a violation matters: an error makes the site wrong or broken, a warning serves a reader worse."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file; line and column count from 1."""

    path: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Violation:
    """One place that breaks one rule."""

    location: Location
    code: str
    message: str
    level: Level = Level.ERROR

    @property
    def sort_key(self) -> tuple[Location, str, str]:
        """The order in which violations are reported: by place, then by code."""
        return (self.location, self.code, self.message)


def sort_violations(violations: Iterable[Violation]) -> list[Violation]:
    """The violations in order of place, each once."""
    return sorted(dict.fromkeys(violations), key=lambda violation: violation.sort_key)


def printable(text: str) -> str:
    """Text on one line, with everything that a terminal could act on or that is no character written as an escape."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def format_violation(violation: Violation) -> str:
    """The violation as ``path:line:column: level[code]: message``."""
    return printable(f"{violation.location}: {violation.level.value}[{violation.code}]: {violation.message}")


def format_json(violations: Sequence[Violation]) -> str:
    """The violations as a JSON list of ``{path, line, column, level, code, message}``."""
    rows = [
        {
            "path": printable(v.location.path),
            "line": v.location.line,
            "column": v.location.column,
            "level": v.level.value,
            "code": v.code,
            "message": printable(v.message),
        }
        for v in violations
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False)


def format_github(violation: Violation) -> str:
    """The violation as a workflow command that annotates the line in a GitHub pull request.

    Source of the form and of its escapes: GitHub's manual on workflow commands and ``actions/toolkit`` ``command.ts``.
    """
    location = violation.location
    data = printable(violation.message).replace("%", "%25")
    path = printable(location.path).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    title = f"faultbook {violation.code}"
    return f"::{violation.level.value} file={path},line={location.line},col={location.column},title={title}::{data}"


def format_count(violations: Sequence[Violation]) -> str:
    """How many violations of each level there are, such as ``2 errors, 1 warning``."""
    counts = [(level, sum(v.level is level for v in violations)) for level in Level]
    return ", ".join(f"{n} {level.value}{'s' if n != 1 else ''}" for level, n in counts if n) or "no violations"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'x'?)`` for the nearest known name, or nothing if none is near."""
    near = difflib.get_close_matches(name[:200], list(known), n=1, cutoff=0.6)
    return f" (did you mean '{near[0]}'?)" if near else ""


def shorten(text: object, limit: int = 60) -> str:
    """A value as it is quoted in a message: on one line and not longer than the limit."""
    line = " ".join(str(text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
