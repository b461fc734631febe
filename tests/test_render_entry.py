"""The page of an entry: its sections and anchors, its citations and links, its commands."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from faultbook.render import Repository
from markup import Element, read_html
from sites import CORPUS, Data, copy_corpus, edited, page_of, rendered, small_corpus, small_pages, small_site

PORT = "entries/rendezvous-port-taken/"
MEMORY = "entries/worker-killed-for-memory/"
WITHDRAWN = "entries/port-in-time-wait/"
DRAFT = "entries/open-files-limit/"


@pytest.fixture(scope="module")
def page() -> Element:
    """The page of the entry that has every field."""
    return small_site()[PORT]


def changed(tmp_path: Path, change: Callable[[Data], None], slug: str = "launch/rendezvous-port-taken") -> Element:
    """The page of an entry after a change of its data."""
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / f"{slug}.yaml") as data:
        change(data)
    return page_of(entries, f"entries/{slug.split('/')[1]}/")


def test_page_of_a_complete_entry_is_as_recorded(golden: Callable[[str, str], None]) -> None:
    golden("entry.html", small_pages()[PORT].html + "\n")


def test_sections_stand_in_the_order_of_work(page: Element) -> None:
    assert [heading.attributes["id"] for heading in page.all("h2")] == [
        "is-it-this",
        "quick-fix",
        "looks-alike",
        "tell-apart",
        "checklist",
        "fix",
        "symptoms",
        "mechanism",
        "scenarios",
        "affected",
        "examples",
        "pitfalls",
        "prevention",
        "monitoring",
        "perspectives",
        "faq",
        "related",
        "references",
        "evidence",
        "history",
    ]


@pytest.mark.parametrize("url", [url for url in small_site() if url.startswith("entries/") and url != WITHDRAWN])
def test_table_of_contents_lists_every_section_of_the_page(url: str) -> None:
    headings = small_pages()[url].headings
    assert [heading.id for heading in headings] == [h2.attributes["id"] for h2 in small_site()[url].all("h2")]


def test_title_and_facts_stand_above_the_first_section(page: Element) -> None:
    before = []
    for element in page.walk():
        if element.tag == "h2":
            break
        before.append(element)
    title = next(element for element in before if element.tag == "h1")
    assert title.text == "Rendezvous port is taken (EADDRINUSE)"
    assert title.one("code").text == "EADDRINUSE"
    facts = next(element for element in before if "fb-meta" in element.classes)
    assert [fact.text for fact in facts.all("div")] == [
        "Impactfails to start, hang",
        "Scopewhole job",
        "Fixed byyou, node admin",
        "Evidencereproduced",
        "Reviewed2026-11-30",
    ]
    assert facts.links() == [("reproduced", "#evidence")]
    assert next(element for element in before if "fb-lead" in element.classes).text.startswith("The store of the job")


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["check-read-port", "check-who-listens", "check-3"], id="checks by id, else by position"),
        pytest.param(["fix-free-port", "fix-end-left-over", "fix-keep-ports"], id="fixes"),
        pytest.param(["fix-free-port-1", "fix-free-port-2", "fix-end-left-over-2"], id="steps"),
        pytest.param(["signature-libuv", "signature-2", "signature-3"], id="signatures by id, else by position"),
        pytest.param(["symptom-1", "symptom-2"], id="symptoms"),
        pytest.param(["scenario-1", "scenario-2"], id="scenarios"),
        pytest.param(["ref-1", "ref-2", "ref-3", "ref-R"], id="references and the reproduction"),
        pytest.param(["example-1", "example-2"], id="examples"),
        pytest.param(["faq-1", "faq-2"], id="questions"),
    ],
)
def test_parts_of_the_page_have_anchors_in_their_order(page: Element, names: list[str]) -> None:
    assert [name for name in page.ids() if name in names] == names


@pytest.mark.parametrize("url", list(small_site()))
def test_ids_are_unique_and_links_within_the_page_lead_to_one(url: str) -> None:
    page = small_site()[url]
    ids = page.ids()
    assert sorted(ids) == sorted(set(ids))
    assert {href[1:] for _, href in page.links() if href.startswith("#")} <= set(ids)


def test_citations_carry_the_number_of_the_reference_and_its_title(page: Element) -> None:
    for cite in page.all("sup", "fb-cite"):
        link = cite.one("a")
        label = link.text.strip("[]")
        assert link.attributes["href"] == f"#ref-{label}"
        source = page.by_id(f"ref-{label}")
        if label != "R":
            assert link.attributes["aria-label"] == f"Reference {label}: {source.all('a')[0].text}"
    assert {cite.text for cite in page.all("sup", "fb-cite")} == {"[1]", "[2]", "[3]", "[R]"}


def test_each_reference_leads_back_to_each_of_its_citations(page: Element) -> None:
    backs: dict[str, list[str]] = {}
    for cite in page.all("sup", "fb-cite"):
        link = cite.one("a")
        backs.setdefault(link.attributes["href"][1:], []).append(link.attributes["id"])
    for name, anchors in backs.items():
        found = [link.attributes["href"][1:] for link in page.by_id(name).all("a", "fb-back")]
        assert sorted(found) == sorted(anchors)
    assert len(backs["ref-R"]) > 1
    assert [link.text for link in page.by_id("ref-R").all("a", "fb-back")][:2] == ["↩1", "↩2"]


def test_citations_count_once_where_only_some_paragraphs_are_plain(tmp_path: Path) -> None:
    def change(data: Data) -> None:
        data["mechanism"] = "A plain paragraph. [@socket-7]\n\nOne with *emphasis*. [@socket-7]\n" + "More. " * 30

    page = changed(tmp_path, change)
    ids = set(page.ids())
    assert {link.attributes["href"][1:] for link in page.all("a", "fb-back")} <= ids


def test_references_say_what_they_are_and_when_they_were_read(page: Element) -> None:
    assert [page.by_id(f"ref-{n}").one("span", "fb-dim").text for n in (1, 2, 3)] == [
        "manual, read 2026-11-29.",
        "source code, read 2026-11-30.",
        "man page, read 2026-11-30.",
    ]


def test_reproduction_is_shown_with_its_script(page: Element) -> None:
    reproduction = page.by_id("ref-R")
    path = "reproductions/rendezvous-port-taken/reproduce.py"
    assert (path, f"https://example.org/faultbook/blob/main/{path}") in reproduction.links()
    assert (
        "Last run 2026-11-30: 2 cases, each without and with its fix; torch 2.13.0+cpu, Python 3.11.7, Linux 6.18."
        in reproduction.text
    )


def test_links_to_entries_show_the_title_or_the_given_words(page: Element) -> None:
    checklist = page.one("ol", "fb-check")
    assert ("No port left for outgoing connections", "../../entries/ephemeral-ports-used-up/") in checklist.links()
    fact = small_site()["entries/ephemeral-ports-used-up/"].one("ol", "fb-check")
    assert ("a port that is taken", "../../entries/rendezvous-port-taken/") in fact.links()


def test_wanted_entries_are_plain_words_that_say_so(page: Element) -> None:
    wanted = [element.text for element in page.all("span", "fb-wanted")]
    assert "Workers cannot reach MASTER_ADDR (not written yet)" in wanted
    assert "the other side (not written yet)" in wanted
    assert not [link for link in page.links() if "master-addr-unreachable" in link[1]]


def test_links_to_fixes_show_the_title_or_the_given_words(page: Element) -> None:
    links = page.by_id("check-who-listens").links()
    assert ("End the process that holds the port", "#fix-end-left-over") in links
    assert ("keep the ports free", "#fix-keep-ports") in links


def test_table_of_fixes_says_when_and_which_check_leads_there(page: Element) -> None:
    rows = page.one("table", "fb-fixlist").one("tbody").all("tr")
    assert [[cell.text for cell in row.all("th") + row.all("td")] for row in rows] == [
        [
            "One node, or a port that belongs to somebody else.",
            "check who listens, check 3",
            "Let the kernel choose the port permanent",
            "you",
        ],
        [
            "The process is yours and belongs to no running job.",
            "check who listens",
            "End the process that holds the port workaround",
            "you",
        ],
        [
            "The kernel lent the port to an outgoing connection.",
            "check who listens",
            "Take the ports out of the range of outgoing connections mitigation",
            "node admin",
        ],
    ]


def test_a_single_fix_has_no_table() -> None:
    assert small_site()["entries/ephemeral-ports-used-up/"].all("table", "fb-fixlist") == []


def test_titles_of_fixes_lose_their_links_in_the_table(tmp_path: Path) -> None:
    def change(data: Data) -> None:
        data["fix"][0]["title"] = "Free `it` as in [the manual](https://example.org/) [[worker-failed|there]]"

    page = changed(tmp_path, change)
    cell = page.one("table", "fb-fixlist").all("td", **{"data-th": "Fix"})[0]
    assert cell.links() == [("Free it as in the manual there", "#fix-free-port")]
    assert cell.one("code").text == "it"


def command(page: Element, run: str) -> Element:
    """The figure of the command that contains a text, the last one if it is shown twice."""
    return [figure for figure in page.all("figure", "fb-cmd") if run in figure.one("pre").raw_text][-1]


def test_harmless_commands_carry_no_mark(page: Element) -> None:
    figure = command(page, "ss -Htlnp")
    assert figure.classes == {"fb-cmd"}
    assert figure.all(cls="fb-danger") == []
    assert figure.all("details") == []
    assert "disabled" not in figure.one("button").attributes
    assert [fact.text for fact in figure.all("span", "fb-fact")] == [
        "on the node of rank 0",
        "needs root",
        "run by us",
    ]


def test_reversible_commands_show_how_to_undo_them(page: Element) -> None:
    figure = command(page, "ip_local_reserved_ports=40000")
    assert figure.classes == {"fb-cmd", "fb-cmd--reversible"}
    assert figure.one("span", "fb-danger").text == "reversible"
    assert figure.all("details") == []
    assert "disabled" not in figure.one("button").attributes
    undo = figure.all("div", "fb-out")[-1]
    assert undo.text == 'Undosudo sysctl -w net.ipv4.ip_local_reserved_ports="{OLD}"'


@pytest.mark.parametrize(
    ("run", "danger", "affects", "warning"),
    [
        ("kill -TERM", "disruptive", "your job, other users", "It ends the whole job of this process. Compare"),
        ("rm -r", "destructive", "stored data", "It deletes the directory for good."),
    ],
)
def test_warning_stands_before_a_command_that_does_harm_and_blocks_its_copying(
    page: Element, run: str, danger: str, affects: str, warning: str
) -> None:
    figure = command(page, run)
    assert figure.classes == {"fb-cmd", f"fb-cmd--{danger}"}
    first = next(child for child in figure.children if isinstance(child, Element))
    assert first.tag == "details"
    assert "open" not in first.attributes
    assert first.one("span", "fb-danger").text == danger
    assert f"Affects: {affects}." in first.one("summary").text
    assert first.one("p").text.startswith(warning)
    assert "disabled" in figure.one("button").attributes
    assert len(figure.all("span", "fb-danger")) == 1


def test_icons_of_dangers_are_drawn_by_the_frame(page: Element) -> None:
    sprite = read_html((CORPUS.parents[1] / "templates/theme/partials/faultbook-icons.html").read_text("utf-8"))
    assert {use.attributes["href"][1:] for use in page.all("use")} <= set(sprite.ids())


def test_values_to_fill_in_are_marked_and_variables_of_the_shell_are_not(page: Element) -> None:
    kill = command(page, "kill -TERM").one("pre")
    assert kill.raw_text == "kill -TERM {PID}"
    assert [variable.text for variable in kill.all("var")] == ["{PID}"]
    names = command(page, "printenv").one("pre")
    assert [variable.text for variable in names.all("var")] == ["{NODE}"]
    assert "${MASTER_PORT}" in names.raw_text


def test_code_in_other_languages_is_coloured_and_keeps_its_text(page: Element) -> None:
    example = page.by_id("example-1").one("code")
    assert example.raw_text == (
        'import torch.distributed as dist\n\nstore = dist.TCPStore("127.0.0.1", 0, None, is_master=True)'
    )
    assert example.all("span")


def test_expected_output_is_kept_apart_from_the_command(page: Element) -> None:
    figure = command(page, "ss -Htlnp")
    assert figure.one("pre").raw_text == 'sudo ss -Htlnp "sport = :{PORT}"'
    assert [part.text for part in figure.all("div", "fb-out")] == [
        'For exampleLISTEN 0 4096 *:29500 *:* users:(("pt_elastic",pid=16065,fd=11))',
        "Look forA line that begins with LISTEN.",
    ]


def test_first_check_with_a_command_answers_is_it_this(page: Element) -> None:
    section = page.section("is-it-this")
    assert section.one("pre").raw_text.startswith("sudo ss -Htlnp")
    assert section.one("div", "fb-branch__yes").text.startswith("YesGo to End the process")


def test_signatures_show_placeholders_conditions_and_versions(page: Element) -> None:
    libuv = page.by_id("signature-libuv")
    lines = libuv.all("code", "fb-line")
    assert len(lines) == 2
    assert [variable.text for variable in lines[1].all("var")] == ["…", "port", "int"]
    assert lines[1].text == ("The server socket has failed to listen on …:port (errno: int - Address already in use)")
    assert "Only if port != 0." in libuv.text
    assert ">=2.4: Wording since libuv is the default." in libuv.text
    both = page.by_id("signature-2").text
    assert "All of these within 3 lines of each other." in both
    assert "Not if this stands within 3 lines: The server could not be initialized on any address for port=0" in both
    assert page.by_id("signature-3").one("span", "fb-role").text == "ambiguous"


def test_wrappers_say_what_they_are_and_their_signatures_have_no_role() -> None:
    page = small_site()["entries/worker-failed/"]
    assert "This message only reports another failure." in page.text
    assert {role.text for role in page.all("span", "fb-role")} == {"wrapper"}


def test_back_links_are_computed_and_name_the_inverse_relation() -> None:
    related = small_site()[MEMORY].section("related")
    relations = {group.one("dt").text: group for group in related.all("div")}
    assert list(relations) == ["causes", "see also", "linked from"]
    assert relations["causes"].one("dd").text.startswith("NCCL reports an unhandled system error (not written yet);")
    assert [text for text, _ in relations["causes"].links()] == [
        "Rendezvous port is taken (EADDRINUSE)",
        "End the process that holds the port",
        "torchrun reports a failed worker",
    ]
    assert [text for text, _ in relations["linked from"].links()] == ["GPU fell off the bus"]


def test_notes_of_back_links_cite_nothing_of_this_entry_and_link_the_fixes_of_the_other() -> None:
    related = small_site()[MEMORY].section("related")
    group = next(group for group in related.all("div") if group.one("dt").text == "causes")
    assert group.all("sup") == []
    assert ("End the process that holds the port", "../../entries/rendezvous-port-taken/#fix-end-left-over") in (
        group.links()
    )
    assert "The most frequent cause of -9." in group.text


def test_back_links_of_drafts_and_withdrawn_entries_do_not_count() -> None:
    assert "open-files-limit" not in str(small_site()["entries/worker-failed/"].links())
    assert "port-in-time-wait" not in str(small_site()["entries/ephemeral-ports-used-up/"].links())


def test_look_alikes_are_named_on_both_pages() -> None:
    for url, title in (
        (PORT, "No port left for outgoing connections"),
        ("entries/ephemeral-ports-used-up/", "Rendezvous port is taken (EADDRINUSE)"),
    ):
        assert title in [text for text, _ in small_site()[url].section("looks-alike").links()]


def test_drafts_say_what_they_lack_and_where_to_finish_them() -> None:
    page = small_site()[DRAFT]
    banner = page.one("div", "fb-banner")
    assert banner.attributes["role"] == "note"
    assert "Draft, not reviewed" in banner.text
    assert "'mechanism' is missing" in banner.text
    assert banner.links() == [
        ("Help to finish it", "https://example.org/faultbook/edit/main/site_entries/host/open-files-limit.yaml")
    ]


def test_withdrawn_entries_give_the_reason_and_the_successor_and_no_command() -> None:
    page = small_site()[WITHDRAWN]
    banner = page.one("div", "fb-banner")
    assert "Withdrawn on 2026-11-20. Do not follow the text below." in banner.text
    assert "The store binds over TIME_WAIT." in banner.text
    assert banner.links() == [("Rendezvous port is taken (EADDRINUSE)", "../../entries/rendezvous-port-taken/")]
    assert page.all("figure") + page.all("pre") + page.all("button") == []
    assert "tcp_fin_timeout" not in page.text
    folded = page.one("details")
    assert "open" not in folded.attributes
    assert "see Wait a minute before the start." in folded.text


def test_published_entries_have_no_banner(page: Element) -> None:
    assert page.all("div", "fb-banner") == []


def test_page_leads_to_its_source_and_to_a_report(page: Element) -> None:
    assert page.one("p", "fb-actions").links() == [
        (
            "Edit this entry",
            "https://example.org/faultbook/edit/main/site_entries/launch/rendezvous-port-taken.yaml",
        ),
        ("Report a mistake", "https://example.org/faultbook/issues/new?title=rendezvous-port-taken%3A%20"),
        ("Markdown", "../../entries/rendezvous-port-taken.md"),
        ("JSON", "../../api/v1/entries/rendezvous-port-taken.json"),
    ]


def test_without_a_repository_nothing_leads_to_one() -> None:
    html = rendered(small_corpus(), Repository())[PORT].html
    page = read_html(html)
    assert [words for words, _ in page.one("p", "fb-actions").links()] == ["Markdown", "JSON"]
    assert "example.org/faultbook" not in html
    assert page.by_id("ref-R").all("code")[0].text == "reproductions/rendezvous-port-taken/reproduce.py"


def test_headings_skip_no_level() -> None:
    for url, page in small_site().items():
        levels = [int(element.tag[1]) for element in page.walk() if re.fullmatch("h[1-6]", element.tag)]
        assert levels.count(1) == 1, url
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), url
