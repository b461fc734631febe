"""Checks of prose, of signatures and of text that two entries share, beyond their examples."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import CORPUS, MAIN, OTHER, check_written, entry_yaml, load_written, write_corpus
from faultbook.checks import run_checks
from faultbook.corpus import load_corpus
from faultbook.links import build_links


def codes(tmp_path: Path, files: dict[str, str]) -> list[str]:
    """The violations of a corpus, as ``line:column code``."""
    found = check_written(write_corpus(tmp_path, files))
    return [f"{violation.location.line}:{violation.location.column} {violation.code}" for violation in found]


def lead(text: str) -> str:
    """An entry that says this to one reader."""
    return "perspectives:\n  lead: |\n" + "".join(f"    {line}\n" for line in text.split("\n"))


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
    assert codes(tmp_path, {MAIN: lead(text)}) == ([f"{place} insecure-link"] if place else [])


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
    assert codes(tmp_path, {MAIN: lead(text)}) == [f"{place} html-in-text" for place in places]


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
    assert codes(tmp_path, {MAIN: lead(text)}) == ([f"{place} filler"] if place else [])


def test_filler_in_a_draft_is_no_violation(tmp_path: Path) -> None:
    assert codes(tmp_path, {MAIN: "status: draft\n" + lead("Please note: it is full.")}) == []


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
    assert codes(tmp_path, {MAIN: text}) == (["3:8 faq-generic"] if found else [])


def test_summary_of_a_draft_may_repeat_the_title(tmp_path: Path) -> None:
    text = "title: Shared memory too small for workers\nsummary: Shared memory too small for workers\nstatus: "
    assert codes(tmp_path / "draft", {MAIN: f"{text}draft\n"}) == []
    assert "2:10 summary-repeats-title" in codes(tmp_path / "published", {MAIN: f"{text}published\n"})


TEXT = (
    "the file system of the host that backs shared memory takes its pages from the limit of the container as soon as "
    "a worker writes to them while the size that df prints stays as it was before and the kernel counts each page "
    "once for all processes that map it and gives it back when the last of them has gone"
)
WORDS = TEXT.split()


def _changed(position: int, *, words: int = 1) -> str:
    return " ".join([*WORDS[:position], *(["other"] * words), *WORDS[position + words :]])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (TEXT, True),
        (TEXT.upper(), True),
        (_changed(30), True),
        (_changed(0), True),
        (_changed(len(WORDS) - 1), True),
        (" ".join(WORDS[:-4]), True),
        (_changed(10, words=12), False),
        (" ".join(WORDS[:40]), False),
        (" ".join(reversed(WORDS)), False),
    ],
    ids=["equal", "capitals", "word", "first", "last", "shorter", "dozen", "part", "reversed"],
)
def test_nearly_equal_text_of_two_entries(text: str, found: bool, tmp_path: Path) -> None:
    files = {MAIN: lead(TEXT), OTHER: f"quick_fix:\n  text: {text}\n"}
    assert codes(tmp_path, files) == (["2:9 near-duplicate"] if found else [])


def test_short_texts_and_ways_to_tell_apart_may_be_equal(tmp_path: Path) -> None:
    short = lead(" ".join(WORDS[:11]))
    how = "  - {{entry: {}, short: Its words, how: " + TEXT + "}}\n"
    files = {
        MAIN: short + "tell_apart:\n" + how.format("open-files-limit"),
        OTHER: short + "tell_apart:\n" + how.format("shm-exhausted"),
    }
    assert codes(tmp_path, files) == []


def test_drafts_and_texts_of_one_entry_are_not_compared(tmp_path: Path) -> None:
    twice = lead(TEXT) + f"quick_fix:\n  text: {TEXT}\n"
    assert codes(tmp_path, {MAIN: twice, OTHER: f"status: draft\n{lead(TEXT)}"}) == []


def test_each_copy_is_reported_once_at_the_later_entry(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: lead(TEXT), OTHER: lead(TEXT)})
    copy = (entries / OTHER).read_text("utf-8")
    for number in range(12):
        (entries / f"host/copy-{number}.yaml").write_text(copy, "utf-8")
    found = [violation for violation in check_written(entries) if violation.code == "near-duplicate"]
    leads = [violation.location.path for violation in found if violation.location.line == 2]
    assert len(leads) == len(set(leads)) == 13


def signatures(*fields: str) -> str:
    """A symptom with these signatures."""
    return "symptoms:\n  - observed: It fails.\n    means: It is full.\n    signatures:\n" + "".join(
        f"      - {field}\n" for field in fields
    )


LINE = "Resource temporarily unavailable"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (f"{LINE} <int>", f"{LINE} <int>", True),
        (f"{LINE} <int:a>", f"{LINE}   <int:b>", True),
        (f"{LINE} <int> <*>", f"{LINE} <int>", True),
        (f"{LINE} <int>", f"{LINE} <num>", False),
        (f"{LINE} \\<x>", f"{LINE} <x>", True),
    ],
)
def test_templates_that_are_the_same(one: str, other: str, found: bool, tmp_path: Path) -> None:
    files = {MAIN: signatures(f"text: '{one}'"), OTHER: signatures(f"text: '{other}'")}
    assert [line.split()[1] for line in codes(tmp_path, files)] == (["shared-template"] if found else [])


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ("only_if: [a > 0]", "only_if: [a == 0]", False),
        ("only_if: [a > 0]", "only_if: [a > 0]", True),
        ("unless: [worker starts again]", "", False),
        ("role: ambiguous", "role: ambiguous", True),
        ("role: notice", "role: downstream", True),
    ],
)
def test_conditions_make_templates_differ_and_roles_do_not(one: str, other: str, found: bool, tmp_path: Path) -> None:
    files = {path: signatures(f"{{text: '{LINE} <int:a>', {more}}}") for path, more in ((MAIN, one), (OTHER, other))}
    assert [line.split()[1] for line in codes(tmp_path, files)] == (["shared-template"] if found else [])


def test_template_twice_in_one_entry(tmp_path: Path) -> None:
    assert codes(
        tmp_path, {MAIN: signatures(f"text: {LINE}", f"{{text: [Another line, {LINE}], role: ambiguous}}")}
    ) == ["6:9 shared-template"]


def test_wrapper_may_not_share_the_template_of_a_cause(tmp_path: Path) -> None:
    files = {MAIN: "kind: wrapper\n" + signatures(f"text: {LINE}"), OTHER: signatures(f"text: {LINE}")}
    assert codes(tmp_path, files) == ["6:9 shared-template"]


def test_templates_of_drafts_are_free(tmp_path: Path) -> None:
    files = {MAIN: "status: draft\n" + signatures(f"text: {LINE}"), OTHER: signatures(f"text: {LINE}")}
    assert codes(tmp_path, files) == []


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        (f"{{text: ['{LINE} <int:a>', 'Not available <int:a>'], only_if: [a > 0]}}", []),
        (f"{{text: ['{LINE} <int:a>', 'Not available <int:b>'], only_if: [a > 0]}}", ["unknown-capture"]),
        (f"{{all: ['{LINE} <int:a>', 'Not available <int:b>'], only_if: [a > b]}}", []),
        (f"{{all: ['{LINE} <int:a>', 'Not available <int:b>'], only_if: [a > c, d < b]}}", ["unknown-capture"] * 2),
        (f"{{text: '{LINE} <int:a>', only_if: [a > 0 and a < 3]}}", ["comparison"]),
        (f"{{text: '{LINE} <int:a>', only_if: [1 > 0]}}", ["comparison"]),
    ],
)
def test_comparisons(fields: str, found: list[str], tmp_path: Path) -> None:
    assert [line.split()[1] for line in codes(tmp_path, {MAIN: signatures(fields)})] == found


def test_form_of_each_template_of_a_signature_is_checked(tmp_path: Path) -> None:
    fields = f"{{all: ['{LINE}', '<int> failed again'], unless: ['ok <int>'], within: 3}}"
    assert [line.split()[1] for line in codes(tmp_path, {MAIN: signatures(fields)})] == [
        "template-start",
        "template-open",
    ]


def _varied(random_word: Callable[[], str], path: str) -> str:
    """A complete entry whose words are others than those of the next one."""
    prose = "".join(f"  - {' '.join(random_word() for _ in range(60))}.\n" for _ in range(8))
    return entry_yaml(f"prevention:\n{prose}", path=path)


def test_checks_cost_less_than_reading(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {})
    letters = random.Random(1)
    for number in range(60):
        text = _varied(lambda: "".join(letters.choices("aeiorstln", k=letters.randint(2, 9))), MAIN)
        (entries / "data").mkdir(exist_ok=True)
        (entries / f"data/entry-{number}.yaml").write_text(text, "utf-8")
    corpus = load_corpus([entries], tmp_path)[0]
    links = build_links(corpus)
    codes_of_copies = ["near-duplicate", "shared-template"]
    reading = min(_seconds(lambda: load_corpus([entries], tmp_path)) for _ in range(5))
    checking = min(_seconds(lambda: run_checks(corpus, links, root=tmp_path, ignore=codes_of_copies)) for _ in range(5))
    assert checking < reading


def _seconds(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def test_complete_entries_have_no_violation(tmp_path: Path) -> None:
    assert check_written(write_corpus(tmp_path, {MAIN: "", OTHER: ""})) == []
    assert set(load_written(tmp_path / "entries").records) == {path.stem for path in CORPUS.glob("*/*.yaml")}
