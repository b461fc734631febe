"""Signs of failure that no entry is needed for: error lines, ends of processes, silent ranks, launchers' reports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from faultbook.engine.mentions import mentions
from faultbook.engine.normalise import Event
from faultbook.engine.rules import LOOK, TRACEBACK, Rules

_DIGITS = re.compile("[0-9]+")
_REPORT_LINES = 12


@dataclass(frozen=True)
class Signs:
    """What the events of an attempt show apart from entries."""

    errors: Sequence[int]
    """Positions of error lines, in order."""
    terminal: bool
    """Whether a process ended badly."""
    outside: frozenset[int]
    """Positions of lines that the kernel, a driver or a scheduler printed."""
    world: int | None
    """How many ranks the job has, if the log says so."""
    silent: Sequence[int]
    """Ranks that did not report a timeout that nearly all others reported."""
    report: Mapping[str, str] = field(default_factory=dict)
    """What a launcher says about the first failure: ``rank``, ``host``, ``exitcode``."""
    rank: int | None = None
    """The rank that failed, if the log shows it without a line that names the cause."""
    mentions: frozenset[int] = frozenset()
    """Positions of lines that speak of a message and do not say it; they are no signs."""
    raised: Mapping[int, int] = field(default_factory=dict)
    """By error line that ends a traceback of its own, chained to none before, the position of that traceback."""


def signs(events: Sequence[Event], positions: Iterable[int], rules: Rules, known: Set[int] = frozenset()) -> Signs:
    """Read the signs of an attempt; ``known`` are the positions of lines that an entry describes."""
    error, harmless, terminal = rules.pattern("error"), rules.pattern("harmless"), rules.pattern("terminal")
    errors, reported, traced, ended, world = [], set(), set(), False, None
    positions = list(positions)
    mentioned = mentions(events, positions, rules)
    kept = [at for at in positions if at not in mentioned]
    open_tracebacks: dict[tuple[int, int | None], int] = {}
    for at in kept:
        event, text = events[at], events[at].text[:LOOK]
        bad = event.level in ("error", "fatal") or (event.level is None and error.search(text))
        if bad and not harmless.search(text):
            errors.append(at)
            open_tracebacks.pop((event.file, event.rank), None)
        elif at in known:
            open_tracebacks.pop((event.file, event.rank), None)
        elif event.text.startswith(TRACEBACK):
            open_tracebacks[event.file, event.rank] = at
        ended = ended or bool(terminal.search(text)) or event.level == "fatal"
        world = _world(event, rules) or world
        if event.rank is not None and rules.pattern("timeout_report").search(text):
            reported.add(event.rank)
        if event.rank is not None and event.text.startswith(TRACEBACK):
            traced.add(event.rank)
    ranks = {events[at].rank for at in kept} - {None}
    report = _report(events, kept, rules)
    rank = _failed_rank(report, world, traced)
    rank = _failed_task([events[at].text for at in kept], rules) if rank is None else rank
    silent = _silent(reported, world, ranks)
    apart = rules.pattern("outside")
    outside = frozenset(at for at in kept if events[at].kernel or apart.match(events[at].text[:LOOK]))
    # A traceback whose last line is not there, or is no error line by any rule, still says that something failed.
    errors = sorted({*errors, *open_tracebacks.values()})
    return Signs(errors, ended, outside, world, silent, report, rank, mentioned, _raised(events, kept, errors, rules))


def _raised(events: Sequence[Event], kept: Sequence[int], errors: Sequence[int], rules: Rules) -> dict[int, int]:
    raised: dict[int, int] = {}
    started: dict[tuple[int, int | None], int] = {}
    chained: set[tuple[int, int | None]] = set()
    wrong = set(errors)
    for at in kept:
        stream, text = (events[at].file, events[at].rank), events[at].text
        if text.startswith(TRACEBACK):
            started.pop(stream, None)
            if stream not in chained:
                started[stream] = at
            chained.discard(stream)
        elif rules.pattern("chain").match(text):
            chained.add(stream)
        elif at in wrong and stream in started and not rules.pattern("interrupted").match(text):
            raised[at] = started.pop(stream)
    return raised


def _failed_rank(report: Mapping[str, str], world: int | None, traced: set[int]) -> int | None:
    """The rank that a launcher names, the only one of the job, or the only one with a traceback."""
    named = rank_number(report.get("rank", ""))
    if named is not None:
        return named
    if world == 1:
        return 0
    return traced.pop() if len(traced) == 1 else None


def _failed_task(texts: Iterable[str], rules: Rules) -> int | None:
    """The number of the task that a scheduler reports before all others, which is a rank where it starts one a task."""
    found = next((found for text in texts if (found := rules.pattern("task_report").match(text))), None)
    return rank_number(found["task"]) if found else None


def rank_number(text: str) -> int | None:
    """The rank that a text names; no job has a million of them."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _world(event: Event, rules: Rules) -> int | None:
    found = rules.pattern("world").search(event.full)
    if not found:
        return None
    value = int(next(value for value in found.groups() if value))
    return value if 0 < value <= 1_000_000 else None


def _silent(reported: set[int], world: int | None, ranks: set[int | None]) -> list[int]:
    """The ranks missing among those that report, if they are few; else the reports say nothing about a rank."""
    if len(reported) < 2:
        return []
    everyone = set(range(world)) if world and world <= 65_536 else {rank for rank in ranks if rank is not None}
    everyone |= set(range(max(reported) + 1)) if max(reported) < 65_536 else set()
    missing = sorted(everyone - reported)
    return missing if len(missing) <= max(1, len(everyone) // 8) else []


def _report(events: Sequence[Event], positions: Sequence[int], rules: Rules) -> dict[str, str]:
    """The fields of the first report of a launcher about the failure that it saw first."""
    head, row = rules.pattern("report"), rules.pattern("report_field")
    for place, at in enumerate(positions):
        if head.search(events[at].text):
            rows = [row.search(events[other].text) for other in positions[place + 1 : place + 1 + _REPORT_LINES]]
            found: dict[str, str] = {}
            for match in rows:
                if match:
                    found.setdefault(match["key"], match["value"])
            return found
    return {}


def shape(text: str) -> str:
    """A line with its digits masked, to see the same message once."""
    return _DIGITS.sub("#", text[:200])
