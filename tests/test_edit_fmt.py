"""Formatting: the same data and comments, one form, whatever the form before."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from builders import MAIN, entry_yaml
from commands import faultbook
from faultbook.edit.fmt import entry_files, format_file, format_source
from faultbook.edit.order import key_order
from faultbook.edit.tree import read_tree
from faultbook.reader import Source, parse_source
from faultbook.schema import Entry
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
ENTRIES = sorted(entry_files([ROOT / "entries"]))


def source_of(text: str) -> Source:
    source, violations = parse_source(text, Path("entry.yaml"), "entry.yaml")
    assert source is not None, violations
    return source


def formatted(text: str) -> str:
    return format_source(source_of(text))


def complete(text: str) -> str:
    """An entry of which a test states the first part."""
    return entry_yaml(text, path=MAIN)


def part(text: str, name: str) -> str:
    """One top-level part of an entry, with the comments right above it."""
    return re.search(rf"^(?:#.*\n)*{name}:.*\n(?:[ #].*\n|\n(?= ))*", text, re.MULTILINE)[0]  # type: ignore[index]


@pytest.mark.parametrize("path", ENTRIES, ids=lambda path: path.stem)
def test_every_entry_is_formatted(path: Path) -> None:
    found = format_file(path, ROOT)
    assert found.violations == ()
    assert not found.changed, "run 'faultbook fmt'"


def test_keys_stand_in_the_order_of_the_models() -> None:
    text = complete("fix:\n  - {who: user, kind: permanent, steps: [{text: Do it.}], title: Another way, id: a-way}\n")
    result = formatted(text)
    names = re.findall(r"^([a-z_]+):", result, re.MULTILINE)
    assert names == [name for name in key_order(Entry) if name in names]
    assert part(result, "fix") == (
        "fix:\n  - {id: a-way, title: Another way, kind: permanent, who: user, steps: [{text: Do it.}]}\n"
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("title:   'Shared  memory'\n", 'title: "Shared  memory"\n'),
        ("title: 'A \"quoted\" title'\n", "title: 'A \"quoted\" title'\n"),
        ('title: "Nothing\\u0020 special"\n', 'title: "Nothing\\u0020 special"\n'),
        ("title: Shared\n  memory\n", "title: Shared memory\n"),
        ("title: >-\n  Shared\n  memory\n", "title: >-\n  Shared memory\n"),
        ("title: >-\n  Shared: memory\n", "title: >-\n  Shared: memory\n"),
        ("title: >\n  Shared: memory\n", "title: >\n  Shared: memory\n"),
        ("tags:\n- dataloader\n- shared-memory\n", "tags:\n  - dataloader\n  - shared-memory\n"),
        ("tags: [dataloader,\n  shared-memory]\n", "tags: [dataloader, shared-memory]\n"),
        ("impact: [ crash ]\n", "impact: [crash]\n"),
        ("aliases: []\n", "aliases: []\n"),
        (
            "mechanism: |\n    First. [@docs]\n\n    Second. [@docs]\n",
            "mechanism: |\n  First. [@docs]\n\n  Second. [@docs]\n",
        ),
        ("reviewed:\n", "reviewed:\n"),
        ("reviewed: ~\n", "reviewed: ~\n"),
        ('reviewed: "2026-11-30"\n', 'reviewed: "2026-11-30"\n'),
    ],
)
def test_a_text_keeps_its_style_and_loses_what_is_accidental(before: str, after: str) -> None:
    assert part(formatted(complete(before)), before.split(":")[0]) == after


def test_prose_is_folded_at_the_width_and_other_texts_are_not() -> None:
    words = " ".join(["word"] * 40)
    text = formatted(complete(f"prevention:\n  - {words}\nsearch_keys: [{words[:79]}, two]\n"))
    assert part(text, "prevention").startswith("prevention:\n  - >-\n    word word")
    assert max(map(len, part(text, "prevention").split("\n"))) <= 120
    log = "x" * 300
    text = formatted(complete(f'samples:\n  - {{expect: match, origin: reproduced, log: "{log}"}}\n'))
    assert part(text, "samples") == f'samples:\n  - expect: match\n    origin: reproduced\n    log: "{log}"\n'


def test_folds_of_the_author_stay_if_they_need_no_more_lines() -> None:
    kept = f"prevention:\n  - >-\n    {'word ' * 18}word\n    {'word ' * 18}word\n"
    assert part(formatted(complete(kept)), "prevention") == kept
    ragged = f"prevention:\n  - >-\n    {'word ' * 3}word\n    {'word ' * 3}word\n    {'word ' * 18}word\n"
    assert len(part(formatted(complete(ragged)), "prevention").split("\n")) == 5


def test_braces_are_opened_where_they_do_not_fit_but_for_an_address() -> None:
    url = f"https://example.org/{'a' * 120}"
    reference = f'references:\n  - {{id: docs, title: Docs, url: "{url}"}}\n'
    assert part(formatted(complete(reference)), "references") == reference
    rest = "w " * 60
    text = formatted(complete(f"affected_systems: [{{when: {rest.strip()}, system: linux}}]\n"))
    opened = f"affected_systems:\n  - system: linux\n    when: >-\n      {rest[:113]}\n      {rest[114:].strip()}\n"
    assert part(text, "affected_systems") == opened


COMMENTED = """\
# A file of our own.
# yaml-language-server: $schema=../_schema.json
scope: job # what it takes down
# Two tags at least.
tags: # from the list
  - dataloader # the loader
  # the memory
  - shared-memory
  # no others
impact: [crash, # it ends
  hang]

# about the mechanism

# in two parts
mechanism: | # as it stands
  # Not a comment. [@docs]
# perspectives:
#   lead: To come.
"""


def comments(text: str) -> list[str]:
    tree = read_tree(text)
    found = [comment.text for comment in (*tree.head, *tree.tail)]

    def gather(node: Any) -> None:
        for item in node.items:
            found.extend(comment.text for comment in (*item.before, *item.after))
            found.extend([item.beside] if item.beside else [])
            gather(item.value)

    gather(tree.root)
    return sorted(found)


def test_comments_keep_their_places() -> None:
    result = formatted(complete(COMMENTED))
    assert comments(result) == comments(complete(COMMENTED))
    assert result.startswith("# yaml-language-server: $schema=../_schema.json\n# A file of our own.\n")
    assert part(result, "scope") == "scope: job # what it takes down\n"
    assert part(result, "tags") == (
        "# Two tags at least.\ntags: # from the list\n  - dataloader # the loader\n  # the memory\n  - shared-memory\n"
        "  # no others\n"
    )
    assert part(result, "impact") == "impact:\n  - crash # it ends\n  - hang\n"
    assert (
        "\n\n# about the mechanism\n\n# in two parts\nmechanism: | # as it stands\n  # Not a comment. [@docs]\n"
        in result
    )


def test_what_stands_behind_the_last_key_stays_there() -> None:
    skeleton = (ROOT / "templates" / "new-entry.yaml").read_text("utf-8")
    assert formatted(skeleton) == skeleton


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_are_mended_with_the_missing_last_one(tmp_path: Path, ending: str) -> None:
    clean = formatted(complete(""))
    file = tmp_path / "entry.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + clean.rstrip("\n").replace("\n", ending).encode())
    found = format_file(file, tmp_path)
    assert (found.changed, found.new.decode()) == (True, clean)


# What a text may hold, with a liking for what YAML and the folds of it could misread.
TEXTS = st.text(
    st.one_of(st.sampled_from(" \n:#-'\"\\{}[],&*!|>%@`?~0 \t"), st.characters(exclude_categories=["Cs"])),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip())
LONG = st.lists(st.text("ab:#'\"- ,", min_size=1, max_size=30), min_size=1, max_size=12).map(" ".join)


def spelled_somehow(value: str, style: str) -> str:
    """A text in one of the styles, as a mapping's value at the second level."""
    if style == "|" and re.fullmatch(r"[!-~][ -~]*(?:\n[!-~][ -~]*)*", value):
        return "|-\n" + "".join(f"      {line}\n" for line in value.split("\n"))
    if style == ">" and re.fullmatch(r"[!-~]+(?: [!-~]+)*", value):
        return ">-\n" + "".join(f"      {line}\n" for line in value.split(" "))
    if style == "'" and re.fullmatch(r"[ -~]+", value):
        return "'" + value.replace("'", "''") + "'\n"
    return json.dumps(value) + "\n"


@given(st.lists(st.tuples(st.one_of(TEXTS, LONG), st.sampled_from("|>'\"")), min_size=1, max_size=4), st.booleans())
@example([("# ", "|")], False)
@example([("x\n#  \ny", "|"), ("-  ", "|")], False)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_data_stay_the_same_and_a_second_run_changes_nothing(texts: list[tuple[str, str]], flow: bool) -> None:
    rows = "".join(f"  - wrong: {spelled_somehow(text, style)}    right: x\n" for text, style in texts)
    if flow:
        rows = "".join(f"  - {{right: x, wrong: {json.dumps(text)}}}\n" for text, _ in texts)
    text = f"pitfalls:\n{rows}{HEADER}"
    source, violations = parse_source(text, Path("entry.yaml"), "entry.yaml")
    if source is None or violations or not valid(source.data):
        return
    once = format_source(source)
    assert source_of(once).data == source.data
    assert formatted(once) == once


BASE = """\
title: Shared memory too small
summary: >-
  It is full.
status: draft
tags: [aa, bb]
impact:
  - crash
  - hang
scope: job

symptoms:
  - observed: A worker dies.
    means: >-
      It got
      SIGBUS.
    signatures:
      - {text: "Unexpected bus error", role: cause}
      - text:
          - One wording of it
          - Another wording
        role: ambiguous
  - observed: |
      Two
      lines
    means: B
references:
  - {id: docs, title: Docs, url: "https://example.org/"}
authors: [one]
"""
PLACES = st.tuples(st.integers(1, BASE.count("\n")), st.sampled_from(["beside", 0, 2, 4, 6, 8]), st.integers(0, 3))


@given(st.lists(PLACES, min_size=1, max_size=5, unique_by=lambda place: place[0]))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_comment_at_any_place_is_kept_and_stays(places: list[tuple[int, str | int, int]]) -> None:
    lines = BASE.split("\n")
    for line, where, blanks in sorted(places, reverse=True):
        if where == "beside":
            lines[line] = f"{lines[line]} # c{line}" if lines[line].strip() else f"# c{line}"
        else:
            lines[line:line] = [""] * (blanks % 2) + [f"{' ' * int(where)}# c{line}"] + [""] * (blanks // 2)
    source, violations = parse_source("\n".join(lines), Path("entry.yaml"), "entry.yaml")
    if source is None or violations or source.data != source_of(BASE).data:
        return
    once = format_source(source)
    assert sorted(re.findall(r"# c\d+", once)) == sorted(f"# c{line}" for line, _, _ in places)
    assert formatted(once) == once


HEADER = (
    "title: Shared memory too small\nsummary: It is full.\nstatus: draft\ntags: [aa, bb]\nimpact: [crash]\nscope: job\n"
    "symptoms: [{observed: A, means: B}]\n"
)


def valid(data: Any) -> bool:
    try:
        Entry.model_validate(data)
    except ValueError:
        return False
    return True


def run(*arguments: object) -> tuple[int, str]:
    result = faultbook("fmt", *arguments)
    return result.exit_code, result.output


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An entry that is not formatted, in the working directory."""
    monkeypatch.chdir(tmp_path)
    path = Path("entries/data/shm-exhausted.yaml")
    path.parent.mkdir(parents=True)
    path.write_text(formatted(complete("")).replace("scope: job", "scope:  job"), "utf-8")
    return path


def test_check_tells_and_changes_nothing(entry: Path) -> None:
    before = entry.read_text("utf-8")
    line = before.split("\n").index("scope:  job") + 1
    message = "error[not-formatted]: is not in the canonical form from here on; run 'faultbook fmt' on the file"
    assert run("--check", "entries") == (1, f"{entry}:{line}:1: {message}\n1 entry: 1 not formatted\n")
    assert entry.read_text("utf-8") == before


def test_a_file_is_formatted_once_and_keeps_its_permissions(entry: Path) -> None:
    os.chmod(entry, 0o640)
    assert run(entry) == (0, f"formatted {entry}\n1 entry: 1 formatted\n")
    assert stat.S_IMODE(entry.stat().st_mode) == 0o640
    assert run(entry) == (0, "1 entry: all formatted\n")
    assert [path.name for path in entry.parent.iterdir()] == [entry.name]


@pytest.mark.parametrize(
    ("text", "code"),
    [("title: a: b\n", "yaml"), ("title: short\nscoop: job\n", "unknown-field"), ("title: &a Words of it\n", "anchor")],
)
def test_a_file_with_violations_is_left_alone(entry: Path, text: str, code: str) -> None:
    entry.write_text(text, "utf-8")
    result = run(entry)
    assert result[0] == 1
    assert f"error[{code}]" in result[1]
    assert result[1].endswith("1 entry: 1 left alone\n")
    assert entry.read_text("utf-8") == text


def test_a_path_that_is_not_there_is_a_wrong_call(entry: Path) -> None:
    assert run("entries/none.yaml")[0] == 64
    Path("empty").mkdir()
    assert run("empty")[0] == 64
