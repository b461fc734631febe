"""Attempts within a log: a launcher that restarts its workers begins a new one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from faultbook.engine.normalise import Event
from faultbook.engine.rules import LOOK, Rules


@dataclass(frozen=True)
class Episode:
    """One attempt of a job, in all files."""

    positions: Sequence[int]
    """Its events."""
    places: Sequence[tuple[int, int, int]]
    """File, first line and last line, of each file that has part in it."""


def episodes(events: Sequence[Event], rules: Rules) -> list[Episode]:
    """The attempts in order; those of several files are brought together from the last one back."""
    files = [[part for part in parts if part] for parts in _attempts(events, rules).values()]
    count = max((len(parts) for parts in files), default=0)
    found: list[Episode] = []
    for back in range(count, 0, -1):
        parts = [own[-back] for own in files if len(own) >= back]
        found.append(Episode(sorted(at for part in parts for at in part), [_place(part, events) for part in parts]))
    return found


def _attempts(events: Sequence[Event], rules: Rules) -> Mapping[int, Sequence[Sequence[int]]]:
    """The events of each attempt, by file."""
    attempts: dict[int, list[list[int]]] = {}
    failed: set[int] = set()
    ends, starts, terminal = (rules.pattern(name) for name in ("attempt_end", "attempt_start", "terminal"))
    for at, event in enumerate(events):
        of_file = attempts.setdefault(event.file, [[]])
        text = event.text[:LOOK]
        # Programs also print their first words twice: only an attempt that met its end is followed by another.
        if event.file in failed and starts.search(text):
            of_file.append([])
            failed.discard(event.file)
        of_file[-1].append(at)
        if terminal.search(text):
            failed.add(event.file)
        if ends.search(text):
            of_file.append([])
            failed.discard(event.file)
    return attempts


def _place(positions: Sequence[int], events: Sequence[Event]) -> tuple[int, int, int]:
    first, last = events[positions[0]], events[positions[-1]]
    return first.file, first.line, last.line
