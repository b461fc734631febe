"""A template from an error line: what varies becomes a placeholder. Its twin is `assets/engine/draft.js`.

The rules are data, `draft` in `rules.json`: each has a pattern and the type of placeholder that takes the place of what
it matches, but for its groups ``before`` and ``after``. Without a type what it matches stays as it is, and so do the
groups ``keep`` and, beside it, ``after``. A rule sees only what no rule before it has settled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from faultbook.engine.rules import Rules, compiled
from faultbook.engine.walker import segments, walk
from faultbook.signatures import PATTERNS, Placeholder, form_faults, parse_template

_LONGEST = 300
_LETTERS = 6
_NUMBERS = {name: number for number, name in enumerate(["*", *PATTERNS])}
# Lines are found by what stands between characters that a log of JSON lines may escape.
_ESCAPED = re.compile(r'["\\<>&]|[^ -~]')
_AFTER_CUT = re.compile(r"^[ :,;.)\]>|}-]+")


@dataclass(frozen=True)
class Literal:
    """A part that stays, and whether later rules leave it alone."""

    text: str
    settled: bool = False


Piece = Literal | Placeholder


def template_of(line: str, rules: Rules) -> str | None:
    """The template of a masked error line without prefixes; nothing if it has too few words of its own."""
    # A template holds no characters that show nowhere, so it ends before the first.
    pieces: list[Piece] = [Literal(rules.pattern("draft_end").split(line)[0].strip(" "))]
    for row in rules.data["draft"]:
        pattern = compiled(row["pattern"])
        pieces = [part for piece in pieces for part in _applied(piece, pattern, row["type"])]
    parts = _cut(_started(_joined(pieces)))
    literals = [part for part in parts if isinstance(part, str)]
    runs = [run for literal in literals for run in _ESCAPED.split(literal)]
    template = "".join(_written(part) for part in parts)
    few = max((len(re.findall("[A-Za-z]", run)) for run in runs), default=0) < _LETTERS
    return None if few or rules.pattern("draft_bare").search(template) else template


def _applied(piece: Piece, pattern: re.Pattern[str], kind: str) -> Iterator[Piece]:
    if not isinstance(piece, Literal) or piece.settled:
        yield piece
        return
    at = 0
    for found in pattern.finditer(piece.text):
        groups = found.groupdict()
        before, kept, after = (groups.get(name) or "" for name in ("before", "keep", "after"))
        start, end = found.start() + len(before) + len(kept), found.end() - len(after)
        yield Literal(piece.text[at : found.start()] + before)
        yield Literal(kept, settled=True)
        yield Placeholder(kind) if kind else Literal(piece.text[start:end], settled=True)
        yield Literal(after, settled=bool(kept))
        at = found.end()
    yield Literal(piece.text[at:])


def _joined(pieces: Sequence[Piece]) -> list[str | Placeholder]:
    """The parts of a template: texts that touch are one.

    It ends before a placeholder that touches another, or a backslash, which would make a text of it.
    """
    parts: list[str | Placeholder] = []
    for piece in pieces:
        last = parts[-1] if parts else None
        if isinstance(piece, Literal):
            if isinstance(last, str):
                parts[-1] = last + piece.text
            elif piece.text:
                parts.append(piece.text)
        elif isinstance(last, Placeholder) or (last and last.endswith("\\")):
            break
        else:
            parts.append(piece)
    return parts


def _started(parts: list[str | Placeholder]) -> list[str | Placeholder]:
    """The parts from the first text with a letter on."""
    first = next((at for at, part in enumerate(parts) if isinstance(part, str) and re.search("[A-Za-z]", part)), None)
    if first is None:
        return []
    head = str(parts[first])
    return [_AFTER_CUT.sub("", head) if first else head, *parts[first + 1 :]]


def _cut(parts: Sequence[str | Placeholder]) -> list[str | Placeholder]:
    """No more of a long line than tells it from others, up to a blank."""
    kept: list[str | Placeholder] = []
    room = _LONGEST
    for part in parts:
        size = len(_written(part))
        if size > room:
            words = part[:room].rsplit(" ", 1)[0] if isinstance(part, str) and " " in part[:room] else ""
            kept += [words] if words.strip() else []
            break
        room -= size
        kept.append(part)
    if kept and isinstance(kept[-1], str):
        kept[-1] = kept[-1].rstrip(" ")
    return [part for part in kept if part != ""]


def _written(part: str | Placeholder) -> str:
    """A part as it stands in a template; a `<` that could begin a placeholder gets a backslash."""
    return re.sub(r"\\<|<(?=[A-Za-z*])", r"\\\g<0>", part) if isinstance(part, str) else str(part)


def fits(template: str, line: str) -> bool:
    """Whether a template has the right form and matches a line."""
    parsed = parse_template(template)
    if any(True for _ in form_faults(parsed)):
        return False
    parts = [part if isinstance(part, str) else _NUMBERS[part.type] for part in parsed.parts]
    return walk(segments(parts, ["", *PATTERNS.values()]), line) is not None
