"""Checks of sources and reproductions, beyond their examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import MAIN, reported, reported_codes

LONG = "The worker writes to a page of shared memory that the file system cannot supply, and SIGBUS ends it at once."


@pytest.mark.parametrize(
    ("mechanism", "lines"),
    [
        (f"{LONG}\n\n{LONG} [@docs]", [2]),
        (f"{LONG} [@docs]\n\n{LONG} [@docs] [@docs].", []),
        (f"{LONG} [@docs] So it is.\n\n{LONG} [@docs]", [2]),
        (f"{LONG} It does:\n\n- one thing;\n- {LONG} [@docs]", []),
        (f"{LONG} It does: [@docs]\n\n- one thing;\n- {LONG}", [2]),
        (f"{LONG} [@docs]\n\n{LONG}\n\n1. one\n\n2. two [@docs]", []),
        (f"{LONG} [@docs]\n\n{LONG} `[@docs]` {LONG}", [4]),
    ],
)
def test_paragraphs_of_the_mechanism_end_in_citations(mechanism: str, lines: list[int], tmp_path: Path) -> None:
    block = "".join(f"  {line}\n" if line else "\n" for line in mechanism.split("\n"))
    found = reported_codes(tmp_path, {MAIN: f"mechanism: |\n{block}"})
    assert found == [f"{line}:3 uncited-paragraph" for line in lines]


def test_draft_may_have_paragraphs_without_citation(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: f"status: draft\nmechanism: {LONG}\n"}) == []


def test_same_id_twice_is_one_violation(tmp_path: Path) -> None:
    text = (
        "references:\n  - {id: docs, title: One, url: 'https://docs.kernel.org/a'}\n"
        "  - {id: docs, title: Two, url: 'https://docs.kernel.org/a'}\n"
    )
    assert reported(tmp_path, {MAIN: text}) == [
        "shm-exhausted.yaml:3:10 duplicate-reference: the id 'docs' is taken by another reference; choose another"
    ]


SCRIPT = "reproductions/shm-exhausted/reproduce.py"


def _reproduced(path: str) -> str:
    return f"evidence:\n  level: reproduced\n  reproduction:\n    path: {path}\n    shows: A small tmpfs\n"


def test_script_must_exist_where_scripts_are(tmp_path: Path) -> None:
    (tmp_path / "reproductions/shm-exhausted").mkdir(parents=True)
    assert reported(tmp_path, {MAIN: _reproduced(SCRIPT)}) == [
        f"shm-exhausted.yaml:4:11 reproduction-missing: there is no file '{SCRIPT}'; add it"
    ]
    (tmp_path / SCRIPT).write_text("", "utf-8")
    assert reported(tmp_path, {MAIN: _reproduced(SCRIPT)}) == [
        "shm-exhausted.yaml:4:11 reproduction-unrecorded: there is no record of a run of this script; run "
        "'faultbook reproduce shm-exhausted' and commit the record"
    ]


def test_script_of_another_entry_is_a_violation_also_without_scripts(tmp_path: Path) -> None:
    assert reported(tmp_path, {MAIN: _reproduced("reproductions/other/reproduce.py")}) == [
        "shm-exhausted.yaml:4:11 reproduction-missing: the script of this entry lies in "
        "'reproductions/shm-exhausted/'; move it there"
    ]
