"""The Markdown twin of an entry: its page as a file that people and programs read without HTML."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from faultbook.blocks import Voice
from faultbook.blocks.markdown import harmless, inline, markdown_text
from faultbook.corpus import Corpus, Record
from faultbook.export.page import page
from faultbook.links import Links
from faultbook.marks import plain_text


def twin_url(slug: str) -> str:
    """The address of an entry as Markdown, relative to the root of the site."""
    return f"entries/{slug}.md"


def beside(slug: str) -> str:
    """The way from the Markdown of one entry to that of another."""
    return f"{slug}.md"


def entry_markdown(record: Record, corpus: Corpus, links: Links, way: Callable[[str], str] = beside) -> str:
    """An entry as Markdown in which no text of it acts; `way` gives the address of another entry."""
    voice = Voice(link=partial(markdown_link, corpus=corpus, way=way), prepare=harmless)
    return markdown_text(page(record, corpus, links, voice))


def markdown_link(slug: str, words: str | None, corpus: Corpus, way: Callable[[str], str]) -> str:
    """A link to an entry, or plain words if nobody has written it yet."""
    record = corpus.records.get(slug)
    if record is not None:
        return f"[{inline(words or plain_text(record.entry.title))}]({way(slug)})"
    wanted = corpus.wanted.get(slug)
    return inline(words or (plain_text(wanted.title) if wanted else slug)) + " (not written yet)"
