"""The vocabulary files beside the entries: categories, tags, systems, wanted entries, and the list for beginners."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from faultbook.reader import Source
from faultbook.schema.faults import schema_violations
from faultbook.schema.fields import Https, Model, Sentence, Slug, Title, Words
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
