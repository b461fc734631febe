"""Violations of text that is not YAML, with the remedy that the parser does not name."""

from __future__ import annotations

import re
from typing import Any

from faultbook.violations import Location, Violation, shorten

LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line for the parser and for editors."""

_HINTS = {
    "mapping values are not allowed": "; text that contains ': ' must be quoted or start with '>-'",
    "expected a single document": "; one file holds one entry, remove the line '---'",
    "found undefined alias": "; text that begins with '*' must be quoted",
    "found character that cannot start": "; quote the text",
    "did not find expected alphabetic": "; text that begins with '&' or '*' must be quoted",
    "did not find expected key": "; look at the indentation, and for quotation marks within quoted text",
    "found unknown escape": "; use single quotes, or write the backslash twice",
    "found unexpected end of stream": "; the quotation mark here is never closed",
    "did not find expected ',' or ']'": "; the bracket here is never closed",
    "did not find expected ',' or '}'": "; the brace here is never closed",
}
_OPENED = ("found unexpected end of stream", "did not find expected ','")
"""Faults that the parser notices far behind the place at which they began."""


def place_at(before: str, shown: str) -> Location:
    """The place behind a piece of text from the beginning of a file."""
    lines = LINE_END.split(before)
    return Location(shown, len(lines), len(lines[-1]) + 1)


def forbidden_character(text: str, at: int, shown: str) -> Violation:
    """The violation of a character that must not stand in the text."""
    message = f"the character U+{ord(text[at]):04X} is not allowed in YAML; remove it"
    return Violation(place_at(text[:at], shown), "yaml", message)


def yaml_violation(error: Any, text: str, shown: str) -> Violation:
    """The violation that an error of the parser stands for."""
    parts = [part for part in (error.problem, error.context) if part]
    problem = " ".join(reversed(parts) if parts and parts[0].startswith("but ") else parts)
    mark = error.problem_mark or error.context_mark
    if problem.startswith(_OPENED) and error.context_mark:
        mark = error.context_mark
    # By the index, since the parser says that the end of a file lies on a line of its own.
    place = place_at(text[: mark.index], shown) if mark else Location(shown)
    if mark and text[mark.index : mark.index + 1] == "\t":
        hint = "; indent with blanks, not with a tab"
    else:
        hint = next((hint for start, hint in _HINTS.items() if start in problem), "")
    return Violation(place, "yaml", f"not YAML: {shorten(problem, 160)}{hint}")
