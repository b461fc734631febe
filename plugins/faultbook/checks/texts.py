"""What checks read of one entry, gathered in a single pass: prose, code spans, links and code."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from faultbook.corpus import Record
from faultbook.links import Placed, scan_text
from faultbook.reader import KeyPath
from faultbook.schema import Kind, TextField, text_fields

_GAP = " \0 "
"""Stands between texts that are searched together; no text holds it, and it is no part of a word."""


@dataclass(frozen=True)
class Texts:
    """The prose of an entry, joined so that one search goes through all of it."""

    fields: Sequence[TextField]
    starts: Sequence[int]
    """Where each field starts in ``bare``."""
    bare: str
    """All prose, with code spans, citations and links blanked out."""
    lower: str
    """The same in small letters."""
    words: frozenset[str]
    """What stands between blanks in it, with the punctuation that touches."""
    marks: Sequence[Placed]
    spans: Sequence[tuple[KeyPath, str]]
    """Every code span, with the way to its text."""

    def path_at(self, position: int) -> KeyPath:
        """The way to the text at a position of ``bare``."""
        return self.fields[bisect_right(self.starts, position) - 1].path


@lru_cache(maxsize=1)
def read_texts(record: Record) -> Texts:
    """The prose of an entry; kept until another entry is asked for."""
    fields = text_fields(record.entry, Kind.PROSE)
    starts: list[int] = []
    bare: list[str] = []
    marks: list[Placed] = []
    spans: list[tuple[KeyPath, str]] = []
    at = 0
    for path, text, _, _ in fields:
        starts.append(at)
        at += len(text) + len(_GAP)
        if "[" not in text and "`" not in text:
            bare.append(text)
            continue
        scan = scan_text(text)
        bare.append(scan.bare)
        marks += [Placed(path, mark) for mark in scan.marks]
        spans += [(path, span) for span in scan.spans]
    joined = _GAP.join(bare)
    lower = joined.lower()
    return Texts(fields, starts, joined, lower, frozenset(lower.split()), marks, spans)


class Link(NamedTuple):
    """A place that names another entry."""

    path: KeyPath
    slug: str
    near: str
    """The words by which the place is found within its text."""


@lru_cache(maxsize=1)
def entry_links(record: Record) -> tuple[Link, ...]:
    """Every place of an entry that names another one, but for ``superseded_by``; each name once in a text."""
    entry = record.entry
    found = [Link(("related", i, "entry"), item.entry, "") for i, item in enumerate(entry.related)]
    found += [Link(("tell_apart", i, "entry"), item.entry, "") for i, item in enumerate(entry.tell_apart)]
    for i, sample in enumerate(entry.samples):
        if sample.belongs_to is not None:
            found.append(Link(("samples", i, "belongs_to"), sample.belongs_to, ""))
    for placed in read_texts(record).marks:
        if placed.mark.kind == "entry":
            found.append(Link(placed.path, placed.mark.target, f"[[{placed.mark.target}"))
    return tuple(dict.fromkeys(found))


class Code(NamedTuple):
    """A piece of code in an entry."""

    path: KeyPath
    lang: str
    text: str


@lru_cache(maxsize=1)
def entry_code(record: Record) -> tuple[Code, ...]:
    """The commands of an entry, what takes them back, and its examples."""
    return tuple(_code(record))


def _code(record: Record) -> Iterator[Code]:
    for path, command in record.entry.commands().items():
        yield Code(path, command.lang, command.run)
        if command.undo is not None:
            yield Code((*path, "undo"), command.lang, command.undo)
    for i, example in enumerate(record.entry.examples):
        yield Code(("examples", i, "code"), example.lang, example.code)
