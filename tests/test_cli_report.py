"""Answers as text for people and as Markdown: all that is promised is there, and nothing of a log acts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from typing import Any

import pytest
from answers import (
    CANDIDATES,
    CARDS,
    CASCADE,
    CASCADE_DETAILS,
    NO_DETAILS,
    NO_FAILURE,
    UNKNOWN,
    UNKNOWN_DETAILS,
    answer,
    finding,
    line,
    row,
)
from faultbook.blocks import Block, Figure, Items, Lines, Paragraph, Prose, Row, Shell, prose
from faultbook.blocks.markdown import markdown_text
from faultbook.cli.masking import masked
from faultbook.cli.ranks import first_failures
from faultbook.cli.report import Report
from faultbook.cli.terminal import Style, terminal_text
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

SITE = "https://example.org/faultbook/"
REPORTS = {
    "cascade": Report(CASCADE, CASCADE_DETAILS, CARDS, 8, SITE),
    "cascade-all": Report(CASCADE, CASCADE_DETAILS, CARDS, 8, SITE, everything=True),
    "unknown": Report(UNKNOWN, UNKNOWN_DETAILS, CARDS),
    "candidates": Report(CANDIDATES, NO_DETAILS, CARDS),
    "no-failure": Report(NO_FAILURE, NO_DETAILS, CARDS),
}
HOSTILE = (
    "\x1b]0;owned\x07\x1b[31mred\x9b1m \u202egnihtemos\x00 `````` | "
    "<script>alert(1)</script> *x* [a](javascript:b) @all"
)


@pytest.mark.parametrize("name", REPORTS)
def test_report_as_text(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"cli/{name}.txt", terminal_text(REPORTS[name].blocks(), Style(80)))


@pytest.mark.parametrize("name", REPORTS)
def test_report_as_markdown(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"cli/{name}.md", markdown_text(REPORTS[name].blocks()))


def test_colours_change_no_word() -> None:
    for report in REPORTS.values():
        coloured = terminal_text(report.blocks(), Style(80, colour=True))
        plain = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
        # Only underlines of headings are left out where there are colours.
        expected = re.sub(r"\n-{3,}(?=\n)", "", terminal_text(report.blocks(), Style(80)))
        assert plain == expected
        assert "\x1b[1;3" in coloured


def test_what_matched_is_coloured() -> None:
    text = terminal_text([Lines("f", (Row(3, "an error 7 here", True, ((3, 10),)),))], Style(80, colour=True))
    assert "an \x1b[1;31merror 7\x1b[0m here" in text


@pytest.mark.parametrize("width", [20, 40, 80, 100])
def test_words_of_ours_stay_within_the_width(width: int) -> None:
    blocks = [Paragraph("word " * 60), Items((("head", "word " * 40), ("", Prose("- a\n- b\n\nword " * 9))))]
    assert max(map(len, terminal_text(blocks, Style(width)).splitlines())) <= width


def test_code_is_not_broken_over_lines() -> None:
    text = terminal_text(
        [Paragraph(Prose("word " * 12 + "`torchrun --nnodes 2 --nproc-per-node 8 train.py`"))], Style(60)
    )
    assert "\n`torchrun --nnodes 2 --nproc-per-node 8 train.py`\n" in text


def test_a_list_in_prose_keeps_its_items() -> None:
    text = terminal_text([Paragraph(Prose("Two ways:\n\n- one,\n  and more\n- two\n\n1. first"))], Style(80))
    assert text == "Two ways:\n\n- one, and more\n- two\n\n1. first\n"


def test_code_in_prose_keeps_its_lines() -> None:
    text = terminal_text([Paragraph(Prose("So:\n\n```bash\na  b\n\n- c\n```\n\nEnd."))], Style(80))
    assert text == "So:\n\n    a  b\n\n    - c\n\nEnd.\n"


def test_a_long_line_is_cut_around_what_matched() -> None:
    text = "x" * 5000 + "ERROR" + "y" * 5000
    shown = terminal_text([Lines("f", (Row(1, text, True, ((5000, 5005),)),))], Style(80))
    assert "ERROR" in shown
    assert len(shown) < 700
    assert shown.count("…") == 2


def hostile_report() -> Report:
    """A report in which every text that may come from a log wants to act."""
    lines = [line(HOSTILE, 1, HOSTILE)]
    found = [
        finding("gpu-fell-off-the-bus", "initiating", lines, why=HOSTILE, node=HOSTILE),
        finding("watchdog-timeout", "downstream", lines, why=HOSTILE, node=HOSTILE),
    ]
    data = answer("match", found, error_lines=[{**lines[0], "rank": 3}], remarks=[HOSTILE])
    details = {"context": [{"finding": 0, "file": HOSTILE, "rows": [row(1, HOSTILE, [2, 9])]}], "ranks": [], "world": 2}
    return Report(data, details, CARDS, everything=True)


def test_nothing_of_a_log_acts_on_a_terminal() -> None:
    for style in (Style(80), Style(80, colour=True)):
        text = re.sub(r"\x1b\[[0-9;]{1,4}m", "", terminal_text(hostile_report().blocks(), style))
        assert not [char for char in text if not char.isprintable() and char != "\n"]
        assert "\\x1b]0;owned\\x07" in text
    assert "\x1b" not in terminal_text(hostile_report().blocks(), Style(80))


def test_nothing_of_a_log_becomes_markup() -> None:
    text = markdown_text(hostile_report().blocks())
    assert not [char for char in text if not char.isprintable() and char != "\n"]
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    assert not [
        token for token in (*tokens, *inline) if token.type in ("html_block", "html_inline", "em_open", "table_open")
    ]
    assert not [token for token in inline if token.type == "link_open" and "javascript" in str(token.attrs)]
    assert sum(token.type == "fence" and "<script>" in token.content for token in tokens) >= 2


@given(st.text("`~ab\n<>*", max_size=60))
@settings(deadline=None)
def test_a_fence_holds_any_text(text: str) -> None:
    blocks: list[Block] = [Lines("", (Row(1, text, True),)), Figure(text), Shell(run=text, output=text)]
    tokens = MarkdownIt("commonmark").parse(markdown_text(blocks))
    fences = [token.content for token in tokens if token.type == "fence"]
    assert len(fences) == (4 if text else 3)
    assert fences[1] == "\n".join(text.split("\n")) + "\n"


def test_a_harmful_command_comes_after_its_warning() -> None:
    text = terminal_text(REPORTS["cascade"].blocks(), Style(80))
    disruptive = text.index("! DISRUPTIVE, affects the node, other users")
    assert disruptive < text.index("! No new job starts on the node.") < text.index("$ sudo scontrol update")
    assert (
        text.index("! DESTRUCTIVE, affects the node")
        < text.index("! This command can do harm")
        < text.index("$ sudo reboot")
    )
    assert "!" not in text[: text.index("Quick fix")]


def test_evidence_is_limited_unless_all_is_wanted() -> None:
    context = [{"finding": 0, "file": f"{n}.log", "rows": [row(1, "error", [0, 5])]} for n in range(9)]
    found = [finding("x", "initiating", [line("0.log", 1, "error")], count=9)]
    found += [finding(f"y-{n}", "downstream", [line("0.log", 2, "more")]) for n in range(8)]
    data, details = answer("match", found), {**NO_DETAILS, "context": context}
    short = terminal_text(Report(data, details, {}).blocks(), Style())
    whole = terminal_text(Report(data, details, {}, everything=True).blocks(), Style())
    assert "Evidence (3 of 9 lines)" in short
    assert "3.log" not in short
    assert "3 more with --all." in short
    assert "8.log" in whole
    assert "Y 7" in whole
    assert "--all" not in whole


def test_masking_reaches_every_text_of_a_log() -> None:
    secret = "password=hunter2"
    found = [finding("token-abc1def2", "initiating", [line(secret, 1, secret)], node=secret, why=secret)]
    data = answer("match", found, error_lines=[{**line("x", 1, secret), "rank": 1}], remarks=[secret])
    details = {
        "context": [{"finding": 0, "file": secret, "rows": [row(1, f"a {secret} error", [19, 24])]}],
        "ranks": [],
    }
    assert "hunter2" not in str(masked(data)) + str(masked(details))
    assert masked(data)["findings"][0]["entry"] == "token-abc1def2"
    shown = masked(details)["context"][0]["rows"][0]
    assert shown["text"][slice(*shown["spans"][0])] == "error"
    assert masked(CASCADE) == CASCADE | {"error_lines": masked(CASCADE["error_lines"])}


def rank(number: int, seconds: float | None, node: str | None = None) -> dict[str, Any]:
    return {"rank": number, "seconds": seconds, "node": node}


@pytest.mark.parametrize(
    ("rows", "world", "text"),
    [
        ([], 8, ""),
        ([rank(3, 0.0)], None, ""),
        ([rank(0, None), rank(1, None), rank(2, 1.0)], None, "A failure was printed by ranks 0 to 2."),
        (
            [rank(1, None), rank(3, None)],
            4,
            "A failure was printed by ranks 1 and 3. No failure was printed by ranks 0 and 2 of 4.",
        ),
        (
            [rank(5, 0.0, "n1"), rank(4, 2.0), rank(6, 2.5)],
            3,
            "Rank 5 (node n1) failed first, ranks 4 and 6 after 2.0 to 2.5 s.",
        ),
        ([rank(n, 0.0) for n in (0, 1, 4)], None, "Ranks 0 and 1 and 4 failed first."),
        (
            [rank(9, 0.0)] + [rank(n, 10.0 * n) for n in range(1, 6)],
            None,
            "Rank 9 failed first, rank 1 after 10.0 s, rank 2 after 20.0 s, ranks 3 to 5 after 30.0 to 50.0 s.",
        ),
        ([rank(n, None) for n in range(0, 20, 2)], None, "A failure was printed by 10 ranks."),
    ],
)
def test_order_of_failures_as_a_sentence(rows: list[dict[str, Any]], world: int | None, text: str) -> None:
    assert first_failures(rows, world) == text


def test_marks_of_an_entry_become_words() -> None:
    text = "Go to [[#a]] or [[b-c|the other]], [[d-e]]. [@x] [@y]\n\n`[[code]]` stays. [@x]"
    assert prose(text, fixes={"a": "Do it"}) == "Go to fix 'Do it' or the other (`b-c`), `d-e`.\n\n`[[code]]` stays."
    assert prose(text, labels={"x": "1"}).endswith("`d-e`. [1] [y]\n\n`[[code]]` stays. [1]")


def test_cards_may_lack_anything() -> None:
    for data, details in ((CASCADE, CASCADE_DETAILS), (UNKNOWN, UNKNOWN_DETAILS), (CANDIDATES, NO_DETAILS)):
        for everything, cards in itertools.product((False, True), ({}, {"gpu-fell-off-the-bus": {"title": "T"}})):
            assert terminal_text(Report(data, details, cards, everything=everything).blocks(), Style())
