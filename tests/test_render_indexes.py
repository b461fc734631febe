"""The pages that lead to entries: lists, signatures, codes, changes, wanted entries, home and redirects."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from faultbook.render import redirect_pages
from markup import Element, read_html
from sites import CORPUS, copy_corpus, edited, page_of, small_corpus, small_site, write_yaml

TITLES = {
    "ephemeral-ports-used-up": "No port left for outgoing connections",
    "gpu-fell-off-the-bus": "GPU fell off the bus",
    "rendezvous-port-taken": "Rendezvous port is taken (EADDRINUSE)",
    "worker-failed": "torchrun reports a failed worker",
    "worker-killed-for-memory": "Kernel kills a worker for lack of memory",
}
"""The published entries."""
UNPUBLISHED = ("open-files-limit", "port-in-time-wait")

LISTS = {
    "categories/launch/": ["rendezvous-port-taken", "worker-failed"],
    "categories/network/": ["ephemeral-ports-used-up"],
    "categories/host/": ["worker-killed-for-memory"],
    "categories/gpu/": ["gpu-fell-off-the-bus"],
    "tags/rendezvous/": ["ephemeral-ports-used-up", "rendezvous-port-taken", "worker-failed"],
    "tags/torchrun/": ["worker-killed-for-memory", "rendezvous-port-taken", "worker-failed"],
    "tags/tcp-port/": ["ephemeral-ports-used-up", "rendezvous-port-taken"],
    "tags/out-of-memory/": ["gpu-fell-off-the-bus", "worker-killed-for-memory"],
    "tags/xid/": ["gpu-fell-off-the-bus"],
    "systems/linux/": ["worker-killed-for-memory", "ephemeral-ports-used-up", "rendezvous-port-taken"],
    "systems/torchrun/": ["rendezvous-port-taken", "worker-failed"],
    "systems/nvidia-driver/": ["gpu-fell-off-the-bus"],
    "systems/zfs/": [],
    "changes/": [
        "rendezvous-port-taken",
        "worker-killed-for-memory",
        "worker-failed",
        "ephemeral-ports-used-up",
        "gpu-fell-off-the-bus",
    ],
}
"""The pages with a list of entries, and what they list in order."""


def listed(page: Element) -> list[str]:
    """The slugs of the entries in the table of a list, in its order."""
    if not page.all("table", "fb-index"):
        return []
    rows = page.one("table", "fb-index").one("tbody").all("tr")
    return [row.one("th").links()[0][1].rstrip("/").rpartition("/")[2] for row in rows]


@pytest.mark.parametrize(("url", "slugs"), LISTS.items(), ids=LISTS)
def test_lists_hold_their_published_entries_once_by_title_or_by_date(url: str, slugs: list[str]) -> None:
    assert listed(small_site()[url]) == slugs


def test_every_list_of_the_site_is_tested_above() -> None:
    lists = {url for url in small_site() if re.fullmatch(r"(categories|tags|systems)/[^/]+/|changes/", url)}
    assert lists == set(LISTS)


@pytest.mark.parametrize("url", [url for url in small_site() if not url.startswith(("entries/", "state/"))])
def test_drafts_and_withdrawn_entries_are_in_no_index(url: str) -> None:
    page = small_site()[url]
    for slug in UNPUBLISHED:
        assert [href for _, href in page.links() if slug in href] == []


def test_rows_say_what_the_entry_is() -> None:
    row = small_site()["tags/torchrun/"].one("table", "fb-index").one("tbody").all("tr")[2]
    assert row.one("th").text == (
        "torchrun reports a failed worker wrappertorch.distributed.elastic.multiprocessing.errors.ChildFailedError:"
    )
    assert [cell.text for cell in row.all("td")] == ["Launch & rendezvous", "crash", "documented", "2026-11-29"]
    assert ("Launch & rendezvous", "../../categories/launch/") in row.links()


@pytest.mark.parametrize(
    ("url", "rows"),
    [
        (
            "categories/",
            [
                ("Launch & rendezvous", "../categories/launch/", "2 entries"),
                ("Network", "../categories/network/", "1 entry"),
                ("Host memory and limits", "../categories/host/", "1 entry"),
                ("GPU hardware", "../categories/gpu/", "1 entry"),
            ],
        ),
        (
            "systems/",
            [
                ("Linux", "../systems/linux/", "3 entries"),
                ("NVIDIA driver", "../systems/nvidia-driver/", "1 entry"),
                ("torchrun", "../systems/torchrun/", "2 entries"),
                ("ZFS", "../systems/zfs/", "0 entries"),
            ],
        ),
        (
            "tags/",
            [
                ("rendezvous", "../tags/rendezvous/", "3 entries"),
                ("torchrun", "../tags/torchrun/", "3 entries"),
                ("tcp-port", "../tags/tcp-port/", "2 entries"),
                ("out-of-memory", "../tags/out-of-memory/", "2 entries"),
                ("xid", "../tags/xid/", "1 entry"),
            ],
        ),
    ],
)
def test_overviews_count_published_entries(url: str, rows: list[tuple[str, str, str]]) -> None:
    items = [item for group in small_site()[url].all("section", "fb-groups") for item in group.all("li")]
    assert [(*item.links()[0], item.one("span", "fb-dim").text) for item in items] == rows


def test_tags_are_grouped_by_category_and_empty_groups_are_left_out(tmp_path: Path) -> None:
    assert [h2.text for h2 in small_site()["tags/"].all("h2")] == [
        "Launch & rendezvous",
        "Network",
        "Host memory and limits",
        "GPU hardware",
    ]
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "_tags.yaml") as tags:
        tags["xid"]["group"] = "host"
    page = page_of(entries, "tags/")
    assert [h2.text for h2 in page.all("h2")] == ["Launch & rendezvous", "Network", "Host memory and limits"]


def test_pages_of_tags_name_those_that_stand_beside_them_most_often() -> None:
    assert small_site()["tags/rendezvous/"].all("p", "fb-note")[-1].text == "Often together with tcp-port, torchrun."


def test_pages_of_systems_lead_to_their_documentation() -> None:
    page = small_site()["systems/zfs/"]
    assert ("Documentation of ZFS", "https://openzfs.github.io/openzfs-docs/") in page.links()
    assert "No entry yet." in page.text


def test_pages_of_categories_name_what_is_wanted_in_them_most_wanted_first() -> None:
    items = small_site()["categories/launch/"].section("wanted").all("li")
    assert [item.text for item in items] == [
        "Workers cannot reach MASTER_ADDR master-addr-unreachable",
        "Two jobs share one rendezvous id rendezvous-id-collision",
    ]
    assert "wanted" not in small_site()["categories/gpu/"].ids()


def test_signatures_are_listed_by_their_first_word_with_their_entries() -> None:
    page = small_site()["signatures/"]
    rows = [
        (letter.attributes["id"], [(item.one("code").text, item.links()[0][0]) for item in section.all("li")])
        for section in page.all("section")
        for letter in section.all("h2")
    ]
    kill, port = TITLES["worker-killed-for-memory"], TITLES["rendezvous-port-taken"]
    socket = "The server socket has failed to"
    assert rows == [
        ("s-e", [("exitcode : -9 (pid: int)", kill)]),
        (
            "s-n",
            [
                (
                    "NVRM: Xid (PCI:tok): 79, pid=int, name=word, GPU has fallen off the bus.",
                    TITLES["gpu-fell-off-the-bus"],
                )
            ],
        ),
        ("s-o", [("Out of memory: Killed process pid (word) total-vm:intkB", kill)]),
        (
            "s-r",
            [
                ("RuntimeError: Address already in use", port),
                ("RuntimeError: The server socket has failed to listen", port),
            ],
        ),
        (
            "s-t",
            [
                (f"{socket} bind to …:port (errno: int - Address already in use)", port),
                (f"{socket} listen on …:port (errno: int - Address already in use)", port),
                (
                    f"{socket} listen on any local network address. port: port, useIpv6: word, code: -int, "
                    "name: EADDRINUSE",
                    port,
                ),
                (
                    f"{socket} listen on any local network address. port: 0, useIpv6: word, code: -int, "
                    "name: EADDRINUSE",
                    TITLES["ephemeral-ports-used-up"],
                ),
                (
                    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:",
                    TITLES["worker-failed"],
                ),
            ],
        ),
    ]


def test_letters_lead_to_their_signatures() -> None:
    page = small_site()["signatures/"]
    assert page.one("nav", "fb-letters").links() == [
        (letter.upper(), f"#s-{letter}") for letter in ("e", "n", "o", "r", "t")
    ]


def test_signatures_say_their_role() -> None:
    roles = {
        item.one("code").text.split(" ")[0]: item.one("span", "fb-role").text
        for item in small_site()["signatures/"].all("li")
        if item.all("code")
    }
    assert roles["exitcode"] == "downstream"
    assert roles["NVRM:"] == "cause"
    assert roles["torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"] == "wrapper"


def test_signatures_without_a_letter_come_first(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "host/worker-killed-for-memory.yaml") as data:
        data["symptoms"][0]["signatures"][1]["text"] = "[1234] <*>: 99"
    page = page_of(entries, "signatures/")
    assert page.all("h2")[0].attributes["id"] == "s-other"
    assert page.all("h2")[0].text.startswith("#")


def codes(name: str) -> dict[str, list[str]]:
    """For each row of a table of codes the titles of the entries in it."""
    rows = small_site()["codes/"].section_around(name).one("tbody").all("tr")
    return {row.attributes["id"]: [text for text, _ in row.all("td")[-1].links()] for row in rows}


@pytest.mark.parametrize(
    ("section", "anchor", "slugs"),
    [
        pytest.param("exit", "exit-137", ["worker-killed-for-memory"], id="exit status in a search key"),
        pytest.param("exit", "exit--9", ["worker-failed", "worker-killed-for-memory"], id="padded by torchrun"),
        pytest.param("exit", "exit-1", ["gpu-fell-off-the-bus", "worker-failed"], id="exit code in prose"),
        pytest.param("errno", "errno-98", ["ephemeral-ports-used-up", "rendezvous-port-taken"], id="errno by its name"),
        pytest.param("errno", "errno-12", ["worker-killed-for-memory"], id="errno at the start of a sentence"),
        pytest.param("xid", "xid-79", ["gpu-fell-off-the-bus"], id="Xid in a template"),
        pytest.param("variables", "variables-NCCL_SOCKET_IFNAME", ["ephemeral-ports-used-up"], id="in a code span"),
        pytest.param("variables", "variables-MASTER_PORT", ["rendezvous-port-taken"], id="in a command"),
        pytest.param("variables", "variables-SLURM_JOB_ID", ["rendezvous-port-taken"], id="in an example"),
        pytest.param("variables", "variables-OMP_NUM_THREADS", ["worker-killed-for-memory"], id="in a step"),
        pytest.param("variables", "variables-CUDA_VISIBLE_DEVICES", ["gpu-fell-off-the-bus"], id="in an answer"),
        pytest.param("flags", "flags-nproc-per-node", ["rendezvous-port-taken"], id="flag of a command"),
        pytest.param("flags", "flags-log-dir", ["worker-failed"], id="flag with a value to fill in"),
        pytest.param("flags", "flags-rdzv-id", ["rendezvous-port-taken"], id="flag in prose"),
    ],
)
def test_codes_lead_to_the_entries_that_use_them(section: str, anchor: str, slugs: list[str]) -> None:
    links = codes(section)[anchor]
    assert [title for title in links if title in TITLES.values()] == [TITLES[slug] for slug in slugs]


def test_codes_of_drafts_and_withdrawn_entries_lead_nowhere() -> None:
    assert codes("errno")["errno-24"] == []


def test_flags_that_are_called_wrong_are_no_advice() -> None:
    flags = codes("flags")
    assert "flags-standalone" in flags
    assert "flags-master-port" in flags
    assert flags["flags-master-port"] == [TITLES["rendezvous-port-taken"]]


def test_flag_that_stands_only_in_wrong_advice_is_not_listed(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "launch/rendezvous-port-taken.yaml") as data:
        data["affected_systems"][0]["when"] = "The job has several nodes. [@torchrun-docs]"
    page = page_of(entries, "codes/")
    assert "flags-master-port" not in page.ids()


def test_numbers_have_a_meaning_and_its_sources() -> None:
    page = small_site()["codes/"]
    row = page.by_id("errno-98")
    assert row.one("th").text == "98 EADDRINUSE"
    assert row.one("td", **{"data-th": "Meaning"}).text
    assert "Linux source: errno.h" in {text for text, _ in page.section("sources").links()}


def test_numbers_that_are_no_exit_code_are_not_listed_as_one(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    with edited(entries / "launch/worker-failed.yaml") as data:
        data["symptoms"][0]["means"] = "It answers with status 404, status: 53 and HTTP status 9, or an exit code 256."
    ids = page_of(entries, "codes/").ids()
    assert not {"exit-404", "exit-53", "exit-9", "exit-256", "exit-25"} & set(ids)


def test_wanted_entries_stand_by_category_with_how_much_they_are_wanted() -> None:
    page = small_site()["wanted/"]
    rows = {
        section.one("h2").attributes["id"]: [item.text for item in section.all("li")]
        for section in page.all("section", "fb-wanted-list")
    }
    assert rows == {
        "group-launch": [
            "Workers cannot reach MASTER_ADDR master-addr-unreachable, wanted most",
            "Two jobs share one rendezvous id rendezvous-id-collision",
        ],
        "group-network": ["NCCL reports an unhandled system error nccl-error-wrapper, wrapper"],
    }
    assert ("write its entry", "../contribute/") in page.links()


def test_home_counts_what_is_published_and_offers_the_featured_entries() -> None:
    page = small_site()[""]
    assert "5 entries, 1 of them reproduced by a script." in page.one("p", "fb-lead").text
    assert "10 lines that software prints" in page.section_around("door-line").text
    featured = page.section_around("start").links()
    assert featured == [
        ("Rendezvous port is taken (EADDRINUSE)", "entries/rendezvous-port-taken/"),
        ("torchrun reports a failed worker", "entries/worker-failed/"),
    ]
    assert [href for _, href in page.section_around("changed").links()] == [
        "entries/rendezvous-port-taken/",
        "entries/worker-killed-for-memory/",
        "entries/worker-failed/",
        "entries/ephemeral-ports-used-up/",
        "entries/gpu-fell-off-the-bus/",
        "changes/",
    ]
    systems = page.section_around("door-system").one("ul").all("li")
    assert [item.text for item in systems] == ["Linux3 entries", "torchrun2 entries", "NVIDIA driver1 entry"]


def test_home_does_not_feature_what_is_not_published(tmp_path: Path) -> None:
    entries = copy_corpus(tmp_path / "entries")
    write_yaml(entries / "_featured.yaml", list(UNPUBLISHED))
    page = page_of(entries, "")
    assert "start" not in page.ids()


def test_filters_point_at_what_they_filter() -> None:
    for url, page in small_site().items():
        for form in page.all("form", "fb-filter"):
            target = form.attributes["data-fb-filter"]
            name = target[1:]
            assert page.all(id=name) if target.startswith("#") else page.all(cls=name), (url, target)
            assert "hidden" in form.attributes


def test_tables_keep_their_roles_and_name_the_column_in_every_cell() -> None:
    for page in small_site().values():
        for table in page.all("table"):
            names = [cell.text for cell in table.one("thead").all("th")]
            for row in table.one("tbody").all("tr"):
                cells = [cell for cell in row.children if isinstance(cell, Element)]
                assert [cell.attributes["role"] for cell in cells] == ["rowheader"] + ["cell"] * (len(names) - 1)
                assert [cell.attributes["data-th"] for cell in cells[1:]] == names[1:]


def test_aliases_have_a_page_that_leads_on_without_a_script() -> None:
    pages = redirect_pages(small_corpus(), "https://example.org/faultbook/")
    assert set(pages) == {
        "entries/address-already-in-use/",
        "entries/ddp-port-conflict/",
        "entries/exit-code-137/",
        "entries/time-wait-blocks-port/",
    }
    page = read_html(pages["entries/ddp-port-conflict/"])
    assert page.one("meta", **{"http-equiv": "refresh"}).attributes["content"] == "0; url=../rendezvous-port-taken/"
    assert page.one("meta", name="robots").attributes["content"] == "noindex"
    assert page.one("link", rel="canonical").attributes["href"] == (
        "https://example.org/faultbook/entries/rendezvous-port-taken/"
    )
    assert page.one("title").text == TITLES["rendezvous-port-taken"]
    assert page.links() == [(TITLES["rendezvous-port-taken"], "../rendezvous-port-taken/")]
    assert page.all("script") == []


def test_redirects_of_a_site_without_address_have_no_canonical_one() -> None:
    page = read_html(redirect_pages(small_corpus(), "")["entries/ddp-port-conflict/"])
    assert page.all("link") == []


def test_corpus_of_these_tests_holds_every_published_title() -> None:
    published = small_corpus().published()
    assert {record.slug: record.entry.title.replace("`", "") for record in published} == TITLES
    assert CORPUS.is_dir()
