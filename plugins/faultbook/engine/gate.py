"""Find anchors in blocks, in pure Python: aligned groups of bytes are compared with a set, then each hit is proven.

An anchor of 15 bytes holds an aligned group of 8 wherever it stands in the block, one of 11 bytes a group of 4 at a
multiple of 8, one of 7 bytes a group of 4 at a multiple of 4. So the groups at as many neighbouring places of an anchor
are enough to notice it, and nothing is ever missed; there it is compared. Some short ones are cheaper looked for one
by one.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress, count
from typing import Any

_LARGE = 8 << 20
"""Bytes of a log from which on the larger automaton pays."""
Finder = Callable[[bytes], Iterable[int]]
_ONE_BY_ONE = 25
"""So many searches for a text cost as much as comparing all groups of 4 (`python benchmarks/diagnose.py`)."""


def finder(anchors: Sequence[str]) -> Finder:
    """The quickest way to find the pieces with anchors: Aho-Corasick with the extra ``fast``, else in pure Python."""
    texts = [anchor.encode() for anchor in anchors]
    try:
        from ahocorasick_rs import BytesAhoCorasick, Implementation, MatchKind
    except ImportError:
        return python_finder(texts)
    return _Automata(partial(BytesAhoCorasick, texts, matchkind=MatchKind.LeftmostFirst), Implementation)


class _Automata:
    """Finds anchors by Aho-Corasick; of those that overlap one is enough, since they stand in the same piece."""

    def __init__(self, build: Callable[..., Any], implementations: Any) -> None:
        self._build, self._implementations = build, implementations
        self._automaton = build(implementation=implementations.ContiguousNFA)
        self._until_large = _LARGE

    def __call__(self, block: bytes) -> list[int]:
        """Places of anchors in a block."""
        if self._until_large > 0:
            self._until_large -= len(block)
            if self._until_large <= 0:
                # It takes ten times as long to build, and half as long to run.
                self._automaton = self._build(implementation=self._implementations.DFA)
        return [start for _, start, _ in self._automaton.find_matches_as_indexes(block)]


def python_finder(anchors: Sequence[bytes]) -> Finder:
    """Find anchors without a library."""
    eights, halves, fours = (_Groups(size, step) for size, step in ((8, 8), (4, 8), (4, 4)))
    parts: dict[_Groups | None, list[bytes]] = {eights: [], halves: [], fours: [], None: []}
    for anchor in anchors:
        parts[next((groups for groups in (eights, halves, fours) if groups.enough(anchor)), None)].append(anchor)
    if len(parts[fours]) > _ONE_BY_ONE:
        parts[fours] += parts.pop(halves)
    for groups in (halves, fours):
        if len(parts.get(groups, ())) * groups.step <= _ONE_BY_ONE * 4:
            parts[None] += parts.pop(groups, ())
    single = parts.pop(None)
    tables = [_table(groups, found) for groups, found in parts.items() if groups and found]

    def find(block: bytes) -> Iterator[int]:
        for anchor in single:
            yield from _places(block, anchor)
        for table in tables:
            yield from table.places(block)

    return find


@dataclass(frozen=True)
class _Groups:
    """Groups of ``size`` bytes at the multiples of ``step``."""

    size: int
    step: int

    def enough(self, anchor: bytes) -> bool:
        """Whether an anchor holds such a group wherever it stands."""
        return len(anchor) >= self.size + self.step - 1

    def of(self, block: bytes) -> memoryview:
        """All groups of a block as numbers."""
        whole = memoryview(block)[: len(block) // self.size * self.size]
        return whole.cast("Q") if self.size == 8 else whole.cast("I")[:: self.step // 4]


@dataclass(frozen=True)
class _Table:
    groups: _Groups
    anchors: Mapping[int, Sequence[tuple[bytes, int]]]
    """For each group the anchors that it shows, and where in them it stands."""

    def places(self, block: bytes) -> Iterator[int]:
        """Where anchors stand in a block."""
        groups, anchors = self.groups.of(block), self.anchors
        # All of this runs once for each group of a log, so it must not leave C until a group is found.
        for number in compress(count(), map(anchors.__contains__, groups)):
            at = number * self.groups.step
            for anchor, inside in anchors[groups[number]]:
                if at >= inside and block.startswith(anchor, at - inside):
                    yield at - inside


def _table(groups: _Groups, anchors: Sequence[bytes]) -> _Table:
    """Of the possible places of groups in an anchor those are taken that the fewest anchors share."""
    size, step = groups.size, groups.step
    counts = Counter(anchor[at : at + size] for anchor in anchors for at in range(len(anchor) - size + 1))
    table: dict[int, list[tuple[bytes, int]]] = {}
    for anchor in anchors:
        starts = range(len(anchor) - size - step + 2)
        start = min(starts, key=lambda at: max(counts[anchor[at + k : at + k + size]] for k in range(step)))
        for at in range(start, start + step):
            key = int.from_bytes(anchor[at : at + size], sys.byteorder)
            table.setdefault(key, []).append((anchor, at))
    return _Table(groups, table)


def _places(block: bytes, anchor: bytes) -> Iterator[int]:
    at = block.find(anchor)
    while at >= 0:
        yield at
        at = block.find(anchor, at + 1)
