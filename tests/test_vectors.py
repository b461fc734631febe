"""The vectors of the engine, which its twin in JavaScript runs too; `docs/engine.md` says how they are written."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from faultbook.engine.compiler import load_rules
from faultbook.engine.diagnose import diagnose
from faultbook.engine.gate import finder
from faultbook.engine.index import Index
from faultbook.engine.match import match
from faultbook.engine.normalise import Event, normalise
from faultbook.engine.read import Input
from faultbook.engine.rules import compiled_bytes
from faultbook.engine.scan import scan
from faultbook.signatures import PATTERNS

FOLDER = Path(__file__).parent / "vectors"
SMALL_CHUNK, SMALL = 7, 20_000
FROZEN = json.loads((FOLDER / "index.json").read_text("utf-8"))
EVENT = {
    "rank": None,
    "local": None,
    "node": None,
    "pid": None,
    "time": None,
    "level": None,
    "repeat": 1,
    "kernel": False,
    "run": 0,
}
"""What is left out of expected events."""


def load(name: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((FOLDER / name).read_text("utf-8"))
    return data


def index_of(data: Mapping[str, Any], search: Mapping[str, Any] | None = None) -> Index:
    """An index whose types are the frozen ones, with the rules of the engine."""
    return Index.load({"schema": 1, "types": FROZEN["index"]["types"], **data, "rules": load_rules()}, search)


FILES = {name: load(f"{name}.json") for name in ("normalise", "match", "attribute", "diagnose")}
MADE = {(file, name): index_of(data) for file in FILES for name, data in FILES[file].get("indexes", {}).items()}
WHOLE = index_of(FROZEN["index"], FROZEN["search"])
NOTHING = index_of({"entries": [], "templates": [], "signatures": []})


def vectors(name: str) -> Any:
    return pytest.mark.parametrize("vector", FILES[name]["vectors"], ids=lambda vector: str(vector["name"]))


def input_bytes(data: Any) -> bytes:
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, list):
        return "".join(f"{line}\n" for line in data).encode()
    if "base64" in data:
        return base64.b64decode(data["base64"])
    return b"".join(text.encode() * times for text, times in data["parts"])


def inputs(vector: Mapping[str, Any], size: int | None) -> list[Input]:
    """The files of a vector in chunks of a size, or in one."""
    files = vector["files"] if "files" in vector else [["log", vector["input"]]]
    logs = [(name, input_bytes(data)) for name, data in files]
    return [
        Input(name, [log[at : at + (size or len(log))] for at in range(0, len(log), size or len(log) or 1)])
        for name, log in logs
    ]


def each_way(vector: Mapping[str, Any]) -> list[list[Input]]:
    """The inputs of a vector in one chunk and, if they are small, in many."""
    whole = inputs(vector, None)
    size = sum(len(chunk) for source in whole for chunk in source.chunks)
    return [whole, inputs(vector, SMALL_CHUNK)] if size < SMALL else [whole]


def events_of(sources: Sequence[Input], index: Index) -> tuple[list[Event], list[str]]:
    find, ansi = finder(index.anchors()), compiled_bytes(index.rules.data["ansi"])
    scans = [scan(source, find, ansi) for source in sources]
    events = [event for file, found in enumerate(scans) for event in normalise(found.pieces, index.rules, file)]
    return events, [remark for found in scans for remark in found.reading.remarks]


def told(event: Event) -> dict[str, Any]:
    """An event as vectors give it."""
    found = {name: getattr(event, name) for name in EVENT}
    found["time"] = list(event.time) if event.time else None
    kept = {name: value for name, value in found.items() if value != EVENT[name]}
    text = {"text": event.text} if event.text != event.full else {}
    return {"line": event.line, "full": event.full, **text, **kept}


def phrased(words: str | None) -> str | None:
    """Names of phrases, and what is filled in behind them, as the engine says it."""
    phrases = load_rules()["phrases"]
    if words is None:
        return None
    names = [word for word in words.split(" ") if "=" not in word]
    text = " ".join(phrases[name] for name in names)
    for key, value in (word.split("=") for word in words.split(" ") if "=" in word):
        text = text.replace(f"{{{key}}}", value.replace(",", ", "))
    return text


def spelt_out(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An expected answer with its phrases."""
    said = dict(answer)
    if "missing" in said:
        said["missing"] = phrased(said["missing"])
    if "remarks" in said:
        said["remarks"] = [phrased(remark) for remark in said["remarks"]]
    if "findings" in said:
        said["findings"] = [
            {**finding, "why": phrased(finding["why"])} if "why" in finding else finding for finding in said["findings"]
        ]
    return said


def given(expected: Any, found: Any) -> Any:
    """What was found, without keys that are not expected."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return {key: given(value, found.get(key)) for key, value in expected.items()}
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [given(one, other) for one, other in zip(expected, found, strict=True)]
    return found


@vectors("normalise")
def test_normalise(vector: Mapping[str, Any]) -> None:
    for sources in each_way(vector):
        events, remarks = events_of(sources, NOTHING)
        assert [told(event) for event in events] == vector["events"]
        assert remarks == vector.get("remarks", [])


@vectors("match")
def test_match(vector: Mapping[str, Any]) -> None:
    index = MADE["match", vector["index"]]
    for sources in each_way(vector):
        events, _ = events_of(sources, index)
        hits = [
            {
                "at": hit.at,
                "entry": index.entries[index.signatures[hit.signature].entry]["id"],
                "template": hit.template,
                "span": [hit.span.start, hit.span.end],
                **({"captures": dict(hit.span.captures)} if hit.span.captures else {}),
                **({"joined": True} if hit.end != hit.at else {}),
            }
            for hit in match(events, index)
        ]
        assert hits == vector["hits"]


@vectors("attribute")
def test_attribute(vector: Mapping[str, Any]) -> None:
    expected = spelt_out(vector["answer"])
    for sources in each_way(vector):
        answer = diagnose(sources, MADE["attribute", vector["index"]]).answer
        assert given(expected, answer) == expected


@vectors("diagnose")
def test_diagnose(vector: Mapping[str, Any]) -> None:
    expected = spelt_out(vector["answer"])
    for sources in each_way(vector):
        diagnosis = diagnose(sources, WHOLE)
        assert diagnosis.answer["stats"].pop("seconds") >= 0
        assert diagnosis.answer == expected
        if "details" in vector:
            assert diagnosis.details == vector["details"]


def test_types_of_the_frozen_index_are_those_of_templates() -> None:
    assert FROZEN["index"]["types"] == [["*", ""], *map(list, PATTERNS.items())]


@pytest.mark.parametrize("name", FILES)
def test_names_of_vectors_are_unique(name: str) -> None:
    names = [vector["name"] for vector in FILES[name]["vectors"]]
    assert len(set(names)) == len(names)


def test_there_are_enough_vectors() -> None:
    assert sum(len(data["vectors"]) for data in FILES.values()) >= 170


def test_each_prefix_of_the_rules_stands_in_a_vector_that_needs_it() -> None:
    """Without a prefix some vector of its kind must fail, else the rule is dead or untested."""
    rules = load_rules()
    for prefix in rules["prefixes"]:
        less = {**rules, "prefixes": [other for other in rules["prefixes"] if other is not prefix]}
        index = Index.load({**FROZEN["index"], "entries": [], "templates": [], "signatures": [], "rules": less})
        assert any(
            [told(event) for event in events_of(inputs(vector, None), index)[0]] != vector["events"]
            for vector in FILES["normalise"]["vectors"]
            if len(input_bytes(vector["input"])) < SMALL
        ), f"{prefix['name']} is never needed"
