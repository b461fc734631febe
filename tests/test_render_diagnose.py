"""The page that diagnoses logs, the search boxes of the others, and the samples to try."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urljoin

import pytest
from faultbook.corpus import Corpus, Record
from faultbook.render.diagnose import SAMPLES, SECTIONS, sample_files, sample_logs
from markup import Element, read_html
from sites import Project, copy_of, small_corpus, small_site

FORMS = {"": "diagnose/", "diagnose/": "../diagnose/", "404.html": "/faultbook/diagnose/"}


def page() -> Element:
    return small_site()["diagnose/"]


def test_sections_of_an_answer_wait_hidden_in_the_order_of_the_page() -> None:
    sections = [section for section in page().all("section") if section.attributes.get("data-fb") in SECTIONS]
    assert [section.attributes["data-fb"] for section in sections] == list(SECTIONS)
    for section in sections:
        assert "hidden" in section.attributes
        assert section.one("h2").attributes["id"] == section.attributes["data-fb"]


def test_page_without_scripts_leads_to_the_lists() -> None:
    links = {href for _, href in page().one("noscript").links()}
    assert links == {"../signatures/", "../codes/", "../categories/", "../systems/", "../tags/"}


def test_samples_are_the_longest_of_published_entries_featured_ones_first() -> None:
    corpus = small_corpus()
    samples = sample_logs(corpus)
    assert [sample.slug for sample in samples][:2] == list(corpus.featured)
    assert len(samples) <= SAMPLES
    for sample in samples:
        record = corpus.records[sample.slug]
        assert record.published
        texts = [
            own.log if own.file is None else record.logs[own.file]
            for own in record.entry.samples
            if own.expect == "match"
        ]
        assert sample.text == max(texts, key=lambda text: len(text or ""))


def without_logs(record: Record) -> Record:
    samples = [sample for sample in record.entry.samples if sample.expect == "no-match"]
    return replace(record, entry=record.entry.model_copy(update={"samples": samples}))


def test_entries_without_a_sample_that_matches_offer_none() -> None:
    corpus = small_corpus()
    bare = replace(corpus, records={slug: without_logs(record) for slug, record in corpus.records.items()})
    assert isinstance(bare, Corpus)
    assert sample_logs(bare) == []
    assert sample_files(bare) == {}


def test_each_sample_has_a_file_that_its_link_leads_to(built: Project) -> None:
    links = built.page("diagnose/").section_around("samples").all("a")
    assert [link.attributes["data-fb-sample"] for link in links] == [s.slug for s in sample_logs(small_corpus())]
    for link, sample in zip(links, sample_logs(small_corpus()), strict=True):
        path = built.site / link.attributes["href"].removeprefix("../")
        assert path.read_text("utf-8") == sample.text
        assert link.text == sample.title


def test_a_log_of_a_file_is_shipped_with_its_line_ends(built: Project) -> None:
    shipped = (built.site / "assets/faultbook/samples/worker-killed-for-memory.txt").read_bytes().decode("utf-8")
    assert shipped == sample_files(small_corpus())["assets/faultbook/samples/worker-killed-for-memory.txt"]


@pytest.mark.parametrize("path", FORMS)
def test_pages_with_a_large_box_send_it_to_the_page_that_reads_logs(path: str, built: Project) -> None:
    whole = read_html((built.site / (path if path.endswith(".html") else f"{path}index.html")).read_text("utf-8"))
    form = whole.one("form", "fb-ask")
    assert form.attributes["action"] == FORMS[path]
    assert "name" not in form.attributes
    assert form.one("textarea").attributes["id"] == form.one("label", "fb-ask__label").attributes["for"] == "ask"


def test_header_of_every_page_but_the_home_page_has_a_search_box(built: Project) -> None:
    for url, hidden in (("", True), ("diagnose/", False), ("entries/worker-failed/", False), ("about/", False)):
        form = built.page(url).one("form", "fb-search")
        assert ("hidden" in form.attributes) is hidden
        # A form of this name would make the theme load a search index, which no page has.
        assert form.attributes.get("name") != "search"
        assert "data-md-component" not in form.attributes
        assert urljoin(f"/{url}", form.attributes["action"]) == "/diagnose/"


def test_only_the_page_that_reads_logs_loads_its_style_sheet_and_hides_its_contents(built: Project) -> None:
    for url, own in (("diagnose/", True), ("", False), ("entries/rendezvous-port-taken/", False)):
        whole = built.page(url)
        sheets = [link.attributes["href"] for link in whole.all("link", rel="stylesheet")]
        assert any(sheet.endswith("assets/faultbook/diagnose.css") for sheet in sheets) is own
        sidebars = whole.all("div", "md-sidebar--secondary")
        assert [("hidden" in sidebar.attributes) for sidebar in sidebars] == ([own] if url else [])


def test_a_hand_written_home_page_keeps_the_search_of_the_header(own_home: Project) -> None:
    assert "hidden" not in own_home.page("").one("form", "fb-search").attributes


@pytest.fixture
def own_home(built: Project, tmp_path: Path) -> Project:
    """The small project with a home page of its own, built."""
    project = copy_of(built, tmp_path / "project")
    project.write("docs/index.md", "# Our own home\n")
    assert project.build().code == 0
    return project
