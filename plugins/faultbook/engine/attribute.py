"""Say which failure came first: by how far each kind of line can be trusted, then by time or order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from faultbook.engine.index import Index
from faultbook.engine.match import Hit
from faultbook.engine.normalise import Event
from faultbook.engine.signs import Signs

CAUSE, AMBIGUOUS, DOWNSTREAM, WRAPPER = range(4)
"""Tiers of trust: a line that names its cause, one that several failures print, one that follows, one that reports."""
_TIERS = {"cause": CAUSE, "ambiguous": AMBIGUOUS, "downstream": DOWNSTREAM}
LATE = 20
"""Events of a rank after the first sign of failure there from which on a cause only follows from it."""
APART = 100
"""Events from which on an error line is no part of the message that a later line ends."""
NEIGHBOURS = 3
"""Events of a rank around the first cause among which the one that says most wins."""
SHORT = 400
"""Events up to which a text is taken for an excerpt, which need not show how the process ended."""
PASTED = 3
"""Events up to which a quotation is taken for the message itself."""

Order = tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """A hit as it counts: its entry, how far it can be trusted, and its place in time."""

    hit: Hit
    entry: int
    tier: int
    order: Order
    weight: float


@dataclass(frozen=True)
class Verdict:
    """What is said about an attempt."""

    verdict: str
    """``match``, ``unknown`` or ``no-failure``."""
    failures: Sequence[Failure]
    """All failures; those of the entry that comes first stand first."""
    reasons: Sequence[str]
    """Names of phrases that say why the first entry was chosen."""
    notices: Sequence[int]
    """Entries of harmless lines."""


def attribute(
    events: Sequence[Event], place: Sequence[int], hits: Sequence[Hit], signs: Signs, index: Index, *, excerpt: bool
) -> Verdict:
    """Judge the hits of one attempt; an excerpt need not show the end of a process.

    ``place`` is that of each event among those of its rank: ranks write at the same time, so what stands far apart in
    the log may be neighbours.
    """
    roles = [index.signatures[hit.signature].role for hit in hits]
    order = _order(events, [hit for hit, role in zip(hits, roles, strict=True) if role != "notice"], signs)
    failures = [_failure(hit, role, order, index) for hit, role in zip(hits, roles, strict=True) if role != "notice"]
    failures = _with_late(failures, events, place, signs)
    notices = {index.signatures[hit.signature].entry for hit, role in zip(hits, roles, strict=True) if role == "notice"}
    said = [failure for failure in failures if failure.hit.at not in signs.mentions]
    if not signs.terminal and not (excerpt and _stated(said, events)):
        if excerpt and (signs.errors or failures):
            return Verdict("unknown", sorted(failures, key=_key), [], sorted(notices))
        return Verdict("no-failure", [], [], sorted(notices | {failure.entry for failure in failures}))
    failures = said
    chosen = _chosen(failures, events, place)
    if chosen is None or (
        chosen.tier == AMBIGUOUS
        and (_preceded(chosen, hits, events, place, signs, order) or _outlived(chosen, hits, events, signs))
    ):
        return Verdict(_unexplained(signs, failures), sorted(failures, key=_key), [], sorted(notices))
    ranked = sorted(failures, key=lambda failure: (failure.entry != chosen.entry, *_key(failure)))
    return Verdict("match", ranked, _reasons(chosen, failures, signs), sorted(notices - {chosen.entry}))


def _stated(failures: Sequence[Failure], events: Sequence[Event]) -> bool:
    """Whether a line names a failure: not as mere information, nor as a quotation beside other lines."""
    told = [failure for failure in failures if events[failure.hit.at].level not in ("info", "debug")]
    return any(len(events) <= PASTED or not _quoted(failure.hit, events) for failure in told)


def _quoted(hit: Hit, events: Sequence[Event]) -> bool:
    """Whether a match stands between marks that open and close a quotation, as in settings and source code."""
    line = events[hit.at].full
    before, after = line[: hit.span.start], line[hit.span.end :]
    return any(before.count(mark) % 2 and mark in after for mark in '"`')


def _unexplained(signs: Signs, failures: Sequence[Failure]) -> str:
    return "unknown" if signs.errors or failures else "no-failure"


def _order(events: Sequence[Event], hits: Sequence[Hit], signs: Signs) -> Callable[[int], Order]:
    """How events follow each other: by time if all hits have one of the same kind, else as they stand.

    What the kernel or a scheduler prints stands before all else: it is written apart from the job, at any place.
    """
    times = [events[hit.at].time for hit in hits]
    kinds = {time.kind if time else None for time in times}
    timed = None not in kinds and len(kinds) == 1

    def order(at: int) -> Order:
        time = events[at].time
        return (at not in signs.outside, time.value if timed and time else 0, at)

    return order


def _preceded(
    chosen: Failure,
    hits: Sequence[Hit],
    events: Sequence[Event],
    place: Sequence[int],
    signs: Signs,
    order: Callable[[int], Order],
) -> bool:
    """Whether an error that no entry describes came before, on another rank or long before on the same one."""
    known = {hit.at for hit in hits}
    here = events[chosen.hit.at]
    for at in signs.errors:
        event = events[at]
        elsewhere = None not in (event.rank, here.rank) and event.rank != here.rank
        between = place[chosen.hit.at] - place[at] if event.rank == here.rank else chosen.hit.at - at
        apart = event.file == here.file and between > APART
        if at not in known and order(at) < chosen.order and (elsewhere or apart):
            return True
    return False


def _outlived(chosen: Failure, hits: Sequence[Hit], events: Sequence[Event], signs: Signs) -> bool:
    """Whether its rank went on until an error that no entry describes, in a traceback that is not chained to it."""
    known = {at for hit in hits for at in (hit.at, hit.end)}
    here = events[chosen.hit.at]
    return any(
        start > chosen.hit.end and at not in known and (events[at].file, events[at].rank) == (here.file, here.rank)
        for at, start in signs.raised.items()
    )


def _failure(hit: Hit, role: str, order: Callable[[int], Order], index: Index) -> Failure:
    entry = index.signatures[hit.signature].entry
    tier = WRAPPER if index.entries[entry]["kind"] == "wrapper" else _TIERS[role]
    return Failure(hit, entry, tier, order(hit.at), float(index.templates[hit.template][2]))


def _with_late(
    failures: Sequence[Failure], events: Sequence[Event], place: Sequence[int], signs: Signs
) -> list[Failure]:
    """The failures, where a cause on a rank that had failed before counts as following from that."""
    first: dict[tuple[int, int], Failure] = {}
    for failure in sorted(failures, key=lambda failure: failure.order):
        event = events[failure.hit.at]
        if failure.tier == DOWNSTREAM and event.rank is not None:
            first.setdefault((event.file, event.rank), failure)
    judged = []
    for failure in failures:
        event = events[failure.hit.at]
        before = first.get((event.file, event.rank)) if event.rank is not None else None
        if before is None or failure.tier != CAUSE or failure.hit.at in signs.outside:
            judged.append(failure)
            continue
        late = before.order < failure.order and place[failure.hit.at] - place[before.hit.at] > LATE
        judged.append(replace(failure, tier=DOWNSTREAM) if late else failure)
    return judged


def _key(failure: Failure) -> tuple[int, Order, float, int]:
    return failure.tier, failure.order, -failure.weight, failure.entry


def _chosen(failures: Sequence[Failure], events: Sequence[Event], place: Sequence[int]) -> Failure | None:
    """The failure that the answer names: the first cause, or what several failures may print if one entry claims it."""
    causes = sorted((failure for failure in failures if failure.tier == CAUSE), key=_key)
    if causes:
        near = [failure for failure in causes if _near(failure, causes[0], events, place)]
        return max(near, key=lambda failure: (failure.weight, tuple(-part for part in failure.order), -failure.entry))
    claims = [failure for failure in failures if failure.tier == AMBIGUOUS]
    if len({failure.entry for failure in claims}) == 1:
        return min(claims, key=_key)
    return None


def _near(failure: Failure, first: Failure, events: Sequence[Event], place: Sequence[int]) -> bool:
    one, other = events[failure.hit.at], events[first.hit.at]
    same = (one.file, one.rank) == (other.file, other.rank)
    return same and abs(place[failure.hit.at] - place[first.hit.at]) <= NEIGHBOURS


def _reasons(chosen: Failure, failures: Sequence[Failure], signs: Signs) -> list[str]:
    """Why this one."""
    causes = sorted((failure for failure in failures if failure.tier == CAUSE), key=_key)
    others = {failure.entry for failure in failures if failure.entry != chosen.entry}
    if chosen.tier == AMBIGUOUS:
        reasons = ["claimed"]
    elif chosen.hit.at in signs.outside:
        reasons = ["outside"]
    elif len({failure.entry for failure in causes}) == 1:
        reasons = ["only"]
    elif causes[0].entry == chosen.entry:
        reasons = ["first"]
    else:
        reasons = ["specific"]
    return [*reasons, "follows"] if others and any(f.tier >= DOWNSTREAM for f in failures) else reasons


def by_entry(failures: Sequence[Failure]) -> Mapping[int, list[Failure]]:
    """The failures of each entry, in the order in which the entries come first."""
    found: dict[int, list[Failure]] = {}
    for failure in failures:
        found.setdefault(failure.entry, []).append(failure)
    return found
