"""What waits for maintainers: the page with the state of the corpus, reviews that are due, and what git knows."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest
from click.testing import CliRunner
from faultbook.cli import main
from faultbook.corpus import Corpus
from faultbook.export.past import Facts, Past, review_due
from faultbook.links import build_links
from faultbook.project import default_templates
from faultbook.render import documents
from markup import Element, read_html
from sites import CORPUS, REPOSITORY, WRITTEN, copy_corpus, edited, loaded, small_corpus, small_site

TODAY = date(2026, 12, 1)
PORT = "launch/rendezvous-port-taken.yaml"
PAST = Past("2025-03-01T10:00:00Z", "2026-12-01T12:30:00Z", ("Ada <b>", "Grace"))


def pages(corpus: Corpus, facts: Facts) -> dict[str, Element]:
    found = documents(corpus, build_links(corpus), [default_templates()], REPOSITORY, WRITTEN, facts)
    return {document.url: read_html(document.render().html) for document in found}


def rows(page: Element, section: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    elements = list(page.walk())
    at = next(i for i, element in enumerate(elements) if element.attributes.get("id") == section)
    table = next(element for element in elements[at:] if element.tag in ("table", "h2") and element is not elements[at])
    if table.tag == "h2":
        return []
    return [[cell.text for cell in row.children if isinstance(cell, Element)] for row in table.one("tbody").all("tr")]


def state() -> Element:
    return pages(small_corpus(), Facts(today=TODAY))["state/"]


def test_each_category_is_counted() -> None:
    counted = {row[0]: row[1:] for row in rows(state(), "categories")}
    corpus = small_corpus()
    assert set(counted) == {category.title for category in corpus.categories.values()}
    for name, category in corpus.categories.items():
        published = [record for record in corpus.published() if record.category == name]
        levels = [record.entry.evidence.level for record in published if record.entry.evidence]
        assert counted[category.title] == [
            str(len(published)),
            ", ".join(
                f"{levels.count(level)} {level}"
                for level in ("reproduced", "documented", "reported")
                if level in levels
            ),
            str(sum(len(record.entry.signatures()) for record in published)),
            str(sum(len(record.entry.samples) for record in published)),
            str(sum(item.category == name for item in corpus.wanted.values())),
        ]
    assert "1 reproduced, 1 documented" in [cell for cells in counted.values() for cell in cells]


def test_reviews_are_listed_by_age_and_the_oldest_first() -> None:
    assert sum(int(count) for _, count in rows(state(), "reviews")) == len(small_corpus().published())
    dates = [row[1] for row in rows(state(), "oldest")]
    assert dates == sorted(dates)
    assert len(dates) == len(small_corpus().published())
    later = pages(small_corpus(), Facts(today=date(2028, 1, 1)))["state/"]
    assert rows(later, "reviews")[-1] == ["over 12 months", str(len(small_corpus().published()))]


def test_every_published_entry_is_linked_or_named_as_linked_by_none(tmp_path: Path) -> None:
    linked = {row[0]: int(row[1]) for row in rows(state(), "linked")}
    orphans = {row[0] for row in rows(state(), "orphans")}
    assert len(linked) + len(orphans) == len(small_corpus().published())
    assert list(linked.values()) == sorted(linked.values(), reverse=True)
    entries = copy_corpus(tmp_path / "entries")
    for path in entries.glob("*/*.yaml"):
        with edited(path) as data:
            data["related"] = (
                [] if path.stem != "gpu-fell-off-the-bus" else [{"entry": "worker-failed", "relation": "causes"}]
            )
    with_link = rows(pages(loaded(entries), Facts(today=TODAY))["state/"], "linked")
    assert "torchrun reports a failed worker" in {row[0] for row in with_link}


def test_drafts_are_listed_with_how_much_they_lack() -> None:
    (draft,) = rows(state(), "drafts")
    assert draft[0] == "Too many open files in data workers"
    banner = small_site()["entries/open-files-limit/"].one("div", "fb-banner--draft")
    assert banner.one("summary").text == f"What it lacks ({draft[1]})"


@pytest.mark.parametrize(
    ("today", "due"), [(date(2027, 11, 30), False), (date(2027, 12, 1), True), (date(2026, 11, 30), False)]
)
def test_a_review_is_due_after_twelve_months(today: date, due: bool) -> None:
    record = small_corpus().records["rendezvous-port-taken"]
    assert record.entry.reviewed == "2026-11-30"
    assert review_due(record, today) is due
    page = pages(small_corpus(), Facts(today=today))["entries/rendezvous-port-taken/"]
    assert ["Review due"] * due == [p.text for p in page.all("p", "fb-banner__t")]


def test_drafts_and_withdrawn_entries_are_never_due() -> None:
    later = date(2040, 1, 1)
    due = {slug for slug, record in small_corpus().records.items() if review_due(record, later)}
    assert due == {record.slug for record in small_corpus().published()}


def test_pages_show_what_git_knows_and_escape_names() -> None:
    facts = Facts(today=TODAY, past={"worker-failed": PAST})
    found = pages(small_corpus(), facts)
    page = found["entries/worker-failed/"]
    history = {row.one("dt").text: row.one("dd").text for row in page.section("history").one("dl", "fb-rel").all("div")}
    assert history["added"] == "2025-03-01"
    assert history["changed"] == "2026-12-01"
    assert history["contributors"] == "Ada <b>, Grace"
    assert found["changes/"].one("h1").text == "Recently changed"
    first = found["changes/"].one("tbody").all("tr")[0]
    assert first.one("th").links()[0][0] == "torchrun reports a failed worker"
    assert first.all("td")[-1].text == "2026-12-01"
    assert found[""].by_id("changed").text == "Recently changed"


def test_without_history_changes_go_by_review() -> None:
    page = small_site()["changes/"]
    assert page.one("h1").text == "Recently reviewed"
    dates = [row.all("td")[-1].text for row in page.one("tbody").all("tr")]
    assert dates == sorted(dates, reverse=True)
    history = small_site()["entries/worker-failed/"].section("history")
    assert [dt.text for dt in history.all("dt")] == ["reviewed", "authors", "tags"]


def run(*arguments: str, epoch: str) -> tuple[int, str]:
    result = CliRunner().invoke(
        main, ["entries", "--entries", str(CORPUS), *arguments], env={"SOURCE_DATE_EPOCH": epoch}
    )
    return result.exit_code, result.output


def test_due_reviews_are_listed_oldest_first() -> None:
    code, text = run("--due", epoch="1900000000")
    lines = text.splitlines()
    assert code == 1
    assert lines[-1] == "5 of 5 published entries due for review"
    dates = [line.split("  ")[0] for line in lines[:-1]]
    assert dates == sorted(dates)
    assert any("gpu/gpu-fell-off-the-bus.yaml: GPU fell off the bus" in line for line in lines)
    code, text = run("--due", "--format", "json", epoch="1900000000")
    assert [row["reviewed"] for row in json.loads(text)] == dates
    assert run("--due", epoch="1764547200") == (0, "0 of 5 published entries due for review\n")
