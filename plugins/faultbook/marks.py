"""Marks in the prose of entries: citations, links to entries and links to fixes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# Code spans first, since nothing within them is a mark. Each alternative starts with a plain character, by which the
# search skips ahead; a group in front would cost ten times as much. A span ends with its paragraph or list item.
_GOES_ON = r"\n(?![ \t]*(?:\n|```|~~~|(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\n]|\Z)))"
_MARK = re.compile(
    rf"`(?<!``)(?P<code>(?:[^`\n]|{_GOES_ON})+)`(?!`)"
    rf"|`(?<!``)(?P<more>`*)(?!`)(?P<long>(?:.|{_GOES_ON})*?)(?<!`)`(?P=more)(?!`)"
    r"|\[@(?P<cite>[^\]\n]{1,80})\]"
    r"|\[\[(?P<target>[^\]|\n]{1,80})(?:\|(?P<words>[^\]\n]{1,200}))?\]\]"
)


class Mark(NamedTuple):
    """A citation ``[@id]``, a link ``[[slug|words]]`` or a link ``[[#fix]]`` in a text."""

    kind: str
    """``citation``, ``entry`` or ``fix``."""
    target: str
    words: str | None
    start: int
    end: int


class Scan(NamedTuple):
    """What one pass over a text finds."""

    marks: tuple[Mark, ...] = ()
    """Its citations and links in order; nothing within a code span is one."""
    spans: tuple[str, ...] = ()
    """What stands between its backticks."""
    bare: str = ""
    """The text with code spans, citations and links blanked out; positions stay."""


@lru_cache(maxsize=4096)
def scan_text(text: str) -> Scan:
    """The marks, the code spans and the bare words of a text."""
    if "[" not in text and "`" not in text:
        return Scan(bare=text)
    marks: list[Mark] = []
    spans: list[str] = []
    bare: list[str] = []
    at = 0
    for found in _MARK.finditer(text):
        start, end = found.span()
        bare += (text[at:start], " " * (end - start))
        at = end
        if (cite := found["cite"]) is not None:
            marks.append(Mark("citation", cite, None, start, end))
        elif (target := found["target"]) is not None:
            kind = "fix" if target.startswith("#") else "entry"
            marks.append(Mark(kind, target.removeprefix("#"), found["words"], start, end))
        else:
            spans.append((found["code"] or found["long"]).strip())
    return Scan(tuple(marks), tuple(spans), "".join(bare) + text[at:])


def parse_marks(text: str) -> tuple[Mark, ...]:
    """The citations and links of a text, in order; nothing within a code span is one."""
    return scan_text(text).marks


def plain_text(text: str) -> str:
    """A line of prose without backquotes, citations and marks of links, for places that show plain text."""
    parts, at = [], 0
    for mark in parse_marks(text):
        parts += [text[at : mark.start], mark_words(mark)]
        at = mark.end
    return "".join([*parts, text[at:]]).replace("`", "").strip()


def mark_words(mark: Mark) -> str:
    """What is left of a mark where it leads nowhere."""
    return "" if mark.kind == "citation" else mark.words or mark.target
