"""Turn kept pieces into events: what was said, by which rank, on which node, when, how bad."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from faultbook.engine.clock import Time, read_time
from faultbook.engine.prefixes import Peeler
from faultbook.engine.rules import TRACEBACK, Rules
from faultbook.engine.scan import HEAD, Piece
from faultbook.engine.wrapping import LONGEST_PREFIX, Room, unwrap_json

_BLANKS = re.compile("[ \t\u00a0]+")
_CONTROLS = re.compile("[\x00-\x08\x0a-\x1f\x7f\ufeff]")
_EDGES = tuple("\u2500\u2502\u256e\u256f\u2524")
_FRAMES = tuple("\u2500\u2502\u256d\u2570\u251c")
_NARROWEST, _WIDEST = 60, 250
_MOST_PARTS = 16


@dataclass(frozen=True)
class Event:
    """A line as the program that printed it meant it."""

    file: int
    line: int
    run: int
    """Number of the run of pieces without a gap that it stands in."""
    full: str
    """The line without colours, wrapping and boxes, its blanks folded; templates are matched on it."""
    text: str
    """The same without prefixes."""
    rank: int | None = None
    local: int | None = None
    node: str | None = None
    pid: str | None = None
    time: Time | None = None
    level: str | None = None
    repeat: int = 1
    kernel: bool = False
    indented: bool = False


@dataclass(frozen=True)
class _Line:
    """A piece on its way: its text, and what a collector's wrapping said about it."""

    number: int
    end: int
    """Number of the last piece that is part of it."""
    line: int
    text: str
    known: Mapping[str, Any]


def normalise(pieces: Sequence[Piece], rules: Rules, file: int = 0) -> list[Event]:
    """The events of one file, in order; lines that are blank, or blank but for prefixes, are none."""
    room = Room()
    lines = [line for piece in pieces for line in _unwrapped(piece, rules, room)]
    lines = _glued(lines, rules)
    inked = (text for line in lines if (text := _folded(line.text)))
    make = _Maker(rules, list(islice(inked, HEAD)), room)
    events: list[Event] = []
    run, expected = 0, 0
    for line in lines:
        run, expected = run + (line.number > expected), line.end + 1
        events += [event for event in make.events(line, file, run) if event.text]
    return events


def _unwrapped(piece: Piece, rules: Rules, room: Room) -> Iterator[_Line]:
    """The line or, of a collector's JSON, the lines that a piece stands for."""
    text = piece.data.decode("utf-8", "replace")
    line = _Line(piece.number, piece.number, piece.line, _uncoloured(text, rules), {})
    yield from _lines_within(text, line, rules, room) or [line]


def _lines_within(text: str, line: _Line, rules: Rules, room: Room, prefix: str = "") -> list[_Line]:
    """The lines that a text holds if it is a collector's JSON, behind the prefix of the line that it is part of."""
    found = unwrap_json(text, rules)
    if found is None:
        return []
    message, known = found
    lines = []
    for part in room.lines(message):
        plain = _uncoloured(rules.pattern("ansi").sub("", part), rules)
        lines.append(replace(line, text=prefix + plain, known={**known, **line.known}))
        # Of a record with a traceback only the first line says what the level is about.
        known = {key: value for key, value in known.items() if key != "level"}
    return lines


def _uncoloured(text: str, rules: Rules) -> str:
    """The text without colours that lost their escape bytes."""
    return rules.pattern("lost_escape").sub("", text) if "m" in text and "[" in text else text


def _glued(lines: Sequence[_Line], rules: Rules) -> list[_Line]:
    """Put together what a terminal of fixed width broke."""
    width = _wrap(lines[:HEAD], rules)
    if not width:
        return list(lines)
    continues = rules.pattern("starts_anew")
    glued: list[_Line] = []
    full = False
    for line in lines:
        last = glued[-1] if glued else None
        near = last is not None and line.number <= min(last.end + 1, last.number + _MOST_PARTS)
        if last and near and full and line.text and not continues.search(line.text):
            glued[-1] = replace(last, end=line.end, text=last.text + line.text)
        else:
            glued.append(line)
        full = _fills(line.text, width)
    return glued


def _wrap(lines: Sequence[_Line], rules: Rules) -> int:
    """The width at which lines are broken, or 0: two different lines have exactly it, none more, and most go on."""
    width = max((len(line.text) for line in lines), default=0)
    if not _NARROWEST <= width <= _WIDEST:
        return 0
    full = [at for at, line in enumerate(lines) if _fills(line.text, width)]
    shapes = {re.sub("[0-9]+", "#", lines[at].text) for at in full}
    starts = rules.pattern("starts_anew")
    after = [lines[at + 1].text for at in full if at + 1 < len(lines)]
    going_on = sum(bool(text.strip()) and not starts.search(text) for text in after)
    return width if len(shapes) >= 2 and going_on >= 2 and going_on * 2 >= len(full) else 0


def _fills(text: str, width: int) -> bool:
    """Whether a line goes up to a width, other than with blanks or as the edge of a box; a break may be at a blank."""
    return len(text) == width and len(text.rstrip(" ")) >= width - 1 and text[-1:] not in _EDGES


class _Maker:
    """Makes events of lines."""

    def __init__(self, rules: Rules, sample: Sequence[str], room: Room) -> None:
        self.rules = rules
        self.room = room
        self.peeler = Peeler(rules, sample)

    def events(self, line: _Line, file: int, run: int) -> Iterator[Event]:
        """The event of a line or, if JSON stands behind its prefixes, those of the lines in it."""
        event = self._event(line, file, run)
        prefix = event.full[: len(event.full) - len(event.text)]
        record = event.text.startswith("{") and len(prefix) <= LONGEST_PREFIX
        within = _lines_within(event.text, line, self.rules, self.room, prefix) if record else []
        if not within:
            yield event
        for inner in within:
            yield self._event(inner, file, run)

    def _event(self, line: _Line, file: int, run: int) -> Event:
        text, repeat = self._repeated(line.text)
        full = _folded(self._unboxed(text))
        rest, found = self.peeler.peeled(full)
        if rest != full and rest[:1] in _FRAMES:
            inside = _folded(self._unboxed(rest))
            full, rest = full[: len(full) - len(rest)] + inside if inside else "", inside
        known = line.known
        rank = known.get("rank", found.get("rank"))
        stamp = known.get("stamp")
        return Event(
            file,
            line.line,
            run,
            full,
            rest,
            rank=None if rank is None else int(rank),
            local=int(found["local"]) if "local" in found else None,
            node=known.get("node", found.get("node")),
            pid=found.get("pid"),
            time=(read_time({"stamp": stamp}, self.rules) if stamp else None) or found.get("time"),
            level=found.get("level") or known.get("level"),
            repeat=repeat,
            kernel=found.get("kernel", False) or "kernel" in known,
            indented=line.text.startswith((" ", "\t")),
        )

    def _unboxed(self, text: str) -> str:
        """A line of a box that rich or loguru drew, without its frame."""
        if "\u2500" in text and self.rules.pattern("box_edge").search(text):
            return f"{TRACEBACK}:" if "Traceback" in text else ""
        if "\u2502" in text and (found := self.rules.pattern("box").search(text)):
            return found["inside"]
        return text

    def _repeated(self, text: str) -> tuple[str, int]:
        if "[repeated " in text and (found := self.rules.pattern("repeated").search(text)):
            return text[: found.start()], int(found["times"])
        return text, 1


def _folded(text: str) -> str:
    return _BLANKS.sub(" ", _CONTROLS.sub("", text)).strip(" ")
