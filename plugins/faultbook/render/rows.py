"""Rows of the index pages: what a list says of an entry."""

from __future__ import annotations

from dataclasses import dataclass

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.export.past import Facts
from faultbook.render.environment import words
from faultbook.render.page import plain_title


@dataclass(frozen=True)
class EntryRow:
    """One entry in a list."""

    slug: str
    title: str
    url: str
    category: str
    category_title: str
    impact: str
    evidence: str | None
    reviewed: str
    wrapper: bool
    signature: str | None
    """The first template, by which readers recognise it."""
    changed: str
    """The day of the last change; that of the review where there is no history."""


def entry_row(record: Record, corpus: Corpus, facts: Facts) -> EntryRow:
    """The row of an entry."""
    entry = record.entry
    category = corpus.categories.get(record.category)
    signatures = list(entry.signatures().values())
    return EntryRow(
        slug=record.slug,
        title=plain_title(entry.title),
        url=entry_url(record.slug),
        category=record.category,
        category_title=category.title if category else record.category,
        impact=", ".join(words(impact) for impact in entry.impact),
        evidence=entry.evidence.level if entry.evidence else None,
        reviewed=entry.reviewed or "",
        wrapper=entry.kind == "wrapper",
        signature=signatures[0].templates[0] if signatures else None,
        changed=facts.changed(record),
    )


def by_title(rows: list[EntryRow]) -> list[EntryRow]:
    """The rows by title, without regard to case."""
    return sorted(rows, key=lambda row: (row.title.lower(), row.slug))


def by_change(rows: list[EntryRow]) -> list[EntryRow]:
    """The rows by day of the last change, newest first, then by title."""
    return sorted(by_title(rows), key=lambda row: row.changed, reverse=True)
