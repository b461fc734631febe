"""Load every entry and every vocabulary file of one or several directories into one frozen corpus."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter, ValidationError

from faultbook.corpus.model import Corpus, Record
from faultbook.reader import Source, read_source
from faultbook.schema import (
    Category,
    Entry,
    Model,
    Reproduced,
    System,
    Tag,
    Wanted,
    parse_vocabulary,
    schema_violations,
)
from faultbook.schema.fields import SLUG, Slug
from faultbook.violations import Location, Violation, did_you_mean, sort_violations

_VOCABULARY: dict[str, type[Model]] = {
    "_categories.yaml": Category,
    "_tags.yaml": Tag,
    "_systems.yaml": System,
    "_wanted.yaml": Wanted,
    "_reproduced.yaml": Reproduced,
}
_FILES = (*_VOCABULARY, "_featured.yaml", "_released.yaml")


def load_corpus(directories: Sequence[Path], root: Path | None = None) -> tuple[Corpus, list[Violation]]:
    """Read all directories; files that cannot be read are left out and have violations.

    Messages name files relative to ``root`` (the working directory by default). A slug that stands in two directories
    is a violation, since neither may win silently.
    """
    root = root or Path.cwd()
    corpus = Corpus({})
    violations: list[Violation] = []
    records: dict[str, Record] = {}
    unreadable: set[str] = set()
    for directory in directories:
        if not directory.is_dir():
            message = "there is no such directory; give one that holds entries with --entries"
            violations.append(Violation(Location(shown_path(directory, root)), "no-entries", message))
            continue
        corpus, found = _with_vocabulary(corpus, directory, root)
        violations += found
        paths, found = _entry_paths(directory, root)
        violations += found
        for path in paths:
            record, found = _load_record(path, directory, root)
            violations += found
            if record is not None:
                violations += _add(records, record)
            else:
                unreadable.add(path.stem)
    records = {
        slug: replace(record, reproduced=corpus.reproduced.get(slug)) for slug, record in sorted(records.items())
    }
    corpus = replace(corpus, records=MappingProxyType(records), unreadable=frozenset(unreadable - records.keys()))
    if directories and not records and not violations:
        place = Location(shown_path(directories[0], root))
        violations.append(Violation(place, "no-entries", "holds no entry; put one at <category>/<slug>.yaml"))
    return corpus, sort_violations(violations)


def shown_path(path: Path, root: Path) -> str:
    """A path as messages show it: relative to the root if it lies within, with bytes that are no text escaped."""
    absolute = Path(os.path.abspath(path))
    shown = absolute.relative_to(root) if absolute.is_relative_to(root) else absolute
    return os.fsencode(shown).decode("utf-8", "backslashreplace")


def _entry_paths(directory: Path, root: Path) -> tuple[list[Path], list[Violation]]:
    """Every YAML file that could be an entry; links to directories are not followed."""
    paths: list[Path] = []
    violations: list[Violation] = []

    def refuse(path: Path, message: str) -> None:
        violations.append(Violation(Location(shown_path(path, root)), "unreadable-file", message))

    walk = os.walk(directory, onerror=lambda error: refuse(Path(error.filename), f"cannot be read: {error.strerror}"))
    for folder, folders, names in walk:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for path in (Path(folder, name) for name in folders):
            if path.is_symlink():
                refuse(path, "a link to a directory is not followed; put the directory itself here")
        for path in (Path(folder, name) for name in sorted(names)):
            vocabulary = path.parent == directory and path.name in _FILES
            if path.suffix.lower() in (".yaml", ".yml") and not path.name.startswith(".") and not vocabulary:
                paths.append(path)
    return paths, violations


def _load_record(path: Path, directory: Path, root: Path) -> tuple[Record | None, list[Violation]]:
    shown = shown_path(path, root)
    if found := _misplaced(path, directory, shown):
        return None, found
    source, violations = read_source(path, shown)
    if source is None:
        return None, violations
    if not isinstance(source.data, dict):
        message = "the file must be a mapping with 'title:' and so on"
        return None, [*violations, Violation(source.locate(()), "wrong-type", message)]
    try:
        entry = Entry.model_validate(source.data)
    except ValidationError as error:
        return None, violations + schema_violations(error, source, Entry)
    logs, found = _load_logs(entry, source)
    # The data were needed for the model and for places; keeping both doubles the memory of a large corpus.
    return Record(path.stem, path.parent.name, entry, replace(source, data=None), logs), violations + found


def _misplaced(path: Path, directory: Path, shown: str) -> list[Violation]:
    relative = path.relative_to(directory)
    place = Location(shown)
    if relative.name.startswith("_") and len(relative.parts) == 1:
        known = ", ".join(_FILES)
        near = did_you_mean(relative.name, _FILES)
        return [Violation(place, "misplaced-file", f"is no vocabulary file{near}; known are {known}")]
    if len(relative.parts) != 2:
        return [Violation(place, "misplaced-file", "an entry lies at <category>/<slug>.yaml; move it there")]
    if path.suffix != ".yaml":
        return [Violation(place, "misplaced-file", "the name of an entry ends in '.yaml'; rename it")]
    if not SLUG.fullmatch(path.stem) or not 2 <= len(path.stem) <= 60:
        message = "the file name is the slug; use 2 to 60 small letters, digits and single hyphens"
        return [Violation(place, "wrong-slug", message)]
    return []


def _load_logs(entry: Entry, source: Source) -> tuple[dict[str, str], list[Violation]]:
    """The texts of the sample files of an entry."""
    logs: dict[str, str] = {}
    violations: list[Violation] = []
    for i, sample in enumerate(entry.samples):
        if sample.file is None or sample.file in logs:
            continue
        path = source.path.parent / sample.file
        place = source.locate(("samples", i, "file"))
        try:
            if path.is_symlink() or path.parent.is_symlink() or not path.is_file():
                violations.append(Violation(place, "missing-log", f"'{sample.file}' is not a file beside the entry"))
            elif path.stat().st_size > 1_000_000:
                message = f"'{sample.file}' is over 1 MB; cut it to what is needed"
                violations.append(Violation(place, "missing-log", message))
            else:
                # Not as text: a carriage return alone is no line end in a log, but a progress bar.
                logs[sample.file] = path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            violations.append(Violation(place, "missing-log", f"'{sample.file}' cannot be read: {error.strerror}"))
    return logs, violations


def _add(records: dict[str, Record], record: Record) -> list[Violation]:
    if (other := records.get(record.slug)) is None:
        records[record.slug] = record
        return []
    message = f"the slug '{record.slug}' is taken by {other.source.shown}; rename one of the two"
    return [Violation(Location(record.source.shown), "duplicate-slug", message)]


def _with_vocabulary(corpus: Corpus, directory: Path, root: Path) -> tuple[Corpus, list[Violation]]:
    """The corpus with the vocabulary of one more directory; names of later directories come on top."""
    violations: list[Violation] = []
    parts: dict[str, Any] = {}
    sources = dict(corpus.vocabulary)
    incomplete = set(corpus.incomplete)
    for name in _FILES:
        source, found = _vocabulary_source(directory / name, root)
        violations += found
        if source is not None:
            sources[name] = source
            attribute = name.strip("_").removesuffix(".yaml")
            parts[attribute], found = _names(source, name, getattr(corpus, attribute))
            violations += found
        if found:
            incomplete.add(name)
    vocabulary = MappingProxyType(sources)
    return replace(corpus, **parts, vocabulary=vocabulary, incomplete=frozenset(incomplete)), violations


def _names(source: Source, name: str, known: Any) -> tuple[Any, list[Violation]]:
    """The names known so far with those of a file on top."""
    if name in _VOCABULARY:
        items, violations = parse_vocabulary(source, _VOCABULARY[name])
        return MappingProxyType({**known, **items}), violations
    try:
        return known + TypeAdapter(tuple[Slug, ...]).validate_python(source.data), []
    except ValidationError as error:
        return known, schema_violations(error, source)


def _vocabulary_source(path: Path, root: Path) -> tuple[Source | None, list[Violation]]:
    return read_source(path, shown_path(path, root)) if os.path.lexists(path) else (None, [])
