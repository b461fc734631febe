"""Plain data of the corpus for other programs, and the JSON Schema of an entry."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from builders import CORPUS, MAIN, OTHER, entry_yaml, load_written, write_corpus
from faultbook.export import entries_payload, entry_schema, entry_url, slugs_payload
from faultbook.project import default_entries
from faultbook.reader import parse_source, read_source
from faultbook.schema import Entry
from jsonschema import Draft202012Validator
from pydantic import ValidationError

FILES = sorted(path for folder in (CORPUS, default_entries()) for path in folder.glob("*/*.yaml"))


@cache
def validator() -> Draft202012Validator:
    return Draft202012Validator(entry_schema())


def data(text: str) -> Any:
    source, violations = parse_source(entry_yaml(text), Path("x"), "x")
    assert violations == []
    assert source is not None
    return source.data


def test_the_schema_is_valid_and_names_its_dialect() -> None:
    schema = entry_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == "Faultbook entry, format version 1"
    assert json.loads(json.dumps(schema)) == schema


def test_the_committed_schema_is_the_current_one() -> None:
    committed = default_entries() / "_schema.json"
    assert json.loads(committed.read_text("utf-8")) == entry_schema(), "run 'faultbook schema > entries/_schema.json'"


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    for model in (schema, *schema["$defs"].values()):
        if "properties" in model:
            yield model


def test_every_field_has_a_description() -> None:
    bare = [
        f"{model['title']}.{name}"
        for model in _objects(entry_schema())
        for name, field in model["properties"].items()
        if "description" not in field
    ]
    assert bare == []


def test_every_object_refuses_unknown_fields() -> None:
    assert [
        model["title"] for model in _objects(entry_schema()) if model.get("additionalProperties") is not False
    ] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_schema_accepts_every_entry(path: Path) -> None:
    source, _ = read_source(path, path.name)
    assert source is not None
    assert [error.message for error in validator().iter_errors(source.data)] == []


SIGNATURES = "symptoms:\n  - observed: a\n    means: b\n    signatures:\n      - "
CHECKLIST = "checklist:\n  - {check: a, if_yes: b, if_no: c, command: %s}\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{SIGNATURES}text: lost it\n", id="one template"),
        pytest.param(f"{SIGNATURES}text: [lost it, lost them]\n", id="several templates"),
        pytest.param(f"{SIGNATURES}all: [lost it, gave up]\n", id="all templates"),
        pytest.param(f"{SIGNATURES}{{text: a b, only_if: [port != 0], unless: [c], within: 50}}\n", id="conditions"),
        pytest.param(CHECKLIST % "df -h", id="command as text"),
        pytest.param(CHECKLIST % "{run: df -h, danger: reversible, undo: b}", id="command as mapping"),
        pytest.param("quick_fix: {text: a, commands: [df -h, {run: ls}]}\n", id="commands of either form"),
        pytest.param("silent: true\nsuperseded_by: aa\nwithdrawn: {date: '2026-11-30', reason: a}\n", id="withdrawn"),
        pytest.param("reviewed: 2026-11-30\nkind: wrapper\nscope: cluster\n", id="date without quotes"),
    ],
)
def test_the_schema_accepts_what_the_models_accept(text: str) -> None:
    Entry.model_validate(data(text))
    assert [error.message for error in validator().iter_errors(data(text))] == []


@pytest.mark.parametrize(
    ("text", "path"),
    [
        pytest.param("sumary: a\n", "$", id="unknown field"),
        pytest.param("evidence: {level: reported, leval: a}\n", "$.evidence", id="unknown field within"),
        pytest.param(CHECKLIST % "{rnu: a, run: ls}", "$.checklist[0].command", id="unknown field of a command"),
        pytest.param(f"{SIGNATURES}{{text: a, were: b}}\n", "$.symptoms[0].signatures[0]", id="unknown field below"),
        pytest.param("title: 404\n", "$.title", id="number for text"),
        pytest.param("title: short\n", "$.title", id="too short"),
        pytest.param("tags: dataloader\n", "$.tags", id="text for a list"),
        pytest.param("tags: [dataloader]\n", "$.tags", id="too few"),
        pytest.param("status: finished\n", "$.status", id="unknown value"),
        pytest.param("impact: [boom]\n", "$.impact[0]", id="unknown value in a list"),
        pytest.param("silent: 'yes'\n", "$.silent", id="text for a truth value"),
        pytest.param(f"{SIGNATURES}{{text: a, within: 51}}\n", "$.symptoms[0].signatures[0].within", id="out of range"),
        pytest.param("samples: [{expect: match, origin: reproduced, file: ../x}]\n", "$.samples[0].file", id="up"),
        pytest.param("title:\n", "$.title", id="nothing"),
    ],
)
def test_the_schema_refuses_what_the_models_refuse(text: str, path: str) -> None:
    with pytest.raises(ValidationError):
        Entry.model_validate(data(text))
    paths = {
        nested.json_path for error in validator().iter_errors(data(text)) for nested in (error, *(error.context or ()))
    }
    assert path in paths


@pytest.mark.parametrize("field", ["title", "summary", "status", "tags", "impact", "scope", "symptoms"])
def test_the_schema_demands_what_every_entry_has(field: str) -> None:
    whole = data("")
    del whole[field]
    assert [error.message for error in validator().iter_errors(whole)] == [f"'{field}' is a required property"]


def test_the_listing_has_a_row_for_every_entry_of_every_status(tmp_path: Path) -> None:
    third = "status: draft\nkind: wrapper\nevidence:\n"
    corpus = load_written(
        write_corpus(tmp_path, {MAIN: "", OTHER: "status: withdrawn\n", "host/aa-wrapper.yaml": third})
    )
    title = "Shared memory too small for DataLoader workers"
    assert entries_payload(corpus) == [
        {
            "id": "aa-wrapper",
            "title": title,
            "category": "host",
            "kind": "wrapper",
            "status": "draft",
            "evidence": None,
            "path": "entries/host/aa-wrapper.yaml",
            "url": "entries/aa-wrapper/",
        },
        {
            "id": "open-files-limit",
            "title": "Too many open files in one process",
            "category": "host",
            "kind": "cause",
            "status": "withdrawn",
            "evidence": "documented",
            "path": "entries/host/open-files-limit.yaml",
            "url": "entries/open-files-limit/",
        },
        {
            "id": "shm-exhausted",
            "title": title,
            "category": "data",
            "kind": "cause",
            "status": "published",
            "evidence": "documented",
            "path": "entries/data/shm-exhausted.yaml",
            "url": "entries/shm-exhausted/",
        },
    ]
    json.dumps(entries_payload(corpus))


def test_mistyped_addresses_are_compared_with_published_entries_and_their_aliases(tmp_path: Path) -> None:
    corpus = load_written(
        write_corpus(tmp_path, {MAIN: "aliases: [shm-full, bus-error]\n", OTHER: "status: draft\naliases: [emfile]\n"})
    )
    assert slugs_payload(corpus) == [
        {
            "slug": "shm-exhausted",
            "title": "Shared memory too small for DataLoader workers",
            "url": "entries/shm-exhausted/",
            "aliases": ["shm-full", "bus-error"],
        }
    ]


def test_the_address_of_an_entry_does_not_depend_on_its_category() -> None:
    assert entry_url("shm-exhausted") == "entries/shm-exhausted/"
