"""The vocabulary files beside the entries: categories, tags, systems, wanted entries, and the list for beginners."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

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


T = TypeVar("T")


def parse_vocabulary(source: Source, item: type[T]) -> tuple[dict[str, T], list[Violation]]:
    """The items of a vocabulary file by their name, in the order of the file."""
    adapter: TypeAdapter[Any] = TypeAdapter(dict[Slug, item])  # type: ignore[valid-type]
    try:
        return adapter.validate_python(source.data), []
    except ValidationError as error:
        return {}, schema_violations(error, source)
