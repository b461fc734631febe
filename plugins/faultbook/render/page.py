"""What a page of the site is before a generator of sites puts its frame around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup, escape

from faultbook.corpus import Corpus
from faultbook.export import entry_url
from faultbook.marks import Mark, mark_words, plain_text
from faultbook.render.prose import escape_text, render_inline
from faultbook.render.references import References

_LINK_TAG = re.compile(r"</?a\b[^>]*>")
plain_title = plain_text


@dataclass(frozen=True)
class Heading:
    """A line of the table of contents."""

    id: str
    name: str


@dataclass(frozen=True)
class Rendered:
    """The HTML of a page, and what its frame needs to know of it."""

    html: str
    headings: tuple[Heading, ...] = ()


@dataclass(frozen=True)
class Document:
    """A page: where it belongs, what stands in its head, and how to render its content."""

    url: str
    """Its address relative to the root of the site; empty for the home page, else with a slash at the end."""
    title: str
    render: Callable[[], Rendered]
    description: str = ""
    noindex: bool = False
    source: str | None = None
    """The file that a contributor edits for it, relative to the root of the project."""
    searches: bool = False
    """It has a search box of its own, so that its frame shows none."""
    answers: bool = False
    """A script fills its sections; until then its table of contents stays hidden."""
    styles: str = ""
    """A style sheet for it alone, relative to the root of the site."""
    beside: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """How to make the files of the site that say the same in other forms, by address."""
    markdown: str = ""
    """The address of one of them, for programs that look for Markdown in the head of the page."""
    feed: str = ""
    """The address before the feeds of its own that it has, such as those of a category."""
    data: tuple[Mapping[str, Any], ...] = ()
    """What search engines read in its head, as schema.org names it."""

    @property
    def root(self) -> str:
        """The relative way from the page to the root of the site."""
        return "../" * self.url.count("/") or "./"


@dataclass(frozen=True)
class HandWritten:
    """Addresses of hand-written pages that ours lead to, relative to the root of the site; empty if there is none."""

    about: str = ""
    """How the site is made; its heading `evidence` explains the levels."""
    contribute: str = ""
    """How to write an entry."""


class Marks:
    """Renders citations and links of one entry for one page.

    Without references its citations are left out. Fixes are linked on the page itself, or on the page that is given;
    without any they are plain words.
    """

    def __init__(
        self,
        corpus: Corpus,
        root: str,
        references: References | None = None,
        fixes: dict[str, str] | None = None,
        fixes_at: str | None = "",
    ):
        self.corpus = corpus
        self.root = root
        self.references = references
        self.fixes = fixes or {}
        self.fixes_at = fixes_at

    def __call__(self, mark: Mark) -> str:
        if mark.kind == "citation":
            return self.references.cite(mark.target) if self.references else ""
        if mark.kind == "fix":
            words = escape_text(mark.words or self.fixes.get(mark.target, mark.target))
            if self.fixes_at is None:
                return words
            return f'<a href="{self.fixes_at}#fix-{escape_text(mark.target)}">{words}</a>'
        return str(self.entry(mark.target, mark.words))

    def entry(self, slug: str, words: str | None = None) -> Markup:
        """A link to an entry, or plain words if nobody has written it yet."""
        record = self.corpus.records.get(slug)
        if record is not None:
            title = plain_title(record.entry.title)
            return Markup(f'<a href="{escape(self.root)}{escape(entry_url(slug))}">{escape(words or title)}</a>')
        wanted = self.corpus.wanted.get(slug)
        name = words or (plain_title(wanted.title) if wanted else slug)
        note = '<span class="fb-dim">(not written yet)</span>'
        return Markup(f'<span class="fb-wanted">{escape(name)} {note}</span>')


def unlinked(text: str) -> Markup:
    """One line of prose without any link, for places within a link."""
    return Markup(_LINK_TAG.sub("", render_inline(text, lambda mark: escape_text(mark_words(mark)))))
