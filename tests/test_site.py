"""The built site of a small corpus, as a browser and a search engine get it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from faultbook.corpus import load_corpus
from faultbook.engine.compiler import compile_index
from faultbook.export import entry_schema
from markup import Element, read_html
from sites import ROOT, Project

SITE = "https://example.org/faultbook/"
HOSTS_OF_LINKS = {"creativecommons.org", "docs.kernel.org", "docs.nvidia.com", "docs.pytorch.org", "man7.org"}


@cache
def pages(site: Path) -> dict[str, Element]:
    """Every HTML file of a site by its path."""
    return {
        path.relative_to(site).as_posix(): read_html(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))
    }


def policy(page: Element) -> dict[str, list[str]]:
    """The Content-Security-Policy of a page, by directive."""
    content = page.one("meta", **{"http-equiv": "Content-Security-Policy"}).attributes["content"]
    return {words[0]: words[1:] for words in (part.split() for part in content.split(";"))}


def framed(site: Path) -> Iterator[tuple[str, Element]]:
    """Every page but the redirects, which have no frame."""
    return ((name, page) for name, page in pages(site).items() if not page.all("meta", **{"http-equiv": "refresh"}))


def test_entries_have_title_description_and_address_in_their_head(built: Project) -> None:
    page = built.page("entries/rendezvous-port-taken/")
    assert page.one("title").text == "Rendezvous port is taken (EADDRINUSE) - Faultbook"
    assert page.one("meta", name="description").attributes["content"].startswith("The store of the job cannot listen")
    assert page.one("link", rel="canonical").attributes["href"] == f"{SITE}entries/rendezvous-port-taken/"


@pytest.mark.parametrize(
    ("url", "title"),
    [
        ("entries/open-files-limit/", "Draft: Too many open files in data workers - Faultbook"),
        ("entries/port-in-time-wait/", "Withdrawn: Port is in TIME_WAIT after a run - Faultbook"),
    ],
)
def test_drafts_and_withdrawn_entries_say_so_in_their_title(built: Project, url: str, title: str) -> None:
    assert built.page(url).one("title").text == title


def test_only_drafts_withdrawn_entries_and_redirects_are_kept_out_of_search_engines(built: Project) -> None:
    hidden = {
        name
        for name, page in pages(built.site).items()
        if [meta for meta in page.all("meta", name="robots") if meta.attributes["content"] == "noindex"]
    }
    assert hidden == {
        f"entries/{slug}/index.html"
        for slug in (
            "open-files-limit",
            "port-in-time-wait",
            "address-already-in-use",
            "ddp-port-conflict",
            "exit-code-137",
            "time-wait-blocks-port",
        )
    }


def test_sitemap_lists_every_page_that_may_be_indexed(built: Project) -> None:
    tree = ElementTree.fromstring((built.site / "sitemap.xml").read_text("utf-8"))
    found = [element.text for element in tree.iter() if element.tag.endswith("loc")]
    expected = {
        SITE + name.removesuffix("index.html")
        for name, page in pages(built.site).items()
        if name != "404.html" and not page.all("meta", name="robots")
    }
    assert sorted(map(str, found)) == sorted(expected)


def test_inline_scripts_are_those_of_the_frame_and_allowed_by_their_hash(built: Project) -> None:
    texts = set()
    for name, page in framed(built.site):
        allowed = policy(page)["script-src"]
        inline = [
            script.raw_text
            for script in page.all("script")
            if "src" not in script.attributes and script.attributes.get("type", "") in ("", "module")
        ]
        hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in inline}
        assert hashes == set(allowed) - {"'self'"}, name
        # The way to the root of the site stands in one of them.
        texts |= {re.sub(r'new URL\("[./]*"', "new URL(", text) for text in inline}
        assert page.one("body").all("article")[0].all("script") == []
    assert len(texts) <= 6


def test_policy_lets_a_page_reach_its_own_site_only(built: Project) -> None:
    for name, page in framed(built.site):
        directives = policy(page)
        assert {key: value for key, value in directives.items() if key != "script-src"} == {
            "default-src": ["'self'"],
            "connect-src": ["'self'"],
            "worker-src": ["'self'"],
            "img-src": ["'self'", "data:"],
            "style-src": ["'self'", "'unsafe-inline'"],
            "object-src": ["'none'"],
            "form-action": ["'self'"],
            "base-uri": ["'none'"],
        }, name
        assert "'unsafe-inline'" not in directives["script-src"]
        assert "@inline" not in str(directives)


def test_no_attribute_of_any_page_runs_a_script(built: Project) -> None:
    for name, page in pages(built.site).items():
        for element in page.walk():
            assert not [key for key in element.attributes if key.startswith("on")], name
            for key in ("href", "src", "action"):
                assert not element.attributes.get(key, "").lower().lstrip().startswith(("javascript:", "data:")), name


def test_nothing_is_loaded_from_another_host(built: Project) -> None:
    loading = {"script": "src", "img": "src", "iframe": "src", "form": "action", "link": "href", "source": "srcset"}
    for name, page in pages(built.site).items():
        for tag, key in loading.items():
            for element in page.all(tag):
                if element.attributes.get("rel") != "canonical":
                    assert urlsplit(element.attributes.get(key, "")).netloc in ("", "example.org"), name
    for sheet in built.site.rglob("*.css"):
        addresses = re.findall(r"(?:url\(|@import )[\"']?([^\"')]+)", sheet.read_text("utf-8"))
        assert [address for address in addresses if urlsplit(address).netloc] == [], sheet


def test_links_to_other_hosts_are_those_of_the_texts(built: Project) -> None:
    hosts = {
        urlsplit(href).netloc
        for page in pages(built.site).values()
        for _, href in page.links()
        if urlsplit(href).scheme
    }
    sources = {"www.gnu.org", "docs.docker.com", "docs.python.org", "github.com"}
    assert hosts == HOSTS_OF_LINKS | sources | {"example.org", "openzfs.github.io"}
    assert not [
        href for page in pages(built.site).values() for _, href in page.links() if urlsplit(href).scheme == "http"
    ]


def target(site: Path, name: str, href: str) -> tuple[Path, str]:
    """The file and the anchor that a link of a page leads to."""
    address = urlsplit(urljoin(SITE + name.removesuffix("index.html"), href))
    path = site / unquote(address.path.removeprefix("/faultbook/"))
    return (path / "index.html" if address.path.endswith("/") else path), unquote(address.fragment)


def test_every_link_and_anchor_of_every_page_leads_somewhere(built: Project) -> None:
    anchors = {built.site / name: set(page.ids()) for name, page in pages(built.site).items()}
    checked = 0
    for name, page in pages(built.site).items():
        for _, href in page.links():
            if urlsplit(href).netloc in ("", "example.org") and not href.startswith("https://example.org/faultbook/e"):
                path, anchor = target(built.site, name, href)
                if href.startswith(tuple(f"https://example.org/faultbook/{way}" for way in ("issues", "blob", "new/"))):
                    continue
                if href == "https://example.org/faultbook":
                    continue
                assert path.is_file(), (name, href)
                assert not anchor or anchor in anchors[path], (name, href)
                checked += 1
    assert checked > 500


def test_page_for_unknown_addresses_offers_other_ways_in(built: Project) -> None:
    page = pages(built.site)["404.html"]
    ways = page.section("other-ways").links()
    assert ("Categories", "/faultbook/categories/") in ways
    assert page.one("section", **{"data-fb-missing": ""}).attributes.keys() >= {"hidden"}


def test_list_for_mistyped_addresses_holds_published_entries(built: Project) -> None:
    rows = json.loads((built.site / "assets/faultbook/slugs.json").read_text("utf-8"))
    assert [row["slug"] for row in rows] == [
        "ephemeral-ports-used-up",
        "gpu-fell-off-the-bus",
        "rendezvous-port-taken",
        "worker-failed",
        "worker-killed-for-memory",
    ]
    assert rows[2]["aliases"] == ["address-already-in-use", "ddp-port-conflict"]
    for row in rows:
        assert (built.site / row["url"] / "index.html").is_file()


def test_index_of_the_engine_is_that_of_the_entries(built: Project) -> None:
    compiled = compile_index(load_corpus([built.entries])[0])
    for name in ("index", "search"):
        assert json.loads((built.site / f"assets/faultbook/{name}.json").read_text("utf-8")) == compiled[name]


def test_schema_for_editors_is_published(built: Project) -> None:
    assert json.loads((built.site / "entry.schema.json").read_text("utf-8")) == entry_schema()


def test_browser_code_is_shipped_as_written_and_loaded(built: Project) -> None:
    source = ROOT / "plugins/faultbook/assets"
    for path in source.rglob("*"):
        if path.suffix in (".js", ".css"):
            shipped = built.site / "assets/faultbook" / path.relative_to(source)
            assert shipped.read_bytes() == path.read_bytes()
    page = built.page("entries/rendezvous-port-taken/")
    assert [script.attributes for script in page.all("script", type="module")] == [
        {"src": "../../assets/faultbook/faultbook.js", "type": "module"}
    ]
    assert "../../assets/faultbook/faultbook.css" in [
        link.attributes["href"] for link in page.all("link", rel="stylesheet")
    ]


def test_table_of_contents_stands_in_the_frame(built: Project) -> None:
    page = built.page("entries/rendezvous-port-taken/")
    contents = page.one("nav", "md-nav--secondary").links()
    assert contents[:2] == [("Is it this?", "#is-it-this"), ("Quick fix", "#quick-fix")]
    assert contents[-1] == ("History", "#history")
    groups = built.page("tags/").one("nav", "md-nav--secondary").links()
    assert groups[0] == ("Launch & rendezvous", "#group-launch")


def test_menu_marks_the_page_that_is_shown(built: Project) -> None:
    for url, name, value in (
        ("codes/", "Codes", "page"),
        ("categories/launch/", "Categories", "true"),
        ("entries/worker-failed/", None, None),
    ):
        menu = built.page(url).one("nav", "fb-menu")
        marked = [
            (link.text, link.attributes["aria-current"]) for link in menu.all("a") if "aria-current" in link.attributes
        ]
        assert marked == ([(name, value)] if name else [])


def test_site_names_no_path_of_the_machine_that_built_it(built: Project) -> None:
    for path in built.site.rglob("*"):
        if path.is_file() and path.suffix in (".html", ".json", ".xml", ".js", ".css"):
            text = path.read_text("utf-8")
            assert str(built.root) not in text, path
            assert str(ROOT) not in text, path


def test_only_the_site_is_left_behind(built: Project) -> None:
    assert sorted(path.name for path in built.root.iterdir()) == [
        "docs",
        "entries",
        "mkdocs.yml",
        "reproductions",
        "site",
    ]
    assert (built.site / ".gitignore").read_text("utf-8") == "*\n!.gitignore\n"
