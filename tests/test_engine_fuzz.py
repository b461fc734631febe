"""Whatever a log holds, it gets an answer of the contract's shape that does not depend on how its bytes come."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from faultbook.cli.schema import answer_schema
from faultbook.engine import diagnose as module
from faultbook.engine.diagnose import Diagnosis, diagnose
from faultbook.engine.read import Input
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from mutations import MUTATIONS
from test_engine_mutations import SAMPLES, cached_finder, index

bounded = settings(deadline=None, max_examples=100, derandomize=True)
VALIDATOR = Draft202012Validator(answer_schema())
LOGS = [sample.values[1] for sample in SAMPLES]
LINES = sorted({line for log in LOGS for line in log})
HARD = [
    "Traceback (most recent call last):",
    "[rank3]: ValueError: bad mask",
    "WARNING: Worker group FAILED. 3/3 attempts left; will restart worker group",
    "INFO: Starting elastic_operator with launch configs:",
    "Root Cause (first observed failure):",
    "  rank      : 999999999999",
    "world_size=0",
    "world_size=9999999",
    "[rank65535]: Watchdog caught collective operation timeout",
    "[rank0]: Watchdog caught collective operation timeout",
    "[12345.678901] NVRM: Xid (PCI:0000:3b:00): 79",
    "9999-12-31 23:59:59,999999999 x",
    "0000-01-01 00:00:00 x",
    '{"log": "x\\ny\\n", "rank": 3, "time": "2026-11-30T12:00:00Z"}',
    "😀" * 1200,
    "",
]


@pytest.fixture(autouse=True)
def one_finder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "finder", cached_finder)


def sound(logs: Sequence[bytes], size: int = 7) -> Diagnosis:
    """The answer, which must have its shape and be the same for chunks of any size."""
    found = answered(logs, 1 << 20)
    VALIDATOR.validate(found.answer)
    json.dumps([found.answer, found.details], allow_nan=False).encode("utf-8")
    hold_together(found, logs)
    again = answered(logs, size)
    assert (again.answer | {"stats": None}, again.details) == (found.answer | {"stats": None}, found.details)
    return found


def answered(logs: Sequence[bytes], size: int) -> Diagnosis:
    inputs = [
        Input(f"{number}.log", [log[at : at + size] for at in range(0, len(log), size)])
        for number, log in enumerate(logs)
    ]
    return diagnose(inputs, index())


def hold_together(found: Diagnosis, logs: Sequence[bytes]) -> None:
    """What a schema cannot say."""
    answer, names = found.answer, {f"{number}.log" for number in range(len(logs))}
    roles = [finding["role"] for finding in answer["findings"]]
    assert ("initiating" in roles) <= (answer["verdict"] == "match")
    assert "initiating" not in roles[1:]
    assert (answer["verdict"] == "match") <= (roles[:1] in (["initiating"], ["possible"]))
    assert (answer["verdict"] == "no-failure") <= (not roles and not answer["error_lines"])
    assert (answer["missing"] is not None) == (answer["verdict"] == "unknown")
    entries = [finding["entry"] for finding in answer["findings"]]
    assert len(entries) == len(set(entries))
    for finding in answer["findings"]:
        assert finding["count"] >= len(finding["evidence"]) >= 1
        assert not (finding["all_ranks"] and finding["rank"] is not None)
    shown: list[dict[str, Any]] = [row for finding in answer["findings"] for row in finding["evidence"]]
    for row in [*shown, *answer["error_lines"]]:
        assert row["file"] in names
        assert len(row["text"]) <= 1000
    for block in found.details["context"]:
        lines = [row["line"] for row in block["rows"]]
        assert lines == sorted(lines)
        assert any(row["hit"] for row in block["rows"])
        for row in block["rows"]:
            assert all(0 <= start <= end <= len(row["text"]) for start, end in row["spans"])


@bounded
@given(st.binary(max_size=400), st.integers(1, 30))
def test_any_bytes(log: bytes, size: int) -> None:
    sound([log], size)


@bounded
@given(st.lists(st.text(max_size=40), max_size=20), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be", "utf-16"]))
def test_any_text(lines: list[str], encoding: str) -> None:
    sound(["\n".join(lines).encode(encoding, "replace")])


PREFIXES = [
    "",
    "[rank0]: ",
    "[rank1]: ",
    "[default0]:",
    "2026-11-30 12:00:01 ",
    "2026-11-30 11:00:01 ",
    "stderr: ",
    "\r",
]
ROWS = st.tuples(st.sampled_from(PREFIXES), st.sampled_from([*LINES, *HARD])).map("".join)


@bounded
@given(st.lists(st.lists(ROWS, max_size=25), min_size=1, max_size=3))
def test_lines_of_samples_in_any_order_and_any_number_of_files(logs: list[list[str]]) -> None:
    sound(["\n".join(log).encode() for log in logs], 50)


@bounded
@given(st.sampled_from(LOGS), st.sampled_from(sorted(MUTATIONS)), st.data())
def test_samples_with_damage(lines: list[str], form: str, data: st.DataObject) -> None:
    log = bytearray(MUTATIONS[form](lines)[:4000])
    for place in data.draw(st.lists(st.integers(0, len(log)), max_size=6)):
        log[place : place + data.draw(st.integers(0, 5))] = data.draw(st.binary(max_size=5))
    sound([bytes(log)], 50)


def test_no_logs_at_all() -> None:
    assert sound([]).answer["verdict"] == "no-failure"


def test_a_log_of_nothing_but_ends() -> None:
    found = sound([b"\n" * 3000, b"\r" * 3000, b"\r\n" * 3000], 1000)
    assert found.answer["verdict"] == "no-failure"
    assert found.answer["stats"]["lines"] == 3000 + 1 + 3000


def test_many_attempts() -> None:
    log = "".join(f"ValueError: {number}\n{HARD[2]}\n" for number in range(150))
    found = sound([log.encode()], 1000)
    assert len(found.answer["episodes"]) == 150
    assert {row["verdict"] for row in found.answer["episodes"]} == {"unknown"}


def test_answer_says_nothing_that_is_not_in_the_log() -> None:
    lines = [line for log in LOGS for line in log]
    found = sound(["\n".join(lines).encode()], 1000)
    folded = {re.sub("[ \t]+", " ", line).strip() for line in lines}
    evidence = {row["text"] for finding in found.answer["findings"] for row in finding["evidence"]}
    assert evidence
    assert all(any(line.startswith(text) for line in folded) for text in evidence)
