"""Logs as they lie on disk: packed, in other encodings, broken off, or no logs at all."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from faultbook.engine import read
from faultbook.engine.read import Input, Reading, blocks, open_input
from hypothesis import given, settings
from hypothesis import strategies as st

bounded = settings(deadline=None, max_examples=200, derandomize=True)
TEXT = "".join(f"line {number} überträgt 😀 {number * 7919 % 10007}\r\n" for number in range(400))
LOG = TEXT.encode()
SIZES = (1, 3, 4096, 1 << 20)


def reads(log: bytes, size: int = 1 << 20) -> tuple[bytes, list[str]]:
    """The log as the engine sees it, and what it noticed."""
    reading = Reading()
    text = b"".join(blocks(Input("log", in_chunks(log, size)), reading))
    return text, reading.remarks


def in_chunks(log: bytes, size: int) -> Sequence[bytes]:
    return [log[at : at + size] for at in range(0, len(log), size)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(LOG, id="utf-8"),
        pytest.param(b"\xef\xbb\xbf" + LOG, id="utf-8 with its mark"),
        pytest.param(b"\xff\xfe" + TEXT.encode("utf-16-le"), id="utf-16 le"),
        pytest.param(b"\xfe\xff" + TEXT.encode("utf-16-be"), id="utf-16 be"),
        pytest.param(TEXT.encode("utf-16-le"), id="utf-16 le without a mark"),
        pytest.param(TEXT.encode("utf-16-be"), id="utf-16 be without a mark"),
        pytest.param(gzip.compress(LOG), id="gzip"),
        pytest.param(gzip.compress(LOG[:1000]) + gzip.compress(LOG[1000:]), id="gzip of two members"),
        pytest.param(gzip.compress(LOG) + bytes(512), id="gzip with padding"),
        pytest.param(gzip.compress(b"") + gzip.compress(LOG), id="gzip with an empty member"),
        pytest.param(gzip.compress(b"\xff\xfe" + TEXT.encode("utf-16-le")), id="gzip of utf-16"),
    ],
)
def test_log_is_the_same_in_each_form(raw: bytes, size: int) -> None:
    assert reads(raw, size) == (LOG, [])


@pytest.mark.parametrize("size", SIZES)
def test_packed_log_that_breaks_off_gives_what_is_there(size: int) -> None:
    packed = gzip.compress(LOG)
    text, remarks = reads(packed[: len(packed) // 2], size)
    assert remarks == ["gzip-truncated"]
    assert len(text) > 1000
    assert LOG.startswith(text)


@pytest.mark.parametrize("size", SIZES)
def test_packed_log_that_breaks_off_within_its_head(size: int) -> None:
    assert reads(gzip.compress(LOG)[:5], size) == (b"", ["gzip-truncated"])


@pytest.mark.parametrize("size", SIZES)
def test_damage_gives_what_stands_before_it(size: int) -> None:
    packed = bytearray(gzip.compress(LOG, 0))
    packed[5000:5010] = b"\xff" * 10
    text, remarks = reads(bytes(packed), size)
    assert remarks == ["gzip-damaged"]
    assert len(text) > 1000


@pytest.mark.parametrize("size", SIZES)
def test_what_follows_a_member_and_is_none_is_damage(size: int) -> None:
    assert reads(gzip.compress(LOG) + b"<html>no log</html>", size) == (LOG, ["gzip-damaged"])


def test_wrong_checksum_is_damage() -> None:
    packed = bytearray(gzip.compress(LOG))
    packed[-6] ^= 0xFF
    text, remarks = reads(bytes(packed))
    assert remarks == ["gzip-damaged"]
    assert LOG.startswith(text)


@bounded
@given(st.integers(10, 4000), st.binary(min_size=1, max_size=8), st.sampled_from(SIZES))
def test_any_damage_is_survived(place: int, damage: bytes, size: int) -> None:
    packed = bytearray(gzip.compress(LOG))
    packed[place : place + len(damage)] = damage
    _, remarks = reads(bytes(packed), size)
    assert set(remarks) <= {"gzip-damaged", "gzip-truncated", "binary"}


def test_packed_log_may_not_grow_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "MOST_UNPACKED", 1 << 20)
    pack = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join([*(pack.compress(b"bomb\n" * 20_000) for _ in range(200)), pack.flush()])
    text, remarks = reads(bomb)
    assert remarks == ["gzip-too-large"]
    assert 1 << 20 <= len(text) <= (1 << 20) + read.CHUNK


def test_packed_log_within_a_packed_log_is_no_text() -> None:
    _, remarks = reads(gzip.compress(gzip.compress(bytes(range(256)) * 40)))
    assert remarks == ["binary"]


@pytest.mark.parametrize("size", SIZES)
def test_nothing(size: int) -> None:
    assert reads(b"", size) == (b"", [])
    assert reads(gzip.compress(b""), size) == (b"", [])


@pytest.mark.parametrize(
    "raw", [b"\x1f", b"\xff", b"\xfe", b"\xef\xbb", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\n", b"\r"]
)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_logs_of_a_few_bytes(raw: bytes, size: int) -> None:
    marks = {b"\xff\xfe": b"", b"\xfe\xff": b"", b"\xef\xbb\xbf": b""}
    assert reads(raw, size)[0] == marks.get(raw, raw)


def test_nuls_are_dropped_and_do_not_use_up_a_piece() -> None:
    """A log that was cut off under its writer begins with as many NULs as it had bytes."""
    text, _ = reads(bytes(100_000) + b"Traceback\nlast\0 line\n", 4096)
    assert text == b"Traceback\nlast line\n"


def test_nuls_of_half_the_bytes_are_no_utf_16() -> None:
    text, _ = reads(bytes(200) + b"Killed\n" * 100)
    assert text == b"Killed\n" * 100


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
@pytest.mark.parametrize("size", SIZES)
def test_pieces_are_cut_at_their_longest(end: bytes, size: int) -> None:
    longest = read.LONGEST
    lengths = (longest - 1, longest, longest + 1, 3 * longest, 5)
    raw = b"".join(b"a" * length + end for length in lengths)
    assert reads(raw, size)[0] == b"".join(b"a" * min(length, longest) + end for length in lengths)


def test_blocks_end_where_pieces_end() -> None:
    found = list(blocks(Input("log", in_chunks(LOG, 100)), Reading()))
    assert b"".join(found) == LOG
    assert len(found) > 50
    assert all(block.endswith((b"\n", b"\r")) for block in found)


@bounded
@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"a", b"bc" * 20, b"\0", b"\xc3\xa4"])).map(b"".join), st.integers(1, 50)
)
def test_size_of_chunks_says_nothing(raw: bytes, size: int) -> None:
    assert reads(raw, size) == reads(raw)


@bounded
@given(st.binary(max_size=600), st.sampled_from([1, 2, 5, 1000]))
def test_any_bytes_are_read(raw: bytes, size: int) -> None:
    assert reads(raw, size) == reads(raw)


def test_bytes_are_counted_unpacked() -> None:
    reading = Reading()
    list(blocks(Input("log", [gzip.compress(LOG)]), reading))
    assert reading.bytes == len(LOG)


def test_file_is_opened_at_once(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_input(tmp_path / "none.log")
    with pytest.raises(IsADirectoryError):
        open_input(tmp_path)


def test_file_is_read_in_chunks_and_closed(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(b"x" * (2 * read.CHUNK + 1))
    source = open_input(path, "shown")
    assert (source.name, open_input(path).name) == ("shown", str(path))
    assert [len(chunk) for chunk in source.chunks] == [read.CHUNK, read.CHUNK, 1]


def test_file_that_cannot_be_read_to_its_end_says_so() -> None:
    def chunks() -> Iterable[bytes]:
        yield b"one\n"
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        list(blocks(Input("log", chunks()), Reading()))
