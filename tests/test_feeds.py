"""Feeds hold what their formats ask for: Atom as in RFC 4287, JSON Feed as in version 1.1."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any
from xml.parsers import expat

import pytest
from faultbook import feeds
from faultbook.export.past import Facts, Past
from faultbook.feeds import Feed, Item, atom, feed_files, json_feed
from faultbook.links import build_links
from hypothesis import given, settings
from hypothesis import strategies as st
from sites import Project, copy_corpus, edited, loaded, small_corpus

SITE = "https://example.org/faultbook/"
NAMESPACE = "{http://www.w3.org/2005/Atom}"
PAST = {"worker-failed": Past("2026-01-02T03:04:05Z", "2026-12-01T00:00:00Z", ("Ada",))}
FACTS = Facts(SITE, date(2026, 12, 1), PAST)
ITEM = Item("Title", SITE + "entries/a/", "Summary.", None, "2026-11-30T00:00:00Z", ("Ada",), ("tag",))


def parsed(text: str) -> ElementTree.Element:
    """The document of a feed, by a parser that takes no entities and no document types."""
    parser = expat.ParserCreate()

    def refuse(*_: object) -> None:
        raise AssertionError("a feed declares nothing")

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.Parse(text.encode("utf-8"), True)
    return ElementTree.fromstring(text)


def one(element: ElementTree.Element, name: str) -> str:
    found = element.findall(NAMESPACE + name)
    assert len(found) == 1, f"exactly one {name}"
    assert found[0].text
    return found[0].text


def assert_atom(text: str) -> ElementTree.Element:
    """What RFC 4287 asks of a feed and of its entries (4.1.1 and 4.1.2)."""
    feed = parsed(text)
    assert feed.tag == f"{NAMESPACE}feed"
    assert feed.find(f"{NAMESPACE}author/{NAMESPACE}name") is not None
    entries = feed.findall(f"{NAMESPACE}entry")
    for element in (feed, *entries):
        assert one(element, "id").startswith("https://")
        assert one(element, "title")
        assert datetime.fromisoformat(one(element, "updated").replace("Z", "+00:00")).tzinfo
        links = {link.attrib["rel"]: link.attrib["href"] for link in element.findall(f"{NAMESPACE}link")}
        assert links["alternate"].startswith("https://")
    assert [link for link in feed.findall(f"{NAMESPACE}link") if link.attrib["rel"] == "self"]
    identifiers = [one(entry, "id") for entry in entries]
    assert len(set(identifiers)) == len(identifiers)
    dates = [one(entry, "updated") for entry in entries]
    assert dates == sorted(dates, reverse=True)
    assert one(feed, "updated") == (dates[0] if dates else "1970-01-01T00:00:00Z")
    assert all(one(entry, "summary") for entry in entries)
    return feed


def assert_json_feed(text: str) -> dict[str, Any]:
    """What version 1.1 asks of a feed and of its items."""
    feed: dict[str, Any] = json.loads(text)
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    assert feed["title"]
    for item in feed["items"]:
        assert isinstance(item["id"], str)
        assert item["content_text"]
        for key in ("date_published", "date_modified"):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", item.get(key, "2026-01-01T00:00:00Z"))
        assert all(author["name"] for author in item.get("authors", []))
        assert all(isinstance(tag, str) for tag in item.get("tags", []))
    return feed


def test_the_site_and_each_category_have_both_feeds(built: Project) -> None:
    expected = {"feed.xml", "feed.json"} | {
        f"categories/{name}/feed.{form}" for name in small_corpus().categories for form in ("xml", "json")
    }
    assert {path.relative_to(built.site).as_posix() for path in built.site.rglob("feed.*")} == expected
    for path in built.site.rglob("feed.xml"):
        feed = assert_atom(path.read_text("utf-8"))
        data = assert_json_feed(path.with_suffix(".json").read_text("utf-8"))
        addresses = [one(entry, "id") for entry in feed.findall(f"{NAMESPACE}entry")]
        assert [item["id"] for item in data["items"]] == addresses
        assert data["feed_url"] == SITE + path.with_suffix(".json").relative_to(built.site).as_posix()
        assert all((built.site / address.removeprefix(SITE) / "index.html").is_file() for address in addresses)


def test_feeds_hold_published_entries_and_those_of_a_category_its_own(built: Project) -> None:
    data = json.loads((built.site / "feed.json").read_text("utf-8"))
    assert {item["url"].removeprefix(f"{SITE}entries/").rstrip("/") for item in data["items"]} == {
        record.slug for record in small_corpus().published()
    }
    launch = json.loads((built.site / "categories/launch/feed.json").read_text("utf-8"))
    assert launch["title"] == "Faultbook: Launch & rendezvous"
    assert {item["url"] for item in launch["items"]} == {
        f"{SITE}entries/{record.slug}/" for record in small_corpus().published() if record.category == "launch"
    }


def test_pages_lead_to_the_feeds_of_the_site_and_of_their_category(built: Project) -> None:
    def addresses(url: str) -> list[str]:
        return [
            link.attributes["href"]
            for link in built.page(url).all("link", rel="alternate feed")
            if "feed" in link.attributes["href"]
        ]

    assert addresses("changes/") == ["../feed.xml", "../feed.json"]
    assert addresses("") == ["./feed.xml", "./feed.json"]
    assert addresses("categories/launch/") == [
        "../../feed.xml",
        "../../feed.json",
        "../../categories/launch/feed.xml",
        "../../categories/launch/feed.json",
    ]
    assert ("Atom feed", "../feed.xml") in built.page("changes/").links()


def test_git_dates_an_entry_before_its_review_does() -> None:
    files = feed_files(small_corpus(), build_links(small_corpus()), FACTS, "F")
    first = assert_json_feed(files["feed.json"]())["items"][0]
    assert first["url"] == f"{SITE}entries/worker-failed/"
    assert (first["date_published"], first["date_modified"]) == ("2026-01-02T03:04:05Z", "2026-12-01T00:00:00Z")
    entry = assert_atom(files["feed.xml"]()).find(f"{NAMESPACE}entry")
    assert entry is not None
    assert one(entry, "published") == "2026-01-02T03:04:05Z"


def test_the_same_entries_give_the_same_bytes() -> None:
    made = [
        {name: make() for name, make in feed_files(small_corpus(), build_links(small_corpus()), FACTS, "F").items()}
        for _ in range(2)
    ]
    assert made[0] == made[1]


def test_a_feed_ends_after_the_newest_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "ENTRIES", 2)
    files = feed_files(small_corpus(), build_links(small_corpus()), FACTS, "F")
    whole = sorted((FACTS.changed(record) for record in small_corpus().published()), reverse=True)
    assert [item["date_modified"][:10] for item in assert_json_feed(files["feed.json"]())["items"]] == whole[:2]


def test_a_category_without_entries_has_a_valid_feed(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "gpu/gpu-fell-off-the-bus.yaml") as data:
        data["status"] = "draft"
    corpus = loaded(entries)
    files = feed_files(corpus, build_links(corpus), FACTS, "F")
    assert assert_atom(files["categories/gpu/feed.xml"]()).findall(f"{NAMESPACE}entry") == []
    assert assert_json_feed(files["categories/gpu/feed.json"]())["items"] == []


def test_without_the_address_of_the_site_there_is_no_feed() -> None:
    assert feed_files(small_corpus(), build_links(small_corpus()), Facts(), "F") == {}


@settings(deadline=None)
@given(st.text(max_size=60).filter(str.strip))
def test_no_text_breaks_a_feed(text: str) -> None:
    feed = Feed(f"T{text}", SITE, (replace(ITEM, title=f"T{text}", summary=f"S{text}", authors=(f"A{text}",)),))
    assert_atom(atom(feed, SITE))
    assert assert_json_feed(json_feed(feed, SITE))["items"][0]["title"] == f"T{text}"


@pytest.mark.parametrize("bad", ["<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "<!DOCTYPE a><a/>"])
def test_the_parser_of_these_tests_refuses_declarations(bad: str) -> None:
    with pytest.raises(AssertionError, match="declares nothing"):
        parsed(bad)
