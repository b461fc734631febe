"""Feeds of new and changed entries: Atom (RFC 4287) and JSON Feed 1.1, for the site and for each category."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from faultbook.corpus import Corpus, Record
from faultbook.export import entry_url
from faultbook.export.past import Facts
from faultbook.links import Links
from faultbook.marks import plain_text

ENTRIES = 50
"""How many entries a feed holds, the newest first."""
EMPTY = "1970-01-01T00:00:00Z"
"""When a feed without entries was last changed, since a feed must say so."""
# What XML 1.0 cannot hold, not even as an entity.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Item:
    """One entry in a feed."""

    title: str
    url: str
    summary: str
    added: str | None
    changed: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Feed:
    """A feed, in either form."""

    title: str
    site: str
    """Address of the page of which the feed tells what is new."""
    items: tuple[Item, ...]


def feed_files(corpus: Corpus, links: Links, facts: Facts, name: str) -> Mapping[str, Callable[[], str]]:
    """How to make each feed, by its address; none without the address of the site, since a feed needs whole ones."""
    if not facts.site_url:
        return {}
    feeds = {"": (name, [record.slug for record in corpus.published()])}
    for category, item in corpus.categories.items():
        feeds[f"categories/{category}/"] = f"{name}: {item.title}", list(links.by_category.get(category, ()))
    files: dict[str, Callable[[], str]] = {}
    for url, (title, slugs) in feeds.items():
        make = partial(_feed, title, facts.site_url + url, [corpus.records[slug] for slug in slugs], facts)
        files[f"{url}feed.xml"] = partial(_made, atom, make, facts.site_url + url)
        files[f"{url}feed.json"] = partial(_made, json_feed, make, facts.site_url + url)
    return files


def _made(form: Callable[[Feed, str], str], make: Callable[[], Feed], url: str) -> str:
    return form(make(), url)


def _feed(title: str, site: str, records: Iterable[Record], facts: Facts) -> Feed:
    items = [item for record in records if (item := _item(record, facts))]
    # By address where the times are the same, so that the same entries always give the same feed.
    items.sort(key=lambda item: item.url)
    items.sort(key=lambda item: item.changed, reverse=True)
    return Feed(title, site, tuple(items[:ENTRIES]))


def _item(record: Record, facts: Facts) -> Item | None:
    """The entry as git dates it, else by its review; nothing if it has neither date."""
    entry, past = record.entry, facts.past.get(record.slug)
    changed = past.changed if past else f"{entry.reviewed}T00:00:00Z" if entry.reviewed else None
    if changed is None:
        return None
    url = facts.site_url + entry_url(record.slug)
    authors = entry.authors or (past.contributors if past else ())
    added = past.added if past else None
    return Item(plain_text(entry.title), url, plain_text(entry.summary), added, changed, authors, entry.tags)


def atom(feed: Feed, root: str) -> str:
    """The feed as Atom; `root` is the address before ``feed.xml``."""
    updated = max((item.changed for item in feed.items), default=EMPTY)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
        f"<title>{_xml(feed.title)}</title>",
        f"<id>{_xml(feed.site)}</id>",
        f'<link rel="self" type="application/atom+xml" href="{_xml(root)}feed.xml"/>',
        f'<link rel="alternate" type="text/html" href="{_xml(feed.site)}"/>',
        f"<updated>{updated}</updated>",
        f"<author><name>{_xml(feed.title)}</name></author>",
        *(line for item in feed.items for line in _atom_entry(item)),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _atom_entry(item: Item) -> Iterable[str]:
    yield f"<entry>\n<title>{_xml(item.title)}</title>\n<id>{_xml(item.url)}</id>"
    yield f'<link rel="alternate" type="text/html" href="{_xml(item.url)}"/>'
    yield f"<updated>{item.changed}</updated>"
    if item.added:
        yield f"<published>{item.added}</published>"
    yield from (f"<author><name>{_xml(author)}</name></author>" for author in item.authors)
    yield from (f'<category term="{_xml(tag)}"/>' for tag in item.tags)
    yield f"<summary>{_xml(item.summary)}</summary>\n</entry>"


def _xml(text: str) -> str:
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def json_feed(feed: Feed, root: str) -> str:
    """The feed as JSON Feed 1.1; `root` is the address before ``feed.json``."""
    data = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.site,
        "feed_url": f"{root}feed.json",
        "language": "en",
        "items": [_json_item(item) for item in feed.items],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _json_item(item: Item) -> dict[str, Any]:
    data = {
        "id": item.url,
        "url": item.url,
        "title": item.title,
        "content_text": item.summary,
        "date_published": item.added,
        "date_modified": item.changed,
        "authors": [{"name": author} for author in item.authors],
        "tags": list(item.tags),
    }
    return {key: value for key, value in data.items() if value}
