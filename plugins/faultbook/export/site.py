"""The whole site as plain Markdown, which any generator builds that reads a `mkdocs.yml`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from faultbook.blocks import Block, Heading, Items, Paragraph, Prose
from faultbook.blocks.markdown import code, inline, markdown_text
from faultbook.corpus import Corpus, Record
from faultbook.export.past import BARE, Facts
from faultbook.export.twin import entry_markdown, markdown_link
from faultbook.links import Links
from faultbook.marks import plain_text

NAV = {
    "Home": "index.md",
    "Categories": "categories/index.md",
    "Systems": "systems/index.md",
    "Tags": "tags/index.md",
    "Signatures": "signatures.md",
    "Changes": "changes.md",
    "Wanted": "wanted.md",
}
HOME_CHANGES = 10
EXTENSIONS = ("tables", "pymdownx.highlight", "pymdownx.superfences", "pymdownx.escapeall")
"""What the pages need; none of them lets attributes or code into the page."""
Pages = Iterator[tuple[str, str]]


def markdown_site(corpus: Corpus, links: Links, facts: Facts = BARE, *, name: str, url: str = "") -> Pages:
    """Each file with its text: the settings, and below `docs/` all pages."""
    yield "mkdocs.yml", settings(name, url)
    site = _Site(corpus, links, facts)
    for path, text in site.pages(name):
        yield f"docs/{path}", text


def settings(name: str, url: str = "") -> str:
    """The settings; search and looks are left to the generator."""
    # Texts in JSON are texts in YAML.
    lines = ["# Made by 'faultbook export markdown'.", f"site_name: {json.dumps(name)}"]
    if url:
        lines.append(f"site_url: {json.dumps(url)}")
    lines += ["docs_dir: docs", "use_directory_urls: true", "nav:"]
    lines += [f"  - {title}: {path}" for title, path in NAV.items()]
    lines += ["markdown_extensions:", *(f"  - {extension}" for extension in EXTENSIONS)]
    return "\n".join(lines) + "\n"


class _Site:
    """Makes the pages of one corpus."""

    def __init__(self, corpus: Corpus, links: Links, facts: Facts) -> None:
        self.corpus = corpus
        self.links = links
        self.facts = facts

    def pages(self, name: str) -> Pages:
        """Every page below `docs/`."""
        for record in self.corpus.records.values():
            yield f"entries/{record.slug}.md", entry_markdown(record, self.corpus, self.links)
        for alias, slug in self.corpus.aliases().items():
            yield f"entries/{alias}.md", self._page(alias, [Paragraph(Prose(f"See {self._link(slug, '')}."))])
        yield "index.md", self._home(name)
        yield from self._groups("Categories", self.corpus.categories, self.links.by_category, _titled)
        yield from self._groups("Systems", self.corpus.systems, self.links.by_system, _titled)
        yield from self._groups("Tags", self.corpus.tags, self.links.by_tag, lambda name, item: name)
        yield "signatures.md", self._page("Signatures", [Items(tuple(self._signatures()))])
        yield "changes.md", self._page("Changes", [Items(tuple(map(self._dated, self._changed())))])
        yield "wanted.md", self._page("Wanted entries", list(self._wanted()))

    def _page(self, title: str, blocks: Iterable[Block]) -> str:
        return markdown_text([Heading(title, 1), *blocks])

    def _link(self, slug: str, root: str = "entries/", words: str | None = None) -> str:
        return markdown_link(slug, words, self.corpus, lambda other: f"{root}{other}.md")

    def _changed(self) -> list[Record]:
        return sorted(self.corpus.published(), key=self.facts.changed, reverse=True)

    def _dated(self, record: Record) -> tuple[str, str]:
        return self.facts.changed(record), Prose(self._link(record.slug))

    def _home(self, name: str) -> str:
        total = len(self.corpus.published())
        rows = [
            ("", Prose(f"[{inline(item.title)}](categories/{key}.md) ({len(self.links.by_category.get(key, ()))})"))
            for key, item in self.corpus.categories.items()
        ]
        blocks: list[Block] = [
            Paragraph(f"Failures of machine-learning training runs: {total} published entries."),
            Heading("By category"),
            Items(tuple(rows)),
        ]
        published = {record.slug for record in self.corpus.published()}
        featured = [("", Prose(self._link(slug))) for slug in self.corpus.featured if slug in published]
        if featured:
            blocks += [Heading("Start here"), Items(tuple(featured))]
        blocks += [Heading("Changes"), Items(tuple(map(self._dated, self._changed()[:HOME_CHANGES])))]
        return self._page(name, blocks)

    def _groups(
        self,
        title: str,
        words: Mapping[str, object],
        slugs: Mapping[str, tuple[str, ...]],
        named: Callable[[str, object], str],
    ) -> Pages:
        """The overview of categories, systems or tags, and the page of each."""
        folder = title.lower()
        rows = []
        for key, item in words.items():
            found = sorted(slugs.get(key, ()), key=lambda slug: plain_text(self.corpus.records[slug].entry.title))
            text = str(getattr(item, "text", ""))
            rows.append((Prose(f"[{inline(named(key, item))}]({key}.md)"), f"{text} ({len(found)})"))
            entries = Items(tuple(("", Prose(self._link(slug, "../entries/"))) for slug in found))
            body: list[Block] = [Paragraph(text), entries if found else Paragraph("No entry yet.")]
            yield f"{folder}/{key}.md", self._page(named(key, item), body)
        yield f"{folder}/index.md", self._page(title, [Items(tuple(rows))])

    def _signatures(self) -> Iterator[tuple[str, str]]:
        lines = [
            (text, record.slug)
            for record in self.corpus.published()
            for signature in record.entry.signatures().values()
            for text in signature.templates
        ]
        for text, slug in sorted(lines, key=lambda line: (line[0].lower(), line[1])):
            yield Prose(code(text)), Prose(self._link(slug))

    def _wanted(self) -> Iterator[Block]:
        for key, category in self.corpus.categories.items():
            items = [plain_text(item.title) for item in self.corpus.wanted.values() if item.category == key]
            if items:
                yield Heading(category.title)
                yield Items(tuple(("", title) for title in sorted(items)))


def _titled(name: str, item: object) -> str:
    return str(getattr(item, "title", name))
