"""Renders the corpus into pages; knows nothing of the generator that puts a frame around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from faultbook.corpus import Corpus
from faultbook.export import entry_url
from faultbook.export.past import BARE, Facts
from faultbook.links import Links
from faultbook.render.around import Repository
from faultbook.render.diagnose import diagnose_document, sample_files
from faultbook.render.entry import entry_document
from faultbook.render.environment import TemplateFault, make_environment, template_faults
from faultbook.render.indexes import Indexes
from faultbook.render.linkcheck import LinkCheck
from faultbook.render.page import Document, HandWritten, Heading, Rendered, plain_title
from faultbook.render.prose import escape_text
from faultbook.render.reference import reference_documents
from faultbook.render.state import state_document
from faultbook.render.structured import script_json

__all__ = [
    "Document",
    "HandWritten",
    "Heading",
    "LinkCheck",
    "Rendered",
    "Repository",
    "TemplateFault",
    "documents",
    "redirect_pages",
    "sample_files",
    "script_json",
    "template_faults",
]


def documents(
    corpus: Corpus,
    links: Links,
    templates: Sequence[Path],
    repository: Repository,
    written: HandWritten,
    facts: Facts = BARE,
) -> Iterator[Document]:
    """Every page of the site that is made from the corpus, entries first."""
    environment = make_environment(templates, written=written, feeds=bool(facts.site_url))
    for record in corpus.records.values():
        yield _guarded(entry_document(record, corpus, links, environment, repository, facts))
    for document in Indexes(corpus, links, environment, facts).documents():
        yield _guarded(document)
    yield _guarded(state_document(corpus, links, environment, facts))
    yield _guarded(diagnose_document(corpus, environment, repository.edit))
    for document in reference_documents(environment):
        yield _guarded(document)


def _guarded(document: Document) -> Document:
    """The page with a word for the author of a template that is wrong, instead of a traceback."""

    def render() -> Rendered:
        with template_faults():
            return document.render()

    return replace(document, render=render)


def redirect_pages(corpus: Corpus, site_url: str) -> dict[str, str]:
    """For each alias the whole page at its address, which leads to the entry without any script."""
    pages = {}
    for alias, slug in corpus.aliases().items():
        title = escape_text(plain_title(corpus.records[slug].entry.title))
        canonical = f'<link rel="canonical" href="{escape_text(site_url)}{entry_url(slug)}">\n' if site_url else ""
        pages[entry_url(alias)] = (
            f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{title}</title>\n{canonical}'
            f'<meta http-equiv="refresh" content="0; url=../{slug}/">\n<meta name="robots" content="noindex">\n'
            f'<p>This failure is described under another name: <a href="../{slug}/">{title}</a>.</p>\n</html>\n'
        )
    return pages
