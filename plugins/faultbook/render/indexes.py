"""The pages that lead to entries: home, categories, tags, systems, signatures, codes, changes, wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from jinja2 import Environment

from faultbook.corpus import Corpus
from faultbook.export.past import Facts
from faultbook.links import Links
from faultbook.render.codes import code_sections, known_codes
from faultbook.render.lines import by_letter, signature_lines
from faultbook.render.page import Document, Heading, Rendered, plain_title
from faultbook.render.rows import by_change, by_title, entry_row

HOME_CHANGES = 8
HOME_SYSTEMS = 14


class Indexes:
    """Makes the index pages of one corpus."""

    def __init__(self, corpus: Corpus, links: Links, environment: Environment, facts: Facts) -> None:
        self.corpus = corpus
        self.links = links
        self.environment = environment
        self.rows = {record.slug: entry_row(record, corpus, facts) for record in corpus.published()}
        self.dated = "changed" if facts.past else "reviewed"
        """What the newest entries were last, by git or by what they state."""

    def documents(self) -> Iterator[Document]:
        """Every index page."""
        home = self._page("", "home.html", "Faultbook", self._home, "Failures of machine-learning training runs.")
        yield replace(home, searches=True)
        yield from self._category_pages()
        yield from self._tag_pages()
        yield from self._system_pages()
        yield self._page("signatures/", "signatures.html", "Signatures A to Z", self._signatures)
        yield self._page("codes/", "codes.html", "Codes, variables and flags", self._codes)
        yield self._page("changes/", "changes.html", f"Recently {self.dated}", self._changes)
        yield self._page("wanted/", "wanted.html", "Wanted entries", self._wanted)

    def _page(
        self, url: str, template: str, title: str, context: Callable[[], Mapping[str, Any]], description: str = ""
    ) -> Document:
        root = "../" * url.count("/") or "./"

        def render() -> Rendered:
            values = dict(context())
            headings = tuple(values.pop("headings", ()))
            html = self.environment.get_template(template).render(root=root, title=title, **values)
            return Rendered(html, headings)

        return Document(url, title, render, description or f"{title}: failures of machine-learning training runs.")

    def _home(self) -> Mapping[str, Any]:
        rows = list(self.rows.values())
        systems = [
            {"id": system, "title": self._system_title(system), "count": len(slugs)}
            for system, slugs in sorted(self.links.by_system.items(), key=lambda item: (-len(item[1]), item[0]))
        ]
        return {
            "total": len(rows),
            "reproduced": sum(row.evidence == "reproduced" for row in rows),
            "signatures": len(signature_lines(self.corpus)),
            "categories": self._category_rows(),
            "systems": systems[:HOME_SYSTEMS],
            "featured": [self.rows[slug] for slug in self.corpus.featured if slug in self.rows],
            "changes": by_change(rows)[:HOME_CHANGES],
            "dated": self.dated,
        }

    def _category_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "id": name,
                "url": f"categories/{name}/",
                "title": category.title,
                "text": category.text,
                "count": len(self.links.by_category.get(name, ())),
            }
            for name, category in self.corpus.categories.items()
        ]

    def _category_pages(self) -> Iterator[Document]:
        intro = "Each entry belongs to the category in which its cause lies."
        yield self._groups("categories/", "Categories", intro, "categories", [("", "", self._category_rows())])
        for name, category in self.corpus.categories.items():
            wanted = self._wanted_of(name)
            context = self._list(
                self.links.by_category.get(name, ()), ("Categories", "categories/"), category.text, wanted=wanted
            )
            page = self._page(f"categories/{name}/", "list.html", category.title, context, category.text)
            yield replace(page, feed=page.url)

    def _tag_pages(self) -> Iterator[Document]:
        groups = []
        for name, category in self.corpus.categories.items():
            rows = [
                {"url": f"tags/{tag}/", "title": tag, "text": item.text, "count": len(self.links.by_tag.get(tag, ()))}
                for tag, item in self.corpus.tags.items()
                if item.group == name
            ]
            if rows:
                groups.append((name, category.title, rows))
        yield self._groups("tags/", "Tags", "Words that group entries across categories.", "tags", groups)
        for tag, item in self.corpus.tags.items():
            slugs = self.links.by_tag.get(tag, ())
            context = self._list(
                slugs, ("Tags", "tags/"), item.text, category=True, together=self._together(tag, slugs)
            )
            yield self._page(f"tags/{tag}/", "list.html", f"Tag: {tag}", context, item.text)

    def _together(self, tag: str, slugs: Iterable[str]) -> list[str]:
        """The tags that most often stand beside this one."""
        counts = Counter(other for slug in slugs for other in self.corpus.records[slug].entry.tags if other != tag)
        return [other for other, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:5]]

    def _system_title(self, system: str) -> str:
        known = self.corpus.systems.get(system)
        return known.title if known else system

    def _system_pages(self) -> Iterator[Document]:
        rows = [
            {
                "url": f"systems/{name}/",
                "title": system.title,
                "text": system.text,
                "count": len(self.links.by_system.get(name, ())),
            }
            for name, system in sorted(self.corpus.systems.items(), key=lambda item: item[1].title.lower())
        ]
        yield self._groups("systems/", "Systems", "Software and hardware that fails.", "systems", [("", "", rows)])
        for name, system in self.corpus.systems.items():
            slugs = self.links.by_system.get(name, ())
            context = self._list(slugs, ("Systems", "systems/"), system.text, category=True, url=system.url)
            yield self._page(f"systems/{name}/", "list.html", system.title, context, system.text)

    def _groups(
        self, url: str, title: str, intro: str, unit: str, groups: list[tuple[str, str, list[dict[str, Any]]]]
    ) -> Document:
        shown = [{"id": name, "title": heading, "rows": rows} for name, heading, rows in groups]
        values = {
            "intro": intro,
            "unit": unit,
            "count": sum(len(rows) for _, _, rows in groups),
            "groups": shown,
            "headings": [Heading(f"group-{name}", heading) for name, heading, _ in groups if heading],
        }
        return self._page(url, "groups.html", title, lambda: values, intro)

    def _list(
        self,
        slugs: Iterable[str],
        parent: tuple[str, str],
        intro: str,
        *,
        category: bool = False,
        **more: Any,
    ) -> Callable[[], Mapping[str, Any]]:
        rows = by_title([self.rows[slug] for slug in slugs])
        defaults = {"together": [], "wanted": [], "url": ""}
        values = {"rows": rows, "parent": parent, "intro": intro, "with_category": category, **defaults, **more}
        return lambda: values

    def _signatures(self) -> Mapping[str, Any]:
        letters = by_letter(signature_lines(self.corpus))
        return {"letters": letters, "total": sum(len(letter.lines) for letter in letters)}

    def _codes(self) -> Mapping[str, Any]:
        sections = code_sections(self.corpus)
        return {
            "sections": sections,
            "count": sum(len(section.rows) for section in sections),
            "sources": known_codes()["source"],
            "headings": [Heading(section.id, section.title) for section in sections],
        }

    def _changes(self) -> Mapping[str, Any]:
        return {"rows": by_change(list(self.rows.values())), "dated": self.dated}

    def _wanted_of(self, category: str) -> list[dict[str, Any]]:
        items = [
            {"slug": slug, "title": plain_title(item.title), "kind": item.kind, "priority": item.priority}
            for slug, item in self.corpus.wanted.items()
            if item.category == category
        ]
        return sorted(items, key=lambda item: (item["priority"], str(item["title"]).lower()))

    def _wanted(self) -> Mapping[str, Any]:
        groups = [
            {"id": name, "title": category.title, "rows": self._wanted_of(name)}
            for name, category in self.corpus.categories.items()
        ]
        groups = [group for group in groups if group["rows"]]
        return {
            "groups": groups,
            "count": len(self.corpus.wanted),
            "headings": [Heading(f"group-{group['id']}", str(group["title"])) for group in groups],
        }
