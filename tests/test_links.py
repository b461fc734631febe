"""Marks in prose, and what follows from them over the whole corpus."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, OTHER, load_written, write_corpus
from faultbook.checks.texts import read_texts
from faultbook.links import INVERSE, Backlink, Links, Mark, build_links, parse_marks, scan_text
from faultbook.schema.entry import Related


def case(name: str, *values: Any) -> Any:
    return pytest.param(*values, id=name)


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        case("none", "plain words", []),
        case("citation", "Said so. [@docs]", [("citation", "docs", None)]),
        case(
            "several",
            "[@a1] [@b2][[one]]",
            [("citation", "a1", None), ("citation", "b2", None), ("entry", "one", None)],
        ),
        case("link", "See [[worker-killed]].", [("entry", "worker-killed", None)]),
        case("link with words", "See [[worker-killed|that one]].", [("entry", "worker-killed", "that one")]),
        case("link to a fix", "Do [[#enlarge-shm]].", [("fix", "enlarge-shm", None)]),
        case("link to a fix with words", "Do [[#enlarge-shm|this]].", [("fix", "enlarge-shm", "this")]),
        case(
            "names are not judged here",
            "[@No such] [[NO SUCH]]",
            [("citation", "No such", None), ("entry", "NO SUCH", None)],
        ),
        case("empty", "[@] [[]] [[|a]]", []),
        case(
            "open citation swallows what follows",
            "[@docs, [[one] and [[two|",
            [("citation", "docs, [[one", None)],
        ),
        case("over two lines", "[@do\ncs] [[on\ne]]", []),
        case("ordinary link", "[docs](https://a.b/) and a[0][1]", []),
        case("in a code span", "`[@docs] [[one]]` [@b2]", [("citation", "b2", None)]),
        case("in a span of two backticks", "`` ` [[one]] `` [[two]]", [("entry", "two", None)]),
        case("behind an open backtick", "a ` b [@docs]", [("citation", "docs", None)]),
        case("span over two lines", "a `b\n[@docs]` c", []),
        case("span ends with its paragraph", "a ` b\n\n[@docs] ` c", [("citation", "docs", None)]),
        case("span ends with its list item", "- a ` b\n- [@docs] ` c", [("citation", "docs", None)]),
        case("span ends where a list begins", "a ` b\n1. [@docs] ` c", [("citation", "docs", None)]),
        case("span ends where a fence begins", "a ` b\n~~~\n[@docs] ` c", [("citation", "docs", None)]),
        case(
            "backticks of other length do not close",
            "``` ` [@docs] `` [[one]]",
            [("citation", "docs", None), ("entry", "one", None)],
        ),
        case("long", f"[@{'x' * 81}] [[{'x' * 81}]] [[a|{'x' * 201}]]", []),
    ],
)
def test_marks_are_found_outside_of_code(text: str, marks: list[tuple[str, str, str | None]]) -> None:
    assert [(mark.kind, mark.target, mark.words) for mark in parse_marks(text)] == marks


def test_a_mark_knows_where_it_stands() -> None:
    text = "é `x` [@docs] and [[one|words]]"
    assert [text[mark.start : mark.end] for mark in parse_marks(text)] == ["[@docs]", "[[one|words]]"]
    assert parse_marks("a [[#b]]") == (Mark("fix", "b", None, 2, 8),)


def test_code_spans_and_bare_words_are_told_apart() -> None:
    text = "Set `A=1`, not `` `b` `` [@docs]; see [[one]]."
    scan = scan_text(text)
    assert scan.spans == ("A=1", "`b`")
    assert scan.bare.split() == ["Set", ",", "not", ";", "see", "."]
    assert len(scan.bare) == len(text)
    assert all(there == here or there == " " for there, here in zip(scan.bare, text, strict=True))


def test_marks_of_an_entry_are_listed_with_the_way_to_their_text(tmp_path: Path) -> None:
    text = "title: Shared [@in-title] memory\nprevention: [no, 'see [[one]]']\nsearch_keys: ['[@plain]', two]\n"
    record = load_written(write_corpus(tmp_path, {MAIN: text})).records["shm-exhausted"]
    assert [(placed.path, placed.mark.target) for placed in read_texts(record).marks] == [
        (("title",), "in-title"),
        (("symptoms", 0, "means"), "docs"),
        (("mechanism",), "docs"),
        (("checklist", 0, "if_yes"), "enlarge-shm"),
        (("checklist", 0, "if_no"), "worker-killed"),
        (("fix", 0, "steps", 0, "text"), "docs"),
        (("prevention", 1), "one"),
    ]


A, B, C = "data/aa-entry.yaml", "data/bb-entry.yaml", "host/cc-entry.yaml"
BARE = "checklist: []\nrelated: []\n"


def links(directory: Path, files: Mapping[str, str]) -> Links:
    return build_links(load_written(write_corpus(directory, files)))


def related(*rows: str) -> str:
    return "checklist: []\nrelated:\n" + "".join(f"  - {{{row}}}\n" for row in rows)


def test_every_relation_has_an_inverse_which_is_a_relation() -> None:
    relations = Related.model_fields["relation"].annotation
    assert set(INVERSE) == set(getattr(relations, "__args__", ()))
    assert all(INVERSE[INVERSE[relation]] == relation for relation in INVERSE)


@pytest.mark.parametrize(("relation", "inverse"), INVERSE.items())
def test_a_relation_is_turned_round_at_the_other_entry(tmp_path: Path, relation: str, inverse: str) -> None:
    row = related(f"entry: bb-entry, relation: {relation}, note: Because.")
    assert links(tmp_path, {A: row, B: BARE}).related == {"bb-entry": (Backlink("aa-entry", inverse, "Because."),)}


def test_a_relation_that_both_state_is_not_turned_round(tmp_path: Path) -> None:
    found = links(
        tmp_path,
        {
            A: related("entry: bb-entry, relation: causes"),
            B: related("entry: aa-entry, relation: see-also"),
        },
    )
    assert found.related == {}


def test_back_links_come_in_the_order_of_slugs(tmp_path: Path) -> None:
    found = links(
        tmp_path,
        {
            C: related("entry: bb-entry, relation: causes"),
            A: related("entry: bb-entry, relation: looks-like"),
            B: BARE,
        },
    )
    assert found.related["bb-entry"] == (Backlink("aa-entry", "looks-like"), Backlink("cc-entry", "caused-by"))


def test_an_entry_that_only_speaks_of_another_mentions_it(tmp_path: Path) -> None:
    speaks = "prevention: ['Not [[bb-entry]], nor [[bb-entry|that]] again, nor [[aa-entry]], nor `[[cc-entry]]`.']\n"
    found = links(tmp_path, {A: BARE + speaks, B: BARE, C: BARE})
    assert found.mentions == {"bb-entry": ("aa-entry",)}
    assert found.related == {}


def test_an_entry_that_states_a_relation_does_not_mention_as_well(tmp_path: Path) -> None:
    speaks = "prevention: ['Not [[bb-entry]].']\n"
    found = links(tmp_path, {A: related("entry: bb-entry, relation: causes") + speaks, B: BARE, C: BARE + speaks})
    assert found.mentions == {"bb-entry": ("cc-entry",)}


def test_a_mention_by_an_entry_to_which_this_one_states_a_relation_counts(tmp_path: Path) -> None:
    speaks = "prevention: ['Not [[bb-entry]].']\n"
    found = links(tmp_path, {A: BARE + speaks, B: related("entry: aa-entry, relation: causes")})
    assert found.mentions == {"bb-entry": ("aa-entry",)}
    assert found.related == {"aa-entry": (Backlink("bb-entry", "caused-by"),)}


def test_links_to_wanted_entries_are_kept_for_their_list(tmp_path: Path) -> None:
    found = links(tmp_path, {MAIN: ""})
    assert found.related == {"worker-killed": (Backlink("shm-exhausted", "looks-like"),)}


@pytest.mark.parametrize("status", ["draft", "withdrawn"])
def test_only_published_entries_count(tmp_path: Path, status: str) -> None:
    speaks = "prevention: ['Not [[cc-entry]].']\n"
    row = related("entry: bb-entry, relation: causes") + speaks + f"status: {status}\n"
    found = links(tmp_path, {A: row, B: BARE, C: BARE})
    assert (found.related, found.mentions) == ({}, {})
    assert found.by_category == {"data": ("bb-entry",), "host": ("cc-entry",)}
    assert found.by_tag["dataloader"] == ("bb-entry", "cc-entry")


def test_entries_are_grouped_by_tag_system_and_category(tmp_path: Path) -> None:
    systems = (
        "affected_systems:\n  - {system: linux, when: a}\n  - {system: pytorch, when: b}\n"
        "  - {system: linux, when: c}\n"
    )
    found = links(tmp_path, {MAIN: systems, OTHER: "tags: [ulimit, shared-memory]\n"})
    assert found.by_category == {"data": ("shm-exhausted",), "host": ("open-files-limit",)}
    assert found.by_tag == {
        "dataloader": ("shm-exhausted",),
        "shared-memory": ("open-files-limit", "shm-exhausted"),
        "ulimit": ("open-files-limit",),
    }
    assert found.by_system["linux"] == ("open-files-limit", "shm-exhausted")
    assert found.by_system["pytorch"] == ("shm-exhausted",)
