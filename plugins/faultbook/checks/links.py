"""Checks of links to other entries: each leads to an entry, by its slug, and is written once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from faultbook.checks.base import Check, Context, Example
from faultbook.checks.texts import entry_links, read_texts
from faultbook.corpus import Record
from faultbook.schema import Status
from faultbook.violations import Violation, did_you_mean, shorten

_OTHER = (("host/open-files-limit.yaml", ""),)
_WITHDRAWN_OTHER = (
    (
        "host/open-files-limit.yaml",
        'status: withdrawn\nwithdrawn: {date: "2026-11-30", reason: Two failures were mixed up.}\n'
        "superseded_by: shm-exhausted\n",
    ),
)


def _related(*slugs: str) -> str:
    return "related:\n" + "".join(f"  - {{entry: {slug}, relation: see-also}}\n" for slug in slugs)


class UnknownEntry(Check):
    """A link names an entry that neither exists nor is wanted.

    It would lead nowhere. Correct the slug, write the entry, or list it in `_wanted.yaml`: a link to a wanted entry is
    shown as plain words until somebody has written it.
    """

    code = "unknown-entry"
    failing = Example(_related("open-file-limit"), beside=_OTHER)
    passing = Example(_related("open-files-limit"), beside=_OTHER)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each link that leads nowhere."""
        for link in entry_links(record):
            if link.slug not in context.names and "_wanted.yaml" not in context.corpus.incomplete:
                message = _unknown(link.slug, context)
                yield self.at(record, link.path, message, near=link.near)

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each slug of `_featured.yaml` that leads nowhere."""
        for i, slug in enumerate(context.corpus.featured):
            if slug not in context.names and "_wanted.yaml" not in context.corpus.incomplete:
                yield self.in_vocabulary(context, "_featured.yaml", (i,), _unknown(slug, context))


def _unknown(slug: str, context: Context) -> str:
    near = _near(slug, context.names)
    return f"the entry '{shorten(slug, 60)}' does not exist{near or '; list it in _wanted.yaml'}"


@lru_cache(maxsize=1024)
def _near(slug: str, names: frozenset[str]) -> str:
    """The nearest name among those that share a part or the beginning; comparing with all takes long."""
    parts = set(slug.split("-"))
    return did_you_mean(slug, sorted(name for name in names if name[:2] == slug[:2] or parts & set(name.split("-"))))


class FeaturedUnpublished(Check):
    """The list for beginners names an entry that is not published.

    The home page offers these entries to people who are new, and it shows published entries only. Remove the slug from
    `_featured.yaml`, or publish the entry.
    """

    code = "featured-unpublished"
    failing = Example("status: draft\n", beside=(("_featured.yaml", "- shm-exhausted\n"),))
    passing = Example("status: published\n", beside=(("_featured.yaml", "- shm-exhausted\n"),))

    def corpus(self, context: Context) -> Iterator[Violation]:
        """A violation at each slug that the home page cannot show."""
        corpus = context.corpus
        for i, slug in enumerate(corpus.featured):
            record = corpus.records.get(slug)
            if slug in context.aliases:
                message = f"'{slug}' is an alias; write '{context.aliases[slug]}'"
            elif record is not None and not record.published:
                message = f"'{slug}' has the status '{record.entry.status.value}'; remove it, or publish the entry"
            elif record is None and slug in corpus.wanted:
                message = f"'{slug}' is not written yet; remove it"
            else:
                continue
            yield self.in_vocabulary(context, "_featured.yaml", (i,), message)


class AliasLink(Check):
    """A link names an entry by an alias.

    Aliases are for readers who come with an old name. Within the corpus one name stands for one entry, so that it can
    be found and renamed. Write the slug.
    """

    code = "alias-link"
    _aliased = (("host/open-files-limit.yaml", "aliases: [too-many-open-files]\n"),)
    failing = Example(_related("too-many-open-files"), beside=_aliased)
    passing = Example(_related("open-files-limit"), beside=_aliased)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each link by alias."""
        for link in entry_links(record):
            if link.slug in context.aliases and link.slug not in context.corpus.records:
                message = f"'{link.slug}' is an alias; write '{context.aliases[link.slug]}'"
                yield self.at(record, link.path, message, near=link.near)


class SelfLink(Check):
    """A link leads to the entry that it stands in.

    It takes the reader nowhere. Remove it, or link to a fix of this entry with `[[#fix-id]]`.
    """

    code = "self-link"
    failing = Example("perspectives:\n  lead: A small limit ends in [[shm-exhausted]] again.\n")
    passing = Example("perspectives:\n  lead: A small limit needs [[#enlarge-shm]] again.\n")

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such link."""
        for link in entry_links(record):
            if link.slug == record.slug:
                yield self.at(record, link.path, f"'{link.slug}' is this entry; remove the link", near=link.near)


class LinkToWithdrawn(Check):
    """A published entry links to a withdrawn one.

    What a withdrawn entry says no longer holds. Link to the entry that took its place, or remove the link.
    """

    code = "link-to-withdrawn"
    failing = Example(_related("open-files-limit"), beside=_WITHDRAWN_OTHER)
    passing = Example(_related("open-files-limit"), beside=_OTHER)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each such link."""
        if not record.published:
            return
        for link in entry_links(record):
            other = context.corpus.records.get(link.slug)
            if other is not None and other.entry.status is Status.WITHDRAWN:
                heir = other.entry.superseded_by
                remedy = f"write '{heir}'" if heir and heir != record.slug else "remove the link"
                message = f"the entry '{link.slug}' is withdrawn; {remedy}"
                yield self.at(record, link.path, message, near=link.near)


class DuplicateLink(Check):
    """`related` or `tell_apart` names an entry twice.

    The page would list it twice. Keep the item that says more; one relation is enough for two entries.
    """

    code = "duplicate-link"
    failing = Example(_related("open-files-limit", "open-files-limit"), beside=_OTHER)
    passing = Example(_related("open-files-limit", "worker-killed"), beside=_OTHER)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at the second of the two."""
        entry = record.entry
        lists = {"related": [x.entry for x in entry.related], "tell_apart": [x.entry for x in entry.tell_apart]}
        for name, slugs in lists.items():
            for i, slug in enumerate(slugs):
                if slug in slugs[:i]:
                    yield self.at(record, (name, i, "entry"), f"'{slug}' stands in '{name}' twice; keep one")


class BareSlug(Check):
    """The slug of an entry stands in prose as a plain word.

    A reader cannot follow it, and a rename does not find it. Write `[[slug]]`, or `[[slug|other words]]`; within
    backticks it is code and stays as it is.
    """

    code = "bare-slug"
    failing = Example("perspectives:\n  lead: If no file can be opened see open-files-limit.\n", beside=_OTHER)
    passing = Example("perspectives:\n  lead: If no file can be opened see [[open-files-limit]].\n", beside=_OTHER)

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """A violation at each slug with a hyphen that is no link."""
        texts = read_texts(record)
        hyphenated = {word.strip(_AROUND) for word in texts.words if "-" in word}
        for slug in sorted(hyphenated & context.names):
            if "-" not in slug or slug == record.slug or slug in context.aliases:
                continue
            # Other signs beside it make it part of an address, a path, a file name or an option.
            for found in re.finditer(rf"(?<![\w/.@:#=-]){slug}(?![\w/@:=-]|\.\w)", texts.bare):
                message = f"'{slug}' is the name of an entry; write [[{slug}]]"
                yield self.at(record, texts.path_at(found.start()), message, near=slug)


_AROUND = ".,;:!?()[]\"'*“”‘’"

CHECKS: tuple[Check, ...] = (
    UnknownEntry(),
    FeaturedUnpublished(),
    AliasLink(),
    SelfLink(),
    LinkToWithdrawn(),
    DuplicateLink(),
    BareSlug(),
)
