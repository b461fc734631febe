"""Citations and links in prose, and what follows from them: back links, and the entries of a tag or a system."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from faultbook.corpus import Corpus, Record
from faultbook.schema import Kind, text_fields

INVERSE = {
    "causes": "caused-by",
    "caused-by": "causes",
    "looks-like": "looks-like",
    "occurs-with": "occurs-with",
    "see-also": "see-also",
}
REPRODUCTION = "reproduction"
"""The citation that stands for the reproduction of the entry instead of a reference."""

# Code spans first, since nothing within them is a mark. Each alternative starts with a plain character, by which the
# search skips ahead; a group in front would cost ten times as much. A span ends with its paragraph or list item.
_GOES_ON = r"\n(?![ \t]*(?:\n|```|~~~|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\n]|\Z)))"
_MARK = re.compile(
    rf"`(?<!``)(?P<code>(?:[^`\n]|{_GOES_ON})+)`(?!`)"
    rf"|`(?<!``)(?P<more>`*)(?!`)(?P<long>(?:.|{_GOES_ON})*?)(?<!`)`(?P=more)(?!`)"
    r"|\[@(?P<cite>[^\]\n]{1,80})\]"
    r"|\[\[(?P<target>[^\]|\n]{1,80})(?:\|(?P<words>[^\]\n]{1,200}))?\]\]"
)


class Mark(NamedTuple):
    """A citation ``[@id]``, a link ``[[slug|words]]`` or a link ``[[#fix]]`` in a text."""

    kind: str
    """``citation``, ``entry`` or ``fix``."""
    target: str
    words: str | None
    start: int
    end: int


class Scan(NamedTuple):
    """What one pass over a text finds."""

    marks: tuple[Mark, ...] = ()
    """Its citations and links in order; nothing within a code span is one."""
    spans: tuple[str, ...] = ()
    """What stands between its backticks."""
    bare: str = ""
    """The text with code spans, citations and links blanked out; positions stay."""


@lru_cache(maxsize=4096)
def scan_text(text: str) -> Scan:
    """The marks, the code spans and the bare words of a text."""
    if "[" not in text and "`" not in text:
        return Scan(bare=text)
    marks: list[Mark] = []
    spans: list[str] = []
    bare: list[str] = []
    at = 0
    for found in _MARK.finditer(text):
        start, end = found.span()
        bare += (text[at:start], " " * (end - start))
        at = end
        if (cite := found["cite"]) is not None:
            marks.append(Mark("citation", cite, None, start, end))
        elif (target := found["target"]) is not None:
            kind = "fix" if target.startswith("#") else "entry"
            marks.append(Mark(kind, target.removeprefix("#"), found["words"], start, end))
        else:
            spans.append((found["code"] or found["long"]).strip())
    return Scan(tuple(marks), tuple(spans), "".join(bare) + text[at:])


def parse_marks(text: str) -> tuple[Mark, ...]:
    """The citations and links of a text, in order; nothing within a code span is one."""
    return scan_text(text).marks


class Placed(NamedTuple):
    """A mark with the way to the text that holds it."""

    path: tuple[str | int, ...]
    mark: Mark


def placed_marks(record: Record) -> Iterator[Placed]:
    """Every mark in the prose of an entry."""
    for field in text_fields(record.entry, Kind.PROSE):
        for mark in parse_marks(field.text):
            yield Placed(field.path, mark)


@dataclass(frozen=True)
class Backlink:
    """An entry that leads to this one, and what this one is to it."""

    slug: str
    relation: str
    note: str | None = None


@dataclass(frozen=True)
class Links:
    """What the entries of a corpus say of each other; only published entries count."""

    related: Mapping[str, tuple[Backlink, ...]]
    """For each slug the relations that other entries state, turned round."""
    mentions: Mapping[str, tuple[str, ...]]
    """For each slug the entries whose prose links to it and that state no relation."""
    by_tag: Mapping[str, tuple[str, ...]]
    by_system: Mapping[str, tuple[str, ...]]
    by_category: Mapping[str, tuple[str, ...]]


def build_links(corpus: Corpus) -> Links:
    """The links of a corpus."""
    related: dict[str, list[Backlink]] = defaultdict(list)
    mentions: dict[str, set[str]] = defaultdict(set)
    tags: dict[str, list[str]] = defaultdict(list)
    systems: dict[str, list[str]] = defaultdict(list)
    categories: dict[str, list[str]] = defaultdict(list)
    for record in corpus.published():
        own = {related_to.entry for related_to in record.entry.related}
        for link in record.entry.related:
            if record.slug not in _related_to(corpus, link.entry):
                related[link.entry].append(Backlink(record.slug, INVERSE[link.relation], link.note))
        for placed in placed_marks(record):
            if placed.mark.kind == "entry" and placed.mark.target not in own | {record.slug}:
                mentions[placed.mark.target].add(record.slug)
        for tag in record.entry.tags:
            tags[tag].append(record.slug)
        for system in dict.fromkeys(affected.system for affected in record.entry.affected_systems):
            systems[system].append(record.slug)
        categories[record.category].append(record.slug)
    return Links(
        {slug: tuple(backlinks) for slug, backlinks in related.items()},
        {slug: tuple(sorted(slugs)) for slug, slugs in mentions.items()},
        *({key: tuple(slugs) for key, slugs in group.items()} for group in (tags, systems, categories)),
    )


def _related_to(corpus: Corpus, slug: str) -> set[str]:
    """The entries to which an entry states a relation itself."""
    record = corpus.records.get(slug)
    return {related.entry for related in record.entry.related} if record else set()
