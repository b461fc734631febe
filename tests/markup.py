"""Reads built HTML into a small tree, as a browser would see it, so that tests ask for elements instead of for text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


@dataclass(eq=False)
class Element:
    """An element with its attributes and what stands in it, in order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        """The names in its class attribute."""
        return set(self.attributes.get("class", "").split())

    @property
    def text(self) -> str:
        """All text in it, with runs of blanks as one."""
        return " ".join("".join(self._texts()).split())

    @property
    def raw_text(self) -> str:
        """All text in it, as it stands."""
        return "".join(self._texts())

    def _texts(self) -> Iterator[str]:
        for child in self.children:
            if isinstance(child, str):
                yield child
            else:
                yield from child._texts()

    def walk(self) -> Iterator[Element]:
        """This element and every element in it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str = "", cls: str = "", **attributes: str) -> list[Element]:
        """The elements in it of a tag, a class and attributes, as far as they are given."""
        return [
            element
            for element in self.walk()
            if element is not self
            and (not tag or element.tag == tag)
            and (not cls or cls in element.classes)
            and all(element.attributes.get(name) == value for name, value in attributes.items())
        ]

    def one(self, tag: str = "", cls: str = "", **attributes: str) -> Element:
        """The only such element."""
        found = self.all(tag, cls, **attributes)
        assert len(found) == 1, f"{len(found)} elements {tag} .{cls} {attributes} in <{self.tag}>"
        return found[0]

    def by_id(self, name: str) -> Element:
        """The element with this id."""
        return self.one(id=name)

    def section(self, name: str) -> Element:
        """The heading with this id and what follows up to the next heading of its level, in an element of its own."""
        heading = self.by_id(name)
        assert heading.parent is not None
        siblings = heading.parent.children
        found: list[Element | str] = [heading]
        for sibling in siblings[siblings.index(heading) + 1 :]:
            if isinstance(sibling, Element) and sibling.tag == heading.tag:
                break
            found.append(sibling)
        return Element("#section", children=found)

    def section_around(self, name: str) -> Element:
        """The section that holds the heading with this id."""
        parent = self.by_id(name).parent
        assert parent is not None
        assert parent.tag == "section"
        return parent

    def ids(self) -> list[str]:
        """Every id in it, in the order of the page."""
        return [element.attributes["id"] for element in self.walk() if "id" in element.attributes]

    def links(self) -> list[tuple[str, str]]:
        """Text and address of every link in it."""
        return [(link.text, link.attributes["href"]) for link in self.all("a") if "href" in link.attributes]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.top = Element("#document")
        self.at = self.top

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        at: Element | None = self.at
        while at is not None and at.tag != tag:
            at = at.parent
        if at is not None and at.parent is not None:
            self.at = at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def read_html(text: str) -> Element:
    """The tree of a page or of a part of one."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.top
