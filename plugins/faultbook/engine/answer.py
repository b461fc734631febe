"""The answer as the contract says it, and the details for display."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from faultbook.engine.attribute import AMBIGUOUS, CAUSE, DOWNSTREAM, Failure, Verdict, by_entry
from faultbook.engine.index import Index
from faultbook.engine.normalise import Event
from faultbook.engine.signs import Signs, rank_number, shape

SCHEMA = 1
"""Version of the contract."""
_EVIDENCE, _ERRORS, _TEXT = 10, 10, 1000


class Teller:
    """Puts the verdict of one attempt into words."""

    def __init__(self, events: Sequence[Event], names: Sequence[str], index: Index) -> None:
        self.events = events
        self.names = names
        self.index = index
        self.phrases: Mapping[str, str] = index.rules.data["phrases"]
        self._ranks = len({event.rank for event in events} - {None})

    def findings(self, verdict: Verdict, signs: Signs) -> list[dict[str, Any]]:
        """The entries that the attempt shows, the most probable first."""
        found = []
        for position, failures in enumerate(by_entry(verdict.failures).values()):
            role = self._role(verdict, position, failures, verdict.failures[0])
            found.append(self._finding(failures, role, verdict, signs))
        return found

    def _role(self, verdict: Verdict, position: int, failures: Sequence[Failure], first: Failure) -> str:
        if verdict.verdict == "match" and position == 0:
            return "initiating" if failures[0].tier == CAUSE else "possible"
        if min(failure.tier for failure in failures) > AMBIGUOUS:
            return "downstream"
        return "downstream" if verdict.verdict == "match" and failures[0].order > first.order else "possible"

    def _finding(self, failures: Sequence[Failure], role: str, verdict: Verdict, signs: Signs) -> dict[str, Any]:
        entry = self.index.entries[failures[0].entry]
        ranks = {rank for failure in failures if (rank := self._rank(failure)) is not None}
        rows = [failure.hit.at for failure in _apart(failures)]
        world = signs.world or max(self._ranks, 2)
        everywhere = len(ranks) >= 2 and len(ranks) * 10 >= world * 9
        rank = None if everywhere else self._rank(failures[0])
        if rank is None and not everywhere and role != "downstream" and failures[0].hit.at not in signs.outside:
            rank = signs.rank
        return {
            "entry": entry["id"],
            "title": entry["title"],
            "url": f"entries/{entry['id']}/",
            "role": role,
            "why": self._why(role, failures, verdict),
            "rank": rank,
            "node": self.events[failures[0].hit.at].node,
            "all_ranks": everywhere,
            "evidence": [self.line(at) for at in rows[:_EVIDENCE]],
            "count": sum(self.events[at].repeat for at in rows),
        }

    def _rank(self, failure: Failure) -> int | None:
        rank = self.events[failure.hit.at].rank
        return rank if rank is not None else rank_number(failure.hit.span.captures.get("rank", ""))

    def _why(self, role: str, failures: Sequence[Failure], verdict: Verdict) -> str:
        if verdict.verdict == "match" and failures[0] is verdict.failures[0]:
            return " ".join(self.phrases[f"why-{reason}"] for reason in verdict.reasons)
        if role == "possible":
            return self.phrases["why-possible"]
        late = failures[0].tier == DOWNSTREAM and self.index.signatures[failures[0].hit.signature].role == "cause"
        return self.phrases["why-later" if late or failures[0].tier <= AMBIGUOUS else "why-reports"]

    def line(self, at: int) -> dict[str, Any]:
        """An event as a line of a file."""
        event = self.events[at]
        return {"file": self.names[event.file], "line": event.line, "text": event.full[:_TEXT]}

    def error_lines(self, signs: Signs, covered: set[int]) -> list[dict[str, Any]]:
        """The first error lines that no entry describes, each message once."""
        seen: set[str] = set()
        rows = []
        for at in signs.errors:
            key = shape(self.events[at].text)
            if at not in covered and key not in seen:
                seen.add(key)
                rows.append({**self.line(at), "rank": self.events[at].rank})
            if len(rows) == _ERRORS:
                break
        return rows

    def missing(self, verdict: Verdict, signs: Signs) -> str | None:
        """What would decide, if the cause is not known."""
        if verdict.verdict != "unknown":
            return None
        if signs.silent:
            ranks = ", ".join(map(str, signs.silent))
            return self.phrases["missing-silent"].replace("{ranks}", ranks)
        if any(failure.tier == AMBIGUOUS for failure in verdict.failures):
            return self.phrases["missing-check"]
        if verdict.failures and signs.rank is not None and "rank" in signs.report:
            return self.phrases["missing-rank"].replace("{rank}", str(signs.rank))
        return self.phrases["missing-before" if verdict.failures else "missing-entry"]


def _apart(failures: Sequence[Failure]) -> list[Failure]:
    """One failure an event."""
    return list({failure.hit.at: failure for failure in reversed(failures)}.values())[::-1]


def details(verdict: Verdict, signs: Signs, teller: Teller, context: int) -> dict[str, Any]:
    """What a page or a terminal shows beside the answer: lines in place, and the first failure of each rank."""
    blocks: list[dict[str, Any]] = []
    for position, failures in enumerate(by_entry(verdict.failures).values()):
        blocks += _context(position, failures, teller, context)
    return {
        "context": blocks,
        "ranks": _ranks(verdict, signs, teller),
        "world": signs.world,
    }


def _context(position: int, failures: Sequence[Failure], teller: Teller, context: int) -> list[dict[str, Any]]:
    """The evidence of a finding among the lines around it, one block a file."""
    events = teller.events
    hits = {failure.hit.at: failure for failure in _apart(failures)[:_EVIDENCE]}
    shown: dict[int, list[int]] = {}
    for at in sorted({other for hit in hits for other in range(hit - context, hit + context + 1)}):
        if 0 <= at < len(events) and _beside(at, hits, events, context):
            shown.setdefault(events[at].file, []).append(at)
    blocks = []
    for file, positions in shown.items():
        rows = [_row(at, hits.get(at), events) for at in positions]
        blocks.append({"finding": position, "file": teller.names[file], "rows": rows})
    return blocks


def _beside(at: int, hits: Mapping[int, Failure], events: Sequence[Event], context: int) -> bool:
    """Whether an event stands in the same run as a hit near it."""
    near = [hit for hit in hits if abs(hit - at) <= context]
    return any((events[hit].file, events[hit].run) == (events[at].file, events[at].run) for hit in near)


def _row(at: int, failure: Failure | None, events: Sequence[Event]) -> dict[str, Any]:
    event = events[at]
    spans = [[failure.hit.span.start, min(failure.hit.span.end, _TEXT)]] if failure else []
    return {"line": event.line, "text": event.full[:_TEXT], "hit": failure is not None, "spans": spans}


def _ranks(verdict: Verdict, signs: Signs, teller: Teller) -> list[dict[str, Any]]:
    """The first failure of each rank: a line of an entry, or an error line that none describes."""
    events = teller.events
    first: dict[int, tuple[int, int | None]] = {}
    entries = {failure.hit.at: failure.entry for failure in reversed(verdict.failures)}
    for at in sorted({*entries, *signs.errors}):
        rank = events[at].rank
        if rank is not None and rank not in first:
            first[rank] = (at, entries.get(at))
    seconds = _seconds(events, [at for at, _ in first.values()])
    return [_rank_row(rank, *first[rank], seconds, teller) for rank in sorted(first)]


def _rank_row(
    rank: int, at: int, entry: int | None, seconds: Callable[[int], float | None], teller: Teller
) -> dict[str, Any]:
    event = teller.events[at]
    slug = None if entry is None else teller.index.entries[entry]["id"]
    return {
        "rank": rank,
        "local": event.local,
        "node": event.node,
        "seconds": seconds(at),
        "file": teller.names[event.file],
        "line": event.line,
        "entry": slug,
    }


def _seconds(events: Sequence[Event], positions: Sequence[int]) -> Callable[[int], float | None]:
    """Seconds since the first of some events, to the tenth, if they have times of one kind."""
    times = [events[at].time for at in positions]
    kinds = {time.kind if time else None for time in times}
    if None in kinds or len(kinds) != 1:
        return lambda at: None
    start = min(time.value for time in times if time)

    def since(at: int) -> float | None:
        time = events[at].time
        return None if time is None else (time.value - start + 50_000) // 100_000 / 10

    return since
