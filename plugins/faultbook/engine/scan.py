"""Keep of a log what may matter: pieces with an anchor, their neighbours, head and tail; always bounded."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from operator import attrgetter, itemgetter
from typing import NamedTuple

from faultbook.engine.read import Input, Reading, blocks

HEAD, TAIL, AROUND = 400, 200, 12
"""Pieces that are kept: of the start, of the end, on either side of a candidate."""
SHAPE_ENDS = 100
"""Candidates of one shape that are kept, from the first on and from the last back."""
MOST_SHAPES, MOST_CANDIDATES, MOST_BYTES = 5_000, 20_000, 32 << 20
"""Shapes that are told apart, candidates that are kept, and their bytes."""
NEIGHBOUR_BYTES = 512
"""Bytes that are kept of a neighbour that is no candidate itself."""
_SHAPE_BYTES = 200
_HELD = 4 << 20
"""Bytes of blocks that are held before the neighbours of candidates are looked up."""
_DIGITS = re.compile(rb"[0-9]+")
_LAST = itemgetter(-1)
_first = attrgetter("first")

Finder = Callable[[bytes], Iterable[int]]
"""Gives the places in a block where an anchor stands, in any order."""


class Piece(NamedTuple):
    """A part of a line between two CR or LF: its number in the file from 0, its line from 1, its bytes."""

    number: int
    line: int
    data: bytes


@dataclass(frozen=True)
class Scanned:
    """What was kept of a log, in order, how many lines it has, and what was odd about it."""

    pieces: Sequence[Piece]
    lines: int
    reading: Reading


def scan(
    source: Input, finder: Finder, ansi: re.Pattern[bytes], progress: Callable[[int], None] | None = None
) -> Scanned:
    """Read a log once and keep what may matter; ``progress`` gets the bytes read so far."""
    reading, keep = Reading(), _Keep()
    for data in blocks(source, reading):
        if b"\x1b" in data or b"\x08" in data:
            data = ansi.sub(b"", data)
        keep.add(data, finder(data))
        if progress:
            progress(reading.bytes)
    return Scanned(keep.pieces(), keep.line - 1 + keep.open, reading)


class _Block:
    def __init__(self, first: int, line: int, data: bytes) -> None:
        self.first, self.line, self.data = first, line, data
        self._marks = b""
        if b"\r" in data:
            # To split costs as much as to count CR and CRLF.
            pieces = data.splitlines(keepends=True)
            self.ends = _ends(pieces)
            self._marks = bytes(map(_LAST, pieces))
            self.feeds, count = self._marks.count(b"\n"), len(pieces)
        else:
            self.feeds = data.count(b"\n")
            count = self.feeds + (not data.endswith(b"\n"))
        self.end = first + count

    @cached_property
    def ends(self) -> array[int]:
        """Where each piece ends; short pieces as objects would take many times the bytes of the block."""
        return _ends(self.data.splitlines(keepends=True))

    def piece(self, number: int) -> Piece:
        at = number - self.first
        before = self._marks.count(b"\n", 0, at) if self._marks else at
        data = self.data[self.ends[at - 1] if at else 0 : self.ends[at]]
        return Piece(number, self.line + before, data.rstrip(b"\r\n"))

    def holding(self, places: Iterable[int]) -> list[int]:
        """The numbers of the pieces that hold places of the block."""
        return sorted({self.first + bisect_right(self.ends, place) for place in places})


def _ends(pieces: Sequence[bytes]) -> array[int]:
    return array("I", accumulate(map(len, pieces)))


@dataclass
class _Shape:
    seen: int = 0
    last: deque[Piece] = field(default_factory=deque)


class _Keep:
    """What is kept so far.

    Of a text that comes over and over most candidates are soon replaced, so their neighbours are only looked up when
    their blocks go.
    """

    def __init__(self) -> None:
        self.line = 1
        self.open = False
        self._next = 0
        self._recent: list[_Block] = []
        self._held = 0
        self._head: list[Piece] = []
        self._candidates: dict[int, Piece] = {}
        self._fresh: list[int] = []
        self._settled = 0
        self._needed: dict[int, int] = {}
        self._neighbours: dict[int, Piece] = {}
        self._shapes: dict[bytes, _Shape] = {}
        self._bytes = 0

    def add(self, data: bytes, places: Iterable[int]) -> None:
        """Take the next block, with the places of anchors in it."""
        if not data:
            return
        block = _Block(self._next, self.line, data)
        self._recent.append(block)
        for number in range(block.first, min(block.end, HEAD)):
            self._head.append(block.piece(number))
        found = list(places)
        for number in block.holding(found) if found else ():
            self._candidate(block.piece(number))
        self._next, self.line, self.open = block.end, self.line + block.feeds, not data.endswith(b"\n")
        self._held += len(data)
        if self._held > _HELD:
            self._settle(self._next - AROUND)
            self._release()

    def pieces(self) -> list[Piece]:
        """Everything that is kept, in order."""
        self._settle(self._next)
        tail = {number: self._piece(number) for number in range(max(0, self._next - TAIL), self._next)}
        head = {piece.number: piece for piece in self._head}
        kept = {**self._neighbours, **tail, **head, **self._candidates}
        return [kept[number] for number in sorted(kept)]

    def _candidate(self, piece: Piece) -> None:
        key = _DIGITS.sub(b"#", piece.data[:_SHAPE_BYTES])
        if key not in self._shapes and len(self._shapes) >= MOST_SHAPES:
            key = b""
        shape = self._shapes.setdefault(key, _Shape())
        if shape.seen >= 2 * SHAPE_ENDS:
            self._forget(shape.last.popleft())
        elif len(self._candidates) >= MOST_CANDIDATES:
            return
        if self._bytes + len(piece.data) > MOST_BYTES:
            shape.seen = min(shape.seen, SHAPE_ENDS + len(shape.last))
            return
        shape.seen += 1
        if shape.seen > SHAPE_ENDS:
            shape.last.append(piece)
        self._candidates[piece.number] = piece
        self._fresh.append(piece.number)
        self._bytes += len(piece.data)

    def _forget(self, piece: Piece) -> None:
        del self._candidates[piece.number]
        self._bytes -= len(piece.data)
        if piece.number >= self._settled:
            return
        for number in _around(piece.number):
            self._needed[number] -= 1
            if not self._needed[number]:
                del self._needed[number]
                self._neighbours.pop(number, None)

    def _settle(self, end: int) -> None:
        """Look up the neighbours of the candidates before a place."""
        for candidate in self._fresh:
            for number in _around(candidate) if candidate < end and candidate in self._candidates else ():
                count = self._needed.get(number, 0)
                self._needed[number] = count + 1
                if not count and number < self._next:
                    self._neighbours[number] = _cut(self._piece(number))
        self._fresh = [candidate for candidate in self._fresh if candidate >= end]
        self._settled = max(end, 0)

    def _release(self) -> None:
        """Forget the blocks of which no piece can be wanted any more: as neighbour of a fresh one, or of the tail."""
        gone = 0
        while self._next - self._recent[gone].end >= max(TAIL, 2 * AROUND):
            gone += 1
        del self._recent[:gone]
        self._held = sum(len(block.data) for block in self._recent)

    def _piece(self, number: int) -> Piece:
        return self._recent[bisect_right(self._recent, number, key=_first) - 1].piece(number)


def _around(number: int) -> range:
    return range(max(0, number - AROUND), number + AROUND + 1)


def _cut(piece: Piece) -> Piece:
    return piece._replace(data=piece.data[:NEIGHBOUR_BYTES]) if len(piece.data) > NEIGHBOUR_BYTES else piece
