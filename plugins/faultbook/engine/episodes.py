"""Attempts within a log: a launcher that restarts its workers begins a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from faultbook.engine.normalise import Event
from faultbook.engine.rules import Rules


@dataclass(frozen=True)
class Episode:
    """One attempt of a job, in all files."""

    positions: Sequence[int]
    """Its events."""
    places: Sequence[tuple[int, int, int]]
    """File, first line and last line, of each file that has part in it."""


def episodes(events: Sequence[Event], rules: Rules) -> list[Episode]:
    """The attempts in order; those of several files are brought together from the last one back."""
    attempts: dict[int, list[list[int]]] = {}
    ends, starts = rules.pattern("attempt_end"), rules.pattern("attempt_start")
    for at, event in enumerate(events):
        of_file = attempts.setdefault(event.file, [[]])
        if of_file[-1] and starts.search(event.text) and _failed(of_file[-1], events, rules):
            of_file.append([])
        of_file[-1].append(at)
        if ends.search(event.text):
            of_file.append([])
    count = max((len([part for part in parts if part]) for parts in attempts.values()), default=0)
    found: list[Episode] = []
    for back in range(count, 0, -1):
        parts = [[part for part in of_file if part][-back:][0] for of_file in attempts.values() if _has(of_file, back)]
        found.append(Episode(sorted(at for part in parts for at in part), [_place(part, events) for part in parts]))
    return found


def _has(parts: Sequence[Sequence[int]], back: int) -> bool:
    return len([part for part in parts if part]) >= back


def _failed(positions: Sequence[int], events: Sequence[Event], rules: Rules) -> bool:
    """Whether an attempt met its end, since programs also print their first words twice."""
    terminal = rules.pattern("terminal")
    return any(terminal.search(events[at].text) for at in positions)


def _place(positions: Sequence[int], events: Sequence[Event]) -> tuple[int, int, int]:
    first, last = events[positions[0]], events[positions[-1]]
    return first.file, first.line, last.line
