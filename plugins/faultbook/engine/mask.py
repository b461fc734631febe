"""Take secrets out of what is shown: tokens, keys, passwords and mail addresses become ``••••``.

What helps the reader stays: the name of the setting, the scheme and the host of an address. The patterns are data,
`mask.json`, which the engine in JavaScript reads too. They follow the syntax of `docs/engine.md`, with lookaheads; of a
match all is replaced but the groups ``before`` and ``after``. A rule is tried only on texts that contain one of its
hints, in whatever case; a rule without hints is tried on all.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from faultbook.engine.rules import compiled

Span = Sequence[int]


@dataclass(frozen=True)
class _Rule:
    hints: tuple[str, ...]
    pattern: str

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        for match in compiled(self.pattern).finditer(text):
            groups = match.re.groupindex
            start = match.end("before") if "before" in groups else match.start()
            end = match.start("after") if "after" in groups else match.end()
            yield start, end


def mask_rules() -> dict[str, Any]:
    """The patterns as they stand in the index."""
    data: dict[str, Any] = json.loads(Path(__file__).with_name("mask.json").read_bytes())
    return data


@cache
def _rules() -> tuple[str, tuple[_Rule, ...]]:
    """The mark that takes the place of a secret, and the rules in their order."""
    data = mask_rules()
    return data["mask"], tuple(_Rule(tuple(row["hints"]), row["pattern"]) for row in data["rules"])


def mask(text: str) -> str:
    """The text without secrets."""
    return mask_with_spans(text, ())[0]


def mask_with_spans(text: str, spans: Sequence[Span]) -> tuple[str, list[list[int]]]:
    """The text without secrets, and where spans of it are then; one that ends within a secret takes in the mark."""
    mark, rules = _rules()
    moved = [list(span) for span in spans]
    lower = text.lower()
    for rule in rules:
        if rule.hints and not any(hint in lower for hint in rule.hints):
            continue
        found = [(start, end) for start, end in rule.found(text) if text[start:end] != mark]
        if found:
            moved = [[_moved(at, found, len(mark), end) for end, at in enumerate(span)] for span in moved]
            text = _replaced(text, found, mark)
    return text, moved


def _replaced(text: str, found: Sequence[tuple[int, int]], mark: str) -> str:
    parts = []
    at = 0
    for start, end in found:
        parts += [text[at:start], mark]
        at = end
    return "".join([*parts, text[at:]])


def _moved(at: int, found: Sequence[tuple[int, int]], length: int, end_of_span: int) -> int:
    """A place in the text after secrets were replaced by marks of a length."""
    shift = 0
    for start, end in found:
        if at <= start:
            break
        if at < end:
            return start + shift + length * end_of_span
        shift += length - (end - start)
    return at + shift
