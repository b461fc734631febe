"""The page for maintainers: what the corpus holds, what it rests on, and what is waiting for somebody."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from jinja2 import Environment

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.export.past import REVIEW_DAYS, Facts, review_due
from faultbook.links import Links
from faultbook.render.page import Document, Heading, Rendered, plain_title
from faultbook.schema import Status, lacks

URL = "state/"
LONGEST = 20
"""How many rows the lists of oldest reviews and of most linked entries have."""
LEVELS = ("reproduced", "documented", "reported")
AGES = ((91, "up to 3 months"), (182, "3 to 6 months"), (REVIEW_DAYS, "6 to 12 months"))
SECTIONS = {
    "categories": "By category",
    "reviews": "Age of reviews",
    "oldest": "Oldest reviews",
    "linked": "Most linked",
    "orphans": "Linked by no other entry",
    "drafts": "Drafts",
}


@dataclass(frozen=True)
class Named:
    """An entry with one thing to say of it."""

    title: str
    url: str
    fact: str | int


def state_document(corpus: Corpus, links: Links, environment: Environment, facts: Facts) -> Document:
    """The page; it counts from the day of the build."""

    def render() -> Rendered:
        values = _state(corpus, links, facts)
        html = environment.get_template("state.html").render(root="../", sections=SECTIONS, **values)
        return Rendered(html, tuple(Heading(name, title) for name, title in SECTIONS.items()))

    description = "What the corpus holds, how old its reviews are, and what is waiting for somebody."
    return Document(URL, "State of the corpus", render, description)


def _state(corpus: Corpus, links: Links, facts: Facts) -> Mapping[str, Any]:
    published = corpus.published()
    incoming = incoming_links(corpus, links)
    reviewed = sorted((r for r in published if r.entry.reviewed), key=lambda r: (r.entry.reviewed or "", r.slug))
    linked = sorted(published, key=lambda record: (-len(incoming[record.slug]), record.slug))
    drafts = [record for record in corpus.records.values() if record.entry.status is Status.DRAFT]
    return {
        "total": len(published),
        "wanted": len(corpus.wanted),
        "rows": list(_categories(corpus)),
        "ages": _ages(reviewed, facts.today),
        "due": sum(review_due(record, facts.today) for record in published),
        "oldest": [_named(record, record.entry.reviewed or "") for record in reviewed[:LONGEST]],
        "linked": [_named(r, len(incoming[r.slug])) for r in linked[:LONGEST] if incoming[r.slug]],
        "orphans": [_named(r, corpus.categories[r.category].title) for r in published if not incoming[r.slug]],
        "drafts": [_named(record, sum(1 for _ in lacks(record.entry))) for record in drafts],
    }


def incoming_links(corpus: Corpus, links: Links) -> Mapping[str, set[str]]:
    """For each entry the published ones that lead to it: by a relation, in their prose, or to tell it apart."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in corpus.published():
        named = [*(item.entry for item in record.entry.related), *(item.entry for item in record.entry.tell_apart)]
        for slug in named:
            found[slug].add(record.slug)
    for slug, slugs in links.mentions.items():
        found[slug].update(slugs)
    return found


def _categories(corpus: Corpus) -> Iterable[Mapping[str, Any]]:
    groups: dict[str, list[Record]] = {name: [] for name in corpus.categories}
    for record in corpus.records.values():
        groups[record.category].append(record)
    wanted = Counter(item.category for item in corpus.wanted.values())
    for name, records in groups.items():
        published = [record for record in records if record.published]
        levels: Counter[str] = Counter(record.entry.evidence.level for record in published if record.entry.evidence)
        yield {
            "name": name,
            "title": corpus.categories[name].title,
            "cells": [
                len(published),
                ", ".join(f"{levels[level]} {level}" for level in LEVELS if levels[level]),
                sum(len(record.entry.signatures()) for record in published),
                sum(len(record.entry.samples) for record in published),
                wanted[name],
            ],
        }


def _ages(reviewed: Iterable[Record], today: date) -> list[tuple[str, int]]:
    counts: Counter[str] = Counter()
    for record in reviewed:
        days = (today - date.fromisoformat(record.entry.reviewed or "")).days
        counts[next((name for limit, name in AGES if days <= limit), "over 12 months")] += 1
    return [(name, counts[name]) for name in (*(name for _, name in AGES), "over 12 months")]


def _named(record: Record, fact: str | int) -> Named:
    return Named(plain_title(record.entry.title), entry_url(record.slug), fact)
