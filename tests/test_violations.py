"""The printed forms of violations, and what they do with text that others wrote."""

from __future__ import annotations

import json

import pytest
from faultbook.violations import (
    Level,
    Location,
    Violation,
    did_you_mean,
    format_count,
    format_github,
    format_json,
    format_violation,
    printable,
    shorten,
    sort_violations,
)

PLACE = Location("entries/launch/master-port-in-use.yaml", 14, 5)
MESSAGE = "the entry 'epheral-ports' does not exist (did you mean 'ephemeral-ports'?)"


def violation(
    path: str = "a.yaml", line: int = 1, column: int = 1, code: str = "yaml", message: str = "m"
) -> Violation:
    return Violation(Location(path, line, column), code, message)


def test_text_form_is_one_line_with_place_level_code_and_message() -> None:
    assert format_violation(Violation(PLACE, "unknown-entry", MESSAGE)) == (
        "entries/launch/master-port-in-use.yaml:14:5: error[unknown-entry]: "
        "the entry 'epheral-ports' does not exist (did you mean 'ephemeral-ports'?)"
    )


def test_text_form_names_the_level_of_a_warning() -> None:
    assert format_violation(Violation(PLACE, "filler", "drop it", Level.WARNING)).endswith(": warning[filler]: drop it")


def test_json_form_has_the_fields_of_the_place_beside_code_and_message() -> None:
    assert json.loads(format_json([Violation(PLACE, "unknown-entry", MESSAGE)])) == [
        {
            "path": "entries/launch/master-port-in-use.yaml",
            "line": 14,
            "column": 5,
            "level": "error",
            "code": "unknown-entry",
            "message": MESSAGE,
        }
    ]


def test_json_form_of_nothing_is_an_empty_list() -> None:
    assert json.loads(format_json([])) == []


def test_github_form_escapes_what_would_end_the_command() -> None:
    hostile = Violation(Location("a,b:c%d.yaml", 2, 3), "yaml", "100%: a, b\n::set-env name=PATH::/evil")
    assert format_github(hostile) == (
        "::error file=a%2Cb%3Ac%25d.yaml,line=2,col=3,title=faultbook yaml::100%25: a, b\\n::set-env name=PATH::/evil"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain – text…", "plain – text…", id="typographic characters stay"),
        pytest.param("a\nb", "a\\nb", id="line feed"),
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="terminal escape"),
        pytest.param("a\x9bb", "a\\x9bb", id="escape of one byte"),
        pytest.param("\u202eevil", "\\u202eevil", id="right-to-left override"),
        pytest.param("a\u200bb", "a\\u200bb", id="zero width"),
        pytest.param("caf\udce9", "caf\\udce9", id="byte that is no text"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag character"),
    ],
)
def test_printable_escapes_what_a_terminal_could_act_on(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("form", [format_violation, format_github, lambda one: format_json([one])])
def test_every_form_can_be_encoded_and_keeps_control_characters_out(form: object) -> None:
    assert callable(form)
    text = form(violation(path="\udcff.yaml", message="\x1b]0;title\x07 \udc80"))
    text.encode("utf-8")
    assert not {"\x1b", "\x07"} & set(text)


def test_violations_are_sorted_by_place_then_code_then_message() -> None:
    rows = [
        violation("b.yaml"),
        violation("a.yaml", 10),
        violation("a.yaml", 9, 20),
        violation("a.yaml", 9, 3, "yaml", "z"),
        violation("a.yaml", 9, 3, "yaml", "a"),
        violation("a.yaml", 9, 3, "anchor", "z"),
    ]
    assert sort_violations(rows) == rows[::-1]


def test_a_violation_that_was_met_twice_is_reported_once() -> None:
    assert sort_violations([violation(), violation()]) == [violation()]


@pytest.mark.parametrize(
    ("levels", "text"),
    [
        ([], "no violations"),
        ([Level.ERROR], "1 error"),
        ([Level.WARNING, Level.WARNING], "2 warnings"),
        ([Level.WARNING, Level.ERROR, Level.ERROR], "2 errors, 1 warning"),
    ],
)
def test_count_names_each_level_that_occurs(levels: list[Level], text: str) -> None:
    assert format_count([Violation(PLACE, "x", "m", level) for level in levels]) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("sumary", " (did you mean 'summary'?)", id="a letter less"),
        pytest.param("titel", " (did you mean 'title'?)", id="two letters swapped"),
        pytest.param("xyzzy", "", id="nothing near"),
        pytest.param("", "", id="nothing given"),
        pytest.param("x" * 1_000_000, "", id="a megabyte"),
    ],
)
def test_did_you_mean_names_the_nearest_known_name_or_nothing(name: str, text: str) -> None:
    assert did_you_mean(name, ("title", "summary", "status")) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\n  b\tc", "a b c"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        (404, "404"),
        (["a"], "['a']"),
    ],
)
def test_values_are_quoted_on_one_line_of_bounded_length(value: object, text: str) -> None:
    assert shorten(value) == text
