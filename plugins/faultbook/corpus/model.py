"""What was read of the entries and of the vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from faultbook.reader import KeyPath, Source
from faultbook.schema import Category, Entry, Reproduced, Status, System, Tag, Wanted
from faultbook.schema.sources import Sample
from faultbook.violations import Location, Violation


@dataclass(frozen=True, eq=False)
class Record:
    """An entry with the place that it was read from; two records are equal only if they are the same one."""

    slug: str
    category: str
    entry: Entry
    source: Source
    logs: Mapping[str, str] = field(default_factory=dict)
    """Texts of the sample files, by the name that the sample gives."""
    reproduced: Reproduced | None = None
    """The last run of its reproduction."""

    @property
    def published(self) -> bool:
        """Whether the entry belongs into lists, search and matching."""
        return self.entry.status is Status.PUBLISHED

    def log(self, sample: Sample) -> str | None:
        """The log of one of its samples; none if its file could not be read."""
        return sample.log if sample.log is not None else self.logs.get(sample.file or "")

    def script(self, root: Path) -> Path | None:
        """The script of its reproduction below the root of the project, if it names one that exists."""
        reproduction = self.entry.evidence.reproduction if self.entry.evidence else None
        path = root / reproduction.path if reproduction else None
        return path if path and path.is_file() else None

    def violation(self, path: KeyPath, code: str, message: str, *, key: bool = False) -> Violation:
        """A violation at a place of this entry."""
        return Violation(self.source.locate(path, key=key), code, message)


@dataclass(frozen=True, eq=False)
class Corpus:
    """All entries of all directories, with their vocabulary; two are equal only if they are the same one."""

    records: Mapping[str, Record]
    categories: Mapping[str, Category] = field(default_factory=dict)
    tags: Mapping[str, Tag] = field(default_factory=dict)
    systems: Mapping[str, System] = field(default_factory=dict)
    wanted: Mapping[str, Wanted] = field(default_factory=dict)
    reproduced: Mapping[str, Reproduced] = field(default_factory=dict)
    """The last run of each reproduction, by slug."""
    featured: tuple[str, ...] = ()
    """Slugs that the home page offers to beginners."""
    released: tuple[str, ...] = ()
    """Slugs that were public once; none of them may vanish."""
    vocabulary: Mapping[str, Source] = field(default_factory=dict)
    """The vocabulary files, by name, as far as they exist; the last directory that has one gives it."""
    unreadable: frozenset[str] = frozenset()
    """Slugs of files that have violations of form; they are no entries, but links to them are not wrong."""
    incomplete: frozenset[str] = frozenset()
    """Names of vocabulary files of which not all could be read; that a name is missing there says nothing."""

    def published(self) -> list[Record]:
        """The published entries, by slug."""
        return [record for record in self.records.values() if record.published]

    def aliases(self) -> dict[str, str]:
        """Each alias with the slug that it stands for."""
        return {alias: record.slug for record in self.records.values() for alias in record.entry.aliases}

    def locate(self, name: str, path: KeyPath, *, key: bool = True) -> Location:
        """A place in a vocabulary file."""
        source = self.vocabulary.get(name)
        return source.locate(path, key=key) if source else Location(name)
