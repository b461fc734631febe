"""The check that finds text which two entries share; its cost grows with the text, not with the number of pairs."""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby

from faultbook.checks.base import Check, Context, Example
from faultbook.corpus import Record
from faultbook.reader import KeyPath
from faultbook.schema import Kind, text_fields, texts
from faultbook.violations import Violation

LEAST_WORDS = 12
SHINGLE = 5
NEAR = 0.8
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
        index = _index(context.corpus.published())
        reported: set[int] = set()
        for mine, other in _pairs(index.anchors):
            record, source = index.record_of(mine), index.record_of(other)
            if record is source or mine in reported:
                continue
            if _likeness(index.texts[mine], index.texts[other]) >= NEAR:
                reported.add(mine)
                message = f"nearly the same text stands in '{source.slug}'; say it once and link to it"
                yield self.at(record, index.path_of(mine), message)


@dataclass(frozen=True)
class _Index:
    """All texts that are long enough, numbered through, with the hashes by which equal ones are found."""

    records: list[Record]
    texts: list[str]
    ends: list[int]
    """For each record the number of the first text behind its own."""
    anchors: array[int]
    """In order; each is a hash of 32 bits and the number of a text, so that equal shingles stand together."""

    def record_of(self, text: int) -> Record:
        """The entry that a text is from."""
        return self.records[bisect_right(self.ends, text)]

    def path_of(self, text: int) -> KeyPath:
        """The way to a text in its entry."""
        position = bisect_right(self.ends, text)
        start = self.ends[position - 1] if position else 0
        record = self.records[position]
        wanted = _wanted(record)
        paths = [field.path for field in text_fields(record.entry, Kind.PROSE) if wanted(field.text)]
        return paths[text - start]


def _wanted(record: Record) -> Callable[[str], bool]:
    """Whether a text of an entry is compared, if it turns out to have enough words."""
    apart = {text for item in record.entry.tell_apart for text in (item.short, item.how)}
    return lambda text: len(text) >= 4 * LEAST_WORDS and text not in apart


def _words(text: str) -> list[str]:
    return text.lower().split()


def _index(records: list[Record]) -> _Index:
    """The anchors of a text are the shingles that start with its last word by the alphabet and with its longest one.

    They are the same wherever the text stands, and changes that leave it nearly equal seldom hit both.
    """
    compared: list[str] = []
    ends: list[int] = []
    anchors: array[int] = array("Q")
    for record in records:
        for text in filter(_wanted(record), texts(record.entry, Kind.PROSE)):
            words = _words(text)
            if len(words) >= LEAST_WORDS:
                starting = words[: 1 - SHINGLE]
                for start in (starting.index(max(starting)), starting.index(max(starting, key=len))):
                    anchor = zlib.crc32(" ".join(words[start : start + SHINGLE]).encode())
                    anchors.append(anchor << 32 | len(compared))
            compared.append(text)
        ends.append(len(compared))
    return _Index(records, compared, ends, array("Q", sorted(anchors)))


def _pairs(anchors: array[int]) -> Iterator[tuple[int, int]]:
    """Texts with an anchor in common, the later one first; in a long row each only with a few before it."""
    for _, group in groupby(anchors, key=lambda value: value >> 32):
        row: list[int] = []
        for value in group:
            text = value & 0xFFFFFFFF
            yield from ((text, other) for other in row)
            row = [*row, text][-_MOST_IN_A_ROW:]


def _likeness(one: str, other: str) -> float:
    """The share of their shingles that two texts have in common."""
    first, second = _shingles(one), _shingles(other)
    return len(first & second) / len(first | second)


@lru_cache(maxsize=256)
def _shingles(text: str) -> frozenset[tuple[str, ...]]:
    words = _words(text)
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


CHECKS: tuple[Check, ...] = (NearDuplicate(),)
