"""Checks of signatures, beyond their examples."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import MAIN, OTHER, reported_codes


def signatures(*fields: str) -> str:
    """A symptom with these signatures."""
    return "symptoms:\n  - observed: It fails.\n    means: It is full.\n    signatures:\n" + "".join(
        f"      - {field}\n" for field in fields
    )


def codes(folder: Path, files: dict[str, str]) -> list[str]:
    """The codes that are reported, but for those of samples, which these made-up lines do not match."""
    found = [line.split()[1] for line in reported_codes(folder, files)]
    return [code for code in found if not code.startswith("sample-")]


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
    assert codes(tmp_path, files) == (["shared-template"] if found else [])


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
    assert codes(tmp_path, files) == (["shared-template"] if found else [])


def test_template_twice_in_one_entry(tmp_path: Path) -> None:
    twice = signatures(f"text: {LINE}", f"{{text: [Another line, {LINE}], role: ambiguous}}")
    assert "6:9 shared-template" in reported_codes(tmp_path, {MAIN: twice})


def test_wrapper_may_not_share_the_template_of_a_cause(tmp_path: Path) -> None:
    files = {MAIN: "kind: wrapper\n" + signatures(f"text: {LINE}"), OTHER: signatures(f"text: {LINE}")}
    assert "6:9 shared-template" in reported_codes(tmp_path, files)


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
        (f"{{text: '{LINE} <*:a> at all', only_if: [a != 0]}}", ["unknown-capture"]),
    ],
)
def test_comparisons(fields: str, found: list[str], tmp_path: Path) -> None:
    assert codes(tmp_path, {MAIN: signatures(fields)}) == found


def test_form_of_each_template_of_a_signature_is_checked(tmp_path: Path) -> None:
    fields = f"{{all: ['{LINE}', '<int> failed again'], unless: ['ok <int>'], within: 3}}"
    assert codes(tmp_path, {MAIN: signatures(fields)}) == [
        "template-start",
        "template-open",
    ]
