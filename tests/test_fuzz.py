"""Whatever text is given to reader, format, templates and prose, it gets an answer and never an exception."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from builders import CORPUS, MAIN, OTHER, entry_yaml
from faultbook.links import Mark, parse_marks, scan_text
from faultbook.reader import parse_source, read_source
from faultbook.render.prose import render_blocks, render_commonmark, render_inline
from faultbook.schema import Entry, Tag, lacks, parse_vocabulary, schema_violations, text_fields
from faultbook.signatures import (
    TYPES,
    Comparison,
    Fault,
    form_faults,
    format_template,
    parse_comparison,
    parse_template,
)
from faultbook.violations import Violation, did_you_mean, format_github, format_json, format_violation
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

bounded = settings(deadline=None, max_examples=100, derandomize=True)
many = settings(bounded, max_examples=400)
ENTRIES = [entry_yaml(path=path) for path in (MAIN, OTHER)]
LINE_END = re.compile(r"\r\n?|\n")

SIGNS = st.one_of(
    st.sampled_from("-:#&*!|>'\"%@`{}[],?~<=\\\t\n\r\x00\x85\u2028\ufeffé😀"),
    st.sampled_from(["---", "...", "<<: ", "&a ", "*a", "!!str ", "!x ", "a: ", "0x1", "1e9", ".nan", "null"]),
)
YAML = st.lists(st.one_of(SIGNS, st.sampled_from(["a", "key", " ", "  ", "\n", ": ", "- ", "\n- "]))).map("".join)


def hold_together(text: str, violations: list[Violation]) -> None:
    """Every violation can be printed on one line and lies within the text, behind its last character at most."""
    lines = LINE_END.split(text.removeprefix("\ufeff"))
    for violation in violations:
        location = violation.location
        assert 1 <= location.line <= len(lines)
        assert 1 <= location.column <= len(lines[location.line - 1]) + 1
        assert len(violation.message) < 1500
        for form in (format_violation(violation), format_github(violation), format_json([violation])):
            form.encode()
        assert "\n" not in format_violation(violation)


def understand(text: str) -> Entry | None:
    """Goes the whole way from text to an entry."""
    source, violations = parse_source(text, Path("x.yaml"), "x.yaml")
    hold_together(text, violations)
    if source is None:
        assert violations
        return None
    try:
        entry = Entry.model_validate(source.data)
    except ValidationError as error:
        found = schema_violations(error, source, Entry)
        assert found
        hold_together(text, found)
        return None
    for field in text_fields(entry):
        hold_together(text, [Violation(source.locate(field.path), "x", "m")])
    for lack in lacks(entry):
        hold_together(text, [Violation(source.locate(lack.path), "x", lack.message)])
    return entry


@bounded
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory: Any, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "x.yaml"
    path.write_bytes(raw)
    source, violations = read_source(path, "x.yaml")
    assert (source is None) == any(violation.code != "text-lost" for violation in violations)
    hold_together(raw.decode("utf-8", "replace"), violations)


@bounded
@given(st.one_of(st.text(max_size=200), YAML))
def test_any_text_is_parsed_or_refused_at_a_place_within_it(text: str) -> None:
    understand(text)


@bounded
@given(
    st.sampled_from(ENTRIES),
    st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 30), st.one_of(SIGNS, st.text(max_size=4))), max_size=4),
)
def test_an_entry_with_random_changes_is_valid_or_has_violations_within_it(
    text: str, changes: list[tuple[int, int, str]]
) -> None:
    for start, length, replacement in changes:
        text = text[:start] + replacement + text[start + length :]
    understand(text)


@bounded
@given(st.sampled_from(ENTRIES), st.data())
def test_an_entry_with_lines_moved_lost_or_twice_is_valid_or_has_violations_within_it(text: str, draw: Any) -> None:
    lines = text.splitlines(keepends=True)
    chosen = draw.draw(st.lists(st.sampled_from(range(len(lines))), min_size=1, max_size=len(lines)))
    understand("".join(lines[at] for at in (chosen if draw.draw(st.booleans()) else sorted(chosen))))


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=90), st.just("a" * 7000)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(sorted(Entry.model_fields)), st.text(max_size=9)), inner, max_size=4),
    ),
    max_leaves=8,
)


def flow(value: Any) -> str:
    """A value in the form that JSON and YAML share."""
    return re.sub("[^ -~]", lambda found: f"\\U{ord(found[0]):08X}", json.dumps(value, ensure_ascii=False))


@bounded
@given(st.sampled_from(sorted(Entry.model_fields)), VALUES)
def test_any_value_in_any_field_is_taken_or_refused_where_it_stands(name: str, value: Any) -> None:
    text = entry_yaml(f"{name}: {flow(value)}\n")
    source, violations = parse_source(text, Path("x"), "x")
    assert source is not None, violations
    understand(text)


@bounded
@given(VALUES)
def test_any_vocabulary_is_taken_or_refused(value: Any) -> None:
    text = flow(value)
    source, _ = parse_source(text, Path("x"), "x")
    if source is not None:
        hold_together(text, parse_vocabulary(source, Tag)[1])


TEMPLATES = st.lists(
    st.one_of(
        st.sampled_from(["\\", "\\\\", "\\<", "<", ">", " ", "  ", "\t", "\n", "<*>", "<foo>", "int>", ":a>", "é"]),
        st.sampled_from(sorted(TYPES)).map("<{}>".format),
        st.sampled_from(sorted(TYPES)).map("<{}:name>".format),
        st.text(max_size=5),
    )
).map("".join)


@bounded
@given(TEMPLATES)
def test_a_template_that_is_printed_and_parsed_again_is_the_same(text: str) -> None:
    template = parse_template(text)
    printed = format_template(template)
    assert parse_template(printed) == template
    assert format_template(parse_template(printed)) == printed
    assert len(printed) <= len(text)


@bounded
@given(TEMPLATES)
def test_the_form_of_any_template_is_judged(text: str) -> None:
    for fault in form_faults(parse_template(text)):
        assert fault.code.startswith("template-")
        assert fault.message


@bounded
@given(
    st.one_of(
        st.text(max_size=120),
        st.lists(
            st.sampled_from(
                ["a", "rank", "1", "2.4.1", "20 MiB", "'", '"', "x y", "==", "!=", "<", "<=", ">", "=", " "]
            )
        ).map("".join),
    )
)
def test_any_text_is_a_comparison_or_says_why_not(text: str) -> None:
    parsed = parse_comparison(text)
    assert isinstance(parsed, Comparison | Fault)
    if isinstance(parsed, Comparison):
        assert parsed.names
        assert {parsed.left.kind, parsed.right.kind} <= {"capture", "number", "version", "text"}


@bounded
@given(st.text(max_size=300), st.lists(st.text(max_size=20), max_size=5))
def test_the_nearest_name_is_a_known_one(name: str, known: list[str]) -> None:
    hint = did_you_mean(name, known)
    assert hint == "" or hint in {f" (did you mean '{one}'?)" for one in known}


WORDS = st.sampled_from(
    [
        *("word", "Torch", "x_y_z", "é", "100%", "3.", "…", "\u00a0", "<b>", "&amp;", '"', "'"),
        *("$HOME", "{PID}", "|", "#", ">", "~", "+", "-", "=", ":"),
    ]
)
SPANS = st.sampled_from(
    ["`code`", "`` a ` b ``", "`[@x]`", "` b `", "[@ref]", "[[slug]]", "[[slug|some words]]", "[[#fix]]"]
)
BREAKS = st.sampled_from(
    [
        *(" ", "  ", "\n", "  \n", "\n  ", "\n\n", "\n \n", "\n    ", "\t"),
        *("\n- ", "\n* ", "\n+ ", "\n-\n", "\n1. ", "\n2) ", "\n# ", "\n> ", "\n---\n", "\n===\n"),
    ]
)
MARKUP = st.sampled_from(
    [
        *("`", "``", "*", "**", "_", "__", "\\", "\\`", "!", "[", "]", "![", "](https://a.b/c)"),
        *("*a*", "**b**", "_c_", "__d__", "_e", "f_"),
        *("[t](https://a.b)", "[t](http://a.b)", "[t](javascript:x)", "<https://a.b>", "[x]: https://a.b"),
    ]
)
PROSE = st.one_of(
    st.lists(st.one_of(WORDS, SPANS, BREAKS), max_size=12).map("".join),
    st.lists(st.one_of(WORDS, SPANS, BREAKS, MARKUP), max_size=12).map("".join),
)


def shown(mark: Mark) -> str:
    return f"<i>{mark.kind} {mark.target} {mark.words}</i>"


@many
@given(PROSE)
def test_the_short_way_of_rendering_gives_what_the_library_gives(text: str) -> None:
    assert str(render_blocks(text, shown)) == render_commonmark(text, shown)


@many
@given(PROSE)
def test_one_line_of_prose_is_rendered_as_a_paragraph_without_its_marks(text: str) -> None:
    line = " ".join(text.splitlines()).strip()
    if line and not re.match(r"(?:[-+*]|[0-9]{1,9}[.)])(?:\s|$)|```|~~~", line):
        assert f"<p>{render_inline(text, shown)}</p>" == render_commonmark(line, shown)


@many
@given(PROSE)
def test_every_citation_and_link_that_is_rendered_was_found_by_the_checks(text: str) -> None:
    rendered: list[Mark] = []

    def render(mark: Mark) -> str:
        rendered.append(mark)
        return ""

    render_blocks(text, render)
    found = [(mark.kind, mark.target, mark.words) for mark in parse_marks(text)]
    for mark in rendered:
        found.remove((mark.kind, mark.target, mark.words))


@many
@given(st.one_of(PROSE, st.text(max_size=100)))
def test_rendered_prose_holds_no_element_beyond_those_of_the_subset(text: str) -> None:
    html = str(render_blocks(text, lambda mark: ""))
    elements = {element.split()[0] for element in re.findall(r"<(/?[^>\s]+[^>]*)>", html)}
    allowed = {"p", "em", "strong", "code", "pre", "ul", "ol", "li", "a", "br"}
    assert {element.strip("/") for element in elements} <= allowed
    assert all(target.startswith("https://") for target in re.findall(r'href="([^"]*)"', html))


@many
@given(st.one_of(PROSE, st.text(max_size=100)))
def test_what_is_blanked_out_keeps_every_position(text: str) -> None:
    bare = scan_text(text).bare
    assert len(bare) == len(text)
    assert all(there in (" ", here) for there, here in zip(bare, text, strict=True))


def test_the_entries_that_are_changed_here_are_valid() -> None:
    assert all(understand(text) for text in ENTRIES)
    assert sorted(path.name for path in CORPUS.glob("*/*.yaml")) == [Path(OTHER).name, Path(MAIN).name]
