"""Lines that speak of a message and do not say it: source text, its history, tests that passed, instructions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from faultbook.engine.normalise import Event
from faultbook.engine.rules import TRACEBACK, Rules, compiled

_FENCES = ("```", "~~~")
_PRINTED = (TRACEBACK, 'File "')


def mentions(events: Sequence[Event], positions: Iterable[int], rules: Rules) -> frozenset[int]:
    """The positions of such lines in an attempt; a log that a program printed has none but those of tests."""
    files: dict[int, list[int]] = {}
    for at in positions:
        files.setdefault(events[at].file, []).append(at)
    found: set[int] = set()
    for own in files.values():
        passed = rules.pattern("mention")
        found.update(at for at in own if passed.search(events[at].full))
        found.update(_prefixed(events, own, rules))
        found.update(_in_blocks(events, own, rules))
        found.update(_in_prose(events, own, rules))
    return frozenset(found)


def _prefixed(events: Sequence[Event], own: Sequence[int], rules: Rules) -> Iterator[int]:
    """Lines behind what a search, a list of commits or a patch puts before each, if at least half have it."""
    for pattern in map(compiled, rules.data["mention_most"]):
        having = [at for at in own if pattern.match(events[at].full)]
        if 2 * len(having) >= len(own):
            yield from having


def _in_blocks(events: Sequence[Event], own: Sequence[int], rules: Rules) -> Iterator[int]:
    """Lines of commits and of patches, each up to the first line that cannot be part of it."""
    starts, within = rules.pattern("mention_block"), rules.pattern("mention_within")
    inside = False
    for at in own:
        event = events[at]
        inside = bool(starts.match(event.full)) or (inside and (event.indented or bool(within.match(event.full))))
        if inside:
            yield at


def _in_prose(events: Sequence[Event], own: Sequence[int], rules: Rules) -> Iterator[int]:
    """Lines of indented and fenced blocks below a heading, in a text in which nothing is as programs print it."""
    if any(_printed(events[at]) for at in own):
        return
    heading = rules.pattern("heading")
    headed = fenced = False
    for at in own:
        event = events[at]
        if event.full.startswith(_FENCES):
            fenced = not fenced
        elif headed and (fenced or event.indented):
            yield at
        headed = headed or (not fenced and not event.indented and bool(heading.match(event.full)))


def _printed(event: Event) -> bool:
    known = (event.time, event.rank, event.level)
    return event.text.startswith(_PRINTED) or any(value is not None for value in known)
