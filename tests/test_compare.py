"""What a change does to the corpus, as reviewers are told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from commands import faultbook
from faultbook.compare import compare
from faultbook.compare.report import comparison_text
from sites import copy_corpus, edited

PORT = "launch/rendezvous-port-taken.yaml"
OTHER = "network/ephemeral-ports-used-up.yaml"


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """The small corpus before and after a change, which a test makes in the second directory."""
    return copy_corpus(tmp_path / "before" / "entries"), copy_corpus(tmp_path / "after" / "entries")


def found(sides: tuple[Path, Path]) -> dict[str, Any]:
    return compare(*sides)


def empty(comparison: dict[str, Any]) -> bool:
    parts = ("added", "removed", "changed", "samples", "dead_links", "unreadable")
    return not any(comparison[part] for part in parts)


def test_the_same_entries_differ_in_nothing(sides: tuple[Path, Path]) -> None:
    comparison = found(sides)
    assert empty(comparison)
    assert comparison["entries"] == {"before": 7, "after": 7}
    assert comparison_text(comparison) == (
        "# What this change does to the corpus\n\nEntries: 7 before, 7 after.\n\n"
        "Nothing that the pages, the search or a diagnosis rest on changes.\n"
    )


def test_comments_and_layout_are_no_change(sides: tuple[Path, Path]) -> None:
    path = sides[1] / PORT
    path.write_text("# A word to maintainers.\n" + path.read_text("utf-8"), "utf-8")
    assert empty(found(sides))


def test_fields_that_changed_are_named(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / PORT) as data:
        data["summary"] = data["summary"].replace("port", "TCP port")
        data["status"] = "draft"
    (row,) = found(sides)["changed"]
    assert (row["id"], row["was"]["status"], row["status"]) == ("rendezvous-port-taken", "published", "draft")
    assert row["fields"] == ["summary", "status"]
    assert (
        "- `launch/rendezvous-port-taken` (draft): `Rendezvous port is taken (EADDRINUSE)`; "
        "**status was `published`**; changed `summary`\n"
    ) in comparison_text(found(sides))


def test_an_entry_that_moves_keeps_its_name_and_tells_its_old_category(sides: tuple[Path, Path]) -> None:
    (sides[1] / PORT).rename(sides[1] / "network/rendezvous-port-taken.yaml")
    (row,) = found(sides)["changed"]
    assert (row["category"], row["was"]["category"], row["fields"]) == ("network", "launch", [])


def test_samples_that_are_answered_otherwise_are_listed(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / PORT) as data:
        data["status"] = "draft"
    rows = found(sides)["samples"]
    assert {row["entry"] for row in rows} >= {"rendezvous-port-taken"}
    for row in rows:
        assert row["before"] == {"verdict": "match", "entry": "rendezvous-port-taken"}
        assert row["after"]["entry"] is None
        assert row["line"]
    assert "`rendezvous-port-taken` before, no cause now:" in comparison_text(found(sides))


def test_an_entry_that_takes_the_samples_of_another_is_seen(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / PORT) as data:
        greedy = dict(data)
    greedy["title"] = "A port of the store is busy"
    greedy["aliases"] = []
    shutil.copy(sides[1] / PORT, sides[1] / "launch/busy-port.yaml")
    with edited(sides[1] / "launch/busy-port.yaml") as data:
        data.clear()
        data.update(greedy)
    (sides[1] / PORT).unlink()
    comparison = found(sides)
    assert [row["id"] for row in comparison["added"]] == ["busy-port"]
    assert [(row["id"], row["now"]) for row in comparison["removed"]] == [("rendezvous-port-taken", None)]
    assert {"before": "rendezvous-port-taken", "after": "busy-port"} in [
        {side: row[side]["entry"] for side in ("before", "after")} for row in comparison["samples"]
    ]
    assert "**its address is dead**" in comparison_text(comparison)
    assert {row["code"] for row in comparison["dead_links"]} >= {"unknown-entry"}


def test_a_renamed_entry_says_where_its_old_address_leads(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / PORT) as data:
        data["aliases"] = [*data.get("aliases", []), "rendezvous-port-taken"]
    (sides[1] / PORT).rename(sides[1] / "launch/busy-port.yaml")
    (row,) = found(sides)["removed"]
    assert row["now"] == "busy-port"
    assert "its slug leads to `busy-port`" in comparison_text(found(sides))


def test_new_words_are_listed_with_their_file(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / "_tags.yaml") as data:
        data["tcp-backlog"] = {"group": "network", "text": "Queues of listening sockets."}
    comparison = found(sides)
    assert comparison["vocabulary"]["tags"] == {"added": ["tcp-backlog"], "removed": []}
    assert "## Changed in \\_tags.yaml: 1\n\n- added `tcp-backlog`\n" in comparison_text(comparison)


def test_dead_links_that_were_there_before_are_no_news(sides: tuple[Path, Path]) -> None:
    for side in sides:
        with edited(side / OTHER) as data:
            data["related"] = [*data.get("related", []), {"entry": "no-such-entry", "relation": "see-also"}]
    with edited(sides[1] / OTHER) as data:
        data["related"] += [{"entry": "nor-this-one", "relation": "see-also"}]
    (row,) = found(sides)["dead_links"]
    assert (row["code"], row["path"]) == ("unknown-entry", f"entries/{OTHER}")
    assert "nor-this-one" in row["message"]


def test_a_file_that_cannot_be_read_is_no_removed_entry(sides: tuple[Path, Path]) -> None:
    (sides[1] / PORT).write_text("title: [\n", "utf-8")
    comparison = found(sides)
    assert comparison["removed"] == []
    assert [row["path"] for row in comparison["unreadable"]] == [f"entries/{PORT}"]
    assert "## Files that cannot be read: 1" in comparison_text(comparison)


HOSTILE = "`` @everyone <img src=x> [a](javascript:1) ``` | # x ::error::"


def test_nothing_that_a_contributor_wrote_becomes_markup(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / PORT) as data:
        data["title"] = HOSTILE
        data["samples"][0]["log"] = f"{HOSTILE}\n{data['samples'][0]['log']}\n{HOSTILE}"
    with edited(sides[1] / OTHER) as data:
        data["symptoms"][0]["signatures"] = [{"text": f"line of another kind with {HOSTILE}"}]
    text = comparison_text(found(sides))
    assert "@everyone" in text
    for line in text.splitlines():
        assert "@" not in outside_spans(line)
        assert "<" not in outside_spans(line)


def outside_spans(line: str) -> str:
    """A line without its code spans, found as CommonMark finds them: by runs of backticks of the same length."""
    kept, at = "", 0
    while at < len(line):
        if line[at] != "`":
            kept += line[at]
            at += 1
            continue
        run = len(line[at:]) - len(line[at:].lstrip("`"))
        end = at + run
        while (end := line.find("`" * run, end)) >= 0:
            length = len(line[end:]) - len(line[end:].lstrip("`"))
            if length == run:
                break
            end += length
        at = end + run if end >= 0 else at + run
    return kept


def test_long_lists_are_cut(sides: tuple[Path, Path]) -> None:
    with edited(sides[1] / "_tags.yaml") as data:
        data.update({f"made-up-{n}": {"group": "network", "text": "Words."} for n in range(60)})
    text = comparison_text(found(sides))
    assert text.count("- added `made-up-") == 40
    assert "- and 20 more\n" in text


def run(*arguments: str | Path) -> Result:
    return faultbook("compare", *arguments)


def test_command_prints_both_forms(sides: tuple[Path, Path]) -> None:
    result = run(*sides, "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, found(sides))
    assert run(*sides).stdout == comparison_text(found(sides))


def test_command_refuses_a_directory_that_is_not_there(sides: tuple[Path, Path]) -> None:
    result = run(sides[0], sides[1] / "nothing")
    assert result.exit_code == 64
    assert "does not exist" in result.stderr
