"""What the vectors of normalisation do not say: any bytes give sound events, in time that does not run away."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from faultbook.engine.compiler import load_rules
from faultbook.engine.episodes import episodes
from faultbook.engine.normalise import Event, normalise
from faultbook.engine.rules import Rules
from faultbook.engine.scan import Piece
from hypothesis import given, settings
from hypothesis import strategies as st

bounded = settings(deadline=None, max_examples=300, derandomize=True)
RULES = Rules(load_rules())
HANGS = 120
"""Seconds after which a run of a few seconds is taken to hang."""
FORMS = [
    "[rank3]: ", "[default1]:", "3: ", "worker-1: ", "[1,3]<stderr>:", "(Actor pid=1, ip=10.0.0.1) ", "stderr: ",
    "2026-11-30T12:00:01.123456789Z ", "stdout F ", "Nov 30 12:00:01 node7 kernel: ", "[12345.678901] ", "[Rank 3] ",
    "[E1130 12:00:01.123456789 a.cpp:1] ", "ERROR ", "INFO:a.b:", "n:1:2 [0] NCCL INFO ", "a  | ", "[m", "\x1b[31m",
    "│ ", " │", "╭── Traceback (most recent call last) ──╮", " [repeated 3x across cluster]", '{"log": "', '"}', "\\n",
    '{"message": "x", "rank": 3}', "Traceback (most recent call last):", "KeyError: 1", "a", "é", "😀", " ", "\t",
    "\u00a0", "\0", "\x07", "\ufeff", "\u2028", "-", "9999-99-99 99:99:99 ", "x" * 80,
]  # fmt: skip
LINES = st.lists(
    st.one_of(st.lists(st.sampled_from(FORMS), max_size=8).map("".join), st.text(max_size=30)), max_size=30
)


def events_of(lines: list[bytes]) -> list[Event]:
    return normalise([Piece(number, number + 1, line) for number, line in enumerate(lines)], RULES)


def hold_together(events: list[Event], lines: int) -> None:
    """What everything behind relies on."""
    for event in events:
        assert event.full.endswith(event.text)
        assert event.full == event.full.strip(" ")
        assert not re.search("[\x00-\x1f\x7f\ufeff]|  ", event.full)
        event.full.encode()
        assert event.rank is None or 0 <= event.rank < 1_000_000
        assert event.local is None or 0 <= event.local < 10_000
        assert event.level in (None, "debug", "info", "warning", "error", "fatal")
        assert event.time is None or event.time.kind in ("full", "day", "clock", "up")
        assert event.repeat >= 0
        assert 1 <= event.line <= lines
    for one, other in pairwise(events):
        assert one.line <= other.line
        assert one.run <= other.run


@bounded
@given(LINES)
def test_forms_of_all_kinds_in_any_order(lines: list[str]) -> None:
    raw = [line.encode("utf-8", "surrogatepass").replace(b"\n", b" ").replace(b"\r", b" ") for line in lines]
    hold_together(events_of(raw), len(raw))


@bounded
@given(st.lists(st.binary(max_size=80), max_size=12))
def test_any_bytes(lines: list[bytes]) -> None:
    hold_together(events_of(lines), len(lines))


def test_nested_json_is_no_way_to_break_the_reader() -> None:
    for line in [
        '{"log":' * 150 + "1" + "}" * 150,
        '{"log":"' + "{" * 5000 + '"}',
        "{" + "[" * 5000 + "]" * 5000 + "}",
    ]:
        (event,) = events_of([line.encode()])
        assert event.full


@pytest.mark.parametrize("value", ["1e400", "9" * 5000, "-9" * 400, '"\\ud800"', "[3]", "null", "{}"])
def test_odd_values_in_json_are_survived(value: str) -> None:
    (event,) = events_of([f'{{"log": "x", "rank": {value}, "time": {value}, "level": {value}}}'.encode()])
    assert event.rank is None


def test_patterns_do_not_hang_on_lines_made_for_it() -> None:
    script = Path(__file__).with_name("hostile_lines.py")
    result = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=HANGS, check=True)
    assert int(result.stdout) > 800


def test_attempts_are_told_apart_in_one_go(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line says that an attempt starts, and none that one ended."""
    searches = 0

    class Pattern:
        def __init__(self, found: bool) -> None:
            self.found = found

        def search(self, _: str) -> bool:
            nonlocal searches
            searches += 1
            return self.found

    monkeypatch.setattr(Rules, "pattern", lambda _, name: Pattern(name == "attempt_start"))
    events = [Event(0, number + 1, 0, "start", "start") for number in range(500)]
    assert len(episodes(events, RULES)) == 1
    assert searches <= 3 * len(events)
