"""The check that finds text which two entries share, and what all checks cost."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import CORPUS, MAIN, OTHER, check_written, entry_yaml, lead, load_written, reported_codes, write_corpus
from faultbook.checks import CHECKS, run_checks
from faultbook.corpus import load_corpus
from faultbook.links import build_links

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
    assert reported_codes(tmp_path, files) == (["2:9 near-duplicate"] if found else [])


def test_short_texts_and_ways_to_tell_apart_may_be_equal(tmp_path: Path) -> None:
    short = lead(" ".join(WORDS[:11]))
    how = "  - {{entry: {}, short: Its words, how: " + TEXT + "}}\n"
    files = {
        MAIN: short + "tell_apart:\n" + how.format("open-files-limit"),
        OTHER: short + "tell_apart:\n" + how.format("shm-exhausted"),
    }
    assert reported_codes(tmp_path, files) == []


def test_drafts_and_texts_of_one_entry_are_not_compared(tmp_path: Path) -> None:
    twice = lead(TEXT) + f"quick_fix:\n  text: {TEXT}\n"
    assert reported_codes(tmp_path, {MAIN: twice, OTHER: f"status: draft\n{lead(TEXT)}"}) == []


def test_each_copy_is_reported_once_at_the_later_entry(tmp_path: Path) -> None:
    entries = write_corpus(tmp_path, {MAIN: lead(TEXT), OTHER: lead(TEXT)})
    copy = (entries / OTHER).read_text("utf-8")
    for number in range(12):
        (entries / f"host/copy-{number}.yaml").write_text(copy, "utf-8")
    found = [violation for violation in check_written(entries) if violation.code == "near-duplicate"]
    leads = [violation.location.path for violation in found if violation.location.line == 2]
    assert len(leads) == len(set(leads)) == 13


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
    # Sixty entries with one signature all match each sample, which is a square that no real corpus has.
    judged = [check.code for check in CHECKS if check.code.startswith("sample-")]
    codes_of_copies = ["near-duplicate", "shared-template", *judged]
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
