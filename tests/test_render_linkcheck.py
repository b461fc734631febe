"""Links that lead nowhere."""

from __future__ import annotations

import pytest
from faultbook.render import LinkCheck


def dead(page: str, html: str) -> list[str]:
    """What is wrong with a page of a site with two more pages and a file."""
    check = LinkCheck({"entry.schema.json", "assets/a.css"})
    check.add("", '<h1 id="title">Home</h1>')
    check.add("codes/", '<h2 id="exit">x</h2><tr id=\'exit--9\'></tr><h2 id="a b">x</h2>')
    check.add(page, html)
    return list(check.dead())


@pytest.mark.parametrize(
    ("page", "href"),
    [
        ("entries/x/", "../../codes/"),
        ("entries/x/", "../../codes/#exit"),
        ("entries/x/", "../../codes/#exit--9"),
        ("entries/x/", "../../codes/#a%20b"),
        ("entries/x/", "../../"),
        ("entries/x/", "../../#title"),
        ("entries/x/", "../.."),
        ("entries/x/", "../../entry.schema.json"),
        ("entries/x/", "."),
        ("entries/x/", ""),
        ("entries/x/", "#here"),
        ("entries/x/", "../x/#here"),
        ("entries/x/", "../../codes/?q=a#exit"),
        ("entries/x/", "/codes/"),
        ("entries/x/", "https://example.org/nowhere/"),
        ("entries/x/", "//example.org/nowhere/"),
        ("entries/x/", "mailto:a@example.org"),
        ("codes/x/", "../"),
        ("404.html", "codes/"),
    ],
)
def test_links_that_lead_somewhere(page: str, href: str) -> None:
    assert dead(page, f'<p id="here"><a class="b" href="{href}">x</a></p>') == []


@pytest.mark.parametrize(
    ("html", "sentences"),
    [
        ('<a href="../y/">x</a>', ["'entries/x/' links to 'entries/y/', which does not exist"]),
        ("<a class='b' href='../y/'>x</a>", ["'entries/x/' links to 'entries/y/', which does not exist"]),
        ('<a\nhref="../y/">x</a>', ["'entries/x/' links to 'entries/y/', which does not exist"]),
        ('<a href="../../codes">x</a>', ["'entries/x/' links to 'codes', which does not exist"]),
        ('<a href="../../../codes/">x</a>', ["'entries/x/' links to '../codes/', which does not exist"]),
        ('<a href="../../a&amp;b/">x</a>', ["'entries/x/' links to 'a&b/', which does not exist"]),
        (
            '<a href="../../codes/#xid">x</a>',
            ["'entries/x/' links to 'codes/#xid', but that page has no such anchor"],
        ),
        ('<a href="#gone">x</a>', ["'entries/x/' links to 'entries/x/#gone', but that page has no such anchor"]),
        ('<p id="a"></p><p id="a"></p>', ["'entries/x/' has the id 'a' twice"]),
        ('<a data-href="../y/" href="../../">x</a>', []),
        ('<p data-id="a"></p><p id="a"></p>', []),
        ('<link href="../y/">', []),
    ],
)
def test_links_that_lead_nowhere(html: str, sentences: list[str]) -> None:
    assert dead("entries/x/", html) == sentences


def test_a_dead_link_is_named_once_with_the_first_page_that_has_it() -> None:
    check = LinkCheck(set())
    check.add("a/", '<a href="../gone/">x</a><a href="../gone/">y</a>')
    check.add("b/", '<a href="../gone/">x</a>')
    assert list(check.dead()) == ["'a/' links to 'gone/', which does not exist"]
