"""From logs to the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from faultbook.engine.answer import SCHEMA, Teller, details
from faultbook.engine.attribute import SHORT, Verdict, attribute
from faultbook.engine.episodes import Episode, episodes
from faultbook.engine.gate import finder
from faultbook.engine.index import Index
from faultbook.engine.match import Hit, Streams, match
from faultbook.engine.normalise import Event, normalise
from faultbook.engine.progress import overcome
from faultbook.engine.read import Input
from faultbook.engine.rules import compiled_bytes
from faultbook.engine.scan import Scanned, scan
from faultbook.engine.signs import Signs, signs
from faultbook.engine.textsearch import similar

_SIMILAR_LINES = 3


@dataclass(frozen=True)
class Diagnosis:
    """The answer of the contract, and what is only for display; both as `docs/engine.md` says, nothing masked."""

    answer: dict[str, Any]
    details: dict[str, Any]


def diagnose(
    inputs: Sequence[Input], index: Index, *, progress: Callable[[int], None] | None = None, context: int = 2
) -> Diagnosis:
    """Diagnose one incident, of which each input is a log; ``progress`` gets the bytes read so far of all of them.

    Raises:
        OSError: an input cannot be read to its end.
    """
    started = time.perf_counter()
    scans: list[Scanned] = []
    find, ansi = finder(index.anchors()), compiled_bytes(index.rules.data["ansi"])
    for source in inputs:
        done = sum(scanned.reading.bytes for scanned in scans)
        scans.append(scan(source, find, ansi, _beyond(progress, done)))
    events: list[Event] = []
    for file, (source, scanned) in enumerate(zip(inputs, scans, strict=True)):
        events += _of_rank(normalise(scanned.pieces, index.rules, file), source.name, index)
    diagnosis = judge(events, [source.name for source in inputs], index, context)
    diagnosis.answer["remarks"] = _remarks(scans, inputs, index)
    diagnosis.answer["stats"] = {
        "lines": sum(scanned.lines for scanned in scans),
        "bytes": sum(scanned.reading.bytes for scanned in scans),
        "seconds": round(time.perf_counter() - started, 3),
    }
    return diagnosis


def _of_rank(events: list[Event], name: str, index: Index) -> list[Event]:
    """The events of a file, whose name tells the rank of lines that do not tell it."""
    found = index.rules.pattern("file_rank").search(name)
    if not found:
        return events
    rank = int(found["rank"])
    return [event if event.rank is not None or event.kernel else replace(event, rank=rank) for event in events]


def _beyond(progress: Callable[[int], None] | None, done: int) -> Callable[[int], None] | None:
    return (lambda read: progress(done + read)) if progress else None


def judge(events: Sequence[Event], names: Sequence[str], index: Index, context: int = 2) -> Diagnosis:
    """Diagnose events; the answer lacks ``remarks`` and ``stats``."""
    streams = Streams(events)
    hits: dict[int, list[Hit]] = {}
    for hit in match(events, index, streams):
        hits.setdefault(hit.at, []).append(hit)
    teller = Teller(events, names, index)
    attempts = [_attempt(events, streams.places, hits, episode, index) for episode in episodes(events, index.rules)]
    failed = [attempt for attempt in attempts if attempt.verdict.verdict != "no-failure"]
    told = (failed or attempts or [_NOTHING])[-1]
    answer = _answer(told, teller, index)
    if len(attempts) > 1:
        answer["episodes"] = [row for attempt in attempts for row in _episode_rows(attempt, teller, index)]
    return Diagnosis(answer, details(told.verdict, told.signs, teller, context))


@dataclass(frozen=True)
class _Attempt:
    episode: Episode
    verdict: Verdict
    signs: Signs
    hits: Sequence[Hit]


_NOTHING = _Attempt(Episode((), ()), Verdict("no-failure", [], [], []), Signs([], False, frozenset(), None, []), ())
"""What an empty log shows."""


def _attempt(
    events: Sequence[Event], place: Sequence[int], hits: Mapping[int, Sequence[Hit]], episode: Episode, index: Index
) -> _Attempt:
    own = [hit for at in episode.positions for hit in hits.get(at, ())]
    read = signs(events, episode.positions, index.rules, {hit.at for hit in own})
    over = overcome(events, episode.positions, own, read, index)
    standing = [hit for hit in own if index.signatures[hit.signature].entry not in over]
    gone = {hit.at for hit in own} - {hit.at for hit in standing}
    read = replace(read, errors=[at for at in read.errors if at not in gone])
    verdict = attribute(events, place, standing, read, index, excerpt=len(events) <= SHORT)
    return _Attempt(episode, replace(verdict, notices=sorted({*verdict.notices, *over})), read, own)


def _answer(told: _Attempt, teller: Teller, index: Index) -> dict[str, Any]:
    verdict = told.verdict
    covered = {at for hit in told.hits for at in (hit.at, hit.end)}
    errors = teller.error_lines(told.signs, covered) if verdict.verdict != "no-failure" else []
    words = "\n".join(row["text"] for row in errors[:_SIMILAR_LINES])
    return {
        "schema": SCHEMA,
        "verdict": verdict.verdict,
        "findings": teller.findings(verdict, told.signs),
        "notices": [index.entries[entry]["id"] for entry in verdict.notices],
        "error_lines": errors,
        "similar": similar(index, words) if verdict.verdict == "unknown" and words else [],
        "missing": teller.missing(verdict, told.signs),
        "episodes": [],
        "remarks": [],
    }


def _episode_rows(attempt: _Attempt, teller: Teller, index: Index) -> list[dict[str, Any]]:
    verdict = attempt.verdict
    entry = index.entries[verdict.failures[0].entry]["id"] if verdict.failures else None
    return [
        {"file": teller.names[file], "first_line": first, "last_line": last, "verdict": verdict.verdict, "entry": entry}
        for file, first, last in attempt.episode.places
    ]


def _remarks(scans: Sequence[Scanned], inputs: Sequence[Input], index: Index) -> list[str]:
    phrases = index.rules.data["phrases"]
    found = []
    for source, scanned in zip(inputs, scans, strict=True):
        names = [*scanned.reading.remarks, *(["empty"] if not scanned.reading.bytes else [])]
        found += [phrases[f"remark-{name}"].replace("{file}", source.name) for name in names]
    return found
