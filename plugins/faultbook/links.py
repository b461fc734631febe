"""Citations and links in prose, and what follows from them: back links, and the entries of a tag or a system."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from faultbook.corpus import Corpus, Record
from faultbook.marks import Mark as Mark
from faultbook.marks import parse_marks as parse_marks
from faultbook.marks import scan_text as scan_text
from faultbook.schema import Kind, texts

INVERSE = {
    "causes": "caused-by",
    "caused-by": "causes",
    "looks-like": "looks-like",
    "occurs-with": "occurs-with",
    "see-also": "see-also",
}
REPRODUCTION = "reproduction"
"""The citation that stands for the reproduction of the entry instead of a reference."""


class Placed(NamedTuple):
    """A mark with the way to the text that holds it."""

    path: tuple[str | int, ...]
    mark: Mark


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
        for target in _linked(record) - own - {record.slug}:
            mentions[target].add(record.slug)
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


def _linked(record: Record) -> set[str]:
    """The entries to which the prose of an entry links."""
    prose = [text for text in texts(record.entry, Kind.PROSE) if "[[" in text]
    return {mark.target for text in prose for mark in parse_marks(text) if mark.kind == "entry"}


def _related_to(corpus: Corpus, slug: str) -> set[str]:
    """The entries to which an entry states a relation itself."""
    record = corpus.records.get(slug)
    return {related.entry for related in record.entry.related} if record else set()
