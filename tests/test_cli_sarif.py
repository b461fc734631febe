"""The answer as SARIF: its form by the standard, and its meaning."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from answers import CANDIDATES, CARDS, CASCADE, NO_FAILURE, UNKNOWN, answer, finding, line
from faultbook.cli.sarif import SCHEMA, sarif
from jsonschema import Draft202012Validator, FormatChecker

SITE = "https://example.org/faultbook/"
TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
LOCATION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["physicalLocation"],
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "physicalLocation": {
            "type": "object",
            "additionalProperties": False,
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}, "description": TEXT},
                },
                "region": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"startLine": {"type": "integer", "minimum": 1}, "snippet": TEXT},
                },
            },
        },
    },
}
RULE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id"],
    "properties": {
        "id": {"type": "string", "minLength": 1},
        "shortDescription": TEXT,
        "fullDescription": TEXT,
        "help": TEXT,
        "helpUri": {"type": "string", "pattern": "^https://"},
    },
}
RESULT = {
    "type": "object",
    "additionalProperties": False,
    "required": ["message"],
    "properties": {
        "ruleId": {"type": "string"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": TEXT,
        "locations": {"type": "array", "items": LOCATION},
        "relatedLocations": {"type": "array", "uniqueItems": True, "items": LOCATION},
        "occurrenceCount": {"type": "integer", "minimum": 1},
        "properties": {"type": "object"},
    },
}
RUN = {
    "type": "object",
    "additionalProperties": False,
    "required": ["tool"],
    "properties": {
        "tool": {
            "type": "object",
            "required": ["driver"],
            "properties": {
                "driver": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["name"],
                    "properties": {
                        "name": {"type": "string"},
                        "version": {"type": "string"},
                        "semanticVersion": {"type": "string"},
                        "rules": {"type": "array", "uniqueItems": True, "items": RULE},
                    },
                }
            },
        },
        "invocations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["executionSuccessful"],
                "properties": {
                    "executionSuccessful": {"type": "boolean"},
                    "toolExecutionNotifications": {
                        "type": "array",
                        "items": {"type": "object", "required": ["message"], "properties": {"message": TEXT}},
                    },
                },
            },
        },
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": {"type": "array", "items": RESULT},
        "properties": {"type": "object"},
    },
}
FORM = {
    "type": "object",
    "additionalProperties": False,
    "required": ["version", "runs"],
    "properties": {
        "$schema": {"const": SCHEMA},
        "version": {"const": "2.1.0"},
        "runs": {"type": "array", "items": RUN},
    },
}
"""What SARIF 2.1.0 says of the objects that are used, with the properties that it knows among those that are used."""

ANSWERS = {"cascade": CASCADE, "unknown": UNKNOWN, "candidates": CANDIDATES, "no-failure": NO_FAILURE}


def run_of(data: dict[str, Any], site: str = "") -> dict[str, Any]:
    run: dict[str, Any] = sarif(data, CARDS, site)["runs"][0]
    return run


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("site", ["", SITE])
def test_form_is_that_of_the_standard(name: str, site: str) -> None:
    log = sarif(ANSWERS[name], CARDS, site)
    Draft202012Validator(FORM, format_checker=FormatChecker()).validate(log)
    rules = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in log["runs"][0]["results"])


def test_each_finding_is_a_result_with_its_place() -> None:
    cause, downstream, notice = run_of(CASCADE)["results"]
    assert (cause["ruleId"], cause["level"]) == ("gpu-fell-off-the-bus", "error")
    assert cause["message"]["text"].startswith("GPU fell off the bus (Xid 79). It is the earliest failure")
    place = cause["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"], place["region"]["startLine"]) == ({"uri": "gpu-04.dmesg"}, 1183)
    assert cause["properties"] == {"role": "initiating", "rank": 37, "node": "gpu-04", "all_ranks": False}
    assert (downstream["level"], downstream["occurrenceCount"]) == ("note", 252)
    assert [found["physicalLocation"]["region"]["startLine"] for found in downstream["relatedLocations"]] == [7650]
    assert (notice["ruleId"], notice["level"], "locations" in notice) == ("nccl-plugin-missing", "note", False)


def test_remarks_are_notifications() -> None:
    notes = run_of(CASCADE)["invocations"][0]["toolExecutionNotifications"]
    assert [note["message"]["text"] for note in notes] == CASCADE["remarks"]


def test_error_lines_count_only_if_the_cause_is_unknown() -> None:
    assert "unknown-failure" not in [result["ruleId"] for result in run_of(CASCADE)["results"]]
    last = run_of(UNKNOWN)["results"][-1]
    assert (last["ruleId"], last["level"]) == ("unknown-failure", "warning")
    assert last["message"]["text"].endswith(UNKNOWN["missing"])
    assert [result["level"] for result in run_of(CANDIDATES)["results"]] == ["warning", "warning"]


def test_pages_are_linked_if_there_is_a_site() -> None:
    rules = run_of(CASCADE, SITE)["tool"]["driver"]["rules"]
    assert rules[0]["helpUri"] == f"{SITE}entries/gpu-fell-off-the-bus/"
    assert rules[0]["fullDescription"] == {"text": "The driver lost the GPU."}
    assert all("helpUri" not in rule for rule in run_of(CASCADE)["tool"]["driver"]["rules"])


@pytest.mark.parametrize("file", ["a b/ü%#?.log", "/var/log/a b.log", "-", "\\x1b.log", "c:d.log"])
def test_names_of_files_become_addresses(file: str) -> None:
    data = answer("match", [finding("gpu-fell-off-the-bus", "initiating", [line(file, 1, "x")])])
    log = sarif(data, CARDS)
    Draft202012Validator(FORM).validate(log)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    parts = urlsplit(uri)
    assert unquote(parts.path) == ("stdin" if file == "-" else file)
    assert parts.scheme == ("file" if file.startswith("/") else "")
    assert not parts.query
    assert not parts.fragment
