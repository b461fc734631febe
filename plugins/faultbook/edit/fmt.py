"""Format entries: the same data in the canonical form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from faultbook.corpus import shown_path
from faultbook.edit.emit import emit
from faultbook.edit.tree import UnreadableTree, read_tree
from faultbook.reader import Source, parse_source, read_source
from faultbook.schema import Entry, Kind, schema_violations, text_fields
from faultbook.violations import Location, Violation


@dataclass(frozen=True)
class Formatted:
    """A file with its new text, or why it is left alone."""

    path: Path
    shown: str
    old: bytes = b""
    new: bytes = b""
    violations: Sequence[Violation] = field(default=())
    """Why the file is left alone."""

    @property
    def changed(self) -> bool:
        """Whether formatting changes the file."""
        return not self.violations and self.new != self.old

    def unformatted(self) -> Violation:
        """The violation that a file which is not formatted has, at its first line that would change."""
        lines = zip(self.old.splitlines(keepends=True), self.new.splitlines(keepends=True), strict=False)
        same = next((number for number, (old, new) in enumerate(lines) if old != new), None)
        line = min(self.old.count(b"\n"), self.new.count(b"\n")) if same is None else same
        message = "is not in the canonical form from here on; run 'faultbook fmt' on the file"
        return Violation(Location(self.shown, line + 1), "not-formatted", message)


def entry_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files of entries among these files and directories, in order; vocabulary files are none."""
    for path in paths:
        found = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
        yield from (file for file in found if not file.name.startswith(("_", ".")))


def format_file(path: Path, root: Path) -> Formatted:
    """The canonical form of a file; nothing is written."""
    shown = shown_path(path, root)
    source, violations = read_source(path, shown)
    if source is None or violations:
        return Formatted(path, shown, violations=violations)
    try:
        new = format_source(source)
    except ValidationError as error:
        return Formatted(path, shown, violations=schema_violations(error, source, Entry))
    except UnreadableTree as error:
        message = f"is left alone, since it could not be written anew without a change of meaning: {error}"
        return Formatted(path, shown, violations=[Violation(Location(shown), "not-formattable", message)])
    return Formatted(path, shown, path.read_bytes(), new.encode("utf-8"))


def format_source(source: Source) -> str:
    """The canonical form of an entry that was read; its data are the same, which is tested each time.

    Raises:
        ValidationError: it is no entry.
        UnreadableTree: the canonical form cannot be given.
    """
    entry = Entry.model_validate(source.data)
    tree = read_tree(re.sub(r"\r\n?", "\n", source.text))
    new = emit(tree, {found.path for found in text_fields(entry, Kind.PROSE)})
    again, violations = parse_source(new, source.path, source.shown)
    if again is None or violations:
        raise UnreadableTree(violations[0].message if violations else "it would be empty")
    if _data(again) != _data(source):
        raise UnreadableTree("the data would differ")
    return new


def _data(source: Source) -> str:
    return json.dumps(source.data, sort_keys=True)
