"""The entries of which a template matches a line of a query, with the places in the query."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from faultbook.engine.index import GRAM, Index
from faultbook.engine.match import match
from faultbook.engine.normalise import normalise
from faultbook.engine.scan import Piece
from faultbook.engine.walker import walk

_TIERS = {"cause": 0, "ambiguous": 1, "downstream": 2, "notice": 4}
_WRAPPER, _PART = 3, 5
"""Tiers of a message that only reports, and of one line of a signature that asks for several."""


class LineHit(NamedTuple):
    """An entry, and the places of the query that its templates match."""

    entry: int
    spans: list[list[int]]


class _Found(NamedTuple):
    tier: int
    weight: float
    entry: int
    span: list[int] | None


def line_hits(index: Index, query: str) -> list[LineHit]:
    """The entries that a line of the query names: those that it names for sure first, then the most specific."""
    if len(query) < GRAM:
        return []
    found = sorted(_found(index, query), key=lambda hit: (hit.tier, -hit.weight, hit.entry))
    spans: dict[int, list[list[int]]] = {}
    for hit in found:
        spans.setdefault(hit.entry, []).extend([hit.span] if hit.span else [])
    return [LineHit(entry, _merged(own)) for entry, own in spans.items()]


def _merged(spans: list[list[int]]) -> list[list[int]]:
    """The spans in order, those that overlap or touch as one."""
    merged: list[list[int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def _found(index: Index, query: str) -> Iterator[_Found]:
    lines = query.split("\n")
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    pieces = [Piece(number, number + 1, line.encode("utf-8", "replace")) for number, line in enumerate(lines)]
    events = normalise(pieces, index.rules)

    def found(at: int, signature: int, template: int, start: int, end: int) -> _Found:
        event, entry = events[at], index.signatures[signature].entry
        span = _place(event.full[start:end], lines[event.line - 1], starts[event.line - 1])
        wrapper = index.entries[entry]["kind"] == "wrapper"
        tier = _WRAPPER if wrapper else _TIERS[index.signatures[signature].role]
        return _Found(tier, float(index.templates[template][2]), entry, span)

    for hit in match(events, index):
        yield found(hit.at, hit.signature, hit.template, hit.span.start, hit.span.end)
    parts = _parts(index)
    for at, event in enumerate(events):
        for template in index.candidates(event.full, index.grams(event.full)):
            if template in parts and (span := walk(index.segments(template), event.full)):
                for signature in parts[template]:
                    yield found(at, signature, template, span.start, span.end)._replace(tier=_PART)


def _parts(index: Index) -> dict[int, list[int]]:
    """The signatures that ask for several lines, by each of their templates."""
    parts: dict[int, list[int]] = {}
    for position, signature in enumerate(index.signatures):
        for template in signature.templates if signature.all else ():
            parts.setdefault(template, []).append(position)
    return parts


def _place(matched: str, line: str, start: int) -> list[int] | None:
    """Where a match stands in the query, in which blanks may be doubled; nowhere if wrapping or colours cut it."""
    found = re.search("[ \t]+".join(map(re.escape, matched.split(" "))), line)
    return [start + found.start(), start + found.end()] if found else None
