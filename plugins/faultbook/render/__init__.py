"""Renders the corpus into pages; knows nothing of the generator that puts a frame around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from faultbook.corpus import Corpus
from faultbook.export import entry_url
from faultbook.links import Links
from faultbook.render.entry import Repository, entry_document
from faultbook.render.environment import make_environment
from faultbook.render.indexes import Indexes
from faultbook.render.linkcheck import LinkCheck
from faultbook.render.page import Document, Heading, Rendered
from faultbook.render.prose import escape_text
from faultbook.render.reference import reference_documents

__all__ = ["Document", "Heading", "LinkCheck", "Rendered", "Repository", "documents", "redirect_pages"]


def documents(
    corpus: Corpus, links: Links, templates: Sequence[Path], repository: Repository, contribute: str
) -> Iterator[Document]:
    """Every page of the site that is made from the corpus, entries first."""
    environment = make_environment(templates)
    for record in corpus.records.values():
        yield entry_document(record, corpus, links, environment, repository)
    yield from Indexes(corpus, links, environment, contribute).documents()
    yield from reference_documents(environment)


def redirect_pages(corpus: Corpus, site_url: str) -> dict[str, str]:
    """For each alias the whole page at its address, which leads to the entry without any script."""
    pages = {}
    for alias, slug in corpus.aliases().items():
        title = escape_text(corpus.records[slug].entry.title)
        canonical = f'<link rel="canonical" href="{escape_text(site_url)}{entry_url(slug)}">\n' if site_url else ""
        pages[entry_url(alias)] = (
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n{canonical}'
            f'<meta http-equiv="refresh" content="0; url=../{slug}/">\n<meta name="robots" content="noindex">\n'
            f'<p>This failure is described under another name: <a href="../{slug}/">{title}</a>.</p>\n</html>\n'
        )
    return pages
