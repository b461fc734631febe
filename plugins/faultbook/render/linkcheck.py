"""Finds links and anchors of built pages that lead nowhere."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from posixpath import normpath
from urllib.parse import unquote, urlsplit

_HREF = re.compile(r"""<a\b[^>]*?\shref=(?:"([^"]*)"|'([^']*)')""")
# It begins with plain characters and looks behind them afterwards, since that is found seven times as fast.
_ID = re.compile(r"""id=(?<=\sid=)(?:"([^"]*)"|'([^']*)')""")


_SIMPLE = re.compile(r"(?:[a-z0-9-]+/)+")


@dataclass
class LinkCheck:
    """Collects the links of every page as it is built, and knows the dead ones when all are."""

    known: set[str]
    """Addresses of the site, relative to its root, that no page of ours stands for, such as files."""
    ids: dict[str, str] = field(default_factory=dict)
    targets: dict[tuple[str, str], str] = field(default_factory=dict)
    """Each address and anchor that is linked, with the first page that links to it."""
    duplicates: list[tuple[str, str]] = field(default_factory=list)

    def add(self, url: str, content: str) -> None:
        """Take in a page: its address, relative to the root of the site, and its HTML."""
        ids = [double or single for double, single in _ID.findall(content)]
        self.ids[url] = "\n".join(ids)
        if len(ids) != len(set(ids)):
            self.duplicates += [(url, name) for name in sorted(set(ids)) if ids.count(name) > 1]
        for double, single in set(_HREF.findall(content)):
            target = _resolve(url, html.unescape(double or single))
            if target is not None:
                self.targets.setdefault(target, url)

    def dead(self) -> Iterator[str]:
        """One sentence for each dead link and each id that stands twice on a page."""
        linked = {url for url, anchor in self.targets if anchor}
        pages = {url: set(self.ids[url].split("\n")) for url in linked & self.ids.keys()}
        for (url, anchor), page in sorted(self.targets.items()):
            if url not in self.ids:
                if url not in self.known:
                    yield f"'{page or 'the home page'}' links to '{url}', which does not exist"
            elif anchor and anchor not in pages[url]:
                yield f"'{page or 'the home page'}' links to '{url}#{anchor}', but that page has no such anchor"
        for url, name in self.duplicates:
            yield f"'{url or 'the home page'}' has the id '{name}' twice"


def _resolve(page: str, href: str) -> tuple[str, str] | None:
    """The address and the anchor that a link leads to; nothing if it leaves the site."""
    # Most links are one of these three, and parsing them as addresses costs more than all else here.
    if href.startswith("#"):
        return page, unquote(href[1:])
    if href.startswith("https://"):
        return None
    root = "../" * page.count("/")
    rest = href.removeprefix(root) if root else ""
    if rest and len(rest) < len(href) and _SIMPLE.fullmatch(rest):
        return rest, ""
    return _address(page, href)


def _address(page: str, href: str) -> tuple[str, str] | None:
    parts = urlsplit(href)
    if parts.scheme or parts.netloc:
        return None
    anchor = unquote(parts.fragment)
    if not parts.path:
        return page, anchor
    folder = page if page.endswith("/") else page.rpartition("/")[0]
    path = normpath(f"{folder}/{unquote(parts.path)}".lstrip("/")) if not parts.path.startswith("/") else parts.path[1:]
    path = "" if path == "." else path.rstrip("/")
    return (f"{path}/" if parts.path.endswith(("/", ".")) and path else path), anchor
