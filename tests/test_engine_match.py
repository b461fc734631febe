"""What the vectors of matching do not say: the walker against a plain search, and the number of its steps."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from faultbook.engine.compiler import load_rules
from faultbook.engine.index import GRAM, Index
from faultbook.engine.match import match
from faultbook.engine.normalise import Event
from faultbook.engine.walker import segments, walk
from faultbook.signatures import PATTERNS
from hypothesis import given, settings
from hypothesis import strategies as st

FROZEN = json.loads((Path(__file__).parent / "vectors" / "index.json").read_text("utf-8"))["index"]
INDEX = Index.load({"schema": 1, **FROZEN, "rules": load_rules()})
TYPES = ["", *PATTERNS.values()]
EXAMPLES = {
    "int": "-42", "num": "0.5", "hex": "0xdeadBEEF", "ip": "[fe80::1]", "port": "29500", "host": "node-1.example.org",
    "addr": "[::1]:29500", "path": "/a/b.pt", "word": "word", "name": "a.b/c:d", "tok": "a=1,", "str": "some words",
    "size": "1.5 GiB", "shape": "(3, 4)", "ver": "2.1.0",
}  # fmt: skip
VALUES = [" what stands in a gap ", *(EXAMPLES[name] for name in PATTERNS)]
bounded = settings(deadline=None, max_examples=500, derandomize=True)
WORD = st.text("ab", min_size=1, max_size=3)


@bounded
@given(st.lists(WORD, min_size=1, max_size=5), st.text("ab ", max_size=30))
def test_walker_finds_what_a_pattern_with_gaps_finds(words: list[str], line: str) -> None:
    parts = [part for word in words for part in (word, 0)][:-1]
    found = walk(segments(parts, TYPES), line)
    expected = re.search(".*?".join(map(re.escape, words)), line)
    assert (found is None) == (expected is None)
    if found and expected:
        assert (found.start, found.end) == expected.span()


class Counted(str):
    """A line that counts how often it is searched."""

    searches = 0

    def find(self, *arguments: Any) -> int:
        type(self).searches += 1
        return super().find(*arguments)


@pytest.mark.parametrize("length", [100, 10_000])
def test_walker_searches_once_for_each_segment(length: int) -> None:
    """However often the first segments stand in the line: none is looked for again when a later one is missing."""
    line = Counted("aaaaaa bbbbbb cccccc " * length)
    Counted.searches = 0
    template = segments(["aaaaaa ", 0, "bbbbbb ", 0, "cccccc ", 0, "dddddd"], TYPES)
    assert walk(template, line) is None
    assert Counted.searches == 4


def instance(parts: Sequence[Any]) -> str:
    """A text that a template matches."""
    kinds = [part[0] if isinstance(part, list) else part for part in parts]
    return "".join(kind if isinstance(kind, str) else VALUES[kind] for kind in kinds)


@pytest.mark.parametrize("template", range(len(FROZEN["templates"])))
def test_template_is_tried_on_every_line_that_it_matches(template: int) -> None:
    text = instance(FROZEN["templates"][template][0])
    for line in (text, f"[rank3]: Error: {text} and more", f"{'x' * 5000}{text}", f"😀 {text}"):
        assert walk(INDEX.segments(template), line)
        assert template in INDEX.candidates(line, INDEX.grams(line))


def test_anchors_are_long_enough_to_be_found() -> None:
    assert all(len(anchor) >= GRAM for _, anchors, _ in FROZEN["templates"] for anchor in anchors)


TEXTS = [instance(parts) for parts, _, _ in FROZEN["templates"]]
EVENTS = st.lists(
    st.tuples(
        st.one_of(st.sampled_from(TEXTS), st.sampled_from(TEXTS).map(lambda text: text[: len(text) // 2]), st.text()),
        st.sampled_from([None, 0, 1]),
        st.integers(0, 1),
    ),
    max_size=12,
)


@settings(bounded, max_examples=200)
@given(EVENTS)
def test_hits_lie_within_their_lines_and_come_in_order(found: list[tuple[str, int | None, int]]) -> None:
    rows = sorted(enumerate(found), key=lambda row: row[1][2])
    events = [Event(0, number + 1, run, text, text, rank) for number, (text, rank, run) in rows]
    hits = match(events, INDEX)
    assert [hit.at for hit in hits] == sorted(hit.at for hit in hits)
    for hit in hits:
        here, end = events[hit.at], events[hit.end]
        assert 0 <= hit.span.start < hit.span.end <= len(here.full)
        assert (here.rank, here.run) == (end.rank, end.run)
        assert hit.end >= hit.at
    entries = [(hit.at, INDEX.signatures[hit.signature].entry) for hit in hits]
    assert len(entries) == len(set(entries))
