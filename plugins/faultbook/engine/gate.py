"""Find anchors in blocks, in pure Python: aligned groups of bytes are compared with a set, then each hit is proven.

An anchor of 15 bytes holds an aligned group of 8 wherever it stands in the block, one of 7 an aligned group of 4. So
the groups at 8 (or 4) neighbouring places of an anchor are enough to notice it, and nothing is ever missed.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Finder = Callable[[bytes], Iterable[int]]


def finder(anchors: Sequence[str]) -> Finder:
    """The quickest way to find anchors that is installed: Aho-Corasick with the extra ``fast``, else in pure Python."""
    texts = [anchor.encode() for anchor in anchors]
    try:
        from ahocorasick_rs import BytesAhoCorasick
    except ImportError:
        return python_finder(texts)
    automaton = BytesAhoCorasick(texts)
    return lambda block: [start for _, start, _ in automaton.find_matches_as_indexes(block, overlapping=True)]


def python_finder(anchors: Sequence[bytes]) -> Finder:
    """Find anchors without a library."""
    eights = _groups([anchor for anchor in anchors if len(anchor) >= 15], 8)
    fours = _groups([anchor for anchor in anchors if 7 <= len(anchor) < 15], 4)
    short = [anchor for anchor in anchors if len(anchor) < 7]

    def find(block: bytes) -> Iterator[int]:
        for anchor in {*eights.noticed(block), *fours.noticed(block), *short}:
            yield from _places(block, anchor)

    return find


@dataclass(frozen=True)
class _Groups:
    """The groups of one size that show anchors."""

    size: int
    anchors: Mapping[int, tuple[bytes, ...]]
    keys: frozenset[int]

    def noticed(self, block: bytes) -> Iterator[bytes]:
        """The anchors that the block may hold."""
        if self.keys:
            whole = memoryview(block)[: len(block) // self.size * self.size]
            view = whole.cast("Q") if self.size == 8 else whole.cast("I")
            for group in self.keys.intersection(view):
                yield from self.anchors[group]


def _groups(anchors: Sequence[bytes], size: int) -> _Groups:
    """For each group that shows an anchor the anchors that it shows; of the possible windows the rarest is taken."""
    counts = Counter(anchor[at : at + size] for anchor in anchors for at in range(len(anchor) - size + 1))
    table: dict[int, list[bytes]] = {}
    for anchor in anchors:
        starts = range(len(anchor) - 2 * size + 2)
        start = min(starts, key=lambda at: max(counts[anchor[at + k : at + k + size]] for k in range(size)))
        for at in range(start, start + size):
            table.setdefault(int.from_bytes(anchor[at : at + size], sys.byteorder), []).append(anchor)
    return _Groups(size, {group: tuple(found) for group, found in table.items()}, frozenset(table))


def _places(block: bytes, anchor: bytes) -> Iterator[int]:
    at = block.find(anchor)
    while at >= 0:
        yield at
        at = block.find(anchor, at + 1)
