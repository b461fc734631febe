"""What a page of the site is before a generator of sites puts its frame around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from faultbook.corpus import Corpus
from faultbook.export import entry_url
from faultbook.links import Mark
from faultbook.render.prose import escape_text
from faultbook.render.references import References


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

    @property
    def root(self) -> str:
        """The relative way from the page to the root of the site."""
        return "../" * self.url.count("/") or "./"


class Marks:
    """Renders citations and links for one page."""

    def __init__(
        self, corpus: Corpus, root: str, references: References | None = None, titles: dict[str, str] | None = None
    ):
        self.corpus = corpus
        self.root = root
        self.references = references
        self.fixes = titles or {}

    def __call__(self, mark: Mark) -> str:
        if mark.kind == "citation":
            return self.references.cite(mark.target) if self.references else ""
        if mark.kind == "fix":
            words = mark.words or self.fixes.get(mark.target, mark.target)
            return f'<a href="#fix-{escape_text(mark.target)}">{escape_text(words)}</a>'
        return str(self.entry(mark.target, mark.words))

    def entry(self, slug: str, words: str | None = None) -> Markup:
        """A link to an entry, or plain words if nobody has written it yet."""
        record = self.corpus.records.get(slug)
        if record is not None:
            title = plain_title(record.entry.title)
            return Markup('<a href="{}{}">{}</a>').format(self.root, entry_url(slug), words or title)
        wanted = self.corpus.wanted.get(slug)
        name = words or (plain_title(wanted.title) if wanted else slug)
        return Markup('<span class="fb-wanted">{} <span class="fb-dim">(not written yet)</span></span>').format(name)


def plain_title(title: str) -> str:
    """A title without its backquotes, for places that show plain text."""
    return title.replace("`", "")
