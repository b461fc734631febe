"""Match a template in a line: its segments one after the other, each leftmost, in linear time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Part = str | int | Sequence["int | str"]
"""A literal text, the number of a type, or ``[number, name]``; type 0 is the gap."""

Segment = str | re.Pattern[str]
"""What stands between two gaps; a text where no placeholder is in it, since finding that is cheaper."""


@dataclass(frozen=True)
class Span:
    """Where a template matches, in characters of the line, with the values of its named placeholders."""

    start: int
    end: int
    captures: Mapping[str, str]


def segments(parts: Sequence[Part], patterns: Sequence[str]) -> tuple[Segment, ...]:
    """The segments of a template; ``patterns`` holds the pattern of each type by its number."""
    found: list[list[Part]] = [[]]
    for part in parts:
        if part == 0:
            found.append([])
        else:
            found[-1].append(part)
    return tuple(_segment(segment, patterns) for segment in found if segment)


def _segment(parts: Sequence[Part], patterns: Sequence[str]) -> Segment:
    if all(isinstance(part, str) for part in parts):
        return "".join(str(part) for part in parts)
    return re.compile("".join(_pattern(part, patterns) for part in parts), re.DOTALL)


def _pattern(part: Part, patterns: Sequence[str]) -> str:
    if isinstance(part, str):
        return re.escape(part)
    if isinstance(part, int):
        return f"(?:{patterns[part]})"
    number, name = part
    return f"(?P<{name}>{patterns[int(number)]})"


def walk(template: Sequence[Segment], line: str) -> Span | None:
    """The leftmost match of a template.

    Each segment is looked for after the end of the last one and never moved again: an earlier end leaves more room for
    the rest, so a second place could not help, and the time stays linear in the line.
    """
    at, start = 0, -1
    captures: dict[str, str] = {}
    for segment in template:
        if isinstance(segment, str):
            begin = line.find(segment, at)
            end = begin + len(segment)
        else:
            found = segment.search(line, at)
            begin, end = found.span() if found else (-1, -1)
            if found:
                captures.update(found.groupdict())
        if begin < 0:
            return None
        start = begin if start < 0 else start
        at = end
    return Span(start, at, captures)
