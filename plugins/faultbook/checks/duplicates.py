"""The check that finds text which two entries share; its cost grows with the text, not with the number of pairs."""

from __future__ import annotations

import re
import zlib
from array import array
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.schema import Kind, TextField, text_fields
from faultbook.violations import Violation

LEAST_WORDS = 12
SHINGLE = 5
NEAR = 0.8
_ANCHORS = 4
_MOST_IN_A_ROW = 8


class NearDuplicate(Check):
    """A text is nearly equal to a text of another entry.

    What is true of two failures belongs in one place, and a copy is forgotten when the first is mended. Say what is
    true of this entry alone and link to the other; two entries that are the same failure are merged. How two entries
    are told apart may be said in the same words on both pages.
    """

    code = "near-duplicate"
    _text = (
        "  lead: The file system of the host that backs shared memory is a tmpfs, and it takes pages of the memory\n"
        "    limit of the container as soon as a worker writes to them.\n"
    )
    failing = Example(f"perspectives:\n{_text}", beside=(("host/open-files-limit.yaml", f"perspectives:\n{_text}"),))
    passing = Example(f"perspectives:\n{_text}", beside=(("host/open-files-limit.yaml", ""),))

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at the later of the two texts, by slug and place; only published entries are compared."""
        records = context.corpus.published()
        reported: set[tuple[int, int]] = set()
        for place, other in _pairs(_index(records)):
            if (record := records[place[0]]) is records[other[0]] or place in reported:
                continue
            mine, theirs = _field(record, place[1]), _field(records[other[0]], other[1])
            if _likeness(mine.text, theirs.text) >= NEAR:
                reported.add(place)
                message = f"nearly the same text stands in '{records[other[0]].slug}'; say it once and link to it"
                yield self.at(record, mine.path, message)


def _compared(record: Record) -> list[TextField]:
    return [field for field in text_fields(record.entry) if field.kind is Kind.PROSE and field.path[0] != "tell_apart"]


@lru_cache(maxsize=8)
def _fields(record: Record) -> list[TextField]:
    return _compared(record)


def _field(record: Record, position: int) -> TextField:
    return _fields(record)[position]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


# One number of 64 bits per anchor, so that sorting brings equal shingles together at 8 bytes each.
_FIELD_BITS, _RECORD_BITS = 10, 22


def _index(records: list[Record]) -> array[int]:
    """The anchors of all texts: a hash of a few shingles of each, with the text that it is from, in order.

    The shingles of a text that start with its words of least checksum are the same wherever the text stands.
    """
    sums: dict[str, int] = {}
    index: array[int] = array("Q")
    for number, record in enumerate(records):
        for position, field in enumerate(_compared(record)):
            if len(field.text) < 2 * LEAST_WORDS or len(words := _words(field.text)) < LEAST_WORDS:
                continue
            starts = set(words[: 1 - SHINGLE])
            for word in starts - sums.keys():
                sums[word] = zlib.crc32(word.encode())
            for word in sorted(starts, key=sums.__getitem__)[:_ANCHORS]:
                start = words.index(word)
                anchor = zlib.crc32(" ".join(words[start : start + SHINGLE]).encode())
                index.append(anchor << (_FIELD_BITS + _RECORD_BITS) | number << _FIELD_BITS | position)
    return array("Q", sorted(index))


def _pairs(index: array[int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Texts with an anchor in common, the later one first; in a long row each only with a few before it."""
    for _, group in groupby(index, key=lambda value: value >> (_FIELD_BITS + _RECORD_BITS)):
        row: list[tuple[int, int]] = []
        for value in group:
            place = (value >> _FIELD_BITS) & ((1 << _RECORD_BITS) - 1), value & ((1 << _FIELD_BITS) - 1)
            yield from ((place, other) for other in row)
            row = [*row, place][-_MOST_IN_A_ROW:]


def _likeness(one: str, other: str) -> float:
    """The share of their shingles that two texts have in common."""
    first, second = _shingles(one), _shingles(other)
    return len(first & second) / len(first | second)


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _words(text)
    return {tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1)}


CHECKS: tuple[Check, ...] = (NearDuplicate(),)
