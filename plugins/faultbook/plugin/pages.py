"""Pages of ours as MkDocs wants them, rendered one at a time."""

from __future__ import annotations

from html import escape
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc

from faultbook.render import Document, Rendered, TemplateFault, script_json


class FaultbookPage(Page):
    """A page whose content is rendered when its file is written, so that only one page at a time is in memory."""

    def __init__(self, document: Document, file: File, config: MkDocsConfig) -> None:
        super().__init__(escape(document.title), file, config)
        self.document = document

    def read_source(self, config: MkDocsConfig) -> None:
        """Take head and title from the document instead of a Markdown file; templates of themes do not escape them."""
        self.markdown = ""
        self.meta = {"title": escape(self.document.title), "description": escape(self.document.description)}
        if self.document.noindex:
            self.meta["noindex"] = True
        if self.document.data:
            self.meta["data"] = script_json(self.document.data)
        for name in ("searches", "answers", "styles", "markdown", "feed"):
            if value := getattr(self.document, name):
                self.meta[name] = value

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Nothing yet: `fill` renders it."""
        self.clear()

    def fill(self) -> None:
        """Render the content and the table of contents."""
        try:
            rendered = self.document.render()
        except TemplateFault as fault:
            raise PluginError(str(fault)) from None
        self.content = rendered.html
        self.toc = get_toc(_toc(self.document, rendered))

    def clear(self) -> None:
        """Let go of the content."""
        self.content = ""
        self.toc = get_toc([])


def _toc(document: Document, rendered: Rendered) -> list[Any]:
    """The tokens that MkDocs makes a table of contents from: one heading, and the sections below it."""
    if not rendered.headings:
        return []
    below = [_token(2, heading.id, escape(heading.name), []) for heading in rendered.headings]
    return [_token(1, "title", escape(document.title), below)]


def _token(level: int, anchor: str, name: str, children: list[Any]) -> dict[str, Any]:
    return {"level": level, "id": anchor, "name": name, "data-toc-label": "", "children": children}


def generated(config: MkDocsConfig, uri: str, content: str, source: str | None = None) -> File:
    """A file of the site that no file of the project stands for."""
    file = File.generated(config, uri, content=content, inclusion=InclusionLevel.NOT_IN_NAV)
    if source:
        file.edit_uri = f"../{source}"
    return file
