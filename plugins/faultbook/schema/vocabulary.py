"""The vocabulary files beside the entries: categories, tags, systems, wanted entries, runs of reproductions."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from faultbook.reader import Source
from faultbook.schema.faults import schema_violations
from faultbook.schema.fields import Date, Https, Model, Sentence, Slug, Title, Words
from faultbook.violations import Violation


class Category(Model):
    """A directory of entries."""

    title: Words
    """How it is named on the site."""
    text: Sentence
    """What belongs in it."""


class Tag(Model):
    """A word by which entries are grouped across categories."""

    group: Slug
    """The category whose subject it is nearest to; tags are listed by it."""
    text: Sentence
    """What the tag means."""


class System(Model):
    """A piece of software or hardware that entries affect."""

    title: Words
    """Its name as people write it."""
    text: Sentence
    """What it is, and which failures are filed under it."""
    url: Https
    """Its documentation."""


class Wanted(Model):
    """A failure that is known and has no entry yet."""

    title: Title
    """What the entry would be called."""
    category: Slug
    """Where it would belong."""
    kind: Literal["cause", "wrapper"] = "cause"
    """As in an entry."""
    priority: Annotated[int, Field(strict=True, ge=1, le=3)] = 2
    """1 is wanted most."""


class ReproducedCase(Model):
    """What a case of a reproduction showed in its last run."""

    failed: bool
    """Whether the failure came about without the fix, and its log was diagnosed as the entry where it should be."""
    mended: bool
    """Whether it stayed away with the fix."""
    diagnosed: bool
    """Whether the log of the failure must be diagnosed as the entry; not so for silent cases and for look-alikes."""

    @property
    def good(self) -> bool:
        """Whether the run showed what the case claims."""
        return self.failed and self.mended


class Reproduced(Model):
    """The last run of a reproduction; `faultbook reproduce` writes it."""

    ran: Date
    """The day."""
    script: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    """Start of the SHA-256 digest of the script that was run."""
    kernel: Words
    """The kernel, such as `Linux 6.18.44`."""
    python: Words
    """Version of Python."""
    packages: dict[str, Words]
    """Version of each package that the script imports."""
    cases: Annotated[dict[Slug, ReproducedCase], Field(min_length=1)]
    """The cases by name, in the order of the script."""

    @property
    def environment(self) -> str:
        """Packages, Python and kernel in a line."""
        packages = [f"{name} {version}" for name, version in self.packages.items()]
        return ", ".join([*packages, f"Python {self.python}", self.kernel])

    @property
    def good(self) -> bool:
        """Whether every case showed what it claims."""
        return all(case.good for case in self.cases.values())

    @property
    def summary(self) -> str:
        """How many cases showed what they claim, and on what they ran."""
        good, count = sum(case.good for case in self.cases.values()), len(self.cases)
        cases = f"{count} case{'' if count == 1 else 's'}" if good == count else f"{good} of {count} cases"
        return f"{cases}, each without and with its fix; {self.environment}"


T = TypeVar("T", bound=Model)


def parse_vocabulary(source: Source, item: type[T]) -> tuple[dict[str, T], list[Violation]]:
    """The items of a vocabulary file by their name, in the order of the file; those with violations are left out."""
    adapter: TypeAdapter[dict[str, T]] = TypeAdapter(dict[Slug, item])  # type: ignore[valid-type]
    # One at a time, since otherwise one wrong item would hide all others, and every entry that uses them be wrong.
    parts = [{name: value} for name, value in source.data.items()] if isinstance(source.data, dict) else [source.data]
    items: dict[str, T] = {}
    violations: list[Violation] = []
    for part in parts:
        try:
            items |= adapter.validate_python(part)
        except ValidationError as error:
            violations += schema_violations(error, source, item, depth=1)
    return items, violations
