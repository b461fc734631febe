"""Checks of prose, beyond their examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import MAIN, lead, reported_codes


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("See [it](http://docs.kernel.org/).", "3:14"),
        ("See [it](javascript:alert(1)).", "3:14"),
        ("See [it](/entries/shm-exhausted/).", "3:14"),
        ("See [it]( <ftp://x.org> ).", "3:16"),
        ("See <http://docs.kernel.org/>.", "3:10"),
        ("See <mailto:a@b.org>.", "3:10"),
        ("First.\n\n[it]: http://docs.kernel.org/", "5:11"),
        ("[it]: http://docs.kernel.org/ 'title'", "3:11"),
        ("See [it](https://docs.kernel.org/) and <https://man7.org/>.", None),
        ("[rank0]: Parameters which did not get a gradient.", None),
        ("The line `[it](http://x.org)` is code.", None),
        ("The list [0](see below) is short, and a[1]: 2 too.", "3:18"),
    ],
)
def test_links_lead_to_https(text: str, place: str | None, tmp_path: Path) -> None:
    assert reported_codes(tmp_path, {MAIN: lead(text)}) == ([f"{place} insecure-link"] if place else [])


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Set <b>it</b>.", ["3:9", "3:14"]),
        ("An <int> or <a href='x'>.", ["3:8", "3:17"]),
        ("One &amp; two, &#60; and &#x3C;.", ["3:9", "3:20", "3:30"]),
        ("A <!-- comment --> too.", ["3:7"]),
        ("Code `<int>` and ``<b> `x` </b>``.", []),
        ("Two < three > one, a & b; and x<y>.", ["3:36"]),
        ("With 1<2 and AT&T, R&D; 5 > 3.", []),
        ("See <https://docs.kernel.org/>.", []),
    ],
)
def test_html_in_prose(text: str, places: list[str], tmp_path: Path) -> None:
    assert reported_codes(tmp_path, {MAIN: lead(text)}) == [f"{place} html-in-text" for place in places]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("We leverage it.", "3:8"),
        ("LEVERAGE, it is.", "3:5"),
        ("Please note: it is full.", "3:5"),
        ("Then make sure to look.", "3:10"),
        ("(In today's clusters) it is.", "3:6"),
        ("It follows best practices.", "3:16"),
        ("The option `--leverage` and a make-sure-to flag.", None),
        ("A deleverage of it.", None),
        ("To make sure to-day it is.", None),
    ],
)
def test_filler(text: str, place: str | None, tmp_path: Path) -> None:
    assert reported_codes(tmp_path, {MAIN: lead(text)}) == ([f"{place} filler"] if place else [])


def test_filler_in_a_draft_is_no_violation(tmp_path: Path) -> None:
    assert reported_codes(tmp_path, {MAIN: "status: draft\n" + lead("Please note: it is full.")}) == []


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Restart the job and look again.", True),
        ("No. The worker writes it again.", False),
        ("Only if SIGBUS came first.", False),
        ("Yes, with more shared_memory there.", True),
        ("It could be several other things first.", True),
    ],
)
def test_answer_must_name_something_of_its_entry(answer: str, found: bool, tmp_path: Path) -> None:
    text = f"faq:\n  - q: Is it lost?\n    a: {answer}\n"
    assert reported_codes(tmp_path, {MAIN: text}) == (["3:8 faq-generic"] if found else [])


def test_summary_of_a_draft_may_repeat_the_title(tmp_path: Path) -> None:
    text = "title: Shared memory too small for workers\nsummary: Shared memory too small for workers\nstatus: "
    assert reported_codes(tmp_path / "draft", {MAIN: f"{text}draft\n"}) == []
    assert "2:10 summary-repeats-title" in reported_codes(tmp_path / "published", {MAIN: f"{text}published\n"})
