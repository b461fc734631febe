"""Checks of names, references and links between entries, beyond their examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import MAIN, OTHER, reported

THIRD = "host/mapping-limit.yaml"
WITHDRAWN = 'status: withdrawn\nwithdrawn: {date: "2026-11-30", reason: It was another failure.}\n'


def related(*pairs: str) -> str:
    """Relations to other entries, each as ``relation slug``."""
    items = (f"  - {{entry: {pair.split()[1]}, relation: {pair.split()[0]}}}\n" for pair in pairs)
    return "related:\n" + "".join(items)


def apart(*slugs: str) -> str:
    """Entries to tell apart."""
    return "tell_apart:\n" + "".join(f"  - {{entry: {slug}, short: Its words, how: By its words.}}\n" for slug in slugs)


@pytest.mark.parametrize(
    ("aliases", "found"),
    [
        ("[shm-exhausted]", "'shm-exhausted' is the slug of this entry; remove the alias"),
        ("[open-files-limit]", "'open-files-limit' is the slug of another entry; remove the alias"),
        ("[dev-shm-full, dev-shm-full]", "'dev-shm-full' stands here twice; remove one"),
    ],
)
def test_alias_that_is_taken(aliases: str, found: str, tmp_path: Path) -> None:
    lines = reported(tmp_path, {MAIN: f"aliases: {aliases}\n", OTHER: ""})
    assert [line.split(" alias-taken: ")[1] for line in lines] == [found]


def test_alias_of_two_entries_is_reported_at_the_later(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: "aliases: [full]\n", OTHER: "aliases: [many, full]\n"}) == [
        "shm-exhausted.yaml:1:11 alias-taken: 'full' is an alias of 'open-files-limit' already; "
        "remove it from one of the two"
    ]


def test_wanted_slug_that_became_an_alias_is_reported_in_the_list(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: "aliases: [worker-killed]\nrelated: []\nstatus: draft\nchecklist: []\n"}) == [
        "_wanted.yaml:1:1 wanted-exists: 'worker-killed' is an alias of 'shm-exhausted'; remove it from _wanted.yaml"
    ]


def test_released_slug_of_an_unreadable_entry_has_not_vanished(tmp_path: Path) -> None:
    files = {MAIN: "", OTHER: "titel: x\n", "_released.yaml": "- open-files-limit\n- shm-exhausted\n"}
    assert [line.split()[1] for line in reported(tmp_path, files)] == ["unknown-field:"]


@pytest.mark.parametrize(
    ("main", "other", "found"),
    [
        ("superseded_by: open-files-limit", "", []),
        ("superseded_by: shm-exhausted", "", ["leads back to this entry"]),
        ("superseded_by: worker-killed", "", ["the entry 'worker-killed' does not exist"]),
        ("superseded_by: many", "aliases: [many]", ["'many' is an alias; write 'open-files-limit'"]),
        ("superseded_by: open-files-limit", "status: draft", ["has the status 'draft'"]),
        ("superseded_by: open-files-limit", WITHDRAWN, ["has the status 'withdrawn'"]),
        (
            "superseded_by: open-files-limit",
            f"{WITHDRAWN}superseded_by: shm-exhausted",
            ["leads back to this entry", "leads back to this entry"],
        ),
    ],
)
def test_superseded_by(main: str, other: str, found: list[str], tmp_path: Path) -> None:
    lines = reported(tmp_path, {MAIN: f"{WITHDRAWN}{main}\n", OTHER: f"{other}\n" if other else ""})
    assert len(lines) == len(found)
    assert all(" superseded-by: " in line and words in line for line, words in zip(lines, found, strict=True))


def test_circle_of_three_is_reported_in_each(tmp_path: Path) -> None:
    files = {
        MAIN: f"{WITHDRAWN}superseded_by: open-files-limit\n",
        OTHER: f"{WITHDRAWN}superseded_by: mapping-limit\n",
        THIRD: f"{WITHDRAWN}superseded_by: shm-exhausted\n",
    }
    assert [line.split()[1] for line in reported(tmp_path, files)] == ["superseded-by:"] * 3


@pytest.mark.parametrize(
    "field", ["withdrawn: {date: '2026-11-30', reason: It was}", "superseded_by: open-files-limit"]
)
def test_published_entry_has_no_field_of_withdrawn_ones(field: str, tmp_path: Path) -> None:
    lines = reported(tmp_path, {MAIN: f"{field}\n", OTHER: ""})
    assert [line.split()[:2] for line in lines] == [["shm-exhausted.yaml:1:1", "withdrawn:"]]


def test_unknown_entry_is_found_in_every_field_at_its_place(tmp_path: Path) -> None:
    main = (
        related("see-also no-such-a")
        + apart("no-such-b")
        + "perspectives:\n  lead: |\n    A first line.\n    See [[no-such-c|these words]].\n"
        + "samples:\n  - {expect: no-match, origin: reproduced, belongs_to: no-such-d, log: Killed}\nstatus: draft\n"
    )
    lines = reported(tmp_path, {MAIN: main, "_featured.yaml": "- no-such-e\n"})
    assert [line.split(":", 3)[:2] for line in lines] == [
        ["_featured.yaml", "1"],
        ["shm-exhausted.yaml", "2"],
        ["shm-exhausted.yaml", "4"],
        ["shm-exhausted.yaml", "8"],
        ["shm-exhausted.yaml", "10"],
    ]
    assert lines[3].startswith("shm-exhausted.yaml:8:9 unknown-entry: the entry 'no-such-c' does not exist")


def test_link_within_code_is_text(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: "perspectives:\n  lead: Write `[[no-such-a]]` and `[@no-such]`.\n"}) == []


def test_wanted_entries_may_be_linked_from_everywhere(tmp_path: Path) -> None:
    main = (
        related("see-also worker-killed")
        + apart("worker-killed")
        + "samples:\n  - {expect: no-match, origin: reproduced, belongs_to: worker-killed, log: Killed}\n"
        + "status: draft\n"
    )
    assert reported(tmp_path, {MAIN: main}) == []


def test_link_to_a_withdrawn_entry_names_what_took_its_place(tmp_path: Path) -> None:
    files = {MAIN: related("see-also open-files-limit"), OTHER: f"{WITHDRAWN}superseded_by: mapping-limit\n", THIRD: ""}
    assert [line for line in reported(tmp_path, files) if "link-to-withdrawn" in line] == [
        "shm-exhausted.yaml:2:13 link-to-withdrawn: the entry 'open-files-limit' is withdrawn; write 'mapping-limit'"
    ]


def test_draft_may_link_to_a_withdrawn_entry(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: "status: draft\n" + related("see-also open-files-limit"), OTHER: WITHDRAWN}) == []


def test_tell_apart_needs_an_answer_between_published_entries_only(tmp_path: Path) -> None:
    assert reported(tmp_path / "draft", {MAIN: apart("open-files-limit"), OTHER: "status: draft\n"}) == []
    assert reported(tmp_path / "mine", {MAIN: "status: draft\n" + apart("open-files-limit"), OTHER: ""}) == []
    assert len(reported(tmp_path / "both", {MAIN: apart("open-files-limit"), OTHER: ""})) == 1


@pytest.mark.parametrize(
    ("mine", "theirs", "count"),
    [
        ("causes", "caused-by", 1),
        ("looks-like", "looks-like", 1),
        ("causes", "see-also", 0),
        ("causes", "causes", 0),
    ],
)
def test_inverse_relation(mine: str, theirs: str, count: int, tmp_path: Path) -> None:
    files = {MAIN: related(f"{mine} open-files-limit"), OTHER: related(f"{theirs} shm-exhausted")}
    assert len(reported(tmp_path, files)) == count


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("See open-files-limit.", 13),
        ("See (open-files-limit), or more.", 14),
        ("See **open-files-limit**: it says more.", 15),
        ("See `open-files-limit`.", None),
        ("See [[open-files-limit]].", None),
        ("See https://docs.kernel.org/open-files-limit/ there.", None),
        ("See [it](https://docs.kernel.org/open-files-limit) there.", None),
        ("Pass --open-files-limit to it.", None),
        ("Write open-files-limit.yaml or open-files-limit=3 first.", None),
        ("See open-files-limits and no-open-files-limit here.", None),
        ("This shm-exhausted is itself.", None),
    ],
)
def test_bare_slug(text: str, column: int | None, tmp_path: Path) -> None:
    lines = reported(tmp_path, {MAIN: f"perspectives:\n  lead: '{text}'\n", OTHER: ""})
    place = f"shm-exhausted.yaml:2:{(column or 0) + 1} bare-slug: "
    assert [line[: len(place)] for line in lines] == ([place] if column else [])


def test_bare_slug_of_a_wanted_entry(tmp_path: Path) -> None:
    lines = reported(tmp_path, {MAIN: "perspectives:\n  lead: It looks like worker-killed.\n"})
    assert lines == [
        "shm-exhausted.yaml:2:23 bare-slug: 'worker-killed' is the name of an entry; write [[worker-killed]]"
    ]


def test_scenario_names_fixes_of_its_entry(tmp_path: Path) -> None:
    text = "scenarios:\n  - {when: It runs., cause: A limit., check: By its words., fix: [enlarge-shm, enlarge-sm]}\n"
    assert [line.split()[:2] for line in reported(tmp_path, {MAIN: text})] == [
        ["shm-exhausted.yaml:2:80", "unknown-fix:"]
    ]


def test_check_and_fix_may_have_the_same_id(tmp_path: Path) -> None:
    text = "checklist:\n  - {id: enlarge-shm, check: Is it full?, if_yes: 'See [[worker-killed]].', if_no: Go on.}\n"
    assert reported(tmp_path, {MAIN: text}) == []
