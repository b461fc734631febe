"""Signatures in events: templates, windows, comparisons."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from faultbook.engine.comparison import holds
from faultbook.engine.index import GRAM, Index, Signature
from faultbook.engine.normalise import Event
from faultbook.engine.walker import Span, walk

LONG_ENOUGH = 50
"""Characters from which on a line may have been broken in two by what printed it."""


@dataclass(frozen=True)
class Hit:
    """A signature that matches at an event."""

    at: int
    """Position of the event."""
    signature: int
    template: int
    span: Span
    end: int
    """Position of the event in which the match ends: of this one, or of the next of the same rank."""


def match(events: Sequence[Event], index: Index, streams: Streams | None = None) -> list[Hit]:
    """All hits, by event; a match inside the span of a more specific one of another entry is left out."""
    return _Matcher(events, index, streams or Streams(events)).hits()


class Streams:
    """The events of each file and rank, in order; ``places`` are those of events within."""

    def __init__(self, events: Sequence[Event]) -> None:
        self.places: list[int] = []
        self._events = events
        self._streams: list[list[int]] = []
        streams: dict[tuple[int, int | None], list[int]] = {}
        for at, event in enumerate(events):
            stream = streams.setdefault((event.file, event.rank), [])
            self.places.append(len(stream))
            self._streams.append(stream)
            stream.append(at)

    def window(self, at: int, within: int) -> list[int]:
        """The events of the same file, rank and run up to a distance: the event itself, then the nearest first."""
        place, run = self.places[at], self._events[at].run
        near = self._streams[at][max(0, place - within) : place + within + 1]
        same = [other for other in near if self._events[other].run == run]
        return sorted(same, key=lambda other: (abs(other - at), other))

    def after(self, at: int) -> int | None:
        """The next event of the same file and rank."""
        stream, place = self._streams[at], self.places[at]
        return stream[place + 1] if place + 1 < len(stream) else None


class _Matcher:
    def __init__(self, events: Sequence[Event], index: Index, streams: Streams) -> None:
        self.events = events
        self.index = index
        self.grams = [index.grams(event.full) for event in events]
        self.found: list[dict[int, Span]] = [
            self._templates(event.full, grams) for event, grams in zip(events, self.grams, strict=True)
        ]
        self.streams = streams

    def hits(self) -> list[Hit]:
        """Of each event those hits that hold."""
        found = []
        for at in range(len(self.events)):
            own = [hit for template, span in sorted(self.found[at].items()) for hit in self._fired(at, template, span)]
            joined = [] if own else list(self._joined(at))
            found += _outer(own or joined, self.index)
        return found

    def _templates(self, line: str, grams: Collection[str]) -> dict[int, Span]:
        candidates = self.index.candidates(line, grams) if grams else ()
        spans = ((template, walk(self.index.segments(template), line)) for template in candidates)
        return {template: span for template, span in spans if span}

    def _fired(self, at: int, template: int, span: Span, end: int | None = None) -> Iterator[Hit]:
        """The signatures that a template at an event makes match."""
        for position in self.index.by_template.get(template, ()):
            signature = self.index.signatures[position]
            captures = self._together(at, signature, span) if signature.all else span.captures
            if captures is None or not all(holds(comparison, captures) for comparison in signature.comparisons):
                continue
            if not self._taken_back(at, signature):
                yield Hit(at, position, template, Span(span.start, span.end, captures), at if end is None else end)

    def _together(self, at: int, signature: Signature, first: Span) -> Mapping[str, str] | None:
        """The captures of all templates of a signature, if all are near and agree on them."""
        captures = dict(first.captures)
        for template in signature.templates[1:]:
            for near in self.streams.window(at, signature.within):
                other = self.found[near].get(template)
                if other and all(captures.get(name, value) == value for name, value in other.captures.items()):
                    captures.update(other.captures)
                    break
            else:
                return None
        return captures

    def _taken_back(self, at: int, signature: Signature) -> bool:
        if not signature.unless:
            return False
        near = self.streams.window(at, signature.within)
        return any(template in self.found[other] for other in near for template in signature.unless)

    def _joined(self, at: int) -> Iterator[Hit]:
        """Hits of a message that two events hold, other than those that the second has by itself."""
        after = self.streams.after(at) if len(self.events[at].full) >= LONG_ENOUGH else None
        if after is None or self.events[after].run != self.events[at].run:
            return
        first, second = self.events[at].full, self.events[after].text
        spans: dict[int, Span] = {}
        for line in (f"{first} {second}", first + second):
            seam = self.index.grams(line[len(first) - GRAM + 1 : len(first) + GRAM])
            for template, span in self._templates(line, self.grams[at] | self.grams[after] | seam).items():
                if template not in self.found[after] and span.start < len(first) < span.end:
                    spans.setdefault(template, Span(span.start, min(span.end, len(first)), span.captures))
        for template, span in sorted(spans.items()):
            yield from self._fired(at, template, span, end=after)


def _outer(hits: Sequence[Hit], index: Index) -> list[Hit]:
    """The hits without those inside a more specific one of another entry; of an entry only the most specific stays."""
    best: dict[int, Hit] = {}
    for hit in hits:
        entry = index.signatures[hit.signature].entry
        if entry not in best or _demanded(hit, index) > _demanded(best[entry], index):
            best[entry] = hit
    return [hit for hit in best.values() if not any(_inside(hit, other, index) for other in best.values())]


def _inside(hit: Hit, other: Hit, index: Index) -> bool:
    covers = other.span.start <= hit.span.start and hit.span.end <= other.span.end
    return other is not hit and covers and _weight(other, index) > _weight(hit, index)


def _demanded(hit: Hit, index: Index) -> float:
    """How specific a signature is in all: one of several lines outdoes a long one that is content with one line."""
    signature = index.signatures[hit.signature]
    templates = signature.templates if signature.all else (hit.template,)
    return sum(float(index.templates[template][2]) for template in templates)


def _weight(hit: Hit, index: Index) -> float:
    return float(index.templates[hit.template][2])
