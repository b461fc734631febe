"""The answer as SARIF 2.1.0, which code hosts and editors show beside the lines of a file.

Source of the form: OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0, sections 3.13 to 3.49.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from faultbook import __version__

Data = Mapping[str, Any]
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
UNKNOWN = "unknown-failure"
"""The rule of error lines that no entry describes, if the log shows nothing better."""
_LEVELS = {"initiating": "error", "possible": "warning", "downstream": "note"}


def sarif(answer: Data, cards: Mapping[str, Data], site: str = "") -> dict[str, Any]:
    """The answer as a SARIF log of one run."""
    errors = answer["error_lines"] if answer["verdict"] == "unknown" else []
    slugs = [*(found["entry"] for found in answer["findings"]), *answer["notices"], *([UNKNOWN] if errors else [])]
    rules = list(dict.fromkeys(slugs))
    results = [_finding(found, rules) for found in answer["findings"]]
    results += [
        _result(slug, rules, "note", "A harmless line that looks like a failure.") for slug in answer["notices"]
    ]
    results += [_error(line, rules, answer["missing"]) for line in errors]
    notes = [{"level": "note", "message": {"text": remark}} for remark in answer["remarks"]]
    driver = {
        "name": "faultbook",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(slug, cards.get(slug, {}), site) for slug in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notes}],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {key: answer[key] for key in ("verdict", "missing", "similar", "episodes", "stats")},
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(slug: str, card: Data, site: str) -> dict[str, Any]:
    if slug == UNKNOWN:
        return {"id": slug, "shortDescription": {"text": "An error line that no entry describes."}}
    rule: dict[str, Any] = {"id": slug, "shortDescription": {"text": _plain(card.get("title") or slug)}}
    if card.get("summary"):
        rule["fullDescription"] = {"text": _plain(card["summary"])}
    rule["help"] = {"text": f"faultbook show {slug}"}
    if site:
        rule["helpUri"] = f"{site}entries/{slug}/"
    return rule


def _finding(finding: Data, rules: Sequence[str]) -> dict[str, Any]:
    text = f"{_plain(finding['title'])}. {finding['why']}".strip()
    result = _result(finding["entry"], rules, _LEVELS[finding["role"]], text)
    first, *others = finding["evidence"] or [None]
    if first is not None:
        result["locations"] = [_location(first)]
    if others:
        result["relatedLocations"] = [{"id": number, **_location(line)} for number, line in enumerate(others, 1)]
    result["occurrenceCount"] = finding["count"]
    result["properties"] = {key: finding[key] for key in ("role", "rank", "node", "all_ranks")}
    return result


def _error(line: Data, rules: Sequence[str], missing: str | None) -> dict[str, Any]:
    text = "No entry describes this error line." + (f" Missing: {missing}" if missing else "")
    return {**_result(UNKNOWN, rules, "warning", text), "locations": [_location(line)]}


def _result(slug: str, rules: Sequence[str], level: str, text: str) -> dict[str, Any]:
    return {"ruleId": slug, "ruleIndex": rules.index(slug), "level": level, "message": {"text": text}}


def _location(line: Data) -> dict[str, Any]:
    region = {"startLine": line["line"], "snippet": {"text": line["text"]}}
    return {"physicalLocation": {"artifactLocation": _artifact(line["file"]), "region": region}}


def _artifact(file: str) -> dict[str, Any]:
    if file == "-":
        return {"uri": "stdin", "description": {"text": "standard input"}}
    path = quote(file.replace(os.sep, "/"))
    return {"uri": f"file://{path}" if path.startswith("/") else path}


def _plain(text: str) -> str:
    return text.replace("`", "")
