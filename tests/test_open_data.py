"""The files for other programs: each follows its schema, and says what the pages say."""

from __future__ import annotations

import gzip
import json
import re
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from faultbook.blocks.markdown import harmless
from faultbook.export.api import api_files, corpus_gz, entry_json
from faultbook.export.api_schemas import api_schemas
from faultbook.export.llms import llms_text
from faultbook.export.past import Facts, Past
from faultbook.export.twin import entry_markdown
from faultbook.links import build_links
from faultbook.render.structured import script_json
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from markdown_it import MarkdownIt
from referencing import Registry, Resource
from sites import Project, copy_corpus, copy_of, edited, loaded, small_corpus

SITE = "https://example.org/faultbook/"
PAST = Past("2025-03-01T10:00:00Z", "2026-11-02T12:30:00Z", ("Ada", "Grace"))
FACTS = Facts(SITE, date(2026, 12, 1), {"rendezvous-port-taken": PAST})


@cache
def registry() -> Registry[Any]:
    schemas = api_schemas()
    return Registry().with_resources([(f"{name}.json", Resource.from_contents(schemas[name])) for name in schemas])


def faults(name: str, data: Any) -> list[str]:
    validator = Draft202012Validator(api_schemas()[name], registry=registry())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(data)]


def read(site: Path, address: str) -> Any:
    return json.loads((site / address).read_text("utf-8"))


@pytest.mark.parametrize("name", sorted(api_schemas()))
def test_each_schema_is_valid_and_describes_every_property(name: str) -> None:
    schema = api_schemas()[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"].startswith("Faultbook ")

    def bare(part: Any, path: str) -> list[str]:
        if isinstance(part, list):
            return [found for item in part for found in bare(item, path)]
        if not isinstance(part, dict):
            return []
        properties = part.get("properties", {})
        found = [f"{path}.{key}" for key, value in properties.items() if "description" not in value]
        return found + [
            more for key, value in part.items() if key != "examples" for more in bare(value, f"{path}.{key}")
        ]

    assert bare(schema, name) == []


@pytest.mark.parametrize("name", ["index", "signatures", "aliases", "changes"])
def test_each_file_of_the_site_follows_the_schema_beside_it(built: Project, name: str) -> None:
    data = read(built.site, f"api/v1/{name}.json")
    assert read(built.site, f"api/v1/schema/{name}.json") == api_schemas()[name]
    assert faults(name, data) == []
    assert data[{"index": "entries"}.get(name, name)]


def test_each_entry_of_the_site_follows_its_schema_and_has_all_its_fields(built: Project) -> None:
    rows = read(built.site, "api/v1/index.json")["entries"]
    assert {row["id"] for row in rows} == set(small_corpus().records)
    for row in rows:
        data = read(built.site, row["api"])
        assert faults("entry", data) == []
        record = small_corpus().records[row["id"]]
        stated = record.entry.model_dump(mode="json", exclude_unset=True)
        assert {key: data[key] for key in stated} == stated
        assert (data["id"], data["category"], data["url"]) == (record.slug, record.category, row["url"])
        assert (built.site / row["url"] / "index.html").is_file()
        assert (built.site / data["markdown"]).is_file()


def test_schemas_refuse_what_is_wrong() -> None:
    record = small_corpus().records["worker-failed"]
    data = json.loads(entry_json(record, build_links(small_corpus()), FACTS))
    assert faults("entry", {**data, "backlinks": {}})
    assert faults("entry", {key: value for key, value in data.items() if key != "history"})
    assert faults("index", {"schema": 1, "entries": [{"id": "No slug"}]})
    assert faults("aliases", {"schema": 1, "aliases": {"a": 3}})
    assert faults("signatures", {"schema": 2, "signatures": []})
    assert faults("changes", {"schema": 1, "changes": [{"id": "a"}]})
    assert faults("corpus", {"schema": 1, "entries": [{}]})


def test_the_index_says_of_each_entry_what_state_it_is_in(built: Project) -> None:
    rows = {row["id"]: row for row in read(built.site, "api/v1/index.json")["entries"]}
    assert rows["open-files-limit"] == {
        "id": "open-files-limit",
        "title": "Too many open files in data workers",
        "category": "host",
        "kind": "cause",
        "status": "draft",
        "evidence": None,
        "reviewed": None,
        "url": "entries/open-files-limit/",
        "api": "api/v1/entries/open-files-limit.json",
    }
    assert rows["port-in-time-wait"]["status"] == "withdrawn"
    assert rows["worker-failed"]["kind"] == "wrapper"


def test_an_entry_comes_with_its_history_and_with_what_leads_to_it() -> None:
    corpus = small_corpus()
    links = build_links(corpus)
    data = json.loads(entry_json(corpus.records["rendezvous-port-taken"], links, FACTS))
    assert data["history"] == {
        "added": "2025-03-01T10:00:00Z",
        "changed": "2026-11-02T12:30:00Z",
        "contributors": ["Ada", "Grace"],
    }
    for slug, record in corpus.records.items():
        back = json.loads(entry_json(record, links, FACTS))["backlinks"]
        assert [item["entry"] for item in back["related"]] == [item.slug for item in links.related.get(slug, ())]
        assert back["mentions"] == list(links.mentions.get(slug, ()))
    assert any(links.related.values())
    assert any(links.mentions.values())
    assert json.loads(entry_json(corpus.records["worker-failed"], links, FACTS))["history"] is None


def test_signatures_lead_to_their_place_on_the_page(built: Project) -> None:
    rows = read(built.site, "api/v1/signatures.json")["signatures"]
    published = small_corpus().published()
    assert len(rows) == sum(len(record.entry.signatures()) for record in published)
    for row in rows:
        page, anchor = row["url"].split("#")
        assert anchor in built.page(page).ids()
    assert {row["role"] for row in rows} >= {"cause", "wrapper"}


def test_aliases_name_the_entry_to_which_their_page_leads(built: Project) -> None:
    aliases = read(built.site, "api/v1/aliases.json")["aliases"]
    assert aliases["ddp-port-conflict"] == "rendezvous-port-taken"
    for alias, slug in aliases.items():
        assert f"../{slug}/" in (built.site / f"entries/{alias}/index.html").read_text("utf-8")


def test_changes_go_by_git_where_it_knows_an_entry() -> None:
    rows = json.loads(api_files(small_corpus(), build_links(small_corpus()), FACTS)["api/v1/changes.json"]())["changes"]
    row = next(row for row in rows if row["id"] == "rendezvous-port-taken")
    assert (row["added"], row["changed"]) == ("2025-03-01", "2026-11-02")
    assert row["reviewed"] == "2026-11-30"
    assert [row["changed"] for row in rows] == sorted((row["changed"] for row in rows), reverse=True)
    assert {row["id"] for row in rows} == {record.slug for record in small_corpus().published()}


def test_the_whole_corpus_is_one_file_whose_bytes_depend_on_the_corpus_alone(built: Project) -> None:
    packed = (built.site / "api/v1/corpus.json.gz").read_bytes()
    data = json.loads(gzip.decompress(packed))
    assert faults("corpus", data) == []
    assert [entry["id"] for entry in data["entries"]] == list(small_corpus().records)
    assert list(data["tags"]) == list(small_corpus().tags)
    for entry in data["entries"]:
        assert entry == read(built.site, f"api/v1/entries/{entry['id']}.json")
    links = build_links(small_corpus())
    assert corpus_gz(small_corpus(), links, FACTS) == corpus_gz(small_corpus(), links, FACTS)
    assert packed[4:8] == b"\0\0\0\0"


def test_the_markdown_of_an_entry_holds_its_texts_and_leads_to_others(built: Project) -> None:
    text = (built.site / "entries/rendezvous-port-taken.md").read_text("utf-8")
    assert text.startswith("# Rendezvous port is taken (`EADDRINUSE`)\n")
    targets = re.findall(r"\]\(([a-z0-9-]+\.md)\)", text)
    assert targets
    assert all((built.site / "entries" / target).is_file() for target in targets)
    assert "## Checklist" not in text
    assert re.search(r"^1\. \[.+\]\(https://.+\)$", text, re.MULTILINE)


@pytest.mark.parametrize("slug", sorted(small_corpus().records))
def test_every_section_of_the_markdown_is_markdown(slug: str) -> None:
    corpus = small_corpus()
    text = entry_markdown(corpus.records[slug], corpus, build_links(corpus))
    tokens = MarkdownIt("commonmark").parse(text)
    assert [token for token in tokens if token.type == "html_block"] == []
    children = [child for token in tokens for child in token.children or ()]
    assert not [child for child in children if child.type == "html_inline"]
    assert not [child.content for child in children if child.type == "text" and re.search(r"\[\[|\[@", child.content)]


HOSTILE = (
    "A <script>alert(1)</script> <b onclick=x>&lt;i&gt; [x](javascript:alert(1)) ![p](https://evil.example/p.png) "
    "`<code>` [r][q] \\<img src=x>"
)


def test_nothing_of_a_hostile_entry_acts_in_its_markdown(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "launch/rendezvous-port-taken.yaml") as data:
        data["summary"] = HOSTILE
        data["title"] = "Port <script>x</script> [x](javascript:y) & `z`"
        data["mechanism"] = f"{HOSTILE}\n\n<div>\n\n[q]: javascript:alert(2)\n\n- `a\n  <u>`\n\n\\`<s>\\`"
        data["references"][0]["title"] = HOSTILE[:100]
        data["checklist"][0]["check"] = HOSTILE
    corpus = loaded(entries)
    text = entry_markdown(corpus.records["rendezvous-port-taken"], corpus, build_links(corpus))
    assert acting(text) == []
    assert "`<code>`" in text


def acting(text: str) -> list[str]:
    """Tags, pictures and links to anything but pages, as CommonMark reads a text."""
    found = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "html_block":
            found.append(token.content)
        for child in token.children or ():
            address = str(child.attrs.get("href", ""))
            if child.type in ("html_inline", "image") or (
                address and not address.startswith("https://") and not address.endswith(".md")
            ):
                found.append(child.content or address)
    return found


@settings(deadline=None)
@given(st.text(st.sampled_from("`<b>&#;x[]():!\\\n -~*\"'"), max_size=40))
def test_no_prose_acts_in_markdown_that_lets_html_through(text: str) -> None:
    assert acting(harmless(text)) == []


@settings(deadline=None)
@given(st.text(st.sampled_from("ab `*_.\n"), max_size=40))
def test_plain_prose_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_llms_txt_lists_published_entries_with_whole_addresses(built: Project) -> None:
    text = (built.site / "llms.txt").read_text("utf-8")
    assert text.startswith("# Faultbook\n\n> ")
    addresses = re.findall(r"\]\((https://[^)]+)\)", text)
    assert {address for address in addresses if address.endswith(".md")} == {
        f"{SITE}entries/{record.slug}.md" for record in small_corpus().published()
    }
    assert all((built.site / address.removeprefix(SITE)).is_file() for address in addresses)
    bare = llms_text(small_corpus(), build_links(small_corpus()), Facts(), "F", "D")
    assert "](entries/worker-failed.md)" in bare


def test_pages_of_published_entries_carry_what_search_engines_read(built: Project) -> None:
    script = built.page("entries/rendezvous-port-taken/").one("script", type="application/ld+json")
    article, crumbs = json.loads(script.raw_text)
    assert article["@type"] == "TechArticle"
    assert article["headline"] == "Rendezvous port is taken (EADDRINUSE)"
    assert article["url"] == f"{SITE}entries/rendezvous-port-taken/"
    assert article["dateModified"] == small_corpus().records["rendezvous-port-taken"].entry.reviewed
    assert [(item["position"], item["name"]) for item in crumbs["itemListElement"]] == [
        (1, "Home"),
        (2, "Launch & rendezvous"),
        (3, "Rendezvous port is taken (EADDRINUSE)"),
    ]
    for item in crumbs["itemListElement"]:
        assert (built.site / item["item"].removeprefix(SITE) / "index.html").is_file()
    for url in ("entries/open-files-limit/", "entries/port-in-time-wait/", "changes/"):
        assert built.page(url).all("script", type="application/ld+json") == []


def test_no_text_ends_the_script_that_holds_it() -> None:
    data = {"a": "</script><!-- <script> & \u2028"}
    text = script_json(data)
    assert json.loads(text) == data
    assert not set("<>&\u2028") & set(text)


def test_pages_lead_to_their_other_forms(built: Project) -> None:
    page = built.page("entries/rendezvous-port-taken/")
    assert page.one("link", type="text/markdown").attributes["href"] == "../../entries/rendezvous-port-taken.md"
    # Material's script would ask for a sitemap beside it.
    assert page.all("link", rel="alternate") == []
    assert page.one("p", "fb-actions").links()[-2:] == [
        ("Markdown", "../../entries/rendezvous-port-taken.md"),
        ("JSON", "../../api/v1/entries/rendezvous-port-taken.json"),
    ]


def test_without_an_address_there_are_no_feeds_and_no_structured_data(built: Project, tmp_path: Path) -> None:
    project = copy_of(built, tmp_path / "project")
    project.configure(site_url=None)
    assert project.build().code == 0
    assert not list(project.site.rglob("feed.*"))
    page = project.page("entries/rendezvous-port-taken/")
    assert page.all("script", type="application/ld+json") == []
    assert page.all("link", type="application/atom+xml") == []
    assert faults("index", read(project.site, "api/v1/index.json")) == []
