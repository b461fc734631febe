"""What a check is, what it may look at, and the examples that it carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from posixpath import normpath
from typing import ClassVar

from faultbook.checks.trial import Trial
from faultbook.corpus import Corpus, Record
from faultbook.links import Links
from faultbook.reader import KeyPath
from faultbook.violations import Level, Location, Violation

ENTRY = "data/shm-exhausted.yaml"
"""Where the entry of an example lies, unless the example says otherwise."""


@dataclass(frozen=True)
class Example:
    """Fields of an entry that break a rule or keep it; the tests put the rest of a complete entry behind them."""

    text: str = ""
    path: str = ENTRY
    beside: tuple[tuple[str, str], ...] = ()
    """Further files, each by path and text; an entry among them is completed as well."""
    whole: bool = False
    """Whether the text is the whole file."""

    def shown(self) -> str:
        """The example as it is published: with the name of each file, where the names matter."""
        if self.path == ENTRY and self.text and not self.beside:
            return self.text
        files = [(self.path, self.text), *self.beside]
        return "\n".join(
            f"# {normpath(f'entries/{path}')}\n{text}"
            for path, text in files
            if text or path != ENTRY or not self.beside
        )


@dataclass(frozen=True, eq=False)
class Context:
    """What checks see beside the entry: the corpus, its links, and the directory that holds the reproductions."""

    corpus: Corpus
    links: Links
    root: Path

    @cached_property
    def aliases(self) -> Mapping[str, str]:
        """Each alias with the first entry that claims it."""
        owners: dict[str, str] = {}
        for record in self.corpus.records.values():
            for alias in record.entry.aliases:
                owners.setdefault(alias, record.slug)
        return owners

    @cached_property
    def trial(self) -> Trial:
        """The compiled entries, to be tried on logs."""
        return Trial(self.corpus)

    @cached_property
    def has_reproductions(self) -> bool:
        """Whether the scripts are there at all; a wheel has none."""
        return (self.root / "reproductions").is_dir()

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that a link could mean: slugs of entries, of unreadable and of wanted ones, and aliases."""
        corpus = self.corpus
        return frozenset((*corpus.records, *corpus.unreadable, *corpus.wanted, *self.aliases))


class Check:
    """A rule that the corpus must hold.

    The docstring of a check is published: its first paragraph says in one sentence what is found, the rest why it
    matters and how to mend it.
    """

    code: ClassVar[str]
    """Permanent and in kebab-case."""
    level: ClassVar[Level] = Level.ERROR
    failing: ClassVar[Example]
    passing: ClassVar[Example]

    def entry(self, record: Record, context: Context) -> Iterator[Violation]:
        """The violations within one entry."""
        yield from ()

    def corpus(self, context: Context) -> Iterator[Violation]:
        """The violations that show only when all entries are seen together, or that lie in vocabulary files."""
        yield from ()

    def at(self, record: Record, path: KeyPath, message: str, *, near: str = "", key: bool = False) -> Violation:
        """A violation at a part of an entry; with ``near`` at the first place of these words within the part."""
        place = record.source.locate(path, key=key)
        return self.place(record.source.find(near, place) if near else place, message)

    def in_vocabulary(self, context: Context, name: str, path: KeyPath, message: str, *, key: bool = True) -> Violation:
        """A violation at a part of a vocabulary file."""
        return self.place(context.corpus.locate(name, path, key=key), message)

    def place(self, location: Location, message: str) -> Violation:
        """A violation of this check at a location."""
        return Violation(location, self.code, message, self.level)
