"""What is kept of a log: found as a plain search finds it, however the bytes come, in bounded memory."""

from __future__ import annotations

import random
import re
import tracemalloc
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pytest
from faultbook.engine import read, scan
from faultbook.engine.compiler import load_rules
from faultbook.engine.gate import finder, python_finder
from faultbook.engine.read import Input
from faultbook.engine.rules import compiled_bytes
from faultbook.engine.scan import Piece
from hypothesis import given, settings
from hypothesis import strategies as st

bounded = settings(deadline=None, max_examples=300, derandomize=True)
ANSI = compiled_bytes(load_rules()["ansi"])
ANCHOR = b"gradient overflow"
MEGABYTE = 1 << 20


def search(block: bytes) -> Iterator[int]:
    """Where the anchor stands, by a plain search."""
    return (found.start() for found in re.finditer(re.escape(ANCHOR), block))


def kept(chunks: Iterable[bytes]) -> scan.Scanned:
    return scan.scan(Input("log", chunks), search, ANSI)


def numbers(found: scan.Scanned) -> list[int]:
    return [piece.number for piece in found.pieces]


def in_chunks(log: bytes, size: int) -> list[bytes]:
    return [log[at : at + size] for at in range(0, len(log), size)]


def puzzle(seed: int) -> tuple[list[str], bytes]:
    """Anchors and a block of few letters, so that anchors share groups of bytes and stand within each other."""
    dice = random.Random(seed)
    words = ["".join(dice.choices("ab", k=dice.randint(6, 20))) for _ in range(dice.choice([1, 5, 60]))]
    block = "".join(dice.choice([*words, "a", "b", "\n", "b" * dice.randint(1, 9)]) for _ in range(dice.randint(0, 30)))
    return sorted(set(words)), b"." * dice.randint(0, 8) + block.encode()


@pytest.mark.parametrize("first", range(0, 600, 200))
def test_gate_finds_what_a_plain_search_finds(first: int) -> None:
    for seed in range(first, first + 200):
        anchors, block = puzzle(seed)
        found = set(python_finder([anchor.encode() for anchor in anchors])(block))
        assert found == {at for anchor in anchors for at in places(block, anchor.encode())}, seed


def places(block: bytes, anchor: bytes) -> Iterator[int]:
    return (at for at in range(len(block)) if block.startswith(anchor, at))


def test_quick_gate_finds_the_same_lines() -> None:
    pytest.importorskip("ahocorasick_rs")
    for seed in range(200):
        anchors, block = puzzle(seed)
        python = python_finder([anchor.encode() for anchor in anchors])
        lines = [{block.count(b"\n", 0, at) for at in find(block)} for find in (python, finder(anchors))]
        assert lines[0] == lines[1], seed


class Limits(NamedTuple):
    """Limits that small logs reach."""

    head: int = 3
    tail: int = 2
    around: int = 1
    ends: int = 2
    shapes: int = 3
    longest: int = 40
    neighbour: int = 24


SMALL = Limits()


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("HEAD", "TAIL", "AROUND", "SHAPE_ENDS", "MOST_SHAPES")
    for name, value in zip(names, SMALL, strict=False):
        monkeypatch.setattr(scan, name, value)
    monkeypatch.setattr(scan, "NEIGHBOUR_BYTES", SMALL.neighbour)
    monkeypatch.setattr(scan, "_HELD", 50)
    monkeypatch.setattr(read, "LONGEST", SMALL.longest)


def expected(log: bytes, limits: Limits) -> list[Piece]:
    """What must be kept, said as simply as possible over the whole log."""
    pieces, line = [], 1
    for number, raw in enumerate(re.findall(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+", log)):
        plain = ANSI.sub(b"", raw.rstrip(b"\r\n")[: limits.longest])
        # Colours behind the last end are no piece of their own.
        if plain or raw.endswith((b"\r", b"\n")):
            pieces.append(Piece(number, line, plain))
        line += raw.endswith(b"\n")
    shapes: dict[bytes, list[int]] = {}
    for piece in pieces:
        if ANCHOR in piece.data:
            shape = re.sub(rb"[0-9]+", b"#", piece.data[:200])
            known = shape in shapes or len(shapes) < limits.shapes
            shapes.setdefault(shape if known else b"", []).append(piece.number)
    ends = limits.ends
    candidates = {number for found in shapes.values() for number in found[:ends] + found[ends:][-ends:]}
    near = {number for at in candidates for number in range(at - limits.around, at + limits.around + 1)}
    whole = {*range(limits.head), *range(len(pieces) - limits.tail, len(pieces)), *candidates}
    return [
        piece if piece.number in whole else piece._replace(data=piece.data[: limits.neighbour])
        for piece in pieces
        if piece.number in whole | near
    ]


LOGS = st.lists(
    st.one_of(
        st.sampled_from([b"\n", b"\r\n", b"\r", b"a\n", b"7 b\n", b"\x1b[31m", b"\x08", b"\r\r\n"]),
        st.sampled_from([ANCHOR, ANCHOR + b" 1\n", ANCHOR + b" 22\r\n", b"rank " + ANCHOR + b"\n", ANCHOR + b" z"]),
        st.integers(1, 90).map(lambda count: b"c" * count),
    ),
    max_size=60,
).map(b"".join)


@pytest.mark.usefixtures("small_limits")
def test_what_is_kept_does_not_depend_on_how_the_bytes_come() -> None:
    @settings(bounded, max_examples=300)
    @given(LOGS, st.integers(1, 70))
    def holds(log: bytes, size: int) -> None:
        found = kept(in_chunks(log, size))
        assert list(found.pieces) == expected(log, SMALL)
        last = log[log.rfind(b"\n") + 1 :]
        assert found.lines == log.count(b"\n") + bool(ANSI.sub(b"", last))
        assert found.reading.bytes == len(log)

    holds()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
def test_crlf_between_two_chunks_is_one_end(size: int) -> None:
    found = kept(in_chunks(b"one\r\ntwo\r\n\r\nthree\rfour\r\n", size))
    assert [(piece.line, piece.data) for piece in found.pieces] == [
        (1, b"one"),
        (2, b"two"),
        (3, b""),
        (4, b"three"),
        (4, b"four"),
    ]
    assert found.lines == 4


def test_head_tail_and_neighbours_at_their_real_size() -> None:
    lines = [b"step"] * 3000
    lines[1500] = b"step " + ANCHOR
    found = kept([b"\n".join(lines) + b"\n"])
    assert numbers(found) == [*range(400), *range(1488, 1513), *range(2800, 3000)]


def test_line_that_comes_over_and_over_is_kept_at_both_its_ends() -> None:
    lines = [b"%d %s" % (number, ANCHOR) for number in range(10_000)]
    found = kept(in_chunks(b"\n".join(lines), 5000))
    assert numbers(found) == [*range(400), *range(9800, 10_000)]


def test_rare_line_among_a_flood_of_another_is_kept() -> None:
    lines = [b"%d %s" % (number, ANCHOR) for number in range(10_000)]
    lines[5000] = b"the only one: " + ANCHOR
    assert 5000 in numbers(kept(in_chunks(b"\n".join(lines), 5000)))


def test_long_piece_is_cut_and_those_beside_it_are_not() -> None:
    found = kept(in_chunks(b"a" * 16_384 + b"b" * 50_000 + b"\nnext\n" + b"c" * 16_384 + b"\n", 10_000))
    assert [piece.data for piece in found.pieces] == [b"a" * 16_384, b"next", b"c" * 16_384]
    assert [piece.line for piece in found.pieces] == [1, 2, 3]


def test_long_neighbour_is_kept_in_part_and_a_long_candidate_whole() -> None:
    lines = [b"x" * 1000] * 1000
    lines[500] = ANCHOR + b"y" * 1000
    found = {piece.number: len(piece.data) for piece in kept([b"\n".join(lines)]).pieces}
    assert (found[499], found[500], found[501]) == (512, 1000 + len(ANCHOR), 512)


def test_progress_tells_the_bytes_that_were_read() -> None:
    told: list[int] = []
    scan.scan(Input("log", [b"a\n" * 1000] * 5), search, ANSI, told.append)
    assert told == sorted(told)
    assert told[-1] == 10_000


def test_candidates_are_bounded_in_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MOST_CANDIDATES", 300)
    found = kept([b"".join(ANCHOR + letters(number) + b"\n" + b"step\n" * 30 for number in range(1000))])
    assert sum(ANCHOR in piece.data for piece in found.pieces[400:-200]) <= 300


def test_candidates_are_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MOST_BYTES", 100_000)
    lines = (ANCHOR + letters(number) + b"z" * 5000 + b"\n" for number in range(1000))
    found = kept(in_chunks(b"".join(lines), 100_000))
    beyond = [piece for piece in found.pieces if 400 <= piece.number < 800]
    assert sum(len(piece.data) for piece in beyond) <= 100_000


def letters(number: int) -> bytes:
    """A number without digits, since these do not count in the shape of a line."""
    return str(number).translate(str.maketrans("0123456789", "abcdefghij")).encode()


def peak(chunks: Iterable[bytes]) -> int:
    """The most bytes that a scan holds at a time."""
    tracemalloc.start()
    try:
        kept(chunks)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("unit", [b"x", b"x\r", ANCHOR + b" ", b"7 " + ANCHOR + b"\n", b"\x1b[31m", b"\0"])
def test_memory_does_not_grow_with_the_log(unit: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line without an end, a bar of progress without an end, a flood of one message."""
    monkeypatch.setattr(scan, "_HELD", MEGABYTE // 16)
    chunk = unit * (MEGABYTE // 64 // len(unit))
    small, large = (peak(chunk for _ in range(count)) for count in (12, 24))
    assert large < small + MEGABYTE // 16
    assert large < MEGABYTE


def test_blocks_that_are_held_take_few_times_their_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shortest pieces there are, of which one in each block is kept."""
    monkeypatch.setattr(scan, "_HELD", MEGABYTE // 2)
    chunk = ANCHOR + b"x\r" * (MEGABYTE // 64)
    assert peak(chunk for _ in range(20)) < 8 * MEGABYTE // 2


def test_memory_is_bounded_where_each_line_is_of_its_own_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MOST_SHAPES", 50), ("MOST_CANDIDATES", 200), ("_HELD", MEGABYTE // 4)):
        monkeypatch.setattr(scan, name, value)
    small, large = (peak(shapes(count)) for count in (1_000, 2_000))
    assert large < small + MEGABYTE // 8


def shapes(count: int) -> Iterator[bytes]:
    filler = b"a line of some length that holds no anchor\n" * 24
    return (ANCHOR + letters(number) + b"\n" + filler for number in range(count))


def test_compressed_bomb_is_read_in_bounded_memory() -> None:
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([*(pack.compress(b"x" * MEGABYTE) for _ in range(32)), pack.flush()])
    assert len(bomb) < MEGABYTE // 16
    assert peak([bomb]) < 4 * MEGABYTE
