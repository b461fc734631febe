"""One file as it was read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from faultbook.reader.build import Builder, lost_comments, property_violations
from faultbook.reader.core import CoreLoader
from faultbook.reader.faults import LINE_END, forbidden_character, place_at, yaml_violation
from faultbook.violations import Location, Violation, shorten

KeyPath = tuple[str | int, ...]
"""The way from the top of a document to one of its parts: keys of mappings and positions in lists."""

MAX_BYTES = 256 * 1024
# YAML 1.1 and its parsers end a line here, editors do not; a second byte order mark shows nowhere.
_FORBIDDEN = re.compile("[\x85\u2028\u2029\ufeff]")


@dataclass(frozen=True)
class Source:
    """One file as it was read: where it lies, how messages name it, its text and its data."""

    path: Path
    shown: str
    text: str
    data: Any

    def locate(self, path: KeyPath, *, key: bool = False) -> Location:
        """The place of a part, or of the nearest part around it; with ``key`` that of its key in the mapping.

        The text is parsed again for it: places are needed only for violations, and keeping them all costs memory.
        """
        places = _places(self.text)
        length = next(length for length in range(len(path), -1, -1) if path[:length] in places)
        value, of_key = places[path[:length]]
        line, column = of_key if key and of_key and length == len(path) else value
        return Location(self.shown, line, column)

    def word_at(self, place: Location) -> str:
        """The word that begins at a place, such as a number as it was spelled."""
        found = _WORD.match(_lines(self.text)[place.line - 1], place.column - 1)
        return found[0] if found else ""

    def find(self, words: str, place: Location) -> Location:
        """The first place of the words behind a place; that place itself if the text spells them in another way."""
        lines = _lines(self.text)[place.line - 1 :]
        lines[0] = " " * (place.column - 1) + lines[0][place.column - 1 :]
        for number, line in enumerate(lines, place.line):
            if (column := line.find(words)) >= 0:
                return Location(self.shown, number, column + 1)
        return place


_WORD = re.compile(r"[^\s,\]}]*")
_Place = tuple[int, int]


@lru_cache(maxsize=2)
def _lines(text: str) -> list[str]:
    return LINE_END.split(text)


@lru_cache(maxsize=2)
def _places(text: str) -> Mapping[KeyPath, tuple[_Place, _Place | None]]:
    """For each part of a document the line and column of its value, and of its key if it has one."""
    node = yaml.compose(text, Loader=CoreLoader)  # type: ignore[arg-type]
    # The parser says that an empty value at the end of a file lies on a line of its own.
    lines = _lines(text)
    end = len(lines), len(lines[-1]) + 1
    return {path: (min(value, end), key) for path, value, key in _walk(node, (), None)}


def _walk(node: Any, path: KeyPath, key: Any) -> Iterator[tuple[KeyPath, _Place, _Place | None]]:
    yield path, _line_column(node), _line_column(key) if key is not None else None
    if isinstance(node, yaml.MappingNode):
        for key_node, value_node in node.value:
            yield from _walk(value_node, (*path, key_node.value), key_node)
    elif isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            yield from _walk(item, (*path, position), None)


def _line_column(node: Any) -> _Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


def read_source(path: Path, shown: str) -> tuple[Source | None, list[Violation]]:
    """Read a file; without a source if it cannot be understood, and with every violation that was met.

    Refused are links, files over 256 KiB, text that is not UTF-8, several documents, anchors, tags, duplicate keys and
    nesting deeper than 24 levels.
    """
    try:
        if path.is_symlink() or not path.is_file():
            return None, [Violation(Location(shown), "unreadable-file", "not a regular file; put the file itself here")]
        if path.stat().st_size > MAX_BYTES:
            message = f"the file has {path.stat().st_size} bytes, at most {MAX_BYTES} are read; move long logs to logs/"
            return None, [Violation(Location(shown), "file-too-large", message)]
        raw = path.read_bytes()
    except OSError as error:
        return None, [Violation(Location(shown), "unreadable-file", f"cannot be read: {error.strerror or error}")]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = place_at(raw[: error.start].decode("utf-8").removeprefix("\ufeff"), shown)
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8"
        return None, [Violation(place, "not-utf-8", message)]
    return parse_source(text.removeprefix("\ufeff"), path, shown)


def parse_source(text: str, path: Path, shown: str) -> tuple[Source | None, list[Violation]]:
    """Parse text as the file that it came from; see `read_source`."""
    if found := _FORBIDDEN.search(text):
        return None, [forbidden_character(text, found.start(), shown)]
    try:
        node = CoreLoader(text).get_single_node()
        violations = property_violations(text, shown)
    except yaml.MarkedYAMLError as error:
        return None, [yaml_violation(error, text, shown)]
    except yaml.reader.ReaderError as error:
        # The parser counts in bytes of UTF-8.
        before = text.encode()[: error.position].decode("utf-8", "ignore")
        return None, [forbidden_character(text, len(before), shown)]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return None, [Violation(Location(shown), "yaml", f"not YAML: {shorten(error, 200)}")]
    if node is None:
        return None, [Violation(Location(shown), "yaml", "the file is empty; 'faultbook explain yaml' shows an entry")]
    builder = Builder(shown)
    data = builder.build(node)
    violations += builder.violations
    if violations:
        return None, violations
    return Source(path, shown, text, data), lost_comments(text, node, shown)
