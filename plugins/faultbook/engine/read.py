"""Read logs as blocks of whole pieces: gzip and UTF-16 undone, lines of any length, bounded memory."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CHUNK = 1 << 18
"""Bytes that are read at a time."""
LONGEST = 16_384
"""Bytes of a piece that are looked at."""
MOST_UNPACKED = 4 << 30
"""Bytes that a compressed file may unpack to."""
_SNIFFED = 400
_PROBE = 4096
_TEXT_CONTROLS = frozenset(b"\t\n\r\x0c\x08\x1b")


@dataclass(frozen=True)
class Input:
    """A log: the name to show, and its bytes in chunks of any size."""

    name: str
    chunks: Iterable[bytes]


@dataclass
class Reading:
    """What was noticed while a log was read."""

    bytes: int = 0
    """Bytes of the log, unpacked."""
    remarks: list[str] = field(default_factory=list)
    """Names of phrases in the rules."""


def open_input(path: Path, name: str | None = None) -> Input:
    """A file as input; it is opened at once.

    Raises:
        OSError: it cannot be opened.
    """
    stream = path.open("rb")

    def chunks() -> Iterator[bytes]:
        with stream:
            while chunk := stream.read(CHUNK):
                yield chunk

    return Input(name or str(path), chunks())


def blocks(source: Input, reading: Reading) -> Iterator[bytes]:
    """The log as UTF-8 in blocks that end where a piece ends; pieces over `LONGEST` bytes are cut."""
    return _whole_pieces(_without_nuls(_utf8(_counted(_unpacked(source.chunks, reading), reading), reading)))


def _counted(chunks: Iterable[bytes], reading: Reading) -> Iterator[bytes]:
    for chunk in chunks:
        reading.bytes += len(chunk)
        yield chunk


def _unpacked(chunks: Iterable[bytes], reading: Reading) -> Iterator[bytes]:
    iterator = iter(chunks)
    first = next(iterator, b"")
    while len(first) < 2 and (more := next(iterator, b"")):
        first += more
    chained = _chain(first, iterator)
    return _gunzip(chained, reading) if first[:2] == b"\x1f\x8b" else chained


def _chain(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    if first:
        yield first
    yield from rest


def _gunzip(chunks: Iterable[bytes], reading: Reading) -> Iterator[bytes]:
    """Unpack members one after the other; damage ends the log where it stands."""
    unpack, total, begun, ended = zlib.decompressobj(31), 0, False, False
    for chunk in chunks:
        # Padding after a member is no further member.
        while chunk := chunk if begun or not ended else chunk.lstrip(b"\0"):
            before = unpack.copy()
            try:
                out = unpack.decompress(chunk, CHUNK)
            except zlib.error:
                yield from _up_to_damage(before, chunk)
                reading.remarks.append("gzip-damaged")
                return
            begun = True
            total += len(out)
            if out:
                yield out
            if total > MOST_UNPACKED:
                reading.remarks.append("gzip-too-large")
                return
            chunk = unpack.unconsumed_tail
            if unpack.eof:
                chunk, begun, ended = unpack.unused_data, False, True
                unpack = zlib.decompressobj(31)
    if begun:
        yield unpack.flush()
        reading.remarks.append("gzip-truncated")


def _up_to_damage(unpack: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    """What a chunk holds before its damage: zlib gives nothing of the call in which it meets it."""
    for at in range(len(chunk)):
        try:
            yield unpack.decompress(chunk[at : at + 1])
        except zlib.error:
            return


def _utf8(chunks: Iterator[bytes], reading: Reading) -> Iterator[bytes]:
    first = b""
    for chunk in chunks:
        first += chunk
        if len(first) >= _PROBE:
            break
    encoding = _utf16(first)
    if encoding:
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        for chunk in _chain(first, chunks):
            yield decoder.decode(chunk).replace("\ufeff", "").encode("utf-8", "replace")
        yield decoder.decode(b"", True).encode("utf-8", "replace")
        return
    if first and _is_binary(first[:_PROBE].replace(b"\0", b"")):
        reading.remarks.append("binary")
    yield from _chain(first.removeprefix(codecs.BOM_UTF8), chunks)


def _is_binary(probe: bytes) -> bool:
    """Whether over a twentieth are controls that texts do not have; of any bytes a tenth are."""
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in probe)
    return controls * 20 > len(probe) or not probe


def _without_nuls(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """NULs fill the hole that a log rotated under its writer starts with; they would use up what is read of a piece."""
    for chunk in chunks:
        yield chunk.replace(b"\0", b"") if b"\0" in chunk else chunk


def _utf16(first: bytes) -> str | None:
    """The encoding if it is UTF-16: by its mark, else by the NULs of every second byte."""
    if first[:2] == codecs.BOM_UTF16_LE:
        return "utf-16-le"
    if first[:2] == codecs.BOM_UTF16_BE:
        return "utf-16-be"
    sniffed = first[:_SNIFFED]
    even, odd = sniffed[::2].count(0), sniffed[1::2].count(0)
    if max(even, odd) * 10 > len(sniffed) and min(even, odd) * 10 <= max(even, odd):
        return "utf-16-le" if odd > even else "utf-16-be"
    return None


def _whole_pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    carry, skipping = b"", False
    for chunk in chunks:
        if skipping:
            rest = chunk[_first_end(chunk, 0) :]
            if not rest:
                continue
            chunk, skipping = rest, False
        carry += chunk
        end = _last_end(carry)
        if end:
            yield _cut_long(carry[:end])
            carry = carry[end:]
        if len(carry) > LONGEST + 1:
            # The end of the piece is only a CR that may belong to a CRLF, or it has none yet.
            carry, skipping = carry[:LONGEST], not carry.endswith(b"\r")
            carry += b"" if skipping else b"\r"
    if carry:
        yield _cut_long(carry)


def _last_end(carry: bytes) -> int:
    """The length of the whole pieces; a CR at the very end may be half of a CRLF and ends none."""
    return max(carry.rfind(b"\n"), carry.rfind(b"\r", 0, len(carry) - 1)) + 1


def _cut_long(block: bytes) -> bytes:
    """Cut the pieces that are too long: each of them covers a multiple of the limit."""
    kept, done, at = [], 0, LONGEST
    while at < len(block):
        if _in_short_line(block, at):
            at += LONGEST
            continue
        start = max(block.rfind(b"\n", done, at), block.rfind(b"\r", done, at), done - 1) + 1
        end = _first_end(block, at)
        if end - start > LONGEST:
            kept.append(block[done : start + LONGEST])
            done = end
            at = end + LONGEST
        else:
            at += LONGEST
    return b"".join([*kept, block[done:]]) if kept else block


def _in_short_line(block: bytes, at: int) -> bool:
    """Whether the line at a place is so short that no piece of it is too long, which is told without looking for CR."""
    before = block.rfind(b"\n", max(0, at - LONGEST), at)
    end = block.find(b"\n", at, before + 2 + LONGEST) if before >= 0 else -1
    return end >= 0


def _first_end(block: bytes, at: int) -> int:
    """Where the first CR or LF stands from a place on, or the length."""
    ends = [end for end in (block.find(b"\n", at), block.find(b"\r", at)) if end >= 0]
    return min(ends, default=len(block))
