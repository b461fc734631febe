"""Read one YAML file into plain data, and find the place of any of its parts again; knows nothing of entries."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.cyaml import CParser  # type: ignore[attr-defined]
from yaml.resolver import BaseResolver

from faultbook.violations import Location, Violation, shorten

KeyPath = tuple[str | int, ...]
"""The way from the top of a document to one of its parts: keys of mappings and positions in lists."""

MAX_BYTES = 256 * 1024
MAX_DEPTH = 24
_STR, _SEQ, _MAP = (f"tag:yaml.org,2002:{kind}" for kind in ("str", "seq", "map"))


class _CoreLoader(CParser, Composer, BaseResolver):
    """Composes nodes with the types of the YAML 1.2 core schema, in which ``no`` and ``2026-11-30`` are text."""

    def __init__(self, text: str) -> None:
        CParser.__init__(self, text)
        BaseResolver.__init__(self)


def _core_type(name: str, pattern: str, first: str) -> None:
    _CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{name}", re.compile(pattern), list(first))


# The expressions of section 10.3.2 of the YAML 1.2.2 specification.
_core_type("null", r"^(?:null|Null|NULL|~)$", "nN~")
_CoreLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])
_core_type("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF")
_core_type("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789")
_core_type("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789")
_core_type("float", r"^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$", "-+.")


def _int(text: str) -> int:
    # Python refuses to convert very long numbers, and no field takes one.
    return int(text, 0) if text[:2] in ("0x", "0o") else int(text[:400])


_CONSTRUCT: dict[str, Any] = {
    "null": lambda text: None,
    "bool": lambda text: text.lower() == "true",
    "int": _int,
    "float": lambda text: float(re.sub(r"\.(?=[inIN])", "", text)),
    "str": lambda text: text,
}


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
        node = yaml.compose(self.text, Loader=_CoreLoader)  # type: ignore[arg-type]
        mark = node.start_mark if node is not None else None
        for depth, step in enumerate(path):
            pair = _child(node, step)
            if pair is None:
                break
            key_node, node = pair
            mark = key_node.start_mark if key and depth == len(path) - 1 and key_node is not None else node.start_mark
        return Location(self.shown, mark.line + 1, mark.column + 1) if mark else Location(self.shown)


def _child(node: Any, step: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None


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
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = raw[: error.start]
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        place = Location(shown, before.count(b"\n") + 1, column)
        return None, [
            Violation(place, "not-utf-8", f"byte 0x{raw[error.start]:02x} is not UTF-8; save the file as UTF-8")
        ]
    return parse_source(text, path, shown)


def parse_source(text: str, path: Path, shown: str) -> tuple[Source | None, list[Violation]]:
    """Parse text as the file that it came from; see `read_source`."""
    try:
        loader = _CoreLoader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        return None, [_yaml_violation(error, shown)]
    except yaml.reader.ReaderError as error:
        before = text[: error.position] if isinstance(error.position, int) else ""
        place = Location(shown, before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
        return None, [Violation(place, "yaml", f"the character {error.character!r} is not allowed in YAML; remove it")]
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return None, [Violation(Location(shown), "yaml", f"not YAML: {shorten(error, 200)}")]
    if node is None:
        return None, [Violation(Location(shown), "yaml", "the file is empty; 'faultbook explain yaml' shows an entry")]
    builder = _Builder(shown, text)
    data = builder.build(node, 0)
    if builder.broken:
        return None, builder.violations
    return Source(path, shown, text, data), _lost_comments(text, node, shown)


def _place(mark: Any, shown: str) -> Location:
    return Location(shown, mark.line + 1, mark.column + 1)


_HINTS = {
    "mapping values are not allowed": "; text that contains ': ' must be quoted or start with '>-'",
    "expected a single document": "; one file holds one entry, remove the line '---'",
    "found character '\\t'": "; indent with blanks",
    "found undefined alias": "; text that begins with '*' must be quoted",
    "found character that cannot start": "; quote the text",
    "did not find expected alphabetic": "; text that begins with '&' or '*' must be quoted",
    "found unknown escape": "; use single quotes, or write the backslash twice",
}


def _yaml_violation(error: Any, shown: str) -> Violation:
    problem = " ".join(part for part in (error.problem, error.context) if part)
    hint = next((hint for start, hint in _HINTS.items() if start in problem), "")
    mark = error.problem_mark or error.context_mark
    place = _place(mark, shown) if mark else Location(shown)
    return Violation(place, "yaml", f"not YAML: {shorten(problem, 160)}{hint}")


def _lost_comments(text: str, node: Any, shown: str) -> list[Violation]:
    """Plain text of several words that ends in a comment: most often a ``#`` that was meant to be read."""
    if not re.search(r"\S[ \t]+#", text):
        return []
    lines = text.split("\n")
    found = []
    for scalar in _scalars(node, 0):
        if not scalar.style and " " in scalar.value:
            rest = lines[scalar.end_mark.line][scalar.end_mark.column :] if scalar.end_mark.line < len(lines) else ""
            if rest.lstrip().startswith("#"):
                place = Location(shown, scalar.end_mark.line + 1, scalar.end_mark.column + 1)
                message = (
                    f"'{shorten(rest.strip(), 30)}' is read as a comment and lost; quote the text before and after ' #'"
                )
                found.append(Violation(place, "text-lost", message))
    return found


def _scalars(node: Any, depth: int) -> Iterator[Any]:
    if depth > MAX_DEPTH:
        return
    if isinstance(node, yaml.ScalarNode):
        yield node
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item, depth + 1)
    elif isinstance(node, yaml.MappingNode):
        for _, value in node.value:
            yield from _scalars(value, depth + 1)


class _Builder:
    """Turns nodes into data and keeps the violations met on the way."""

    def __init__(self, shown: str, text: str) -> None:
        self.shown = shown
        self.text = text if "&" in text else ""
        self.violations: list[Violation] = []
        self.broken = False

    def build(self, node: Any, depth: int) -> Any:
        # An alias is the node of its anchor, so that refusing anchors before going on also bounds expansion.
        if self.text and self.text.startswith("&", node.start_mark.index):
            return self._refuse(node, "anchor", "anchors and aliases are not used in entries; write the text out")
        if depth > MAX_DEPTH:
            return self._refuse(node, "too-deep", f"nested deeper than {MAX_DEPTH} levels; entries are flat")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if isinstance(node, yaml.SequenceNode):
            if node.tag != _SEQ:
                return self._refuse(node, "yaml-tag", f"the tag '{shorten(node.tag)}' is not allowed; remove it")
            return [self.build(item, depth + 1) for item in node.value]
        if node.tag != _MAP:
            return self._refuse(node, "yaml-tag", f"the tag '{shorten(node.tag)}' is not allowed; remove it")
        return self._mapping(node, depth)

    def _scalar(self, node: Any) -> Any:
        kind = node.tag.removeprefix("tag:yaml.org,2002:")
        try:
            return _CONSTRUCT[kind](node.value)
        except KeyError:
            return self._refuse(node, "yaml-tag", f"the tag '{shorten(node.tag)}' is not allowed; remove it")
        except ValueError:
            return self._refuse(
                node, "yaml", f"'{shorten(node.value)}' is not a {kind}; remove the tag or quote the text"
            )

    def _mapping(self, node: Any, depth: int) -> dict[str, Any]:
        result: dict[str, Any] = {}
        lines: dict[str, int] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._refuse(key_node, "yaml", "a key must be a word; quote text that begins with '{' or '['")
                continue
            key = key_node.value
            if key in result:
                message = f"the key '{shorten(key)}' stands in line {lines[key]} already; merge the two"
                self._refuse(key_node, "duplicate-key", message)
                continue
            lines[key] = key_node.start_mark.line + 1
            result[key] = self.build(value_node, depth + 1)
        return result

    def _refuse(self, node: Any, code: str, message: str) -> None:
        self.broken = True
        self.violations.append(Violation(_place(node.start_mark, self.shown), code, message))
